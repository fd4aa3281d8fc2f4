//! Aggregates over selected records, parent by parent: the inner loops of evaluation.

use super::numbers::{self, Arithmetic, Decimals, Numbers, Unit};
use crate::relational::rule::Rule;

/// Records of a block of parents, selected by conditions.
#[derive(Clone, Copy)]
pub(super) struct Selected<'a> {
    /// The selected records, counted from the first record of the block.
    pub(super) rows: &'a [u32],
    /// Where those of each parent end in `rows`.
    pub(super) ends: &'a [u32],
}

impl<'a> Selected<'a> {
    /// The selected records of each parent.
    fn parents(self) -> impl Iterator<Item = &'a [u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let ranges = starts.zip(self.ends);
        ranges.map(move |(start, &end)| &self.rows[start as usize..end as usize])
    }
}

/// Buffers that are kept from one use to the next.
#[derive(Default)]
pub(super) struct Buffers {
    pub(super) short: Vec<u32>,
    pub(super) long: Vec<u64>,
    doubles: Vec<f64>,
    counts: Vec<u32>,
}

/// The number of records of each parent.
pub(super) fn count(ends: &[u32], out: &mut [f64]) {
    let mut start = 0;
    for (out, &end) in out.iter_mut().zip(ends) {
        *out = f64::from(end - start);
        start = end;
    }
}

/// An aggregate of numbers; `start` is the first record of the block.
pub(super) fn of_numbers(
    rule: Rule,
    selected: Selected<'_>,
    column: &Numbers,
    start: usize,
    out: &mut [f64],
    buffers: &mut Buffers,
) {
    match column {
        Numbers::Short(column) => of_column(rule, selected, column, start, out, buffers),
        Numbers::Long(column) => of_column(rule, selected, column, start, out, buffers),
        Numbers::Doubles { values, arithmetic } => {
            let values = &values[start..];
            for (out, rows) in out.iter_mut().zip(selected.parents()) {
                let rows = rows.iter().map(|&row| values[row as usize]);
                buffers.doubles.clear();
                buffers.doubles.extend(rows.filter(|value| !value.is_nan()));
                *out = of_doubles(rule, &mut buffers.doubles, *arithmetic);
            }
        }
    }
}

fn of_column<U: Unit>(
    rule: Rule,
    selected: Selected<'_>,
    column: &Decimals<U>,
    start: usize,
    out: &mut [f64],
    buffers: &mut Buffers,
) {
    let units = &column.units[start..];
    for (out, rows) in out.iter_mut().zip(selected.parents()) {
        let units = rows.iter().map(|&row| units[row as usize]);
        *out = if column.has_missing {
            let units = units.filter(|&units| units != U::MISSING);
            of_decimals(rule, column, units, rows.len(), buffers)
        } else {
            of_decimals(rule, column, units, rows.len(), buffers)
        };
    }
}

/// An aggregate of decimals, `at_most` of them.
#[inline]
fn of_decimals<U: Unit>(
    rule: Rule,
    column: &Decimals<U>,
    units: impl Iterator<Item = U> + Clone,
    at_most: usize,
    buffers: &mut Buffers,
) -> f64 {
    match rule {
        Rule::TableSum | Rule::TableMean => {
            let (n, sum) = if column.sums_are_short(at_most) {
                let (mut n, mut sum) = (0, 0_u64);
                for units in units {
                    n += 1;
                    sum += units.into();
                }
                (n, u128::from(sum))
            } else {
                units.fold((0, 0), |(n, sum), units| (n + 1, sum + wide(units)))
            };
            let divisor = if rule == Rule::TableSum { 1 } else { n };
            if n == 0 {
                f64::NAN
            } else {
                column.value(sum, n, divisor)
            }
        }
        Rule::TableMin => units
            .min()
            .map_or(f64::NAN, |units| column.value(wide(units), 1, 1)),
        Rule::TableMax => units
            .max()
            .map_or(f64::NAN, |units| column.value(wide(units), 1, 1)),
        Rule::TableStdDev => {
            let (n, sum, squares) = if column.sums_are_short(at_most) {
                let (mut n, mut sum, mut squares) = (0, 0_u64, 0_u64);
                for units in units.clone() {
                    n += 1;
                    let units: u64 = units.into();
                    sum += units;
                    squares += units * units;
                }
                (n, u128::from(sum), u128::from(squares))
            } else {
                units.clone().fold((0, 0, 0), |(n, sum, squares), units| {
                    let units = wide(units);
                    // Too large only where the doubles below are used instead.
                    let squares = units.wrapping_mul(units).wrapping_add(squares);
                    (n + 1, sum + units, squares)
                })
            };
            if n == 0 {
                f64::NAN
            } else if column.squares_fit(n) {
                column.deviation(n, sum, squares)
            } else {
                buffers.doubles.clear();
                let values = units.map(|units| column.value(wide(units), 1, 1));
                buffers.doubles.extend(values);
                of_doubles(rule, &mut buffers.doubles, Arithmetic::Exact)
            }
        }
        Rule::TableMedian => {
            let values = U::buffer(buffers);
            values.clear();
            values.extend(units);
            let n = values.len();
            if n == 0 {
                return f64::NAN;
            }
            let (below, &mut middle, _) = values.select_nth_unstable(n / 2);
            if n % 2 == 1 {
                return column.value(wide(middle), 1, 1);
            }
            let below = below.iter().copied().max().unwrap_or(middle);
            column.value(wide(below) + wide(middle), 2, 2)
        }
        _ => unreachable!("{} does not aggregate numbers", rule.as_str()),
    }
}

/// Units to be added without overflow.
#[inline]
pub(super) fn wide(units: impl Unit) -> u128 {
    let units: u64 = units.into();
    units.into()
}

/// Doubles in the order of the records, or in the order of their values so that the order of the
/// records does not show.
pub(super) fn of_doubles(rule: Rule, values: &mut [f64], arithmetic: Arithmetic) -> f64 {
    let n = values.len();
    if n == 0 {
        return f64::NAN;
    }
    let in_order = arithmetic == Arithmetic::Reference;
    if !in_order || rule == Rule::TableMedian {
        values.sort_unstable_by(f64::total_cmp);
    }
    let value = match rule {
        Rule::TableSum => numbers::sum(values),
        Rule::TableMean => numbers::sum(values) / n as f64,
        Rule::TableMin => values.iter().copied().fold(f64::INFINITY, f64::min),
        Rule::TableMax => values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        Rule::TableStdDev if n == 1 => 0.0,
        Rule::TableStdDev if in_order => numbers::reference_deviation(values),
        Rule::TableStdDev => numbers::deviation(values),
        Rule::TableMedian if n % 2 == 1 => values[n / 2],
        Rule::TableMedian => f64::midpoint(values[n / 2 - 1], values[n / 2]),
        _ => unreachable!("{} does not aggregate numbers", rule.as_str()),
    };
    arithmetic.round(value)
}

/// The most frequent text of each parent, as its rank: the first of several; 0, the empty one,
/// without records.
pub(super) fn mode(
    selected: Selected<'_>,
    ranks: &[u32],
    distinct: usize,
    out: &mut [u32],
    buffers: &mut Buffers,
) {
    let counts = buffers.counts(distinct);
    for (out, rows) in out.iter_mut().zip(selected.parents()) {
        let (mut best, mut most) = (0, 0);
        for &row in rows {
            let rank = ranks[row as usize];
            let count = &mut counts[rank as usize];
            *count += 1;
            if *count > most || *count == most && rank < best {
                (best, most) = (rank, *count);
            }
        }
        for &row in rows {
            counts[ranks[row as usize] as usize] = 0;
        }
        *out = best;
    }
}

/// The number of distinct texts of each parent.
pub(super) fn count_distinct(
    selected: Selected<'_>,
    ranks: &[u32],
    distinct: usize,
    out: &mut [f64],
    buffers: &mut Buffers,
) {
    let counts = buffers.counts(distinct);
    for (out, rows) in out.iter_mut().zip(selected.parents()) {
        let mut found = 0_u32;
        for &row in rows {
            let count = &mut counts[ranks[row as usize] as usize];
            found += 1 - *count;
            *count = 1;
        }
        for &row in rows {
            counts[ranks[row as usize] as usize] = 0;
        }
        *out = f64::from(found);
    }
}

impl Buffers {
    /// A zero per text; it must be left so.
    pub(super) fn counts(&mut self, distinct: usize) -> &mut [u32] {
        if self.counts.len() < distinct {
            self.counts.resize(distinct, 0);
        }
        &mut self.counts[..distinct]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::decimal::round_to_10_digits;
    use proptest::prelude::*;

    /// An aggregate of all values of one parent.
    fn of_all(rule: Rule, values: &[f64]) -> f64 {
        let column = Numbers::new(values, Arithmetic::Exact);
        let rows: Vec<u32> = (0..values.len() as u32).collect();
        let selected = Selected {
            rows: &rows,
            ends: &[values.len() as u32],
        };
        let mut out = [0.0];
        of_numbers(
            rule,
            selected,
            &column,
            0,
            &mut out,
            &mut Buffers::default(),
        );
        out[0]
    }

    fn near(found: f64, expected: f64) -> bool {
        (found - expected).abs() <= 1.1e-9 * expected.abs()
    }

    #[test]
    fn equal_numbers_have_no_spread() {
        for value in [0.1, 2022.469698, -1e9 - 0.1, 123456.7891, 1e300, 1e-300] {
            let mut values = vec![value; 7];
            assert_eq!(of_all(Rule::TableStdDev, &values), 0.0, "{value}");
            assert_eq!(
                of_doubles(Rule::TableStdDev, &mut values, Arithmetic::Exact),
                0.0,
                "{value}"
            );
        }
    }

    #[test]
    fn very_large_numbers_do_not_overflow() {
        // One unit fits, but not the squares of its multiples.
        let values = [4e18, -4e18, 4e18, -4e18, 1.0];
        assert!(near(of_all(Rule::TableStdDev, &values), 3.577_708_764e18));
        assert_eq!(of_all(Rule::TableSum, &values), 1.0);
        // Not even one unit.
        let values = [1.5e308, 1.5e308, -1.0];
        assert_eq!(of_all(Rule::TableSum, &values), numbers::LARGEST);
        assert!(near(of_all(Rule::TableStdDev, &values), 7.071_067_812e307));
    }

    proptest! {
        #[test]
        fn decimals_against_integers(
            mantissas in prop::collection::vec(-9_999_999_999_i64..=9_999_999_999, 1..40),
            exponent in -10..5,
        ) {
            let scale = |value: f64| value * 10_f64.powi(exponent);
            let number = |m: &i64| format!("{m}e{exponent}").parse().expect("number");
            let values: Vec<f64> = mantissas.iter().map(number).collect();
            let n = mantissas.len() as i128;
            let wide: Vec<i128> = mantissas.iter().map(|&m| m.into()).collect();
            let sum: i128 = wide.iter().sum();
            let squares: i128 = wide.iter().map(|m| m * m).sum();
            let spread = ((n * squares - sum * sum) as f64).sqrt() / n as f64;
            let mut sorted = mantissas.clone();
            sorted.sort_unstable();
            let middle = sorted[sorted.len() / 2] + sorted[(sorted.len() - 1) / 2];
            for (rule, expected) in [
                (Rule::TableSum, sum as f64),
                (Rule::TableMean, sum as f64 / n as f64),
                (Rule::TableStdDev, spread),
                (Rule::TableMedian, middle as f64 / 2.0),
                (Rule::TableMin, sorted[0] as f64),
                (Rule::TableMax, sorted[sorted.len() - 1] as f64),
            ] {
                let found = of_all(rule, &values);
                let expected = scale(expected);
                prop_assert!(near(found, expected), "{rule:?}: {found} {expected}");
            }
            // Nothing is lost before the last rounding.
            let exact = format!("{sum}e{exponent}").parse().expect("number");
            prop_assert_eq!(of_all(Rule::TableSum, &values), round_to_10_digits(exact));
        }
    }
}
