//! Greedy merging: the cheapest merge of two parts of either side, down to two a side
//! (docs/method.md §13.3 a).

use super::cells::{Table, add, line_cost};
use super::cost::GridCost;
use crate::columns::VariableKind;
use crate::prepare::part_cost::PartCost;

/// The parts of the cheapest grid that merging meets, as the part of every line and column.
pub(super) fn merge(
    part_cost: &PartCost,
    table: &Table,
    kinds: [VariableKind; 2],
    cost: &GridCost,
) -> [Vec<u32>; 2] {
    let mut state = Merging::new(part_cost, table, kinds);
    let sizes = [table.lines, table.columns];
    let mut best = (0.0, 0);
    let (mut total, mut made) = (0.0, Vec::new());
    while let Some((side, [a, b], delta)) = state.cheapest(cost) {
        state.merge(side, a, b);
        made.push((side, a, b));
        total += delta;
        if total <= best.0 {
            best = (total, made.len());
        }
    }
    let mut part_of = sizes.map(|size| (0..size).collect::<Vec<usize>>());
    for &(side, a, b) in &made[..best.1] {
        for part in &mut part_of[side] {
            if *part == b {
                *part = a;
            }
        }
    }
    part_of.map(|parts| numbered(&parts))
}

/// Parts numbered as they appear.
fn numbered(parts: &[usize]) -> Vec<u32> {
    let mut number_of = vec![u32::MAX; parts.len()];
    let mut next = 0;
    let number = |&part: &usize| {
        if number_of[part] == u32::MAX {
            number_of[part] = next;
            next += 1;
        }
        number_of[part]
    };
    parts.iter().map(number).collect()
}

/// A grid while its parts are merged; a part keeps the number of the first that is in it.
struct Merging<'a> {
    part_cost: &'a PartCost,
    kinds: [VariableKind; 2],
    table: Table,
    /// Parts that are left, in order.
    left: [Vec<usize>; 2],
    /// What merging two parts of a side adds to the cost of the cells: at `a · size + b` with `a < b`.
    deltas: [Vec<f64>; 2],
}

impl<'a> Merging<'a> {
    fn new(part_cost: &'a PartCost, table: &Table, kinds: [VariableKind; 2]) -> Self {
        let sizes = [table.lines, table.columns];
        let mut state = Self {
            part_cost,
            kinds,
            table: table.clone(),
            left: sizes.map(|size| (0..size).collect()),
            deltas: sizes.map(|size| vec![0.0; size * size]),
        };
        for (side, size) in sizes.into_iter().enumerate() {
            for (a, b) in state.pairs(side) {
                let delta = state.delta(side, a, b);
                state.deltas[side][a * size + b] = delta;
            }
        }
        state
    }

    fn size(&self, side: usize) -> usize {
        [self.table.lines, self.table.columns][side]
    }

    /// Parts of a side that may be merged: neighbours among intervals, any two groups.
    fn pairs(&self, side: usize) -> Vec<(usize, usize)> {
        let left = &self.left[side];
        let places = 0..left.len();
        match self.kinds[side] {
            VariableKind::Numerical => left.array_windows().map(|&[a, b]| (a, b)).collect(),
            VariableKind::Categorical => places
                .flat_map(|i| left[i + 1..].iter().map(move |&b| (left[i], b)))
                .collect(),
        }
    }

    fn cell(&self, side: usize, part: usize, other: usize) -> &[u32] {
        let (line, column) = if side == 0 {
            (part, other)
        } else {
            (other, part)
        };
        let outcomes = self.table.outcomes;
        &self.table.counts[(line * self.table.columns + column) * outcomes..][..outcomes]
    }

    /// What merging two parts adds in one part of the other side.
    fn term(&self, side: usize, a: usize, b: usize, other: usize) -> f64 {
        let (a, b) = (self.cell(side, a, other), self.cell(side, b, other));
        if a.iter().all(|&n| n == 0) || b.iter().all(|&n| n == 0) {
            return 0.0;
        }
        let outcomes = self.table.outcomes;
        let both = a.iter().zip(b).map(|(x, y)| x + y);
        line_cost(self.part_cost, outcomes, both)
            - line_cost(self.part_cost, outcomes, a.iter().copied())
            - line_cost(self.part_cost, outcomes, b.iter().copied())
    }

    fn delta(&self, side: usize, a: usize, b: usize) -> f64 {
        let others = self.left[1 - side].iter();
        others.map(|&other| self.term(side, a, b, other)).sum()
    }

    /// The cheapest merge that leaves two parts a side, and what it adds to the cost of the grid; the
    /// first of equals.
    fn cheapest(&self, cost: &GridCost) -> Option<(usize, [usize; 2], f64)> {
        let mut best: Option<(usize, [usize; 2], f64)> = None;
        for side in 0..2 {
            let parts = self.left[side].len();
            if parts <= 2 {
                continue;
            }
            let price = cost.price(side, parts - 1) - cost.price(side, parts);
            for (a, b) in self.pairs(side) {
                let delta = self.deltas[side][a * self.size(side) + b] + price;
                if best.is_none_or(|(.., least)| delta < least) {
                    best = Some((side, [a, b], delta));
                }
            }
        }
        best
    }

    fn merge(&mut self, side: usize, a: usize, b: usize) {
        let other = 1 - side;
        let across = self.pairs(other);
        for &(c, d) in &across {
            let terms = self.term(other, c, d, a) + self.term(other, c, d, b);
            let size = self.size(other);
            self.deltas[other][c * size + d] -= terms;
        }
        let outcomes = self.table.outcomes;
        for i in 0..self.left[other].len() {
            let added = self.cell(side, b, self.left[other][i]).to_vec();
            let (line, column) = if side == 0 {
                (a, self.left[other][i])
            } else {
                (self.left[other][i], a)
            };
            let at = (line * self.table.columns + column) * outcomes;
            add(&mut self.table.counts[at..at + outcomes], &added);
        }
        self.left[side].retain(|&part| part != b);
        for &(c, d) in &across {
            let term = self.term(other, c, d, a);
            let size = self.size(other);
            self.deltas[other][c * size + d] += term;
        }
        let size = self.size(side);
        for (c, d) in self.pairs(side) {
            if c == a || d == a {
                self.deltas[side][c * size + d] = self.delta(side, c, d);
            }
        }
    }
}
