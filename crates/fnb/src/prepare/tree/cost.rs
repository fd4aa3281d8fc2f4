//! Criterion of a tree: what its splits and its leaves cost (docs/method.md §13.5).

use crate::math::integer_code::{BoundedCode, unbounded};
use crate::prepare::part_cost::PartCost;
use std::f64::consts::LN_2;

/// Prices the trees of a data set.
#[derive(Debug, Clone, Copy)]
pub(super) struct TreeCost<'a> {
    pub(super) part_cost: &'a PartCost,
}

/// What a split must say beyond its input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SplitForm {
    /// A cut between quantiles: their granularity and number.
    Cut { granularity: u32, quantiles: usize },
    /// Two groups of values, one of which is that of all others: how many each lists.
    Groups {
        granularity: u32,
        listed: [usize; 2],
    },
}

impl TreeCost<'_> {
    /// Which inputs a number of splits uses.
    pub(super) fn choice(self, inputs: usize, splits: usize) -> f64 {
        if splits == 0 {
            return LN_2;
        }
        let (u, s) = (inputs as f64, splits as f64);
        (1.0 + s) * LN_2 + s * u.ln() + unbounded(inputs) - self.part_cost.ln_factorial.of(inputs)
    }

    /// A split of so many rows, by an input at a price.
    pub(super) fn node(self, price: f64, rows: usize, form: SplitForm) -> f64 {
        let most = (rows / 2).max(2).ilog2() as usize;
        let code = BoundedCode::new(most);
        match form {
            SplitForm::Cut {
                granularity,
                quantiles,
            } => price + code.of(granularity as usize) + ((quantiles - 1) as f64).ln(),
            SplitForm::Groups {
                granularity,
                listed: [a, b],
            } => {
                let m = a.min(b);
                let number = if m > 1 {
                    BoundedCode::new(a + b - 2).of(m - 1)
                } else {
                    0.0
                };
                let values = m as f64 * ((a + b) as f64).ln();
                let order = self.part_cost.ln_factorial.of(m);
                price + code.of(granularity as usize) + number - order + values
            }
        }
    }

    /// A leaf of rows of each class.
    pub(super) fn leaf(self, counts: &[u32]) -> f64 {
        let rows: u32 = counts.iter().sum();
        LN_2 + self.part_cost.in_order(rows, counts.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published example, docs/method.md §13.5.
    #[test]
    fn worked_example() {
        let part_cost = PartCost::new(690, 2);
        let cost = TreeCost {
            part_cost: &part_cost,
        };
        let choice = cost.choice(3, 3);
        assert!((choice - 6.888_445_900).abs() < 1e-9, "{choice}");
        let c_in = 14_f64.ln();
        let groups = SplitForm::Groups {
            granularity: 1,
            listed: [1, 2],
        };
        let cut = |granularity, quantiles| SplitForm::Cut {
            granularity,
            quantiles,
        };
        let nodes = [
            cost.node(c_in, 690, groups),
            cost.node(c_in, 361, cut(3, 8)),
            cost.node(c_in, 226, cut(1, 2)),
        ];
        for (found, expected) in nodes
            .iter()
            .zip([4.437_643_831, 6.830_973_825, 3.308_547_774])
        {
            assert!((found - expected).abs() < 1e-9, "{found}, not {expected}");
        }
        let tree = choice + nodes.iter().sum::<f64>();
        assert!((tree - 21.465_611_330).abs() < 1e-8, "{tree}");
        let variable = LN_2 + 16_f64.ln() + tree;
        assert!((variable - 24.931_347_233).abs() < 1e-8, "{variable}");
    }
}
