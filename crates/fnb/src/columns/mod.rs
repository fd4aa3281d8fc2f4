//! Typed input: the columns of a table, and its target.

mod categorical;
pub(crate) mod class_weights;
mod count;
mod distribution;
mod numeric;
mod outcomes;
pub(crate) mod places;
pub(crate) mod row_weights;
mod sparse;
mod sparse_table;
mod spelling;
mod target;
mod temporal;

pub use crate::kind::{ColumnType, Role, Temporal, UnknownType, VariableKind};
pub use categorical::{CategoricalColumn, CategoricalColumnBuilder, Values};
pub use class_weights::ClassWeights;
pub use distribution::Distribution;
pub(crate) use distribution::Ordered;
pub use numeric::{LentNumbers, NumericColumn};
pub use outcomes::Outcomes;
pub use places::{Places, WholeTable};
pub use row_weights::{MAX_SUM_OF_WEIGHTS, RowWeights};
pub use sparse::{SparseColumn, Unlisted};
pub use sparse_table::{SparseEntries, SparseMatch, SparseTable};
pub use spelling::{Case, Integers, Spelling};
pub use target::{MAX_CLASSES, Target, Task};
pub use temporal::TemporalColumn;

use crate::{Code, Error, Result};
use hashbrown::HashMap;
use sparse::RowPlaces;
use std::cell::LazyCell;

/// The content of a column.
#[derive(Debug, Clone)]
pub enum ColumnData {
    /// Numbers.
    Numeric(NumericColumn),
    /// Numbers that are nearly all 0.
    Sparse(SparseColumn),
    /// Categories.
    Categorical(CategoricalColumn),
    /// Dates, times of day or timestamps: not an input, but calendar parts of them are.
    Temporal(TemporalColumn),
    /// Long text: not an input, but counts of its words are.
    Text(CategoricalColumn),
    /// No values are kept; the role says why.
    Unused(Role),
}

impl ColumnData {
    /// The type of its values; `None` if they were not read.
    ///
    /// ```
    /// use fnb::columns::{ColumnData, ColumnType, Role};
    /// let colours = ColumnData::Categorical([Some("red"), None].into_iter().collect());
    /// assert_eq!(colours.column_type(), Some(ColumnType::Categorical));
    /// assert_eq!(ColumnData::Unused(Role::Ignored).column_type(), None);
    /// ```
    pub fn column_type(&self) -> Option<ColumnType> {
        match self {
            Self::Numeric(_) | Self::Sparse(_) => Some(ColumnType::Numerical),
            // Keys are read as they are written, whatever they look like.
            Self::Categorical(_) | Self::Unused(Role::Key | Role::Target) => {
                Some(ColumnType::Categorical)
            }
            Self::Temporal(column) => Some(column.kind().into()),
            Self::Text(_) => Some(ColumnType::Text),
            Self::Unused(Role::Input | Role::Ignored) => None,
        }
    }

    /// What is done with the column.
    pub fn role(&self) -> Role {
        match self {
            Self::Unused(role) => *role,
            _ => Role::Input,
        }
    }

    /// What it is, in a word: its type, or its role if it is not an input.
    pub fn word(&self) -> &'static str {
        self.role().or_type(self.column_type())
    }

    /// Why the column is not an input as it is, in a word; `None` for numbers and categories.
    pub fn unused(&self) -> Option<&'static str> {
        let is_input =
            self.role().is_input() && self.column_type().is_some_and(ColumnType::is_input);
        (!is_input).then(|| self.word())
    }

    /// The content of the given rows, in the given order.
    ///
    /// ```
    /// use fnb::columns::{ColumnData, NumericColumn};
    /// let ages = ColumnData::Numeric(NumericColumn::new(vec![31.0, 7.0, 52.0]));
    /// let taken = ages.take(&[2, 0]);
    /// assert!(matches!(taken, ColumnData::Numeric(ages) if ages.values() == [52.0, 31.0]));
    /// ```
    #[must_use]
    pub fn take(&self, rows: &[usize]) -> Self {
        match self {
            Self::Numeric(column) => Self::Numeric(column.take(rows)),
            Self::Sparse(column) => Self::Sparse(column.take(rows)),
            Self::Categorical(column) => Self::Categorical(column.take(rows)),
            Self::Temporal(column) => Self::Temporal(column.take(rows)),
            Self::Text(column) => Self::Text(column.take(rows)),
            Self::Unused(role) => Self::Unused(*role),
        }
    }
}

/// A named column.
#[derive(Debug, Clone)]
pub struct Column {
    /// The name, exactly as in the source.
    pub name: String,
    /// The content.
    pub data: ColumnData,
}

/// Columns of the same number of rows, with distinct names.
///
/// ```
/// use fnb::columns::{CategoricalColumn, Column, ColumnData, Frame, NumericColumn};
/// let frame = Frame::new(
///     2,
///     vec![
///         Column { name: "age".into(), data: ColumnData::Numeric(NumericColumn::new(vec![31.0, f64::NAN])) },
///         Column { name: "city".into(), data: ColumnData::Categorical([Some("Lannion"), None].into_iter().collect()) },
///     ],
/// )?;
/// assert_eq!(frame.position("city"), Some(1));
/// # Ok::<(), fnb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Frame {
    rows: usize,
    columns: Vec<Column>,
    positions: HashMap<String, usize>,
    sparse_tables: Vec<SparseTable>,
}

impl Frame {
    /// Checks lengths and names.
    pub fn new(rows: usize, columns: Vec<Column>) -> Result<Self> {
        let mut positions = HashMap::with_capacity(columns.len());
        for (i, column) in columns.iter().enumerate() {
            let length = match &column.data {
                ColumnData::Numeric(c) => c.len(),
                ColumnData::Sparse(c) => c.len(),
                ColumnData::Categorical(c) | ColumnData::Text(c) => c.len(),
                ColumnData::Temporal(c) => c.len(),
                ColumnData::Unused(_) => rows,
            };
            if length != rows {
                let message = format!("column {:?} has {length} rows, not {rows}", column.name);
                return Err(Error::new(Code::Internal, message));
            }
            if let Some(first) = positions.insert(column.name.clone(), i) {
                let message = format!(
                    "columns {} and {} are both named {:?}",
                    first + 1,
                    i + 1,
                    column.name
                );
                return Err(Error::new(Code::DuplicateColumn, message).help("rename one of them"));
            }
        }
        Ok(Self {
            rows,
            columns,
            positions,
            sparse_tables: Vec::new(),
        })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// All columns, in the order of the source.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Where its sparse columns come from, if they were added by
    /// [`with_sparse_tables`](Self::with_sparse_tables).
    pub fn sparse_tables(&self) -> &[SparseTable] {
        &self.sparse_tables
    }

    /// The sparse table that a column comes from.
    pub fn sparse_table_of(&self, column: &str) -> Option<&SparseTable> {
        let mut tables = self.sparse_tables.iter();
        tables.find(|table| table.feature_of(column).is_some())
    }

    /// Index of the column with that name.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.positions.get(name).copied()
    }

    /// The column with that name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.position(name).map(|i| &self.columns[i])
    }

    /// The columns that are inputs as they are.
    pub fn inputs(&self) -> impl Iterator<Item = &Column> {
        let columns = self.columns.iter();
        columns.filter(|column| column.data.unused().is_none())
    }

    /// Number of sparse inputs, those features of sparse tables that no row has included.
    pub(crate) fn number_of_sparse_inputs(&self) -> usize {
        let alone = |column: &&Column| {
            matches!(column.data, ColumnData::Sparse(_))
                && self.sparse_table_of(&column.name).is_none()
        };
        let alone = self.columns.iter().filter(alone).count();
        let tables = self.sparse_tables.iter();
        alone + tables.map(|table| table.features).sum::<usize>()
    }

    /// Takes a column out, typically the target.
    pub fn remove(&mut self, name: &str) -> Option<Column> {
        let i = self.positions.remove(name)?;
        for position in self.positions.values_mut().filter(|p| **p > i) {
            *position -= 1;
        }
        Some(self.columns.remove(i))
    }

    /// Gives a column other content of as many rows.
    ///
    /// ```
    /// # use fnb::columns::{Column, ColumnData, Frame, NumericColumn};
    /// let zip = ColumnData::Categorical([Some("75001")].into_iter().collect());
    /// let mut frame = Frame::new(1, vec![Column { name: "zip".into(), data: zip }])?;
    /// frame.replace("zip", ColumnData::Numeric(NumericColumn::new(vec![75_001.0])))?;
    /// assert!(matches!(frame.columns()[0].data, ColumnData::Numeric(_)));
    /// # Ok::<(), fnb::Error>(())
    /// ```
    pub fn replace(&mut self, name: &str, data: ColumnData) -> Result<()> {
        let Some(position) = self.position(name) else {
            let message = format!("there is no column {name:?} to replace");
            return Err(Error::new(Code::Internal, message));
        };
        self.columns[position].data = data;
        let columns = std::mem::take(&mut self.columns);
        self.columns = Self::new(self.rows, columns)?.columns;
        Ok(())
    }

    /// The frame of the given rows, in the given order.
    #[must_use]
    pub fn take(&self, rows: &[usize]) -> Self {
        let places = LazyCell::new(|| RowPlaces::new(rows, self.rows));
        let columns = self.columns.iter().map(|column| Column {
            name: column.name.clone(),
            data: match &column.data {
                // Of very many columns: where rows go is found once.
                ColumnData::Sparse(c) => ColumnData::Sparse(c.take_placed(&places)),
                data => data.take(rows),
            },
        });
        Self {
            rows: rows.len(),
            columns: columns.collect(),
            positions: self.positions.clone(),
            sparse_tables: self.sparse_tables.clone(),
        }
    }
}
