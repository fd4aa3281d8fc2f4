//! Rows per category and class when rows have weights.

use super::counts::byte_order;
use crate::columns::row_weights::RunningRows;
use crate::columns::{CategoricalColumn, Outcomes, RowWeights};
use crate::prepare::class_counts::ClassCounts;

/// Rows of a value and a class.
pub(super) struct Cell {
    /// Dictionary code of the value.
    pub(super) code: u32,
    class: u32,
    /// Above 0.
    pub(super) count: u32,
}

/// The weights of each class added up in the order of the bytes of the values, which is that of no
/// table, and rounded to whole rows (docs/method.md §1.6).
pub(super) fn weighted_cells(column: &CategoricalColumn, outcomes: &Outcomes) -> Vec<Cell> {
    let values = column.values();
    let mut codes: Vec<u32> = (0..values.len() as u32).collect();
    codes.sort_unstable_by_key(|&code| byte_order(values, code));
    let mut rank_of = vec![0_u64; codes.len()];
    for (rank, &code) in codes.iter().enumerate() {
        rank_of[code as usize] = rank as u64;
    }
    let rows = column.codes().iter().zip(outcomes.codes());
    let keys = rows.map(|(&code, &class)| rank_of[code as usize] << 32 | u64::from(class));
    let units = outcomes.weights().map_or(&[][..], RowWeights::units);
    let rows = keys.zip(units.iter().copied());
    let mut rows: Vec<(u64, u64)> = rows.filter(|(_, units)| *units > 0).collect();
    rows.sort_unstable_by_key(|(key, _)| *key);
    let cells = rows.chunk_by(|a, b| a.0 == b.0).map(|rows| {
        let (rank, class) = ((rows[0].0 >> 32) as usize, rows[0].0 as u32);
        let units = rows.iter().map(|(_, units)| units).sum();
        (codes[rank], class, units)
    });
    whole_cells(cells, outcomes.len())
}

/// Units of weight by value and class as whole rows: running sums of each class are rounded.
pub(super) fn whole_cells(
    cells: impl Iterator<Item = (u32, u32, u64)>,
    classes: usize,
) -> Vec<Cell> {
    let mut running = RunningRows::new(classes);
    let cells = cells.map(|(code, class, units)| Cell {
        code,
        class,
        count: running.add(class, units),
    });
    cells.filter(|cell| cell.count > 0).collect()
}

/// Rows per entry and class, given the entry of every value.
pub(super) fn sum_cells(
    cells: &[Cell],
    entry_of: &[u32],
    classes: usize,
    entries: usize,
) -> ClassCounts {
    let sorted = cells
        .iter()
        .map(|cell| (entry_of[cell.code as usize], cell.class, cell.count));
    let mut sorted: Vec<(u32, u32, u32)> = sorted.collect();
    sorted.sort_unstable();
    let mut counts = ClassCounts::with_capacity(classes, entries);
    // Every entry has rows: none is left out.
    for entry in sorted.chunk_by(|a, b| a.0 == b.0) {
        for same in entry.chunk_by(|a, b| a.1 == b.1) {
            counts.add(same[0].1, same.iter().map(|cell| cell.2).sum());
        }
        counts.end_line();
    }
    counts
}
