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

    /// Makes a change; `cost` is what [`costs_after`](Self::costs_after) said of it. The rows are
    /// changed at their next use, while they are in the cache for it.
    pub(super) fn apply(&mut self, change: Change, cost: f64) {
        match self {
            Self::Two(rows) => rows.apply(change, cost),
            Self::Many(rows) => rows.apply(change, cost),
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
