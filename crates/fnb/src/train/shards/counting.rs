//! What is counted of the rows of a shard, and from it the variables.

use super::Encoding;
use super::bytes::{from_bytes, to_bytes};
use super::survey::Survey;
use crate::columns::row_weights::whole_rows;
use crate::columns::{
    ClassWeights, Column, ColumnData, Outcomes, RowWeights, Target, Temporal, TemporalColumn,
};
use crate::prepare::ColumnCounts;
use crate::relational::{Arithmetic, ConstructedVariable, Database, Expression};
use crate::settings::Settings;
use crate::train::facts::TableFacts;
use crate::weights::Method;
use crate::{Code, Error, Progress, Result};
use hashbrown::HashSet;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Some rows of a table with all that belongs to them: without target and weights, which come apart.
#[derive(Debug)]
pub struct Block<'a> {
    /// The table, or the tables.
    pub database: Database,
    /// The column of the target.
    pub target: &'a Column,
    /// A weight per row, if there are any.
    pub weights: Option<&'a [f64]>,
}

/// A block whose classes and weights are known.
pub(super) struct Labelled<'a> {
    pub(super) database: &'a Database,
    pub(super) labels: Vec<u32>,
    pub(super) weights: Option<RowWeights>,
}

/// What shards must know of the table to count it and to encode it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Reading {
    pub(super) target: String,
    pub(super) classes: Vec<String>,
    /// What weights are divided by, if they are not all 1.
    pub(super) mean_weight: Option<f64>,
    pub(super) arithmetic: Arithmetic,
}

impl Reading {
    /// The classes of the rows of a block as numbers, its weights scaled.
    pub(super) fn label<'a>(&self, block: &'a Block) -> Result<Labelled<'a>> {
        let weights = self
            .mean_weight
            .zip(block.weights)
            .map(|(mean, weights)| RowWeights::of_part(weights.iter().map(|weight| weight / mean)));
        let target = Target::from_column(block.target)?;
        let of_class = |class: &String| self.classes.binary_search(class).ok();
        let code_of: Vec<Option<usize>> = target.classes().iter().map(of_class).collect();
        let label = |(row, &code): (usize, &u32)| match code_of[code as usize] {
            Some(label) => Ok(label as u32),
            // Rows that do not count have no class.
            None if (weights.as_ref()).is_some_and(|weights| weights.units()[row] == 0) => Ok(0),
            None => Err(changed()),
        };
        let labels = target.codes().iter().enumerate().map(label);
        Ok(Labelled {
            labels: labels.collect::<Result<_>>()?,
            weights,
            database: &block.database,
        })
    }
}

/// The rows are not those that were seen before.
pub(super) fn changed() -> Error {
    Error::new(
        Code::UnusableData,
        "the table has changed while it was read",
    )
    .help("train on a copy that stays as it is, or on a query that always gives the same rows")
}

/// What is to be counted of a table in shards.
#[derive(Debug, Clone)]
pub struct Counting {
    pub(super) reading: Reading,
    /// The columns of the main table, in its order.
    columns: Vec<CountedColumn>,
    variables: Vec<ConstructedVariable>,
    pub(super) selection_cost: f64,
    pub(super) facts: TableFacts,
    pub(super) settings: Settings,
    pub(super) class_weights: Option<ClassWeights>,
    pub(super) rows: u64,
}

/// A column of the main table, and what is known of it without its values.
#[derive(Debug, Clone)]
pub(super) struct CountedColumn {
    pub(super) name: String,
    /// Are its values looked at?
    pub(super) is_read: bool,
    pub(super) is_input: bool,
    pub(super) moments: Option<Temporal>,
}

/// What is sent of it to the shards.
#[derive(Serialize, Deserialize)]
struct Sent {
    reading: Reading,
    columns: Vec<String>,
    expressions: Vec<Expression>,
}

/// How often the values of a column occur.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) enum Tally {
    /// Neither an input nor known.
    #[default]
    Nothing,
    /// Of an input: by value and class.
    Input(ColumnCounts),
    /// Of dates and times: units by value.
    Moments(BTreeMap<i64, u64>),
    /// Of long text: units of missing values.
    Missing(u64),
}

/// The rows of a table, or of a part of it, by value and class, column by column.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TableCounts {
    pub(super) rows: u64,
    /// Units of weight of each class.
    pub(super) class_units: Vec<u64>,
    /// The columns, then the constructed variables.
    pub(super) tallies: Vec<Tally>,
}

impl Counting {
    /// `database` has the columns of all tables and no row; bounds of conditions must not be needed.
    pub fn new(
        survey: &Survey,
        database: &Database,
        target: &str,
        settings: &Settings,
        class_weights: Option<ClassWeights>,
    ) -> Result<Self> {
        settings.check()?;
        let families = settings.prepare.families();
        let construction = database.construct(&settings.construct, families)?;
        check_supported(settings, &construction.variables)?;
        let reading = Reading {
            target: target.to_owned(),
            classes: survey.classes.keys().cloned().collect(),
            mean_weight: survey.mean_weight(),
            arithmetic: settings.construct.arithmetic,
        };
        let inputs = database.inputs().into_iter();
        let inputs: HashSet<&str> = inputs.map(|column| column.name.as_str()).collect();
        let columns = database.root().columns().iter();
        let columns = columns.map(|column| CountedColumn {
            name: column.name.clone(),
            is_read: !matches!(column.data, ColumnData::Unused(_)),
            is_input: inputs.contains(column.name.as_str()),
            moments: match &column.data {
                ColumnData::Temporal(column) => Some(column.kind()),
                _ => None,
            },
        });
        Ok(Self {
            reading,
            columns: columns.collect(),
            selection_cost: construction.selection_cost,
            variables: construction.variables,
            facts: TableFacts::of(database, None),
            settings: settings.clone(),
            class_weights,
            rows: survey.rows,
        })
    }

    /// Number of rows of the table.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The columns whose values are looked at.
    pub(super) fn read_columns(&self) -> impl Iterator<Item = &CountedColumn> {
        self.columns.iter().filter(|column| column.is_read)
    }

    /// The variables that are constructed.
    pub(super) fn variables(&self) -> &[ConstructedVariable] {
        &self.variables
    }

    /// What is sent to the shards.
    pub fn to_bytes(&self) -> Vec<u8> {
        let expressions = self.variables.iter().map(|v| v.expression.clone());
        let sent = Sent {
            reading: self.reading.clone(),
            columns: self
                .read_columns()
                .map(|column| column.name.clone())
                .collect(),
            expressions: expressions.collect(),
        };
        // Expressions are told apart by their names, which only texts have.
        serde_json::to_vec(&sent).expect("a plan is plain data")
    }

    /// Counts the rows of a block in a shard, which was sent `plan`.
    pub fn count(plan: &[u8], block: &Block, counts: &mut TableCounts) -> Result<()> {
        let plan: Sent =
            serde_json::from_slice(plan).map_err(|error| super::bytes::damaged("plans", &error))?;
        plan.count(block, counts)
    }

    /// The columns of categories, with those that occur: by name, in the order of the table.
    pub fn categories<'c>(
        &'c self,
        counts: &'c TableCounts,
    ) -> impl Iterator<Item = (&'c str, impl Iterator<Item = &'c str> + Clone)> {
        let columns = self.read_columns().zip(&counts.tallies);
        columns.filter_map(|(column, tally)| match tally {
            Tally::Input(counts) => Some((column.name.as_str(), counts.categories()?)),
            _ => None,
        })
    }

    /// The variables, from the counts of all rows.
    pub fn prepare(&self, counts: TableCounts, progress: &dyn Progress) -> Result<Encoding> {
        if counts.rows != self.rows {
            return Err(changed());
        }
        Encoding::new(self, counts, progress)
    }

    /// The target, without any row.
    pub(super) fn target(&self, class_units: &[u64]) -> Target {
        let counts = class_units.iter().map(|&units| whole_rows(units));
        let weights = self
            .reading
            .mean_weight
            .map(|_| RowWeights::of_units(Vec::new()));
        let classes = self.reading.classes.clone();
        Target::of_part(
            &self.reading.target,
            classes,
            counts.collect(),
            Vec::new(),
            weights,
        )
    }
}

/// What is learnt in one place only.
fn check_supported(settings: &Settings, variables: &[ConstructedVariable]) -> Result<()> {
    let is_khiops = settings.learn.method == Method::FnbKhiops;
    let what = if settings.prepare.families() > 0 {
        "pairs and trees"
    } else if is_khiops && variables.iter().any(|variable| variable.unlisted.is_some()) {
        "sparse variables, as in Khiops,"
    } else {
        return Ok(());
    };
    let message = format!("{what} cannot be learnt from rows in several places");
    Err(Error::new(Code::Usage, message).help("leave it out, or train in one place"))
}

impl Sent {
    fn count(&self, block: &Block, counts: &mut TableCounts) -> Result<()> {
        let labelled = self.reading.label(block)?;
        let outcomes = labelled.outcomes(self.reading.classes.len());
        let constructed = if self.expressions.is_empty() {
            Vec::new()
        } else {
            let database = labelled.database;
            database.values(&self.expressions, self.reading.arithmetic)?
        };
        let root = labelled.database.root();
        let column = |name: &String| root.column(name).map(|column| &column.data);
        let columns = self
            .columns
            .iter()
            .map(|name| column(name).ok_or_else(changed));
        let columns = columns.collect::<Result<Vec<&ColumnData>>>()?;
        let columns: Vec<&ColumnData> = columns.into_iter().chain(&constructed).collect();
        counts.tallies.resize(columns.len(), Tally::default());
        let pairs = counts.tallies.par_iter_mut().zip(columns);
        pairs.try_for_each(|(tally, column)| tally.merge(Tally::of(column, &outcomes)?))?;
        counts.class_units.resize(self.reading.classes.len(), 0);
        for (row, &label) in outcomes.codes().iter().enumerate() {
            counts.class_units[label as usize] += outcomes.units_of(row);
        }
        counts.rows += outcomes.rows() as u64;
        Ok(())
    }
}

impl Labelled<'_> {
    pub(super) fn outcomes(&self, classes: usize) -> Outcomes<'_> {
        Outcomes::new(&self.labels, vec![0; classes], self.weights.as_ref())
    }
}

impl Tally {
    fn of(column: &ColumnData, rows: &Outcomes) -> Result<Self> {
        Ok(match column {
            ColumnData::Temporal(column) => {
                let mut moments = BTreeMap::new();
                for (row, &value) in column.values().iter().enumerate() {
                    *moments.entry(value).or_insert(0) += rows.units_of(row);
                }
                Self::Moments(moments)
            }
            ColumnData::Text(column) => {
                let missing = column.values().missing();
                let codes = column.codes().iter().enumerate();
                let missing = codes.filter(|(_, code)| Some(**code) == missing);
                Self::Missing(missing.map(|(row, _)| rows.units_of(row)).sum())
            }
            ColumnData::Unused(_) => Self::Nothing,
            input => {
                let mut counts = ColumnCounts::default();
                counts.update(input, rows)?;
                Self::Input(counts)
            }
        })
    }

    fn merge(&mut self, other: Self) -> Result<()> {
        match (self, other) {
            (_, Self::Nothing) => {}
            (own @ Self::Nothing, other) => *own = other,
            (Self::Input(own), Self::Input(other)) => own.merge(other)?,
            (Self::Missing(own), Self::Missing(other)) => *own += other,
            (Self::Moments(own), Self::Moments(other)) => {
                for (value, units) in other {
                    *own.entry(value).or_insert(0) += units;
                }
            }
            _ => return Err(changed()),
        }
        Ok(())
    }

    /// Units of missing values, and those of all others by value, of dates and times.
    pub(super) fn moments(&self) -> Option<(u64, Vec<(i64, u64)>)> {
        let Self::Moments(moments) = self else {
            return None;
        };
        let missing = moments.get(&TemporalColumn::MISSING).copied();
        let others = moments.iter().map(|(&value, &units)| (value, units));
        let others = others.filter(|(value, _)| *value != TemporalColumn::MISSING);
        Some((missing.unwrap_or(0), others.collect()))
    }
}

impl TableCounts {
    /// Adds the counts of other rows.
    pub fn merge(&mut self, other: Self) -> Result<()> {
        self.rows += other.rows;
        let classes = self.class_units.len().max(other.class_units.len());
        self.class_units.resize(classes, 0);
        for (own, units) in self.class_units.iter_mut().zip(other.class_units) {
            *own += units;
        }
        let columns = self.tallies.len().max(other.tallies.len());
        self.tallies.resize(columns, Tally::default());
        let pairs = self.tallies.par_iter_mut().zip(other.tallies);
        pairs.try_for_each(|(own, other)| own.merge(other))
    }

    /// Number of rows that were counted.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// What is sent.
    pub fn to_bytes(&self) -> Vec<u8> {
        to_bytes(self)
    }

    /// What was received.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        from_bytes(bytes, "the counts of a shard")
    }
}
