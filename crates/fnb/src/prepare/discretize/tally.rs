//! Class counts of parts that merge: what a merge costs, and doing it.

use super::cumulated::TwoClassParts;
use crate::prepare::class_counts::{ClassCount, ClassCounts};
use crate::prepare::part_cost::PartCost;

/// Parts that can merge two by two; the first of the two takes the rows of the second.
pub(crate) trait Tally {
    /// Change of the part costs if `a` and its neighbour `b` merged.
    fn merge_cost(&mut self, a: usize, b: usize) -> f64;
    /// The same, after it was asked for.
    fn known_merge_cost(&mut self, a: usize, b: usize) -> f64;
    /// Merges `b` into `a`, after their [`merge_cost`](Self::merge_cost) was asked for.
    fn merge(&mut self, a: usize, b: usize);
    /// Sum of the part costs of all parts before any merge.
    fn total_cost(&self) -> f64;
    /// Number of parts before any merge.
    fn len(&self) -> usize;
}

/// Two classes: two counts and the cost of each part, side by side.
pub(crate) struct TwoClassTally<'a> {
    cost: &'a PartCost,
    parts: Vec<TwoClassPart>,
    /// What each part would be, merged with its neighbour.
    unions: Vec<TwoClassPart>,
}

#[derive(Clone, Copy)]
struct TwoClassPart {
    counts: [u32; 2],
    cost: f64,
}

impl<'a> TwoClassTally<'a> {
    pub(crate) fn new(parts: &TwoClassParts, cost: &'a PartCost) -> Self {
        let part = |i| {
            let counts = parts.counts(i..i + 1);
            TwoClassPart {
                counts,
                cost: two_class_cost(cost, counts),
            }
        };
        let parts: Vec<TwoClassPart> = (0..parts.len()).map(part).collect();
        Self {
            cost,
            unions: parts.clone(),
            parts,
        }
    }

    #[inline]
    fn union(&self, a: usize, b: usize) -> TwoClassPart {
        let (a, b) = (self.parts[a].counts, self.parts[b].counts);
        let counts = [a[0] + b[0], a[1] + b[1]];
        TwoClassPart {
            counts,
            cost: two_class_cost(self.cost, counts),
        }
    }
}

/// Part cost of the rows of two classes.
#[inline]
pub(crate) fn two_class_cost(cost: &PartCost, [first, second]: [u32; 2]) -> f64 {
    let (first, second) = (first as usize, second as usize);
    cost.size_term(first + second) - cost.class_term(first) - cost.class_term(second)
}

impl Tally for TwoClassTally<'_> {
    #[inline]
    fn merge_cost(&mut self, a: usize, b: usize) -> f64 {
        let union = self.union(a, b);
        self.unions[a] = union;
        union.cost - self.parts[a].cost - self.parts[b].cost
    }

    #[inline]
    fn known_merge_cost(&mut self, a: usize, b: usize) -> f64 {
        self.unions[a].cost - self.parts[a].cost - self.parts[b].cost
    }

    #[inline]
    fn merge(&mut self, a: usize, _: usize) {
        self.parts[a] = self.unions[a];
    }

    fn total_cost(&self) -> f64 {
        self.parts.iter().map(|part| part.cost).sum()
    }

    fn len(&self) -> usize {
        self.parts.len()
    }
}

/// Any number of classes: each part lists the classes it holds, so that a million parts of 355
/// classes take the room of their rows, not of a dense table.
pub(crate) struct ManyClassTally<'a> {
    cost: &'a PartCost,
    lines: Vec<Line>,
    /// Lists of the lines; a list that outgrows its room moves to the end, its room doubled.
    entries: Vec<ClassCount>,
    classes: usize,
}

#[derive(Clone, Copy)]
struct Line {
    start: usize,
    len: usize,
    room: usize,
    rows: usize,
}

impl<'a> ManyClassTally<'a> {
    pub(crate) fn new(counts: &ClassCounts, cost: &'a PartCost) -> Self {
        let mut lines = Vec::with_capacity(counts.len());
        let mut entries = Vec::new();
        for i in 0..counts.len() {
            let line = counts.line(i);
            let rows = counts.total(i) as usize;
            lines.push(Line {
                start: entries.len(),
                len: line.len(),
                room: line.len(),
                rows,
            });
            entries.extend_from_slice(line);
        }
        Self {
            cost,
            lines,
            entries,
            classes: counts.classes(),
        }
    }

    fn list(&self, line: usize) -> &[ClassCount] {
        let line = self.lines[line];
        &self.entries[line.start..line.start + line.len]
    }

    /// Number of classes of `b` that `a` does not hold.
    fn new_classes(&self, a: usize, b: usize) -> usize {
        let mut common = 0;
        for_common(self.list(a), self.list(b), |_, _| common += 1);
        self.lines[b].len - common
    }
}

/// Calls `f` with the two counts of every class that both lists hold; lists are in class order.
fn for_common(a: &[ClassCount], b: &[ClassCount], mut f: impl FnMut(u32, u32)) {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if short.len() * 8 < long.len() {
        for entry in short {
            if let Ok(i) = long.binary_search_by_key(&entry.class, |e| e.class) {
                f(entry.count, long[i].count);
            }
        }
        return;
    }
    let (mut i, mut j) = (0, 0);
    while i < short.len() && j < long.len() {
        let (x, y) = (short[i], long[j]);
        if x.class == y.class {
            f(x.count, y.count);
        }
        i += usize::from(x.class <= y.class);
        j += usize::from(y.class <= x.class);
    }
}

impl Tally for ManyClassTally<'_> {
    fn merge_cost(&mut self, a: usize, b: usize) -> f64 {
        let (rows_a, rows_b) = (self.lines[a].rows, self.lines[b].rows);
        let size = |n| self.cost.size_term(n);
        let class = |n: u32| self.cost.class_term(n as usize);
        let mut cost = size(rows_a + rows_b) - size(rows_a) - size(rows_b);
        for_common(self.list(a), self.list(b), |x, y| {
            cost -= class(x + y) - class(x) - class(y);
        });
        cost
    }

    fn known_merge_cost(&mut self, a: usize, b: usize) -> f64 {
        self.merge_cost(a, b)
    }

    fn merge(&mut self, a: usize, b: usize) {
        let needed = self.lines[a].len + self.new_classes(a, b);
        let mut line = self.lines[a];
        if needed > line.room {
            let start = self.entries.len();
            self.entries
                .extend_from_within(line.start..line.start + line.len);
            line.start = start;
            line.room = (2 * needed).min(self.classes);
            let unused = ClassCount { class: 0, count: 0 };
            self.entries.resize(start + line.room, unused);
        }
        let other = self.lines[b];
        // From the back, so that the list grows in place.
        let (mut i, mut j, mut end) = (line.len, other.len, needed);
        while j > 0 {
            let y = self.entries[other.start + j - 1];
            let x = i.checked_sub(1).map(|i| self.entries[line.start + i]);
            let merged = match x {
                Some(x) if x.class > y.class => {
                    i -= 1;
                    x
                }
                Some(x) if x.class == y.class => {
                    i -= 1;
                    j -= 1;
                    ClassCount {
                        class: x.class,
                        count: x.count + y.count,
                    }
                }
                _ => {
                    j -= 1;
                    y
                }
            };
            end -= 1;
            self.entries[line.start + end] = merged;
        }
        line.len = needed;
        line.rows += other.rows;
        self.lines[a] = line;
    }

    fn total_cost(&self) -> f64 {
        let cost = |line: usize| {
            let classes = self
                .list(line)
                .iter()
                .map(|e| self.cost.class_term(e.count as usize));
            self.cost.size_term(self.lines[line].rows) - classes.sum::<f64>()
        };
        (0..self.lines.len()).map(cost).sum()
    }

    fn len(&self) -> usize {
        self.lines.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn dense_cost(cost: &PartCost, counts: &[u32]) -> f64 {
        let rows: u32 = counts.iter().sum();
        let classes: f64 = counts.iter().map(|&c| cost.class_term(c as usize)).sum();
        cost.size_term(rows as usize) - classes
    }

    /// Merges everything left to right and checks every step against dense counts.
    fn check(tally: &mut impl Tally, cost: &PartCost, lines: &[Vec<u32>]) {
        let total: f64 = lines.iter().map(|line| dense_cost(cost, line)).sum();
        assert!((tally.total_cost() - total).abs() < 1e-9);
        let mut sum = lines[0].clone();
        for (i, line) in lines.iter().enumerate().skip(1) {
            let before = dense_cost(cost, &sum) + dense_cost(cost, line);
            sum.iter_mut().zip(line).for_each(|(s, c)| *s += c);
            let found = tally.merge_cost(0, i);
            assert!((found - (dense_cost(cost, &sum) - before)).abs() < 1e-9);
            assert_eq!(tally.known_merge_cost(0, i), found);
            tally.merge(0, i);
        }
    }

    proptest! {
        #[test]
        fn merging_agrees_with_dense_counts(
            lines in proptest::collection::vec(proptest::collection::vec(0..4_u32, 12), 2..12),
        ) {
            let cost = PartCost::new(1000, 12);
            let mut counts = ClassCounts::new(12);
            for line in &lines {
                counts.push_dense(line);
            }
            check(&mut ManyClassTally::new(&counts, &cost), &cost, &lines);

            let lines: Vec<Vec<u32>> = lines.iter().map(|line| line[..2].to_vec()).collect();
            let cost = PartCost::new(1000, 2);
            let mut parts = TwoClassParts::with_capacity(lines.len());
            for line in &lines {
                parts.push([line[0], line[1]]);
            }
            check(&mut TwoClassTally::new(&parts, &cost), &cost, &lines);
        }
    }
}
