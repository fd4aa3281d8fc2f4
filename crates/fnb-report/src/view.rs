//! What all sections need of a model, worked out once.

use crate::slugs::Slugs;
use crate::text::shown;
use crate::{Changed, NamedModel, Options, labels};
use fnb::columns::Distribution;
use fnb::evaluate::Evaluation;
use fnb::model::{Model, ValueFacts};
use fnb::predict::{Contrast, Scorer};
use fnb::terms::{Correction, Term};
use fnb::{Code, Error, Result};
use std::collections::{BTreeMap, BTreeSet};

/// A model as the page sees it.
pub(crate) struct View<'a> {
    pub(crate) title: &'a str,
    pub(crate) model: &'a Model,
    pub(crate) scorer: Scorer,
    /// The class that the page speaks of and the other one, if there are two.
    pub(crate) contrast: Option<Contrast>,
    /// All terms, most important first.
    pub(crate) terms: Vec<TermView<'a>>,
    /// What is known of the values of columns and constructed variables, by name.
    pub(crate) values: BTreeMap<&'a str, &'a ValueFacts>,
    /// The variables that lie otherwise in the rows given.
    pub(crate) changed: &'a [Changed],
    /// The figures that count, and those of the training rows.
    pub(crate) quality: Quality<'a>,
}

/// A term with its place in the page.
pub(crate) struct TermView<'a> {
    /// Its position in the model.
    pub(crate) index: usize,
    pub(crate) term: &'a Term,
    /// Its id in the page.
    pub(crate) id: String,
    /// Are the numbers of its variable whole?
    pub(crate) whole: bool,
}

/// What is known of the quality of the model.
pub(crate) struct Quality<'a> {
    /// On rows that it has not seen, or else on its training rows.
    pub(crate) shown: Option<&'a Evaluation>,
    /// Which rows these are.
    pub(crate) rows: Rows,
    /// On its training rows.
    pub(crate) train: Option<&'a Evaluation>,
}

/// Rows that a model is measured on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rows {
    /// Rows given for the report.
    Given,
    /// Test rows of the training.
    Test,
    /// Training rows.
    Training,
}

impl Rows {
    /// "14,652 test rows".
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Given => "given rows",
            Self::Test => "test rows",
            Self::Training => "training rows",
        }
    }
}

impl<'a> View<'a> {
    /// Looks at a model.
    pub(crate) fn new(named: &NamedModel<'a>, options: &'a Options) -> Result<Self> {
        let model = named.model;
        let scorer = Scorer::new(model);
        let contrast = contrast(model, options.main_class.as_deref())?;
        let values: BTreeMap<&str, &ValueFacts> = model
            .values()
            .iter()
            .map(|facts| (facts.name.as_str(), facts))
            .collect();
        let mut slugs = Slugs::default();
        let terms = model.terms().iter().enumerate();
        let terms = terms.map(|(index, term)| TermView {
            index,
            term,
            id: slugs.of("v-", &term.name),
            whole: term.axes.len() == 1
                && is_whole(values.get(term.axes[0].name.as_str()).copied()),
        });
        let evaluation = model.evaluation();
        let (shown, rows) = match (named.measured, &evaluation.test) {
            (Some(given), _) => (Some(given), Rows::Given),
            (None, Some(test)) => (Some(test), Rows::Test),
            (None, None) => (evaluation.train.as_ref(), Rows::Training),
        };
        Ok(Self {
            title: options.title.as_deref().unwrap_or(named.name),
            model,
            contrast,
            terms: terms.collect(),
            changed: named.changed,
            values,
            quality: Quality {
                shown,
                rows,
                train: evaluation.train.as_ref(),
            },
            scorer,
        })
    }

    /// The hash of the model, as in its file.
    pub(crate) fn checksum(&self) -> String {
        let file: Option<serde_json::Value> = serde_json::from_str(&self.model.to_json()).ok();
        let checksum = file.and_then(|file| Some(file.get("checksum")?.as_str()?.to_owned()));
        checksum.unwrap_or_default()
    }

    /// A class as it is shown.
    pub(crate) fn class(&self, class: usize) -> &'a str {
        match self.model.classes()[class].as_str() {
            "" => "missing",
            class => shown(class),
        }
    }

    /// Number of classes.
    pub(crate) fn classes(&self) -> usize {
        self.model.classes().len()
    }

    /// The classes as one lists them: numbers by their size, others as the model has them.
    pub(crate) fn class_order(&self) -> Vec<usize> {
        let classes = self.model.classes().iter();
        let numbers: Option<Vec<f64>> = classes.map(|class| class.parse().ok()).collect();
        let mut order: Vec<usize> = (0..self.classes()).collect();
        if let Some(numbers) = numbers {
            order.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b]));
        }
        order
    }

    /// Share of a class among the training rows.
    pub(crate) fn share(&self, class: usize) -> f64 {
        self.model.target().counts[class] as f64 / self.model.training().rows as f64
    }

    /// The most frequent class, the first one on ties.
    pub(crate) fn majority(&self) -> usize {
        let counts = &self.model.target().counts;
        (0..counts.len()).fold(0, |best, class| {
            if counts[class] > counts[best] {
                class
            } else {
                best
            }
        })
    }

    /// The term of a variable on its own.
    pub(crate) fn term_of(&self, variable: &str) -> Option<&TermView<'a>> {
        self.terms.iter().find(|term| term.term.name == variable)
    }

    /// The selected variables that say much the same as a variable, linked, with how much.
    pub(crate) fn overlaps(&self, variable: &str) -> Vec<String> {
        let overlaps = self.model.overlaps(variable).iter();
        overlaps
            .filter_map(|overlap| {
                let link = crate::words::link(self.term_of(&overlap.with)?);
                Some(format!("{link} ({})", crate::text::percent(overlap.share)))
            })
            .collect()
    }

    /// The terms of one variable each.
    pub(crate) fn variables(&self) -> impl Iterator<Item = &TermView<'a>> {
        self.terms.iter().filter(|term| term.term.axes.len() == 1)
    }

    /// The tables over several variables.
    pub(crate) fn tables(&self) -> impl Iterator<Item = &TermView<'a>> {
        self.terms.iter().filter(|term| term.term.axes.len() > 1)
    }

    /// Are all numbers of a column or constructed variable whole?
    pub(crate) fn is_whole(&self, name: &str) -> bool {
        is_whole(self.values.get(name).copied())
    }

    /// Variables that are in tables only, none of their own.
    pub(crate) fn only_in_tables(&self) -> usize {
        let of = |corrects: bool| {
            let terms = self.terms.iter();
            let terms = terms.filter(move |term| term.term.only_corrects() == corrects);
            terms
                .flat_map(|term| &term.term.axes)
                .map(|axis| &axis.name)
        };
        let own: BTreeSet<&String> = of(false).collect();
        let in_tables: BTreeSet<&String> = of(true).filter(|name| !own.contains(name)).collect();
        in_tables.len()
    }

    /// Variables that the model uses, on their own or in tables.
    pub(crate) fn used(&self) -> usize {
        self.model.training().selected + self.only_in_tables()
    }

    /// What a cell of a term adds to the log odds of the main class of two.
    pub(crate) fn adds(&self, term: usize, cell: usize) -> Option<f64> {
        Some(self.scorer.contribution(term, cell, self.contrast?))
    }

    /// Does the model tell less than the class shares do, on the rows that count?
    pub(crate) fn is_useless(&self) -> bool {
        let quality = self.quality.shown;
        !self.terms.is_empty() && quality.is_some_and(|shown| shown.compression <= 0.0)
    }
}

impl TermView<'_> {
    /// The parts that its only variable has on its own, the first and the last of those shown that each is made of:
    /// these are finer where the variable has a curve.
    pub(crate) fn own_parts(&self) -> Vec<[usize; 2]> {
        let Some(Correction::Cells { within, .. }) = &self.term.correction else {
            return (0..self.term.cells()).map(|part| [part, part]).collect();
        };
        let mut parts: Vec<[usize; 2]> = Vec::new();
        for part in 0..self.term.cells() {
            match parts.last_mut() {
                Some([_, last]) if !within.is_empty() && within[part] == within[*last] => {
                    *last = part;
                }
                _ => parts.push([part, part]),
            }
        }
        parts
    }

    /// Is it shown in finer parts than its own, since it has a curve?
    pub(crate) fn has_curve(&self) -> bool {
        self.term.axes.len() == 1 && self.own_parts().len() < self.term.cells()
    }

    /// A part of its only variable, in plain text.
    pub(crate) fn label(&self, part: usize) -> String {
        labels::plain(&self.term.axes[0].parts, part, self.whole)
    }

    /// The same as HTML.
    pub(crate) fn label_html(&self, part: usize) -> String {
        labels::html(&self.term.axes[0].parts, part, self.whole)
    }
}

/// Are all numbers of a variable whole?
fn is_whole(facts: Option<&ValueFacts>) -> bool {
    matches!(
        facts.and_then(|facts| facts.distribution.as_ref()),
        Some(Distribution::Numbers { whole: true, .. })
    )
}

fn contrast(model: &Model, main_class: Option<&str>) -> Result<Option<Contrast>> {
    let classes = model.classes();
    let named =
        match main_class {
            None => None,
            Some(name) => Some(classes.iter().position(|class| class == name).ok_or_else(
                || {
                    let message = format!("the model has no class {name:?}");
                    Error::new(Code::UnusableData, message)
                        .help(format!("its classes: {}", classes.join(", ")))
                },
            )?),
        };
    if classes.len() != 2 {
        return Ok(None);
    }
    let class = named.unwrap_or(1);
    let against = 1 - class;
    Ok(Some(Contrast { class, against }))
}
