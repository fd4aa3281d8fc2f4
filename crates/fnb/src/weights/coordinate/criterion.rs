//! The continuous criterion at the current weights, and the best change of one of them.

use crate::weights::continuous::{Concave, ContinuousPenalty};
use crate::weights::rows::{Change, Derivatives, RowState};
use crate::weights::settings::LearnSettings;
use crate::weights::{Candidate, CriterionValue, StageEffort};

/// After this many moves everything is recomputed from the weights: rounding errors of the rows add up.
const MOVES_BETWEEN_RESTARTS: usize = 256;
/// A shorter step is none.
const SHORTEST: f64 = 1e-7;
/// Halvings of a step that gains nothing, at most.
const MOST_HALVINGS: usize = 6;
/// Changes evaluated at once: they share the rows in the cache.
const BATCH: usize = 4;
/// Share of the criterion that any step must gain: what rounding cannot feign.
const LEAST_GAIN: f64 = 1e-10;

/// `F(w) + λ f_C(w)`, one weight changed at a time.
#[derive(Debug)]
pub(crate) struct Criterion<'r, 'a> {
    rows: &'r mut RowState<'a>,
    penalty: ContinuousPenalty,
    lambda: f64,
    weights: Vec<f64>,
    /// For each variable, the largest difference of log-probabilities between classes of a part.
    ranges: Vec<f64>,
    moves: usize,
}

impl<'r, 'a> Criterion<'r, 'a> {
    pub(crate) fn new(
        rows: &'r mut RowState<'a>,
        candidates: &[Candidate],
        classes: usize,
        settings: &LearnSettings,
        weights: Vec<f64>,
    ) -> Self {
        let range = |candidate: &Candidate| {
            let lines = candidate.scores.chunks_exact(classes);
            let range = |line: &[f64]| {
                let largest = line.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                largest - line.iter().copied().fold(f64::INFINITY, f64::min)
            };
            lines.map(range).fold(0.0, f64::max)
        };
        let mut criterion = Self {
            rows,
            penalty: ContinuousPenalty::new(candidates, settings),
            lambda: settings.lambda,
            ranges: candidates.iter().map(range).collect(),
            weights: Vec::new(),
            moves: 0,
        };
        criterion.set_weights(weights);
        criterion
    }

    pub(crate) fn weights(&self) -> &[f64] {
        &self.weights
    }

    pub(crate) fn into_weights(self) -> Vec<f64> {
        self.weights
    }

    /// Runs a stage and takes note of its work; it returns its number of iterations.
    pub(crate) fn stage(
        &mut self,
        stages: &mut Vec<StageEffort>,
        name: &str,
        work: impl FnOnce(&mut Self) -> usize,
    ) {
        let before = self.rows.passes;
        let iterations = work(self);
        stages.push(StageEffort {
            stage: name.into(),
            iterations,
            row_passes: self.rows.passes - before,
        });
    }

    pub(crate) fn set_weights(&mut self, weights: Vec<f64>) {
        self.weights = weights;
        self.restart();
    }

    /// Replaces the price of a weight, as a function of it.
    pub(crate) fn set_curve(&mut self, curve: Concave) {
        self.penalty.curve = curve;
        self.penalty.restart(&self.weights);
    }

    /// Recomputes everything from the weights.
    pub(crate) fn restart(&mut self) {
        self.rows.restart(&self.weights);
        self.penalty.restart(&self.weights);
    }

    pub(crate) fn value(&self) -> CriterionValue {
        CriterionValue::new(self.rows.cost(), self.penalty.value(), self.lambda)
    }

    pub(crate) fn total(&self) -> f64 {
        self.value().total
    }

    /// The variables of the model.
    pub(crate) fn selected(&self) -> Vec<usize> {
        let all = 0..self.weights.len();
        all.filter(|&k| self.weights[k] > 0.0).collect()
    }

    /// Derivatives of the likelihood.
    pub(crate) fn derivatives(&mut self, candidates: &[usize]) -> Vec<Derivatives> {
        self.rows.derivatives(candidates)
    }

    /// What a variable that is not selected can gain at most, by the tangent of the likelihood: it
    /// is convex, so it lies above it, and the price per weight is lowest at weight 1.
    pub(crate) fn most_gain(&self, candidate: usize, gradient: f64) -> f64 {
        let slope = gradient - self.lambda * self.penalty.reward();
        -slope - self.lambda * self.penalty.current_price(candidate)
    }

    /// The best weight of a variable and what it gains, the likelihood being a parabola.
    pub(crate) fn proposal(&self, candidate: usize, derivatives: Derivatives) -> (f64, f64) {
        let weight = self.weights[candidate];
        let curvature = derivatives.curvature.max(1e-9);
        let price = (self.lambda * self.penalty.current_price(candidate)).max(0.0);
        let slope = derivatives.gradient - self.lambda * self.penalty.reward();
        let curve = &self.penalty.curve;
        let to = curve.minimiser(weight - slope / curvature, price, curvature);
        let by = to - weight;
        let change = price * (curve.value(to) - curve.value(weight));
        (to, -(slope * by + 0.5 * curvature * by * by + change))
    }

    /// A lower bound of the change of the likelihood when a weight changes: its third derivative is
    /// at most the range times the second.
    pub(crate) fn least_change(&self, candidate: usize, at: Derivatives, by: f64) -> f64 {
        let range = self.ranges[candidate];
        let a = range * by.abs();
        let curved = if a > 1e-4 {
            at.curvature * ((-a).exp() + a - 1.0) / (range * range)
        } else {
            // The first term of its series is exact enough, and does not cancel.
            at.curvature.max(0.0) * by * by * (0.5 - a / 6.0)
        };
        at.gradient * by + curved
    }

    /// Moves a weight to its best value if that gains more than `least_gain`; returns the gain.
    pub(crate) fn step(&mut self, candidate: usize, least_gain: f64) -> f64 {
        let least_gain = least_gain.max(LEAST_GAIN * self.total().abs());
        let derivatives = self.rows.derivatives(&[candidate])[0];
        let weight = self.weights[candidate];
        let (mut to, _) = self.proposal(candidate, derivatives);
        for attempt in 0..MOST_HALVINGS {
            let by = to - weight;
            if by.abs() < SHORTEST {
                break;
            }
            let prior = self.lambda * self.penalty.change(candidate, weight, to);
            if self.least_change(candidate, derivatives, by) + prior < -least_gain {
                let cost = self.rows.costs_after(&[Change { candidate, by }])[0];
                let gain = self.rows.cost() - cost - prior;
                if gain > least_gain {
                    self.rows.apply(0, cost);
                    self.record(candidate, to);
                    return gain;
                }
            }
            to = weight + 0.5 * by;
            if attempt == 0 && weight > 0.0 && to < self.penalty.curve.delta() {
                to = 0.0;
            }
        }
        0.0
    }

    /// Steps on all selected variables; returns what they gain.
    pub(crate) fn sweep(&mut self) -> f64 {
        let selected = self.selected();
        selected.into_iter().map(|k| self.step(k, 0.0)).sum()
    }

    /// Sweeps until one gains at most `least_gain`; returns what they gain.
    pub(crate) fn sweeps(&mut self, most: usize, least_gain: f64) -> f64 {
        let mut total = 0.0;
        for _ in 0..most {
            let gain = self.sweep();
            total += gain;
            if gain <= least_gain {
                break;
            }
        }
        total
    }

    /// The `count` selected variables that add least to the criterion by leaving alone, the least first.
    /// A lower bound of what each would add tells most of those that need not be tried.
    pub(crate) fn least_losses(&mut self, count: usize) -> Vec<usize> {
        let selected = self.selected();
        let derivatives = self.rows.derivatives(&selected);
        let mut bounds: Vec<(f64, usize)> = Vec::with_capacity(selected.len());
        for (k, at) in selected.into_iter().zip(derivatives) {
            let by = -self.weights[k];
            let bound = self.least_change(k, at, by) + self.change_of_prior(k);
            bounds.push((bound, k));
        }
        // Stable sorts: equal ones stay in the order of the candidates.
        bounds.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut losses: Vec<(f64, usize)> = Vec::with_capacity(bounds.len());
        for some in bounds.chunks(BATCH) {
            if losses.len() >= count && losses[count - 1].0 <= some[0].0 {
                break;
            }
            losses.extend(self.losses(some.iter().map(|(_, k)| *k)));
            losses.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        }
        losses.into_iter().take(count).map(|(_, k)| k).collect()
    }

    /// What leaving out each of a few selected variables would add to the criterion.
    fn losses(&mut self, some: impl Iterator<Item = usize>) -> Vec<(f64, usize)> {
        let change = |candidate: usize| Change {
            candidate,
            by: -self.weights[candidate],
        };
        let changes: Vec<Change> = some.map(change).collect();
        let costs = self.rows.costs_after(&changes);
        let loss = |(change, cost): (&Change, f64)| {
            let k = change.candidate;
            (cost - self.rows.cost() + self.change_of_prior(k), k)
        };
        changes.iter().zip(costs).map(loss).collect()
    }

    /// How the prior changes when a variable leaves.
    fn change_of_prior(&self, candidate: usize) -> f64 {
        self.lambda * self.penalty.change(candidate, self.weights[candidate], 0.0)
    }

    /// Gives a variable another weight, even if that loses.
    pub(crate) fn set_weight(&mut self, candidate: usize, to: f64) {
        let by = to - self.weights[candidate];
        let cost = self.rows.costs_after(&[Change { candidate, by }])[0];
        self.rows.apply(0, cost);
        self.record(candidate, to);
    }

    /// Leaves out a variable if that gains more than `least_gain`.
    pub(crate) fn leave_out_if(&mut self, candidate: usize, least_gain: f64) -> f64 {
        let weight = self.weights[candidate];
        let by = -weight;
        let cost = self.rows.costs_after(&[Change { candidate, by }])[0];
        let gain = self.rows.cost() - cost - self.change_of_prior(candidate);
        if gain <= least_gain {
            return 0.0;
        }
        self.rows.apply(0, cost);
        self.record(candidate, 0.0);
        gain
    }

    /// Takes note of a move that the rows know of.
    fn record(&mut self, candidate: usize, to: f64) {
        let weight = &mut self.weights[candidate];
        self.penalty.apply(candidate, *weight, to);
        *weight = to;
        self.moves += 1;
        if self.moves.is_multiple_of(MOVES_BETWEEN_RESTARTS) {
            self.restart();
        }
    }
}
