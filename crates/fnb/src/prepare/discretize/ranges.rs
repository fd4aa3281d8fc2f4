//! Ranges of elementary parts: their cost, and where to cut them in two.

use super::cumulated::TwoClassParts;
use super::tally::two_class_cost;
use crate::math::TOLERANCE;
use crate::prepare::class_counts::ClassCounts;
use crate::prepare::part_cost::PartCost;
use std::ops::Range;

/// The best cut of a range.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cut {
    /// First elementary part on the right.
    pub(crate) at: usize,
    pub(crate) left: f64,
    pub(crate) right: f64,
}

impl Cut {
    pub(crate) fn cost(&self) -> f64 {
        self.left + self.right
    }

    /// Another one must be cheaper by a millionth to replace it.
    #[inline]
    fn replaces(&self, best: Option<Self>) -> bool {
        best.is_none_or(|best| self.cost() < best.cost() * (1.0 - TOLERANCE))
    }
}

/// Elementary parts, of which ranges are asked about.
pub(crate) trait Ranges {
    /// Part cost of a range.
    fn cost(&mut self, range: Range<usize>) -> f64;
    /// The best cut of a range, from right to left; `None` if it is a single part.
    fn best_cut(&mut self, range: Range<usize>) -> Option<Cut>;
}

/// Two classes: the counts of both sides of a cut are differences of cumulated counts.
pub(crate) struct TwoClassRanges<'a> {
    parts: &'a TwoClassParts,
    part_cost: &'a PartCost,
}

impl<'a> TwoClassRanges<'a> {
    pub(crate) fn new(parts: &'a TwoClassParts, part_cost: &'a PartCost) -> Self {
        Self { parts, part_cost }
    }
}

impl Ranges for TwoClassRanges<'_> {
    fn cost(&mut self, range: Range<usize>) -> f64 {
        two_class_cost(self.part_cost, self.parts.counts(range))
    }

    fn best_cut(&mut self, range: Range<usize>) -> Option<Cut> {
        let mut best: Option<Cut> = None;
        for at in (range.start + 1..range.end).rev() {
            let cut = Cut {
                at,
                left: self.cost(range.start..at),
                right: self.cost(at..range.end),
            };
            if cut.replaces(best) {
                best = Some(cut);
            }
        }
        best
    }
}

/// Any number of classes: the counts of both sides are kept while the cut moves.
pub(crate) struct ManyClassRanges<'a> {
    counts: &'a ClassCounts,
    part_cost: &'a PartCost,
    left: Vec<u32>,
    right: Vec<u32>,
}

impl<'a> ManyClassRanges<'a> {
    pub(crate) fn new(counts: &'a ClassCounts, part_cost: &'a PartCost) -> Self {
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
}

impl Ranges for ManyClassRanges<'_> {
    fn cost(&mut self, range: Range<usize>) -> f64 {
        let (terms, rows) = self.load(range);
        self.part_cost.size_term(rows) - terms
    }

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
            if cut.replaces(best) {
                best = Some(cut);
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn two_classes_are_as_any_number(
            lines in proptest::collection::vec((0..9_u32, 0..9_u32), 1..20),
        ) {
            let mut counts = ClassCounts::new(2);
            let mut parts = TwoClassParts::with_capacity(lines.len());
            for &(first, second) in &lines {
                counts.push_dense(&[first + 1, second]);
                parts.push([first + 1, second]);
            }
            let cost = PartCost::new(1000, 2);
            let mut two = TwoClassRanges::new(&parts, &cost);
            let mut many = ManyClassRanges::new(&counts, &cost);
            for start in 0..lines.len() {
                for end in start + 1..=lines.len() {
                    prop_assert!((two.cost(start..end) - many.cost(start..end)).abs() < 1e-9);
                    let (a, b) = (two.best_cut(start..end), many.best_cut(start..end));
                    let cost = |cut: Option<Cut>| cut.map(|cut| cut.cost());
                    prop_assert_eq!(a.is_some(), b.is_some());
                    let difference = cost(a).unwrap_or(0.0) - cost(b).unwrap_or(0.0);
                    prop_assert!(difference.abs() < 1e-4);
                }
            }
        }
    }
}
