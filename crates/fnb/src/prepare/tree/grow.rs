//! Growing a tree: splits drawn among those that lower its cost (docs/method.md §13.7).

use super::cost::TreeCost;
use super::split::{Column, NodeSplit};
use crate::columns::Outcomes;
use crate::math::TOLERANCE;
use crate::math::reference_random::ReferenceRandom;
use crate::terms::Parts;

/// A leaf of fewer rows is not made.
const FEWEST_ROWS: u32 = 8;

/// A tree that was grown.
#[derive(Debug)]
pub(super) struct Grown {
    pub(super) splits: Vec<GrownSplit>,
    /// Splits on the longest way from the root.
    pub(super) depth: usize,
    /// What it costs, without its leaves.
    pub(super) cost: f64,
}

/// A split of a tree.
#[derive(Debug)]
pub(super) struct GrownSplit {
    pub(super) node: u32,
    /// Position of the input.
    pub(super) input: usize,
    pub(super) parts: Parts,
    pub(super) to: [u32; 2],
}

/// A leaf that may be split.
struct Leaf {
    number: u32,
    depth: usize,
    counts: Vec<u32>,
    /// By input, its rows in the order of the values.
    rows: Vec<Vec<u32>>,
    /// By input, its best split and the cost of that, less the cost of the leaf.
    splits: Vec<Option<(NodeSplit, f64)>>,
}

/// A tree while it grows.
struct Growing<'a> {
    columns: &'a [Column<'a>],
    outcomes: &'a Outcomes<'a>,
    cost: TreeCost<'a>,
    used: Vec<bool>,
    leaves: Vec<Leaf>,
    grown: Grown,
    nodes: f64,
}

/// Grows a tree over inputs in the order of their names, until no split pays.
pub(super) fn grow(
    columns: &[Column],
    outcomes: &Outcomes,
    cost: TreeCost,
    seed: u64,
    cancelled: impl Fn() -> bool,
) -> Grown {
    let mut random = ReferenceRandom::new(seed);
    let mut growing = Growing::new(columns, outcomes, cost);
    while !cancelled() {
        let candidates = growing.candidates();
        let mut best: Option<(f64, usize)> = None;
        for &(leaf, input) in &candidates {
            let split = growing.leaves[leaf].splits[input].as_ref();
            let (split, _) = split.expect("candidates are splits");
            let key = random.draw().powf(1.0 / split.level);
            if best.is_none_or(|(largest, _)| key > largest) {
                best = Some((key, input));
            }
        }
        let Some((_, input)) = best else { break };
        // The draw decides on the input; Khiops then takes the last leaf that it splits.
        let last = candidates
            .iter()
            .rev()
            .find(|candidate| candidate.1 == input);
        let &(leaf, _) = last.expect("the input is that of a candidate");
        growing.split(leaf, input);
    }
    growing.finish()
}

impl<'a> Growing<'a> {
    fn new(columns: &'a [Column<'a>], outcomes: &'a Outcomes<'a>, cost: TreeCost<'a>) -> Self {
        let sorted = |column: &Column| {
            let mut rows: Vec<u32> = (0..outcomes.rows() as u32).collect();
            rows.sort_by_key(|&row| column.side.codes[row as usize]);
            rows
        };
        let mut growing = Self {
            columns,
            outcomes,
            cost,
            used: vec![false; columns.len()],
            leaves: Vec::new(),
            grown: Grown {
                splits: Vec::new(),
                depth: 0,
                cost: 0.0,
            },
            nodes: 0.0,
        };
        let counts = outcomes.counts().iter().map(|&count| count as u32);
        let rows = columns.iter().map(sorted).collect();
        growing.open(0, 0, counts.collect(), rows);
        growing
    }

    /// A new leaf, with its best split by every input.
    fn open(&mut self, number: u32, depth: usize, counts: Vec<u32>, rows: Vec<Vec<u32>>) {
        let before = self.cost.leaf(&counts);
        let size = counts.iter().sum::<u32>() as usize;
        let split = |(column, rows): (&Column, &Vec<u32>)| {
            let split = column.best_split(rows, self.outcomes)?;
            let node = self.cost.node(column.price, size, split.form);
            let leaves: f64 = split
                .counts
                .iter()
                .map(|counts| self.cost.leaf(counts))
                .sum();
            Some((split, node + leaves - before))
        };
        let splits = self.columns.iter().zip(&rows).map(split).collect();
        self.leaves.push(Leaf {
            number,
            depth,
            counts,
            rows,
            splits,
        });
    }

    fn choice(&self, inputs: usize, splits: usize) -> f64 {
        self.cost.choice(inputs, splits)
    }

    fn inputs(&self) -> usize {
        self.used.iter().filter(|used| **used).count()
    }

    /// The splits that lower the cost of the tree, as positions of leaf and input: leaves in the order of
    /// their names, inputs in that of theirs.
    fn candidates(&self) -> Vec<(usize, usize)> {
        let (inputs, splits) = (self.inputs(), self.grown.splits.len());
        let now = self.choice(inputs, splits);
        let with = [false, true].map(|is_used| {
            // No input is used before the first split.
            let inputs = (inputs + usize::from(!is_used)).max(1);
            self.choice(inputs, splits + 1) - now
        });
        let mut order: Vec<usize> = (0..self.leaves.len()).collect();
        order.sort_by_key(|&leaf| self.leaves[leaf].number.to_string());
        let mut candidates = Vec::new();
        for leaf in order {
            for (input, split) in self.leaves[leaf].splits.iter().enumerate() {
                if let Some((_, delta)) = split
                    && delta + with[usize::from(self.used[input])] < -TOLERANCE
                {
                    candidates.push((leaf, input));
                }
            }
        }
        candidates
    }

    /// Splits a leaf, or gives it up if too few rows would be left on a side.
    fn split(&mut self, leaf: usize, input: usize) {
        let leaf = self.leaves.remove(leaf);
        let (split, _) = leaf.splits[input].as_ref().expect("candidates are splits");
        let sizes = split.counts.each_ref().map(|c| c.iter().sum::<u32>());
        if sizes.iter().any(|rows| *rows < FEWEST_ROWS) {
            return;
        }
        let first = 2 * self.grown.splits.len() as u32 + 1;
        let to = [first, first + 1];
        let column = &self.columns[input];
        let size = leaf.counts.iter().sum::<u32>() as usize;
        self.nodes += self.cost.node(column.price, size, split.form);
        self.used[input] = true;
        let is_second = |row: &u32| {
            let code = column.side.codes[*row as usize] as usize;
            split.second[code.min(split.second.len() - 1)]
        };
        let depth = leaf.depth + 1;
        let halves = leaf.rows.iter().map(|rows| {
            let (second, first): (Vec<u32>, Vec<u32>) = rows.iter().partition(|row| is_second(row));
            (first, second)
        });
        let (first, second): (Vec<_>, Vec<_>) = halves.unzip();
        let counts = split.counts.clone();
        self.grown.splits.push(GrownSplit {
            node: leaf.number,
            input,
            parts: split.parts.clone(),
            to,
        });
        self.grown.depth = self.grown.depth.max(depth);
        for ((number, rows), counts) in to.into_iter().zip([first, second]).zip(counts) {
            self.open(number, depth, counts, rows);
        }
    }

    fn finish(mut self) -> Grown {
        let splits = self.grown.splits.len();
        self.grown.cost = self.choice(self.inputs(), splits) + self.nodes;
        self.grown
    }
}
