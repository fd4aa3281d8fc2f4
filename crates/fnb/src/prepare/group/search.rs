//! The groups of a table of values at one granularity (docs/method.md §3.3).

use super::cost::{GroupingCost, MIN_GARBAGE_VALUES};
use super::enumerate::cheapest_partition;
use super::items::Items;
use super::merge::{DenseGroups, MergePath};
use super::moves::{Garbage, Labels, improve};
use super::sorted::{Partition, SortedLines};
use super::stable::{fuse_rare, stable_groups};
use crate::math::TOLERANCE;
use crate::prepare::part_cost::PartCost;

/// The reference search tries every partition up to this number of values.
const FEW_VALUES: usize = 3;
/// The thorough search tries every partition up to this number of values: there are 4140.
const ENUMERATED_VALUES: usize = 8;
/// The thorough search compares values two by two up to this number.
const PAIRED_VALUES: usize = 200;
/// From this number of groups on, merges are explored beyond the first that does not pay.
const MANY_GROUPS: usize = 5;

/// Searches the groups of tables that share their part costs.
pub(crate) struct GroupSearch<'a> {
    part_cost: &'a PartCost,
    /// The same where any two groups are compared: rounding errors decide between equal choices there.
    pair_cost: PartCost,
    /// Part costs of the problems with two classes, one against all others.
    two_class_cost: PartCost,
    rows: usize,
}

impl<'a> GroupSearch<'a> {
    pub(crate) fn new(part_cost: &'a PartCost, rows: usize, classes: usize) -> Self {
        Self {
            part_cost,
            pair_cost: PartCost::of_reference(rows, classes),
            two_class_cost: PartCost::new(rows, 2),
            rows,
        }
    }

    /// One group of everything.
    fn one_group(&self, items: &Items) -> Labels {
        let group_of = vec![0; items.len()];
        let cost = DenseGroups::of_items(self.part_cost, items, &group_of, 1).total_cost();
        Labels {
            group_of,
            groups: 1,
            garbage: 0,
            cost,
        }
    }

    /// The search of the reference tool; items are values.
    pub(crate) fn reference(&self, items: &Items, cost: &mut GroupingCost) -> Labels {
        let partition = &mut |groups, garbage| cost.partition(groups, garbage);
        if items.len() <= FEW_VALUES {
            return cheapest_partition(self.part_cost, items, partition);
        }
        let (pure_of, groups) = items.by_purity();
        let pure = items.fuse(&pure_of, groups);
        let found = if items.counts.classes() == 2 {
            self.two_classes(&pure, partition)
        } else if items.len() < MIN_GARBAGE_VALUES {
            self.many_classes(&pure, partition)
        } else {
            self.many_classes_with_garbage(&pure, partition)
        };
        let found = found.compose(&pure_of);
        let one = self.one_group(items);
        if one.cost < found.cost + TOLERANCE {
            one
        } else {
            found
        }
    }

    /// The cheapest of `reference` and what a longer search finds; items are values.
    pub(crate) fn thorough(
        &self,
        items: &Items,
        reference: &Labels,
        cost: &mut GroupingCost,
    ) -> Labels {
        let partition = &mut |groups, garbage| cost.partition(groups, garbage);
        if items.len() <= ENUMERATED_VALUES {
            return cheapest_partition(self.part_cost, items, partition);
        }
        let mut best = reference.clone();
        if items.len() > PAIRED_VALUES {
            return best;
        }
        let path = MergePath::new(DenseGroups::new(&self.pair_cost, items), 1, |_, _| true);
        let (plain, garbage) = cheapest_on_path(&path, partition);
        let mut descend = |start, garbage| {
            let found = improve(&self.pair_cost, items, start, garbage, partition);
            if found.cost < best.cost - TOLERANCE {
                best = found;
            }
        };
        descend(path.groups(plain), Garbage::None);
        descend(reference.group_of.clone(), Garbage::None);
        let largest = Garbage::Largest { others: 2 };
        descend(path.groups(garbage), largest);
        if reference.groups >= 3 {
            descend(reference.group_of.clone(), largest);
        }
        best
    }

    /// Two classes: intervals of items sorted by the share of the first class.
    fn two_classes(&self, items: &Items, partition: &mut Partition) -> Labels {
        let first = |item: usize| match items.counts.line(item) {
            [entry, ..] if entry.class == 0 => entry.count,
            _ => 0,
        };
        let share = |item: usize| f64::from(first(item)) / f64::from(items.totals[item]);
        let mut order: Vec<usize> = (0..items.len()).collect();
        order.sort_by(|&a, &b| share(a).total_cmp(&share(b)));
        let lines = order.iter().map(|&item| {
            let count = first(item);
            [count, items.totals[item] - count, items.values[item]]
        });
        let sorted = SortedLines::new(&self.two_class_cost, lines);
        let found = sorted.search(items.len(), partition);
        let mut group_of = vec![0; items.len()];
        let mut start = 0;
        for (group, &end) in found.ends.iter().enumerate() {
            for &item in &order[start..end] {
                group_of[item] = group as u32;
            }
            start = end;
        }
        Labels {
            group_of,
            groups: found.ends.len(),
            garbage: found.garbage,
            cost: found.cost,
        }
    }

    /// More than two classes, too few values for a garbage group.
    fn many_classes(&self, items: &Items, partition: &mut Partition) -> Labels {
        let (mut group_of, groups) = stable_groups(&self.two_class_cost, items);
        let mut start = items.fuse(&group_of, groups);
        let limit = (self.rows as f64).sqrt();
        if groups as f64 > limit {
            let (rare_of, groups) = fuse_rare(&start, limit.ceil() as usize);
            start = start.fuse(&rare_of, groups);
            group_of = compose(&group_of, &rare_of);
        }
        let singles = DenseGroups::new(&self.pair_cost, &start);
        let path = MergePath::new(singles, 1, |merge, groups| {
            merge.delta + partition(groups - 1, 0) - partition(groups, 0) < TOLERANCE
        });
        let mut merged = path.groups(path.fewest());
        if path.fewest() > MANY_GROUPS {
            let path = self.go_on(&start, &merged, path.fewest(), MANY_GROUPS);
            let (cheapest, _) = cheapest_on_path(&path, partition);
            merged = compose(&merged, &path.groups(cheapest));
        }
        let group_of = compose(&group_of, &merged);
        improve(&self.pair_cost, items, group_of, Garbage::None, partition)
    }

    /// More than two classes and enough values for a garbage group.
    fn many_classes_with_garbage(&self, items: &Items, partition: &mut Partition) -> Labels {
        let (mut group_of, groups) = stable_groups(&self.two_class_cost, items);
        let mut start = items.fuse(&group_of, groups);
        let limit = self.rows.isqrt();
        if groups > limit {
            let (rare_of, groups) = fuse_rare(&start, limit);
            start = start.fuse(&rare_of, groups);
            group_of = compose(&group_of, &rare_of);
        }
        let singles = DenseGroups::new(&self.pair_cost, &start);
        let path = MergePath::new(singles, 3, |merge, groups| {
            let [before, after] = merge.largest;
            let plain = merge.delta + partition(groups - 1, 0) - partition(groups, 0);
            let garbage = merge.delta + partition(groups - 1, after) - partition(groups, before);
            plain < TOLERANCE && garbage < TOLERANCE
        });
        let merged = path.groups(path.fewest());
        let (plain, garbage) = if path.fewest() > MANY_GROUPS {
            let path = self.go_on(&start, &merged, path.fewest(), MANY_GROUPS);
            let (plain, garbage) = cheapest_on_path(&path, partition);
            // The smaller of the two starts from the larger one, merges in a new list again.
            let (more, fewer) = (plain.max(garbage), plain.min(garbage));
            let more_of = compose(&merged, &path.groups(more));
            let fewer_of = self.go_on(&start, &more_of, more, fewer).groups(fewer);
            let fewer_of = compose(&more_of, &fewer_of);
            if plain > garbage {
                (more_of, fewer_of)
            } else {
                (fewer_of, more_of)
            }
        } else {
            (merged.clone(), merged)
        };
        let garbage_groups = garbage.iter().max().map_or(0, |&last| last + 1);
        let mut descend =
            |labels, garbage| improve(&self.pair_cost, &start, labels, garbage, partition);
        let plain = descend(plain, Garbage::None);
        let found = if garbage_groups > 2 {
            let garbage = descend(garbage, Garbage::Largest { others: 3 });
            if garbage.cost < plain.cost + TOLERANCE {
                garbage
            } else {
                plain
            }
        } else {
            plain
        };
        found.compose(&group_of)
    }

    /// Merges groups of items down to `fewest`, whether that pays or not.
    fn go_on(&self, items: &Items, group_of: &[u32], groups: usize, fewest: usize) -> MergePath {
        let groups = DenseGroups::of_items(&self.pair_cost, items, group_of, groups);
        MergePath::new(groups, fewest, |_, _| true)
    }
}

/// The numbers of groups of the cheapest partitions on a path, without and with garbage; the smallest of
/// equals.
fn cheapest_on_path(path: &MergePath, partition: &mut Partition) -> (usize, usize) {
    let groups = path.most();
    let mut plain = (0.0, 0.0, groups);
    let mut garbage = plain;
    for (merge, groups) in path.merges.iter().zip((0..groups).rev()) {
        plain.0 += merge.delta + partition(groups, 0) - partition(groups + 1, 0);
        if plain.0 < plain.1 + TOLERANCE {
            plain = (plain.0, plain.0, groups);
        }
        if groups < 3 {
            continue;
        }
        let [before, after] = merge.largest;
        garbage.0 += merge.delta + partition(groups, after) - partition(groups + 1, before);
        if garbage.0 < garbage.1 + TOLERANCE {
            garbage = (garbage.0, garbage.0, groups);
        }
    }
    (plain.2, garbage.2)
}

/// The group of every item from the item of every element and the group of every item.
fn compose(item_of: &[u32], group_of: &[u32]) -> Vec<u32> {
    item_of
        .iter()
        .map(|&item| group_of[item as usize])
        .collect()
}

impl Labels {
    /// The same groups for the elements that items are made of.
    fn compose(self, item_of: &[u32]) -> Self {
        Self {
            group_of: compose(item_of, &self.group_of),
            ..self
        }
    }
}
