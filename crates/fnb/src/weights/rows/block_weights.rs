//! How often the rows of a block count.

use super::aligned::Aligned;
use super::kernels::{self, LogProduct};
use super::weighted_kernels;
use crate::columns::RowWeights;
use std::ops::Range;

/// Weights of the rows of a block. Equal ones are a factor of its sums: without weights, and with
/// those of two classes, the loops over rows are the same.
#[derive(Debug)]
pub(crate) enum BlockWeights {
    Same(f64),
    Each(Aligned),
}

impl BlockWeights {
    /// The weights of some rows, by position in the table.
    pub(crate) fn new(
        weights: Option<&RowWeights>,
        rows: impl ExactSizeIterator<Item = usize> + Clone,
    ) -> Self {
        let Some(weights) = weights else {
            return Self::Same(1.0);
        };
        let first = rows.clone().next().map_or(1.0, |row| weights.get(row));
        if rows.clone().all(|row| weights.get(row) == first) {
            return Self::Same(first);
        }
        let mut each = Aligned::new(rows.len(), 0.0);
        for (weight, row) in each.iter_mut().zip(rows) {
            *weight = weights.get(row);
        }
        Self::Each(each)
    }

    /// The weights of some rows of the block, if they differ.
    pub(crate) fn each(&self, rows: Range<usize>) -> Option<&[f64]> {
        match self {
            Self::Same(_) => None,
            Self::Each(weights) => Some(&weights[rows]),
        }
    }

    /// What sums over the block are multiplied by.
    pub(crate) fn factor(&self) -> f64 {
        match self {
            Self::Same(weight) => *weight,
            Self::Each(_) => 1.0,
        }
    }
}

/// The sum of many logarithms: that of a product, or one by one if they have weights.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LogSum {
    product: LogProduct,
    sum: f64,
}

impl LogSum {
    pub(crate) fn new() -> Self {
        Self {
            product: LogProduct::new(),
            sum: 0.0,
        }
    }

    /// Adds the logarithms of at most [`kernels::CHUNK`] values.
    pub(crate) fn add(&mut self, values: &[f64], weights: Option<&[f64]>) {
        match weights {
            None => kernels::multiply(values, &mut self.product),
            Some(weights) => self.sum += weighted_kernels::weighted_logs(values, weights),
        }
    }

    pub(crate) fn total(&self) -> f64 {
        self.product.ln() + self.sum
    }
}
