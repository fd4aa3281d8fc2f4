//! How finely values are told apart: which granularities are tried, and the best of them
//! (docs/method.md §3.1).

use super::group_cost::{GroupingCost, largest_granularity};
use super::group_counts::SortedCategories;
use super::group_items::Items;
use super::group_moves::Labels;
use super::group_search::GroupSearch;
use super::part_cost::PartCost;
use crate::math::TOLERANCE;
use crate::settings::Schedule;

/// Growth of the number of values from one optimised granularity to the next.
const GROWTH: f64 = 1.5;

/// The groups found for a variable.
#[derive(Debug, Clone)]
pub(crate) struct Grouping {
    /// Groups of values at the granularity at which they were found: the most frequent values of
    /// the variable, then all others as one.
    pub(crate) labels: Labels,
    /// Cost of the partition: what is not the parts, the choice of the variable included.
    pub(crate) partition: f64,
}

/// The cheapest groups over all granularities of a schedule.
pub(crate) fn best_grouping(
    values: &SortedCategories,
    part_cost: &PartCost,
    choice: f64,
    schedule: Schedule,
) -> Option<Grouping> {
    let rows = values.totals.iter().sum::<u32>() as usize;
    let search = GroupSearch::new(part_cost, rows);
    let all = Items::new(values.counts.clone());
    let mut best: Option<Candidate> = None;
    let mut optimised = Vec::new();
    let mut thorough: Option<Candidate> = None;
    let mut previous = 0;
    for granularity in 1..=last_granularity(rows) {
        let individual = frequent_values(values, granularity, rows);
        let count = values.codes.len().min(individual + 1);
        let last = count == values.codes.len() || granularity == last_granularity(rows);
        let in_schedule = last
            || (count as f64 >= GROWTH * previous as f64
                && GROWTH * count as f64 <= values.codes.len() as f64);
        let _ = (in_schedule, &mut optimised, &mut thorough);
        if in_schedule {
            let group_of: Vec<u32> = (0..values.codes.len())
                .map(|value| value.min(individual) as u32)
                .collect();
            let items = Items {
                values: vec![1; count],
                ..all.fuse(&group_of, count)
            };
            let mut cost = GroupingCost::new(rows, choice, granularity, count);
            let labels = search.reference(&items, &mut cost);
            if best
                .as_ref()
                .is_none_or(|best| labels.cost < best.labels.cost - TOLERANCE)
            {
                best = Some(Candidate {
                    granularity,
                    labels,
                    values: count,
                });
            }
            optimised.push(granularity);
            previous = count;
        }
        if last {
            break;
        }
    }
    let _ = schedule;
    let mut best = best?;
    if let [.., floor, _] = optimised[..] {
        best.clean_up(values, rows, floor);
    }
    let mut cost = GroupingCost::new(rows, choice, best.granularity, best.values);
    let partition = cost.partition(best.labels.groups, best.labels.garbage);
    Some(Grouping {
        labels: best.labels,
        partition,
    })
}

struct Candidate {
    granularity: usize,
    values: usize,
    labels: Labels,
}

impl Candidate {
    fn clean_up(&mut self, values: &SortedCategories, rows: usize, floor: usize) {
        let group = |value: usize| self.labels.group_of[value.min(self.values - 1)];
        while self.granularity > floor + 1 {
            let lower = self.granularity - 1;
            let individual = frequent_values(values, lower, rows);
            let count = values.codes.len().min(individual + 1);
            let same =
                (individual..values.codes.len()).all(|value| group(value) == group(individual));
            if 1 << lower < self.labels.groups || count < self.labels.groups || !same {
                break;
            }
            self.granularity = lower;
        }
    }
}

/// The finest granularity, at which values seen once are still together.
fn last_granularity(rows: usize) -> usize {
    let _ = largest_granularity;
    let floor = rows.ilog2() as usize;
    if rows.is_power_of_two() && floor > 1 {
        floor - 1
    } else {
        floor
    }
}

/// Number of values that are frequent enough to be told apart at a granularity.
fn frequent_values(values: &SortedCategories, granularity: usize, rows: usize) -> usize {
    let least = rows.div_ceil(1 << granularity) as u32;
    let repeated = values.codes.len() - usize::from(values.has_singles);
    values.totals[..repeated].partition_point(|&total| total >= least)
}
