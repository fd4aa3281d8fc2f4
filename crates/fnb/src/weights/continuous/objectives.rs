//! What the gradient methods minimise: the likelihood, plus terms that differ from stage to stage
//! (docs/method.md §7.9).

use super::penalty::ContinuousPenalty;

/// Terms added to the negative log-likelihood `F`, and how a step treats them.
pub(crate) trait Objective {
    /// The value of terms that a step treats as it treats `F`, by their gradient.
    fn smooth(&self, weights: &[f64]) -> f64;

    /// Derivatives of these terms with respect to some weights.
    fn smooth_gradients(&self, weights: &[f64], candidates: &[usize]) -> Vec<f64>;

    /// The value of all other terms.
    fn other(&self, weights: &[f64]) -> f64;

    /// The slope of the other terms at a weight.
    fn pull(&self, candidate: usize, weight: f64) -> f64;

    /// The weight that a step proposes, given the slope of the smooth terms.
    fn propose(&self, candidate: usize, weight: f64, slope: f64, stiffness: f64) -> f64 {
        let slope = slope + self.pull(candidate, weight);
        (weight - slope / stiffness).clamp(0.0, 1.0)
    }

    /// Does a weight that is zero stay so?
    fn zeros_stay(&self) -> bool {
        true
    }
}

/// The whole criterion, all of it by its gradient.
pub(crate) struct Whole<'a> {
    pub(crate) penalty: &'a ContinuousPenalty,
    pub(crate) lambda: f64,
}

impl Objective for Whole<'_> {
    fn smooth(&self, weights: &[f64]) -> f64 {
        self.lambda * self.penalty.value_of(weights)
    }

    fn smooth_gradients(&self, weights: &[f64], candidates: &[usize]) -> Vec<f64> {
        let mut penalty = self.penalty.clone();
        penalty.restart(weights);
        let gradient = |&k: &usize| self.lambda * penalty.gradient(k, weights[k]);
        candidates.iter().map(gradient).collect()
    }

    fn other(&self, _: &[f64]) -> f64 {
        0.0
    }

    fn pull(&self, _: usize, _: f64) -> f64 {
        0.0
    }
}

/// Without a price on single weights: `F − λ Ξ ln(1 + W)` for a constant Ξ.
pub(crate) struct RewardOnly {
    pub(crate) factor: f64,
}

impl Objective for RewardOnly {
    fn smooth(&self, weights: &[f64]) -> f64 {
        -self.factor * weights.iter().sum::<f64>().ln_1p()
    }

    fn smooth_gradients(&self, weights: &[f64], candidates: &[usize]) -> Vec<f64> {
        let slope = -self.factor / (1.0 + weights.iter().sum::<f64>());
        vec![slope; candidates.len()]
    }

    fn other(&self, _: &[f64]) -> f64 {
        0.0
    }

    fn pull(&self, _: usize, _: f64) -> f64 {
        0.0
    }
}

/// The prices of all weights for a total weight that is held constant: `λ c_k`.
pub(crate) struct Prices<'a> {
    prices: Vec<f64>,
    penalty: &'a ContinuousPenalty,
}

impl<'a> Prices<'a> {
    pub(crate) fn new(penalty: &'a ContinuousPenalty, lambda: f64, weights: &[f64]) -> Self {
        let total: f64 = weights.iter().sum();
        let price = |k: usize| lambda * penalty.price(k, total).max(0.0);
        Self {
            prices: (0..weights.len()).map(price).collect(),
            penalty,
        }
    }

    pub(crate) fn of(&self, candidate: usize) -> f64 {
        self.prices[candidate]
    }

    /// `Σ λ c_k ξ(w_k)`.
    fn concave_cost(&self, weights: &[f64]) -> f64 {
        let cost = |(price, &weight): (&f64, &f64)| price * self.penalty.curve.value(weight);
        self.prices.iter().zip(weights).map(cost).sum()
    }
}

/// The convex relaxation, `F + Σ λ c_k w_k`.
pub(crate) struct Relaxed<'a>(pub(crate) &'a Prices<'a>);

impl Objective for Relaxed<'_> {
    fn smooth(&self, _: &[f64]) -> f64 {
        0.0
    }

    fn smooth_gradients(&self, _: &[f64], candidates: &[usize]) -> Vec<f64> {
        vec![0.0; candidates.len()]
    }

    fn other(&self, weights: &[f64]) -> f64 {
        let prices = self.0.prices.iter();
        prices
            .zip(weights)
            .map(|(price, weight)| price * weight)
            .sum()
    }

    fn pull(&self, candidate: usize, _: f64) -> f64 {
        self.0.of(candidate)
    }

    /// The problem is convex: what left too early may come back.
    fn zeros_stay(&self) -> bool {
        false
    }
}

/// `F + Σ λ c_k ξ(w_k)`, the concave terms replaced by their tangents, which lie above them.
pub(crate) struct Linearised<'a>(pub(crate) &'a Prices<'a>);

impl Objective for Linearised<'_> {
    fn smooth(&self, _: &[f64]) -> f64 {
        0.0
    }

    fn smooth_gradients(&self, _: &[f64], candidates: &[usize]) -> Vec<f64> {
        vec![0.0; candidates.len()]
    }

    fn other(&self, weights: &[f64]) -> f64 {
        self.0.concave_cost(weights)
    }

    fn pull(&self, candidate: usize, weight: f64) -> f64 {
        self.0.of(candidate) * self.0.penalty.curve.slope(weight)
    }
}

/// The same, the concave terms minimised exactly.
pub(crate) struct Exact<'a>(pub(crate) &'a Prices<'a>);

impl Objective for Exact<'_> {
    fn smooth(&self, _: &[f64]) -> f64 {
        0.0
    }

    fn smooth_gradients(&self, _: &[f64], candidates: &[usize]) -> Vec<f64> {
        vec![0.0; candidates.len()]
    }

    fn other(&self, weights: &[f64]) -> f64 {
        self.0.concave_cost(weights)
    }

    fn pull(&self, candidate: usize, weight: f64) -> f64 {
        Linearised(self.0).pull(candidate, weight)
    }

    fn propose(&self, candidate: usize, weight: f64, slope: f64, stiffness: f64) -> f64 {
        let centre = weight - slope / stiffness;
        let curve = &self.0.penalty.curve;
        curve.minimiser(centre, self.0.of(candidate), stiffness)
    }
}
