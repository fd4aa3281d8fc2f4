//! Supervised discretisation of a number: granularities, search, cut values (docs/method.md §2).

mod cost;
mod cumulated;
mod granularity;
mod interval_improve;
mod interval_search;
mod quick_queue;
mod ranges;
mod sorted_values;
mod tally;

use crate::math::TOLERANCE;
use crate::math::cut_points::cut_between;
use crate::prepare::Partition;
use crate::prepare::Schedule;
use crate::prepare::class_counts::ClassCounts;
use crate::prepare::merge_queue::MergeQueue;
use crate::prepare::part_cost::PartCost;
use crate::terms::{MissingNumbers, Parts};
use cost::IntervalCost;
pub(crate) use cost::{CutCost, max_granularity, quantiles};
pub(crate) use granularity::quantile_ends;
use interval_search::search_intervals;
use quick_queue::{MAX_PLACES, QuickQueue};
pub(crate) use sorted_values::{SortedValues, number_and_outcome};

/// The best intervals; `None` when a single one is best. `choice` is the cost of choosing the
/// variable.
pub(crate) fn discretize(
    values: &SortedValues,
    rows: usize,
    choice: f64,
    schedule: Schedule,
    part_cost: &PartCost,
) -> Option<Partition> {
    let search = Search {
        values,
        rows,
        choice,
        part_cost,
    };
    let Found {
        granularity, ends, ..
    } = search.cheapest(schedule)?;
    let merged = values.table(&ends);
    Some(Partition {
        parts: intervals(values, &ends),
        counts: (0..merged.len()).map(|i| dense_line(&merged, i)).collect(),
        cost: search.partition_cost(granularity, ends.len()),
    })
}

/// The intervals that end at some distinct values: `ends` are exclusive, the last one is that of all.
pub(crate) fn intervals(values: &SortedValues, ends: &[u32]) -> Parts {
    let cuts = &ends[..ends.len() - 1];
    let missing_own = values.missing() > 0 && cuts.first() == Some(&1);
    let cut_values = cuts.iter().skip(usize::from(missing_own));
    Parts::Intervals {
        missing: if missing_own {
            MissingNumbers::Own
        } else {
            MissingNumbers::None
        },
        cuts: cut_values
            .map(|&end| cut_between(values.value(end as usize - 1), values.value(end as usize)))
            .collect(),
    }
}

/// Two intervals, cut between two distinct values.
pub(crate) fn cut_after(values: &SortedValues, last: u32, next: u32) -> Parts {
    if last == 0 && values.missing() > 0 {
        return Parts::Intervals {
            missing: MissingNumbers::Own,
            cuts: Vec::new(),
        };
    }
    let cut = cut_between(values.value(last as usize), values.value(next as usize));
    Parts::Intervals {
        missing: MissingNumbers::None,
        cuts: vec![cut],
    }
}

fn dense_line(counts: &ClassCounts, i: usize) -> Vec<u64> {
    let mut dense = vec![0; counts.classes()];
    for entry in counts.line(i) {
        dense[entry.class as usize] = u64::from(entry.count);
    }
    dense
}

/// The exhaustive schedule tries every granularity of up to this many parts. Above, one next to the
/// finest has nearly its parts and costs as much time, and cuts it could share with the finest one
/// are found by [`Search::coarsen`].
const ALWAYS_TRIED: usize = 1024;

/// Elementary parts up to which equal merges are made in the order of the reference tool: the queue that
/// does so leaves the cache beyond, and a million parts take eight times as long as by the quick one.
const IN_ORDER: usize = 1 << 16;
/// Distinct values up to which the exhaustive schedule also looks at what the reference finds.
const SEARCHED_TWICE: usize = 1 << 14;

/// A partition at a granularity: exclusive ends in distinct values.
struct Found {
    granularity: u32,
    ends: Vec<u32>,
    cost: f64,
}

struct Search<'a> {
    values: &'a SortedValues,
    rows: usize,
    choice: f64,
    part_cost: &'a PartCost,
}

impl Search<'_> {
    fn interval_cost(&self, g: u32) -> IntervalCost {
        IntervalCost::new(self.rows, g, self.choice, self.part_cost.ln_factorial)
    }

    /// What the partition costs beyond `ln 2 + choice` and its parts.
    fn partition_cost(&self, g: u32, intervals: usize) -> f64 {
        self.interval_cost(g).of(intervals) - std::f64::consts::LN_2 - self.choice
    }

    /// The cheapest partition found, never dearer than that of the reference tool where anything is
    /// found and values are not too many (docs/method.md §2.4 b). The order of the reference among equals
    /// at every granularity, noise included, took a third of the training time of a wide table more.
    fn cheapest(&self, schedule: Schedule) -> Option<Found> {
        let found = self.best(schedule)?;
        if schedule == Schedule::Reference || self.values.len() > SEARCHED_TWICE {
            return Some(found);
        }
        let reference = self.best(Schedule::Reference);
        Some(match reference {
            Some(reference) if reference.cost < found.cost - TOLERANCE => reference,
            _ => found,
        })
    }

    /// The cheapest partition of a schedule (docs/method.md §2.3).
    fn best(&self, schedule: Schedule) -> Option<Found> {
        let distinct = self.values.len();
        let mut quantiles: Vec<Vec<u32>> = vec![Vec::new()];
        let mut optimised: Vec<u32> = Vec::new();
        let mut best: Option<Found> = None;
        for g in 1..=max_granularity(self.rows) {
            let ends = quantile_ends(&self.values.cumulated, g);
            let (before, parts) = (quantiles[g as usize - 1].len(), ends.len());
            let last = parts == distinct;
            let grows = 2 * parts >= 3 * before && 3 * parts <= 2 * distinct;
            let tried = match schedule {
                Schedule::Reference => last || grows,
                Schedule::Exhaustive => last || grows || parts <= ALWAYS_TRIED,
            };
            quantiles.push(ends);
            if tried && parts <= MAX_PLACES {
                optimised.push(g);
                let mut found = self.search(g, &quantiles[g as usize], schedule);
                if schedule == Schedule::Exhaustive {
                    self.coarsen(&mut found, &quantiles, 0);
                }
                if best
                    .as_ref()
                    .is_none_or(|best| found.cost < best.cost - TOLERANCE)
                {
                    best = Some(found);
                }
            }
            if last {
                break;
            }
        }
        let mut best = best.filter(|best| best.ends.len() > 1)?;
        if schedule == Schedule::Reference && optimised.len() > 1 {
            self.coarsen(&mut best, &quantiles, optimised[optimised.len() - 2]);
        }
        Some(best)
    }

    fn search(&self, g: u32, quantile_ends: &[u32], schedule: Schedule) -> Found {
        let cost = self.interval_cost(g);
        let (parts, part_ends) = self.values.fused_parts(quantile_ends);
        let search = match schedule {
            Schedule::Reference if quantile_ends.len() <= IN_ORDER => {
                search_intervals::<MergeQueue>
            }
            _ => search_intervals::<QuickQueue>,
        };
        let (ends, parts_cost) = search(&parts, self.part_cost, &cost);
        Found {
            granularity: g,
            cost: cost.of(ends.len()) + parts_cost,
            ends: ends.into_iter().map(|end| part_ends[end - 1]).collect(),
        }
    }

    /// Lowers the granularity as long as the same cuts exist there, stopping above `floor`: the
    /// partition stays, its description gets shorter.
    fn coarsen(&self, found: &mut Found, quantiles: &[Vec<u32>], floor: u32) {
        let intervals = found.ends.len();
        if intervals == 1 {
            return;
        }
        let from = found.granularity;
        while found.granularity > floor + 1 {
            let coarser = &quantiles[found.granularity as usize - 1];
            let enough = 1 << (found.granularity - 1) >= intervals && coarser.len() >= intervals;
            let same = |end: &u32| coarser.binary_search(end).is_ok();
            if !(enough && found.ends.iter().all(same)) {
                break;
            }
            found.granularity -= 1;
        }
        found.cost += self.interval_cost(found.granularity).of(intervals)
            - self.interval_cost(from).of(intervals);
    }
}
