//! Search of the best intervals over ordered elementary parts (docs/method.md §2.4): merge
//! greedily, then improve.

use super::cost::IntervalCost;
use super::cumulated::TwoClassParts;
use super::interval_improve::improve;
use super::ranges::{ManyClassRanges, TwoClassRanges};
use super::tally::{ManyClassTally, Tally, TwoClassTally};
use crate::math::TOLERANCE;
use crate::prepare::class_counts::ClassCounts;
use crate::prepare::merge_queue::MergeQueue;
use crate::prepare::part_cost::PartCost;

/// What intervals are made of, in order.
#[derive(Debug)]
pub(crate) enum ElementaryParts {
    Two(TwoClassParts),
    Many(ClassCounts),
}

/// Exclusive ends, in elementary parts, of the intervals found, and the sum of their part costs.
/// `partition_cost` is what a number of intervals costs beyond that sum.
pub(crate) fn search_intervals<Q: Merges>(
    parts: &ElementaryParts,
    part_cost: &PartCost,
    partition_cost: &IntervalCost,
) -> (Vec<usize>, f64) {
    match parts {
        ElementaryParts::Two(parts) => {
            let ends = merge_greedily::<Q>(TwoClassTally::new(parts, part_cost), partition_cost);
            improve(TwoClassRanges::new(parts, part_cost), &ends, partition_cost)
        }
        ElementaryParts::Many(counts) => {
            let ends = merge_greedily::<Q>(ManyClassTally::new(counts, part_cost), partition_cost);
            improve(
                ManyClassRanges::new(counts, part_cost),
                &ends,
                partition_cost,
            )
        }
    }
}

/// The merges that are possible, one per place. They differ in which of equal ones is the cheapest.
pub(crate) trait Merges: Default {
    /// Are merges inserted again at the first that does not pay?
    const REFILLED: bool;
    /// Restarts with one merge per place.
    fn fill(&mut self, costs: impl ExactSizeIterator<Item = f64>);
    /// Inserts again all merges that are left, from left to right.
    fn refill(&mut self);
    /// The place of the cheapest merge.
    fn cheapest(&mut self) -> Option<usize>;
    /// Inserts the merge of a place that has none. [`replay`](Self::replay) must follow.
    fn insert(&mut self, place: usize, cost: f64);
    /// No merge is possible at a place any more. [`replay`](Self::replay) must follow.
    fn remove(&mut self, place: usize);
    /// Removes a merge that is inserted again before [`replay`](Self::replay).
    fn withdraw(&mut self, place: usize);
    /// Accounts for what changed at these places, given in increasing order.
    fn replay(&mut self, places: [usize; 3]);
}

/// In the order of the reference tool.
impl Merges for MergeQueue {
    const REFILLED: bool = true;

    fn fill(&mut self, costs: impl ExactSizeIterator<Item = f64>) {
        self.fill(costs);
    }

    fn refill(&mut self) {
        self.refill();
    }

    fn cheapest(&mut self) -> Option<usize> {
        self.cheapest()
    }

    #[inline]
    fn insert(&mut self, place: usize, cost: f64) {
        self.insert(place, cost);
    }

    #[inline]
    fn remove(&mut self, place: usize) {
        self.remove(place);
    }

    #[inline]
    fn withdraw(&mut self, place: usize) {
        self.remove(place);
    }

    #[inline]
    fn replay(&mut self, _: [usize; 3]) {
        self.replay();
    }
}

/// Merges the cheapest pair of neighbours until one interval is left, and returns the ends of the
/// intervals at the cheapest moment; at equal cost, the one with fewer intervals.
fn merge_greedily<Q: Merges>(mut tally: impl Tally, partition_cost: &IntervalCost) -> Vec<usize> {
    let parts = tally.len();
    if parts == 1 {
        return vec![1];
    }
    // Place i stands for the merge of part i with the next one still there.
    let link = |i: u32| Link {
        next: i + 1,
        previous: i.wrapping_sub(1),
        merged_at: u32::MAX,
    };
    let mut links: Vec<Link> = (0..parts as u32).map(link).collect();
    let mut queue = Q::default();
    queue.fill((0..parts - 1).map(|i| tally.merge_cost(i, i + 1)));

    let mut parts_cost = tally.total_cost();
    let mut partition = partition_cost.of(parts);
    let mut best = parts_cost + partition;
    let mut best_merges = 0;
    let mut merges = 0;
    let mut all_paid = true;
    while let Some(left) = queue.cheapest() {
        let right = links[left].next as usize;
        let change = tally.known_merge_cost(left, right);
        let partition_after = partition_cost.of(parts - 1 - merges as usize);
        // As the reference tool does: what is left at the first merge that does not pay is put in
        // order again, which matters among equals.
        if Q::REFILLED && all_paid && change + partition_after - partition >= TOLERANCE {
            all_paid = false;
            queue.refill();
            continue;
        }
        tally.merge(left, right);
        parts_cost += change;
        partition = partition_after;
        links[right].merged_at = merges;
        merges += 1;

        let after = links[right].next as usize;
        let Link { previous, next, .. } = &mut links[left];
        *next = after as u32;
        let before = *previous as usize;
        if after < parts {
            links[after].previous = left as u32;
            queue.remove(right);
            queue.withdraw(left);
        } else {
            queue.remove(left);
        }
        if left > 0 {
            queue.withdraw(before);
            queue.insert(before, tally.merge_cost(before, left));
        }
        if after < parts {
            queue.insert(left, tally.merge_cost(left, after));
        }
        // The last part has no place, the first part nothing before it.
        queue.replay([before.min(left), left, right.min(parts - 2)]);

        let total = parts_cost + partition;
        if total < best + TOLERANCE {
            best = total;
            best_merges = merges;
        }
    }
    let starts = (1..parts).filter(|&part| links[part].merged_at >= best_merges);
    starts.chain([parts]).collect()
}

/// The neighbours of a part, and when it disappeared into the one on its left; the first one never
/// does.
struct Link {
    next: u32,
    previous: u32,
    merged_at: u32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn total(
        counts: &ClassCounts,
        ends: &[usize],
        cost: &PartCost,
        partition: &IntervalCost,
    ) -> f64 {
        let merged = counts.merge_ranges(ends.iter().copied());
        let part = |i| {
            let classes = merged
                .line(i)
                .iter()
                .map(|e| cost.class_term(e.count as usize));
            cost.size_term(merged.total(i) as usize) - classes.sum::<f64>()
        };
        partition.of(ends.len()) + (0..merged.len()).map(part).sum::<f64>()
    }

    /// The cheapest of all partitions into intervals, by enumeration of the cuts.
    fn optimum(counts: &ClassCounts, cost: &PartCost, partition: &IntervalCost) -> f64 {
        let places = counts.len() - 1;
        let ends = |cuts: u32| {
            let inner = (0..places)
                .filter(move |place| cuts >> place & 1 == 1)
                .map(|p| p + 1);
            inner.chain([places + 1]).collect::<Vec<_>>()
        };
        (0..1_u32 << places)
            .map(|cuts| total(counts, &ends(cuts), cost, partition))
            .fold(f64::INFINITY, f64::min)
    }

    proptest! {
        #[test]
        fn close_to_the_best_of_all_partitions(
            lines in proptest::collection::vec(proptest::collection::vec(0..30_u32, 3), 1..11),
            two in any::<bool>(),
        ) {
            let classes = if two { 2 } else { 3 };
            let mut counts = ClassCounts::new(classes);
            let mut parts = TwoClassParts::with_capacity(lines.len());
            for line in &lines {
                let mut line = line[..classes].to_vec();
                line[0] += 1;
                counts.push_dense(&line);
                parts.push([line[0], line[1]]);
            }
            let parts = if two {
                ElementaryParts::Two(parts)
            } else {
                ElementaryParts::Many(counts.clone())
            };
            let cost = PartCost::new(2000, classes);
            let partition = IntervalCost::new(2000, 4, 1.0, cost.ln_factorial);
            let (ends, parts_cost) = search_intervals::<MergeQueue>(&parts, &cost, &partition);
            let found = total(&counts, &ends, &cost, &partition);
            prop_assert!((found - parts_cost - partition.of(ends.len())).abs() < 1e-9);
            let best = optimum(&counts, &cost, &partition);
            // A steepest descent may stop in a local minimum, but never far from the best, and
            // never above a single interval.
            prop_assert!(found <= best + 0.05 * best.abs(), "{found} {best}");
            prop_assert!(found <= total(&counts, &[counts.len()], &cost, &partition) + 1e-5);
        }
    }
}
