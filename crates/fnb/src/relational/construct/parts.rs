//! The parts that conditions are made of: quantiles of numbers, frequent categories
//! (docs/method.md §10.5).

use super::values::OperandColumn;
use crate::columns::ColumnData;
use crate::math::cut_points::cut_between;
use crate::relational::{Bound, Infinity, Part};
use crate::{Code, Error, Result};
use hashbrown::{HashMap, HashSet};

/// The finest granularity whose parts are used is 2 to this power.
pub(super) const MAX_EXPONENT: usize = 14;

/// The parts of an operand that are new at a granularity.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Granularity {
    /// The granularity is 2 to this power.
    pub(super) exponent: usize,
    /// Number of new parts.
    pub(super) count: usize,
    /// Their numbers and what they are; none beyond [`MAX_EXPONENT`].
    pub(super) parts: Vec<(u32, Part)>,
}

/// The parts of an operand whose values are given, one column per data path.
pub(super) fn parts(
    columns: &[OperandColumn],
    is_number: bool,
    root_rows: usize,
) -> Result<Vec<Granularity>> {
    if is_number {
        Ok(intervals(&DistinctNumbers::new(columns)?, root_rows))
    } else {
        Ok(groups(&distinct_categories(columns)?, root_rows))
    }
}

/// Granularities worth trying for `n` values: every part has 4 values or more, if they were spread
/// evenly, and there is no more than one part per row of the root.
fn exponents(n: usize, root_rows: usize) -> impl Iterator<Item = usize> {
    (1..usize::BITS as usize - 1).take_while(move |g| 1 << g <= (n / 4).min(root_rows))
}

/// Distinct numbers in order, missing first, and how many values there are up to each.
#[derive(Debug, Default)]
struct DistinctNumbers {
    missing: bool,
    /// NaN for missing.
    values: Vec<f64>,
    cumulated: Vec<usize>,
}

impl DistinctNumbers {
    fn new(columns: &[OperandColumn]) -> Result<Self> {
        let mut numbers = Vec::with_capacity(columns.len());
        let mut rows = 0;
        for column in columns {
            let times = column.times.as_ref().map(|times| times.as_slice());
            match &column.values {
                ColumnData::Numeric(column) => {
                    let values = column.values();
                    let sum = |times: &[u32]| times.iter().map(|&times| times as usize).sum();
                    rows += times.map_or(values.len(), sum);
                    numbers.push((values, times));
                }
                other => ignore_if_empty(other)?,
            }
        }
        let counts = counted(&numbers).unwrap_or_else(|| sorted(&numbers));
        let missing = rows - counts.iter().map(|(_, count)| count).sum::<usize>();
        let mut distinct = Self {
            missing: missing > 0,
            ..Self::default()
        };
        let mut total = 0;
        let missing = (missing > 0).then_some((f64::NAN, missing));
        for (value, count) in missing.into_iter().chain(counts) {
            total += count;
            distinct.values.push(value);
            distinct.cumulated.push(total);
        }
        Ok(distinct)
    }

    /// The last values of the intervals at a granularity, each with the number of its quantile.
    fn ends(&self, granularity: usize) -> Vec<(usize, u32)> {
        let n = self.cumulated.last().copied().unwrap_or(0) as f64;
        let mut ends: Vec<(usize, u32)> = Vec::new();
        for quantile in 0..granularity {
            // A quantile that falls between two values goes to the side of the middle.
            let side = if quantile < granularity / 2 {
                -1e-10
            } else {
                1e-10
            };
            let wanted = n * (quantile + 1) as f64 / granularity as f64 + side;
            let rank = (wanted + 0.5).floor();
            let mut end = self.cumulated.partition_point(|&c| (c as f64) < rank);
            end = end.min(self.values.len() - 1);
            let distance = |i: usize| (self.cumulated[i] as f64 - wanted).abs();
            if end > 0 && distance(end - 1) <= distance(end) {
                end -= 1;
            }
            if ends.last().is_none_or(|&(last, _)| end > last) {
                ends.push((end, quantile as u32));
            }
        }
        ends
    }

    /// The bound after a value.
    fn bound(&self, end: usize) -> Bound {
        if end + 1 == self.values.len() {
            Bound::Infinity(Infinity::Infinity)
        } else if end == 0 && self.missing {
            Bound::Missing
        } else {
            Bound::Number(cut_between(self.values[end], self.values[end + 1]))
        }
    }
}

/// So many distinct numbers are counted in a table that stays in the cache.
const COUNTED: usize = 1 << 15;

/// Numbers, and how often each counts unless it is once.
type Counted<'a> = (&'a [f64], Option<&'a [u32]>);

/// How often each number occurs, in order; None if too many are distinct. Columns of a million rows
/// mostly have few, and are not sorted for them.
fn counted(columns: &[Counted<'_>]) -> Option<Vec<(f64, usize)>> {
    let mut counts: HashMap<u64, usize> = HashMap::new();
    for &(values, times) in columns {
        for (row, &value) in values.iter().enumerate() {
            let times = times.map_or(1, |times| times[row] as usize);
            if value.is_nan() || times == 0 {
                continue;
            }
            // The two zeros are one number.
            *counts.entry((value + 0.0).to_bits()).or_default() += times;
            if counts.len() > COUNTED {
                return None;
            }
        }
    }
    let counts = counts.into_iter();
    let mut counts: Vec<_> = counts.map(|(bits, n)| (f64::from_bits(bits), n)).collect();
    counts.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    Some(counts)
}

/// The same by sorting.
fn sorted(columns: &[Counted<'_>]) -> Vec<(f64, usize)> {
    if columns.iter().all(|(_, times)| times.is_none()) {
        let values: Vec<&[f64]> = columns.iter().map(|(values, _)| *values).collect();
        let mut all = values.concat();
        all.retain(|value| !value.is_nan());
        all.sort_unstable_by(f64::total_cmp);
        let equals = all.chunk_by(|a, b| a == b);
        return equals.map(|equals| (equals[0], equals.len())).collect();
    }
    let mut all: Vec<(f64, usize)> = Vec::new();
    for &(values, times) in columns {
        let times = (0..values.len()).map(|row| times.map_or(1, |times| times[row] as usize));
        let present = values.iter().copied().zip(times);
        all.extend(present.filter(|(value, times)| !value.is_nan() && *times > 0));
    }
    all.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let equals = all.chunk_by(|a, b| a.0 == b.0);
    let total = |equals: &[(f64, usize)]| equals.iter().map(|(_, times)| times).sum();
    equals.map(|equals| (equals[0].0, total(equals))).collect()
}

/// A bound as a key of a set.
fn bound_key(bound: Bound) -> Option<u64> {
    match bound {
        Bound::Missing => None,
        Bound::Number(value) => Some(value.to_bits()),
        Bound::Infinity(_) => Some(f64::INFINITY.to_bits()),
    }
}

/// The values of an operand are of the other type: that is all right without a value.
fn ignore_if_empty(column: &ColumnData) -> Result<()> {
    let rows = match column {
        ColumnData::Numeric(column) => column.len(),
        ColumnData::Categorical(column) => column.len(),
        _ => 1,
    };
    if rows == 0 {
        return Ok(());
    }
    let message = "the values of an operand are not of its type";
    Err(Error::new(Code::Internal, message))
}

/// Quantile intervals, those of finer granularities that are new.
fn intervals(distinct: &DistinctNumbers, root_rows: usize) -> Vec<Granularity> {
    let n = distinct.cumulated.last().copied().unwrap_or(0);
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for exponent in exponents(n, root_rows) {
        let ends = distinct.ends(1 << exponent);
        if ends.len() == 1 {
            continue;
        }
        let mut parts = Vec::new();
        let mut lower_excl = Bound::Missing;
        for &(end, part) in &ends {
            let upper_incl = distinct.bound(end);
            // An interval of a coarser granularity costs less there. (One that starts right after
            // the missing values passes for one that has them, and is left out: as the reference.)
            if seen.insert((bound_key(lower_excl), bound_key(upper_incl))) {
                let interval = Part::Interval {
                    lower_excl,
                    upper_incl,
                    part,
                };
                parts.push((part, interval));
            }
            lower_excl = upper_incl;
        }
        add(&mut found, exponent, parts);
        if ends.len() == distinct.values.len() {
            break;
        }
    }
    found
}

fn add(found: &mut Vec<Granularity>, exponent: usize, parts: Vec<(u32, Part)>) {
    if parts.is_empty() {
        return;
    }
    found.push(Granularity {
        exponent,
        count: parts.len(),
        parts: if exponent <= MAX_EXPONENT {
            parts
        } else {
            Vec::new()
        },
    });
}

/// Categories with their counts, most frequent first, ties in byte order.
fn distinct_categories(columns: &[OperandColumn]) -> Result<Vec<(String, usize)>> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for operand in columns {
        let ColumnData::Categorical(column) = &operand.values else {
            ignore_if_empty(&operand.values)?;
            continue;
        };
        let mut of_codes = vec![0; column.values().len()];
        for (row, &code) in column.codes().iter().enumerate() {
            of_codes[code as usize] += operand.times(row);
        }
        for (value, count) in column.values().iter().zip(of_codes) {
            if count > 0 {
                // Missing is the empty text.
                *counts.entry(value.unwrap_or_default()).or_default() += count;
            }
        }
    }
    let mut sorted: Vec<(String, usize)> = counts
        .into_iter()
        .map(|(value, count)| (value.to_owned(), count))
        .collect();
    sorted.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    Ok(sorted)
}

/// Frequent categories one by one and all the others together; a finer granularity splits the others.
fn groups(categories: &[(String, usize)], root_rows: usize) -> Vec<Granularity> {
    let n: usize = categories.iter().map(|(_, count)| count).sum();
    let mut found = Vec::new();
    // Number of parts so far, that of the others included.
    let mut known = 0;
    for exponent in exponents(n, root_rows) {
        let granularity = 1 << exponent;
        let least = n.div_ceil(granularity);
        let frequent = categories.partition_point(|(_, count)| *count >= least);
        let separate = frequent == categories.len();
        // The last category stands for all others too, those never seen.
        let alone = if separate { frequent - 1 } else { frequent };
        if alone > 0 && alone + 1 > known {
            let equals = |rank: usize| {
                let equals = categories[rank].0.clone();
                (rank as u32, Part::Equals { equals })
            };
            let mut parts: Vec<(u32, Part)> = (known.max(1) - 1..alone).map(equals).collect();
            let number = if separate { alone } else { granularity - 1 };
            let not_in = categories[..alone].iter().map(|(value, _)| value.clone());
            let not_in = Part::NotIn {
                not_in: not_in.collect(),
            };
            parts.push((number as u32, not_in));
            add(&mut found, exponent, parts);
            known = alone + 1;
        }
        if separate {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::NumericColumn;
    use crate::relational::construct::unit_vectors::{array, number, unit_vectors};
    use serde_json::Value as Json;

    fn bound(json: &Json) -> f64 {
        match json {
            Json::Null => f64::NEG_INFINITY,
            Json::String(_) => f64::INFINITY,
            json => number(json),
        }
    }

    fn value(bound: Bound) -> f64 {
        match bound {
            Bound::Missing => f64::NEG_INFINITY,
            Bound::Number(value) => value,
            Bound::Infinity(_) => f64::INFINITY,
        }
    }

    fn near(a: f64, b: f64) -> bool {
        a == b || (a - b).abs() < 1e-10 * a.abs().max(1.0)
    }

    fn assert_parts(case: &Json, list: &str, found: &[Granularity]) {
        let expected: Vec<&Json> = array(&case["parts"]).collect();
        assert_eq!(found.len(), expected.len(), "{case}");
        for (found, expected) in found.iter().zip(expected) {
            assert_eq!(
                f64::from(1 << found.exponent),
                number(&expected["granularity"])
            );
            let expected: Vec<&Json> = array(&expected[list]).collect();
            assert_eq!(found.parts.len(), expected.len(), "{case}");
            for ((number_found, part), expected) in found.parts.iter().zip(expected) {
                assert_eq!(
                    f64::from(*number_found),
                    number(&expected["part"]),
                    "{case}"
                );
                match part {
                    Part::Interval {
                        lower_excl,
                        upper_incl,
                        ..
                    } => {
                        assert!(near(value(*lower_excl), bound(&expected["lower_excl"])));
                        assert!(near(value(*upper_incl), bound(&expected["upper_incl"])));
                    }
                    Part::Equals { equals } => assert_eq!(expected["equals"], equals.as_str()),
                    Part::NotIn { not_in } => {
                        let expected: Vec<&str> = array(&expected["not_in"])
                            .filter_map(Json::as_str)
                            .collect();
                        assert_eq!(*not_in, expected);
                    }
                }
            }
        }
    }

    #[test]
    fn published_parts() {
        let vectors = unit_vectors();
        for case in array(&vectors["numeric_partition"]) {
            let values = array(&case["values"]).map(|value| value.as_f64().unwrap_or(f64::NAN));
            let column = ColumnData::Numeric(NumericColumn::new(values.collect()));
            let root_rows = number(&case["root_rows"]) as usize;
            let found = parts(&[column.into()], true, root_rows).expect("numbers");
            assert_parts(case, "intervals", &found);
        }
        for case in array(&vectors["categorical_partition"]) {
            let values = array(&case["values"]).map(Json::as_str);
            let column = ColumnData::Categorical(values.collect());
            let root_rows = number(&case["root_rows"]) as usize;
            let found = parts(&[column.into()], false, root_rows).expect("categories");
            assert_parts(case, "groups", &found);
        }
        for case in array(&vectors["readable_cut"]) {
            let cut = cut_between(number(&case[0]), number(&case[1]));
            assert!(near(cut, number(&case[2])), "{case}: {cut}");
        }
        for case in array(&vectors["round10"]) {
            let rounded = crate::math::decimal::round_to_10_digits(number(&case[0]));
            assert!((rounded / number(&case[1]) - 1.0).abs() < 1e-15, "{case}");
        }
        for (n, expected) in vectors["universal_code_nats"].as_object().expect("a map") {
            let code = crate::math::integer_code::unbounded(n.parse().expect("an integer"));
            assert!((code - number(expected)).abs() < 1e-12, "{n}");
        }
    }

    #[test]
    fn counting_is_sorting() {
        let numbers: Vec<f64> = (0..5000)
            .map(|i| f64::from(i * 7919 % 613) - 300.0)
            .collect();
        let others = [f64::NAN, 0.0, -0.0, 1e300, -0.5];
        let columns: [Counted<'_>; 2] = [(&numbers, None), (&others, None)];
        assert_eq!(counted(&columns), Some(sorted(&columns)));
        let columns: [Counted<'_>; 2] = [(&numbers, None), (&others, Some(&[7, 2, 1, 0, 3]))];
        let times = counted(&columns).expect("a few numbers");
        assert_eq!(times, sorted(&columns));
        let of = |number: f64| times.iter().find(|(value, _)| *value == number);
        let zeros = numbers.iter().filter(|&&n| n == 0.0).count();
        assert_eq!(of(0.0).map(|(_, times)| *times), Some(zeros + 3));
        assert_eq!(of(1e300), None);
        let many: Vec<f64> = (0..=COUNTED).map(|i| i as f64).collect();
        assert_eq!(counted(&[(&many, None)]), None);
    }

    #[test]
    fn constants_and_nothing_have_no_parts() {
        let constant = ColumnData::Numeric(NumericColumn::new(vec![2.0; 100]));
        assert_eq!(parts(&[constant.into()], true, 100), Ok(Vec::new()));
        let constant = ColumnData::Categorical(vec![Some("a"); 100].into_iter().collect());
        assert_eq!(parts(&[constant.into()], false, 100), Ok(Vec::new()));
        assert_eq!(parts(&[], true, 100), Ok(Vec::new()));
        assert_eq!(parts(&[], false, 100), Ok(Vec::new()));
    }
}
