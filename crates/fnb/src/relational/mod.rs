//! Several tables → constructed variables, each with the cost of its complexity.

mod arrange;
mod assemble;
mod calendar;
mod check;
mod construct;
mod cutoff;
mod database;
mod describe;
mod evaluate;
mod expression;
mod extent;
mod guess;
mod join;
mod key_types;
mod keys;
mod layout;
mod leak;
mod name;
mod needed;
mod path;
mod report;
mod rule;
mod sample;
mod schema;
mod settings;
mod sparse;
mod tables;
mod text;
mod views;

pub use assemble::{Reference, TableKind, TableSpec};
pub(crate) use calendar::shown as shown_moment;
pub(crate) use construct::unique_name;
pub use construct::{
    Allocation, ConstructedVariable, Construction, ConstructionSettings, OperandColumn,
    OperandValues, Prior, RuleSet, construct,
};
pub use cutoff::{Cutoff, GuessedCutoff};
pub use database::Database;
pub use evaluate::{Arithmetic, Evaluator, Operands, Plan};
pub use expression::{Bound, Condition, Expression, Infinity, Part};
pub use extent::{MAX_TABLE_DEPTH, MAX_TABLES};
pub use guess::guess_keys;
pub use join::Strangers;
pub use keys::key_columns;
pub use path::{owner, place, place_of, shown};
pub use report::{Found, JoinNote};
pub use rule::{Family, OperandType, Rule};
pub use sample::RootFile;
pub use schema::{Cardinality, DataPath, Entity, Field, FieldKind, Schema};
pub use settings::ConstructSettings;
pub use tables::{KeyReport, Tables};
pub use text::{
    ConstructedText, TextFeature, TextSettings, Tokeniser, construct_texts, reaches_text,
    text_columns,
};
