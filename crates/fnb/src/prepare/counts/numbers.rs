//! Numbers by value and outcome.

use crate::columns::row_weights::ONE;
use crate::columns::{NumericColumn, Outcomes, SparseColumn};
use crate::prepare::discretize::{SortedValues, number_and_outcome};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// Units of weight by value and outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct NumberCounts {
    /// Keys that carry the outcome, in increasing order, and the units of their rows.
    cells: Vec<(u64, u64)>,
}

impl NumberCounts {
    pub(super) fn of(column: &NumericColumn, rows: &Outcomes) -> Self {
        let values = column.values().iter().zip(rows.codes());
        if rows.weights().is_none() {
            // Half as much to sort.
            let keys = values.map(|(&value, &outcome)| number_and_outcome(value, outcome));
            let mut keys: Vec<u64> = keys.collect();
            keys.sort_unstable();
            let same = keys.chunk_by(|a, b| a == b);
            let cells = same
                .map(|same| (same[0], same.len() as u64 * ONE))
                .collect();
            return Self { cells };
        }
        let values = values.enumerate();
        let cell = |(row, (&value, &outcome)): (usize, (&f64, &u32))| {
            (number_and_outcome(value, outcome), rows.units_of(row))
        };
        Self::summed(values.map(cell).collect())
    }

    pub(super) fn of_sparse(column: &SparseColumn, rows: &Outcomes) -> Self {
        let mut zeros = vec![0; rows.len()];
        for (row, &outcome) in rows.codes().iter().enumerate() {
            zeros[outcome as usize] += rows.units_of(row);
        }
        let mut cells = Vec::with_capacity(column.entries().len() + zeros.len());
        for (row, value) in column.entries() {
            let (outcome, units) = (rows.codes()[row as usize], rows.units_of(row as usize));
            zeros[outcome as usize] -= units;
            cells.push((number_and_outcome(value, outcome), units));
        }
        let zeros = (0..).zip(zeros);
        cells.extend(zeros.map(|(outcome, units)| (number_and_outcome(0.0, outcome), units)));
        Self::summed(cells)
    }

    /// Sorted, equal keys added up, those without weight left out.
    fn summed(mut cells: Vec<(u64, u64)>) -> Self {
        cells.retain(|(_, units)| *units > 0);
        cells.sort_unstable_by_key(|(key, _)| *key);
        cells.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        Self { cells }
    }

    /// Two sorted lists as one.
    pub(super) fn merged(self, other: Self) -> Self {
        let mut cells = Vec::with_capacity(self.cells.len() + other.cells.len());
        let (mut a, mut b) = (
            self.cells.into_iter().peekable(),
            other.cells.into_iter().peekable(),
        );
        while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
            match x.0.cmp(&y.0) {
                Ordering::Less => cells.extend(a.next()),
                Ordering::Greater => cells.extend(b.next()),
                Ordering::Equal => {
                    cells.push((x.0, x.1 + y.1));
                    a.next();
                    b.next();
                }
            }
        }
        cells.extend(a);
        cells.extend(b);
        Self { cells }
    }

    /// Whole rows by value and outcome.
    pub(super) fn finish(self, outcomes: usize) -> SortedValues {
        SortedValues::weighted(self.cells, outcomes)
    }
}
