//! Grouping for any number of classes, first half: merging groups two by two, cheapest first
//! (docs/method.md §3.3).

use super::items::Items;
use super::sorted::OrderedCost;
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
        let classes: f64 = self
            .line(group)
            .iter()
            .map(|&count| self.part_cost.class_term(count as usize))
            .sum();
        self.part_cost.size_term(self.totals[group] as usize) - classes
    }

    /// Change of the part costs if two groups merged.
    pub(crate) fn merge_cost(&self, a: usize, b: usize) -> f64 {
        self.union_cost(a, self, b) - self.costs[a] - self.costs[b]
    }

    /// Part cost of a group together with a group of another partition.
    pub(crate) fn union_cost(&self, a: usize, other: &Self, b: usize) -> f64 {
        let classes: f64 = self
            .line(a)
            .iter()
            .zip(other.line(b))
            .map(|(&a, &b)| self.part_cost.class_term((a + b) as usize))
            .sum();
        let total = self.totals[a] + other.totals[b];
        self.part_cost.size_term(total as usize) - classes
    }

    /// Part cost of a group without a group of another partition that is part of it.
    pub(crate) fn rest_cost(&self, a: usize, other: &Self, b: usize) -> f64 {
        let classes: f64 = self
            .line(a)
            .iter()
            .zip(other.line(b))
            .map(|(&a, &b)| self.part_cost.class_term((a - b) as usize))
            .sum();
        let total = self.totals[a] - other.totals[b];
        self.part_cost.size_term(total as usize) - classes
    }

    /// Moves the rows of a group of another partition from one group to another.
    pub(crate) fn transfer(&mut self, other: &Self, item: usize, from: usize, to: usize) {
        for class in 0..self.classes {
            let count = other.counts[item * self.classes + class];
            self.counts[from * self.classes + class] -= count;
            self.counts[to * self.classes + class] += count;
        }
        self.totals[from] -= other.totals[item];
        self.totals[to] += other.totals[item];
        self.values[from] -= other.values[item];
        self.values[to] += other.values[item];
        self.costs[from] = self.compute_cost(from);
        self.costs[to] = self.compute_cost(to);
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

/// The merges from single items down to one group.
pub(crate) struct MergePath {
    items: usize,
    pub(crate) merges: Vec<Merge>,
}

/// One merge of two groups.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Merge {
    /// The group that remains and the one that joins it, each under its first item.
    kept: usize,
    absorbed: usize,
    /// Change of the part costs.
    pub(crate) delta: f64,
    /// Values of the largest group before and after.
    pub(crate) largest: [usize; 2],
}

impl MergePath {
    /// Merges always the two groups whose union costs least, the first considered among equals.
    pub(crate) fn new(mut groups: DenseGroups) -> Self {
        let items = groups.len();
        let mut pairs = Pairs::new(&groups);
        let mut active: Vec<usize> = (0..items).collect();
        let mut largest = (0..items).map(|i| groups.values(i)).max().unwrap_or(0);
        let mut merges = Vec::with_capacity(items);
        while let Some((kept, absorbed)) = pairs.cheapest(&active) {
            let delta = groups.merge_cost(kept, absorbed);
            groups.absorb(kept, absorbed);
            let merged = largest.max(groups.values(kept));
            merges.push(Merge {
                kept,
                absorbed,
                delta,
                largest: [largest, merged],
            });
            largest = merged;
            let place = active.iter().position(|&group| group == absorbed);
            active.swap_remove(place.expect("a group that merges is active"));
            pairs.update(&groups, &active, kept, absorbed);
        }
        Self { items, merges }
    }

    /// The group of every item when that many groups are left, numbered as they appear.
    pub(crate) fn groups(&self, groups: usize) -> Vec<u32> {
        let mut parent: Vec<usize> = (0..self.items).collect();
        for merge in &self.merges[..self.items - groups] {
            parent[merge.absorbed] = merge.kept;
        }
        // A group is absorbed by one with a smaller first item: parents come first.
        let mut label = vec![0; self.items];
        let mut next = 0;
        for item in 0..self.items {
            label[item] = if parent[item] == item {
                next += 1;
                next - 1
            } else {
                label[parent[item]]
            };
        }
        label
    }
}

/// Rank of a merge: its cost, then when it was first considered.
type Rank = (OrderedCost, u32);

const NEVER: Rank = (OrderedCost::HIGHEST, u32::MAX);

/// All merges of two groups. Each group remembers its best merge with one of those before it, so
/// that a merge changes few of them.
struct Pairs {
    /// Row by row, the ranks of the merges of a group with those before it.
    ranks: Vec<Rank>,
    /// Best merge of each row, and with which group.
    best: Vec<(Rank, usize)>,
    considered: u32,
}

impl Pairs {
    fn new(groups: &DenseGroups) -> Self {
        let count = groups.len();
        let mut pairs = Self {
            ranks: Vec::with_capacity(count * count / 2),
            best: Vec::with_capacity(count),
            considered: 0,
        };
        for b in 0..count {
            for a in 0..b {
                let rank = pairs.rank(groups, a, b);
                pairs.ranks.push(rank);
            }
            let best = pairs.best_of_row(b);
            pairs.best.push(best);
        }
        pairs
    }

    fn rank(&mut self, groups: &DenseGroups, a: usize, b: usize) -> Rank {
        self.considered += 1;
        (OrderedCost::new(groups.merge_cost(a, b)), self.considered)
    }

    fn row(&mut self, group: usize) -> &mut [Rank] {
        &mut self.ranks[group * group.saturating_sub(1) / 2..][..group]
    }

    fn best_of_row(&mut self, group: usize) -> (Rank, usize) {
        let row = self.row(group).iter().zip(0..);
        row.fold((NEVER, 0), |best, (&rank, with)| best.min((rank, with)))
    }

    /// The cheapest merge, as the group that remains and the one that joins it.
    fn cheapest(&self, active: &[usize]) -> Option<(usize, usize)> {
        let rows = active.iter().map(|&row| (self.best[row], row));
        let ((rank, with), row) = rows.min()?;
        (rank != NEVER).then_some((with, row))
    }

    /// After a merge: ranks again what concerns the two groups.
    fn update(&mut self, groups: &DenseGroups, active: &[usize], kept: usize, absorbed: usize) {
        for &other in active.iter().filter(|&&other| other > absorbed) {
            self.row(other)[absorbed] = NEVER;
        }
        if kept > 0 {
            self.row(kept).fill(NEVER);
        }
        for &other in active.iter().filter(|&&other| other != kept) {
            let (a, b) = (kept.min(other), kept.max(other));
            let rank = self.rank(groups, a, b);
            self.row(b)[a] = rank;
        }
        self.best[kept] = self.best_of_row(kept);
        for &other in active.iter().filter(|&&other| other > kept) {
            let (_, with) = self.best[other];
            self.best[other] = if with == kept || with == absorbed {
                self.best_of_row(other)
            } else {
                self.best[other].min((self.row(other)[kept], kept))
            };
        }
    }
}
