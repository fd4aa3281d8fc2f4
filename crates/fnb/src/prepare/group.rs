//! Categorical column + target → groups of values (docs/method.md §3).

use super::group_counts::SortedCategories;
use super::group_granularity::{Grouping, best_grouping};
use super::part_cost::PartCost;
use super::{Cost, Parts, PreparedVariable, VariableKind};
use crate::columns::{CategoricalColumn, Target};
use crate::settings::Schedule;
use std::cmp::Reverse;

/// Levels below this are taken as zero.
const LEAST_LEVEL: f64 = 1e-10;

/// Groups the values of a column; the name is left to the caller. `choice` is the cost of choosing
/// this variable among all.
pub(crate) fn group(
    column: &CategoricalColumn,
    target: &Target,
    choice: f64,
    schedule: Schedule,
    part_cost: &PartCost,
) -> PreparedVariable {
    let values = SortedCategories::new(column, target);
    let null = part_cost.null(target.counts());
    let mut variable = PreparedVariable {
        name: String::new(),
        kind: VariableKind::Categorical,
        distinct: values.distinct,
        missing: values.missing,
        level: 0.0,
        cost: null,
        parts: Parts::one_group(),
        counts: vec![target.counts().to_vec()],
    };
    // Two rows never pay for two groups, and one class leaves nothing to explain.
    if values.distinct < 2 || target.rows() <= 2 || target.classes().len() < 2 {
        return variable;
    }
    let found = best_grouping(&values, part_cost, choice, schedule);
    let Some(found) = found.filter(|found| found.labels.groups > 1) else {
        return variable;
    };
    let listing = Listing::new(column, &values, &found);
    let partition = found.partition_cost(target.rows(), choice);
    let cost = part_cost.variable(choice, partition - choice, &listing.counts);
    let level = level(&cost, &null);
    if level >= LEAST_LEVEL {
        variable.level = level;
        variable.cost = cost;
        variable.parts = listing.parts;
        variable.counts = listing.counts;
    }
    variable
}

/// Share of the null cost that is saved (docs/method.md §4.1).
fn level(cost: &Cost, null: &Cost) -> f64 {
    1.0 - cost.total() / null.total()
}

/// Groups as they are shown (docs/method.md §3.4).
struct Listing {
    parts: Parts,
    counts: Vec<Vec<u64>>,
}

impl Listing {
    fn new(column: &CategoricalColumn, values: &SortedCategories, found: &Grouping) -> Self {
        let labels = &found.labels;
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
            let name = |value: usize| column.values().get(values.codes[value]).map(str::to_owned);
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
        }
    }
}

#[cfg(test)]
#[path = "group_tests.rs"]
mod tests;
