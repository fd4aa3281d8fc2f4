//! Categorical column + target → groups of values (docs/method.md §3).

mod cost;
mod counts;
mod enumerate;
mod granularity;
mod items;
mod merge;
mod moves;
mod pair_list;
mod search;
mod sorted;
mod sorted_improve;
mod stable;
mod two;
mod weighted;

use crate::columns::Values;
use crate::prepare::part_cost::PartCost;
use crate::prepare::{Partition, Schedule};
use crate::terms::Parts;
pub(crate) use cost::GroupingCost;
pub(crate) use counts::{SortedCategories, byte_order};
use granularity::best_grouping;
pub(crate) use granularity::{finest_granularity, values_told_apart};
pub(crate) use moves::Labels;
use std::cmp::Reverse;
pub(crate) use two::two_groups;

/// The best groups of the values of a column; `None` when a single one is best. `names` are the values
/// and `choice` is the cost of choosing the variable.
pub(crate) fn group(
    names: &Values,
    values: &SortedCategories,
    (rows, classes): (usize, usize),
    choice: f64,
    schedule: Schedule,
    part_cost: &PartCost,
) -> Option<Partition> {
    // Two rows never pay for two groups, and one class leaves nothing to explain.
    if values.distinct < 2 || rows <= 2 || classes < 2 {
        return None;
    }
    let found = best_grouping(values, part_cost, choice, schedule);
    let found = found.filter(|found| found.labels.groups > 1)?;
    let Listing { parts, counts, .. } = Listing::new(names, values, &found.labels);
    Some(Partition {
        parts,
        counts,
        cost: found.partition_cost(rows, choice) - choice,
    })
}

/// Groups as they are shown (docs/method.md §3.4).
pub(crate) struct Listing {
    pub(crate) parts: Parts,
    counts: Vec<Vec<u64>>,
    /// The groups in the order in which they are shown.
    pub(crate) order: Vec<usize>,
}

impl Listing {
    pub(crate) fn new(names: &Values, values: &SortedCategories, labels: &Labels) -> Self {
        let shown = labels.group_of.len();
        let classes = values.counts.classes();
        let group_of = |value: usize| labels.group_of[value.min(shown - 1)] as usize;

        let mut counts = vec![vec![0_u64; classes]; labels.groups];
        for value in 0..values.codes.len() {
            for entry in values.counts.line(value) {
                counts[group_of(value)][entry.class as usize] += u64::from(entry.count);
            }
        }
        let mut members = vec![0; labels.groups];
        for &group in &labels.group_of {
            members[group as usize] += 1;
        }
        // A last value that stands for itself alone is like any other.
        let has_rest = values.distinct > shown;
        let garbage = (labels.garbage > 0)
            .then(|| members.iter().position(|&m| m == labels.garbage))
            .flatten();
        let default = match garbage {
            Some(garbage) if !has_rest => garbage,
            _ => group_of(shown - 1),
        };

        let mut order: Vec<usize> = (0..labels.groups).collect();
        let rows = |group: usize| counts[group].iter().sum::<u64>();
        let first = |group: usize| (0..shown).find(|&value| group_of(value) == group);
        order.sort_by_key(|&group| (Reverse(rows(group)), first(group)));
        let listed = |group: usize| {
            let implied = !has_rest && garbage == Some(group);
            let name = |value: usize| names.get(values.codes[value]).map(str::to_owned);
            let members = (0..shown).filter(|&value| group_of(value) == group);
            members
                .take(if implied { 1 } else { shown })
                .map(name)
                .collect()
        };
        Self {
            parts: Parts::Groups {
                groups: order.iter().map(|&group| listed(group)).collect(),
                default: order
                    .iter()
                    .position(|&group| group == default)
                    .expect("every group is in the order"),
            },
            counts: order.iter().map(|&group| counts[group].clone()).collect(),
            order,
        }
    }
}

#[cfg(test)]
mod tests;
