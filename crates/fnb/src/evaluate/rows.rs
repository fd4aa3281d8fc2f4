//! The rows that are evaluated: probabilities, actual classes, weights.

use super::BLOCK_ROWS;
use crate::columns::RowWeights;
use crate::columns::places::AllRows;
use crate::columns::row_weights::{ONE, whole_rows};
use crate::math::order_free_sum::OrderFreeSum;
use rayon::prelude::*;

/// How often rows count, in units. Sums of units are integers: every measure is a quotient of two of
/// them, so that integer weights give the bits of repeated rows.
pub(super) trait Units: Copy + Sync {
    /// What a row that counts once counts.
    const ONE: u64;

    /// What a row counts.
    fn of(self, row: usize) -> u64;

    /// A sum of units in whole rows.
    fn whole_rows(units: u64) -> u64;
}

/// Every row counts once.
#[derive(Clone, Copy)]
pub(super) struct Once;

impl Units for Once {
    const ONE: u64 = 1;

    #[inline]
    fn of(self, _row: usize) -> u64 {
        1
    }

    fn whole_rows(units: u64) -> u64 {
        units
    }
}

impl Units for &RowWeights {
    const ONE: u64 = ONE;

    #[inline]
    fn of(self, row: usize) -> u64 {
        self.units()[row]
    }

    fn whole_rows(units: u64) -> u64 {
        whole_rows(units)
    }
}

/// Rows to evaluate.
#[derive(Clone)]
pub(super) struct Rows<'a, U> {
    /// By row, then class.
    pub(super) probabilities: &'a [f64],
    /// Number of classes of the model.
    pub(super) classes: usize,
    pub(super) actual: &'a [u32],
    pub(super) units: U,
    /// The rows may be some of those that are evaluated.
    pub(super) all: AllRows,
}

impl<'a> Rows<'a, Once> {
    /// Rows that count once each.
    pub(super) fn new(probabilities: &'a [f64], classes: usize, actual: &'a [u32]) -> Self {
        Self {
            probabilities,
            classes,
            actual,
            units: Once,
            all: AllRows::default(),
        }
    }
}

impl<'a, U: Units> Rows<'a, U> {
    /// The same rows, counted otherwise.
    pub(super) fn counted<V: Units>(self, units: V) -> Rows<'a, V> {
        Rows {
            probabilities: self.probabilities,
            classes: self.classes,
            actual: self.actual,
            units,
            all: self.all,
        }
    }
}

impl<U: Units> Rows<'_, U> {
    /// The units of all rows.
    pub(super) fn total(&self) -> u64 {
        let units = (0..self.actual.len()).map(|row| self.units.of(row));
        self.all.sum(|| vec![units.sum::<u64>()])[0]
    }

    /// The units of each class: the model's classes first, then those unseen in training.
    pub(super) fn class_units(&self) -> Vec<u64> {
        self.all.sum(|| {
            let mut units = vec![0_u64; self.classes];
            for (row, &class) in self.actual.iter().enumerate() {
                let class = class as usize;
                if class >= units.len() {
                    units.resize(class + 1, 0);
                }
                units[class] += self.units.of(row);
            }
            units
        })
    }

    /// Mean over the rows of a value of each row: the same bits for any number of threads and any
    /// order of the rows.
    pub(super) fn mean(&self, value: impl Fn(&[f64], u32) -> f64 + Sync) -> f64 {
        let sums = || {
            self.probabilities
                .par_chunks(BLOCK_ROWS * self.classes)
                .zip(self.actual.par_chunks(BLOCK_ROWS))
                .enumerate()
                .map(|(block, (probabilities, actual))| {
                    let mut sum = OrderFreeSum::default();
                    let rows = probabilities.chunks_exact(self.classes).zip(actual);
                    for (i, (row, &class)) in rows.enumerate() {
                        let units = self.units.of(block * BLOCK_ROWS + i);
                        sum.add_times(value(row, class), units);
                    }
                    sum
                })
                .collect::<Vec<OrderFreeSum>>()
        };
        let total = self
            .all
            .sum(|| vec![sums().into_iter().sum::<OrderFreeSum>()]);
        total[0].total() / self.total() as f64
    }
}
