//! The terms of a prediction, in words or in bulk.

use super::BLOCK_ROWS;
use super::bind::BoundScorer;
use super::contrast::Contrast;
use crate::model::Model;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use std::ops::Range;

/// Explains the predictions of a model.
#[derive(Debug, Clone)]
pub struct Explainer<'a> {
    model: &'a Model,
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

/// Why a row has its probability of a class: the log odds of the class against another one are those of the
/// class shares plus what each term adds.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Explanation {
    /// The class.
    pub class: String,
    /// Its probability.
    pub probability: f64,
    /// The class that it is compared with, the most probable other one; none if there is no other.
    pub against: Option<String>,
    /// Shares of the two classes among the training rows.
    pub shares: [f64; 2],
    /// Log odds of these shares.
    pub start: f64,
    /// What each term adds, largest effect first.
    pub terms: Vec<ExplainedTerm>,
    /// The sum: the log odds of the class in this row, before probabilities are smoothed.
    pub log_odds: f64,
}

impl<'a> Explainer<'a> {
    /// Explains in the words of a model.
    pub fn new(model: &'a Model) -> Self {
        Self { model }
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
        let probabilities = bound.probabilities(row..row + 1);
        let contrast = Contrast::new(class, &probabilities);
        let Contrast { against, .. } = contrast;
        let mut reasons = Vec::new();
        self.sorted_reasons(bound, row, contrast, &mut reasons);
        let classes = self.model.classes();
        let share = |class: usize| bound.scorer.log_prior()[class].exp();
        let start = bound.scorer.start(contrast);
        let sum: f64 = reasons.iter().map(|reason| reason.contribution).sum();
        Explanation {
            class: classes[class].clone(),
            probability: probabilities[class],
            against: (against != class).then(|| classes[against].clone()),
            shares: [share(class), share(against)],
            start,
            terms: reasons.into_iter().map(in_words).collect(),
            log_odds: start + sum,
        }
    }

    /// The `k` largest contributions of each row of `range` to the log odds given for that row, largest
    /// effect first; fewer if the model has fewer terms.
    pub fn top_reasons(
        &self,
        bound: &BoundScorer,
        range: Range<usize>,
        contrasts: &[Contrast],
        k: usize,
    ) -> Vec<Reason> {
        assert_eq!(contrasts.len(), range.len(), "a contrast per row");
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
                self.sorted_reasons(bound, range.start + offset, contrasts[offset], &mut all);
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
        contrast: Contrast,
        reasons: &mut Vec<Reason>,
    ) {
        reasons.clear();
        reasons.extend((0..self.model.terms().len()).map(|term| {
            let cell = bound.cell(term, row);
            Reason {
                term,
                cell,
                contribution: bound.scorer.contribution(term, cell, contrast),
            }
        }));
        reasons.sort_by(|a, b| b.contribution.abs().total_cmp(&a.contribution.abs()));
    }
}
