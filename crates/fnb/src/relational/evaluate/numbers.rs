//! Numbers to aggregate. Decimals are integers of their last digit: their sums are exact, so that
//! neither the order of records nor the number of threads shows.

use super::statistics::Buffers;
use crate::math::decimal::{
    over_power, power_of_ten, reference_double, round_as_reference, round_to_10_digits, ten_digits,
};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How sums are taken and numbers are rounded.
///
/// ```
/// // Ten times 0.1 is 1, and three times the same number has no spread: with exact sums, always.
/// assert_eq!(fnb::relational::Arithmetic::default(), fnb::relational::Arithmetic::Exact);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Arithmetic {
    /// Sums of decimals are exact: the same for records in any order.
    #[default]
    Exact,
    /// Doubles added in the order of the records and rounded as Khiops does: standard deviations of
    /// numbers that are large and close to each other show its rounding errors, and a tenth digit
    /// that is followed by a 5 goes either way.
    Reference,
}

/// Larger numbers would be rounded to infinity.
pub(super) const LARGEST: f64 = 1.797_693_134e308;

impl Arithmetic {
    /// A computed number with 10 digits.
    #[inline]
    pub(in crate::relational) fn round(self, value: f64) -> f64 {
        match self {
            Self::Exact => round_to_10_digits(value.clamp(-LARGEST, LARGEST)),
            Self::Reference => round_as_reference(value),
        }
    }
}

/// A column of numbers to aggregate.
#[derive(Debug)]
pub(super) enum Numbers {
    /// Most numbers: half the bytes to move.
    Short(Decimals<u32>),
    Long(Decimals<u64>),
    /// Numbers that are too far apart for one unit, or to be added in order.
    Doubles {
        values: Vec<f64>,
        arithmetic: Arithmetic,
    },
}

/// Value = (base + units) / 10^digits.
#[derive(Debug)]
pub(super) struct Decimals<U> {
    /// Of a missing value: [`Unit::MISSING`].
    pub(super) units: Vec<U>,
    unit: CommonUnit,
    pub(super) has_missing: bool,
}

/// An integer that counts units.
pub(super) trait Unit: Copy + Ord + Send + Into<u64> {
    /// The units of a missing value.
    const MISSING: Self;

    fn new(units: u64) -> Self;
    /// Room for some of them.
    fn buffer(buffers: &mut Buffers) -> &mut Vec<Self>;
}

impl Unit for u32 {
    const MISSING: Self = Self::MAX;

    fn new(units: u64) -> Self {
        units as Self
    }

    fn buffer(buffers: &mut Buffers) -> &mut Vec<Self> {
        &mut buffers.short
    }
}

impl Unit for u64 {
    const MISSING: Self = Self::MAX;

    fn new(units: u64) -> Self {
        units
    }

    fn buffer(buffers: &mut Buffers) -> &mut Vec<Self> {
        &mut buffers.long
    }
}

/// What all numbers of a column are integers of, and how far these go.
#[derive(Debug, Clone, Copy)]
struct CommonUnit {
    base: i64,
    /// After the decimal point.
    digits: i32,
    /// The largest number of units.
    range: u64,
}

impl Numbers {
    pub(super) fn new(values: &[f64], arithmetic: Arithmetic) -> Self {
        match arithmetic {
            Arithmetic::Exact => match CommonUnit::of(values) {
                Some((unit, has_missing)) if unit.range < u64::from(u32::MAX) => {
                    Self::Short(Decimals::new(values, unit, has_missing))
                }
                Some((unit, has_missing)) => Self::Long(Decimals::new(values, unit, has_missing)),
                None => Self::Doubles {
                    values: values.to_vec(),
                    arithmetic,
                },
            },
            Arithmetic::Reference => Self::Doubles {
                values: values
                    .iter()
                    .map(|&value| reference_double(value))
                    .collect(),
                arithmetic,
            },
        }
    }
}

/// Numbers that are looked at by one thread: enough to be worth it.
const CHUNK: usize = 1 << 16;

/// How far integers go.
#[derive(Debug, Clone, Copy)]
struct Range {
    least: i64,
    largest: i64,
    has_missing: bool,
}

impl Range {
    const NOTHING: Self = Self {
        least: i64::MAX,
        largest: i64::MIN,
        has_missing: false,
    };

    fn and(self, other: Self) -> Self {
        Self {
            least: self.least.min(other.least),
            largest: self.largest.max(other.largest),
            has_missing: self.has_missing || other.has_missing,
        }
    }
}

impl CommonUnit {
    /// The unit of numbers, and whether some are missing. None if no unit fits all of them.
    fn of(values: &[f64]) -> Option<(Self, bool)> {
        let mut digits = 0;
        // A number of more digits starts it again: most columns show theirs in the first rows.
        loop {
            match Self::of_digits(values, digits) {
                Ok(found) => return Some(found),
                Err(more) => digits = more?,
            }
        }
    }

    /// The same if numbers have no more than so many digits after the decimal point; otherwise how
    /// many the first one has that has more, if these are not too many.
    fn of_digits(values: &[f64], digits: i32) -> Result<(Self, bool), Option<i32>> {
        let power = power_of_ten(digits);
        let range = |values: &[f64]| -> Result<Range, Option<i32>> {
            let mut range = Range::NOTHING;
            for &value in values {
                if value.is_nan() {
                    range.has_missing = true;
                    continue;
                }
                let integer = integer(value, power, digits)?;
                range.least = range.least.min(integer);
                range.largest = range.largest.max(integer);
            }
            Ok(range)
        };
        // Whichever chunk fails first, in the end there are the digits that all numbers need.
        let ranges: Vec<Range> = (values.par_chunks(CHUNK).map(range)).collect::<Result<_, _>>()?;
        let Range {
            least,
            largest,
            has_missing,
        } = ranges.into_iter().fold(Range::NOTHING, Range::and);
        let base = if least > largest { 0 } else { least };
        let unit = Self {
            base,
            digits,
            range: largest.max(base).abs_diff(base),
        };
        Ok((unit, has_missing))
    }
}

/// A number as an integer of a digit.
#[inline]
fn integer(value: f64, power: f64, digits: i32) -> Result<i64, Option<i32>> {
    over_power(value, power).map_or_else(|| integer_of_digits(value, digits), Ok)
}

impl<U: Unit> Decimals<U> {
    fn new(values: &[f64], unit: CommonUnit, has_missing: bool) -> Self {
        let CommonUnit { base, digits, .. } = unit;
        let power = power_of_ten(digits);
        let units = values.par_iter().with_min_len(CHUNK).map(|&value| {
            if value.is_nan() {
                return U::MISSING;
            }
            let integer = integer(value, power, digits);
            U::new(integer.expect("the unit fits all numbers").abs_diff(base))
        });
        Self {
            units: units.collect(),
            unit,
            has_missing,
        }
    }

    /// The value of a sum of units of `values` numbers, divided.
    #[inline]
    pub(super) fn value(&self, units: u128, values: usize, divisor: usize) -> f64 {
        let total = units as i128 + i128::from(self.unit.base) * values as i128;
        let double = i64::try_from(total).map_or_else(|_| wide(total), |total| total as f64);
        let unit = power_of_ten(self.unit.digits);
        if divisor == 1 && double.abs() < 1e10 {
            // Not more than 10 digits: nothing to round.
            return double / unit;
        }
        round_to_10_digits(double / divisor as f64 / unit)
    }

    /// The standard deviation of `n` values from the sums of their units and squared units:
    /// `sqrt(n·Σu² - (Σu)²) / n`, the difference being exact.
    pub(super) fn deviation(&self, n: usize, sum: u128, squares: u128) -> f64 {
        let (high, low) = widening_product(n as u128, squares);
        let (less_high, less_low) = widening_product(sum, sum);
        let (low, borrow) = low.overflowing_sub(less_low);
        let high = high - less_high - u128::from(borrow);
        let difference = match (high, i64::try_from(low)) {
            (0, Ok(low)) => low as f64,
            _ => very_wide(high, low),
        };
        round_to_10_digits(difference.sqrt() / n as f64 / power_of_ten(self.unit.digits))
    }

    /// Can the squares of so many values be added?
    pub(super) fn squares_fit(&self, values: usize) -> bool {
        let square = u128::from(self.unit.range) * u128::from(self.unit.range);
        square.checked_mul(values as u128).is_some()
    }

    /// Do the sum of so many values, and that of their squares, fit 64 bits? Nearly always.
    #[inline]
    pub(super) fn sums_are_short(&self, values: usize) -> bool {
        self.unit.range < 1 << 20 && values < 1 << 24
    }
}

/// Conversions of 128 bits are slow and rarely needed; where they are part of the code, they are made
/// of all numbers.
#[cold]
#[inline(never)]
fn wide(integer: i128) -> f64 {
    integer as f64
}

/// The same for 256 bits.
#[cold]
#[inline(never)]
fn very_wide(high: u128, low: u128) -> f64 {
    high as f64 * 2_f64.powi(128) + low as f64
}

/// A number as an integer of its `digits`-th digit after the decimal point; otherwise how many digits
/// it has, if these are not too many.
#[cold]
fn integer_of_digits(value: f64, digits: i32) -> Result<i64, Option<i32>> {
    const LIMIT: f64 = (1_u64 << 62) as f64;
    let (mantissa, shift) = ten_digits(value).ok_or(None)?;
    let mut needed = digits;
    // A mantissa of 11 digits cannot end with more zeros.
    while shift > needed
        && (shift - needed > 11 || mantissa % 10_i64.pow((shift - needed) as u32) != 0)
    {
        needed += 1;
    }
    if needed > 18 || value.abs() * power_of_ten(needed) >= LIMIT {
        Err(None)
    } else if needed > digits {
        Err(Some(needed))
    } else if digits >= shift {
        Ok(mantissa * 10_i64.pow((digits - shift) as u32))
    } else {
        Ok(mantissa / 10_i64.pow((shift - digits) as u32))
    }
}

/// The product of two numbers as its high and low half.
fn widening_product(a: u128, b: u128) -> (u128, u128) {
    const HALF: u128 = u64::MAX as u128;
    let (a1, a0, b1, b0) = (a >> 64, a & HALF, b >> 64, b & HALF);
    let middle = a1 * b0 + ((a0 * b0) >> 64);
    let (middle, carry) = middle.overflowing_add(a0 * b1);
    let high = a1 * b1 + (middle >> 64) + (u128::from(carry) << 64);
    (high, a.wrapping_mul(b))
}

/// Sum, or sum of values divided by their number, of doubles in their order.
pub(super) fn sum(values: &[f64]) -> f64 {
    values.iter().sum()
}

/// Standard deviation of the population as the reference computes it.
pub(super) fn reference_deviation(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let (mut sum, mut squares) = (0.0, 0.0);
    for &value in values {
        sum += value;
        squares += value * value;
    }
    ((squares - sum * sum / n).abs() / n).sqrt()
}

/// Standard deviation of the population of sorted values, from the distances to their mean; distances
/// to the least value come first, so that equal values have none.
pub(super) fn deviation(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let least = values[0];
    let range = values[values.len() - 1] - least;
    if range == 0.0 {
        return 0.0;
    }
    // As parts of the range: squares of numbers are larger than the largest double before these are.
    let distances = values.iter().map(|value| (value - least) / range);
    let mean = distances.clone().sum::<f64>() / n;
    let squares: f64 = distances.map(|d| (d - mean) * (d - mean)).sum();
    range * (squares / n).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn decimals_that_cancel_give_zero() {
        let Numbers::Short(column) = Numbers::new(&[-0.1, -0.2, 0.3], Arithmetic::Exact) else {
            panic!("short decimals have a common unit");
        };
        let units: u128 = column.units.iter().map(|&units| u128::from(units)).sum();
        assert_eq!(column.value(units, 3, 1), 0.0);
    }

    #[test]
    fn numbers_far_apart_stay_doubles() {
        for values in [
            [1e-9, 1e12],
            [1e-300, 1.0],
            [1e300, 1.0],
            [f64::INFINITY, 1.0],
        ] {
            assert!(matches!(
                Numbers::new(&values, Arithmetic::Exact),
                Numbers::Doubles {
                    arithmetic: Arithmetic::Exact,
                    ..
                }
            ));
        }
    }

    proptest! {
        #[test]
        fn units_give_the_numbers_back(mantissas in prop::collection::vec(-9_999_999_999_i64..=9_999_999_999, 1..20), exponent in -12..8) {
            let number = |m: &i64| format!("{m}e{exponent}").parse().expect("number");
            let values: Vec<f64> = mantissas.iter().map(number).collect();
            let found: Vec<f64> = match Numbers::new(&values, Arithmetic::Exact) {
                Numbers::Short(column) => {
                    column.units.iter().map(|&units| column.value(units.into(), 1, 1)).collect()
                }
                Numbers::Long(column) => {
                    column.units.iter().map(|&units| column.value(units.into(), 1, 1)).collect()
                }
                Numbers::Doubles { .. } => panic!("one unit fits all"),
            };
            prop_assert_eq!(found, values);
        }

        #[test]
        fn products_of_any_size(a: u128, b: u128) {
            let (high, low) = widening_product(a, b);
            // Modulo a prime below 2^64, by repeated doubling.
            let p = 0xffff_ffff_ffff_ffc5_u128;
            let times = |x: u128, y: u128| (0..128).rev().fold(0, |sum: u128, bit| {
                (2 * sum + (y >> bit & 1) * x) % p
            });
            let (a, b, two_to_128) = (a % p, b % p, times(times(1 << 63, 2) % p, times(1 << 63, 2) % p));
            prop_assert_eq!((times(high % p, two_to_128) + low % p) % p, times(a, b % p));
        }
    }
}
