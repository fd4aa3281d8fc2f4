//! Improvement of a partition into intervals by steepest descent (docs/method.md §2.4 c).
//!
//! Three moves: *split* an interval, *shift* the bound between two neighbours (merge them, cut
//! again at the best place), *contract* three neighbours into two (merge them, cut once).

use super::cost::IntervalCost;
use super::ranges::{Cut, Ranges};
use crate::math::TOLERANCE;

/// An interval, its part cost, and what is known of the moves that start with it. A move is
/// forgotten when an interval it covers changes, and computed again when it is next needed.
#[derive(Debug, Clone)]
struct Interval {
    end: usize,
    cost: f64,
    split: Option<Move>,
    shift: Option<Move>,
    contract: Option<Move>,
}

/// Change of the part costs, and where to cut; `None` when the move does not exist.
type Move = Option<(f64, Cut)>;

impl Interval {
    fn new(end: usize, cost: f64) -> Self {
        Self {
            end,
            cost,
            split: None,
            shift: None,
            contract: None,
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
}

impl<R: Ranges> Improvement<R> {
    fn new(mut ranges: R, ends: &[usize]) -> Self {
        let mut intervals = Vec::with_capacity(ends.len());
        let mut start = 0;
        for &end in ends {
            intervals.push(Interval::new(end, ranges.cost(start..end)));
            start = end;
        }
        Self { ranges, intervals }
    }

    fn start(&self, i: usize) -> usize {
        if i == 0 { 0 } else { self.intervals[i - 1].end }
    }

    /// Applies the best move; false when none is left.
    fn step(&mut self, partition_cost: &IntervalCost) -> bool {
        let intervals = self.intervals.len();
        self.refresh();
        let here = partition_cost.of(intervals);
        let contract = (intervals >= 3)
            .then(|| self.cheapest(|i| i.contract))
            .flatten()
            .map(|(i, cost, cut)| (i, snap(cost + partition_cost.of(intervals - 1) - here), cut));
        let shift = self.cheapest(|i| i.shift);
        let split = (intervals < self.ranges.len())
            .then(|| self.cheapest(|i| i.split))
            .flatten()
            .map(|(i, cost, cut)| (i, snap(cost + partition_cost.of(intervals + 1) - here), cut));

        let cost =
            |found: Option<(usize, f64, Cut)>| found.map_or(f64::INFINITY, |(_, cost, _)| cost);
        // Fewer intervals are preferred at equal cost, and worth a move that gains nothing.
        if cost(contract) <= 0.0
            && cost(contract) < cost(shift) + TOLERANCE
            && cost(contract) < cost(split) + TOLERANCE
        {
            let (i, _, cut) = contract.expect("its cost is finite");
            self.replace(i, 3, cut);
        } else if cost(shift) < 0.0 && cost(shift) < cost(split) + TOLERANCE {
            let (i, _, cut) = shift.expect("its cost is finite");
            self.replace(i, 2, cut);
            // This bound is now where it is best.
            self.intervals[i].shift = Some(Some((0.0, cut)));
        } else if cost(split) < 0.0 {
            let (i, _, cut) = split.expect("its cost is finite");
            self.replace(i, 1, cut);
        } else {
            return false;
        }
        true
    }

    /// The first of the cheapest moves of a kind: interval, cost, cut.
    fn cheapest(&self, kind: impl Fn(&Interval) -> Option<Move>) -> Option<(usize, f64, Cut)> {
        let moves = self.intervals.iter().enumerate();
        let moves = moves.filter_map(|(i, interval)| {
            let (cost, cut) = kind(interval).flatten()?;
            Some((i, cost, cut))
        });
        moves.reduce(|best, next| if next.1 < best.1 { next } else { best })
    }

    /// Computes the moves that are not known.
    fn refresh(&mut self) {
        for i in 0..self.intervals.len() {
            if self.intervals[i].split.is_none() {
                self.intervals[i].split = Some(self.best_cut(i, 1));
            }
            if self.intervals[i].shift.is_none() {
                // With a single place for the bound there is nothing to choose.
                let movable =
                    i + 1 < self.intervals.len() && self.intervals[i + 1].end - self.start(i) >= 3;
                self.intervals[i].shift = Some(if movable { self.best_cut(i, 2) } else { None });
            }
            if self.intervals[i].contract.is_none() {
                let exists = i + 2 < self.intervals.len();
                self.intervals[i].contract = Some(if exists { self.best_cut(i, 3) } else { None });
            }
        }
    }

    /// The best way to make `covered` intervals from the `i`-th on into two.
    fn best_cut(&mut self, i: usize, covered: usize) -> Move {
        let range = self.start(i)..self.intervals[i + covered - 1].end;
        let before: f64 = self.intervals[i..i + covered]
            .iter()
            .map(|interval| interval.cost)
            .sum();
        let cut = self.ranges.best_cut(range)?;
        Some((snap(cut.cost() - before), cut))
    }

    /// Replaces `covered` intervals from the `i`-th on by the two sides of a cut, and forgets the
    /// moves that covered any of them.
    fn replace(&mut self, i: usize, covered: usize, cut: Cut) {
        let end = self.intervals[i + covered - 1].end;
        let sides = [
            Interval::new(cut.at, cut.left),
            Interval::new(end, cut.right),
        ];
        self.intervals.splice(i..i + covered, sides);
        if let Some(before) = i.checked_sub(1) {
            self.intervals[before].shift = None;
            self.intervals[before].contract = None;
        }
        if let Some(before) = i.checked_sub(2) {
            self.intervals[before].contract = None;
        }
    }
}

/// Variations below the tolerance are none.
fn snap(cost: f64) -> f64 {
    if cost.abs() < TOLERANCE { 0.0 } else { cost }
}
