//! How often the rows of a block count, and the sums over them.

use super::kernels::{self, CHUNK};
use crate::columns::RowWeights;
use crate::columns::row_weights::ONE;
use crate::math::quantum::Quantum;
use std::ops::Range;

/// Weights of the rows of a block, in units of 1/[`ONE`]. Equal ones are a factor of its sums: without
/// weights, and with those of two classes, the loops over rows are the same.
#[derive(Debug)]
pub(crate) enum BlockWeights {
    Same(u64),
    Each(Vec<u64>),
}

impl BlockWeights {
    /// The weights of some rows, by position in the table.
    pub(crate) fn new(
        weights: Option<&RowWeights>,
        rows: impl ExactSizeIterator<Item = usize> + Clone,
    ) -> Self {
        let Some(weights) = weights else {
            return Self::Same(ONE);
        };
        let units = rows.map(|row| weights.units()[row]);
        let first = units.clone().next().unwrap_or(ONE);
        if units.clone().all(|units| units == first) {
            Self::Same(first)
        } else {
            Self::Each(units.collect())
        }
    }

    /// The weight of a row of the block.
    pub(crate) fn of(&self, row: usize) -> u64 {
        match self {
            Self::Same(units) => *units,
            Self::Each(units) => units[row],
        }
    }

    /// The sum of the terms of some rows of the block, each as often as its row counts.
    pub(crate) fn sum(&self, rows: Range<usize>, multiples: &[i64]) -> i128 {
        match self {
            Self::Same(units) => times(multiples.iter().sum(), *units),
            Self::Each(units) => weighted(multiples, &units[rows]),
        }
    }

    /// The same of the logarithms of at most [`CHUNK`] values, as multiples of a quantum.
    pub(crate) fn sum_of_logs(&self, rows: Range<usize>, values: &[f64], quantum: Quantum) -> i128 {
        match self {
            Self::Same(units) => times(kernels::sum_of_logs(values, quantum), *units),
            Self::Each(units) => {
                let mut multiples = [0; CHUNK];
                kernels::logs(values, quantum, &mut multiples);
                weighted(&multiples, &units[rows])
            }
        }
    }
}

/// A sum over rows that count equally.
pub(crate) fn times(multiples: i64, units: u64) -> i128 {
    i128::from(multiples) * i128::from(units)
}

/// The sum of the terms of rows that do not.
pub(crate) fn weighted(multiples: &[i64], units: &[u64]) -> i128 {
    let terms = multiples.iter().zip(units);
    terms
        .map(|(&multiple, &units)| times(multiple, units))
        .sum()
}

/// What a sum over weighted rows amounts to.
pub(crate) fn in_rows(sum: f64) -> f64 {
    sum / ONE as f64
}
