//! Better intervals of sorted lines: cutting one, moving a bound, removing one
//! (docs/method.md §2.4 c and §3.3).

use super::sorted::{Intervals, Partition, SortedLines};
use crate::math::TOLERANCE;
use crate::prepare::move_list::{MoveList, touched};
use std::ops::Range;

/// The best place to cut a range of lines in two.
#[derive(Debug, Clone, Copy)]
struct Cut {
    /// First line after the cut.
    at: usize,
    /// Change of the part costs.
    delta: f64,
}

impl Cut {
    fn new(at: usize, delta: f64) -> Self {
        let delta = if delta.abs() < TOLERANCE { 0.0 } else { delta };
        Self { at, delta }
    }
}

/// Steepest descent from given intervals. With `garbage`, the interval of most values is a garbage
/// group: it changes hands as intervals change, and at least three intervals remain.
pub(crate) fn improve(
    lines: &SortedLines,
    ends: Vec<usize>,
    garbage: bool,
    partition: &mut Partition,
) -> Intervals {
    let mut state = Improver::new(lines, ends, garbage);
    while state.step(partition) {}
    let garbage = state.largest_except(0..0);
    let parts = state.cost(0..state.ends.len());
    Intervals {
        cost: parts + partition(state.ends.len(), garbage),
        ends: state.ends,
        garbage,
    }
}

struct Improver<'a> {
    lines: &'a SortedLines<'a>,
    ends: Vec<usize>,
    garbage: bool,
    /// By the last of the intervals, the best cut of one, of two merged, of three merged.
    cuts: Vec<[Option<Cut>; 3]>,
    /// The same, the cheapest first.
    lists: [MoveList; 3],
}

impl<'a> Improver<'a> {
    fn new(lines: &'a SortedLines, ends: Vec<usize>, garbage: bool) -> Self {
        let mut state = Self {
            lines,
            cuts: vec![[None; 3]; ends.len()],
            ends,
            garbage,
            lists: Default::default(),
        };
        for merged in 1..=3 {
            for last in merged - 1..state.ends.len() {
                let cut = state.best_cut(last + 1 - merged..last + 1);
                state.set(last, merged, cut);
            }
        }
        state
    }

    fn set(&mut self, last: usize, merged: usize, cut: Option<Cut>) {
        self.cuts[last][merged - 1] = cut;
        if let Some(cut) = cut {
            self.lists[merged - 1].insert(cut.delta, self.ends[last]);
        }
    }

    fn start(&self, interval: usize) -> usize {
        match interval {
            0 => 0,
            i => self.ends[i - 1],
        }
    }

    /// Sum of the costs of some intervals.
    fn cost(&self, intervals: Range<usize>) -> f64 {
        intervals
            .map(|i| self.lines.cost(self.start(i), self.ends[i]))
            .sum()
    }

    /// The best cut of some intervals once merged, from right to left; a place must be clearly
    /// better than those on its right.
    fn best_cut(&self, intervals: Range<usize>) -> Option<Cut> {
        let (start, end) = (self.start(intervals.start), self.ends[intervals.end - 1]);
        // Two intervals of one line each can only be cut where they are.
        if end - start < 3.min(intervals.len() + 1) {
            return None;
        }
        let (mut best, mut at) = (f64::INFINITY, 0);
        for cut in (start + 1..end).rev() {
            let cost = self.lines.cost(start, cut) + self.lines.cost(cut, end);
            if cost < best * (1.0 - TOLERANCE) {
                (best, at) = (cost, cut);
            }
        }
        Some(Cut::new(at, best - self.cost(intervals)))
    }

    /// Number of values of the largest interval out of a range; 0 without garbage group.
    fn largest_except(&self, range: Range<usize>) -> usize {
        if !self.garbage {
            return 0;
        }
        let others = (0..self.ends.len()).filter(|i| !range.contains(i));
        let values = others.map(|i| self.lines.values(self.start(i), self.ends[i]));
        values.max().unwrap_or(0)
    }

    /// Number of values of the largest interval after the intervals of a range became two, cut at
    /// a line; 0 without garbage group.
    fn largest_after(&self, range: Range<usize>, at: usize) -> usize {
        if !self.garbage {
            return 0;
        }
        let (start, end) = (self.start(range.start), self.ends[range.end - 1]);
        let halves = [self.lines.values(start, at), self.lines.values(at, end)];
        self.largest_except(range).max(halves[0]).max(halves[1])
    }

    /// Applies the move that lowers the cost most, fewer intervals first; false if there is none.
    fn step(&mut self, partition: &mut Partition) -> bool {
        let count = self.ends.len();
        let largest = self.largest_except(0..0);
        let current = partition(count, largest);
        let mut deltas = [f64::INFINITY; 3];
        let mut places = [None; 3];
        for merged in 1..=3 {
            if merged == 3 && self.garbage && count <= 3 {
                continue;
            }
            let Some(end) = self.lists[merged - 1].cheapest() else {
                continue;
            };
            let last = self.ends.binary_search(&end);
            let last = last.expect("a cut ends with an interval");
            let cut = self.cuts[last][merged - 1].expect("a cut that is listed");
            let after = self.largest_after(last + 1 - merged..last + 1, cut.at);
            let delta = cut.delta + partition(count + 2 - merged, after) - current;
            deltas[merged - 1] = if delta.abs() < TOLERANCE { 0.0 } else { delta };
            places[merged - 1] = Some((last, cut));
        }
        // Within the tolerance, fewer intervals are preferred.
        let merged = (1..=3).fold(1, |best: usize, merged| {
            if deltas[merged - 1] < deltas[best - 1] + TOLERANCE {
                merged
            } else {
                best
            }
        });
        let delta = deltas[merged - 1];
        let Some((last, cut)) = places[merged - 1] else {
            return false;
        };
        if delta > 0.0 || (delta == 0.0 && merged < 3) {
            return false;
        }
        self.apply(last, merged, cut);
        true
    }

    /// Makes two intervals of the `merged` ones up to the `last`, and updates what depends on them.
    fn apply(&mut self, last: usize, merged: usize, cut: Cut) {
        let first = last + 1 - merged;
        for wide in 1..=3 {
            for i in first..(last + wide).min(self.ends.len()) {
                if self.cuts[i][wide - 1].take().is_some() {
                    self.lists[wide - 1].remove(self.ends[i]);
                }
            }
        }
        let end = self.ends[last];
        self.ends.splice(first..=last, [cut.at, end]);
        self.cuts.splice(first..=last, [[None; 3]; 2]);
        for wide in 1..=3 {
            for last in touched(first, merged, wide, self.ends.len()) {
                let found = if merged == 2 && wide == 2 && last == first + 1 {
                    // This bound is now where it is best.
                    Some(Cut::new(cut.at, 0.0))
                } else {
                    self.best_cut(last + 1 - wide..last + 1)
                };
                self.set(last, wide, found);
            }
        }
    }
}
