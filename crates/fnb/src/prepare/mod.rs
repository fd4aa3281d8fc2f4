//! Column + target → prepared variable: intervals or groups, their counts, their cost.

mod class_counts;
mod counts;
mod discretize;
mod elements;
mod grid;
mod group;
mod merge_queue;
mod move_list;
mod pairs;
mod part_cost;
mod settings;
mod tree;

pub use counts::ColumnCounts;
pub(crate) use elements::Elements;
pub(crate) use pairs::{inputs_of_pairs, number_of_pairs};
pub use settings::{PrepareSettings, Schedule};

use crate::columns::class_weights::scale_counts;
use crate::columns::{ColumnData, Distribution, Outcomes, Target, Unlisted, VariableKind};
use crate::progress::{Progress, Stage};
use crate::terms::{Axis, Cost, Origin, PartIndex, Parts, RowParts, Term, cell_label};
use counts::Counted;
use discretize::discretize;
use elements::elementary_parts;
use group::group;
use part_cost::PartCost;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What is to be prepared: a column, or the values of a constructed variable.
#[derive(Debug)]
pub(crate) struct Input<'a> {
    pub(crate) name: String,
    pub(crate) from: Origin,
    /// The cost of choosing it.
    pub(crate) price: f64,
    /// Numbers or categories.
    pub(crate) data: Cow<'a, ColumnData>,
    /// When its elementary parts are wanted.
    pub(crate) elements: WithElements,
    /// What it does not list, if it is sparse.
    pub(crate) unlisted: Option<Unlisted>,
}

/// What is to be prepared of rows that were counted elsewhere.
#[derive(Debug)]
pub(crate) struct CountedInput {
    pub(crate) name: String,
    pub(crate) from: Origin,
    /// The cost of choosing it.
    pub(crate) price: f64,
    pub(crate) counts: ColumnCounts,
    /// When its elementary parts are wanted.
    pub(crate) elements: WithElements,
}

/// When the elementary parts of a variable are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WithElements {
    Always,
    IfInformative,
    Never,
}

/// A variable that is prepared, rows aside.
#[derive(Debug)]
pub(crate) struct FoundInput {
    pub(crate) variable: PreparedVariable,
    /// Its elementary parts, if they are wanted and more than one.
    pub(crate) elements: Option<Parts>,
    /// Do its values number the rows?
    pub(crate) numbers_rows: bool,
}

/// A variable that is prepared, with what is kept of its rows.
#[derive(Debug)]
pub(crate) struct PreparedInput {
    pub(crate) variable: PreparedVariable,
    /// Do its values number the rows?
    pub(crate) numbers_rows: bool,
    /// The part of every row, if it is informative.
    pub(crate) parts: Option<RowParts>,
    /// Its elementary parts, if they are wanted and more than one.
    pub(crate) elements: Option<Elements>,
}

/// An input that pairs and trees may be made of.
pub(crate) struct RankedInput<'a> {
    /// What it is on its own.
    pub(crate) variable: &'a PreparedVariable,
    pub(crate) data: Cow<'a, ColumnData>,
    /// The cost of naming it inside a pair or a tree.
    pub(crate) price: f64,
}

/// A variable after preparation: a column, what is constructed, or a pair of these.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PreparedVariable {
    /// Its name: that of the column, or what it is called if it is constructed or a pair.
    pub name: String,
    /// Itself, or the two variables of a pair.
    pub axes: Vec<PreparedAxis>,
    /// Share of the null cost that the variable saves; 0 if it is uninformative.
    pub level: f64,
    /// What a pair tells beyond its two variables: its level less theirs (docs/method.md §13.4).
    pub synergy: Option<f64>,
    /// Its cost; that of the null model if it is uninformative.
    pub cost: Cost,
    /// Rows per cell and class; the cells of one axis are its parts.
    pub counts: Vec<Vec<u64>>,
}

/// An axis of a prepared variable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PreparedAxis {
    /// Its name: that of the column, or what it is called if it is constructed.
    pub name: String,
    /// Where its values come from.
    pub from: Origin,
    /// Numerical or categorical.
    pub kind: VariableKind,
    /// Number of distinct values, missing counted as one.
    pub distinct: usize,
    /// Number of missing values.
    pub missing: usize,
    /// Its parts; a single one if it is uninformative.
    pub parts: Parts,
    /// How its values lie. Not known of features of sparse tables and of what is constructed, if they are
    /// uninformative: these may be very many.
    pub distribution: Option<Distribution>,
}

impl PreparedAxis {
    fn to_axis(&self) -> Axis {
        Axis {
            name: self.name.clone(),
            from: self.from.clone(),
            kind: self.kind,
            parts: self.parts.clone(),
            unlisted: match self.kind {
                VariableKind::Numerical => 0,
                VariableKind::Categorical => self.distinct.saturating_sub(self.parts.listed()),
            },
        }
    }
}

impl PreparedVariable {
    /// `B`: what choosing and preparing the variable costs beyond the null model, the price of
    /// selecting it (docs/method.md §4.3).
    pub fn prior_cost(&self) -> f64 {
        self.cost.construction - std::f64::consts::LN_2 + self.cost.preparation
    }

    /// What ranks it among others: pairs by what they tell beyond their variables.
    pub fn standing(&self) -> f64 {
        self.synergy.unwrap_or(self.level)
    }

    /// A cell in words: the part of each axis.
    pub fn label(&self, cell: usize) -> String {
        cell_label(self.axes.iter().map(|axis| &axis.parts), cell)
    }

    /// What its values are, in a word: that of each axis.
    pub fn kind(&self) -> String {
        let kinds: Vec<&str> = self.axes.iter().map(|axis| axis.kind.as_str()).collect();
        kinds.join(" × ")
    }

    /// The term that it is in a model, at a weight.
    pub(crate) fn to_term(&self, weight: f64) -> Term {
        Term {
            name: self.name.clone(),
            axes: self.axes.iter().map(PreparedAxis::to_axis).collect(),
            weight,
            level: self.level,
            importance: 0.0,
            cost: self.cost,
            counts: self.counts.clone(),
            correction: None,
        }
    }
}

/// Levels below this are none (docs/method.md §4.1).
const SMALLEST_LEVEL: f64 = 1e-10;

/// Prepares inputs, each with its own cost of choosing it.
pub(crate) struct Preparer<'a> {
    /// What parts are found for.
    outcomes: Outcomes<'a>,
    /// Rows per class with the class weights, if there are any: counts are kept in these terms.
    weighted: Option<&'a [u64]>,
    schedule: Schedule,
    pub(crate) null_cost: Cost,
    part_cost: PartCost,
    pub(crate) progress: &'a dyn Progress,
    done: AtomicUsize,
    total: usize,
    /// Number of rows of the table, whatever their weights.
    rows: usize,
}

/// Prepares a variable whose column was counted block by block. `outcome_counts` are the rows of each
/// outcome in all, and `price` is the cost of choosing the variable. The result is that of all rows at
/// once, whatever the blocks.
pub fn prepare_counts(
    name: &str,
    counts: ColumnCounts,
    outcome_counts: &[u64],
    price: f64,
    settings: PrepareSettings,
) -> PreparedVariable {
    let outcomes = Outcomes::new(&[], outcome_counts.to_vec(), None);
    let counted = counts.finish(outcomes.len());
    let preparer = Preparer::of_outcomes(outcomes, None, settings, 1, 0, &());
    let facts = (name.to_owned(), Origin::Column, price);
    let mut variable = preparer.finish(facts, preparer.search(&counted, price));
    variable.axes[0].distribution = counted.distribution();
    variable
}

/// How the values of a column lie; `None` if it is not an input.
pub(crate) fn distribution_of_counted(data: &ColumnData, rows: &Outcomes) -> Option<Distribution> {
    Counted::of(data, rows, &mut Vec::new()).distribution()
}

/// What is known of a column once it was searched.
struct Searched {
    kind: VariableKind,
    distinct: usize,
    missing: usize,
    found: Option<Partition>,
    /// The parts of the null model.
    one_part: Parts,
}

/// What a search found, in the same terms for numbers and categories.
pub(crate) struct Partition {
    /// The parts.
    pub(crate) parts: Parts,
    /// Rows per part and class.
    pub(crate) counts: Vec<Vec<u64>>,
    /// Cost of the partition beyond the choice of the variable and the parts themselves.
    pub(crate) cost: f64,
}

impl<'a> Preparer<'a> {
    /// `total` inputs are announced to `progress`.
    pub(crate) fn new(
        target: &'a Target,
        settings: PrepareSettings,
        total: usize,
        progress: &'a dyn Progress,
    ) -> Self {
        let outcomes = target.unweighted_outcomes();
        let weighted = target.class_weights().map(|_| target.counts());
        let rows = outcomes.rows();
        Self::of_outcomes(outcomes, weighted, settings, total, rows, progress)
    }

    /// The same, given what is known of the outcomes of so many rows.
    pub(crate) fn of_outcomes(
        outcomes: Outcomes<'a>,
        weighted: Option<&'a [u64]>,
        settings: PrepareSettings,
        total: usize,
        rows: usize,
        progress: &'a dyn Progress,
    ) -> Self {
        let part_cost = PartCost::new(outcomes.total() as usize, outcomes.len());
        Self {
            weighted,
            schedule: settings.schedule,
            null_cost: part_cost.null(outcomes.counts()),
            outcomes,
            part_cost,
            progress,
            done: AtomicUsize::new(0),
            total,
            rows,
        }
    }

    /// Prepares inputs in parallel.
    pub(crate) fn prepare(&self, inputs: Vec<Input>) -> Vec<PreparedInput> {
        let prepared = inputs
            .into_par_iter()
            .map_init(Vec::new, |scratch, input| self.prepare_one(input, scratch));
        prepared.collect()
    }

    /// Prepares inputs that were counted elsewhere, in parallel.
    pub(crate) fn prepare_counted(&self, inputs: Vec<CountedInput>) -> Vec<FoundInput> {
        let found = inputs.into_par_iter().map(|input| {
            let facts = (input.name, input.from, input.price);
            let counted = || input.counts.finish(self.outcomes.len());
            let mut found = self.find(facts, input.elements, counted);
            self.scale_counts(&mut found.variable);
            self.report_one();
            found
        });
        found.collect()
    }

    /// The best parts of an input, given how it is counted.
    fn find<'c>(
        &self,
        (name, from, price): (String, Origin, f64),
        elements: WithElements,
        counted: impl FnOnce() -> Counted<'c>,
    ) -> FoundInput {
        let facts = (name, from, price);
        // What is returned once the work is cancelled is looked at by nobody.
        if self.progress.cancelled() {
            return FoundInput {
                variable: self.finish(facts, Searched::unprepared()),
                elements: None,
                numbers_rows: false,
            };
        }
        let counted = counted();
        let mut variable = self.finish(facts, self.search(&counted, price));
        if matches!(variable.axes[0].from, Origin::Column) || variable.level > 0.0 {
            variable.axes[0].distribution = counted.distribution();
        }
        let is_wanted = match elements {
            WithElements::Always => variable.axes[0].distinct > 1,
            WithElements::IfInformative => variable.level > 0.0,
            WithElements::Never => false,
        };
        let elements = is_wanted.then(|| elementary_parts(&counted, &variable.axes[0].parts));
        FoundInput {
            numbers_rows: counted.numbers_rows(self.rows),
            elements: elements.filter(|parts| parts.len() > 1),
            variable,
        }
    }

    /// Counts in terms of class weights, if there are any.
    fn scale_counts(&self, variable: &mut PreparedVariable) {
        if let Some(weighted) = self.weighted {
            scale_counts(&mut variable.counts, self.outcomes.counts(), weighted);
        }
    }

    fn report_one(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        self.progress.report(Stage::Prepare, done, self.total);
    }

    fn prepare_one(&self, input: Input, scratch: &mut Vec<u64>) -> PreparedInput {
        let data = input.data;
        let facts = (input.name, input.from, input.price);
        let counted = || Counted::of(&data, &self.outcomes, scratch);
        let FoundInput {
            mut variable,
            elements,
            numbers_rows,
        } = self.find(facts, input.elements, counted);
        let encode = |parts: &Parts| {
            let codes = PartIndex::new(parts).encode(&data, 0..self.outcomes.rows());
            codes.expect("parts are of the kind of their column")
        };
        let parts = (variable.level > 0.0).then(|| {
            let index = PartIndex::new(&variable.axes[0].parts);
            let parts = index.encode_all(&data, self.outcomes.rows(), input.unlisted);
            parts.expect("parts are of the kind of their column")
        });
        let elements = elements.map(|parts| Elements {
            codes: encode(&parts),
            parts,
        });
        self.scale_counts(&mut variable);
        self.report_one();
        PreparedInput {
            variable,
            numbers_rows,
            parts,
            elements,
        }
    }

    fn search(&self, counted: &Counted, price: f64) -> Searched {
        let (rows, classes) = (self.outcomes.total() as usize, self.outcomes.len());
        match counted {
            Counted::Numbers(values) => {
                let is_searched = classes > 1 && values.len() > 1;
                let found = is_searched
                    .then(|| discretize(values, rows, price, self.schedule, &self.part_cost));
                Searched {
                    kind: VariableKind::Numerical,
                    distinct: values.len(),
                    missing: values.missing(),
                    found: found.flatten(),
                    one_part: Parts::one_interval(),
                }
            }
            Counted::Categories { values, counts } => {
                let size = (rows, classes);
                let part_cost = &self.part_cost;
                Searched {
                    kind: VariableKind::Categorical,
                    distinct: counts.distinct,
                    missing: counts.missing,
                    found: group(values, counts, size, price, self.schedule, part_cost),
                    one_part: Parts::one_group(),
                }
            }
        }
    }

    /// Level and costs; a partition that saves nothing is replaced by the null model.
    fn finish(
        &self,
        (name, from, price): (String, Origin, f64),
        searched: Searched,
    ) -> PreparedVariable {
        let null = || {
            let counts = vec![self.outcomes.counts().to_vec()];
            (0.0, self.null_cost, searched.one_part, counts)
        };
        let found = searched.found.and_then(|found| {
            let cost = self.part_cost.variable(price, found.cost, &found.counts);
            let level = 1.0 - cost.total() / self.null_cost.total();
            (level >= SMALLEST_LEVEL).then_some((level, cost, found.parts, found.counts))
        });
        let (level, cost, parts, counts) = found.unwrap_or_else(null);
        let axis = PreparedAxis {
            name: name.clone(),
            from,
            kind: searched.kind,
            distinct: searched.distinct,
            missing: searched.missing,
            parts,
            distribution: None,
        };
        PreparedVariable {
            name,
            axes: vec![axis],
            level,
            synergy: None,
            cost,
            counts,
        }
    }
}

impl Searched {
    /// Stands for a variable that is not needed any more.
    fn unprepared() -> Self {
        Self {
            kind: VariableKind::Categorical,
            distinct: 0,
            missing: 0,
            found: None,
            one_part: Parts::one_group(),
        }
    }
}
