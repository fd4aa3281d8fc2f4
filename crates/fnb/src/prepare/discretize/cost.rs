//! Criterion of a discretisation: what a granularity and a number of intervals cost
//! (docs/method.md §2.1).

use crate::math::integer_code::{self, BoundedCode};
use crate::math::ln_factorial::LnFactorial;
use std::f64::consts::LN_2;

/// Partition terms of one granularity; those of the parts are in `part_cost`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IntervalCost {
    /// `ln 2 + A + Lb(G, Gmax)`, paid once there are two intervals.
    informative: f64,
    cuts: CutCost,
}

/// What the cuts themselves cost, given `P` quantiles.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CutCost {
    ln_factorial: LnFactorial,
    /// Code of the number of cuts, among `P − 1` places.
    number_code: BoundedCode,
    ln_places: f64,
}

impl IntervalCost {
    /// For `rows` rows, granularity `g` and cost `choice` of choosing the variable.
    pub(crate) fn new(rows: usize, g: u32, choice: f64, ln_factorial: LnFactorial) -> Self {
        let granularity = integer_code::bounded(g as usize, max_granularity(rows) as usize);
        Self {
            informative: LN_2 + choice + granularity,
            cuts: CutCost::new(quantiles(rows, g), ln_factorial),
        }
    }

    /// All terms but those of the parts, for a number of intervals.
    pub(crate) fn of(&self, intervals: usize) -> f64 {
        if intervals == 1 {
            LN_2
        } else {
            self.informative + self.cuts.of(intervals - 1)
        }
    }
}

impl CutCost {
    /// For cuts between `quantiles` quantiles.
    pub(crate) fn new(quantiles: usize, ln_factorial: LnFactorial) -> Self {
        let places = quantiles - 1;
        Self {
            ln_factorial,
            number_code: BoundedCode::new(places),
            ln_places: (places as f64).ln(),
        }
    }

    /// Their number, then their places.
    pub(crate) fn of(&self, cuts: usize) -> f64 {
        self.number_code.of(cuts) + cuts as f64 * self.ln_places - self.ln_factorial.of(cuts)
    }
}

/// `Gmax = ceil(log2 N)`.
pub(crate) fn max_granularity(rows: usize) -> u32 {
    rows.next_power_of_two().trailing_zeros()
}

/// `P(G) = min(2^G, N)`.
pub(crate) fn quantiles(rows: usize, g: u32) -> usize {
    (1_usize << g).min(rows)
}
