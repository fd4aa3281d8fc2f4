//! A constructed variable: rules applied to fields, with literal bounds, as it is kept in a model.

use super::rule::Rule;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A value of a record, or the records that it leads to. Its JSON reads as the formula:
/// `{"rule": "TableMean", "args": ["Orders", "Discount"]}`.
///
/// ```
/// use fnb::relational::Expression;
/// let json = r#"{"rule": "TableCount", "args": [{"select": "Orders", "where": [
///     {"operand": "Discount", "lower_excl": 2.5, "upper_incl": "inf"},
///     {"operand": "Channel", "equals": "web"}]}]}"#;
/// let expression: Expression = serde_json::from_str(json)?;
/// assert!(matches!(expression, Expression::Apply { .. }));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Expression {
    /// A field as it is: a column, or all records of a relation.
    Field(String),
    /// A rule applied to operands.
    Apply {
        /// The rule.
        rule: Rule,
        /// Its operands; the second is taken in the records that the first leads to.
        args: Vec<Expression>,
    },
    /// The records of a relation that meet all conditions.
    Select {
        /// The relation.
        select: String,
        /// The conditions, on values of its records.
        #[serde(rename = "where")]
        conditions: Vec<Condition>,
    },
}

/// A condition on a value of a record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Condition {
    /// The value.
    pub operand: Expression,
    /// Number of parts that the values were cut into, a power of 2: the finer, the costlier. It is
    /// there to account for the cost; the part itself says all that evaluation needs.
    #[serde(default)]
    pub granularity: u32,
    /// Where it must lie.
    #[serde(flatten)]
    pub part: Part,
}

/// A part of the values of an operand.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Part {
    /// `lower < value <= upper`, where missing is below every number.
    Interval {
        /// Excluded lower bound.
        lower_excl: Bound,
        /// Included upper bound.
        upper_incl: Bound,
        /// Position among the parts of its granularity: tells "missing included" (0) from "not
        /// missing" when there is no lower bound.
        #[serde(default)]
        part: u32,
    },
    /// One category; missing is the empty text.
    Equals {
        /// The category.
        equals: String,
    },
    /// Every other category, also those never seen.
    NotIn {
        /// The categories that are not meant, most frequent first.
        not_in: Vec<String>,
    },
}

/// A bound of an interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Bound {
    /// A number.
    Number(f64),
    /// `"inf"`.
    Infinity(Infinity),
    /// `null`: the place of missing values, below every number.
    Missing,
}

/// No upper bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Infinity {
    /// Written `"inf"`.
    #[serde(rename = "inf")]
    Infinity,
}
