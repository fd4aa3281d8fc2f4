//! The terms of a prediction, in words or in bulk.

use super::BLOCK_ROWS;
use super::bind::BoundScorer;
use crate::model::Model;
use crate::terms::Contributions;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use std::ops::Range;

/// Explains the predictions of a model.
#[derive(Debug, Clone)]
pub struct Explainer<'a> {
    model: &'a Model,
    contributions: Contributions,
}

/// One term of a prediction, in numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reason {
    /// Position of the term in the model.
    pub term: usize,
    /// The cell the row falls into.
    pub cell: usize,
    /// What that adds to the log odds of the class.
    pub contribution: f64,
}

/// One term of a prediction, in words.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ExplainedTerm {
    /// Name of the term: that of its variable.
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
    /// What each term adds, largest effect first.
    pub terms: Vec<ExplainedTerm>,
}

impl<'a> Explainer<'a> {
    /// Tabulates the contributions.
    pub fn new(model: &'a Model) -> Self {
        let contributions = Contributions::new(model.terms(), &model.target().counts);
        Self {
            model,
            contributions,
        }
    }

    /// The table of contributions.
    pub fn contributions(&self) -> &Contributions {
        &self.contributions
    }

    /// Why a row of the bound frame has its probability of a class.
    pub fn explain(&self, bound: &BoundScorer, row: usize, class: usize) -> Explanation {
        let in_words = |reason: Reason| {
            let term = &self.model.terms()[reason.term];
            let values = (0..term.axes.len()).map(|axis| bound.value(reason.term, axis, row));
            let values: Vec<String> = values.map(|value| value.to_string()).collect();
            ExplainedTerm {
                variable: term.name.clone(),
                meaning: term.describe(),
                value: values.join(", "),
                part: term.label(reason.cell),
                contribution: reason.contribution,
            }
        };
        let mut reasons = Vec::new();
        self.sorted_reasons(bound, row, class, &mut reasons);
        Explanation {
            class: self.model.classes()[class].clone(),
            probability: bound.probabilities(row..row + 1)[class],
            base: self.contributions.base(class),
            terms: reasons.into_iter().map(in_words).collect(),
        }
    }

    /// The `k` largest contributions of each row of `range` to the probability of the class given
    /// for that row, largest effect first; fewer if the model has fewer terms.
    pub fn top_reasons(
        &self,
        bound: &BoundScorer,
        range: Range<usize>,
        classes: &[u32],
        k: usize,
    ) -> Vec<Reason> {
        assert_eq!(classes.len(), range.len(), "a class per row");
        let k = k.min(self.model.terms().len());
        if k == 0 {
            return Vec::new();
        }
        let none = Reason {
            term: 0,
            cell: 0,
            contribution: 0.0,
        };
        let mut top = vec![none; range.len() * k];
        let blocks = top.par_chunks_mut(BLOCK_ROWS * k).enumerate();
        blocks.for_each(|(block, reasons)| {
            let mut all = Vec::with_capacity(self.model.terms().len());
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
        reasons.extend((0..self.model.terms().len()).map(|term| {
            let cell = bound.cell(term, row);
            Reason {
                term,
                cell,
                contribution: self.contributions.value(term, cell, class),
            }
        }));
        reasons.sort_by(|a, b| b.contribution.abs().total_cmp(&a.contribution.abs()));
    }
}
