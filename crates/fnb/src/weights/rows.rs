//! The state of every row under the current weights, and what changing one weight would do to it.
//!
//! Learners see [`RowState`] only. It holds posteriors, not scores: a change of one weight
//! multiplies them by a small table (docs/method.md §7.7), and a fresh start from the weights, now
//! and then, removes what little rounding has accumulated.
//!
//! Rows are cut into blocks whose size depends on nothing but the number of classes, and sums over
//! blocks are taken in order: the same bits come out for any number of threads.

use super::Candidate;
use super::many_classes::ManyClasses;
use super::two_classes::TwoClasses;
use crate::columns::Target;
use rayon::prelude::*;

/// Which negative log-likelihood of the classes is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Likelihood {
    /// That of the model.
    Plain,
    /// That of Khiops: half a row is shared by all classes (docs/method.md §7.1).
    Smoothed,
}

/// A change of the weight of one candidate.
#[derive(Debug, Clone, Copy)]
pub(super) struct Change {
    pub(super) candidate: usize,
    pub(super) by: f64,
}

/// Numbers of one block of work, some tens of microseconds: enough to be worth a thread.
const BLOCK_NUMBERS: usize = 1 << 16;

/// Rows of a block when a row is `width` numbers.
pub(super) fn block_rows(width: usize) -> usize {
    (BLOCK_NUMBERS / width).next_power_of_two().max(512)
}

/// The results of some work on every block, in the order of the blocks.
pub(super) fn map_blocks<B: Send, T: Send>(
    blocks: &mut [B],
    work: impl Fn(&mut B) -> T + Sync + Send,
) -> Vec<T> {
    if blocks.len() > 1 && rayon::current_num_threads() > 1 {
        blocks.par_iter_mut().map(work).collect()
    } else {
        blocks.iter_mut().map(work).collect()
    }
}

/// Posteriors of all rows; two classes need one number per row only.
#[derive(Debug)]
pub(super) enum RowState<'a> {
    Two(TwoClasses),
    Many(ManyClasses<'a>),
}

impl<'a> RowState<'a> {
    /// The rows when all weights are zero.
    pub(super) fn new(
        candidates: &'a [Candidate<'a>],
        target: &'a Target,
        likelihood: Likelihood,
    ) -> Self {
        let mut rows = if target.classes().len() == 2 {
            Self::Two(TwoClasses::new(candidates, target, likelihood))
        } else {
            Self::Many(ManyClasses::new(candidates, target, likelihood))
        };
        rows.restart(&vec![0.0; candidates.len()]);
        rows
    }

    /// Recomputes everything from the weights.
    pub(super) fn restart(&mut self, weights: &[f64]) {
        match self {
            Self::Two(rows) => rows.restart(weights),
            Self::Many(rows) => rows.restart(weights),
        }
    }

    /// The negative log-likelihood.
    pub(super) fn cost(&self) -> f64 {
        match self {
            Self::Two(rows) => rows.cost,
            Self::Many(rows) => rows.cost,
        }
    }

    /// The negative log-likelihood after each of some changes, made alone.
    pub(super) fn costs_after(&mut self, changes: &[Change]) -> Vec<f64> {
        match self {
            Self::Two(rows) => rows.costs_after(changes),
            Self::Many(rows) => rows.costs_after(changes),
        }
    }

    /// Makes one of the changes that [`costs_after`](Self::costs_after) evaluated last, given its
    /// position among them and its cost. The rows are changed at their next use, while they are in
    /// the cache for it.
    pub(super) fn apply(&mut self, position: usize, cost: f64) {
        match self {
            Self::Two(rows) => rows.apply(position, cost),
            Self::Many(rows) => rows.apply(position, cost),
        }
    }

    /// Derivatives of the plain negative log-likelihood with respect to the weights of some
    /// candidates.
    pub(super) fn gradients(&mut self, candidates: &[usize]) -> Vec<f64> {
        match self {
            Self::Two(rows) => rows.gradients(candidates),
            Self::Many(rows) => rows.gradients(candidates),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::{Column, ColumnData};
    use crate::prepare::{PartCodes, log_probabilities};
    use crate::weights::likelihood::data_cost;
    use proptest::prelude::*;
    use rand_core::{Rng, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// Random rows: a target and candidates with the given numbers of parts.
    fn random(
        seed: u64,
        rows: usize,
        classes: usize,
        parts: &[usize],
    ) -> (Target, Vec<Candidate<'static>>) {
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut below = |n: usize| (generator.next_u64() >> 33) as usize % n;
        let labels: Vec<usize> = (0..rows)
            .map(|row| if row < classes { row } else { below(classes) })
            .collect();
        let candidate = |&parts: &usize| {
            let codes: Vec<u32> = labels
                .iter()
                .map(|label| ((below(parts) + below(parts) + label) % parts) as u32)
                .collect();
            let mut counts = vec![vec![0; classes]; parts];
            for (&code, &label) in codes.iter().zip(&labels) {
                counts[code as usize][label] += 1;
            }
            Candidate {
                name: "x",
                level: 0.1,
                prior_cost: 1.0,
                codes: if parts <= 256 {
                    PartCodes::Narrow(codes.iter().map(|&code| code as u8).collect())
                } else {
                    PartCodes::Wide(codes)
                },
                log_probabilities: log_probabilities(&counts, rows),
            }
        };
        let candidates = parts.iter().map(candidate).collect();
        let names: Vec<String> = labels.iter().map(|label| format!("{label:03}")).collect();
        let column = names.iter().map(|name| Some(name.as_str())).collect();
        let data = ColumnData::Categorical(column);
        let name = "class".into();
        let target = Target::from_column(&Column { name, data }).expect("categories");
        (target, candidates)
    }

    fn assert_close(found: f64, expected: f64, what: &str) {
        let error = (found - expected).abs();
        assert!(
            error <= 1e-9 * expected.abs().max(1.0),
            "{what}: {found}, not {expected}"
        );
    }

    /// Trials, accepted changes and fresh starts against evaluations from scratch.
    fn check_changes(seed: u64, rows: usize, classes: usize, parts: &[usize]) {
        let (target, candidates) = random(seed, rows, classes, parts);
        for likelihood in [Likelihood::Plain, Likelihood::Smoothed] {
            let mut weights = vec![0.0; parts.len()];
            let exact = |weights: &[f64]| data_cost(&candidates, &target, likelihood, weights);
            let mut state = RowState::new(&candidates, &target, likelihood);
            assert_close(state.cost(), exact(&weights), "at zero");
            for step in 0..3 * parts.len() {
                let moves = [
                    (step % parts.len(), 0.625),
                    ((step + 1) % parts.len(), 0.125),
                ];
                let changes = moves.map(|(candidate, weight)| Change {
                    candidate,
                    by: weight - weights[candidate],
                });
                let costs = state.costs_after(&changes);
                for ((candidate, weight), cost) in moves.into_iter().zip(&costs) {
                    let mut changed = weights.clone();
                    changed[candidate] = weight;
                    assert_close(*cost, exact(&changed), "one change");
                }
                let kept = step % 2;
                weights[moves[kept].0] = moves[kept].1;
                state.apply(kept, costs[kept]);
            }
            state.restart(&weights);
            assert_close(state.cost(), exact(&weights), "restarted");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn changes_equal_evaluations(seed: u64, rows in 40_usize..3000, classes in 1_usize..40) {
            check_changes(seed, rows, classes, &[3, 2, 7]);
        }
    }

    #[test]
    fn changes_equal_evaluations_for_packed_and_wide_codes() {
        for classes in [2, 3] {
            check_changes(1, 70_001, classes, &[2, 4, 16, 17, 300]);
        }
    }

    #[test]
    fn gradients_equal_finite_differences() {
        for classes in [2, 3, 33] {
            let (target, candidates) = random(5, 1500, classes, &[3, 5, 300]);
            let mut state = RowState::new(&candidates, &target, Likelihood::Plain);
            let mut weights = vec![0.0; 3];
            let step = 1e-5;
            for (candidate, weight) in [(0, 0.5), (2, 0.25), (1, 0.75)] {
                let gradients = state.gradients(&[0, 1, 2]);
                for (k, gradient) in gradients.into_iter().enumerate() {
                    let cost = |by: f64| {
                        let mut moved = weights.clone();
                        moved[k] += by;
                        data_cost(&candidates, &target, Likelihood::Plain, &moved)
                    };
                    // Weights are not negative: one-sided, of second order.
                    let slope =
                        (4.0 * cost(step) - 3.0 * cost(0.0) - cost(2.0 * step)) / (2.0 * step);
                    let error = (gradient - slope).abs();
                    assert!(
                        error < 1e-4 * gradient.abs().max(1.0),
                        "{gradient}, not {slope}"
                    );
                }
                let change = Change {
                    candidate,
                    by: weight,
                };
                let cost = state.costs_after(&[change])[0];
                state.apply(0, cost);
                weights[candidate] = weight;
            }
        }
    }
}
