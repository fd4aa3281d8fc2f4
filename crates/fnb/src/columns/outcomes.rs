//! What is predicted, as the preparation and the weights see it: numbers, no names.

use super::RowWeights;
use super::places::{AllRows, WholeTable};
use super::row_weights::{ONE, in_rows};

/// The outcome of every row, how many rows have each, and what the rows count. A class is an
/// outcome; names are known to the [`Target`](super::Target) and the model only.
///
/// ```
/// use fnb::columns::Outcomes;
/// let outcomes = Outcomes::new(&[1, 0, 1], vec![1, 2], None);
/// assert_eq!((outcomes.rows(), outcomes.len(), outcomes.total()), (3, 2, 3));
/// assert_eq!(outcomes.log_prior()[1], (2.0_f64 / 3.0).ln());
/// ```
#[derive(Debug, Clone)]
pub struct Outcomes<'a> {
    codes: &'a [u32],
    counts: Vec<u64>,
    weights: Option<&'a RowWeights>,
    whole: Option<&'a WholeTable>,
}

impl<'a> Outcomes<'a> {
    /// The outcome of every row, the number of rows of each outcome, and the weights of the rows if
    /// they are not all 1.
    pub fn new(codes: &'a [u32], counts: Vec<u64>, weights: Option<&'a RowWeights>) -> Self {
        Self {
            codes,
            counts,
            weights,
            whole: None,
        }
    }

    /// The same as a part of a table whose other rows are elsewhere.
    pub(crate) fn of_table(self, whole: Option<&'a WholeTable>) -> Self {
        Self { whole, ..self }
    }

    /// Sums over all rows of the table.
    pub(crate) fn all(&self) -> AllRows {
        AllRows::of(self.whole)
    }

    /// The outcome of every row.
    pub fn codes(&self) -> &'a [u32] {
        self.codes
    }

    /// Number of rows of each outcome, each row as often as its weight says, to whole rows.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// The weights of the rows, if they are not all 1.
    pub fn weights(&self) -> Option<&'a RowWeights> {
        self.weights
    }

    /// The weight of a row in units, which is [`ONE`] if rows have no weights.
    pub(crate) fn units_of(&self, row: usize) -> u64 {
        self.weights.map_or(ONE, |weights| weights.units()[row])
    }

    /// Number of rows that are here, whatever their weights.
    pub fn rows(&self) -> usize {
        self.codes.len()
    }

    /// Number of rows of the table, wherever they are.
    pub(crate) fn rows_of_table(&self) -> usize {
        self.whole.map_or(self.rows(), |whole| whole.rows)
    }

    /// The largest weight of a row of the table, and at least 1.
    pub(crate) fn largest_weight(&self) -> f64 {
        if let Some(whole) = self.whole {
            return whole.largest_weight.unwrap_or(1.0).max(1.0);
        }
        let weights = self.weights.into_iter().flat_map(RowWeights::units);
        in_rows(weights.copied().max().unwrap_or(0)).max(1.0)
    }

    /// J, the number of outcomes.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// True without any outcome.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// N, the number of rows of all outcomes: that of the table if there are no weights.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The sum of the weights of the rows of each outcome, not rounded.
    pub fn sums(&self) -> Vec<f64> {
        if let Some(whole) = self.whole {
            return whole.sums.clone();
        }
        let sums = sums_of_units(self.codes, self.weights, self.len()).into_iter();
        match self.weights {
            Some(_) => sums.map(in_rows).collect(),
            None => sums.map(|rows| rows as f64).collect(),
        }
    }

    /// `ln p(outcome)`.
    pub fn log_prior(&self) -> Vec<f64> {
        let total = self.total() as f64;
        let counts = self.counts.iter();
        counts.map(|&n| (n as f64 / total).ln()).collect()
    }

    /// What the smoothed likelihood adds to the expected rows of each outcome: half a row, shared by
    /// all (docs/method.md §7.1).
    pub fn pseudo_count(&self) -> f64 {
        0.5 / self.len() as f64
    }
}

/// The sum of the weights of each outcome: in units if there are weights, else in rows.
pub(super) fn sums_of_units(
    codes: &[u32],
    weights: Option<&RowWeights>,
    outcomes: usize,
) -> Vec<u64> {
    let mut sums = vec![0; outcomes];
    match weights {
        Some(weights) => {
            for (&code, &units) in codes.iter().zip(weights.units()) {
                sums[code as usize] += units;
            }
        }
        None => {
            for &code in codes {
                sums[code as usize] += 1;
            }
        }
    }
    sums
}
