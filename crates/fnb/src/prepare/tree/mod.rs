//! Inputs + target → trees, whose leaves are categories (docs/method.md §13.5 to §13.8).

mod cost;
mod cut;
mod forest;
mod grow;
mod halves;
mod node;
mod split;

use super::grid::Side;
use super::{Input, Preparer, RankedInput, WithElements};
use crate::columns::ColumnData;
use crate::terms::{Origin, Split, Tree, TreeInput};
use cost::TreeCost;
use forest::subsets;
use grow::{Grown, grow};
use rayon::prelude::*;
use split::Column;
use std::borrow::Cow;

/// Seeds of the trees: that of the first, and the step to the next.
const SEEDS: [u64; 2] = [1968, 5555];

/// A tree needs two splits one below the other: fewer are a pair of parts of a column.
const LEAST_DEPTH: usize = 2;

impl Preparer<'_> {
    /// Grows trees over inputs that come best first; what is left are inputs to prepare, each with its
    /// number. `family` is the cost of choosing a tree rather than a column.
    pub(crate) fn grow_trees(
        &self,
        inputs: &[RankedInput],
        most: usize,
        family: f64,
    ) -> Vec<Input<'static>> {
        let informative = inputs.iter().filter(|i| i.variable.level > 0.0).count();
        if informative == 0 {
            return Vec::new();
        }
        let sides: Vec<Side> = inputs
            .par_iter()
            .map_init(Vec::new, |scratch, input| {
                Side::new(&input.data, &self.outcomes, scratch)
            })
            .collect();
        let subsets = subsets(informative, inputs.len() - informative, most);
        let grown: Vec<(Tree, usize, f64)> = (subsets.into_par_iter().enumerate())
            .map(|(i, mut subset)| {
                subset.sort_by_key(|&input| &inputs[input].variable.name);
                let column = |&input: &usize| Column::new(&sides[input], inputs[input].price);
                let columns: Vec<Column> = subset.iter().map(column).collect();
                let cost = TreeCost {
                    part_cost: &self.part_cost,
                };
                let seed = SEEDS[0] + SEEDS[1] * i as u64;
                let cancelled = || self.progress.cancelled();
                let grown = grow(&columns, &self.outcomes, cost, seed, cancelled);
                let (depth, cost) = (grown.depth, grown.cost);
                (tree(grown, &subset, inputs), depth, cost)
            })
            .collect();
        let mut trees: Vec<Input> = Vec::new();
        for (number, (tree, depth, cost)) in (1..).zip(grown) {
            let is_known =
                |known: &Input| known.from.tree().is_some_and(|known| known.asks_as(&tree));
            if depth < LEAST_DEPTH || trees.iter().any(is_known) {
                continue;
            }
            let data = |input: &TreeInput| {
                let found = inputs.iter().find(|i| i.variable.name == input.name);
                Some(&*found.expect("trees are made of inputs").data)
            };
            let columns: Vec<Option<&ColumnData>> = tree.inputs.iter().map(data).collect();
            let leaves = tree.leaves(&columns, self.outcomes.rows());
            let leaves = leaves.expect("splits are of the kind of their column");
            trees.push(Input {
                name: format!("Tree_{number}"),
                from: Origin::Tree(tree),
                price: family + cost,
                data: Cow::Owned(ColumnData::Categorical(leaves)),
                elements: WithElements::Never,
                unlisted: None,
            });
        }
        trees
    }
}

/// A tree as it is kept: with the inputs that it uses.
fn tree(grown: Grown, subset: &[usize], inputs: &[RankedInput]) -> Tree {
    let mut used: Vec<usize> = grown.splits.iter().map(|split| split.input).collect();
    used.sort_unstable();
    used.dedup();
    let input = |&place: &usize| {
        let axis = &inputs[subset[place]].variable.axes[0];
        TreeInput {
            name: axis.name.clone(),
            from: axis.from.clone(),
            kind: axis.kind,
        }
    };
    let splits = grown.splits.into_iter().map(|split| Split {
        node: split.node,
        input: used.partition_point(|&place| place < split.input),
        parts: split.parts,
        to: split.to,
    });
    Tree {
        inputs: used.iter().map(input).collect(),
        splits: splits.collect(),
    }
}
