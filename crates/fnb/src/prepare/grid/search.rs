//! The best grid of two inputs: which granularities, and the search at one (docs/method.md §13.3).

use super::cells::{Cell, Table, cells, line_cost};
use super::cost::{Fineness, GridCost, MOST_PARTS};
use super::groups::better_groups;
use super::intervals::{are_few, best_intervals, shift_cuts};
use super::merge::merge;
use super::side::{Division, Side};
use crate::columns::{Outcomes, VariableKind};
use crate::math::TOLERANCE;
use crate::prepare::discretize::{max_granularity, quantiles};
use crate::prepare::part_cost::PartCost;

/// Rows up to which every granularity is tried.
const FEW_ROWS: usize = 500;

/// A grid that was found.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) divisions: [Division; 2],
    pub(super) fineness: Fineness,
    /// The granularity it was found at.
    granularity: u32,
    /// Granularity, parts and cells.
    pub(super) cost: f64,
}

/// The finest granularity that Khiops tries.
pub(super) fn finest_granularity(rows: usize) -> u32 {
    if rows <= FEW_ROWS {
        return max_granularity(rows);
    }
    let more = (rows - FEW_ROWS) as f64;
    let parts = FEW_ROWS as f64 + (more * more.log2()).sqrt();
    parts.log2().ceil() as u32
}

/// Searches the grids of two sides.
pub(super) struct Search<'a> {
    sides: [&'a Side<'a>; 2],
    kinds: [VariableKind; 2],
    cells: Vec<Cell>,
    outcomes: usize,
    rows: usize,
    part_cost: &'a PartCost,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        sides: [&'a Side<'a>; 2],
        outcomes: &Outcomes,
        part_cost: &'a PartCost,
    ) -> Self {
        Self {
            sides,
            kinds: sides.map(Side::kind),
            cells: cells(sides, outcomes),
            outcomes: outcomes.len(),
            rows: outcomes.total() as usize,
            part_cost,
        }
    }

    /// The cheapest grid of two parts a side at least, over the granularities of Khiops.
    pub(super) fn best(&self) -> Option<Found> {
        let finest = finest_granularity(self.rows);
        let most = self.sides.map(Side::len);
        let (mut before, mut optimised) = ([0, 0], Vec::new());
        let mut best: Option<Found> = None;
        for g in 1..=finest {
            let ends = self.sides.map(|side| side.ends(g, self.rows));
            let sizes = [ends[0].len(), ends[1].len()];
            let last = g == finest || sizes == most;
            let grown = |i: usize| sizes[i] >= 2 * before[i] && 2 * sizes[i] <= most[i];
            if !(last || grown(0) || grown(1)) {
                continue;
            }
            (before, optimised) = (sizes, [optimised, vec![g]].concat());
            if sizes[0] > 1 && sizes[1] > 1 {
                let mut fineness = Fineness::new(g, self.rows, self.sides, sizes);
                if last {
                    fineness.granularity = finest;
                }
                let found = self.search(g, fineness, ends, best.as_ref());
                if let Some(found) = found
                    && best
                        .as_ref()
                        .is_none_or(|best| found.cost < best.cost - TOLERANCE)
                {
                    best = Some(found);
                }
            }
            if last {
                break;
            }
        }
        let mut best = best?;
        if let [.., floor, _] = optimised[..] {
            self.coarsen(&mut best, floor);
        }
        Some(best)
    }

    fn grid_cost(&self, fineness: Fineness) -> GridCost {
        let ln_factorial = self.part_cost.ln_factorial;
        GridCost::new(fineness, self.rows, self.kinds, ln_factorial)
    }

    /// The search at one granularity: from all its cells where they are few, else from the best grid of
    /// coarser ones.
    fn search(
        &self,
        g: u32,
        fineness: Fineness,
        ends: [Vec<u32>; 2],
        coarser: Option<&Found>,
    ) -> Option<Found> {
        let cost = self.grid_cost(fineness);
        let divisions = if ends.iter().all(|ends| ends.len() <= MOST_PARTS) {
            let mut divisions = ends.map(Division::finest);
            let table = Table::of_elements(&self.cells, &divisions, 0, self.outcomes);
            let part_of = merge(self.part_cost, &table, self.kinds, &cost);
            for (division, part_of) in divisions.iter_mut().zip(part_of) {
                division.set(part_of);
            }
            divisions
        } else {
            let [a, b] = ends;
            let [first, second] = &coarser?.divisions;
            [first.moved_to(a), second.moved_to(b)]
        };
        let mut found = Found {
            cost: f64::INFINITY,
            divisions,
            fineness,
            granularity: g,
        };
        if found.divisions.iter().any(|division| division.parts < 2) {
            return None;
        }
        self.improve(&mut found, &cost);
        Some(found)
    }

    /// Improves one side after the other until neither gains.
    fn improve(&self, found: &mut Found, cost: &GridCost) {
        found.cost = self.cost(&found.divisions, cost);
        loop {
            let before = found.cost;
            for side in 0..2 {
                let mut divisions = found.divisions.clone();
                self.improve_side(&mut divisions, side, cost);
                let total = self.cost(&divisions, cost);
                if total < found.cost {
                    (found.divisions, found.cost) = (divisions, total);
                }
            }
            if found.cost > before - TOLERANCE {
                break;
            }
        }
    }

    fn improve_side(&self, divisions: &mut [Division; 2], side: usize, cost: &GridCost) {
        let table = Table::of_elements(&self.cells, divisions, side, self.outcomes);
        let division = &mut divisions[side];
        let price = |parts: usize| cost.price(side, parts);
        match self.kinds[side] {
            VariableKind::Numerical if are_few(table.lines) => {
                let most = cost.most_parts(side);
                division.set(best_intervals(self.part_cost, &table, price, most));
            }
            VariableKind::Numerical => {
                shift_cuts(self.part_cost, &table, &mut division.part_of);
            }
            VariableKind::Categorical => {
                let given = std::mem::take(&mut division.part_of);
                let parts = division.parts;
                let found = better_groups(self.part_cost, &table, &price, given, parts);
                (division.part_of, division.parts) = (found.group_of, found.count);
            }
        }
    }

    /// Granularity, parts and cells.
    fn cost(&self, divisions: &[Division; 2], cost: &GridCost) -> f64 {
        let counts = self.counts(divisions).counts.into_iter();
        let cells = line_cost(self.part_cost, self.outcomes, counts);
        cells + cost.of([divisions[0].parts, divisions[1].parts])
    }

    /// Rows of every cell.
    pub(super) fn counts(&self, divisions: &[Division; 2]) -> Table {
        let table = Table::of_elements(&self.cells, divisions, 0, self.outcomes);
        table.merged(&divisions[0].part_of, divisions[0].parts)
    }

    /// What the parts of a grid cost beyond choosing the inputs and the cells.
    pub(super) fn partition_cost(&self, found: &Found) -> f64 {
        let [first, second] = &found.divisions;
        self.grid_cost(found.fineness)
            .of([first.parts, second.parts])
    }

    /// Lowers the granularity as long as the same parts exist there, stopping above `floor`, as in
    /// docs/method.md §2.3. Of two numbers Khiops takes the parts of the first one at the lower
    /// granularity for the quantiles of the second.
    fn coarsen(&self, found: &mut Found, floor: u32) {
        let mut reached = found.granularity;
        while reached > floor + 1 && self.exists_at(found, reached - 1) {
            reached -= 1;
        }
        if reached == found.granularity {
            return;
        }
        let before = self.partition_cost(found);
        let ends = self.sides[0].ends(reached, self.rows);
        let mut places = found.fineness.places;
        if self.kinds[0] == VariableKind::Numerical {
            places[0] = quantiles(self.rows, reached);
        }
        if self.kinds[1] == VariableKind::Numerical {
            places[1] = match self.kinds[0] {
                VariableKind::Numerical => ends.len(),
                VariableKind::Categorical => quantiles(self.rows, reached),
            };
        }
        // The second side may have more parts than that.
        if places[1] < found.divisions[1].parts {
            return;
        }
        found.fineness = Fineness {
            granularity: reached,
            places,
        };
        found.granularity = reached;
        found.cost += self.partition_cost(found) - before;
    }

    fn exists_at(&self, found: &Found, g: u32) -> bool {
        (0..2).all(|i| {
            let division = &found.divisions[i];
            let ends = self.sides[i].ends(g, self.rows);
            let enough = quantiles(self.rows, g).min(ends.len()) >= division.parts;
            enough && division.exists_at(&ends)
        })
    }
}
