//! Grouping for two classes: sorted by the share of the first class, groups are intervals
//! (docs/method.md §3.3).

use super::cost::MIN_GARBAGE_VALUES;
use super::sorted_improve::improve;
use crate::math::TOLERANCE;
use crate::prepare::merge_queue::MergeQueue;
use crate::prepare::part_cost::PartCost;

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
        if lines < MIN_GARBAGE_VALUES {
            let path = MergePath::new(self, |step| step.plain(partition) < TOLERANCE);
            let groups = path.cheapest(partition);
            return improve(self, path.ends(groups), false, partition);
        }
        let path = MergePath::with_garbage(self, partition);
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
        let path = MergePath::with_garbage(self, free);
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
    /// How many of the first merges pay.
    paying: usize,
}

#[derive(Debug, Clone, Copy)]
struct Merge {
    /// The bound that disappears.
    bound: usize,
    /// Groups that are left.
    groups: usize,
    /// Change of the part costs.
    delta: f64,
    /// Values of the largest interval before and after.
    largest: [usize; 2],
}

impl Merge {
    /// Change of the cost without a garbage group.
    fn plain(&self, partition: &mut Partition) -> f64 {
        self.delta + partition(self.groups, 0) - partition(self.groups + 1, 0)
    }

    /// Change of the cost with a garbage group; none if two others would not be left.
    fn garbage(&self, partition: &mut Partition) -> f64 {
        if self.groups < 3 {
            return 0.0;
        }
        let [before, after] = self.largest;
        self.delta + partition(self.groups, after) - partition(self.groups + 1, before)
    }
}

impl MergePath {
    /// `pays` is asked up to the first merge that does not pay. What is left then is put in order
    /// again, as in discretisation (docs/method.md §2.4 b).
    fn new(lines: &SortedLines, mut pays: impl FnMut(&Merge) -> bool) -> Self {
        let count = lines.len();
        // Bounds are numbered from 0, the start, to `count`, the end; these are their neighbours.
        // The merge at a bound has the place before it in the queue.
        let mut low: Vec<usize> = (0..=count).map(|bound| bound.saturating_sub(1)).collect();
        let mut high: Vec<usize> = (1..=count + 1).collect();
        let delta = |bound: usize| lines.merge_cost(bound - 1, bound, bound + 1);
        let mut deltas: Vec<f64> = (1..count).map(delta).collect();
        let mut queue = MergeQueue::default();
        queue.fill(deltas.iter().copied());
        let mut largest = (0..count)
            .map(|i| lines.values(i, i + 1))
            .max()
            .unwrap_or(0);
        let mut merges: Vec<Merge> = Vec::with_capacity(count);
        let mut paying = None;
        while let Some(place) = queue.cheapest() {
            let bound = place + 1;
            let (before, after) = (low[bound], high[bound]);
            let merged = largest.max(lines.values(before, after));
            let merge = Merge {
                bound,
                groups: count - merges.len() - 1,
                delta: deltas[place],
                largest: [largest, merged],
            };
            if paying.is_none() && !pays(&merge) {
                paying = Some(merges.len());
                queue.refill();
                continue;
            }
            merges.push(merge);
            largest = merged;
            high[before] = after;
            low[after] = before;
            queue.remove(place);
            if before > 0 {
                queue.remove(before - 1);
                deltas[before - 1] = lines.merge_cost(low[before], before, after);
                queue.insert(before - 1, deltas[before - 1]);
            }
            if after < count {
                queue.remove(after - 1);
                deltas[after - 1] = lines.merge_cost(before, after, high[after]);
                queue.insert(after - 1, deltas[after - 1]);
            }
            queue.replay();
        }
        Self {
            lines: count,
            paying: paying.unwrap_or(merges.len()),
            merges,
        }
    }

    /// The first merges pay if they do without garbage and, once that is cheaper, with garbage.
    fn with_garbage(lines: &SortedLines, partition: &mut Partition) -> Self {
        let count = lines.len();
        let (mut with_garbage, mut without) = (None, 0.0);
        Self::new(lines, |merge| {
            if count <= 3 {
                return false;
            }
            let advantage = |partition: &mut Partition| {
                partition(count, merge.largest[0]) - partition(count, 0)
            };
            let with_garbage = with_garbage.get_or_insert_with(|| advantage(partition));
            let (plain, garbage) = (merge.plain(partition), merge.garbage(partition));
            without += plain;
            *with_garbage += garbage;
            let garbage_pays = *with_garbage >= without || garbage < TOLERANCE;
            merge.groups >= 3 && plain < TOLERANCE && garbage_pays
        })
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
        for merge in &self.merges {
            cost += merge.plain(partition);
            if cost <= best.0 + TOLERANCE {
                best = (cost, merge.groups);
            }
        }
        best.1
    }

    /// The numbers of groups of the cheapest partitions without and with a garbage group. Only
    /// what comes after the first merge that does not pay counts, as in the reference tool.
    fn cheapest_with_garbage(&self, partition: &mut Partition) -> (usize, usize) {
        let mut plain = (0.0, 0.0, self.lines - self.paying);
        let mut garbage = plain;
        for merge in &self.merges[self.paying..] {
            plain.0 += merge.plain(partition);
            if plain.0 <= plain.1 + TOLERANCE && merge.groups >= 2 {
                plain = (plain.0, plain.0, merge.groups);
            }
            garbage.0 += merge.garbage(partition);
            if garbage.0 <= garbage.1 + TOLERANCE && merge.groups >= 3 {
                garbage = (garbage.0, garbage.0, merge.groups);
            }
        }
        (plain.2, garbage.2)
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
    }
}
