//! Which inputs are paired, and which pairs tell more than their inputs one by one (docs/method.md
//! §13.4).

use super::grid::{Side, best_grid, choice};
use super::{PreparedAxis, PreparedInput, PreparedVariable, Preparer, RankedInput, SMALLEST_LEVEL};
use crate::columns::class_weights::scale_counts;
use crate::progress::Stage;
use crate::terms::PartIndex;
use crate::terms::RowParts;
use rayon::prelude::*;
use std::sync::atomic::Ordering;

/// The number of inputs, best first, that a number of pairs is made of.
pub(crate) fn inputs_of_pairs(pairs: usize) -> usize {
    let mut inputs = 2;
    while inputs * (inputs - 1) / 2 < pairs {
        inputs += 1;
    }
    inputs
}

/// The first pairs of inputs ranked from 0: each with all better ones.
pub(crate) fn pairs(inputs: usize, most: usize) -> Vec<[usize; 2]> {
    let all = (1..inputs).flat_map(|second| (0..second).map(move |first| [first, second]));
    all.take(most).collect()
}

/// Number of pairs of some inputs, at most as many as asked for.
pub(crate) fn number_of_pairs(inputs: usize, most: usize) -> usize {
    most.min(inputs * inputs.saturating_sub(1) / 2)
}

impl Preparer<'_> {
    /// The pairs that tell more than their inputs one by one, with the cell of every row, among the first
    /// `most`. Inputs come best first; `family` is the cost of choosing a pair rather than a column.
    pub(crate) fn prepare_pairs(
        &self,
        inputs: &[RankedInput],
        most: usize,
        family: f64,
    ) -> Vec<PreparedInput> {
        let sides: Vec<Side> = inputs
            .par_iter()
            .map_init(Vec::new, |scratch, input| {
                Side::new(&input.data, &self.outcomes, scratch)
            })
            .collect();
        let pairs = pairs(inputs.len(), most);
        let prepared = pairs.into_par_iter().filter_map(|[a, b]| {
            let [a, b] = if inputs[a].variable.name < inputs[b].variable.name {
                [a, b]
            } else {
                [b, a]
            };
            let found = (!self.progress.cancelled()).then(|| {
                self.prepare_pair([&inputs[a], &inputs[b]], [&sides[a], &sides[b]], family)
            });
            let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
            self.progress.report(Stage::Prepare, done, self.total);
            found.flatten()
        });
        prepared.collect()
    }

    fn prepare_pair(
        &self,
        inputs: [&RankedInput; 2],
        sides: [&Side; 2],
        family: f64,
    ) -> Option<PreparedInput> {
        let grid = best_grid(sides, &self.outcomes, &self.part_cost)?;
        let choice = choice(family, inputs.map(|input| input.price));
        let cost = self.part_cost.variable(choice, grid.cost, &grid.counts);
        let level = 1.0 - cost.total() / self.null_cost.total();
        let alone: f64 = inputs.iter().map(|input| input.variable.level).sum();
        if level < SMALLEST_LEVEL || level - alone <= 0.0 {
            return None;
        }
        let [first, second] = inputs.map(|input| input.variable.name.as_str());
        let axes = inputs.into_iter().zip(grid.parts);
        let axes: Vec<PreparedAxis> = axes
            .map(|(input, parts)| PreparedAxis {
                parts,
                ..input.variable.axes[0].clone()
            })
            .collect();
        let encode = |i: usize| {
            let index = PartIndex::new(&axes[i].parts);
            let codes = index.encode(&inputs[i].data, 0..self.outcomes.rows());
            codes.expect("parts are of the kind of their column")
        };
        let codes = encode(0).cross(axes[0].parts.len(), &encode(1), axes[1].parts.len());
        let mut counts = grid.counts;
        if let Some(weighted) = self.weighted {
            scale_counts(&mut counts, self.outcomes.counts(), weighted);
        }
        let variable = PreparedVariable {
            name: format!("{first}`{second}"),
            axes,
            level,
            synergy: Some(level - alone),
            cost,
            counts,
        };
        Some(PreparedInput {
            numbers_rows: false,
            variable,
            parts: Some(RowParts {
                codes,
                unlisted: None,
            }),
            elements: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_input_is_paired_with_all_better_ones() {
        assert_eq!(pairs(4, 5), [[0, 1], [0, 2], [1, 2], [0, 3], [1, 3]]);
        assert_eq!(pairs(3, 100).len(), 3);
        assert!(pairs(1, 100).is_empty());
        for (pairs, inputs) in [(0, 2), (1, 2), (2, 3), (3, 3), (4, 4), (100_000, 448)] {
            assert_eq!(inputs_of_pairs(pairs), inputs);
        }
    }
}
