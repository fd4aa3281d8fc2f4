//! The criterion of the searches: likelihood plus λ times the prior, one weight changed at a time.

use super::listed::listed;
use super::penalty::{Constants, Penalty};
use crate::weights::rows::{Change, Likelihood, RowState};
use crate::weights::settings::{LearnSettings, Method};
use crate::weights::{Candidate, CriterionValue};
use std::borrow::Cow;

/// The two definitions of the criterion.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Definition {
    pub(crate) likelihood: Likelihood,
    pub(crate) constants: Constants,
}

impl Definition {
    /// Khiops has its own likelihood and constants; they come with its search.
    pub(crate) fn new(settings: &LearnSettings, null_preparation_cost: f64) -> Self {
        if settings.method == Method::FnbKhiops {
            Self {
                likelihood: Likelihood::Smoothed,
                constants: Constants::Khiops {
                    null_preparation_cost,
                },
            }
        } else {
            Self {
                likelihood: Likelihood::Plain,
                constants: Constants::Published,
            }
        }
    }

    /// The candidates as the search sees them: that of Khiops passes over rows that a sparse variable
    /// does not list.
    pub(crate) fn seen<'a>(
        self,
        candidates: &'a [Candidate<'a>],
        outcomes: usize,
    ) -> Cow<'a, [Candidate<'a>]> {
        match self.constants {
            Constants::Khiops { .. } => listed(candidates, outcomes),
            Constants::Published => Cow::Borrowed(candidates),
        }
    }

    /// The prior of some weights, from scratch.
    pub(crate) fn penalty(self, candidates: &[Candidate], exponent: f64) -> Penalty {
        let prior_costs = candidates.iter().map(|c| c.prior_cost).collect();
        Penalty::new(prior_costs, exponent, self.constants)
    }
}

/// A new weight for a candidate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Move {
    pub(crate) candidate: usize,
    pub(crate) weight: f64,
}

/// A move that was made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Made {
    pub(crate) to: Move,
    /// How many moves had been tried by then, this one included.
    pub(crate) trial: usize,
    /// The criterion after it.
    pub(crate) total: f64,
}

/// What the criterion must become for a move to be made.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Threshold {
    /// Less than its current value plus a constant.
    Absolute(f64),
    /// Less than its current value by more than a share of it.
    Share(f64),
}

/// Changes are evaluated together, more of them while few are made. Two cost hardly more than one:
/// reading the rows is most of the work.
const NARROWEST_BATCH: usize = 2;
const WIDEST_BATCH: usize = 4;
/// After this many moves everything is recomputed from the weights.
const MOVES_BETWEEN_RESTARTS: usize = 256;

/// The criterion at the current weights.
#[derive(Debug)]
pub(crate) struct Criterion<'r, 'a> {
    rows: &'r mut RowState<'a>,
    penalty: Penalty,
    lambda: f64,
    weights: Vec<f64>,
    /// Number of changes evaluated on the rows.
    pub(crate) trials: usize,
    /// Number of changes made.
    pub(crate) accepted: usize,
}

impl<'r, 'a> Criterion<'r, 'a> {
    /// All weights zero; `rows` must show them.
    pub(crate) fn new(
        rows: &'r mut RowState<'a>,
        candidates: &[Candidate],
        definition: Definition,
        settings: &LearnSettings,
    ) -> Self {
        Self {
            rows,
            penalty: definition.penalty(candidates, settings.p),
            lambda: settings.lambda,
            weights: vec![0.0; candidates.len()],
            trials: 0,
            accepted: 0,
        }
    }

    pub(crate) fn weights(&self) -> &[f64] {
        &self.weights
    }

    pub(crate) fn into_weights(self) -> Vec<f64> {
        self.weights
    }

    pub(crate) fn value(&self) -> CriterionValue {
        CriterionValue::new(self.rows.cost(), self.penalty.value(), self.lambda)
    }

    pub(crate) fn total(&self) -> f64 {
        self.value().total
    }

    /// Tries moves one after the other and makes those that pass the threshold. `worth_trying` may
    /// spare the evaluation of a move, given its position.
    ///
    /// Several moves are evaluated on the rows at once, and those that follow one that is made are
    /// evaluated again: the result is that of trying them one by one, the rows are read less often.
    /// Returns the moves made.
    pub(crate) fn sweep(
        &mut self,
        moves: &[Move],
        threshold: Threshold,
        worth_trying: impl Fn(&Self, usize) -> bool,
    ) -> Vec<Made> {
        let mut made = Vec::new();
        let mut width = NARROWEST_BATCH;
        let mut next = 0;
        while next < moves.len() {
            let mut batch = Vec::with_capacity(width);
            while next < moves.len() && batch.len() < width {
                if worth_trying(self, next) {
                    batch.push(next);
                }
                next += 1;
            }
            if batch.is_empty() {
                break;
            }
            let changes: Vec<Change> = batch.iter().map(|&i| self.change(moves[i])).collect();
            let costs = self.rows.costs_after(&changes);
            let total = self.total();
            let limit = match threshold {
                Threshold::Absolute(margin) => total + margin,
                Threshold::Share(share) => total - share * total.abs(),
            };
            let passes = |&i: &usize| self.total_after(moves[batch[i]], costs[i]) < limit;
            if let Some(i) = (0..batch.len()).find(passes) {
                self.rows.apply(i, costs[i]);
                self.record(moves[batch[i]]);
                self.trials += i + 1;
                made.push(Made {
                    to: moves[batch[i]],
                    trial: self.trials,
                    total: self.total(),
                });
                next = batch[i] + 1;
                width = NARROWEST_BATCH;
            } else {
                self.trials += batch.len();
                width = WIDEST_BATCH;
            }
        }
        made
    }

    fn change(&self, to: Move) -> Change {
        Change {
            candidate: to.candidate,
            by: to.weight - self.weights[to.candidate],
        }
    }

    fn total_after(&self, to: Move, data: f64) -> f64 {
        let from = self.weights[to.candidate];
        let prior = self.penalty.value_after(to.candidate, from, to.weight);
        CriterionValue::new(data, prior, self.lambda).total
    }

    /// Takes note of a move that the rows know of.
    fn record(&mut self, to: Move) {
        let weight = &mut self.weights[to.candidate];
        self.penalty.apply(to.candidate, *weight, to.weight);
        *weight = to.weight;
        self.accepted += 1;
        if self.accepted.is_multiple_of(MOVES_BETWEEN_RESTARTS) {
            self.rows.restart(&self.weights);
            self.penalty.restart(&self.weights);
        }
    }

    /// Goes back to weights that are all zero.
    pub(crate) fn reset(&mut self) {
        self.weights.fill(0.0);
        self.rows.restart(&self.weights);
        self.penalty.restart(&self.weights);
    }

    /// Derivatives of the likelihood with respect to the weights of some candidates.
    pub(crate) fn gradients(&mut self, candidates: &[usize]) -> Vec<f64> {
        let derivatives = self.rows.derivatives(candidates);
        derivatives.into_iter().map(|d| d.gradient).collect()
    }

    /// A lower bound of the change of the criterion, from a derivative of the likelihood: it is
    /// convex, so it lies above its tangent.
    pub(crate) fn least_change(&self, to: Move, gradient: f64) -> f64 {
        let from = self.weights[to.candidate];
        let prior = self.penalty.value_after(to.candidate, from, to.weight);
        let change = prior - self.penalty.value();
        gradient * (to.weight - from) + self.lambda * change
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::Target;
    use crate::weights::add_drop::fnb::{LEAST_GAIN, moves};
    use crate::weights::add_drop::order::{Order, SeededOrder};
    use crate::weights::evaluate;
    use crate::weights::rows::tests::random;

    const PARTS: [usize; 12] = [3, 5, 2, 7, 4, 2, 2, 3, 6, 2, 3, 4];

    /// Sweeps of smaller and smaller changes in random orders, the moves of each tried at once or
    /// one by one; the moves made and the weights.
    fn sweeps(
        (target, candidates): &(Target, Vec<Candidate>),
        settings: &LearnSettings,
        one_by_one: bool,
        mut visit: impl FnMut(&Criterion, &[Made]),
    ) -> (Vec<(usize, f64, usize)>, Vec<f64>) {
        let definition = Definition::new(settings, 7.0);
        let mut rows = RowState::new(candidates, &target.outcomes(), definition.likelihood);
        let mut criterion = Criterion::new(&mut rows, candidates, definition, settings);
        let mut orders = SeededOrder::new(5);
        let mut all = Vec::new();
        for increment in [0.5, -0.5, 0.25, -0.25, 0.125, -0.125, 0.0625, -0.0625] {
            let order = orders.shuffle(candidates.len()).into_iter();
            let moves = moves(&criterion, order, increment);
            let skipped = |_: &Criterion, i: usize| i % 5 != 3;
            let made = if one_by_one {
                let tried = (0..moves.len()).filter(|i| i % 5 != 3);
                let each = |i: usize| criterion.sweep(&moves[i..=i], LEAST_GAIN, |_, _| true);
                tried.flat_map(each).collect()
            } else {
                criterion.sweep(&moves, LEAST_GAIN, skipped)
            };
            visit(&criterion, &made);
            all.extend(made.iter().map(|m| (m.to.candidate, m.to.weight, m.trial)));
        }
        (all, criterion.into_weights())
    }

    /// Oracle §11.9: evaluating several moves at once does not change which are made.
    #[test]
    fn the_width_of_a_batch_does_not_matter() {
        for classes in [1, 2, 7, 20] {
            for method in [Method::FnbKhiops, Method::Fnb] {
                let settings = LearnSettings {
                    method,
                    lambda: 0.25,
                    ..LearnSettings::default()
                };
                let problem = random(classes as u64, 500, classes, &PARTS);
                let expected = sweeps(&problem, &settings, true, |_, _| {});
                let found = sweeps(&problem, &settings, false, |_, _| {});
                assert_eq!(found, expected, "{classes} classes, {method:?}");
                assert!(classes == 1 || expected.0.len() > 5, "{expected:?}");
            }
        }
    }

    /// Oracle §11.6: every move made lowers the criterion, and to what is computed from scratch.
    #[test]
    fn every_move_goes_down() {
        for classes in [2, 7] {
            let settings = LearnSettings {
                method: Method::Fnb,
                lambda: 0.25,
                ..LearnSettings::default()
            };
            let problem = random(classes as u64, 500, classes, &PARTS);
            let (target, candidates) = &problem;
            let mut weights = vec![0.0; PARTS.len()];
            let mut last = evaluate(candidates, &target.outcomes(), 7.0, &settings, &weights).total;
            sweeps(&problem, &settings, false, |criterion, made| {
                for made in made {
                    weights[made.to.candidate] = made.to.weight;
                    let total =
                        evaluate(candidates, &target.outcomes(), 7.0, &settings, &weights).total;
                    assert!((made.total - total).abs() < 1e-9 * total);
                    assert!(made.total < last, "{} after {last}", made.total);
                    last = made.total;
                }
                assert_eq!(criterion.weights(), weights);
            });
        }
    }
}
