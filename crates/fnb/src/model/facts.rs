//! What was read and what was found in it, for people: scoring needs none of this.

use crate::columns::Distribution;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The values of a column, or of a constructed variable, in the training rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ValueFacts {
    /// Its name.
    pub name: String,
    /// Number of distinct values, missing counted as one; absent if it was not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distinct: Option<u64>,
    /// Number of missing values; absent if the column was not read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<u64>,
    /// How they lie; kept for some hundred variables, the most informative ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distribution: Option<Distribution>,
}

/// A selected variable that says in part the same as another one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Overlap {
    /// The selected variable.
    pub with: String,
    /// Mutual information of the parts of both, as a share of the smaller entropy (docs/method.md §9.1).
    pub share: f64,
}

/// What joining found in a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JoinFacts {
    /// `main`, or where the table is in the schema: `orders`, `orders/items`, `/city`.
    pub table: String,
    /// Rows given.
    pub rows: u64,
    /// Number of its columns.
    pub columns: usize,
    /// Rows without owner: left out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub orphans: u64,
    /// Rows whose key an earlier one has: left out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub repeated: u64,
    /// Rows whose key an earlier one has, and that share its records.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub shared: u64,
    /// Rows that are not before the time of their row of the main table: left out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub hidden: u64,
    /// Rows of the main table without any record here; absent of look-up tables and of tables below others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub without: Option<u64>,
    /// By relation to a look-up table: rows whose key it does not have, or that have none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unmatched: BTreeMap<String, u64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}
