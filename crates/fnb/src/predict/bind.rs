//! Finding the columns of a model in a frame.

use super::scorer::{ScoredAxis, Scorer, Value};
use crate::columns::{CategoricalColumn, Column, ColumnData, ColumnType, Frame, VariableKind};
use crate::math::nearest_name;
use crate::{Advice, Code, Error, Result};
use std::fmt::Write;

/// A scorer with the columns of a frame.
#[derive(Debug, Clone)]
pub struct BoundScorer<'a> {
    pub(super) scorer: &'a Scorer,
    /// By term, then axis.
    pub(super) terms: Vec<Vec<BoundAxis<'a>>>,
    rows: usize,
}

#[derive(Debug, Clone)]
pub(super) enum BoundAxis<'a> {
    Numbers(&'a ColumnData),
    Categories {
        column: &'a CategoricalColumn,
        /// The part of every distinct value, so that rows need no look-up of text.
        part_of: Vec<u32>,
        /// The codes of values that the model does not list.
        unlisted: Vec<u32>,
    },
    /// Without any value the type of a column cannot be told, and does not matter.
    AllMissing {
        part: usize,
    },
}

impl Scorer {
    /// Finds the columns by name; other columns are ignored.
    pub fn bind<'a>(&'a self, frame: &'a Frame) -> Result<BoundScorer<'a>> {
        let columns = self.inputs.iter().map(|input| frame.column(&input.name));
        let columns: Option<Vec<&Column>> = columns.collect();
        let columns = columns.ok_or_else(|| {
            let names = self.inputs.iter().map(|input| input.name.as_str());
            absent_columns(names, frame)
        })?;
        let bind_axis = |axis: &ScoredAxis| self.bind_axis(axis, columns[axis.input]);
        let terms = self.terms.iter();
        let terms = terms.map(|term| term.axes.iter().map(bind_axis).collect());
        Ok(BoundScorer {
            scorer: self,
            terms: terms.collect::<Result<_>>()?,
            rows: frame.rows(),
        })
    }

    /// The probabilities of all rows of a frame, row by row, the classes in class order.
    pub fn probabilities(&self, frame: &Frame) -> Result<Vec<f64>> {
        Ok(self.bind(frame)?.probabilities(0..frame.rows()))
    }
}

impl<'a> BoundScorer<'a> {
    /// The scorer.
    pub fn scorer(&self) -> &'a Scorer {
        self.scorer
    }

    /// Number of rows of the frame.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Is there a category that the model does not know?
    pub fn has_unseen_values(&self) -> bool {
        let is_unseen = |axis: &BoundAxis| match axis {
            BoundAxis::Categories { unlisted, .. } => !unlisted.is_empty(),
            _ => false,
        };
        self.terms.iter().flatten().any(is_unseen)
    }

    /// The value of a variable of a term in a row.
    pub fn value(&self, term: usize, axis: usize, row: usize) -> Value<'a> {
        match &self.terms[term][axis] {
            BoundAxis::Numbers(ColumnData::Numeric(column)) => Value::Number(column.values()[row]),
            BoundAxis::Numbers(ColumnData::Sparse(column)) => Value::Number(column.get(row)),
            BoundAxis::Categories { column, .. } => Value::Category(column.get(row)),
            BoundAxis::Numbers(_) | BoundAxis::AllMissing { .. } => {
                self.scorer.missing(&self.scorer.terms[term].axes[axis])
            }
        }
    }

    /// The cell of a term into which a row falls: its part, if the term has one variable.
    pub fn cell(&self, term: usize, row: usize) -> usize {
        let axes = self.scorer.terms[term].axes.iter().enumerate();
        axes.fold(0, |cell, (i, axis)| {
            let part = match &self.terms[term][i] {
                BoundAxis::Categories {
                    column, part_of, ..
                } => part_of[column.codes()[row] as usize] as usize,
                BoundAxis::AllMissing { part } => *part,
                BoundAxis::Numbers(_) => self
                    .scorer
                    .part(axis, self.value(term, i, row))
                    .expect("binding checked the type of the column"),
            };
            cell * axis.index.parts() + part
        })
    }
}

impl Scorer {
    fn missing(&self, axis: &ScoredAxis) -> Value<'static> {
        match self.inputs[axis.input].kind {
            VariableKind::Numerical => Value::Number(f64::NAN),
            VariableKind::Categorical => Value::Category(None),
        }
    }

    fn bind_axis<'a>(&self, axis: &ScoredAxis, column: &'a Column) -> Result<BoundAxis<'a>> {
        match conform(column, self.inputs[axis.input].kind)? {
            None => Ok(BoundAxis::AllMissing {
                part: self.part(axis, self.missing(axis))?,
            }),
            Some(ColumnData::Categorical(column)) => {
                let mut unlisted = Vec::new();
                let mut part = |(value, code)| match axis.index.find_category(value) {
                    Some((part, is_listed)) => {
                        unlisted.extend((!is_listed).then_some(code));
                        Ok(part as u32)
                    }
                    None => Ok(self.part(axis, Value::Category(value))? as u32),
                };
                let values = column.values().iter().zip(0..);
                let part_of = values.map(&mut part).collect::<Result<_>>()?;
                Ok(BoundAxis::Categories {
                    column,
                    part_of,
                    unlisted,
                })
            }
            Some(numbers) => Ok(BoundAxis::Numbers(numbers)),
        }
    }
}

/// The values of a column where a model wants numbers or categories; `None` if it has no value at all,
/// so that its type cannot be told.
pub(super) fn conform(column: &Column, kind: VariableKind) -> Result<Option<&ColumnData>> {
    match (&column.data, kind) {
        (ColumnData::Numeric(_) | ColumnData::Sparse(_), VariableKind::Numerical)
        | (ColumnData::Categorical(_), VariableKind::Categorical) => Ok(Some(&column.data)),
        (ColumnData::Numeric(numbers), VariableKind::Categorical) => {
            match numbers.values().iter().position(|v| !v.is_nan()) {
                None => Ok(None),
                Some(row) => Err(not_categories(&column.name, row, numbers.values()[row])),
            }
        }
        (ColumnData::Sparse(numbers), VariableKind::Categorical) => {
            Err(not_categories(&column.name, 0, numbers.get(0)))
        }
        (ColumnData::Categorical(categories), VariableKind::Numerical) => {
            let mut rows =
                (0..categories.len()).filter_map(|row| Some((row, categories.get(row)?)));
            let not_a_number = |(_, text): &(usize, &str)| text.parse::<f64>().is_err();
            let Some(first) = rows.clone().next() else {
                return Ok(None);
            };
            let (row, text) = rows.find(not_a_number).unwrap_or(first);
            Err(not_numbers(&column.name, row, text))
        }
        (other, _) => {
            let kind = other.word();
            let name = &column.name;
            let message = format!("column {name:?} is read as {kind} but the model uses it");
            Err(Error::new(Code::UnsupportedType, message)
                .help("read it with the type it had in training"))
        }
    }
}

fn not_numbers(name: &str, row: usize, text: &str) -> Error {
    let row = row + 1;
    let message = format!(
        "column {name:?} holds numbers in the model but is read as categories: row {row} is {text:?}"
    );
    Error::new(Code::NotANumber, message).help(Advice::AnyOf(vec![
        "correct the value".into(),
        Advice::DeclareMissing {
            texts: vec![text.to_owned()],
        },
        Advice::ReadAs {
            column: name.to_owned(),
            ty: ColumnType::Numerical,
        },
    ]))
}

fn not_categories(name: &str, row: usize, number: f64) -> Error {
    let row = row + 1;
    let message = format!(
        "column {name:?} holds categories in the model but is read as numbers: row {row} is {number}"
    );
    Error::new(Code::UnsupportedType, message).help(Advice::ReadAs {
        column: name.to_owned(),
        ty: ColumnType::Categorical,
    })
}

/// All absent columns at once, with the names they may have been given.
pub(super) fn absent_columns<'a>(needed: impl Iterator<Item = &'a str>, frame: &Frame) -> Error {
    let names: Vec<&str> = frame.columns().iter().map(|c| c.name.as_str()).collect();
    let absent: Vec<&str> = needed.filter(|c| frame.position(c).is_none()).collect();
    let mut list = String::new();
    let mut similar = String::new();
    for column in &absent {
        let separator = if list.is_empty() { "" } else { ", " };
        let _ = write!(list, "{separator}{column:?}");
        if let Some(name) = nearest_name(column, names.iter().copied()) {
            let separator = if similar.is_empty() { "" } else { ", " };
            let _ = write!(similar, "{separator}{name:?} (for {column:?})");
        }
    }
    let plural = if absent.len() == 1 {
        "column"
    } else {
        "columns"
    };
    let message = format!("the model needs {plural} {list}, absent from the data");
    let error = Error::new(Code::MissingColumn, message);
    if similar.is_empty() {
        error.help("add them; missing values are fine, an absent column is not")
    } else {
        error.help(format!("columns of a similar name: {similar}"))
    }
}
