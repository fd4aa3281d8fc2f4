//! Improvement of a partition into intervals by steepest descent (docs/method.md §2.4 c).
//!
//! Three moves: *split* an interval, *shift* the bound between two neighbours (merge them, cut
//! again at the best place), *contract* three neighbours into two (merge them, cut once).

use super::cost::IntervalCost;
use crate::math::TOLERANCE;
use crate::prepare::class_counts::ClassCounts;
use crate::prepare::part_cost::PartCost;
use std::ops::Range;

/// The best cut of a range of elementary parts.
#[derive(Debug, Clone, Copy)]
struct Cut {
    /// First elementary part on the right.
    at: usize,
    left: f64,
    right: f64,
}

impl Cut {
    fn cost(&self) -> f64 {
        self.left + self.right
    }
}

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
    counts: &ClassCounts,
    ends: &[usize],
    part_cost: &PartCost,
    partition_cost: &IntervalCost,
) -> (Vec<usize>, f64) {
    let mut search = Improvement::new(counts, ends, part_cost);
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

struct Improvement<'a> {
    counts: &'a ClassCounts,
    scanner: Scanner<'a>,
    intervals: Vec<Interval>,
}

impl<'a> Improvement<'a> {
    fn new(counts: &'a ClassCounts, ends: &[usize], part_cost: &'a PartCost) -> Self {
        let mut scanner = Scanner::new(counts, part_cost);
        let mut intervals = Vec::with_capacity(ends.len());
        let mut start = 0;
        for &end in ends {
            intervals.push(Interval::new(end, scanner.cost(start..end)));
            start = end;
        }
        Self {
            counts,
            scanner,
            intervals,
        }
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
        let split = (intervals < self.counts.len())
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
        let cut = self.scanner.best_cut(range)?;
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

/// Scans the cuts of a range, keeping the class counts of both sides.
struct Scanner<'a> {
    counts: &'a ClassCounts,
    part_cost: &'a PartCost,
    left: Vec<u32>,
    right: Vec<u32>,
}

impl<'a> Scanner<'a> {
    fn new(counts: &'a ClassCounts, part_cost: &'a PartCost) -> Self {
        let zeros = vec![0; counts.classes()];
        Self {
            counts,
            part_cost,
            left: zeros.clone(),
            right: zeros,
        }
    }

    /// Sum of the class terms of a range, whose counts are left in `self.left`, and its rows.
    fn load(&mut self, range: Range<usize>) -> (f64, usize) {
        self.left.fill(0);
        self.counts.sum_range(range, &mut self.left);
        let terms = self
            .left
            .iter()
            .map(|&count| self.part_cost.class_term(count as usize))
            .sum();
        (terms, self.left.iter().sum::<u32>() as usize)
    }

    /// Part cost of a range.
    fn cost(&mut self, range: Range<usize>) -> f64 {
        let (terms, rows) = self.load(range);
        self.part_cost.size_term(rows) - terms
    }

    /// The best cut, from right to left; another one must be cheaper by a millionth to replace it.
    fn best_cut(&mut self, range: Range<usize>) -> Option<Cut> {
        let (mut left_terms, mut left_rows) = self.load(range.clone());
        self.right.fill(0);
        let (mut right_terms, mut right_rows) = (0.0, 0);
        let term = |count: u32| self.part_cost.class_term(count as usize);
        let mut best: Option<Cut> = None;
        for at in (range.start + 1..range.end).rev() {
            for entry in self.counts.line(at) {
                let left = &mut self.left[entry.class as usize];
                left_terms += term(*left - entry.count) - term(*left);
                *left -= entry.count;
                let right = &mut self.right[entry.class as usize];
                right_terms += term(*right + entry.count) - term(*right);
                *right += entry.count;
                left_rows -= entry.count as usize;
                right_rows += entry.count as usize;
            }
            let cut = Cut {
                at,
                left: self.part_cost.size_term(left_rows) - left_terms,
                right: self.part_cost.size_term(right_rows) - right_terms,
            };
            if best.is_none_or(|best| cut.cost() < best.cost() * (1.0 - TOLERANCE)) {
                best = Some(cut);
            }
        }
        best
    }
}
