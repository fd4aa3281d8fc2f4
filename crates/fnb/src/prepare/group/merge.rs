//! Grouping for any number of classes, first half: merging groups two by two, cheapest first
//! (docs/method.md §3.3).

use super::items::Items;
use super::pair_list::PairList;
use crate::prepare::part_cost::PartCost;

/// Groups with a count for every class, so that any two can be compared quickly.
#[derive(Debug, Clone)]
pub(crate) struct DenseGroups<'a> {
    part_cost: &'a PartCost,
    classes: usize,
    /// Rows per group and class, group by group.
    counts: Vec<u32>,
    totals: Vec<u32>,
    /// Number of values of each group.
    values: Vec<u32>,
    /// Part cost of each group.
    costs: Vec<f64>,
}

impl<'a> DenseGroups<'a> {
    /// One group per item.
    pub(crate) fn new(part_cost: &'a PartCost, items: &Items) -> Self {
        let identity: Vec<u32> = (0..items.len() as u32).collect();
        Self::of_items(part_cost, items, &identity, items.len())
    }

    /// The groups of a labelling of items.
    pub(crate) fn of_items(
        part_cost: &'a PartCost,
        items: &Items,
        group_of: &[u32],
        groups: usize,
    ) -> Self {
        let classes = items.counts.classes();
        let mut counts = vec![0; groups * classes];
        let (mut totals, mut values) = (vec![0; groups], vec![0; groups]);
        for (item, &group) in group_of.iter().enumerate() {
            let group = group as usize;
            let line = &mut counts[group * classes..][..classes];
            items.counts.sum_range(item..item + 1, line);
            totals[group] += items.totals[item];
            values[group] += items.values[item];
        }
        let mut all = Self {
            part_cost,
            classes,
            counts,
            totals,
            values,
            costs: Vec::new(),
        };
        all.costs = (0..groups).map(|group| all.compute_cost(group)).collect();
        all
    }

    pub(crate) fn len(&self) -> usize {
        self.totals.len()
    }

    pub(crate) fn values(&self, group: usize) -> usize {
        self.values[group] as usize
    }

    /// Part cost of a group.
    pub(crate) fn cost(&self, group: usize) -> f64 {
        self.costs[group]
    }

    /// Part costs of all groups.
    pub(crate) fn total_cost(&self) -> f64 {
        self.costs.iter().sum()
    }

    fn line(&self, group: usize) -> &[u32] {
        &self.counts[group * self.classes..][..self.classes]
    }

    fn compute_cost(&self, group: usize) -> f64 {
        let line = self.line(group).iter().copied();
        self.part_cost.in_order(self.totals[group], line)
    }

    /// Change of the part costs if two groups merged. Their order is that of the subtractions, whose
    /// rounding errors decide between equal merges.
    pub(crate) fn merge_cost(&self, a: usize, b: usize) -> f64 {
        self.union_cost(a, self, b) - self.costs[a] - self.costs[b]
    }

    /// Part cost of a group together with a group of another partition.
    pub(crate) fn union_cost(&self, a: usize, other: &Self, b: usize) -> f64 {
        let union = self.line(a).iter().zip(other.line(b)).map(|(a, b)| a + b);
        self.part_cost
            .in_order(self.totals[a] + other.totals[b], union)
    }

    /// Part cost of a group without a group of another partition that is part of it.
    pub(crate) fn rest_cost(&self, a: usize, other: &Self, b: usize) -> f64 {
        let rest = self.line(a).iter().zip(other.line(b)).map(|(a, b)| a - b);
        self.part_cost
            .in_order(self.totals[a] - other.totals[b], rest)
    }

    /// Moves the rows of a group of another partition from one group to another, whose costs change by
    /// what is known already: so the reference tool does it, rounding errors included.
    pub(crate) fn transfer(
        &mut self,
        other: &Self,
        item: usize,
        [from, to]: [usize; 2],
        changes: [f64; 2],
    ) {
        for class in 0..self.classes {
            let count = other.counts[item * self.classes + class];
            self.counts[from * self.classes + class] -= count;
            self.counts[to * self.classes + class] += count;
        }
        self.totals[from] -= other.totals[item];
        self.totals[to] += other.totals[item];
        self.values[from] -= other.values[item];
        self.values[to] += other.values[item];
        self.costs[from] += changes[0];
        self.costs[to] += changes[1];
    }

    /// Adds a group to another one; it stays in the list, empty.
    fn absorb(&mut self, kept: usize, absorbed: usize) {
        for class in 0..self.classes {
            let absorbed = std::mem::take(&mut self.counts[absorbed * self.classes + class]);
            self.counts[kept * self.classes + class] += absorbed;
        }
        self.totals[kept] += std::mem::take(&mut self.totals[absorbed]);
        self.values[kept] += std::mem::take(&mut self.values[absorbed]);
        self.costs[kept] = self.compute_cost(kept);
        self.costs[absorbed] = 0.0;
    }
}

/// Merges of groups two by two, from those given downwards.
pub(crate) struct MergePath {
    groups: usize,
    pub(crate) merges: Vec<Merge>,
}

/// One merge of two groups.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Merge {
    /// The group that remains and the one that joins it, a later one.
    kept: usize,
    absorbed: usize,
    /// Change of the part costs.
    pub(crate) delta: f64,
    /// Values of the largest group before and after.
    pub(crate) largest: [usize; 2],
}

impl MergePath {
    /// Merges always the two groups whose union costs least, down to `fewest` groups, as long as
    /// `pays` says so of the next merge and the number of groups before it.
    pub(crate) fn new(
        mut groups: DenseGroups,
        fewest: usize,
        mut pays: impl FnMut(&Merge, usize) -> bool,
    ) -> Self {
        let count = groups.len();
        let mut pairs = PairList::new(count);
        for b in 1..count {
            for a in 0..b {
                pairs.insert(a, b, groups.merge_cost(b, a));
            }
        }
        let mut active: Vec<usize> = (0..count).collect();
        let mut largest = (0..count).map(|i| groups.values(i)).max().unwrap_or(0);
        let mut merges = Vec::with_capacity(count.saturating_sub(fewest));
        while active.len() > fewest {
            let Some((kept, absorbed)) = pairs.cheapest() else {
                break;
            };
            let merged = groups.values(kept) + groups.values(absorbed);
            let merge = Merge {
                kept,
                absorbed,
                delta: groups.merge_cost(absorbed, kept),
                largest: [largest, largest.max(merged)],
            };
            if !pays(&merge, active.len()) {
                break;
            }
            groups.absorb(kept, absorbed);
            largest = largest.max(merged);
            retire(&mut active, absorbed);
            // Old merges leave and new ones come group by group, which ties depend on.
            for &other in &active {
                pairs.remove(absorbed, other);
                if other != kept {
                    pairs.remove(kept, other);
                    pairs.insert(kept, other, groups.merge_cost(kept, other));
                }
            }
            merges.push(merge);
        }
        Self {
            groups: count,
            merges,
        }
    }

    /// Number of groups at the beginning.
    pub(crate) fn most(&self) -> usize {
        self.groups
    }

    /// Number of groups at the end.
    pub(crate) fn fewest(&self) -> usize {
        self.groups - self.merges.len()
    }

    /// The group of every group it began with when that many are left, numbered as in the reference
    /// tool: the last one takes the place of one that is absorbed.
    pub(crate) fn groups(&self, left: usize) -> Vec<u32> {
        let mut parent: Vec<usize> = (0..self.groups).collect();
        let mut active = parent.clone();
        for merge in &self.merges[..self.groups - left] {
            parent[merge.absorbed] = merge.kept;
            retire(&mut active, merge.absorbed);
        }
        let mut label = vec![0; self.groups];
        for (number, &group) in active.iter().enumerate() {
            label[group] = number as u32;
        }
        // A group is absorbed by an earlier one: parents come first.
        for group in 0..self.groups {
            label[group] = label[parent[group]];
        }
        label
    }
}

/// Removes a group; the last one takes its place.
fn retire(active: &mut Vec<usize>, group: usize) {
    let place = active.iter().position(|&other| other == group);
    active.swap_remove(place.expect("a group that merges is active"));
}
