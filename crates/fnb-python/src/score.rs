//! Scoring: what a model needs of a table, and what it makes of it.

use crate::frame::{Others, Table};
use crate::tables::read_other;
use crate::told::Told;
use fnb::columns::{Column, ColumnData, Frame, NumericColumn, VariableKind};
use fnb::model::Model;
use fnb::predict::{BoundScorer, Explainer, Scorer, Unseen};
use fnb::{Code, Error};
use fnb_table::{ReadOptions, ToScore, columns_to_score};
use std::borrow::Cow;

/// A number per row and class.
#[derive(Clone, Copy)]
pub(crate) enum RowsByClass {
    Probabilities,
    /// What probabilities are made of.
    Scores,
}

/// Why rows have their probabilities: row, class that is compared with, variable, value, part,
/// contribution; lists of equal length.
pub(crate) type Explained = (
    Vec<usize>,
    Vec<Option<String>>,
    Vec<String>,
    Vec<String>,
    Vec<String>,
    Vec<f64>,
);

/// A model and what is computed from it once.
pub(crate) struct Ready {
    pub(crate) model: Model,
    scorer: Scorer,
}

impl Ready {
    pub(crate) fn new(model: Model) -> Self {
        let scorer = Scorer::new(&model);
        Self { model, scorer }
    }

    /// The names of the columns of the main table that scoring needs.
    pub(crate) fn inputs(&self) -> Vec<String> {
        let expected = columns_to_score(&self.model).into_iter();
        expected.map(|column| column.name).collect()
    }

    /// Is every variable a column of numbers as it is?
    pub(crate) fn is_of_numbers(&self) -> bool {
        let mut inputs = self.model.inputs().into_iter();
        inputs.all(|axis| axis.kind == VariableKind::Numerical && axis.from.is_column())
    }

    /// Are some variables computed: from dates, texts, other tables?
    pub(crate) fn computes(&self) -> bool {
        self.model.schema().is_some()
    }

    /// What the model scores: the needed columns of a table, and what is computed from them and from
    /// the tables around it.
    pub(crate) fn read(
        &self,
        table: &Table,
        others: &Others,
        told: &mut Told,
    ) -> fnb::Result<Frame> {
        let to_score = ToScore::new(&self.model, ReadOptions::default(), Vec::new())?;
        let options = to_score.main_options(Vec::new());
        if options.columns.is_empty() {
            return Frame::new(table.rows(), Vec::new());
        }
        let main = table.read(&options, told)?;
        if !self.computes() {
            return Ok(main);
        }
        let (database, _) = to_score.join(main, |path, options| {
            read_other(others, path, options, told)
        })?;
        to_score.frame(&database).map(Cow::into_owned)
    }

    /// A frame of numbers, in the order of the inputs.
    pub(crate) fn numbers(&self, rows: usize, columns: Vec<Vec<f64>>) -> fnb::Result<Frame> {
        let names = self.scorer.inputs().map(|(name, _)| name.to_owned());
        let columns = names.zip(columns).map(|(name, values)| Column {
            name,
            data: ColumnData::Numeric(NumericColumn::new(values)),
        });
        Frame::new(rows, columns.collect())
    }

    /// What a scorer makes of every row, with other class shares if they are given.
    pub(crate) fn scored(
        &self,
        frame: &Frame,
        prior: Option<&[f64]>,
        told: &mut Told,
        of: RowsByClass,
    ) -> fnb::Result<Vec<f64>> {
        let other = prior
            .map(|prior| self.scorer.with_prior(prior))
            .transpose()?;
        let bound = bind(other.as_ref().unwrap_or(&self.scorer), frame, told)?;
        Ok(match of {
            RowsByClass::Probabilities => bound.probabilities(0..frame.rows()),
            RowsByClass::Scores => bound.scores(0..frame.rows()),
        })
    }

    /// What each part of each variable adds to the score of each class; what the scores start from.
    pub(crate) fn evidence(&self) -> (Vec<Vec<Vec<f64>>>, Vec<f64>) {
        let terms = self.model.terms().iter().enumerate();
        let tables = terms.map(|(i, term)| {
            let of_cell = |cell| self.scorer.evidence(i, cell).to_vec();
            (0..term.cells()).map(of_cell).collect()
        });
        (tables.collect(), self.scorer.log_prior().to_vec())
    }
}

/// A scorer with the columns of a frame; tells of categories if the model knows none of a column.
fn bind<'a>(scorer: &'a Scorer, frame: &'a Frame, told: &mut Told) -> fnb::Result<BoundScorer<'a>> {
    let bound = scorer.bind(frame)?;
    if bound.has_unseen_values() {
        let mut unseen = Unseen::new(scorer, false);
        unseen.add(&bound);
        told.add_unseen(&unseen);
    }
    Ok(bound)
}

/// The part of every row, variable after variable within a row.
pub(crate) fn parts(ready: &Ready, frame: &Frame, told: &mut Told) -> fnb::Result<Vec<i32>> {
    let bound = bind(&ready.scorer, frame, told)?;
    let terms = ready.model.terms().len();
    let mut parts = Vec::with_capacity(frame.rows() * terms);
    for row in 0..frame.rows() {
        parts.extend((0..terms).map(|term| bound.cell(term, row) as i32));
    }
    Ok(parts)
}

/// The `top` largest terms of each row for its class.
pub(crate) fn explain(
    ready: &Ready,
    frame: &Frame,
    classes: &[u32],
    top: usize,
    told: &mut Told,
) -> fnb::Result<Explained> {
    if top == 0 {
        let error = Error::new(Code::Usage, "top is 0, it must be at least 1");
        return Err(error.help("5 is the default"));
    }
    let bound = bind(&ready.scorer, frame, told)?;
    let explainer = Explainer::new(&ready.model);
    let mut explained = (vec![], vec![], vec![], vec![], vec![], vec![]);
    for (row, &class) in classes.iter().enumerate() {
        let why = explainer.explain(&bound, row, class as usize);
        for term in why.terms.into_iter().take(top) {
            explained.0.push(row);
            explained.1.push(why.against.clone());
            explained.2.push(term.variable);
            explained.3.push(term.value);
            explained.4.push(term.part);
            explained.5.push(term.contribution);
        }
    }
    Ok(explained)
}
