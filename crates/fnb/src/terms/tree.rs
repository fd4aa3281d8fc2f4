//! Trees: rows told apart by one input after the other.

use super::encode::{PartCodes, PartIndex};
use super::origin::Origin;
use super::parts::Parts;
use crate::columns::{CategoricalColumn, ColumnData, VariableKind};
use hashbrown::HashSet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A tree of binary splits, as Khiops grows them (docs/method.md §13.5). Its value in a row is the leaf
/// that the row comes to, a category: `L` and the number of the node.
///
/// ```
/// use fnb::columns::{ColumnData, NumericColumn, VariableKind};
/// use fnb::terms::{MissingNumbers, Origin, Parts, Split, Tree, TreeInput};
/// let input = |name: &str| TreeInput {
///     name: name.into(),
///     from: Origin::Column,
///     kind: VariableKind::Numerical,
/// };
/// let cut = |cut: f64| Parts::Intervals { missing: MissingNumbers::None, cuts: vec![cut] };
/// let tree = Tree {
///     inputs: vec![input("age"), input("income")],
///     splits: vec![
///         Split { node: 0, input: 0, parts: cut(40.0), to: [1, 2] },
///         Split { node: 2, input: 1, parts: cut(2000.0), to: [3, 4] },
///     ],
/// };
/// let numbers = |values: &[f64]| ColumnData::Numeric(NumericColumn::new(values.to_vec()));
/// let (age, income) = (numbers(&[30.0, 50.0, 60.0]), numbers(&[0.0, 1000.0, f64::INFINITY]));
/// let leaves = tree.leaves(&[Some(&age), Some(&income)], 3).ok_or("columns of numbers")?;
/// assert_eq!([leaves.get(0), leaves.get(1), leaves.get(2)], [Some("L1"), Some("L3"), Some("L4")]);
/// assert_eq!(tree.describe(), "the leaf of a tree of 2 splits over age, income");
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tree {
    /// The variables that it looks at.
    pub inputs: Vec<TreeInput>,
    /// Its splits: that of node 0 first, and every other one after that which leads to it.
    pub splits: Vec<Split>,
}

/// A variable that a tree looks at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TreeInput {
    /// Its name.
    pub name: String,
    /// Where its values come from.
    pub from: Origin,
    /// Numerical or categorical.
    #[serde(rename = "type")]
    pub kind: VariableKind,
}

/// A node of a tree that is no leaf.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Split {
    /// Its number; 0 is where all rows start.
    pub node: u32,
    /// Position of the variable that it looks at.
    pub input: usize,
    /// Two parts of that variable.
    pub parts: Parts,
    /// The nodes that rows of the first and of the second part go to.
    pub to: [u32; 2],
}

impl Tree {
    /// Nodes that are no splits, by number.
    pub fn leaf_numbers(&self) -> Vec<u32> {
        let splits: HashSet<u32> = self.splits.iter().map(|split| split.node).collect();
        let nodes = self.splits.iter().flat_map(|split| split.to);
        let mut leaves: Vec<u32> = nodes.filter(|node| !splits.contains(node)).collect();
        leaves.sort_unstable();
        leaves
    }

    /// The leaf of every row, given the column of each input; none for one without any value. `None` if
    /// a column is not of the kind of its input.
    pub fn leaves(
        &self,
        columns: &[Option<&ColumnData>],
        rows: usize,
    ) -> Option<CategoricalColumn> {
        let mut node_of = vec![0_u32; rows];
        for split in &self.splits {
            let index = PartIndex::new(&split.parts);
            let missing = (index.of_number(f64::NAN)).or_else(|| index.of_category(None))?;
            let codes: Option<PartCodes> = match columns[split.input] {
                Some(column) => Some(index.encode(column, 0..rows)?),
                None => None,
            };
            for (row, node) in node_of.iter_mut().enumerate() {
                if *node == split.node {
                    let part = codes.as_ref().map_or(missing, |codes| codes.get(row));
                    *node = split.to[part];
                }
            }
        }
        let leaves = self.leaf_numbers();
        let names: Vec<String> = leaves.iter().map(|leaf| format!("L{leaf}")).collect();
        let code = |node: u32| leaves.partition_point(|leaf| *leaf < node) as u32;
        let codes = node_of.into_iter().map(code).collect();
        let names = names.iter().map(|name| Some(name.as_str()));
        Some(CategoricalColumn::from_codes(codes, names))
    }

    /// The columns of the main table that it looks at as they are.
    pub(crate) fn columns(&self) -> impl Iterator<Item = &str> + Clone {
        let columns = self.inputs.iter().filter(|input| input.from.is_column());
        columns.map(|input| input.name.as_str())
    }

    /// Does it split as another tree does, however nodes are numbered?
    pub(crate) fn asks_as(&self, other: &Self) -> bool {
        let split = |tree: &Self, node: u32| tree.splits.iter().position(|s| s.node == node);
        let mut nodes = vec![(0, 0)];
        while let Some((own, others)) = nodes.pop() {
            match (split(self, own), split(other, others)) {
                (None, None) => {}
                (Some(a), Some(b)) => {
                    let (a, b) = (&self.splits[a], &other.splits[b]);
                    let same_input = self.inputs[a.input] == other.inputs[b.input];
                    if !same_input || a.parts != b.parts {
                        return false;
                    }
                    nodes.extend(a.to.into_iter().zip(b.to));
                }
                _ => return false,
            }
        }
        true
    }

    /// What it is in plain words.
    pub fn describe(&self) -> String {
        let splits = self.splits.len();
        let inputs: Vec<&str> = self.inputs.iter().map(|i| i.name.as_str()).collect();
        format!(
            "the leaf of a tree of {splits} splits over {}",
            inputs.join(", ")
        )
    }

    /// What is wrong with its structure: every node is reached once, and asks for one of two parts.
    pub(crate) fn check(&self) -> Result<(), String> {
        let mut open: HashSet<u32> = HashSet::from([0]);
        let mut known = open.clone();
        for split in &self.splits {
            let node = split.node;
            if !open.remove(&node) {
                return Err(format!(
                    "no split leads to node {node}, or it comes too late"
                ));
            }
            if split.parts.len() != 2 {
                return Err(format!(
                    "node {node} has {} parts, not 2",
                    split.parts.len()
                ));
            }
            if split.input >= self.inputs.len() {
                return Err(format!("node {node} asks for an input that is not there"));
            }
            for to in split.to {
                if !known.insert(to) {
                    return Err(format!("node {to} is there twice"));
                }
                open.insert(to);
            }
        }
        if self.splits.is_empty() {
            return Err("the tree has no split".into());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::MissingNumbers;

    fn split(node: u32, to: [u32; 2]) -> Split {
        let parts = Parts::Intervals {
            missing: MissingNumbers::None,
            cuts: vec![0.5],
        };
        Split {
            node,
            input: 0,
            parts,
            to,
        }
    }

    fn tree(splits: Vec<Split>) -> Tree {
        let input = TreeInput {
            name: "x".into(),
            from: Origin::Column,
            kind: VariableKind::Numerical,
        };
        Tree {
            inputs: vec![input],
            splits,
        }
    }

    #[test]
    fn damage_is_told() {
        let sound = vec![split(0, [1, 2]), split(2, [3, 4])];
        assert_eq!(tree(sound.clone()).check(), Ok(()));
        let told = |splits: Vec<Split>| tree(splits).check().expect_err("refused");
        assert!(told(Vec::new()).contains("no split"));
        assert!(told(vec![split(1, [2, 3])]).contains("leads to node 1"));
        assert!(told(vec![split(0, [1, 1])]).contains("node 1 is there twice"));
        assert!(told(vec![split(0, [0, 1])]).contains("node 0 is there twice"));
        assert!(told(vec![split(0, [1, 2]), split(0, [3, 4])]).contains("leads to node 0"));
        let mut far = sound.clone();
        far[1].input = 1;
        assert!(told(far).contains("an input that is not there"));
        let mut one = sound;
        one[0].parts = Parts::one_interval();
        assert!(told(one).contains("has 1 parts"));
    }

    #[test]
    fn numbers_of_nodes_do_not_make_another_tree() {
        let a = tree(vec![split(0, [1, 2]), split(1, [3, 4]), split(2, [5, 6])]);
        let b = tree(vec![split(0, [1, 2]), split(2, [3, 4]), split(1, [5, 6])]);
        assert!(a.asks_as(&b));
        assert!(!a.asks_as(&tree(vec![split(0, [1, 2]), split(1, [3, 4])])));
    }

    #[test]
    fn a_column_without_values_is_missing_everywhere() {
        let leaves = tree(vec![split(0, [1, 2])]).leaves(&[None], 2);
        assert_eq!(leaves.expect("leaves").get(1), Some("L1"));
    }
}
