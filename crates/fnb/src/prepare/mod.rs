//! Column + target → prepared variable: intervals or groups, their counts, their cost.

mod class_counts;
mod discretize;
mod encode;
mod group;
mod part_cost;
mod parts;
mod probabilities;

pub(crate) use discretize::cut_between;
pub use encode::{PartCodes, PartIndex};
pub use parts::{MissingNumbers, Parts};
pub use probabilities::log_probabilities;

use crate::columns::class_weights::scale_counts;
use crate::columns::{CategoricalColumn, Column, ColumnData, Frame, Target};
use crate::progress::{Progress, Stage};
use crate::settings::Schedule;
use discretize::{SortedValues, discretize};
use group::group;
use part_cost::PartCost;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a prepared variable costs to describe, in nats (docs/method.md §4.2).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cost {
    /// Choosing the variable.
    pub construction: f64,
    /// Choosing its parts and their class distributions.
    pub preparation: f64,
    /// The classes of the rows, given all that.
    pub data: f64,
}

impl Cost {
    /// The sum of the three.
    pub fn total(&self) -> f64 {
        self.construction + self.preparation + self.data
    }
}

/// The two kinds of inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum VariableKind {
    /// Numbers, cut into intervals.
    Numerical,
    /// Categories, put into groups.
    Categorical,
}

/// A variable after preparation.
#[derive(Debug, Clone, PartialEq)]
pub struct PreparedVariable {
    /// Name of the column.
    pub name: String,
    /// Numerical or categorical.
    pub kind: VariableKind,
    /// Number of distinct values, missing counted as one.
    pub distinct: usize,
    /// Number of missing values.
    pub missing: usize,
    /// Share of the null cost that the variable saves; 0 if it is uninformative.
    pub level: f64,
    /// Its cost; that of the null model if it is uninformative.
    pub cost: Cost,
    /// Its parts; a single one if it is uninformative.
    pub parts: Parts,
    /// Rows per part and class.
    pub counts: Vec<Vec<u64>>,
}

impl PreparedVariable {
    /// `B`: what choosing and preparing the variable costs beyond the null model, the price of
    /// selecting it (docs/method.md §4.3).
    pub fn prior_cost(&self) -> f64 {
        self.cost.construction - std::f64::consts::LN_2 + self.cost.preparation
    }
}

/// All variables of a table, prepared.
#[derive(Debug, Clone, PartialEq)]
pub struct Preparation {
    /// Cost of the null model: a single part.
    pub null_cost: Cost,
    /// One entry per used column, in the order of the table.
    pub variables: Vec<PreparedVariable>,
}

/// Levels below this are none (docs/method.md §4.1).
const SMALLEST_LEVEL: f64 = 1e-10;

/// Prepares every used column of a table, in parallel over columns.
///
/// ```
/// use fnb::columns::{Column, ColumnData, Frame, NumericColumn, Target};
/// use fnb::{Schedule, prepare::prepare};
/// let class = |row| Some(if row < 20 { "low" } else { "high" });
/// let target = Column {
///     name: "class".into(),
///     data: ColumnData::Categorical((0..40).map(class).collect()),
/// };
/// let x = Column {
///     name: "x".into(),
///     data: ColumnData::Numeric(NumericColumn::new((0..40).map(f64::from).collect())),
/// };
/// let target = Target::from_column(&target)?;
/// let preparation = prepare(&Frame::new(40, vec![x])?, &target, Schedule::Exhaustive, &());
/// let x = &preparation.variables[0];
/// assert_eq!(x.parts.label(0), "<= 19.5");
/// assert_eq!(x.counts, [[0, 20], [20, 0]]);
/// # Ok::<(), fnb::Error>(())
/// ```
pub fn prepare(
    frame: &Frame,
    target: &Target,
    schedule: Schedule,
    progress: &dyn Progress,
) -> Preparation {
    let used = inputs(frame);
    let choice = (number_of_inputs(frame) as f64).ln();
    let used: Vec<(&Column, f64)> = used.into_iter().map(|column| (column, choice)).collect();
    let preparer = Preparer::new(target, schedule, used.len(), progress);
    Preparation {
        null_cost: preparer.null_cost,
        variables: preparer.prepare(&used),
    }
}

/// The columns that are inputs as they are.
pub(crate) fn inputs(frame: &Frame) -> Vec<&Column> {
    let columns = frame.columns().iter();
    columns
        .filter(|column| column.data.unused().is_none())
        .collect()
}

/// K: the columns that are inputs as they are, and the features of sparse tables that no row has.
pub(crate) fn number_of_inputs(frame: &Frame) -> usize {
    let dense = |column: &&Column| !matches!(column.data, ColumnData::Sparse(_));
    inputs(frame).into_iter().filter(dense).count() + number_of_sparse_inputs(frame)
}

/// Those of them that are sparse.
pub(crate) fn number_of_sparse_inputs(frame: &Frame) -> usize {
    let sparse = |column: &&Column| {
        matches!(column.data, ColumnData::Sparse(_))
            && frame.sparse_table_of(&column.name).is_none()
    };
    let alone = frame.columns().iter().filter(sparse).count();
    let tables = frame.sparse_tables().iter();
    alone + tables.map(|table| table.features).sum::<usize>()
}

/// Prepares columns, each with its own cost of choosing it.
pub(crate) struct Preparer<'a> {
    /// What parts are found for: rows of a heavy class are no copies of each other, so class weights
    /// must not look like evidence.
    target: Cow<'a, Target>,
    /// Rows per class with the class weights, if there are any: counts are kept in these terms.
    weighted: Option<&'a [u64]>,
    schedule: Schedule,
    pub(crate) null_cost: Cost,
    part_cost: PartCost,
    pub(crate) progress: &'a dyn Progress,
    done: AtomicUsize,
    total: usize,
}

/// What is known of a column once it was searched.
struct Searched {
    kind: VariableKind,
    distinct: usize,
    missing: usize,
    found: Option<Partition>,
    /// The parts of the null model.
    one_part: Parts,
}

/// What a search found, in the same terms for numbers and categories.
pub(crate) struct Partition {
    /// The parts.
    pub(crate) parts: Parts,
    /// Rows per part and class.
    pub(crate) counts: Vec<Vec<u64>>,
    /// Cost of the partition beyond the choice of the variable and the parts themselves.
    pub(crate) cost: f64,
}

impl<'a> Preparer<'a> {
    /// `total` columns are announced to `progress`.
    pub(crate) fn new(
        target: &'a Target,
        schedule: Schedule,
        total: usize,
        progress: &'a dyn Progress,
    ) -> Self {
        let counted = target.before_class_weights();
        let part_cost = PartCost::new(counted.total() as usize, counted.classes().len());
        Self {
            weighted: target.class_weights().map(|_| target.counts()),
            schedule,
            null_cost: part_cost.null(counted.counts()),
            target: counted,
            part_cost,
            progress,
            done: AtomicUsize::new(0),
            total,
        }
    }

    /// Prepares columns of numbers or categories, in parallel; with each, the cost of choosing it.
    pub(crate) fn prepare(&self, columns: &[(&Column, f64)]) -> Vec<PreparedVariable> {
        let variables = columns
            .par_iter()
            .map_init(Vec::new, |scratch, (column, choice)| {
                // What is returned then is looked at by nobody.
                let mut variable = if self.progress.cancelled() {
                    self.unprepared(&column.name, *choice)
                } else {
                    self.prepare_column(column, *choice, scratch)
                };
                if let Some(weighted) = self.weighted {
                    scale_counts(&mut variable.counts, self.target.counts(), weighted);
                }
                let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
                self.progress.report(Stage::Prepare, done, self.total);
                variable
            });
        variables.collect()
    }

    fn prepare_column(
        &self,
        column: &Column,
        choice: f64,
        scratch: &mut Vec<u64>,
    ) -> PreparedVariable {
        let name = &column.name;
        match &column.data {
            ColumnData::Numeric(numbers) => {
                let values = SortedValues::new(numbers, &self.target, scratch);
                self.prepare_number(name, &values, choice)
            }
            ColumnData::Sparse(numbers) => {
                let values = SortedValues::of_sparse(numbers, &self.target, scratch);
                self.prepare_number(name, &values, choice)
            }
            ColumnData::Categorical(categories) => self.prepare_category(name, categories, choice),
            _ => unreachable!("unused columns were set aside"),
        }
    }

    /// Stands for a variable that is not needed any more.
    fn unprepared(&self, name: &str, choice: f64) -> PreparedVariable {
        let searched = Searched {
            kind: VariableKind::Categorical,
            distinct: 0,
            missing: 0,
            found: None,
            one_part: Parts::one_group(),
        };
        self.finish(name, choice, searched)
    }

    fn prepare_number(&self, name: &str, values: &SortedValues, choice: f64) -> PreparedVariable {
        let searched = self.target.classes().len() > 1 && values.len() > 1;
        let found = searched.then(|| {
            discretize(
                values,
                self.target.total() as usize,
                choice,
                self.schedule,
                &self.part_cost,
            )
        });
        let searched = Searched {
            kind: VariableKind::Numerical,
            distinct: values.len(),
            missing: values.missing(),
            found: found.flatten(),
            one_part: Parts::one_interval(),
        };
        self.finish(name, choice, searched)
    }

    fn prepare_category(
        &self,
        name: &str,
        column: &CategoricalColumn,
        choice: f64,
    ) -> PreparedVariable {
        let found = group(column, &self.target, choice, self.schedule, &self.part_cost);
        let searched = Searched {
            kind: VariableKind::Categorical,
            distinct: found.distinct,
            missing: found.missing,
            found: found.partition,
            one_part: Parts::one_group(),
        };
        self.finish(name, choice, searched)
    }

    /// Level and costs; a partition that saves nothing is replaced by the null model.
    fn finish(&self, name: &str, choice: f64, searched: Searched) -> PreparedVariable {
        let null = (
            0.0,
            self.null_cost,
            searched.one_part,
            vec![self.target.counts().to_vec()],
        );
        let (level, cost, parts, counts) = searched.found.map_or(null.clone(), |found| {
            let cost = self.part_cost.variable(choice, found.cost, &found.counts);
            let level = 1.0 - cost.total() / self.null_cost.total();
            if level < SMALLEST_LEVEL {
                null
            } else {
                (level, cost, found.parts, found.counts)
            }
        });
        PreparedVariable {
            name: name.to_owned(),
            kind: searched.kind,
            distinct: searched.distinct,
            missing: searched.missing,
            level,
            cost,
            parts,
            counts,
        }
    }
}
