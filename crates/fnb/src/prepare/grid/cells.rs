//! Rows by cell of a grid.

use super::side::{Division, Side};
use crate::columns::Outcomes;
use crate::columns::row_weights::RunningRows;
use crate::prepare::part_cost::PartCost;

/// Rows of a distinct value on each side and of an outcome.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    values: [u32; 2],
    outcome: u32,
    count: u32,
}

/// The rows of two sides.
pub(super) fn cells(sides: [&Side; 2], outcomes: &Outcomes) -> Vec<Cell> {
    let values = sides[0].codes.iter().zip(&sides[1].codes);
    let rows = values.zip(outcomes.codes());
    let rows = rows.map(|((&a, &b), &outcome)| Cell {
        values: [a, b],
        outcome,
        count: 1,
    });
    match outcomes.weights() {
        None => rows.collect(),
        Some(weights) => whole_rows(rows.zip(weights.units().iter().copied()), outcomes.len()),
    }
}

/// The weights of each outcome added up in the order of the values of both sides, which is that of no
/// table, and rounded to whole rows (docs/method.md §1.6).
fn whole_rows(rows: impl Iterator<Item = (Cell, u64)>, outcomes: usize) -> Vec<Cell> {
    let mut rows: Vec<(Cell, u64)> = rows.filter(|(_, units)| *units > 0).collect();
    let key = |cell: &Cell| (cell.values, cell.outcome);
    rows.sort_unstable_by_key(|(cell, _)| key(cell));
    let mut running = RunningRows::new(outcomes);
    let cells = rows.chunk_by(|a, b| key(&a.0) == key(&b.0)).map(|same| {
        let cell = same[0].0;
        let units = same.iter().map(|(_, units)| units).sum();
        Cell {
            count: running.add(cell.outcome, units),
            ..cell
        }
    });
    cells.filter(|cell| cell.count > 0).collect()
}

/// Rows by line, column and outcome.
#[derive(Debug, Clone)]
pub(super) struct Table {
    pub(super) lines: usize,
    pub(super) columns: usize,
    pub(super) outcomes: usize,
    pub(super) counts: Vec<u32>,
}

impl Table {
    /// The elementary parts of one side as lines, the parts of the other one as columns.
    pub(super) fn of_elements(
        cells: &[Cell],
        divisions: &[Division; 2],
        side: usize,
        outcomes: usize,
    ) -> Self {
        let (own, other) = (&divisions[side], &divisions[1 - side]);
        let line_of = own.by_value(|element| element as u32);
        let column_of = other.by_value(|element| other.part_of[element]);
        let (lines, columns) = (own.ends.len(), other.parts);
        let mut counts = vec![0; lines * columns * outcomes];
        for cell in cells {
            let line = line_of[cell.values[side] as usize] as usize;
            let column = column_of[cell.values[1 - side] as usize] as usize;
            counts[(line * columns + column) * outcomes + cell.outcome as usize] += cell.count;
        }
        Self {
            lines,
            columns,
            outcomes,
            counts,
        }
    }

    /// Columns times outcomes.
    pub(super) fn width(&self) -> usize {
        self.columns * self.outcomes
    }

    pub(super) fn line(&self, line: usize) -> &[u32] {
        &self.counts[line * self.width()..][..self.width()]
    }

    /// The lines of each part added up.
    pub(super) fn merged(&self, part_of: &[u32], parts: usize) -> Self {
        let width = self.width();
        let mut counts = vec![0; parts * width];
        for (line, &part) in part_of.iter().enumerate() {
            let sums = &mut counts[part as usize * width..][..width];
            add(sums, self.line(line));
        }
        Self {
            lines: parts,
            counts,
            ..*self
        }
    }
}

pub(super) fn add(sums: &mut [u32], line: &[u32]) {
    for (sum, count) in sums.iter_mut().zip(line) {
        *sum += count;
    }
}

/// What the cells of a line cost; an empty one costs nothing.
pub(super) fn line_cost(
    part_cost: &PartCost,
    outcomes: usize,
    counts: impl Iterator<Item = u32>,
) -> f64 {
    let (mut cost, mut rows, mut classes, mut at) = (0.0, 0, 0.0, 0);
    for count in counts {
        rows += count as usize;
        if count > 1 {
            classes += part_cost.class_term(count as usize);
        }
        at += 1;
        if at == outcomes {
            if rows > 0 {
                cost += part_cost.size_term(rows) - classes;
            }
            (rows, classes, at) = (0, 0.0, 0);
        }
    }
    cost
}
