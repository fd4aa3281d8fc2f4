//! The state of every row under the current weights, and what changing one weight would do to it.
//!
//! Learners see [`RowState`] only. It holds posteriors, not scores: a change of one weight
//! multiplies them by a small table (docs/method.md §7.7), and a fresh start from the weights
//! removes what little rounding has accumulated.

use super::Candidate;
use super::many_classes::ManyClasses;
use super::two_classes::TwoClasses;
use crate::columns::Target;
use crate::prepare::PartCodes;
use rayon::prelude::*;
use std::ops::Range;

/// Which negative log-likelihood of the classes is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Likelihood {
    /// That of the model.
    Plain,
    /// That of Khiops: half a row is shared by all classes (docs/method.md §7.1).
    Smoothed,
}

/// Part codes of some rows.
#[derive(Debug, Clone, Copy)]
pub(super) enum Codes<'a> {
    Narrow(&'a [u8]),
    Wide(&'a [u32]),
}

impl<'a> Codes<'a> {
    pub(super) fn new(codes: &'a PartCodes, rows: Range<usize>) -> Self {
        match codes {
            PartCodes::Narrow(codes) => Self::Narrow(&codes[rows]),
            PartCodes::Wide(codes) => Self::Wide(&codes[rows]),
        }
    }
}

/// Numbers of one block of work, about 50 µs: enough to be worth a thread.
const BLOCK_NUMBERS: usize = 1 << 16;

/// Rows of a block when a row is `width` numbers. It depends on nothing else, so that sums over
/// blocks, taken in order, are the same for any number of threads.
pub(super) fn block_rows(width: usize) -> usize {
    (BLOCK_NUMBERS / width).next_power_of_two().max(512)
}

/// Sums of a function over blocks, in the order of the blocks whoever computes them.
pub(super) fn sum_blocks<B: Sync>(
    blocks: &[B],
    sums: impl Fn(&B) -> [f64; 2] + Sync + Send,
) -> [f64; 2] {
    let add = |a: [f64; 2], b: [f64; 2]| [a[0] + b[0], a[1] + b[1]];
    if blocks.len() > 1 && rayon::current_num_threads() > 1 {
        let partial: Vec<[f64; 2]> = blocks.par_iter().map(sums).collect();
        partial.into_iter().fold([0.0; 2], add)
    } else {
        blocks.iter().map(sums).fold([0.0; 2], add)
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

    /// The negative log-likelihood if the weight of one candidate changed by `change`.
    pub(super) fn cost_after(&self, candidate: usize, change: f64) -> f64 {
        match self {
            Self::Two(rows) => rows.cost_after(candidate, change),
            Self::Many(rows) => rows.cost_after(candidate, change),
        }
    }

    /// Changes the weight of one candidate; `cost` is what [`cost_after`](Self::cost_after) said.
    pub(super) fn apply(&mut self, candidate: usize, change: f64, cost: f64) {
        match self {
            Self::Two(rows) => rows.apply(candidate, change, cost),
            Self::Many(rows) => rows.apply(candidate, change, cost),
        }
    }

    /// Derivatives of the plain negative log-likelihood with respect to the weights of some
    /// candidates.
    pub(super) fn gradients(&self, candidates: &[usize]) -> Vec<f64> {
        match self {
            Self::Two(rows) => rows.gradients(candidates),
            Self::Many(rows) => rows.gradients(candidates),
        }
    }
}
