//! Several tables → constructed variables, each with the cost of its complexity.

mod check;
mod construct;
mod describe;
mod expression;
mod name;
mod rule;
mod schema;

pub use construct::{
    ConstructedVariable, Construction, ConstructionSettings, OperandValues, Prior, RuleSet,
    construct,
};
pub use expression::{Bound, Condition, Expression, Infinity, Part};
pub use rule::{Family, OperandType, Rule};
pub use schema::{Cardinality, DataPath, Entity, Field, FieldKind, FieldType, Schema};
