//! Two inputs + target → a grid: parts of each, and rows by cell (docs/method.md §13).

mod cells;
mod cost;
mod groups;
mod intervals;
mod merge;
mod search;
mod side;

pub(crate) use cost::choice;
pub(crate) use side::Side;

use crate::columns::Outcomes;
use crate::prepare::part_cost::PartCost;
use crate::terms::Parts;
use search::Search;

/// A grid: its cells follow each other with the parts of the second input changing fastest.
#[derive(Debug, Clone)]
pub(crate) struct Grid {
    pub(crate) parts: [Parts; 2],
    /// Rows per cell and outcome.
    pub(crate) counts: Vec<Vec<u64>>,
    /// What the parts cost, beyond the choice of the inputs and the cells themselves.
    pub(crate) cost: f64,
}

/// The best grid of two inputs, of two parts or more a side; `None` if one of them cannot be divided.
pub(crate) fn best_grid(
    sides: [&Side; 2],
    outcomes: &Outcomes,
    part_cost: &PartCost,
) -> Option<Grid> {
    let search = Search::new(sides, outcomes, part_cost);
    let found = search.best()?;
    let table = search.counts(&found.divisions);
    let (first, lines) = sides[0].parts(&found.divisions[0]);
    let (second, columns) = sides[1].parts(&found.divisions[1]);
    let mut counts = Vec::with_capacity(lines.len() * columns.len());
    for &line in &lines {
        let line = table.line(line);
        for &column in &columns {
            let cell = &line[column * table.outcomes..][..table.outcomes];
            counts.push(cell.iter().map(|&n| u64::from(n)).collect());
        }
    }
    Some(Grid {
        parts: [first, second],
        counts,
        cost: search.partition_cost(&found),
    })
}
