//! The two best groups of values, as a node of a tree wants them (docs/method.md §13.6).

use super::items::Items;
use super::merge::{DenseGroups, MergePath};
use super::moves::{Garbage, improve};
use crate::math::TOLERANCE;
use crate::prepare::class_counts::ClassCounts;
use crate::prepare::part_cost::PartCost;

/// The group of each value, 0 or 1, and what the two parts cost. `part_cost` is that of the classes of
/// the table, which holds two values at least.
pub(crate) fn two_groups(part_cost: &PartCost, counts: ClassCounts) -> (Vec<u32>, f64) {
    let items = Items::new(counts);
    if items.counts.classes() == 2 {
        return best_cut_of_shares(part_cost, &items);
    }
    let singles = DenseGroups::new(part_cost, &items);
    let merged = MergePath::new(singles, 2, |_, _| true).groups(2);
    let only_two = &mut |groups, _| if groups == 2 { 0.0 } else { f64::INFINITY };
    let found = improve(part_cost, &items, merged, Garbage::None, only_two);
    (found.group_of, found.cost)
}

/// Two classes: the best cut between values sorted by the share of the first one.
fn best_cut_of_shares(part_cost: &PartCost, items: &Items) -> (Vec<u32>, f64) {
    let line = |item: usize| {
        let mut counts = [0; 2];
        items.counts.sum_range(item..item + 1, &mut counts);
        counts
    };
    let share = |&item: &usize| f64::from(line(item)[0]) / f64::from(items.totals[item]);
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by(|a, b| share(a).total_cmp(&share(b)));
    let mut sums = [[0, 0], [0, 0]];
    items.counts.sum_range(0..items.len(), &mut sums[1]);
    let mut best = (f64::INFINITY, 0);
    for (cut, &item) in (1..items.len()).zip(&order) {
        for (class, rows) in line(item).into_iter().enumerate() {
            sums[0][class] += rows;
            sums[1][class] -= rows;
        }
        let cost = |[a, b]: [u32; 2]| part_cost.in_order(a + b, [a, b].into_iter());
        let cost = cost(sums[0]) + cost(sums[1]);
        if cost < best.0 - TOLERANCE {
            best = (cost, cut);
        }
    }
    let mut group_of = vec![0; items.len()];
    for &item in &order[best.1..] {
        group_of[item] = 1;
    }
    (group_of, best.0)
}
