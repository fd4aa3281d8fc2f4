//! A model made ready for scoring.

use crate::columns::VariableKind;
use crate::math::decimal::round_to_10_digits;
use crate::math::exp::exp_in_place;
use crate::model::Model;
use crate::terms::{PartIndex, Term};
use crate::{Code, Error, Result};
use hashbrown::HashMap;
use std::fmt;

/// Tables premultiplied by the weights: scoring a row is a look-up and an addition per term,
/// then one softmax (docs/method.md §8).
#[derive(Debug, Clone)]
pub struct Scorer {
    pub(super) classes: Vec<String>,
    /// The variables of the terms, each once.
    pub(super) inputs: Vec<ScoredInput>,
    pub(super) terms: Vec<ScoredTerm>,
    pub(super) log_prior: Vec<f64>,
    smoothing: Smoothing,
}

/// A variable of a scorer.
#[derive(Debug, Clone)]
pub(super) struct ScoredInput {
    pub(super) name: String,
    pub(super) kind: VariableKind,
    /// Share of the training rows that may have had a category which the groups do not list: at most
    /// those of the group of such categories.
    pub(super) unlisted_share: f64,
}

/// A term of a scorer.
#[derive(Debug, Clone)]
pub(super) struct ScoredTerm {
    pub(super) axes: Vec<ScoredAxis>,
    /// `w · ln p(cell|class)` and what corrects it, one line per cell.
    pub(super) table: Vec<f64>,
}

/// An axis of a term of a scorer.
#[derive(Debug, Clone)]
pub(super) struct ScoredAxis {
    /// Position of its variable among the inputs.
    pub(super) input: usize,
    pub(super) index: PartIndex,
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

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) if number.is_nan() => f.write_str("missing"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Category(category) => f.write_str(category.unwrap_or("missing")),
        }
    }
}

impl Scorer {
    /// Prepares the tables.
    pub fn new(model: &Model) -> Self {
        let counts = &model.target().counts;
        let rows = model.training().rows;
        let n = rows as f64;
        let j = counts.len() as f64;
        let total = 1.0 + 0.5 / (n + 1.0);
        let mut inputs: Vec<ScoredInput> = (model.inputs().into_iter())
            .map(|axis| ScoredInput {
                name: axis.name.clone(),
                kind: axis.kind,
                unlisted_share: 0.0,
            })
            .collect();
        let positions = inputs.iter().enumerate();
        let positions: HashMap<String, usize> = positions
            .map(|(i, input)| (input.name.clone(), i))
            .collect();
        for term in model.terms() {
            for (place, axis) in term.axes.iter().enumerate() {
                let share = &mut inputs[positions[&axis.name]].unlisted_share;
                *share = share.max(term.unlisted_share(place));
            }
        }
        let term = |term: &Term| {
            let axes = term.axes.iter().map(|axis| ScoredAxis {
                input: positions[&axis.name],
                index: PartIndex::new(&axis.parts),
            });
            ScoredTerm {
                axes: axes.collect(),
                table: term.scores(rows),
            }
        };
        Self {
            classes: model.classes().to_vec(),
            terms: model.terms().iter().map(term).collect(),
            inputs,
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

    /// The variables that are needed, in the order of the terms of the model.
    pub fn inputs(&self) -> impl ExactSizeIterator<Item = (&str, VariableKind)> {
        self.inputs.iter().map(|v| (v.name.as_str(), v.kind))
    }

    /// The probabilities of one row, its values in the order of [`inputs`](Self::inputs).
    ///
    /// Numbers are rounded to 10 digits like those of the training.
    pub fn score_row(&self, values: &[Value]) -> Result<Vec<f64>> {
        if values.len() != self.inputs.len() {
            let (given, needed) = (values.len(), self.inputs.len());
            let message = format!("{given} values were given for {needed} variables");
            return Err(Error::new(Code::UnusableData, message));
        }
        let mut scores = self.log_prior.clone();
        for term in &self.terms {
            let mut cell = 0;
            for axis in &term.axes {
                let part = self.part(axis, values[axis.input])?;
                cell = cell * axis.index.parts() + part;
            }
            let line = &term.table[cell * scores.len()..][..scores.len()];
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

    /// The part of a value on an axis.
    pub(super) fn part(&self, axis: &ScoredAxis, value: Value) -> Result<usize> {
        let (part, found) = match value {
            Value::Number(number) => {
                let part = axis.index.of_number(round_to_10_digits(number));
                (part, "a number")
            }
            Value::Category(category) => (axis.index.of_category(category), "a category"),
        };
        part.ok_or_else(|| {
            let ScoredInput { name, kind, .. } = &self.inputs[axis.input];
            let (code, expected) = match kind {
                VariableKind::Numerical => (Code::NotANumber, "a number"),
                VariableKind::Categorical => (Code::UnsupportedType, "a category"),
            };
            let message = format!("column {name:?} must be {expected}, not {found}");
            Error::new(code, message)
        })
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
