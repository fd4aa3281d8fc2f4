//! Criterion of a grid: what naming two inputs and dividing them costs (docs/method.md §13.2).

use super::side::Side;
use crate::columns::VariableKind;
use crate::math::integer_code::{bounded, unbounded};
use crate::math::ln_factorial::LnFactorial;
use crate::prepare::discretize::{CutCost, max_granularity, quantiles};
use crate::prepare::group::GroupingCost;
use std::f64::consts::LN_2;

/// The cost of choosing a pair: `c_sel` for the family of pairs, two inputs in any order, and what it
/// costs to name each.
pub(crate) fn choice(family: f64, inputs: [f64; 2]) -> f64 {
    family + unbounded(2) - LN_2 + inputs[0] + inputs[1]
}

/// Numbers of parts of an axis whose prices are known: more never pay, and lists of thousands of values
/// would take long to price.
pub(super) const MOST_PARTS: usize = 65;

/// The terms of a grid that do not depend on its cells, for two or more parts a side.
#[derive(Debug, Clone)]
pub(super) struct GridCost {
    granularity: f64,
    /// By side and number of parts.
    prices: [Vec<f64>; 2],
}

/// How finely the two sides of a grid are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fineness {
    /// The granularity that is coded.
    pub(super) granularity: u32,
    /// Quantiles of numbers, values told apart of categories.
    pub(super) places: [usize; 2],
}

impl Fineness {
    /// That of a granularity, with its elementary parts on each side.
    pub(super) fn new(g: u32, rows: usize, sides: [&Side; 2], elements: [usize; 2]) -> Self {
        let places = |i: usize| match sides[i].kind() {
            VariableKind::Numerical => quantiles(rows, g),
            VariableKind::Categorical => elements[i],
        };
        Self {
            granularity: g,
            places: [places(0), places(1)],
        }
    }
}

impl GridCost {
    pub(super) fn new(
        fineness: Fineness,
        rows: usize,
        kinds: [VariableKind; 2],
        ln_factorial: LnFactorial,
    ) -> Self {
        let most = max_granularity(rows) as usize;
        let prices = |i: usize| prices(kinds[i], fineness.places[i], ln_factorial);
        Self {
            granularity: bounded(fineness.granularity as usize, most),
            prices: [prices(0), prices(1)],
        }
    }

    /// Granularity and parts.
    pub(super) fn of(&self, parts: [usize; 2]) -> f64 {
        self.granularity + self.price(0, parts[0]) + self.price(1, parts[1])
    }

    /// The parts of one side.
    pub(super) fn price(&self, side: usize, parts: usize) -> f64 {
        self.prices[side][parts]
    }

    /// The largest number of parts of a side that has a price.
    pub(super) fn most_parts(&self, side: usize) -> usize {
        self.prices[side].len() - 1
    }
}

/// The price of each number of parts; fewer than two are never asked for.
fn prices(kind: VariableKind, places: usize, ln_factorial: LnFactorial) -> Vec<f64> {
    let parts = 2..=places.min(MOST_PARTS);
    let none = [f64::INFINITY; 2].into_iter();
    match kind {
        VariableKind::Numerical => {
            let cost = CutCost::new(places, ln_factorial);
            none.chain(parts.map(|parts| cost.of(parts - 1))).collect()
        }
        VariableKind::Categorical => {
            let mut cost = GroupingCost::of_groups(places);
            none.chain(parts.map(|parts| cost.partition(parts, 0)))
                .collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prepare::part_cost::PartCost;

    /// The published example, docs/method.md §13.2.
    #[test]
    fn worked_example() {
        let part_cost = PartCost::new(1200, 2);
        let null = part_cost.null(&[633, 567]);
        assert!((null.total() - 833.975_233_349).abs() < 1e-8, "{null:?}");
        let kinds = [VariableKind::Numerical, VariableKind::Categorical];
        let fineness = Fineness {
            granularity: 3,
            places: [8, 6],
        };
        let cost = GridCost::new(fineness, 1200, kinds, part_cost.ln_factorial);
        assert!((cost.granularity - 2.285_182_527).abs() < 1e-9);
        assert!((cost.price(0, 2) - 2.632_743_459).abs() < 1e-9);
        assert!((cost.price(1, 2) - 4.110_839_408).abs() < 1e-9);

        let counts = [[101, 208], [225, 77], [211, 80], [96, 202]].map(|cell| cell.to_vec());
        let c_in = 4_f64.ln();
        let choice = choice(5_f64.ln(), [c_in, c_in]);
        let found = part_cost.variable(choice, cost.of([2, 2]), &counts);
        assert!((found.construction - 6.127_780_559).abs() < 1e-9);
        assert!((found.preparation - 31.856_267_873).abs() < 1e-9);
        assert!((found.data - 713.207_466_537).abs() < 1e-8);
        let level = 1.0 - found.total() / null.total();
        assert!((level - 0.099_264_001).abs() < 1e-9, "{level}");
    }
}
