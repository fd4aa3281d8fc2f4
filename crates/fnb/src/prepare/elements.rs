//! Values → elementary parts: the pieces that tables over several variables are made of
//! (docs/method.md §12.2).

use super::counts::Counted;
use super::discretize::{SortedValues, quantile_ends};
use super::group::SortedCategories;
use crate::columns::Values;
use crate::math::cut_points::cut_between;
use crate::terms::{MissingNumbers, PartCodes, Parts};
use hashbrown::HashSet;

/// A variable in its elementary parts, of which there are two or more.
#[derive(Debug, Clone)]
pub(crate) struct Elements {
    pub(crate) parts: Parts,
    /// The part of every row, in one byte.
    pub(crate) codes: PartCodes,
}

/// Cuts of the variable alone that are kept.
const MOST_CUTS: usize = 64;
/// Intervals of equal frequency beside them, as a power of two.
const QUANTILES: u32 = 4;
/// Up to this number of categories each is a part...
const FEW_CATEGORIES: usize = 16;
/// ...and of more, this many.
const FREQUENT: usize = 12;
/// Groups of the variable alone that stay apart.
const MOST_GROUPS: usize = 64;

/// The elementary parts of a variable, given those it has on its own.
pub(super) fn elementary_parts(counted: &Counted, found: &Parts) -> Parts {
    match (counted, found) {
        (Counted::Numbers(values), Parts::Intervals { cuts, .. }) => intervals(values, cuts),
        (Counted::Categories { values, counts }, Parts::Groups { groups, default }) => {
            categories(values, counts, groups, *default)
        }
        _ => unreachable!("parts are of the kind of their column"),
    }
}

/// The cuts of the variable alone, and between them those of 16 quantiles: where structure that only
/// shows beside other variables may be. Missing values are a part of their own.
fn intervals(values: &SortedValues, cuts: &[f64]) -> Parts {
    let cumulated = &values.cumulated;
    let rows = cumulated.last().copied().unwrap_or(0);
    let first = usize::from(values.missing() > 0);
    let count = cuts.len();
    // A cut below all numbers parts them from the missing ones, which are apart anyway.
    let is_within = |cut: &f64| first < values.len() && *cut >= values.value(first);
    let cuts = cuts.iter().copied().filter(is_within);
    let kept = cuts.enumerate().filter(|(i, _)| {
        let place = |i: usize| i * MOST_CUTS / count;
        count <= MOST_CUTS || place(*i) != place(i + 1)
    });
    // Each cut with the rows below it.
    let rows_below = |cut: f64| {
        let below = partition_point(values, cut);
        below.checked_sub(1).map_or(0, |last| cumulated[last])
    };
    let mut all: Vec<(u32, f64)> = kept.map(|(_, cut)| (rows_below(cut), cut)).collect();
    let missing = values.missing() as u32;
    for end in quantile_ends(cumulated, QUANTILES) {
        let end = end as usize;
        if end <= first || end >= values.len() {
            continue;
        }
        let below = cumulated[end - 1];
        let near = |other: u32| 32 * u64::from(below.abs_diff(other)) <= u64::from(rows);
        let is_near = first > 0 && near(missing) || all.iter().any(|&(other, _)| near(other));
        if !is_near {
            all.push((below, cut_between(values.value(end - 1), values.value(end))));
        }
    }
    all.sort_by(|a, b| a.1.total_cmp(&b.1));
    // Two cuts may be written alike where values differ in digits that are not kept.
    all.dedup_by(|a, b| a.1 == b.1);
    Parts::Intervals {
        missing: if first > 0 {
            MissingNumbers::Own
        } else {
            MissingNumbers::None
        },
        cuts: all.into_iter().map(|(_, cut)| cut).collect(),
    }
}

/// Number of distinct values up to a cut, the missing one included.
fn partition_point(values: &SortedValues, cut: f64) -> usize {
    let (mut low, mut high) = (0, values.len());
    while low < high {
        let middle = usize::midpoint(low, high);
        if values.value(middle) > cut {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

/// Every category, if there are few; else the frequent ones, and the others by their groups.
fn categories(
    values: &Values,
    counts: &SortedCategories,
    groups: &[Vec<Option<String>>],
    default: usize,
) -> Parts {
    let value = |&code: &u32| values.get(code).map(str::to_owned);
    if counts.distinct <= FEW_CATEGORIES {
        let parts: Vec<_> = counts.codes.iter().map(|code| vec![value(code)]).collect();
        return Parts::Groups {
            default: parts.len().saturating_sub(1),
            groups: parts,
        };
    }
    let alone = counts.codes.len() - usize::from(counts.has_singles);
    let alone = counts.codes[..alone.min(FREQUENT)].iter().map(value);
    let alone: Vec<Option<String>> = alone.collect();
    let frequent: HashSet<&Option<String>> = alone.iter().collect();
    let mut parts: Vec<_> = alone.iter().map(|value| vec![value.clone()]).collect();
    let (mut place_of_default, mut last) = (0, None);
    for (i, group) in groups.iter().enumerate() {
        let rest = group.iter().filter(|value| !frequent.contains(value));
        let rest: Vec<Option<String>> = rest.cloned().collect();
        if rest.is_empty() && i != default {
            continue;
        }
        match last {
            Some(last) if i >= MOST_GROUPS => {
                let part: &mut Vec<Option<String>> = &mut parts[last];
                part.extend(rest);
            }
            _ => {
                last = Some(parts.len());
                parts.push(rest);
            }
        }
        if i == default {
            place_of_default = parts.len() - 1;
        }
    }
    Parts::Groups {
        groups: parts,
        default: place_of_default,
    }
}
