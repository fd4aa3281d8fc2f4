//! Several tables → constructed variables, each with the cost of its complexity.

mod arrange;
mod calendar;
mod check;
mod construct;
mod cutoff;
mod describe;
mod evaluate;
mod expression;
mod join;
mod layout;
mod name;
mod rule;
mod schema;
mod tables;

pub use construct::{
    ConstructedVariable, Construction, ConstructionSettings, OperandValues, Prior, RuleSet,
    construct,
};
pub use cutoff::Cutoff;
pub use evaluate::{Arithmetic, Evaluator, Plan};
pub use expression::{Bound, Condition, Expression, Infinity, Part};
pub use rule::{Family, OperandType, Rule};
pub use schema::{Cardinality, DataPath, Entity, Field, FieldKind, FieldType, Schema};
pub use tables::{KeyReport, Tables};
