//! What a user should look at in the data.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something about a column that training cannot judge, as data: every front end puts it into words.
///
/// The model is as good as the data allow in any case; whether a column will be known when the model is used
/// is known to the user alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Finding {
    /// A variable that tells nearly everything about the target on its own: perhaps a copy of it, or
    /// something that is known only after it.
    TellsAll {
        /// The variable.
        variable: String,
        /// Share of the information of the target that its parts hold.
        share: f64,
    },
    /// A column of categories of which nearly every row has its own.
    Identifier {
        /// The column.
        column: String,
        /// Number of distinct values.
        distinct: u64,
        /// Number of rows that have a value.
        rows: u64,
    },
    /// A column of whole numbers that count the rows.
    RowNumber {
        /// The column.
        column: String,
    },
    /// A column with the same value in all rows.
    Constant {
        /// The column.
        column: String,
        /// Are all its values missing?
        missing: bool,
    },
}

impl Finding {
    /// The column or variable that it is about.
    pub fn name(&self) -> &str {
        match self {
            Self::TellsAll { variable: name, .. }
            | Self::Identifier { column: name, .. }
            | Self::RowNumber { column: name }
            | Self::Constant { column: name, .. } => name,
        }
    }
}
