//! Where the values of a variable come from.

use super::tree::Tree;
use crate::relational::{Expression, TextFeature};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where the values of a variable come from; a variable has it from the moment it is looked at.
///
/// ```
/// use fnb::terms::Origin;
/// assert_eq!(Origin::Column.describe(), None);
/// assert!(Origin::Column.is_column());
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// The column of the main table that has its name, as it is, or a feature of a sparse table: the
    /// name of the table, a dot and the feature.
    Column,
    /// Computed from the columns of the main table and of those around it.
    Expression(Expression),
    /// How often a token occurs in a text.
    Text(TextFeature),
    /// The leaf of a tree over other variables.
    Tree(Tree),
}

impl Origin {
    /// Is it a column as it is?
    pub fn is_column(&self) -> bool {
        matches!(self, Self::Column)
    }

    /// How values are computed; `None` unless by rules.
    pub fn expression(&self) -> Option<&Expression> {
        match self {
            Self::Expression(expression) => Some(expression),
            Self::Column | Self::Text(_) | Self::Tree(_) => None,
        }
    }

    /// The token that is counted; `None` unless it is one.
    pub fn text(&self) -> Option<&TextFeature> {
        match self {
            Self::Text(text) => Some(text),
            Self::Column | Self::Expression(_) | Self::Tree(_) => None,
        }
    }

    /// The tree, if it is one.
    pub fn tree(&self) -> Option<&Tree> {
        match self {
            Self::Tree(tree) => Some(tree),
            Self::Column | Self::Expression(_) | Self::Text(_) => None,
        }
    }

    /// Where the values come from that it is computed from at once: itself, or the inputs of a tree.
    pub(crate) fn sources(&self) -> Vec<&Self> {
        match self {
            Self::Tree(tree) => tree.inputs.iter().map(|input| &input.from).collect(),
            Self::Column | Self::Expression(_) | Self::Text(_) => vec![self],
        }
    }

    /// What it is in plain words; `None` for a column.
    pub fn describe(&self) -> Option<String> {
        match self {
            Self::Column => None,
            Self::Expression(expression) => Some(expression.describe()),
            Self::Text(text) => Some(text.describe()),
            Self::Tree(tree) => Some(tree.describe()),
        }
    }
}
