//! How many rows each row of a table stands for.

use crate::math::decimal::round_to_10_digits;
use crate::{Code, Error, Result};
use serde::{Deserialize, Serialize};

/// Weights are multiples of 2⁻³²: sums of them are exact, whatever the order of the rows.
const FRACTION_BITS: u32 = 32;
/// The weight 1 in these units.
pub(crate) const ONE: u64 = 1 << FRACTION_BITS;
/// The largest sum of weights: counts of rows are 32-bit integers.
pub const MAX_SUM_OF_WEIGHTS: u32 = u32::MAX;

/// Means this close to 1 are left alone: weights that were scaled and written down are not scaled again.
pub(super) const SCALED_ALREADY: f64 = 1e-9;

/// Integer weights are learnt from as repeated rows up to this many times the rows of the table...
const REPEATED_TIMES: u64 = 8;
/// ...and in any case up to this many rows. Beyond, weights are factors.
const REPEATED_ROWS: u64 = 1 << 17;

/// A weight per row: the number of rows that it stands for. Weights that are not all whole numbers say how
/// much rows count beside each other, and are scaled: in all, they count as many as there are
/// (docs/method.md §1.6).
///
/// ```
/// use fnb::columns::RowWeights;
/// let weights = RowWeights::new(&[2.0, 0.0, 1.0])?;
/// assert_eq!((weights.get(0), weights.sum()), (2.0, 3.0));
/// let shares = RowWeights::new(&[0.75, 0.0, 0.25])?;
/// assert_eq!((shares.get(0), shares.get(2), shares.sum()), (1.5, 0.5, 2.0));
/// let error = RowWeights::new(&[1.0, -1.0]).unwrap_err();
/// assert!(error.to_string().contains("row 2"));
/// # Ok::<(), fnb::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowWeights {
    /// Multiples of 1/[`ONE`].
    units: Vec<u64>,
    total: u64,
}

impl RowWeights {
    /// Checks the weights: numbers from 0 on, at least one above it. Like all numbers, they are
    /// taken to 10 significant digits.
    pub fn new(weights: &[f64]) -> Result<Self> {
        check_weights(weights)?;
        match mean_of_fractions(weights) {
            Some(mean) => Self::counted(weights.iter().map(|weight| weight / mean)),
            None => Self::counted(weights.iter().copied()),
        }
    }

    /// Numbers of rows, whole or not, as they are: those of a part of a table whose weights were scaled as a
    /// whole. None may be negative or missing.
    ///
    /// ```
    /// use fnb::columns::RowWeights;
    /// let part = RowWeights::counted([0.5, 1.25].into_iter())?;
    /// assert_eq!(part.sum(), 1.75);
    /// # Ok::<(), fnb::Error>(())
    /// ```
    pub fn counted(weights: impl Iterator<Item = f64>) -> Result<Self> {
        let units: Vec<u64> = weights.map(units_of).collect();
        let total = checked_total(units.iter().map(|&units| u128::from(units)))?;
        Ok(Self { units, total })
    }

    /// Weights of some rows of a table, as they are once scaled; they may add up to 0.
    pub(crate) fn of_part(weights: impl Iterator<Item = f64>) -> Self {
        Self::of_units(weights.map(units_of).collect())
    }

    /// The same, given in multiples of 1/[`ONE`].
    pub(crate) fn of_units(units: Vec<u64>) -> Self {
        let total = units.iter().sum();
        Self { units, total }
    }

    /// Number of rows of the table.
    pub fn len(&self) -> usize {
        self.units.len()
    }

    /// True without any row.
    pub fn is_empty(&self) -> bool {
        self.units.is_empty()
    }

    /// The weight of a row.
    pub fn get(&self, row: usize) -> f64 {
        in_rows(self.units[row])
    }

    /// The sum of the weights, to 10 significant digits.
    pub fn sum(&self) -> f64 {
        round_to_10_digits(in_rows(self.total))
    }

    /// The weights as multiples of 1/[`ONE`].
    pub(crate) fn units(&self) -> &[u64] {
        &self.units
    }

    /// Their sum.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// The weights of the given rows; their sum may be 0.
    pub(crate) fn take(&self, rows: &[usize]) -> Self {
        Self::of_units(rows.iter().map(|&row| self.units[row]).collect())
    }

    /// The products with other weights: integers times others are exact.
    pub(crate) fn times(&self, other: &Self) -> Result<Self> {
        let pairs = self.units.iter().zip(&other.units);
        let products = pairs.map(|(&a, &b)| product(a, b));
        let products: Vec<u128> = products.collect();
        let total = checked_total(products.iter().copied())?;
        // None is above the total.
        let units = products.into_iter().map(|units| units as u64).collect();
        Ok(Self { units, total })
    }

    /// Other weights, or weights of 1, where these are above 0, and 0 elsewhere; none if all are 1.
    pub(super) fn without_absent_rows(&self, others: Option<&Self>) -> Option<Self> {
        let other = |row: usize| others.map_or(ONE, |others| others.units[row]);
        let rows = self.units.iter().enumerate();
        let units = rows.map(|(row, &units)| if units > 0 { other(row) } else { 0 });
        let units: Vec<u64> = units.collect();
        let total = units.iter().sum();
        let weights = Self { units, total };
        (!weights.are_all_one()).then_some(weights)
    }

    /// Do all rows count once?
    pub(crate) fn are_all_one(&self) -> bool {
        self.units.iter().all(|&units| units == ONE)
    }

    /// The rows to learn from instead: each as many times as it counts, if weights are integers and
    /// these rows are not too many.
    pub(crate) fn repeated_rows(&self) -> Option<Vec<usize>> {
        let are_integers = self.units.iter().all(|units| units % ONE == 0);
        if !are_integers || !are_repeated(self.len() as u64, self.total) {
            return None;
        }
        Some(self.repeated())
    }

    /// Each row as many times as it counts.
    pub(crate) fn repeated(&self) -> Vec<usize> {
        let times = |&units: &u64| (units / ONE) as usize;
        let rows = self.units.iter().enumerate();
        rows.flat_map(|(row, units)| std::iter::repeat_n(row, times(units)))
            .collect()
    }

    /// The rows that count at all.
    pub(crate) fn present_rows(&self) -> Vec<usize> {
        let rows = self.units.iter().enumerate();
        rows.filter(|(_, units)| **units > 0)
            .map(|(row, _)| row)
            .collect()
    }
}

/// Are all of them numbers from 0 on?
pub(crate) fn check_weights(weights: &[f64]) -> Result<()> {
    for (row, &weight) in weights.iter().enumerate() {
        check(weight).map_err(|error| error.at(format!("row {}", row + 1)))?;
    }
    Ok(())
}

fn check(weight: f64) -> Result<()> {
    let problem = if weight.is_nan() {
        "the weight is missing or not a number".to_owned()
    } else if weight < 0.0 {
        format!("the weight {weight} is negative")
    } else if weight.is_infinite() {
        "the weight is infinite".to_owned()
    } else {
        return Ok(());
    };
    Err(Error::new(Code::UnusableData, problem)
        .help("a weight says how many rows a row stands for: 0 or more"))
}

/// The mean of the weights above 0, which fractions are divided by; none of whole numbers, and none of
/// weights that are scaled already.
fn mean_of_fractions(weights: &[f64]) -> Option<f64> {
    if weights.iter().all(|weight| weight.fract() == 0.0) {
        return None;
    }
    let mut sum = FractionSum::of_largest(weights.iter().copied().fold(0.0, f64::max));
    sum.add(weights);
    sum.mean()
}

/// The sum of weights of which the largest is known, as multiples of its 2⁶²nd part: the order of the rows
/// does not show in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct FractionSum {
    largest: f64,
    sum: u128,
    present: u64,
}

impl FractionSum {
    pub(crate) fn of_largest(largest: f64) -> Self {
        Self {
            largest,
            sum: 0,
            present: 0,
        }
    }

    pub(crate) fn add(&mut self, weights: &[f64]) {
        let parts = |&weight: &f64| (weight / self.largest * (1_u64 << 62) as f64) as u128;
        self.sum += weights.iter().map(parts).sum::<u128>();
        self.present += weights.iter().filter(|weight| **weight > 0.0).count() as u64;
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.sum += other.sum;
        self.present += other.present;
    }

    /// What the weights are to be divided by; `None` if they are scaled already.
    pub(crate) fn mean(&self) -> Option<f64> {
        let mean = self.sum as f64 / (1_u64 << 62) as f64 / self.present as f64 * self.largest;
        ((mean - 1.0).abs() > SCALED_ALREADY).then_some(mean)
    }
}

/// Numbers beyond all counts stay so: their sum is refused.
pub(crate) fn units_of(weight: f64) -> u64 {
    (round_to_10_digits(weight) * ONE as f64).round() as u64
}

/// Are so many rows repeated, as often as their weights say, which are integers of this sum?
pub(crate) fn are_repeated(rows: u64, total: u64) -> bool {
    total / ONE <= REPEATED_ROWS.max(REPEATED_TIMES * rows)
}

pub(crate) fn checked_total(units: impl Iterator<Item = u128>) -> Result<u64> {
    let total: u128 = units.fold(0, u128::saturating_add);
    if total > u128::from(MAX_SUM_OF_WEIGHTS) * u128::from(ONE) {
        return Err(too_large(total as f64 / ONE as f64).at("sum of the weights"));
    }
    if total == 0 {
        return Err(Error::new(Code::UnusableData, "all weights are 0")
            .help("a row of weight 0 is left out: give some rows a weight above 0"));
    }
    Ok(total as u64)
}

/// The product of two weights, in units.
pub(crate) fn product(a: u64, b: u64) -> u128 {
    (u128::from(a) * u128::from(b) + u128::from(ONE / 2)) >> FRACTION_BITS
}

fn too_large(weight: f64) -> Error {
    let message = format!("{weight:?} rows are more than {MAX_SUM_OF_WEIGHTS}");
    Error::new(Code::NumberOutOfRange, message).help("divide all weights by the same number")
}

/// Units as a number of rows.
pub(crate) fn in_rows(units: u64) -> f64 {
    units as f64 / ONE as f64
}

/// Units to the nearest number of whole rows, halves up.
pub(crate) fn whole_rows(units: u64) -> u64 {
    units / ONE + u64::from(units % ONE >= ONE / 2)
}

/// Whole rows of each class, value after value: the running sums are rounded, not each value, so
/// that they are never off by more than half a row (docs/method.md §1.6).
#[derive(Debug)]
pub(crate) struct RunningRows {
    units: Vec<u64>,
}

impl RunningRows {
    pub(crate) fn new(classes: usize) -> Self {
        Self {
            units: vec![0; classes],
        }
    }

    /// Adds weights to a class; returns the whole rows that this adds to it.
    pub(crate) fn add(&mut self, class: u32, units: u64) -> u32 {
        let sum = &mut self.units[class as usize];
        let before = whole_rows(*sum);
        *sum += units;
        (whole_rows(*sum) - before) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_checked() {
        let message = |weights: &[f64]| RowWeights::new(weights).expect_err("refused").to_string();
        assert!(message(&[1.0, f64::NAN]).contains("row 2: the weight is missing"));
        assert!(message(&[-0.5]).contains("row 1: the weight -0.5 is negative"));
        assert!(message(&[f64::INFINITY]).contains("row 1: the weight is infinite"));
        assert!(message(&[4e9, 4e9]).contains("sum of the weights: 8000000000.0 rows"));
        assert!(message(&[0.0, 0.0]).contains("all weights are 0"));
        assert!(message(&[]).contains("all weights are 0"));
        assert_eq!(RowWeights::new(&[4e9]).expect("weights").sum(), 4e9);
    }

    #[test]
    fn fractions_have_no_scale() {
        let weights = [0.1, 0.0, 2.5, 0.7];
        let scaled = RowWeights::new(&weights).expect("weights");
        assert!((scaled.sum() - 3.0).abs() < 1e-9, "{}", scaled.sum());
        for factor in [1e-300, 1e-9, 1.0 / 3.3, 7.7, 1e5 / 7.0] {
            let others = weights.map(|weight| weight * factor);
            assert_eq!(
                RowWeights::new(&others).expect("weights"),
                scaled,
                "{factor}"
            );
        }
        let again: Vec<f64> = (0..4).map(|row| scaled.get(row)).collect();
        assert_eq!(RowWeights::new(&again).expect("weights"), scaled);
        let smallest = RowWeights::new(&[5e-324, 5e-324]).expect("weights");
        assert!(smallest.are_all_one());
    }

    #[test]
    fn integers_are_repeated() {
        let rows = |weights: &[f64]| RowWeights::new(weights).expect("weights").repeated_rows();
        assert_eq!(rows(&[2.0, 0.0, 1.0]), Some(vec![0, 0, 2]));
        assert_eq!(rows(&[2.0, 0.5]), None);
        assert_eq!(rows(&[0.5, 0.5]), Some(vec![0, 1]));
        assert_eq!(rows(&[1e9]), None);
    }

    #[test]
    fn running_sums_are_rounded() {
        let mut rows = RunningRows::new(1);
        let third = units_of(1.0 / 3.0);
        let counts: Vec<u32> = (0..6).map(|_| rows.add(0, third)).collect();
        assert_eq!(counts, [0, 1, 0, 0, 1, 0]);
        assert_eq!(
            [0, ONE / 2 - 1, ONE / 2, 3 * ONE / 2].map(whole_rows),
            [0, 0, 1, 2]
        );
    }
}
