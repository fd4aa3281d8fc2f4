//! Finding the columns of a model in a frame.

use super::scorer::{ScoredVariable, Scorer, Value};
use crate::columns::{CategoricalColumn, Column, ColumnData, Frame, Unused, nearest_name};
use crate::prepare::VariableKind;
use crate::{Code, Error, Result};
use std::fmt::Write;

/// A scorer with the columns of a frame.
#[derive(Debug, Clone)]
pub struct BoundScorer<'a> {
    pub(super) scorer: &'a Scorer,
    /// One per variable.
    pub(super) columns: Vec<BoundColumn<'a>>,
    rows: usize,
}

#[derive(Debug, Clone)]
pub(super) enum BoundColumn<'a> {
    Numbers(&'a ColumnData),
    Categories {
        column: &'a CategoricalColumn,
        /// The part of every distinct value, so that rows need no look-up of text.
        part_of: Vec<u32>,
    },
    /// Without any value the type of a column cannot be told, and does not matter.
    AllMissing {
        part: usize,
    },
}

impl Scorer {
    /// Finds the columns by name; other columns are ignored.
    pub fn bind<'a>(&'a self, frame: &'a Frame) -> Result<BoundScorer<'a>> {
        let columns: Vec<Option<&Column>> = self
            .variables
            .iter()
            .map(|variable| frame.column(&variable.column))
            .collect();
        if columns.iter().any(Option::is_none) {
            return Err(self.absent_columns(frame));
        }
        let columns = self.variables.iter().zip(columns.into_iter().flatten());
        let columns = columns.map(|(variable, column)| bind_column(variable, column));
        Ok(BoundScorer {
            scorer: self,
            columns: columns.collect::<Result<_>>()?,
            rows: frame.rows(),
        })
    }

    /// The probabilities of all rows of a frame, row by row, the classes in class order.
    pub fn probabilities(&self, frame: &Frame) -> Result<Vec<f64>> {
        Ok(self.bind(frame)?.probabilities(0..frame.rows()))
    }

    /// All absent columns at once, with the names they may have been given.
    fn absent_columns(&self, frame: &Frame) -> Error {
        let names: Vec<&str> = frame.columns().iter().map(|c| c.name.as_str()).collect();
        let absent = self.variables.iter().map(|variable| &variable.column);
        let absent: Vec<&String> = absent.filter(|c| frame.position(c).is_none()).collect();
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

    /// The value of a variable of the model in a row.
    pub fn value(&self, variable: usize, row: usize) -> Value<'a> {
        match &self.columns[variable] {
            BoundColumn::Numbers(ColumnData::Numeric(column)) => {
                Value::Number(column.values()[row])
            }
            BoundColumn::Numbers(ColumnData::Sparse(column)) => Value::Number(column.get(row)),
            BoundColumn::Categories { column, .. } => Value::Category(column.get(row)),
            BoundColumn::Numbers(_) | BoundColumn::AllMissing { .. } => {
                self.scorer.variables[variable].missing()
            }
        }
    }

    /// The part of a variable of the model into which a row falls.
    pub fn part(&self, variable: usize, row: usize) -> usize {
        match &self.columns[variable] {
            BoundColumn::Categories { column, part_of } => {
                part_of[column.codes()[row] as usize] as usize
            }
            BoundColumn::AllMissing { part } => *part,
            BoundColumn::Numbers(_) => self.scorer.variables[variable]
                .part(self.value(variable, row))
                .expect("binding checked the type of the column"),
        }
    }
}

impl ScoredVariable {
    fn missing(&self) -> Value<'static> {
        match self.kind {
            VariableKind::Numerical => Value::Number(f64::NAN),
            VariableKind::Categorical => Value::Category(None),
        }
    }
}

fn bind_column<'a>(variable: &ScoredVariable, column: &'a Column) -> Result<BoundColumn<'a>> {
    let part_of_missing = || variable.part(variable.missing());
    match (&column.data, variable.kind) {
        (ColumnData::Numeric(_) | ColumnData::Sparse(_), VariableKind::Numerical) => {
            Ok(BoundColumn::Numbers(&column.data))
        }
        (ColumnData::Categorical(column), VariableKind::Categorical) => {
            let part = |value| {
                variable
                    .part(Value::Category(value))
                    .map(|part| part as u32)
            };
            let part_of: Result<Vec<u32>> = column.values().iter().map(part).collect();
            Ok(BoundColumn::Categories {
                column,
                part_of: part_of?,
            })
        }
        (ColumnData::Numeric(numbers), VariableKind::Categorical) => {
            match numbers.values().iter().position(|v| !v.is_nan()) {
                None => Ok(BoundColumn::AllMissing {
                    part: part_of_missing()?,
                }),
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
                return Ok(BoundColumn::AllMissing {
                    part: part_of_missing()?,
                });
            };
            let (row, text) = rows.find(not_a_number).unwrap_or(first);
            Err(not_numbers(&column.name, row, text))
        }
        (other, _) => {
            let kind = other.unused().map_or("", Unused::as_str);
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
    let help =
        format!("correct the value, declare it missing, or read numbers with --type {name}=num");
    Error::new(Code::NotANumber, message).help(help)
}

fn not_categories(name: &str, row: usize, number: f64) -> Error {
    let row = row + 1;
    let message = format!(
        "column {name:?} holds categories in the model but is read as numbers: row {row} is {number}"
    );
    let help = format!("read it as categories with --type {name}=cat");
    Error::new(Code::UnsupportedType, message).help(help)
}
