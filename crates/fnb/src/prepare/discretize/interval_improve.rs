//! Improvement of a partition into intervals by steepest descent (docs/method.md §2.4 c).
//!
//! Three moves: *split* an interval, *shift* the bound between two neighbours (merge them, cut
//! again at the best place), *contract* three neighbours into two (merge them, cut once).

use super::cost::IntervalCost;
use super::ranges::{Cut, Ranges};
use crate::math::TOLERANCE;
use crate::prepare::move_list::{MoveList, touched};

/// An interval, its part cost, and the moves that end with it: those of it alone, of it and the one
/// before, of it and the two before.
#[derive(Debug, Clone)]
struct Interval {
    end: usize,
    cost: f64,
    moves: [Option<Move>; 3],
}

/// Change of the part costs, and where to cut.
type Move = (f64, Cut);

impl Interval {
    fn new(end: usize, cost: f64) -> Self {
        Self {
            end,
            cost,
            moves: [None; 3],
        }
    }
}

/// Improves the intervals with these exclusive ends until no move pays; the ends of those that are
/// left, and the sum of their part costs.
pub(crate) fn improve(
    ranges: impl Ranges,
    ends: &[usize],
    partition_cost: &IntervalCost,
) -> (Vec<usize>, f64) {
    let mut search = Improvement::new(ranges, ends);
    while search.step(partition_cost) {}
    let ends = search
        .intervals
        .iter()
        .map(|interval| interval.end)
        .collect();
    (
        ends,
        search.intervals.iter().map(|interval| interval.cost).sum(),
    )
}

struct Improvement<R> {
    ranges: R,
    intervals: Vec<Interval>,
    /// Splits, shifts, contractions: moves of one, two and three intervals.
    lists: [MoveList; 3],
}

impl<R: Ranges> Improvement<R> {
    fn new(mut ranges: R, ends: &[usize]) -> Self {
        let mut intervals = Vec::with_capacity(ends.len());
        let mut start = 0;
        for &end in ends {
            intervals.push(Interval::new(end, ranges.cost(start..end)));
            start = end;
        }
        let mut search = Self {
            ranges,
            intervals,
            lists: Default::default(),
        };
        for covered in 1..=3 {
            for last in 0..ends.len() {
                search.find_move(last, covered);
            }
        }
        search
    }

    fn start(&self, i: usize) -> usize {
        if i == 0 { 0 } else { self.intervals[i - 1].end }
    }

    /// Applies the best move; false when none is left.
    fn step(&mut self, partition_cost: &IntervalCost) -> bool {
        let intervals = self.intervals.len();
        let here = partition_cost.of(intervals);
        let cheapest = |covered: usize| {
            let end = self.lists[covered - 1].cheapest()?;
            let last = self.intervals.binary_search_by_key(&end, |i| i.end);
            let last = last.expect("a move ends with an interval");
            let (cost, cut) = self.intervals[last].moves[covered - 1]?;
            let change = match covered {
                2 => 0.0,
                _ => partition_cost.of(intervals + 2 - covered) - here,
            };
            Some((last, snap(cost + change), cut))
        };
        let found = [cheapest(1), cheapest(2), cheapest(3)];
        let cost = |covered: usize| found[covered - 1].map_or(f64::INFINITY, |(_, cost, _)| cost);
        // Fewer intervals are preferred at equal cost, and worth a move that gains nothing.
        let covered =
            if cost(3) <= 0.0 && cost(3) < cost(2) + TOLERANCE && cost(3) < cost(1) + TOLERANCE {
                3
            } else if cost(2) < 0.0 && cost(2) < cost(1) + TOLERANCE {
                2
            } else if cost(1) < 0.0 {
                1
            } else {
                return false;
            };
        let (last, _, cut) = found[covered - 1].expect("its cost is finite");
        self.apply(last, covered, cut);
        true
    }

    /// Looks for the best way to make the `covered` intervals up to the `last` into two.
    fn find_move(&mut self, last: usize, covered: usize) {
        let Some(first) = (last + 1).checked_sub(covered) else {
            return;
        };
        let range = self.start(first)..self.intervals[last].end;
        // With a single place for the bound there is nothing to choose.
        if covered == 2 && range.len() < 3 {
            return;
        }
        let before = self.intervals[first..=last].iter();
        let before: f64 = before.map(|interval| interval.cost).sum();
        if let Some(cut) = self.ranges.best_cut(range) {
            self.add_move(last, covered, (snap(cut.cost() - before), cut));
        }
    }

    fn add_move(&mut self, last: usize, covered: usize, found: Move) {
        let interval = &mut self.intervals[last];
        interval.moves[covered - 1] = Some(found);
        self.lists[covered - 1].insert(found.0, interval.end);
    }

    /// Makes the `covered` intervals up to the `last` into the two sides of a cut, and finds the moves
    /// again that cover any of them, in the order of the reference tool.
    fn apply(&mut self, last: usize, covered: usize, cut: Cut) {
        let first = last + 1 - covered;
        for wide in 1..=3 {
            let reached = (last + wide).min(self.intervals.len());
            for interval in &mut self.intervals[first..reached] {
                if interval.moves[wide - 1].take().is_some() {
                    self.lists[wide - 1].remove(interval.end);
                }
            }
        }
        let sides = [
            Interval::new(cut.at, cut.left),
            Interval::new(self.intervals[last].end, cut.right),
        ];
        self.intervals.splice(first..=last, sides);
        for wide in 1..=3 {
            for end in touched(first, covered, wide, self.intervals.len()) {
                if covered == 2 && wide == 2 && end == first + 1 {
                    // This bound is now where it is best.
                    self.add_move(end, wide, (0.0, cut));
                } else {
                    self.find_move(end, wide);
                }
            }
        }
    }
}

/// Variations below the tolerance are none.
fn snap(cost: f64) -> f64 {
    if cost.abs() < TOLERANCE { 0.0 } else { cost }
}
