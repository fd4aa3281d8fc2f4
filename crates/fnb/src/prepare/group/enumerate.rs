//! Grouping of a few values: every partition is tried.

use super::cost::MIN_GARBAGE_VALUES;
use super::items::Items;
use super::moves::Labels;
use super::sorted::Partition;
use crate::math::TOLERANCE;
use crate::prepare::part_cost::PartCost;

/// The cheapest partition of few items that stand for one value each; on a tie, the one of fewer
/// groups.
pub(crate) fn cheapest_partition(
    part_cost: &PartCost,
    items: &Items,
    partition: &mut Partition,
) -> Labels {
    let count = items.len();
    let search = Enumeration {
        subset_costs: subset_costs(part_cost, items),
        prices: prices(count, partition),
    };
    let mut best: Vec<Option<Found>> = (0..=count).map(|_| None).collect();
    let all = (1 << count) - 1;
    search.extend(all, 0.0, 0, &mut Vec::with_capacity(count), &mut best);

    let mut best = best.into_iter().flatten().rev();
    let last = best.next().expect("there is a partition");
    let best = best.fold(last, |best, fewer| {
        if fewer.cost < best.cost + TOLERANCE {
            fewer
        } else {
            best
        }
    });
    let mut group_of = vec![0; count];
    for (group, &subset) in best.subsets.iter().enumerate() {
        for (item, group_of) in group_of.iter_mut().enumerate() {
            if subset & bit(item, count) != 0 {
                *group_of = group as u32;
            }
        }
    }
    Labels {
        group_of,
        groups: best.subsets.len(),
        garbage: best.garbage,
        cost: best.cost,
    }
}

/// The first items are the highest bits, so that partitions come in the order of the items.
fn bit(item: usize, count: usize) -> usize {
    1 << (count - 1 - item)
}

/// Part cost of every set of items: the counts of a set are those of the set without its first
/// item, and of that item.
fn subset_costs(part_cost: &PartCost, items: &Items) -> Vec<f64> {
    let (count, classes) = (items.len(), items.counts.classes());
    let mut counts = vec![0_u32; classes << count];
    let mut costs = vec![0.0; 1 << count];
    for subset in 1..1_usize << count {
        let highest = subset.ilog2() as usize;
        let (rest, item) = (subset ^ (1 << highest), count - 1 - highest);
        counts.copy_within(rest * classes..(rest + 1) * classes, subset * classes);
        let line = &mut counts[subset * classes..][..classes];
        items.counts.sum_range(item..item + 1, line);
        let rows: u32 = line.iter().sum();
        let labels: f64 = line.iter().map(|&n| part_cost.class_term(n as usize)).sum();
        costs[subset] = part_cost.size_term(rows as usize) - labels;
    }
    costs
}

/// Cost of a partition by number of groups and of garbage values, as `[groups][garbage]`.
fn prices(count: usize, partition: &mut Partition) -> Vec<Vec<f64>> {
    let mut price = |groups: usize, garbage: usize| {
        let sound = garbage == 0 || (count >= MIN_GARBAGE_VALUES && groups >= 3);
        if sound && groups > 0 && groups + garbage <= count + 1 {
            partition(groups, garbage)
        } else {
            f64::INFINITY
        }
    };
    (0..=count)
        .map(|groups| (0..=count).map(|garbage| price(groups, garbage)).collect())
        .collect()
}

struct Found {
    cost: f64,
    garbage: usize,
    subsets: Vec<usize>,
}

struct Enumeration {
    subset_costs: Vec<f64>,
    prices: Vec<Vec<f64>>,
}

impl Enumeration {
    /// Completes a partition of all but the `left` items in every way.
    fn extend(
        &self,
        left: usize,
        cost: f64,
        largest: usize,
        subsets: &mut Vec<usize>,
        best: &mut [Option<Found>],
    ) {
        let groups = subsets.len();
        if left == 0 {
            let prices = &self.prices[groups];
            let garbage = if prices[largest] < prices[0] {
                largest
            } else {
                0
            };
            let cost = cost + prices[garbage];
            if best[groups].as_ref().is_none_or(|best| cost < best.cost) {
                best[groups] = Some(Found {
                    cost,
                    garbage,
                    subsets: subsets.clone(),
                });
            }
            return;
        }
        // The group of the first item left, with any of the others.
        let first = 1 << left.ilog2();
        let others = left ^ first;
        let mut chosen = 0;
        loop {
            let subset = first | chosen;
            subsets.push(subset);
            let largest = largest.max(subset.count_ones() as usize);
            let cost = cost + self.subset_costs[subset];
            self.extend(left ^ subset, cost, largest, subsets, best);
            subsets.pop();
            if chosen == others {
                return;
            }
            chosen = chosen.wrapping_sub(others) & others;
        }
    }
}
