//! What training leaves behind: a short list of tables of counts, and the facts around it.
//!
//! Counts are the truth; probabilities are derived from them (docs/method.md §5), so that another
//! class prior, a drift check or an audit is exact. [`Model::to_json`] and [`Model::from_json`]
//! exchange the model with a file.

mod build;
mod check;
mod file;
mod layout;
mod prune;
mod self_test;
#[cfg(test)]
mod tests;

pub use build::{Constructed, Learning, Trained};
pub use file::{MAX_DEPTH, MAX_FILE_BYTES, json_schema};
pub use self_test::{SelfTest, SelfTestValue};

use crate::Settings;
use crate::columns::{Column, ColumnData, SparseTable, Target, Unused};
use crate::evaluate::{CrossValidation, Evaluation};
use crate::prepare::{Cost, Parts, VariableKind};
use crate::relational::{Cutoff, Expression, FieldType, Schema, TextFeature};
use crate::weights::{CriterionValue, StageEffort};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Value of the key `format` of every model file.
pub const FORMAT: &str = "fnb-model";
/// Version of the file format written here; files of the same major version can be read.
pub const FORMAT_VERSION: &str = "1.0";

/// A trained classifier.
///
/// Made by [`Model::new`] from what training found, or by [`Model::from_json`]; either way it is
/// consistent, so that scoring it cannot fail.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "fnb model")]
pub struct Model {
    /// Always `fnb-model`.
    format: String,
    /// Version of this format, `major.minor`.
    format_version: String,
    /// The program that wrote the file.
    producer: Producer,
    /// What is predicted.
    task: Task,
    /// The column that is predicted.
    target: TargetClasses,
    /// How the model was learnt.
    training: Training,
    /// How counts become probabilities.
    smoothing: Smoothing,
    /// The columns of the main table, used or not; of the other tables, those that scoring needs.
    tables: Vec<Table>,
    /// How the tables hang together, as far as scoring needs to know; absent if no variable is
    /// constructed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    schema: Option<Schema>,
    /// Only records before the time of their row of the main table are seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cutoff: Option<Cutoff>,
    /// The tables of (row, feature, value), whose features are not among the columns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    sparse: Vec<SparseSource>,
    /// The selected variables, most important first.
    variables: Vec<Variable>,
    /// The variables that the model does without.
    dropped: Vec<Dropped>,
    /// How good its predictions are.
    evaluation: Evaluations,
    /// Made-up rows with the probabilities they must get.
    self_test: Vec<SelfTest>,
    /// `sha256:` and the hash of the compact text of the file, this value left empty.
    checksum: String,
}

/// A program and its version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Producer {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// What is predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Task {
    /// A class among several.
    Classification,
}

/// How classes are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TargetType {
    /// As text.
    String,
}

/// The predicted column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TargetClasses {
    /// Its name.
    pub name: String,
    /// How its classes are written.
    #[serde(rename = "type")]
    pub kind: TargetType,
    /// The classes, sorted as strings; a missing class is the empty string.
    pub classes: Vec<String>,
    /// Training rows of each class.
    pub counts: Vec<u64>,
}

/// How the model was learnt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Training {
    /// Number of rows, each as often as its weight says.
    pub rows: u64,
    /// What these weights were; absent if every row counted once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row_weights: Option<TrainingWeights>,
    /// Number of candidate variables.
    pub columns: usize,
    /// Number of those that tell something about the target on their own.
    pub informative: usize,
    /// Number of variables of the model.
    pub selected: usize,
    /// The settings.
    pub params: Settings,
    /// What the model costs, by the criterion of its method (docs/method.md §7.1).
    pub criterion: CriterionValue,
    /// What the model without variables costs.
    pub null_criterion: f64,
    /// Share of that cost which the model saves.
    pub compression: f64,
    /// What the model costs by the criterion that all methods share (docs/method.md §7.9).
    pub continuous_criterion: CriterionValue,
    /// The work of each stage of the method.
    pub stages: Vec<StageEffort>,
    /// Smaller and smaller models, the smallest first and this one last.
    pub size_path: Vec<SizePoint>,
}

/// The weights of the rows that the model was learnt from (docs/method.md §1.6).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrainingWeights {
    /// Number of rows of the table.
    pub table_rows: u64,
    /// Sum of their weights.
    pub sum: f64,
    /// The factors by class that are in them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classes: Option<BTreeMap<String, f64>>,
}

impl TrainingWeights {
    /// The weights of a target, if it has any.
    fn of(target: &Target) -> Option<Self> {
        let classes = target.class_weights();
        Some(Self {
            table_rows: target.rows() as u64,
            sum: target.weights()?.sum(),
            classes: classes.map(|classes| classes.iter().cloned().collect()),
        })
    }
}

/// A smaller model (docs/method.md §7.11).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SizePoint {
    /// Its number of variables.
    pub selected: usize,
    /// What it costs by the criterion that all methods share.
    pub criterion: CriterionValue,
    /// The weights of its variables.
    pub weights: BTreeMap<String, f64>,
}

/// How counts become probabilities: a fact derived from the number of rows, for readers in other
/// languages (docs/method.md §5).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Smoothing {
    /// The formula.
    pub kind: SmoothingKind,
    /// The constant added to every count, `1 / (rows + 1)`.
    pub epsilon: f64,
}

impl Smoothing {
    /// The smoothing for a number of training rows.
    pub(crate) fn of(rows: u64) -> Self {
        Self {
            kind: SmoothingKind::Laplace,
            epsilon: 1.0 / (rows as f64 + 1.0),
        }
    }
}

/// Formulas of smoothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SmoothingKind {
    /// `p(part|class) = (count + epsilon) / (class count + parts · epsilon)`.
    Laplace,
}

/// A table of the training data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Table {
    /// `main`, or where it is in the schema: `orders`, `orders/items`, `/city`.
    pub name: String,
    /// Its columns without the target, in the order of the source.
    pub columns: Vec<TableColumn>,
}

/// A column of the training data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TableColumn {
    /// Its name.
    pub name: String,
    /// How it was read; scoring data must be read the same way.
    #[serde(rename = "type")]
    pub kind: ColumnType,
    /// Are dates written with the month before the day and the year last?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub month_first: bool,
}

impl From<&Column> for TableColumn {
    fn from(column: &Column) -> Self {
        let month_first = |data: &ColumnData| match data {
            ColumnData::Temporal(column) => column.month_first(),
            _ => false,
        };
        Self {
            name: column.name.clone(),
            kind: ColumnType::from(&column.data),
            month_first: month_first(&column.data),
        }
    }
}

/// How a column was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ColumnType {
    /// Numbers.
    Numerical,
    /// Categories.
    Categorical,
    /// Dates.
    Date,
    /// Times of day.
    Time,
    /// Dates with a time of day.
    Timestamp,
    /// The same with a zone.
    #[serde(rename = "timestamptz")]
    Zoned,
    /// Long text.
    Text,
    /// Tells the rows that belong together in several tables.
    Key,
    /// Left out on demand.
    Ignored,
}

impl From<&ColumnData> for ColumnType {
    fn from(data: &ColumnData) -> Self {
        match (data, data.unused()) {
            (ColumnData::Numeric(_) | ColumnData::Sparse(_), _) => Self::Numerical,
            (_, None) => Self::Categorical,
            (_, Some(Unused::Date)) => Self::Date,
            (_, Some(Unused::Time)) => Self::Time,
            (_, Some(Unused::Timestamp)) => Self::Timestamp,
            (_, Some(Unused::Zoned)) => Self::Zoned,
            (_, Some(Unused::Text)) => Self::Text,
            (_, Some(Unused::Key)) => Self::Key,
            (_, Some(Unused::Ignored)) => Self::Ignored,
        }
    }
}

impl From<FieldType> for ColumnType {
    fn from(ty: FieldType) -> Self {
        match ty {
            FieldType::Numerical => Self::Numerical,
            FieldType::Categorical => Self::Categorical,
            FieldType::Date => Self::Date,
            FieldType::Time => Self::Time,
            FieldType::Timestamp => Self::Timestamp,
            FieldType::Zoned => Self::Zoned,
            FieldType::Text => Self::Text,
        }
    }
}

/// A sparse table of the training data. Its features may be very many, so that those which are not
/// selected are counted, not listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SparseSource {
    /// The table.
    #[serde(flatten)]
    pub table: SparseTable,
    /// Number of features that tell something about the target on their own.
    pub informative: usize,
    /// Number of features that are selected.
    pub selected: usize,
}

/// Where the values of a variable come from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// A column of the main table, as it is, or a feature of a sparse table: the name of the table, a
    /// dot and the feature.
    Column(String),
    /// Computed from the columns of the main table and of those around it.
    Expression(Expression),
    /// How often a token occurs in a text.
    Text(TextFeature),
}

/// A selected variable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Where its values come from.
    pub from: Origin,
    /// Numerical or categorical.
    #[serde(rename = "type")]
    pub kind: VariableKind,
    /// Its weight in the model, above 0 and at most 1.
    pub weight: f64,
    /// What it tells about the target on its own, as a share of the null cost.
    pub level: f64,
    /// Its share of the mean absolute contribution to predictions (docs/method.md §9).
    pub importance: f64,
    /// What it costs to describe.
    pub cost: Cost,
    /// Its intervals or groups.
    pub parts: Parts,
    /// Training rows by part, then class.
    pub counts: Vec<Vec<u64>>,
}

impl Variable {
    /// The name of the column that holds its values when rows are scored: that of the main table, or
    /// for a constructed variable its own.
    pub fn column(&self) -> &str {
        match &self.from {
            Origin::Column(name) => name,
            Origin::Expression(_) | Origin::Text(_) => &self.name,
        }
    }

    /// How its values are computed; `None` unless it is constructed by rules.
    pub fn expression(&self) -> Option<&Expression> {
        match &self.from {
            Origin::Expression(expression) => Some(expression),
            Origin::Column(_) | Origin::Text(_) => None,
        }
    }

    /// The token that is counted; `None` unless it is made of a text.
    pub fn text(&self) -> Option<&TextFeature> {
        match &self.from {
            Origin::Text(text) => Some(text),
            Origin::Column(_) | Origin::Expression(_) => None,
        }
    }

    /// What it is in plain words; `None` for a column.
    pub fn describe(&self) -> Option<String> {
        match &self.from {
            Origin::Column(_) => None,
            Origin::Expression(expression) => Some(expression.describe()),
            Origin::Text(text) => Some(text.describe()),
        }
    }
}

/// A variable that the model does without.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Dropped {
    /// Its name.
    pub name: String,
    /// `constant`, `uninformative`, `not selected`, or `not used: ` and the type of the column.
    pub reason: String,
    /// What it tells about the target on its own; above 0 only if `not selected`.
    pub level: f64,
}

/// How good the predictions are.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evaluations {
    /// On the rows the model was learnt from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub train: Option<Evaluation>,
    /// On other rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<Evaluation>,
    /// By cross-validation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cv: Option<CrossValidation>,
}

impl Model {
    /// The program that made the model.
    pub fn producer(&self) -> &Producer {
        &self.producer
    }

    /// The predicted column and its classes.
    pub fn target(&self) -> &TargetClasses {
        &self.target
    }

    /// The classes in class order.
    pub fn classes(&self) -> &[String] {
        &self.target.classes
    }

    /// How the model was learnt.
    pub fn training(&self) -> &Training {
        &self.training
    }

    /// How counts become probabilities.
    pub fn smoothing(&self) -> Smoothing {
        self.smoothing
    }

    /// The columns of the main table, target excluded, with the types they were read as.
    pub fn columns(&self) -> &[TableColumn] {
        &self.tables[0].columns
    }

    /// The tables: the main one with all its columns, then those that scoring needs besides it.
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// How the tables hang together; `None` if every variable is a column of the main table.
    pub fn schema(&self) -> Option<&Schema> {
        self.schema.as_ref()
    }

    /// Which records are seen; `None` for all.
    pub fn cutoff(&self) -> Option<&Cutoff> {
        self.cutoff.as_ref()
    }

    /// The tables of (row, feature, value) that it was learnt from.
    pub fn sparse(&self) -> &[SparseSource] {
        &self.sparse
    }

    /// The sparse table and the feature that a variable is, if it is one.
    pub fn sparse_feature<'a>(&self, variable: &'a Variable) -> Option<(&SparseTable, &'a str)> {
        let Origin::Column(column) = &variable.from else {
            return None;
        };
        let mut tables = self.sparse.iter().map(|source| &source.table);
        tables.find_map(|table| Some((table, table.feature_of(column)?)))
    }

    /// The selected variables, most important first.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The variables that the model does without, in the order of the columns, then constructed ones.
    pub fn dropped(&self) -> &[Dropped] {
        &self.dropped
    }

    /// How good its predictions are.
    pub fn evaluation(&self) -> &Evaluations {
        &self.evaluation
    }

    /// Where to put evaluations once they are known.
    pub fn evaluation_mut(&mut self) -> &mut Evaluations {
        &mut self.evaluation
    }

    /// Made-up rows with the probabilities they must get.
    pub fn self_test(&self) -> &[SelfTest] {
        &self.self_test
    }
}
