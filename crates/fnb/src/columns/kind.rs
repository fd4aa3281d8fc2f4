//! The kinds of inputs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The two kinds of inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum VariableKind {
    /// Numbers, cut into intervals.
    Numerical,
    /// Categories, put into groups.
    Categorical,
}
