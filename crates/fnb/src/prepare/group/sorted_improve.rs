//! Better intervals of sorted lines: cutting one, moving a bound, removing one
//! (docs/method.md §2.4 c and §3.3).

use super::sorted::{Intervals, OrderedCost, Partition, SortedLines};
use crate::math::TOLERANCE;
use std::ops::Range;

/// The best place to cut a range of lines in two.
#[derive(Debug, Clone, Copy)]
struct Cut {
    /// First line after the cut.
    at: usize,
    /// Change of the part costs; infinite if there is nowhere to cut.
    delta: f64,
    /// The same, to compare.
    rank: OrderedCost,
}

const NO_CUT: Cut = Cut {
    at: 0,
    delta: f64::INFINITY,
    rank: OrderedCost::HIGHEST,
};

impl Cut {
    fn new(at: usize, delta: f64) -> Self {
        let delta = if delta.abs() < TOLERANCE { 0.0 } else { delta };
        Self {
            at,
            delta,
            rank: OrderedCost::new(delta),
        }
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
    /// Best cut of each interval, of each two neighbours once merged, of each three.
    cuts: [Vec<Cut>; 3],
}

impl<'a> Improver<'a> {
    fn new(lines: &'a SortedLines, ends: Vec<usize>, garbage: bool) -> Self {
        let mut state = Self {
            lines,
            ends,
            garbage,
            cuts: Default::default(),
        };
        for merged in 1..=3 {
            let count = (state.ends.len() + 1).saturating_sub(merged);
            state.cuts[merged - 1] = (0..count).map(|i| state.best_cut(i..i + merged)).collect();
        }
        state
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
    fn best_cut(&self, intervals: Range<usize>) -> Cut {
        let (start, end) = (self.start(intervals.start), self.ends[intervals.end - 1]);
        // Two intervals of one line each can only be cut where they are.
        if end - start < 3.min(intervals.len() + 1) {
            return NO_CUT;
        }
        let (mut best, mut at) = (f64::INFINITY, 0);
        for cut in (start + 1..end).rev() {
            let cost = self.lines.cost(start, cut) + self.lines.cost(cut, end);
            if cost < best * (1.0 - TOLERANCE) {
                (best, at) = (cost, cut);
            }
        }
        Cut::new(at, best - self.cost(intervals))
    }

    /// The place among cuts of the same kind with the smallest change of cost.
    fn best(cuts: &[Cut]) -> Option<usize> {
        let best = (0..cuts.len()).min_by_key(|&i| cuts[i].rank)?;
        (cuts[best].delta < f64::INFINITY).then_some(best)
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
            let cuts = &self.cuts[merged - 1];
            let Some(i) = Self::best(cuts) else { continue };
            let after = self.largest_after(i..i + merged, cuts[i].at);
            let delta = cuts[i].delta + partition(count + 2 - merged, after) - current;
            deltas[merged - 1] = if delta.abs() < TOLERANCE { 0.0 } else { delta };
            places[merged - 1] = Some(i);
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
        let Some(place) = places[merged - 1] else {
            return false;
        };
        if delta > 0.0 || (delta == 0.0 && merged < 3) {
            return false;
        }
        self.apply(place, merged);
        true
    }

    /// Makes two intervals of `merged` ones from `place` on, and updates what depends on them.
    fn apply(&mut self, place: usize, merged: usize) {
        let at = self.cuts[merged - 1][place].at;
        let end = self.ends[place + merged - 1];
        self.ends.splice(place..place + merged, [at, end]);
        let count = self.ends.len();
        for width in 1..=3_usize {
            let wanted = (count + 1).saturating_sub(width);
            let mut cuts = std::mem::take(&mut self.cuts[width - 1]);
            // The cuts of later intervals keep their values at their new places.
            let seam = place.min(cuts.len());
            if cuts.len() < wanted {
                cuts.insert(seam, NO_CUT);
            } else if cuts.len() > wanted {
                cuts.remove(seam.min(cuts.len() - 1));
            }
            let touched = (place + 1).saturating_sub(width)..(place + 2).min(wanted);
            for i in touched {
                cuts[i] = self.best_cut(i..i + width);
            }
            self.cuts[width - 1] = cuts;
        }
        if merged == 2 {
            self.cuts[1][place] = Cut::new(at, 0.0);
        }
    }
}
