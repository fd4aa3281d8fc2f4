//! How finely values are told apart: which granularities are tried, and the best of them
//! (docs/method.md §3.1).

use super::cost::GroupingCost;
use super::counts::SortedCategories;
use super::items::Items;
use super::moves::Labels;
use super::search::GroupSearch;
use crate::math::TOLERANCE;
use crate::prepare::Schedule;
use crate::prepare::merge_queue::MAX_PLACES;
use crate::prepare::part_cost::PartCost;

/// Growth of the number of values from one granularity of the reference schedule to the next.
const GROWTH: f64 = 1.5;

/// The groups found for a variable.
#[derive(Debug, Clone)]
pub(crate) struct Grouping {
    /// Groups of the values told apart where the groups were found: the most frequent ones, then
    /// all others as one.
    pub(crate) labels: Labels,
    /// Number of those values.
    values: usize,
    granularity: usize,
}

impl Grouping {
    /// Cost of all that is not the parts: the choice of the variable, the granularity, the groups.
    pub(crate) fn partition_cost(&self, rows: usize, choice: f64) -> f64 {
        GroupingCost::new(rows, choice, self.granularity, self.values)
            .partition(self.labels.groups, self.labels.garbage)
    }
}

/// The cheapest groups over the granularities of a schedule.
pub(crate) fn best_grouping(
    values: &SortedCategories,
    part_cost: &PartCost,
    choice: f64,
    schedule: Schedule,
) -> Option<Grouping> {
    let rows = values.totals.iter().sum::<u32>() as usize;
    let finest = finest_granularity(rows);
    let search = GroupSearch::new(part_cost, rows, values.counts.classes());
    let all = Items::new(values.counts.clone());
    let (mut best, mut reference_best) = (None, None);
    // The reference schedule: the values at the last granularity, the last two granularities.
    let (mut scheduled_values, mut scheduled) = (0, [0; 2]);
    let mut previous = 0;
    for granularity in 1..=finest {
        let count = values_told_apart(values, granularity, rows);
        let last = count == values.codes.len() || granularity == finest;
        let grown = count as f64 >= GROWTH * f64::from(scheduled_values)
            && GROWTH * count as f64 <= values.codes.len() as f64;
        let in_reference = last || grown;
        // A finer granularity that tells no more values apart can only cost more.
        let in_exhaustive = schedule == Schedule::Exhaustive && count > previous.max(1);
        // More values do not fit in the queue of merges; coarser granularities stand in.
        if !(in_reference || in_exhaustive) || count > MAX_PLACES {
            continue;
        }
        let items = all.keep_first(count);
        let mut cost = GroupingCost::new(rows, choice, granularity, count);
        let found = search.reference(&items, &mut cost);
        if in_exhaustive {
            let labels = search.thorough(&items, &found, &mut cost);
            keep_cheapest(&mut best, labels, count, granularity);
        }
        if in_reference {
            keep_cheapest(&mut reference_best, found, count, granularity);
            scheduled_values = count as u32;
            scheduled = [scheduled[1], granularity];
        }
        previous = count;
        if last {
            break;
        }
    }
    let mut reference = reference_best?;
    if scheduled[0] > 0 {
        reference.lower_granularity(values, rows, choice, scheduled[0]);
    }
    // The lower granularity of the reference may count for more than what exhaustion found.
    Some(match best {
        Some(best) if best.labels.cost <= reference.labels.cost => best,
        _ => reference,
    })
}

/// The finest granularity, at which values seen once are still together.
pub(crate) fn finest_granularity(rows: usize) -> usize {
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

/// Number of values at a granularity: the frequent ones, and all others as one.
pub(crate) fn values_told_apart(
    values: &SortedCategories,
    granularity: usize,
    rows: usize,
) -> usize {
    let frequent = frequent_values(values, granularity, rows);
    values.codes.len().min(frequent + 1)
}

fn keep_cheapest(best: &mut Option<Grouping>, labels: Labels, values: usize, granularity: usize) {
    let cheaper = |best: &Grouping| labels.cost < best.labels.cost - TOLERANCE;
    if best.as_ref().is_none_or(cheaper) {
        *best = Some(Grouping {
            labels,
            values,
            granularity,
        });
    }
}

impl Grouping {
    /// Lowers the granularity as long as the groups exist there, down to that before `floor`
    /// exclusive; the number of values in the cost stays as it was.
    ///
    /// As in the reference tool, values put together because they are rare forbid it.
    fn lower_granularity(
        &mut self,
        values: &SortedCategories,
        rows: usize,
        choice: f64,
        floor: usize,
    ) {
        if values.distinct > self.values {
            return;
        }
        let before = self.partition_cost(rows, choice);
        let group_of = &self.labels.group_of;
        while self.granularity > floor + 1 {
            let lower = self.granularity - 1;
            let frequent = frequent_values(values, lower, rows);
            let count = values.codes.len().min(frequent + 1);
            let together = group_of[frequent..]
                .windows(2)
                .all(|pair| pair[0] == pair[1]);
            if (1 << lower).min(count) < self.labels.groups || !together {
                break;
            }
            self.granularity = lower;
        }
        self.labels.cost += self.partition_cost(rows, choice) - before;
    }
}
