//! Column + target → prepared variable: intervals or groups, their counts, their cost.

mod class_counts;
mod encode;
mod group;
mod group_cost;
mod group_counts;
mod group_enumerate;
mod group_granularity;
mod group_items;
mod group_merge;
mod group_moves;
mod group_search;
mod group_sorted;
mod group_sorted_improve;
mod group_stable;
mod part_cost;
mod parts;

pub use encode::{PartCodes, PartIndex};
pub use parts::{MissingNumbers, Parts};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a prepared variable costs to describe, in nats (docs/method.md §4.2).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cost {
    /// Choosing the variable.
    pub construction: f64,
    /// Choosing its parts and their class distributions.
    pub preparation: f64,
    /// The classes of the rows, given all that.
    pub data: f64,
}

impl Cost {
    /// The sum of the three.
    pub fn total(&self) -> f64 {
        self.construction + self.preparation + self.data
    }
}

/// The two kinds of inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum VariableKind {
    /// Numbers, cut into intervals.
    Numerical,
    /// Categories, put into groups.
    Categorical,
}

/// A variable after preparation.
#[derive(Debug, Clone, PartialEq)]
pub struct PreparedVariable {
    /// Name of the column.
    pub name: String,
    /// Numerical or categorical.
    pub kind: VariableKind,
    /// Number of distinct values, missing counted as one.
    pub distinct: usize,
    /// Number of missing values.
    pub missing: usize,
    /// Share of the null cost that the variable saves; 0 if it is uninformative.
    pub level: f64,
    /// Its cost; that of the null model if it is uninformative.
    pub cost: Cost,
    /// Its parts; a single one if it is uninformative.
    pub parts: Parts,
    /// Rows per part and class.
    pub counts: Vec<Vec<u64>>,
}
