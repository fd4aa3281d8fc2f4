//! The terms of a prediction, in words or in bulk.

use super::bind::BoundScorer;
use super::scorer::Value;
use super::shapley::Shapley;
use crate::evaluate::BLOCK_ROWS;
use crate::model::Model;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use std::ops::Range;

/// Explains the predictions of a model.
#[derive(Debug, Clone)]
pub struct Explainer<'a> {
    model: &'a Model,
    shapley: Shapley,
}

/// One term of a prediction, in numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reason {
    /// Position of the variable in the model.
    pub variable: usize,
    /// The part the row falls into.
    pub part: usize,
    /// What that adds to the log odds of the class.
    pub contribution: f64,
}

/// One term of a prediction, in words.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Term {
    /// Name of the variable.
    pub variable: String,
    /// What it is, in words, if it is constructed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meaning: Option<String>,
    /// Its value in the row.
    pub value: String,
    /// The part that holds the value.
    pub part: String,
    /// What that adds to the log odds of the class.
    pub contribution: f64,
}

/// Why a row has its probability of a class.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Explanation {
    /// The class.
    pub class: String,
    /// Its probability.
    pub probability: f64,
    /// Mean log odds of the class over the training rows.
    pub base: f64,
    /// What each variable adds, largest effect first.
    pub terms: Vec<Term>,
}

impl<'a> Explainer<'a> {
    /// Tabulates the contributions.
    pub fn new(model: &'a Model) -> Self {
        let shapley = Shapley::new(model.variables(), &model.target().counts);
        Self { model, shapley }
    }

    /// The table of contributions.
    pub fn shapley(&self) -> &Shapley {
        &self.shapley
    }

    /// Why a row of the bound frame has its probability of a class.
    pub fn explain(&self, bound: &BoundScorer, row: usize, class: usize) -> Explanation {
        let term = |reason: Reason| {
            let variable = &self.model.variables()[reason.variable];
            Term {
                variable: variable.name.clone(),
                meaning: variable.describe(),
                value: match bound.value(reason.variable, row) {
                    Value::Number(number) if number.is_nan() => "missing".into(),
                    Value::Number(number) => number.to_string(),
                    Value::Category(category) => category.unwrap_or("missing").into(),
                },
                part: variable.parts.label(reason.part),
                contribution: reason.contribution,
            }
        };
        let mut reasons = Vec::new();
        self.sorted_reasons(bound, row, class, &mut reasons);
        Explanation {
            class: self.model.classes()[class].clone(),
            probability: bound.probabilities(row..row + 1)[class],
            base: self.shapley.base(class),
            terms: reasons.into_iter().map(term).collect(),
        }
    }

    /// The `k` largest contributions of each row of `range` to the probability of the class given
    /// for that row, largest effect first; fewer if the model has fewer variables.
    pub fn top_reasons(
        &self,
        bound: &BoundScorer,
        range: Range<usize>,
        classes: &[u32],
        k: usize,
    ) -> Vec<Reason> {
        assert_eq!(classes.len(), range.len(), "a class per row");
        let k = k.min(self.model.variables().len());
        if k == 0 {
            return Vec::new();
        }
        let none = Reason {
            variable: 0,
            part: 0,
            contribution: 0.0,
        };
        let mut top = vec![none; range.len() * k];
        let blocks = top.par_chunks_mut(BLOCK_ROWS * k).enumerate();
        blocks.for_each(|(block, reasons)| {
            let mut all = Vec::with_capacity(self.model.variables().len());
            for (i, top) in reasons.chunks_exact_mut(k).enumerate() {
                let offset = block * BLOCK_ROWS + i;
                let class = classes[offset] as usize;
                self.sorted_reasons(bound, range.start + offset, class, &mut all);
                top.copy_from_slice(&all[..k]);
            }
        });
        top
    }

    /// All reasons of a row, largest effect first, equal ones in the order of the model.
    fn sorted_reasons(
        &self,
        bound: &BoundScorer,
        row: usize,
        class: usize,
        reasons: &mut Vec<Reason>,
    ) {
        reasons.clear();
        reasons.extend((0..self.model.variables().len()).map(|variable| {
            let part = bound.part(variable, row);
            Reason {
                variable,
                part,
                contribution: self.shapley.value(variable, part, class),
            }
        }));
        reasons.sort_by(|a, b| b.contribution.abs().total_cmp(&a.contribution.abs()));
    }
}
