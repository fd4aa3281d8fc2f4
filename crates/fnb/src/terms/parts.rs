//! The parts of a variable: the intervals of a number or the groups of a category.

use crate::math::thousands;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt::Write;

/// Where missing numbers go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MissingNumbers {
    /// Into a part of their own, the first one.
    Own,
    /// Into the first interval, being smaller than every number.
    None,
}

/// A partition of the values of a variable; parts are numbered from 0.
///
/// ```
/// use fnb::terms::{MissingNumbers, Parts};
/// let parts = Parts::Intervals { missing: MissingNumbers::Own, cuts: vec![0.8, 1.75] };
/// assert_eq!(parts.len(), 4);
/// assert_eq!(parts.label(0), "missing");
/// assert_eq!(parts.label(2), "]0.8; 1.75]");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Parts {
    /// Intervals `]cuts[i-1]; cuts[i]]`, open on the left, closed on the right.
    Intervals {
        /// Whether part 0 holds exactly the missing values.
        missing: MissingNumbers,
        /// Bounds between intervals, strictly increasing.
        cuts: Vec<f64>,
    },
    /// Groups of values; `null` is the missing value.
    Groups {
        /// The values of each group, most frequent first.
        groups: Vec<Vec<Option<String>>>,
        /// The group of every value that is not listed.
        default: usize,
    },
}

impl Parts {
    /// Have missing numbers a part of their own, the first one?
    pub(crate) fn has_missing(&self) -> bool {
        matches!(
            self,
            Self::Intervals {
                missing: MissingNumbers::Own,
                ..
            }
        )
    }

    /// These parts put together, each into the one of its number; intervals keep their order.
    pub(crate) fn merged(&self, part_of: &[u32]) -> Self {
        match self {
            Self::Intervals { missing, cuts } => {
                let own = usize::from(*missing == MissingNumbers::Own);
                // A missing value that is merged with the lowest numbers is one of them.
                let is_apart = own == 1 && part_of.len() > 1 && part_of[0] != part_of[1];
                let kept = cuts.iter().enumerate().filter(|(i, _)| {
                    let below = i + own;
                    part_of[below] != part_of[below + 1]
                });
                Self::Intervals {
                    missing: if is_apart {
                        MissingNumbers::Own
                    } else {
                        MissingNumbers::None
                    },
                    cuts: kept.map(|(_, cut)| *cut).collect(),
                }
            }
            Self::Groups { groups, default } => {
                let count = part_of.iter().max().map_or(0, |&part| part as usize + 1);
                let mut merged = vec![Vec::new(); count];
                for (group, &part) in groups.iter().zip(part_of) {
                    merged[part as usize].extend(group.iter().cloned());
                }
                Self::Groups {
                    groups: merged,
                    default: part_of[*default] as usize,
                }
            }
        }
    }

    /// The single part of an uninformative number.
    pub fn one_interval() -> Self {
        Self::Intervals {
            missing: MissingNumbers::None,
            cuts: Vec::new(),
        }
    }

    /// The single part of an uninformative category.
    pub fn one_group() -> Self {
        Self::Groups {
            groups: vec![Vec::new()],
            default: 0,
        }
    }

    /// Number of parts.
    #[expect(clippy::len_without_is_empty, reason = "there is always a part")]
    pub fn len(&self) -> usize {
        match self {
            Self::Intervals {
                missing: MissingNumbers::Own,
                cuts,
            } => cuts.len() + 2,
            Self::Intervals {
                missing: MissingNumbers::None,
                cuts,
            } => cuts.len() + 1,
            Self::Groups { groups, .. } => groups.len(),
        }
    }

    /// Number of categories that groups list, missing included.
    pub(crate) fn listed(&self) -> usize {
        match self {
            Self::Intervals { .. } => 0,
            Self::Groups { groups, .. } => groups.iter().map(Vec::len).sum(),
        }
    }

    /// A part in words; of a group of many values, the most frequent ones and how many there are.
    pub fn label(&self, part: usize) -> String {
        match self {
            Self::Intervals { missing, cuts } => interval_label(*missing, cuts, part),
            Self::Groups { groups, default } => group_label(&groups[part], part == *default),
        }
    }
}

impl Parts {
    /// Several parts that follow each other, in words.
    pub(super) fn label_of_range(&self, first: usize, last: usize) -> String {
        if first == last {
            return self.label(first);
        }
        match self {
            Self::Intervals { missing, cuts } => {
                let own = usize::from(*missing == MissingNumbers::Own);
                let (with_missing, low) = if own == 1 && first == 0 {
                    ("missing, ", None)
                } else {
                    ("", (first - own).checked_sub(1).map(|i| cuts[i]))
                };
                let label = between(low, cuts.get(last - own).copied());
                format!("{with_missing}{label}")
            }
            Self::Groups { groups, default } => {
                let values: Vec<Option<String>> = groups[first..=last].concat();
                group_label(&values, (first..=last).contains(default))
            }
        }
    }
}

fn interval_label(missing: MissingNumbers, cuts: &[f64], part: usize) -> String {
    let interval = match missing {
        MissingNumbers::Own if part == 0 => return "missing".into(),
        MissingNumbers::Own => part - 1,
        MissingNumbers::None => part,
    };
    let low = interval.checked_sub(1).map(|i| cuts[i]);
    between(low, cuts.get(interval).copied())
}

/// An interval by its bounds, as far as it has any.
fn between(low: Option<f64>, high: Option<f64>) -> String {
    match (low, high) {
        (None, None) => "all".into(),
        (None, Some(high)) => format!("<= {high}"),
        (Some(low), None) => format!("> {low}"),
        (Some(low), Some(high)) => format!("]{low}; {high}]"),
    }
}

/// Characters of a group's values in its label, and of one value.
const LISTED: usize = 80;

/// The values of a group, the most frequent first: as many as fit, then how many there are.
fn group_label(values: &[Option<String>], is_default: bool) -> String {
    let mut label = String::from("{");
    let mut length = 0;
    for (i, value) in values.iter().enumerate() {
        let value = value.as_deref().unwrap_or("missing");
        length += value.chars().count();
        if i > 0 && length > LISTED {
            let more = if is_default { ", *" } else { "" };
            let all = thousands(values.len() as u64);
            let _ = write!(label, ", …{more}}} ({all} values)");
            return label;
        }
        let separator = if i == 0 { "" } else { ", " };
        let _ = write!(label, "{separator}{}", clipped(value));
    }
    if is_default {
        label.push_str(if values.is_empty() {
            "any value"
        } else {
            ", *"
        });
    }
    label.push('}');
    label
}

/// A value cut where it is longer than a label.
fn clipped(value: &str) -> Cow<'_, str> {
    match value.char_indices().nth(LISTED) {
        None => Cow::Borrowed(value),
        Some((end, _)) => Cow::Owned(format!("{}…", &value[..end])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(values: &[&str], is_default: bool) -> String {
        let values: Vec<Option<String>> = values.iter().map(|v| Some((*v).to_owned())).collect();
        group_label(&values, is_default)
    }

    #[test]
    fn groups_are_listed_as_far_as_they_fit() {
        assert_eq!(label(&["a", "b"], false), "{a, b}");
        assert_eq!(label(&["a", "b"], true), "{a, b, *}");
        assert_eq!(label(&[], true), "{any value}");
        let many: Vec<String> = (0..1203).map(|i| format!("value {i:06}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let listed =
            "{value 000000, value 000001, value 000002, value 000003, value 000004, value 000005";
        assert_eq!(label(&many, false), format!("{listed}, …}} (1,203 values)"));
        assert_eq!(
            label(&many, true),
            format!("{listed}, …, *}} (1,203 values)")
        );
    }

    #[test]
    fn a_long_value_is_cut_between_characters() {
        let long = "é".repeat(500);
        assert_eq!(
            label(&[&long], false),
            format!("{{{}…}}", "é".repeat(LISTED))
        );
        assert_eq!(label(&["é", &long], false), "{é, …} (2 values)");
    }
}
