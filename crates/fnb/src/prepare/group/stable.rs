//! Fewer items to start from: those that no class tells apart, and the rare ones
//! (docs/method.md §3.3).

use super::items::Items;
use super::sorted::SortedLines;
use crate::prepare::part_cost::PartCost;
use hashbrown::HashMap;

/// Items that fall together in every grouping of one class against all others, the groups being
/// free of charge; the group of every item and the number of groups, numbered as they appear.
/// `part_cost` is that of two classes.
pub(crate) fn stable_groups(part_cost: &PartCost, items: &Items) -> (Vec<u32>, usize) {
    let mut group_of = vec![0; items.len()];
    let mut groups = 1;
    let mut counts = vec![0; items.len()];
    let mut order: Vec<usize> = Vec::with_capacity(items.len());
    for holders in holders_by_class(items) {
        for &(item, count) in &holders {
            counts[item] = count;
        }
        let share = |&item: &usize| f64::from(counts[item]) / f64::from(items.totals[item]);
        order.clear();
        order.extend(0..items.len());
        order.sort_by(|a, b| share(a).total_cmp(&share(b)));
        let lines = order
            .iter()
            .map(|&item| [counts[item], items.totals[item] - counts[item], 1]);
        let ends = SortedLines::new(part_cost, lines).search_free(items.len());

        // Items of the first interval keep their group, the others leave it together.
        let mut moved = HashMap::new();
        for (interval, ends) in ends.windows(2).enumerate() {
            for &item in &order[ends[0]..ends[1]] {
                let key = (group_of[item], interval);
                group_of[item] = *moved.entry(key).or_insert_with(|| {
                    groups += 1;
                    groups - 1
                });
            }
        }
        for &(item, _) in &holders {
            counts[item] = 0;
        }
    }
    number_by_appearance(group_of)
}

/// The items that hold each class, and how many rows of it.
fn holders_by_class(items: &Items) -> Vec<Vec<(usize, u32)>> {
    let mut holders = vec![Vec::new(); items.counts.classes()];
    for item in 0..items.len() {
        for entry in items.counts.line(item) {
            holders[entry.class as usize].push((item, entry.count));
        }
    }
    holders
}

fn number_by_appearance(mut group_of: Vec<u32>) -> (Vec<u32>, usize) {
    let mut numbers = HashMap::new();
    for group in &mut group_of {
        let next = numbers.len() as u32;
        *group = *numbers.entry(*group).or_insert(next);
    }
    (group_of, numbers.len())
}

/// The rarest items put together by majority class, so that fewer than `limit` others are left; the
/// group of every item and the number of groups, numbered as they appear.
pub(crate) fn fuse_rare(items: &Items, limit: usize) -> (Vec<u32>, usize) {
    let least = least_frequency(items, limit);
    let mut rare_group = vec![None; items.counts.classes()];
    let mut groups = 0;
    let mut new_group = || {
        groups += 1;
        groups - 1
    };
    let group_of = (0..items.len())
        .map(|item| {
            if items.totals[item] >= least {
                return new_group();
            }
            let majority = items.counts.line(item).iter().rev().max_by_key(|e| e.count);
            let class = majority.expect("an item has rows").class;
            *rare_group[class as usize].get_or_insert_with(&mut new_group)
        })
        .collect();
    (group_of, groups as usize)
}

/// The frequency below which items are rare.
fn least_frequency(items: &Items, limit: usize) -> u32 {
    let rows: u32 = items.totals.iter().sum();
    let highest = (rows as usize).div_ceil(limit);
    let mut with_frequency = vec![0; highest + 1];
    for &total in items
        .totals
        .iter()
        .filter(|&&total| total as usize <= highest)
    {
        with_frequency[total as usize] += 1;
    }
    let mut left = items.len();
    for (frequency, count) in with_frequency.iter().enumerate().skip(1) {
        if left < limit {
            return frequency as u32;
        }
        left -= count;
    }
    1
}
