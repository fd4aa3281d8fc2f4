//! The state of every row under the current weights, and what changing one weight would do to it.
//!
//! Learners see [`RowState`] only. It holds posteriors, not scores: a change of one weight
//! multiplies them by a small table (docs/method.md §7.7), and a fresh start from the weights, now
//! and then, removes what little rounding has accumulated.
//!
//! What is known of a row depends on that row alone, and sums over rows are exact (docs/method.md
//! §7.7): the same bits come out for any order of the rows, any blocks and any number of threads.

mod aligned;
mod beyond;
mod block_weights;
mod kernels;
mod likelihood;
mod look_up;
mod many_classes;
mod packed_codes;
#[cfg(test)]
pub(crate) mod tests;
mod tiles;
mod two_classes;

pub(crate) use likelihood::data_cost;

use crate::columns::Outcomes;
use crate::math::order_free_sum::OrderFreeSum;
use crate::math::quantum::Quantum;
use crate::terms::PartCodes;
use crate::weights::Candidate;
use aligned::Aligned;
use block_weights::in_rows;
use many_classes::ManyClasses;
use rayon::prelude::*;
use two_classes::TwoClasses;

/// Which negative log-likelihood of the classes is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Likelihood {
    /// That of the model.
    Plain,
    /// That of Khiops: half a row is shared by all classes (docs/method.md §7.1).
    Smoothed,
}

/// A change of the weight of one candidate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Change {
    pub(crate) candidate: usize,
    pub(crate) by: f64,
}

/// Numbers of one block of work, some tens of microseconds: enough to be worth a thread.
const BLOCK_NUMBERS: usize = 1 << 16;

/// Rows of a block when a row is `width` numbers.
fn block_rows(width: usize) -> usize {
    (BLOCK_NUMBERS / width).next_power_of_two().max(512)
}

/// The results of some work on every block, in the order of the blocks.
pub(crate) fn map_blocks<B: Send, T: Send>(
    blocks: &mut [B],
    work: impl Fn(&mut B) -> T + Sync + Send,
) -> Vec<T> {
    if blocks.len() > 1 && rayon::current_num_threads() > 1 {
        blocks.par_iter_mut().map(work).collect()
    } else {
        blocks.iter_mut().map(work).collect()
    }
}

/// Derivatives of the negative log-likelihood with respect to one weight.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Derivatives {
    pub(crate) gradient: f64,
    /// The second derivative.
    pub(crate) curvature: f64,
}

/// Sums of first and second derivatives over weighted rows, as multiples of the quanta of a variable.
pub(crate) type DerivativeSums = [i128; 2];

/// What first and second derivatives with respect to the weight of a variable are rounded to: means of
/// its scores and their variances.
fn quanta_of_derivatives(scores: &[f64]) -> [Quantum; 2] {
    let most = largest(scores);
    [most, most * most].map(Quantum::of_terms_up_to)
}

fn largest(scores: &[f64]) -> f64 {
    scores.iter().fold(0.0, |most, score| score.abs().max(most))
}

/// What the slopes of rows are rounded to along a direction: each variable adds at most its largest
/// score times the change of its weight.
pub(crate) fn quantum_of_slopes<'s>(
    scores: impl Iterator<Item = &'s [f64]>,
    changes: &[f64],
) -> Quantum {
    let most = scores.zip(changes).map(|(s, by)| largest(s) * by.abs());
    // Rounding may take a term a little beyond.
    Quantum::of_terms_up_to(1.001 * most.sum::<f64>())
}

/// Up to this number of candidates the threads share the rows, above it the candidates.
pub(crate) const FEW_CANDIDATES: usize = 8;
/// Candidates handled together, so that a block of rows stays in the cache.
const GROUP: usize = 8;
/// Tables of a pass over all selected variables that are in memory at a time.
pub(crate) const TABLES_AT_ONCE: usize = 64;

/// The sums of each candidate from those of each block.
pub(crate) fn sum_over_blocks(
    candidates: usize,
    partial: impl IntoIterator<Item = Vec<DerivativeSums>>,
) -> Vec<DerivativeSums> {
    let mut sums = vec![[0, 0]; candidates];
    for block in partial {
        for (sum, term) in sums.iter_mut().zip(block) {
            sum[0] += term[0];
            sum[1] += term[1];
        }
    }
    sums
}

/// Derivatives of each candidate from its sums over all rows, given its scores.
pub(crate) fn derivatives_of<'s>(
    sums: Vec<DerivativeSums>,
    scores: impl Iterator<Item = &'s [f64]>,
) -> Vec<Derivatives> {
    let total = |(sum, scores): (DerivativeSums, &[f64])| {
        let quanta = quanta_of_derivatives(scores);
        Derivatives {
            gradient: in_rows(quanta[0].times(sum[0])),
            curvature: in_rows(quanta[1].times(sum[1])),
        }
    };
    sums.into_iter().zip(scores).map(total).collect()
}

/// Sums of some numbers over blocks.
pub(crate) fn added(mut sums: Vec<i128>, partial: Vec<Vec<i128>>) -> Vec<i128> {
    for block in partial {
        for (sum, term) in sums.iter_mut().zip(block) {
            *sum += term;
        }
    }
    sums
}

/// Masses of cells and outcomes from those of each block.
pub(crate) fn masses_of_blocks(
    length: usize,
    partial: Vec<Vec<OrderFreeSum>>,
) -> Vec<OrderFreeSum> {
    let mut sums = vec![OrderFreeSum::default(); length];
    for block in partial {
        for (sum, term) in sums.iter_mut().zip(block) {
            sum.merge(term);
        }
    }
    sums
}

/// Sums over weighted rows, as numbers of rows.
pub(crate) fn in_rows_each(sums: Vec<OrderFreeSum>) -> Vec<f64> {
    sums.into_iter().map(|sum| in_rows(sum.total())).collect()
}

/// Sums of derivatives, groups of candidates in parallel; what a candidate needs for all blocks is made once.
pub(crate) fn sums_by_group<B: Sync, T>(
    candidates: &[usize],
    blocks: &[B],
    prepare: impl Fn(usize) -> T + Sync,
    derivatives: impl Fn(&B, &[T]) -> Vec<DerivativeSums> + Sync,
) -> Vec<DerivativeSums> {
    let group = |group: &[usize]| {
        let prepared: Vec<T> = group.iter().map(|&k| prepare(k)).collect();
        let partial = blocks.iter().map(|block| derivatives(block, &prepared));
        sum_over_blocks(prepared.len(), partial)
    };
    candidates.par_chunks(GROUP).flat_map_iter(group).collect()
}

/// The changes evaluated last, and the one of them that was made though the rows do not show it
/// yet: they are changed at their next use, while they are in the cache for it.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    evaluated: Vec<Change>,
    made: Option<usize>,
}

impl Pending {
    pub(crate) fn make(&mut self, position: usize) {
        self.made = Some(position);
    }

    /// Takes note of new evaluations; returns the change that is to be made before, and its
    /// position among the old ones.
    pub(crate) fn replace(&mut self, changes: &[Change]) -> Option<(usize, Change)> {
        let made = self.made.take().map(|i| (i, self.evaluated[i]));
        self.evaluated = changes.to_vec();
        made
    }

    pub(crate) fn forget(&mut self) {
        *self = Self::default();
    }
}

/// Log-scores of all rows, in the layout of the state they come from.
#[derive(Debug, Clone)]
pub(crate) struct Scores(Vec<Aligned>);

impl Scores {
    /// Makes a step in a direction.
    pub(crate) fn step(&mut self, direction: &Self, step: f64) {
        let mut rows: Vec<_> = self.0.iter_mut().zip(&direction.0).collect();
        map_blocks(&mut rows, |(scores, direction)| {
            kernels::add_scaled(scores, direction, step);
        });
    }
}

/// The rows under the current weights, wherever they are: what the state asks of them. Sums over rows
/// are all that leaves them.
pub(crate) trait Rows: std::fmt::Debug {
    /// The negative log-likelihood.
    fn cost(&self) -> f64;

    /// Log-scores of all rows, or, without the prior, how they change along a direction.
    fn scores(&self, weights: &[f64], prior: bool) -> Scores;

    /// Takes new log-scores.
    fn set_scores(&mut self, scores: Scores);

    /// Derivative of the plain negative log-likelihood with respect to the length of a step from
    /// `scores` in a direction, that of the given changes of weights.
    fn slope(&self, from: &Scores, along: &Scores, changes: &[f64], step: f64) -> f64;

    /// The negative log-likelihood after each of some changes, made alone.
    fn costs_after(&mut self, changes: &[Change]) -> Vec<f64>;

    /// Makes one of the changes evaluated last, given its position among them and its cost.
    fn apply(&mut self, position: usize, cost: f64);

    /// Derivatives of the plain negative log-likelihood with respect to the weights of some
    /// candidates.
    fn derivatives(&mut self, candidates: &[usize]) -> Vec<Derivatives>;

    /// The posterior of every outcome summed over the rows of every cell, cells one after the other:
    /// the rows that the model expects there. The derivative with respect to the weight of a
    /// candidate is `Σ (mass − count) · score` over its cells.
    fn masses(&mut self, codes: &PartCodes, cells: usize) -> Vec<f64>;
}

/// Rows of this process, and the work that was done on them.
#[derive(Debug)]
pub(crate) struct RowState<'a> {
    rows: Box<dyn Rows + 'a>,
    /// Passes of one variable over all rows, so far.
    pub(crate) passes: u64,
}

impl<'a> RowState<'a> {
    /// The rows when all weights are zero.
    pub(crate) fn new(
        candidates: &'a [Candidate<'a>],
        outcomes: &Outcomes<'a>,
        likelihood: Likelihood,
    ) -> Self {
        let width = if outcomes.len() == 2 {
            1
        } else {
            outcomes.len()
        };
        Self::in_blocks(candidates, outcomes, likelihood, block_rows(width))
    }

    /// The same in blocks of so many rows, a multiple of 8.
    fn in_blocks(
        candidates: &'a [Candidate<'a>],
        outcomes: &Outcomes<'a>,
        likelihood: Likelihood,
        block_rows: usize,
    ) -> Self {
        // One number per row is enough for two outcomes.
        let rows: Box<dyn Rows + 'a> = match outcomes.len() {
            2 => Box::new(TwoClasses::new(
                candidates, outcomes, likelihood, block_rows,
            )),
            _ => Box::new(ManyClasses::new(
                candidates, outcomes, likelihood, block_rows,
            )),
        };
        let mut state = Self { rows, passes: 0 };
        state.restart(&vec![0.0; candidates.len()]);
        state
    }

    /// Recomputes everything from the weights.
    pub(crate) fn restart(&mut self, weights: &[f64]) {
        let scores = self.scores(weights);
        self.set_scores(scores);
    }

    /// The log-scores of some weights.
    pub(crate) fn scores(&mut self, weights: &[f64]) -> Scores {
        self.linear_scores(weights, true)
    }

    /// How the log-scores change along a direction in the space of weights.
    pub(crate) fn direction(&mut self, changes: &[f64]) -> Scores {
        self.linear_scores(changes, false)
    }

    fn linear_scores(&mut self, weights: &[f64], prior: bool) -> Scores {
        self.passes += weights.iter().filter(|w| **w != 0.0).count() as u64;
        self.rows.scores(weights, prior)
    }

    pub(crate) fn set_scores(&mut self, scores: Scores) {
        self.rows.set_scores(scores);
    }

    /// See [`Rows::slope`].
    pub(crate) fn slope(&self, from: &Scores, along: &Scores, changes: &[f64], step: f64) -> f64 {
        self.rows.slope(from, along, changes, step)
    }

    /// See [`Rows::cost`].
    pub(crate) fn cost(&self) -> f64 {
        self.rows.cost()
    }

    /// See [`Rows::costs_after`].
    pub(crate) fn costs_after(&mut self, changes: &[Change]) -> Vec<f64> {
        self.passes += changes.len() as u64;
        self.rows.costs_after(changes)
    }

    /// See [`Rows::apply`].
    pub(crate) fn apply(&mut self, position: usize, cost: f64) {
        self.rows.apply(position, cost);
    }

    /// See [`Rows::masses`].
    pub(crate) fn masses(&mut self, codes: &PartCodes, cells: usize) -> Vec<f64> {
        self.passes += 1;
        self.rows.masses(codes, cells)
    }

    /// See [`Rows::derivatives`].
    pub(crate) fn derivatives(&mut self, candidates: &[usize]) -> Vec<Derivatives> {
        self.passes += candidates.len() as u64;
        self.rows.derivatives(candidates)
    }
}
