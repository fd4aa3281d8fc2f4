//! A model made ready for scoring.

use crate::math::decimal::round_to_10_digits;
use crate::math::exp::exp_in_place;
use crate::model::{Model, Variable};
use crate::prepare::{PartIndex, VariableKind, log_probabilities};
use crate::{Code, Error, Result};

/// Tables premultiplied by the weights: scoring a row is a look-up and an addition per variable,
/// then one softmax (docs/method.md §8).
#[derive(Debug, Clone)]
pub struct Scorer {
    pub(super) classes: Vec<String>,
    pub(super) variables: Vec<ScoredVariable>,
    pub(super) log_prior: Vec<f64>,
    smoothing: Smoothing,
}

/// A variable of a scorer.
#[derive(Debug, Clone)]
pub(super) struct ScoredVariable {
    pub(super) column: String,
    pub(super) kind: VariableKind,
    pub(super) index: PartIndex,
    /// `w · ln p(part|class)`, one line per part.
    pub(super) table: Vec<f64>,
}

/// The last step of docs/method.md §8: `P = (q + e) / total` with `total = 1 + 0.5/(N+1)`.
#[derive(Debug, Clone, Copy)]
struct Smoothing {
    total: f64,
    /// `e / total`.
    added: f64,
}

/// A value of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value<'a> {
    /// A number; NaN is missing.
    Number(f64),
    /// A category; `None` is missing.
    Category(Option<&'a str>),
}

impl Scorer {
    /// Prepares the tables.
    pub fn new(model: &Model) -> Self {
        let counts = &model.target().counts;
        let rows = model.training().rows as usize;
        let n = rows as f64;
        let j = counts.len() as f64;
        let total = 1.0 + 0.5 / (n + 1.0);
        let table = |variable: &Variable| {
            let logs = log_probabilities(&variable.counts, rows);
            logs.iter().map(|log| variable.weight * log).collect()
        };
        let variables = model.variables().iter().map(|variable| ScoredVariable {
            column: variable.column().to_owned(),
            kind: variable.kind,
            index: PartIndex::new(&variable.parts),
            table: table(variable),
        });
        Self {
            classes: model.classes().to_vec(),
            variables: variables.collect(),
            log_prior: counts.iter().map(|&n_j| (n_j as f64 / n).ln()).collect(),
            smoothing: Smoothing {
                total,
                added: 0.5 / (j * (n + 1.0)) / total,
            },
        }
    }

    /// The classes in class order.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// The columns that are needed, in the order of the model's variables.
    pub fn columns(&self) -> impl ExactSizeIterator<Item = (&str, VariableKind)> {
        self.variables.iter().map(|v| (v.column.as_str(), v.kind))
    }

    /// The probabilities of one row, its values in the order of [`columns`](Self::columns).
    ///
    /// Numbers are rounded to 10 digits like those of the training.
    pub fn score_row(&self, values: &[Value]) -> Result<Vec<f64>> {
        if values.len() != self.variables.len() {
            let (given, needed) = (values.len(), self.variables.len());
            let message = format!("{given} values were given for {needed} variables");
            return Err(Error::new(Code::UnusableData, message));
        }
        let mut scores = self.log_prior.clone();
        for (variable, value) in self.variables.iter().zip(values) {
            let part = variable.part(*value)?;
            let line = &variable.table[part * scores.len()..][..scores.len()];
            for (score, term) in scores.iter_mut().zip(line) {
                *score += term;
            }
        }
        self.finish(&mut scores);
        Ok(scores)
    }

    /// Turns the scores of a block of rows into probabilities, in place.
    pub(super) fn finish(&self, scores: &mut [f64]) {
        let classes = self.classes.len();
        for_each_row(scores, classes, |row| {
            let largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            for score in row {
                *score -= largest;
            }
        });
        exp_in_place(scores);
        for_each_row(scores, classes, |row| {
            // (q + e) / total with q = score / sum, at the price of one division.
            let factor = 1.0 / (row.iter().sum::<f64>() * self.smoothing.total);
            for score in row {
                *score = *score * factor + self.smoothing.added;
            }
        });
    }
}

/// Applies `change` to every row; compiled apart for two classes, where loops over them vanish.
#[inline]
fn for_each_row(scores: &mut [f64], classes: usize, change: impl Fn(&mut [f64])) {
    if classes == 2 {
        for row in scores.as_chunks_mut::<2>().0 {
            change(row);
        }
    } else {
        scores.chunks_exact_mut(classes).for_each(change);
    }
}

impl ScoredVariable {
    pub(super) fn part(&self, value: Value) -> Result<usize> {
        let (part, found) = match value {
            Value::Number(number) => {
                let part = self.index.of_number(round_to_10_digits(number));
                (part, "a number")
            }
            Value::Category(category) => (self.index.of_category(category), "a category"),
        };
        part.ok_or_else(|| {
            let name = &self.column;
            let message = match self.kind {
                VariableKind::Numerical => format!("column {name:?} must be a number, not {found}"),
                VariableKind::Categorical => {
                    format!("column {name:?} must be a category, not {found}")
                }
            };
            let code = match self.kind {
                VariableKind::Numerical => Code::NotANumber,
                VariableKind::Categorical => Code::UnsupportedType,
            };
            Error::new(code, message)
        })
    }
}
