//! The best split of a node by one input (docs/method.md §13.6).

use super::cost::SplitForm;
use super::cut::best_cut;
use super::halves::{Halves, best_halves};
use super::node::NodeValues;
use crate::columns::Outcomes;
use crate::prepare::counts::Counted;
use crate::prepare::discretize::cut_after;
use crate::prepare::grid::Side;
use crate::prepare::group::byte_order;
use crate::terms::Parts;

/// A split that pays on its own.
#[derive(Debug, Clone)]
pub(super) struct Found<T> {
    /// Share of the cost of the node that it saves.
    pub(super) level: f64,
    pub(super) form: SplitForm,
    /// Rows of each class on both sides.
    pub(super) counts: [Vec<u32>; 2],
    /// Where it is made.
    pub(super) at: T,
}

/// A split, and which values go where.
#[derive(Debug, Clone)]
pub(super) struct NodeSplit {
    pub(super) level: f64,
    pub(super) form: SplitForm,
    pub(super) counts: [Vec<u32>; 2],
    pub(super) parts: Parts,
    /// By code of a value: does it go to the second part? Those beyond go with the last.
    pub(super) second: Vec<bool>,
}

/// An input of a tree.
pub(super) struct Column<'a> {
    pub(super) side: &'a Side<'a>,
    /// The cost of naming it.
    pub(super) price: f64,
    /// Of categories, the place of each in the order of their bytes.
    rank: Vec<u32>,
}

impl<'a> Column<'a> {
    pub(super) fn new(side: &'a Side<'a>, price: f64) -> Self {
        let rank = match side.counted() {
            Counted::Numbers(_) => Vec::new(),
            Counted::Categories { values, counts } => {
                let key = |entry: &u32| byte_order(values, counts.codes[*entry as usize]);
                let mut entries: Vec<u32> = (0..counts.codes.len() as u32).collect();
                entries.sort_by(|a, b| key(a).cmp(&key(b)));
                let mut rank = vec![0; entries.len()];
                for (place, &entry) in (0..).zip(&entries) {
                    rank[entry as usize] = place;
                }
                rank
            }
        };
        Self { side, price, rank }
    }

    /// The best split of a node, whose rows come in the order of the values of this input.
    pub(super) fn best_split(&self, rows: &[u32], outcomes: &Outcomes) -> Option<NodeSplit> {
        let values = NodeValues::new(rows, &self.side.codes, outcomes);
        match self.side.counted() {
            Counted::Numbers(sorted) => {
                let found = best_cut(&values, self.price)?;
                let (last, next) = (values.codes[found.at - 1], values.codes[found.at]);
                let parts = cut_after(sorted, last, next);
                let second = (0..=next).map(|code| code > last).collect();
                Some(found.into_split(parts, second))
            }
            Counted::Categories {
                values: names,
                counts,
            } => {
                let singles = counts.codes.len() as u32 - 1;
                let once = counts.has_singles.then_some(singles);
                let found = best_halves(&values, self.price, &self.rank, once)?;
                let Halves { listed, default } = &found.at;
                let name = |&code: &u32| names.get(counts.codes[code as usize]).map(str::to_owned);
                let groups = listed.iter().map(|codes| codes.iter().map(name).collect());
                let parts = Parts::Groups {
                    groups: groups.collect(),
                    default: *default,
                };
                let mut second = vec![*default == 1; counts.codes.len()];
                for (group, codes) in listed.iter().enumerate() {
                    for &code in codes {
                        second[code as usize] = group == 1;
                    }
                }
                Some(found.into_split(parts, second))
            }
        }
    }
}

impl<T> Found<T> {
    fn into_split(self, parts: Parts, second: Vec<bool>) -> NodeSplit {
        NodeSplit {
            level: self.level,
            form: self.form,
            counts: self.counts,
            parts,
            second,
        }
    }
}
