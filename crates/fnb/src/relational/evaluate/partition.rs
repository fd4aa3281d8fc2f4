//! Conditions as look-ups of small integers: the values of an operand, cut wherever a condition on
//! it cuts.

use super::values::Dictionary;
use crate::relational::expression::{Bound, Part};
use hashbrown::HashMap;

/// The values of an operand that no condition tells apart.
#[derive(Debug, Clone)]
pub(super) enum Partition {
    /// 0 is missing, 1 up to the first cut, 2 up to the second, ...
    Intervals { cuts: Vec<f64> },
    /// 0 is any other text, 1 the first one, ...
    Texts { texts: Vec<String> },
}

/// A condition: the codes it accepts.
#[derive(Debug, Clone)]
pub(super) struct Test {
    /// The node whose values are tested.
    pub(super) operand: usize,
    /// Per code of its partition.
    pub(super) accepts: Vec<bool>,
}

impl Partition {
    /// The coarsest one that tells all these parts of one operand apart.
    pub(super) fn new(parts: &[&Part]) -> Self {
        let mut cuts = Vec::new();
        let mut texts = Vec::new();
        let mut numeric = false;
        for part in parts {
            match part {
                Part::Interval {
                    lower_excl,
                    upper_incl,
                    ..
                } => {
                    numeric = true;
                    for bound in [lower_excl, upper_incl] {
                        if let Bound::Number(cut) = bound {
                            cuts.push(*cut);
                        }
                    }
                }
                Part::Equals { equals } => texts.push(equals.clone()),
                Part::NotIn { not_in } => texts.extend(not_in.iter().cloned()),
            }
        }
        if numeric {
            cuts.sort_unstable_by(f64::total_cmp);
            cuts.dedup();
            return Self::Intervals { cuts };
        }
        texts.sort_unstable();
        texts.dedup();
        Self::Texts { texts }
    }

    /// The codes that a part accepts.
    pub(super) fn accepts(&self, part: &Part) -> Vec<bool> {
        match (self, part) {
            (
                Self::Intervals { cuts },
                Part::Interval {
                    lower_excl,
                    upper_incl,
                    part,
                },
            ) => {
                let code = |cut: f64| 1 + cuts.partition_point(|&other| other < cut);
                let first = match lower_excl {
                    Bound::Number(lower) => code(*lower) + 1,
                    // "Not missing", or no bound at all.
                    Bound::Missing => usize::from(*part > 0 && *upper_incl != Bound::Missing),
                    Bound::Infinity(_) => cuts.len() + 2,
                };
                let last = match upper_incl {
                    Bound::Number(upper) => code(*upper),
                    Bound::Missing => 0,
                    Bound::Infinity(_) => cuts.len() + 1,
                };
                (0..cuts.len() + 2)
                    .map(|code| first <= code && code <= last)
                    .collect()
            }
            (Self::Texts { texts }, Part::Equals { equals }) => {
                let accepts = texts.iter().map(|text| text == equals);
                std::iter::once(false).chain(accepts).collect()
            }
            (Self::Texts { texts }, Part::NotIn { not_in }) => {
                let accepts = texts.iter().map(|text| !not_in.contains(text));
                std::iter::once(true).chain(accepts).collect()
            }
            _ => unreachable!("a partition is made of the parts it is asked for"),
        }
    }

    /// The codes of numbers.
    pub(super) fn codes_of_numbers(&self, values: &[f64]) -> Vec<u32> {
        let Self::Intervals { cuts } = self else {
            unreachable!("the types of operands were checked")
        };
        let code = |&value: &f64| {
            if value.is_nan() {
                return 0;
            }
            1 + cuts.partition_point(|&cut| cut < value) as u32
        };
        values.iter().map(code).collect()
    }

    /// The codes of texts given by their ranks in a dictionary.
    pub(super) fn codes_of_texts(&self, ranks: &[u32], dictionary: &Dictionary<'_>) -> Vec<u32> {
        let Self::Texts { texts } = self else {
            unreachable!("the types of operands were checked")
        };
        let codes: HashMap<&str, u32> = (texts.iter().map(String::as_str)).zip(1..).collect();
        let code = |text: &&str| codes.get(text).copied().unwrap_or(0);
        let of_rank: Vec<u32> = dictionary.texts().iter().map(code).collect();
        ranks.iter().map(|&rank| of_rank[rank as usize]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::relational::expression::Infinity;

    fn interval(lower: Option<f64>, upper: Option<f64>, part: u32) -> Part {
        let bound = |bound: Option<f64>| match bound {
            None => Bound::Missing,
            Some(f64::INFINITY) => Bound::Infinity(Infinity::Infinity),
            Some(number) => Bound::Number(number),
        };
        Part::Interval {
            lower_excl: bound(lower),
            upper_incl: bound(upper),
            part,
        }
    }

    #[test]
    fn missing_is_below_every_number() {
        let infinity = Some(f64::INFINITY);
        let parts = [
            (interval(None, Some(2.0), 0), [true, true, true, false]),
            (interval(None, Some(2.0), 1), [false, true, true, false]),
            (interval(None, None, 0), [true, false, false, false]),
            (interval(None, infinity, 1), [false, true, true, true]),
            (interval(None, infinity, 0), [true; 4]),
            (
                interval(Some(1.0), Some(2.0), 1),
                [false, false, true, false],
            ),
            (interval(Some(1.0), infinity, 1), [false, false, true, true]),
        ];
        let all: Vec<&Part> = parts.iter().map(|(part, _)| part).collect();
        let partition = Partition::new(&all);
        // Missing, ]-inf, 1], ]1, 2], ]2, inf[.
        let codes = partition.codes_of_numbers(&[f64::NAN, 1.0, 2.0, 2.5]);
        assert_eq!(codes, [0, 1, 2, 3]);
        for (part, accepts) in &parts {
            assert_eq!(partition.accepts(part), accepts, "{part:?}");
        }
    }
}
