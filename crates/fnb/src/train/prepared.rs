//! Variables that are prepared, with the part of every row: all that learning needs.

use super::Training;
use super::build::{Learning, Trained};
use super::corrected::Corrected;
use super::facts::TableFacts;
use super::findings::findings;
use super::inputs::{prepare_columns, prepare_constructed, prepare_texts};
use super::overlaps::{Coded, overlaps};
use super::together::{prepare_pairs, prepare_trees};
use crate::columns::{Outcomes, Target, WholeTable};
use crate::evaluate::Evaluation;
use crate::math::decimal::round_to_10_digits;
use crate::model::{Finding, Model, Overlap, SizePoint, TrainingWeights};
use crate::predict::Scorer;
use crate::prepare::{
    Elements, PrepareSettings, PreparedVariable, Preparer, WithElements, number_of_pairs,
};
use crate::progress::check_not_cancelled;
use crate::relational::Database;
use crate::terms::{Cost, PartCodes, RowParts, log_probabilities};
use crate::weights::{Candidate, Interactions, LearnSettings, Learnt, Price, optimise};
use crate::{Code, Error, Progress, Result, Settings};
use hashbrown::HashMap;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Tables whose variables are prepared: learning weights from it, once or by several methods, is
/// all that remains. It owns what that takes: the part of every row, no values.
///
/// ```
/// use fnb::columns::{Column, ColumnData, Frame, NumericColumn, Target};
/// use fnb::weights::LearnSettings;
/// use fnb::{Method, Prepared, Settings};
/// # let class = |row| Some(if row % 50 < 20 { "low" } else { "high" });
/// # let target = Column {
/// #     name: "class".into(),
/// #     data: ColumnData::Categorical((0..100).map(class).collect()),
/// # };
/// # let numbers = (0..100).map(|row| f64::from(row % 50)).collect();
/// # let x = Column { name: "x".into(), data: ColumnData::Numeric(NumericColumn::new(numbers)) };
/// # let target = Target::from_column(&target)?;
/// # let frame = Frame::new(100, vec![x])?;
/// let prepared = Prepared::new(&frame.into(), &target, &Settings::default(), &())?;
/// for method in Method::ALL {
///     let settings = LearnSettings { method, ..LearnSettings::default() };
///     let training = prepared.learn(&settings, &())?;
///     assert_eq!(training.model.training().selected, 1);
/// }
/// # Ok::<(), fnb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Prepared {
    pub(super) facts: TableFacts,
    pub(super) target: Target,
    /// The classes of the rows to learn from, if these are not the rows of the table.
    pub(super) learnt: Option<Target>,
    /// The rows of the table, if not all are here.
    pub(super) whole: Option<WholeTable>,
    pub(super) row_weights: Option<TrainingWeights>,
    /// Those of the preparation are what was done.
    pub(super) settings: Settings,
    pub(super) null_cost: Cost,
    pub(super) variables: Vec<PreparedVariable>,
    /// Positions of the informative variables, best first.
    pub(super) informative: Vec<usize>,
    /// The part of every row to learn from, for each informative variable.
    pub(super) parts: Vec<RowParts>,
    /// The elementary parts of the variables, in their order, as far as they may be in tables over several.
    pub(super) elements: Vec<Option<Elements>>,
    pub(super) findings: Vec<Finding>,
    pub(super) time: Duration,
}

impl Prepared {
    /// Discretises or groups the columns of the root table and what is constructed from it and from
    /// the tables around it.
    pub fn new(
        database: &Database,
        target: &Target,
        settings: &Settings,
        progress: &dyn Progress,
    ) -> Result<Self> {
        target.check_trainable()?;
        let start = Instant::now();
        let families = settings.prepare.families();
        let construction = database.construct(&settings.construct, families)?;
        let texts = database.construct_texts(&settings.construct, &construction)?;
        let columns = database.inputs();
        let single = columns.len() + construction.variables.len() + texts.len();
        let PrepareSettings { pairs, trees, .. } = settings.prepare;
        let total = single + number_of_pairs(single, pairs) + trees;
        let preparer = Preparer::new(target, settings.prepare, total, progress);

        // Columns may matter together though neither does alone; what is constructed is too much for that.
        let (elements, informative) = match settings.learn.most_tables() {
            None => (WithElements::Never, WithElements::Never),
            Some(_) => (WithElements::Always, WithElements::IfInformative),
        };
        let price = construction.selection_cost;
        let mut prepared = prepare_columns(columns, database, price, elements, &preparer);
        let arithmetic = settings.construct.arithmetic;
        let variables = &construction.variables;
        prepared.extend(prepare_constructed(
            database,
            variables,
            arithmetic,
            informative,
            &preparer,
        )?);
        prepared.extend(prepare_texts(database, texts, informative, &preparer)?);
        check_not_cancelled(progress)?;
        let pairs = prepare_pairs(database, &prepared, &construction, settings, &preparer)?;
        let trees = prepare_trees(database, &prepared, &construction, settings, &preparer)?;
        prepared.extend(pairs);
        prepared.extend(trees);
        check_not_cancelled(progress)?;

        let null_cost = preparer.null_cost;
        // As columns are counted: class weights are not in.
        let facts = TableFacts::of(database, target.unweighted_outcomes().weights());
        let singles = prepared[..single].iter();
        let singles = singles.map(|input| (&input.variable, input.numbers_rows));
        let findings = findings(singles, &facts, target.counts(), target.rows());
        let (mut variables, mut parts, mut elements) = (Vec::new(), Vec::new(), Vec::new());
        for input in prepared {
            variables.push(input.variable);
            parts.push(input.parts);
            elements.push(input.elements);
        }
        let informative = by_level(&variables);
        let (learnt, rows) = match target.rows_to_learn_from() {
            (Cow::Owned(learnt), rows) => (Some(learnt), rows),
            (Cow::Borrowed(_), rows) => (None, rows),
        };
        let learnt_from = |&i: &usize| {
            let parts: RowParts = parts[i].take().expect("informative variables have parts");
            match &rows {
                Some(rows) => parts.take(rows),
                None => parts,
            }
        };
        if let Some(rows) = &rows {
            for elements in elements.iter_mut().flatten() {
                elements.codes = elements.codes.take(rows);
            }
        }
        Ok(Self {
            facts,
            target: target.clone(),
            learnt,
            whole: None,
            row_weights: TrainingWeights::of(target),
            settings: settings.clone(),
            null_cost,
            parts: informative.iter().map(learnt_from).collect(),
            elements,
            variables,
            informative,
            findings,
            time: start.elapsed(),
        })
    }

    /// The variables, informative or not: columns in their order, then constructed ones, then pairs that
    /// tell more than their variables one by one, then trees.
    pub fn variables(&self) -> &[PreparedVariable] {
        &self.variables
    }

    /// The same, best first: by level, equal ones by name.
    pub fn by_level(&self) -> Vec<&PreparedVariable> {
        let mut variables: Vec<&PreparedVariable> = self.variables.iter().collect();
        variables.sort_by(|a, b| best_first(a, b));
        variables
    }

    /// The columns of the main table that no variable is made of, each with what it is.
    pub fn unused_columns(&self) -> Vec<(&str, &str)> {
        let axes = self.variables.iter().flat_map(|variable| &variable.axes);
        let is_source = self.facts.sources_of(axes.map(|axis| &axis.from));
        let columns = self.facts.columns.iter();
        let unused = columns.filter_map(|c| Some((c.column.name.as_str(), c.unused.as_deref()?)));
        unused.filter(|(name, _)| !is_source(name)).collect()
    }

    /// What the user should look at in the data, whatever is learnt from them.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// What the model without variables costs.
    pub fn null_cost(&self) -> Cost {
        self.null_cost
    }

    /// Learns the weights and builds the model.
    pub fn learn(&self, settings: &LearnSettings, progress: &dyn Progress) -> Result<Training> {
        settings.check()?;
        let has_elements = self.settings.learn.most_tables().is_some();
        if !has_elements && matches!(settings.interactions, Interactions::AtMost(_)) {
            let message = "the variables were prepared without interactions";
            let help = "prepare them with settings that have interactions";
            return Err(Error::new(Code::Usage, message).help(help));
        }
        let start = Instant::now();
        let candidates = self.candidates(settings.price);
        let target = self.learnt.as_ref().unwrap_or(&self.target);
        let outcomes = target.outcomes().of_table(self.whole.as_ref());
        let null_cost = self.null_cost.preparation;
        let learnt = optimise(&candidates, &outcomes, null_cost, settings, progress);
        check_not_cancelled(progress)?;
        let weights = start.elapsed();

        let start = Instant::now();
        let corrected = self.correct(&learnt, &outcomes, settings, progress);
        check_not_cancelled(progress)?;
        let interactions = start.elapsed();

        let start = Instant::now();
        let mut weight_of = vec![0.0; self.variables.len()];
        for (&i, &weight) in self.informative.iter().zip(&learnt.weights) {
            weight_of[i] = weight;
        }
        let learning = learning(learnt, &candidates);
        let mut model = self.model(&weight_of, settings, learning, &corrected)?;
        model.overlaps = self.overlaps(&model, &outcomes);
        let evaluation = self.evaluate(&model, target, &outcomes, &corrected)?;
        if let Some(facts) = &mut model.training.interactions {
            let rows: f64 = outcomes.sums().iter().sum();
            facts.data = round_to_10_digits(evaluation.log_loss * rows);
        }
        model.evaluation.train = Some(evaluation);
        Ok(Training {
            model,
            prepare: self.time,
            weights,
            interactions,
            evaluate: start.elapsed(),
        })
    }

    /// The model of all informative variables at weight 1, without looking for weights: what encodes
    /// them.
    pub fn all_informative(&self) -> Result<Model> {
        let weight = |v: &PreparedVariable| if v.level > 0.0 { 1.0 } else { 0.0 };
        let weights: Vec<f64> = self.variables.iter().map(weight).collect();
        let learning = Learning::default();
        let corrected = Corrected::default();
        self.model(&weights, &self.settings.learn, learning, &corrected)
    }

    fn model(
        &self,
        weights: &[f64],
        settings: &LearnSettings,
        learning: Learning,
        corrected: &Corrected,
    ) -> Result<Model> {
        Trained {
            facts: &self.facts,
            target: &self.target,
            row_weights: self.row_weights.clone(),
            prepared: &self.variables,
            weights,
            settings: Settings {
                learn: settings.clone(),
                ..self.settings.clone()
            },
            findings: &self.findings,
            learning,
            corrected,
        }
        .model()
    }

    fn candidates<'a>(&'a self, price: Price) -> Vec<Candidate<'a>> {
        let paid_already = match price {
            Price::Full => 0.0,
            Price::Excess => self.null_cost.preparation,
        };
        let variables = self.informative.iter().map(|&i| &self.variables[i]);
        let candidate = |(variable, parts): (&'a PreparedVariable, &'a RowParts)| Candidate {
            name: &variable.name,
            level: variable.standing(),
            prior_cost: variable.prior_cost() - paid_already,
            codes: Cow::Borrowed(&parts.codes),
            unlisted: parts.unlisted.as_ref(),
            scores: log_probabilities(&variable.counts, self.target.total()),
        };
        variables.zip(&self.parts).map(candidate).collect()
    }

    /// Which variables say the same, the selected ones in order of importance and the others by level.
    fn overlaps(&self, model: &Model, outcomes: &Outcomes) -> BTreeMap<String, Vec<Overlap>> {
        let informative = self.informative.iter().map(|&i| &self.variables[i]);
        let coded = informative.zip(&self.parts).map(|(variable, parts)| Coded {
            name: &variable.name,
            parts: variable.counts.len(),
            codes: &parts.codes,
        });
        let terms = model.terms().iter().filter(|term| !term.only_corrects());
        let rank: HashMap<&str, usize> = (terms.enumerate())
            .map(|(rank, term)| (term.name.as_str(), rank))
            .collect();
        let (mut selected, others): (Vec<Coded>, Vec<Coded>) =
            coded.partition(|coded| rank.contains_key(coded.name));
        selected.sort_by_key(|coded| rank[coded.name]);
        overlaps(&selected, &others, outcomes)
    }

    /// The part of every row is known: nothing needs to be looked up again.
    fn evaluate(
        &self,
        model: &Model,
        target: &Target,
        outcomes: &Outcomes,
        corrected: &Corrected,
    ) -> Result<Evaluation> {
        let names = self.informative.iter().map(|&i| &self.variables[i].name);
        let of_rows = self.informative.iter().zip(&self.parts);
        let codes = of_rows.map(|(place, parts)| {
            let finer = corrected.profiles.get(place).filter(|p| p.finer.is_some());
            let finer = finer.and(self.elements[*place].as_ref());
            finer.map_or(&parts.codes, |elements| &elements.codes)
        });
        let tables = corrected.tables.iter().map(|term| &term.name);
        let tables = tables.zip(&corrected.codes);
        let codes_of: HashMap<&String, &PartCodes> = names.zip(codes).chain(tables).collect();
        let codes = model.terms().iter().map(|term| codes_of[&term.name]);
        let codes: Vec<&PartCodes> = codes.collect();
        let probabilities = Scorer::new(model).probabilities_from_codes(&codes, target.rows());
        Evaluation::of_table(
            model.classes(),
            &probabilities,
            target.codes(),
            target.weights(),
            outcomes.all(),
        )
    }
}

fn learning(learnt: Learnt, candidates: &[Candidate]) -> Learning {
    let path = learnt.size_path.into_iter().map(|point| SizePoint {
        selected: point.weights.len(),
        criterion: point.criterion,
        weights: (point.weights.iter())
            .map(|&(k, weight)| (candidates[k].name.to_owned(), weight))
            .collect(),
    });
    Learning {
        criterion: learnt.criterion,
        null_criterion: learnt.null_criterion.total,
        search_criterion: learnt.search_criterion,
        lowest: learnt.lowest,
        size_path: path.collect(),
        stages: learnt.stages,
    }
}

pub(super) fn best_first(a: &PreparedVariable, b: &PreparedVariable) -> Ordering {
    let by_level = b.level.total_cmp(&a.level);
    by_level.then_with(|| a.name.cmp(&b.name))
}

/// The informative variables, best first: the order of the columns of a table must not matter to
/// what is learnt from it.
pub(super) fn by_level(variables: &[PreparedVariable]) -> Vec<usize> {
    let mut informative: Vec<usize> = (0..variables.len()).collect();
    informative.retain(|&i| variables[i].level > 0.0);
    informative.sort_by(|&a, &b| best_first(&variables[a], &variables[b]));
    informative
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::{Column, ColumnData, Frame, NumericColumn};

    /// The class counts of all rows cost `ln C(N + J − 1, J − 1)`, which every variable pays again at the
    /// full price.
    #[test]
    fn an_excess_is_what_parts_cost_beyond_the_class_counts_of_all_rows() {
        let names = ["a", "b", "c"];
        let classes = (0..90).map(|row| Some(names[row % 3])).collect();
        let classes = Column {
            name: "class".into(),
            data: ColumnData::Categorical(classes),
        };
        let column = |name: &str, of: fn(usize) -> usize| Column {
            name: name.into(),
            data: ColumnData::Numeric(NumericColumn::new(
                (0..90).map(|row| of(row) as f64).collect(),
            )),
        };
        let columns = vec![
            column("two", |row| row % 3 / 2),
            column("three", |row| row % 3),
            column("many", |row| row % 3 * 30 + row / 3),
        ];
        let target = Target::from_column(&classes).expect("classes");
        let frame = Frame::new(90, columns).expect("columns of equal length");
        let prepared = Prepared::new(&frame.into(), &target, &Settings::default(), &());
        let prepared = prepared.expect("enough rows");
        let expected = f64::from(92 * 91 / 2).ln();
        let of = |price| prepared.candidates(price);
        assert_eq!(of(Price::Full).len(), 3);
        for (full, excess) in of(Price::Full).iter().zip(of(Price::Excess)) {
            assert!((full.prior_cost - excess.prior_cost - expected).abs() < 1e-9);
            // It is a variable among three, at least.
            assert!(excess.prior_cost > 3_f64.ln(), "{excess:?}");
        }
    }
}
