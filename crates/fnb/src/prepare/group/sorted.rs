//! Grouping for two classes: sorted by the share of the first class, groups are intervals
//! (docs/method.md §3.3).

use super::cost::MIN_GARBAGE_VALUES;
use super::sorted_improve::improve;
use crate::math::TOLERANCE;
use crate::prepare::part_cost::PartCost;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Cost of a partition beyond its parts, from the number of groups and that of garbage values.
pub(crate) type Partition<'a> = dyn FnMut(usize, usize) -> f64 + 'a;

/// Lines of two counts in order of class share, cumulated: the cost of any interval of lines is a
/// few look-ups away.
pub(crate) struct SortedLines<'a> {
    part_cost: &'a PartCost,
    /// Rows of the two classes, and values, before each line; one entry more than lines.
    before: Vec<[u32; 3]>,
}

/// Groups of consecutive lines.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Intervals {
    /// Where each interval ends, exclusive.
    pub(crate) ends: Vec<usize>,
    /// Number of values of the garbage group, 0 if there is none.
    pub(crate) garbage: usize,
    /// Partition and parts.
    pub(crate) cost: f64,
}

impl<'a> SortedLines<'a> {
    /// Lines as rows of the first class, rows of the second, values; in increasing order of the
    /// share of the first class. `part_cost` is that of two classes.
    pub(crate) fn new(part_cost: &'a PartCost, lines: impl Iterator<Item = [u32; 3]>) -> Self {
        let mut sum = [0; 3];
        let mut before = vec![sum];
        before.extend(lines.map(|line| {
            for (sum, count) in sum.iter_mut().zip(line) {
                *sum += count;
            }
            sum
        }));
        Self { part_cost, before }
    }

    /// Number of lines.
    pub(crate) fn len(&self) -> usize {
        self.before.len() - 1
    }

    /// Cost of one part made of the lines from `start` to `end`, exclusive.
    #[inline]
    pub(crate) fn cost(&self, start: usize, end: usize) -> f64 {
        let (low, high) = (&self.before[start], &self.before[end]);
        let (first, second) = ((high[0] - low[0]) as usize, (high[1] - low[1]) as usize);
        let cost = self.part_cost;
        cost.size_term(first + second) - cost.class_term(first) - cost.class_term(second)
    }

    /// Change of the part costs when two intervals that share a bound merge.
    fn merge_cost(&self, start: usize, bound: usize, end: usize) -> f64 {
        self.cost(start, end) - self.cost(start, bound) - self.cost(bound, end)
    }

    /// Number of values of the lines from `start` to `end`, exclusive.
    #[inline]
    pub(crate) fn values(&self, start: usize, end: usize) -> usize {
        (self.before[end][2] - self.before[start][2]) as usize
    }

    /// The intervals found by merging neighbours, then improving; with a garbage group where that
    /// is cheaper, provided that `lines` is large enough. `lines` is the number of lines before
    /// any that were equivalent were fused.
    pub(crate) fn search(&self, lines: usize, partition: &mut Partition) -> Intervals {
        let path = MergePath::new(self);
        if lines < MIN_GARBAGE_VALUES {
            let groups = path.cheapest(partition);
            return improve(self, path.ends(groups), false, partition);
        }
        let (plain, garbage) = path.cheapest_with_garbage(partition);
        let plain = improve(self, path.ends(plain), false, partition);
        if self.len() < 3 {
            return plain;
        }
        let garbage = improve(self, path.ends(garbage), true, partition);
        if garbage.cost < plain.cost {
            garbage
        } else {
            plain
        }
    }
}

impl SortedLines<'_> {
    /// Where the intervals end that [`search`](Self::search) would find if groups were free of
    /// charge.
    pub(crate) fn search_free(&self, lines: usize) -> Vec<usize> {
        let free = &mut |_, _| 0.0;
        if lines < MIN_GARBAGE_VALUES {
            return self.search(lines, free).ends;
        }
        // A garbage group changes nothing then, except that three intervals at least remain.
        let path = MergePath::new(self);
        let (plain, garbage) = path.cheapest_with_garbage(free);
        let found = improve(self, path.ends(plain), false, free);
        if self.len() < 3 || (plain == garbage && found.ends.len() > 3) {
            return found.ends;
        }
        let other = improve(self, path.ends(garbage), true, free);
        if other.cost < found.cost {
            other.ends
        } else {
            found.ends
        }
    }
}

/// The merges of neighbours from single lines down to one interval, cheapest first.
struct MergePath {
    lines: usize,
    merges: Vec<Merge>,
}

struct Merge {
    /// The bound that disappears.
    bound: usize,
    /// Change of the part costs.
    delta: f64,
    /// Values of the largest interval before and after.
    largest: [usize; 2],
}

impl MergePath {
    fn new(lines: &SortedLines) -> Self {
        let count = lines.len();
        // Bounds are numbered from 0, the start, to `count`, the end; these are their neighbours.
        let mut low: Vec<usize> = (0..=count).map(|bound| bound.saturating_sub(1)).collect();
        let mut high: Vec<usize> = (1..=count + 1).collect();
        let mut queue = MergeQueue::new(count);
        for bound in 1..count {
            queue.insert(bound, lines.merge_cost(bound - 1, bound, bound + 1));
        }
        let mut largest = (0..count)
            .map(|i| lines.values(i, i + 1))
            .max()
            .unwrap_or(0);
        let mut merges = Vec::with_capacity(count);
        while let Some((bound, delta)) = queue.pop() {
            let (before, after) = (low[bound], high[bound]);
            let merged = largest.max(lines.values(before, after));
            merges.push(Merge {
                bound,
                delta,
                largest: [largest, merged],
            });
            largest = merged;
            high[before] = after;
            low[after] = before;
            if before > 0 {
                queue.insert(before, lines.merge_cost(low[before], before, after));
            }
            if after < count {
                queue.insert(after, lines.merge_cost(before, after, high[after]));
            }
        }
        Self {
            lines: count,
            merges,
        }
    }

    /// Where the intervals end when that many are left.
    fn ends(&self, groups: usize) -> Vec<usize> {
        let mut is_end = vec![true; self.lines + 1];
        is_end[0] = false;
        for merge in &self.merges[..self.lines - groups] {
            is_end[merge.bound] = false;
        }
        (0..=self.lines).filter(|&bound| is_end[bound]).collect()
    }

    /// The number of groups of the cheapest partition on the path, the smallest of equals.
    fn cheapest(&self, partition: &mut Partition) -> usize {
        let mut best = (0.0, self.lines);
        let mut cost = 0.0;
        for (merge, groups) in self.merges.iter().zip((2..=self.lines).rev()) {
            cost += merge.delta + partition(groups - 1, 0) - partition(groups, 0);
            if cost <= best.0 + TOLERANCE {
                best = (cost, groups - 1);
            }
        }
        best.1
    }

    /// The numbers of groups of the cheapest partitions without and with a garbage group. Only
    /// what comes after the first merge that does not pay counts, as in the reference tool.
    fn cheapest_with_garbage(&self, partition: &mut Partition) -> (usize, usize) {
        let mut steps = Vec::with_capacity(self.lines);
        for (merge, groups) in self.merges.iter().zip((2..=self.lines).rev()) {
            let plain = merge.delta + partition(groups - 1, 0) - partition(groups, 0);
            let garbage = if groups > 3 {
                let [before, after] = merge.largest;
                merge.delta + partition(groups - 1, after) - partition(groups, before)
            } else {
                0.0
            };
            steps.push((groups - 1, plain, garbage));
        }
        let paying = self.paying_merges(&steps, partition);

        let mut plain = (0.0, 0.0, self.lines - paying);
        let mut garbage = plain;
        for &(groups, plain_step, garbage_step) in &steps[paying..] {
            plain.0 += plain_step;
            if plain.0 <= plain.1 + TOLERANCE && groups >= 2 {
                plain = (plain.0, plain.0, groups);
            }
            garbage.0 += garbage_step;
            if garbage.0 <= garbage.1 + TOLERANCE && groups >= 3 {
                garbage = (garbage.0, garbage.0, groups);
            }
        }
        (plain.2, garbage.2)
    }

    /// How many of the first merges pay, without garbage and, once that is cheaper, with garbage.
    fn paying_merges(&self, steps: &[(usize, f64, f64)], partition: &mut Partition) -> usize {
        let Some(first) = self.merges.first().filter(|_| self.lines > 3) else {
            return 0;
        };
        let advantage = partition(self.lines, first.largest[0]) - partition(self.lines, 0);
        let (mut with_garbage, mut without) = (advantage, 0.0);
        let pays = |&&(groups, plain, garbage): &&(usize, f64, f64)| {
            without += plain;
            with_garbage += garbage;
            let garbage_pays = with_garbage >= without || garbage < TOLERANCE;
            groups >= 3 && plain < TOLERANCE && garbage_pays
        };
        steps.iter().take_while(pays).count()
    }
}

/// The merges that are possible, cheapest first; among equals, the first inserted.
struct MergeQueue {
    heap: BinaryHeap<Reverse<(OrderedCost, u32, u32)>>,
    /// Change of the part costs of the merge at each bound, and when it was computed.
    current: Vec<(f64, u32)>,
    inserted: u32,
}

impl MergeQueue {
    fn new(bounds: usize) -> Self {
        Self {
            heap: BinaryHeap::with_capacity(3 * bounds),
            current: vec![(0.0, 0); bounds],
            inserted: 0,
        }
    }

    /// Adds the merge at a bound, or changes its cost.
    fn insert(&mut self, bound: usize, delta: f64) {
        self.inserted += 1;
        self.current[bound] = (delta, self.inserted);
        let key = OrderedCost::new(delta);
        self.heap.push(Reverse((key, self.inserted, bound as u32)));
    }

    fn pop(&mut self) -> Option<(usize, f64)> {
        while let Some(Reverse((_, inserted, bound))) = self.heap.pop() {
            let current = &mut self.current[bound as usize];
            if current.1 == inserted {
                current.1 = 0;
                return Some((bound as usize, current.0));
            }
        }
        None
    }
}

/// A change of cost rounded to about 10 digits, so that equal changes compare equal whatever the
/// rounding errors (docs/method.md §0.4), as an integer of the same order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct OrderedCost(u64);

impl OrderedCost {
    /// Above every cost.
    pub(crate) const HIGHEST: Self = Self(u64::MAX);

    #[inline]
    pub(crate) fn new(cost: f64) -> Self {
        const SIGN: u64 = 1 << 63;
        // 33 bits of mantissa are 10 digits; the others are rounded away.
        const DROPPED: u64 = (1 << 19) - 1;
        let size = (cost.abs().to_bits() + DROPPED / 2 + 1) & !DROPPED;
        Self(if cost < 0.0 { SIGN - size } else { SIGN + size })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The cheapest intervals by dynamic programming over the number of intervals.
    fn optimum(lines: &SortedLines, price: impl Fn(usize) -> f64) -> f64 {
        let count = lines.len();
        let mut costs: Vec<f64> = (0..=count).map(|end| lines.cost(0, end)).collect();
        let mut best = costs[count] + price(1);
        for intervals in 2..=count {
            costs = (0..=count)
                .map(|end| {
                    let cut = |cut: usize| costs[cut] + lines.cost(cut, end);
                    (intervals - 1..end).map(cut).fold(f64::INFINITY, f64::min)
                })
                .collect();
            best = best.min(costs[count] + price(intervals));
        }
        best
    }

    fn sorted(mut lines: Vec<[u32; 3]>) -> Vec<[u32; 3]> {
        let share = |line: &[u32; 3]| f64::from(line[0]) / f64::from(line[0] + line[1]);
        lines.retain(|line| line[0] + line[1] > 0);
        lines.sort_by(|a, b| share(a).total_cmp(&share(b)));
        lines
    }

    proptest! {
        #[test]
        fn intervals_are_consistent_and_nearly_optimal(
            lines in proptest::collection::vec((0..30_u32, 0..30_u32).prop_map(|(a, b)| [a, b, 1]), 2..20),
            slope in 0.0..4.0_f64,
        ) {
            let lines = sorted(lines);
            prop_assume!(lines.len() > 1);
            let rows: u32 = lines.iter().map(|line| line[0] + line[1]).sum();
            let part_cost = PartCost::new(rows as usize, 2);
            let sorted = SortedLines::new(&part_cost, lines.iter().copied());
            let price = |groups: usize| if groups == 1 { 0.0 } else { 2.0 + slope * groups as f64 };
            // A price that no garbage group lowers.
            let found = sorted.search(3, &mut |groups, _| price(groups));
            prop_assert_eq!(found.garbage, 0);
            prop_assert!(found.ends.windows(2).all(|pair| pair[0] < pair[1]));
            prop_assert_eq!(found.ends.last(), Some(&lines.len()));
            let mut start = 0;
            let mut cost = price(found.ends.len());
            for &end in &found.ends {
                cost += sorted.cost(start, end);
                start = end;
            }
            prop_assert!((cost - found.cost).abs() < 1e-9);
            let best = optimum(&sorted, price);
            prop_assert!(cost < 1.05 * best + 1e-6, "{cost} {best}");
        }

        #[test]
        fn costs_keep_their_order(a in -1e9..1e9_f64, b in -1e9..1e9_f64) {
            prop_assume!((a - b).abs() > 1e-9 * a.abs().max(b.abs()));
            prop_assert_eq!(a < b, OrderedCost::new(a) < OrderedCost::new(b));
        }
    }

    #[test]
    fn equal_costs_have_equal_ranks() {
        assert_eq!(OrderedCost::new(0.1 + 0.2), OrderedCost::new(0.3));
        assert_eq!(OrderedCost::new(-0.0), OrderedCost::new(0.0));
        assert!(OrderedCost::new(f64::INFINITY) < OrderedCost::HIGHEST);
    }
}
