//! The prior of the continuous methods, differentiable in every weight (docs/method.md §7.9).

use super::concave::Concave;
use crate::weights::Candidate;
use crate::weights::settings::LearnSettings;

/// `f_C(w) = Σ c_k(W) ξ(w_k)`, `c_k(W) = 1 + B_k − ln(1 + W)`, `W = Σ w_k`, with its sums kept up to
/// date so that changing one weight takes constant time.
#[derive(Debug, Clone)]
pub(crate) struct ContinuousPenalty {
    prior_costs: Vec<f64>,
    pub(crate) curve: Concave,
    /// `W`.
    total_weight: f64,
    /// `Σ ξ(w_k)`.
    total_curve: f64,
    /// `Σ (1 + B_k) ξ(w_k)`.
    total_cost: f64,
}

impl ContinuousPenalty {
    /// The penalty of weights that are all zero.
    pub(crate) fn new(candidates: &[Candidate], settings: &LearnSettings) -> Self {
        Self {
            prior_costs: candidates.iter().map(|c| c.prior_cost).collect(),
            curve: Concave::new(settings.p, settings.delta),
            total_weight: 0.0,
            total_curve: 0.0,
            total_cost: 0.0,
        }
    }

    pub(crate) fn variables(&self) -> usize {
        self.prior_costs.len()
    }

    /// Recomputes the sums from the weights.
    pub(crate) fn restart(&mut self, weights: &[f64]) {
        (self.total_weight, self.total_curve, self.total_cost) = (0.0, 0.0, 0.0);
        for (k, &weight) in weights.iter().enumerate() {
            if weight > 0.0 {
                self.apply(k, 0.0, weight);
            }
        }
    }

    pub(crate) fn value(&self) -> f64 {
        self.total_cost - self.total_weight.ln_1p() * self.total_curve
    }

    /// The value of given weights, from scratch.
    pub(crate) fn value_of(&self, weights: &[f64]) -> f64 {
        let mut penalty = self.clone();
        penalty.restart(weights);
        penalty.value()
    }

    /// How the value changes with the weight of one variable.
    pub(crate) fn change(&self, variable: usize, from: f64, to: f64) -> f64 {
        let curve = self.curve.value(to) - self.curve.value(from);
        let weight = (self.total_weight + (to - from)).max(0.0);
        // ln(1 + W') − ln(1 + W), without cancellation.
        let reward = ((weight - self.total_weight) / (1.0 + self.total_weight)).ln_1p();
        let price = 1.0 + self.prior_costs[variable] - weight.ln_1p();
        price * curve - reward * self.total_curve
    }

    /// Changes the weight of one variable.
    pub(crate) fn apply(&mut self, variable: usize, from: f64, to: f64) {
        let curve = self.curve.value(to) - self.curve.value(from);
        self.total_weight = (self.total_weight + (to - from)).max(0.0);
        self.total_curve += curve;
        self.total_cost += (1.0 + self.prior_costs[variable]) * curve;
    }

    /// `c_k` when the weights add up to `total`.
    pub(crate) fn price(&self, variable: usize, total: f64) -> f64 {
        1.0 + self.prior_costs[variable] - total.ln_1p()
    }

    /// `c_k` at the current weights.
    pub(crate) fn current_price(&self, variable: usize) -> f64 {
        self.price(variable, self.total_weight)
    }

    /// What all variables gain from a larger total weight: `Σ ξ / (1 + W)`.
    pub(crate) fn reward(&self) -> f64 {
        self.total_curve / (1.0 + self.total_weight)
    }

    /// Derivative of the value with respect to the weight of one variable.
    pub(crate) fn gradient(&self, variable: usize, weight: f64) -> f64 {
        self.current_price(variable) * self.curve.slope(weight) - self.reward()
    }

    /// `Σ ξ(w_k)`.
    pub(crate) fn total_curve(&self) -> f64 {
        self.total_curve
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::PartCodes;
    use proptest::prelude::*;
    use std::borrow::Cow;

    fn penalty(costs: &[f64]) -> ContinuousPenalty {
        let candidate = |&prior_cost: &f64| Candidate {
            name: "x",
            level: 0.1,
            prior_cost,
            codes: Cow::Owned(PartCodes::Narrow(Vec::new())),
            unlisted: None,
            scores: Vec::new(),
        };
        let candidates: Vec<Candidate> = costs.iter().map(candidate).collect();
        ContinuousPenalty::new(&candidates, &LearnSettings::default())
    }

    proptest! {
        #[test]
        fn one_change_equals_a_restart(
            weights in proptest::collection::vec(0.0_f64..=1.0, 1..20),
            position in 0_usize..20,
            to in prop_oneof![Just(0.0), 0.0_f64..=1.0],
        ) {
            let k = position % weights.len();
            let costs: Vec<f64> = (0..weights.len()).map(|k| 3.0 + k as f64).collect();
            let mut penalty = penalty(&costs);
            penalty.restart(&weights);
            let mut moved = weights.clone();
            moved[k] = to;
            let expected = penalty.value_of(&moved);
            prop_assert!((penalty.value() + penalty.change(k, weights[k], to) - expected).abs() < 1e-9);
            penalty.apply(k, weights[k], to);
            prop_assert!((penalty.value() - expected).abs() < 1e-9);
        }

        /// Oracle §11.1, the penalty's part: the reward for a larger total weight is in the gradient.
        #[test]
        fn the_gradient_is_that_of_finite_differences(
            weights in proptest::collection::vec(0.01_f64..0.99, 2..12),
            position in 0_usize..12,
        ) {
            let k = position % weights.len();
            let costs: Vec<f64> = (0..weights.len()).map(|k| 4.0 + k as f64).collect();
            let mut penalty = penalty(&costs);
            penalty.restart(&weights);
            let h = 1e-5;
            let at = |change: f64| {
                let mut moved = weights.clone();
                moved[k] += change;
                penalty.value_of(&moved)
            };
            let slope = (at(h) - at(-h)) / (2.0 * h);
            let gradient = penalty.gradient(k, weights[k]);
            prop_assert!((slope - gradient).abs() < 1e-6 * gradient.abs().max(1.0), "{slope} {gradient}");
        }
    }
}
