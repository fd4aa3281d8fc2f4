//! What training leaves behind: a short list of tables of counts, and the facts around it.
//!
//! Counts are the truth; probabilities are derived from them (docs/method.md §5), so that another
//! class prior, a drift check or an audit is exact. The module [`file`](crate::file) exchanges the
//! model with a file.

mod check;
mod facts;
mod finding;

pub use facts::{JoinFacts, Overlap, ValueFacts};
pub use finding::Finding;

use crate::Settings;
use crate::columns::{
    Column, ColumnData, ColumnType, Frame, Role, SparseTable, Spelling, Target, Task,
};
use crate::evaluate::{CrossValidation, Evaluation};
use crate::relational::{Cutoff, Entity, Schema};
use crate::terms::{Axis, Term, smoothing};
use crate::weights::{CriterionValue, Lowest, SearchCriterion, StageEffort};
use hashbrown::HashSet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Value of the key `format` of every model file.
pub const FORMAT: &str = "fnb-model";
/// The last version of the file format; files of the same major version can be read. A model is written in
/// the first version that has all it needs: without corrections, 1.0.
pub const FORMAT_VERSION: &str = "1.1";
/// The version of models without corrections.
pub(crate) const PLAIN_VERSION: &str = "1.0";

/// A trained classifier.
///
/// Made by [`train`](crate::train()), or by [`Model::from_json`]; either way it is consistent, so that
/// scoring it cannot fail.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "fnb model")]
pub struct Model {
    /// Always `fnb-model`.
    pub(crate) format: String,
    /// Version of this format, `major.minor`.
    pub(crate) format_version: String,
    /// The program that wrote the file.
    pub(crate) producer: Producer,
    /// What is predicted.
    pub(crate) target: TargetFacts,
    /// How the model was learnt.
    pub(crate) training: TrainingFacts,
    /// How counts become probabilities.
    pub(crate) smoothing: Smoothing,
    /// The columns of the main table, used or not; of the other tables, those that scoring needs.
    pub(crate) tables: Vec<Table>,
    /// How the tables are related, as far as scoring needs to know; absent if no variable is
    /// constructed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) schema: Option<Schema>,
    /// Only records before the time of their row of the main table are seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cutoff: Option<Cutoff>,
    /// The tables of (row, feature, value), whose features are not among the columns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) sparse: Vec<SparseSource>,
    /// The selected terms, most important first.
    pub(crate) terms: Vec<Term>,
    /// The variables left out of the model.
    pub(crate) dropped: Vec<Dropped>,
    /// How the values of the columns lie, and those of the best constructed variables.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) values: Vec<ValueFacts>,
    /// By variable, selected or not: the selected ones that say in part the same.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) overlaps: BTreeMap<String, Vec<Overlap>>,
    /// The tables that were read and what joining found in them; none of a single one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) joins: Vec<JoinFacts>,
    /// How good its predictions are.
    pub(crate) evaluation: Evaluations,
    /// Made-up rows with the probabilities they must get.
    pub(crate) self_test: Vec<SelfTest>,
    /// `sha256:` and the hash of the compact text of the file, this value left empty.
    pub(crate) checksum: String,
}

/// A program and its version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Producer {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// What is predicted: for a classification, the column and its classes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TargetFacts {
    /// The task, which says what follows.
    pub task: Task,
    /// The name of the column.
    pub name: String,
    /// The classes, sorted as strings; a missing class is the empty string.
    pub classes: Vec<String>,
    /// Training rows of each class.
    pub counts: Vec<u64>,
    /// What the classes were before they were written as texts, where these do not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<LabelType>,
}

/// What classes are besides texts. Without a word, whole numbers and `true`, `false` are what they look
/// like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LabelType {
    /// Texts, though they look like something else.
    Text,
    /// Floating-point numbers, though they are whole.
    Float,
}

/// How the model was learnt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrainingFacts {
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
    /// What the model costs, by the criterion that all methods share (docs/method.md §7.9).
    pub criterion: CriterionValue,
    /// What the model without variables costs.
    pub null_criterion: f64,
    /// Share of that cost which the model saves.
    pub compression: f64,
    /// What the method minimised, if it is an add/drop search: a criterion of its own (docs/method.md
    /// §7.1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search_criterion: Option<SearchCriterion>,
    /// The lowest criterion that was met, if a model of fewer variables was preferred to it
    /// (docs/method.md §7.12).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lowest: Option<Lowest>,
    /// What was learnt beyond the weights; absent if nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interactions: Option<InteractionFacts>,
    /// The work of each stage of the method.
    pub stages: Vec<StageEffort>,
    /// Smaller and smaller models, the smallest first and this one last.
    pub size_path: Vec<SizePoint>,
    /// What the user should look at in the data.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
}

/// What better profiles and tables over several variables brought (docs/method.md §12).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InteractionFacts {
    /// Number of variables whose profiles were estimated anew.
    pub profiles: usize,
    /// Number of tables.
    pub tables: usize,
    /// Negative log-likelihood of the classes of the training rows without all that...
    pub data_before: f64,
    /// ...and with it.
    pub data: f64,
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
    pub(crate) fn of(target: &Target) -> Option<Self> {
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
    /// The weights of its terms.
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
            epsilon: smoothing(rows),
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
    /// How it was read; scoring data must be read the same way. Absent if it was not read.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub ty: Option<ColumnType>,
    /// What is done with it, if it is not an input.
    #[serde(default, skip_serializing_if = "Role::is_input")]
    pub role: Role,
    /// In dates whose year is last, does the month come before the day? Absent if none was written so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub month_first: Option<bool>,
    /// How its categories are written, if they are truth values or whole numbers; those of other data
    /// that mean the same are read as these. Absent if it joins tables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spelling: Option<Spelling>,
}

impl Table {
    /// What is known of a table once its rows are gone: how its columns are to be read.
    pub fn of(path: &str, frame: &Frame, schema: &Schema) -> Self {
        let entity = schema.entity_at(path).map(|name| schema.entity(name));
        let columns = frame.columns().iter();
        Self {
            name: path.to_owned(),
            columns: columns.map(|c| TableColumn::of(c, entity)).collect(),
        }
    }
}

impl TableColumn {
    /// A column of an entity. Keys match if they are written alike in both tables, so that those of one are
    /// not spelt anew.
    pub(crate) fn of(column: &Column, entity: Option<&Entity>) -> Self {
        let mut known = Self::from(column);
        let mut keys = entity.into_iter().flat_map(Entity::joining_columns);
        if keys.any(|key| key == column.name) {
            known.spelling = None;
        }
        known
    }
}

impl From<&Column> for TableColumn {
    fn from(column: &Column) -> Self {
        let (month_first, spelling) = match &column.data {
            ColumnData::Temporal(column) => (column.month_first(), None),
            ColumnData::Categorical(column) => (None, column.spelling()),
            _ => (None, None),
        };
        Self {
            name: column.name.clone(),
            ty: column.data.column_type(),
            role: column.data.role(),
            month_first,
            spelling,
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

/// A variable left out of the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Dropped {
    /// Its name.
    pub name: String,
    /// `constant`, `uninformative`, `not selected`, or, for a column that no variable is made of,
    /// `not used: ` and its type or role.
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

    /// The same model with what its classes were before they were texts.
    ///
    /// ```
    /// # use fnb::{Settings, columns::{Column, ColumnData, Frame, Target}, model::{LabelType, Model}};
    /// # let digits = ColumnData::Categorical([Some("0"), Some("1")].into_iter().collect());
    /// # let target = Target::from_column(&Column { name: "y".into(), data: digits })?;
    /// # let frame = Frame::new(2, vec![])?;
    /// # let model = Model::from_terms(&frame.into(), &target, vec![], &Settings::default())?;
    /// let model = model.with_labels(Some(LabelType::Text));
    /// assert_eq!(Model::from_json(model.to_json().as_bytes())?.target().labels, Some(LabelType::Text));
    /// # Ok::<(), fnb::Error>(())
    /// ```
    #[must_use]
    pub fn with_labels(mut self, labels: Option<LabelType>) -> Self {
        self.target.labels = labels;
        self
    }

    /// What is predicted.
    pub fn target(&self) -> &TargetFacts {
        &self.target
    }

    /// The classes in class order.
    pub fn classes(&self) -> &[String] {
        &self.target.classes
    }

    /// How the model was learnt.
    pub fn training(&self) -> &TrainingFacts {
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

    /// How the tables are related; `None` if every variable is a column of the main table.
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

    /// The sparse table and the feature that an input is, if it is one.
    pub fn sparse_feature<'a>(&self, input: &'a str) -> Option<(&SparseTable, &'a str)> {
        let mut tables = self.sparse.iter().map(|source| &source.table);
        tables.find_map(|table| Some((table, table.feature_of(input)?)))
    }

    /// The selected terms, most important first.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// The variables of the terms, in their order; one that is in several terms comes once.
    pub fn inputs(&self) -> Vec<&Axis> {
        let mut known = HashSet::new();
        let axes = self.terms.iter().flat_map(|term| &term.axes);
        axes.filter(|axis| known.insert(&axis.name)).collect()
    }

    /// The variables left out of the model, in the order of the columns, then constructed ones.
    pub fn dropped(&self) -> &[Dropped] {
        &self.dropped
    }

    /// How the values of the columns lie in the training rows, in the order of the columns, then those of the
    /// best constructed variables.
    pub fn values(&self) -> &[ValueFacts] {
        &self.values
    }

    /// The selected variables that say in part the same as a given one, selected or not, the largest overlap
    /// first; at most five.
    pub fn overlaps(&self, variable: &str) -> &[Overlap] {
        self.overlaps.get(variable).map_or(&[], Vec::as_slice)
    }

    /// The tables that were read, the main one first, and what joining found in them; none of a single one.
    pub fn joins(&self) -> &[JoinFacts] {
        &self.joins
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

/// A row made from the parts (never one of the training data) and what it must get.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SelfTest {
    /// A value per variable; `null` is missing.
    pub row: BTreeMap<String, Option<SelfTestValue>>,
    /// The probability of each class.
    pub proba: Vec<f64>,
}

/// A value of a made-up row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum SelfTestValue {
    /// Of a numerical variable.
    Number(f64),
    /// Of a categorical variable.
    Category(String),
}
