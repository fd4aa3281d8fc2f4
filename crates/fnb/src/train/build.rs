//! What training found → model.

use super::corrected::Corrected;
use super::facts::{Needed, TableFacts};
use super::values::values;
use crate::columns::{Target, Task};
use crate::model::{
    Dropped, Evaluations, FORMAT, FORMAT_VERSION, Finding, Model, PLAIN_VERSION, Producer,
    SizePoint, Smoothing, SparseSource, TargetFacts, TrainingFacts, TrainingWeights,
};
use crate::prepare::PreparedVariable;
use crate::relational::Database;
use crate::terms::{Axis, Term, importance};
use crate::weights::{CriterionValue, Lowest, SearchCriterion, StageEffort};
use crate::{Result, Settings};
use hashbrown::{HashMap, HashSet};
use std::collections::BTreeMap;

/// Everything training found.
#[derive(Debug)]
pub(crate) struct Trained<'a> {
    /// What the tables were like.
    pub(crate) facts: &'a TableFacts,
    pub(crate) target: &'a Target,
    /// The weights of the rows of the table.
    pub(crate) row_weights: Option<TrainingWeights>,
    /// The candidate variables, informative or not.
    pub(crate) prepared: &'a [PreparedVariable],
    /// The weight of each of them, 0 for those that are not selected.
    pub(crate) weights: &'a [f64],
    pub(crate) settings: Settings,
    /// What the user should look at.
    pub(crate) findings: &'a [Finding],
    /// How these weights were found.
    pub(crate) learning: Learning,
    /// What was learnt beyond the weights.
    pub(crate) corrected: &'a Corrected,
}

/// How weights were found.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Learning {
    /// The criterion of the selection, which all methods share.
    pub(crate) criterion: CriterionValue,
    /// The same of the model without variables.
    pub(crate) null_criterion: f64,
    /// What the method has minimised instead.
    pub(crate) search_criterion: Option<SearchCriterion>,
    /// The lowest criterion met, if fewer variables were preferred.
    pub(crate) lowest: Option<Lowest>,
    /// The work of each stage of the method.
    pub(crate) stages: Vec<StageEffort>,
    /// Smaller models, the smallest first and this one last.
    pub(crate) size_path: Vec<SizePoint>,
}

impl Trained<'_> {
    /// The model, without evaluations.
    pub(crate) fn model(self) -> Result<Model> {
        let candidates = self.prepared.iter().zip(self.weights).enumerate();
        let selected = candidates.filter(|(_, (_, weight))| **weight > 0.0);
        let term = |(place, (variable, weight)): (usize, (&PreparedVariable, &f64))| match self
            .corrected
            .profiles
            .get(&place)
        {
            Some(profile) => profile.applied(variable, *weight),
            None => variable.to_term(*weight),
        };
        let mut terms: Vec<Term> = selected.map(term).collect();
        terms.extend(self.corrected.tables.iter().cloned());
        self.with_terms(terms)
    }

    fn with_terms(self, mut terms: Vec<Term>) -> Result<Model> {
        let (target, rows) = (self.target, self.target.total());
        let informative = self.prepared.iter().filter(|p| p.level > 0.0).count();
        set_importance(&mut terms, target.counts());
        let selected = terms.iter().filter(|term| !term.only_corrects()).count();
        let has_news = terms.iter().any(Term::is_of_version_1_1);
        let origins = axes(&terms).map(|axis| &axis.from);
        let Needed {
            tables,
            schema,
            cutoff,
        } = self.facts.needed_by(origins);
        let learning = &self.learning;
        let mut model = Model {
            format: FORMAT.into(),
            format_version: if has_news {
                FORMAT_VERSION.into()
            } else {
                PLAIN_VERSION.into()
            },
            producer: Producer {
                name: env!("CARGO_PKG_NAME").into(),
                version: env!("CARGO_PKG_VERSION").into(),
            },
            target: TargetFacts {
                task: Task::Classification,
                name: target.name().into(),
                classes: target.classes().to_vec(),
                counts: target.counts().to_vec(),
                labels: None,
            },
            training: TrainingFacts {
                rows,
                row_weights: self.row_weights.clone(),
                columns: self.prepared.len().max(selected),
                informative: informative.max(selected),
                selected,
                criterion: learning.criterion,
                null_criterion: learning.null_criterion,
                compression: compression(learning.criterion.total, learning.null_criterion),
                search_criterion: learning.search_criterion,
                lowest: learning.lowest,
                interactions: self.corrected.facts,
                stages: learning.stages.clone(),
                size_path: learning.size_path.clone(),
                params: self.settings.clone(),
                findings: self.findings.to_vec(),
            },
            smoothing: Smoothing::of(rows),
            tables,
            schema,
            cutoff,
            sparse: self.sparse_sources(),
            dropped: self.dropped(&terms),
            values: values(self.facts, self.prepared, self.weights),
            overlaps: BTreeMap::new(),
            joins: self.facts.joins.clone(),
            terms,
            evaluation: Evaluations::default(),
            self_test: Vec::new(),
            checksum: String::new(),
        };
        model.check()?;
        model.self_test = model.make_self_test()?;
        Ok(model)
    }

    /// The sparse tables with what became of their features.
    fn sparse_sources(&self) -> Vec<SparseSource> {
        let sources = self.facts.sparse.iter().map(|table| {
            let own = self.prepared.iter().zip(self.weights);
            let own = own.filter(|(variable, _)| table.feature_of(&variable.name).is_some());
            let (mut informative, mut selected) = (0, 0);
            for (variable, &weight) in own {
                informative += usize::from(variable.level > 0.0);
                selected += usize::from(weight > 0.0);
            }
            SparseSource {
                table: table.clone(),
                informative,
                selected,
            }
        });
        sources.collect()
    }

    /// The columns that are not in the model, in the order of the table, then constructed variables.
    /// Features of sparse tables are counted elsewhere.
    fn dropped(&self, terms: &[Term]) -> Vec<Dropped> {
        let columns = &self.facts.columns;
        let mut dropped: Vec<(usize, Dropped)> = Vec::new();
        // Variables that are made of a column, selected or not, stand for it.
        let prepared = self.prepared.iter().flat_map(|variable| &variable.axes);
        let origins = prepared.map(|axis| &axis.from);
        let is_source = self.facts.sources_of(origins);
        for (i, facts) in columns.iter().enumerate() {
            let name = &facts.column.name;
            if let Some(kind) = &facts.unused
                && !is_source(name)
            {
                let reason = format!("not used: {kind}");
                dropped.push((i, without(name, reason, 0.0)));
            }
        }
        let positions = columns.iter().enumerate();
        let positions = positions.map(|(i, facts)| (facts.column.name.as_str(), i));
        let positions: HashMap<&str, usize> = positions.collect();
        let used: HashSet<&str> = axes(terms).map(|axis| axis.name.as_str()).collect();
        for (prepared, weight) in self.prepared.iter().zip(self.weights) {
            if self.facts.is_sparse_feature(&prepared.name) || used.contains(prepared.name.as_str())
            {
                continue;
            }
            let reason = match (prepared.level > 0.0, prepared.axes[0].distinct) {
                (true, _) if *weight > 0.0 => continue,
                (true, _) => "not selected",
                (false, 0 | 1) => "constant",
                (false, _) => "uninformative",
            };
            let position = positions.get(prepared.name.as_str());
            let entry = without(&prepared.name, reason.into(), prepared.level);
            dropped.push((position.copied().unwrap_or(usize::MAX), entry));
        }
        dropped.sort_by_key(|(position, _)| *position);
        dropped.into_iter().map(|(_, entry)| entry).collect()
    }
}

impl Model {
    /// The model of terms that are known already, with their weights: parts and counts from
    /// elsewhere. The database and the target are those that the counts are of.
    ///
    /// ```
    /// use fnb::Settings;
    /// use fnb::columns::{Column, ColumnData, Frame, NumericColumn, Target, VariableKind};
    /// use fnb::model::Model;
    /// use fnb::terms::{Axis, Cost, MissingNumbers, Origin, Parts, Term};
    ///
    /// let ages = NumericColumn::new(vec![25.0, 31.0, 47.0, 58.0]);
    /// let frame = Frame::new(4, vec![Column { name: "age".into(), data: ColumnData::Numeric(ages) }])?;
    /// let churn = [Some("no"), Some("no"), Some("yes"), Some("yes")].into_iter().collect();
    /// let target = Column { name: "churn".into(), data: ColumnData::Categorical(churn) };
    /// let age = Term {
    ///     name: "age".into(),
    ///     axes: vec![Axis {
    ///         name: "age".into(),
    ///         from: Origin::Column,
    ///         kind: VariableKind::Numerical,
    ///         parts: Parts::Intervals { missing: MissingNumbers::None, cuts: vec![39.0] },
    ///         unlisted: 0,
    ///     }],
    ///     weight: 1.0,
    ///     level: 0.3,
    ///     importance: 0.0,
    ///     cost: Cost { construction: 0.7, preparation: 3.0, data: 0.0 },
    ///     counts: vec![vec![2, 0], vec![0, 2]],
    ///     correction: None,
    /// };
    /// let target = Target::from_column(&target)?;
    /// let model = Model::from_terms(&frame.into(), &target, vec![age], &Settings::default())?;
    /// assert_eq!(model.terms()[0].importance, 1.0);
    /// assert_eq!(Model::from_json(model.to_json().as_bytes())?, model);
    /// # Ok::<(), fnb::Error>(())
    /// ```
    pub fn from_terms(
        database: &Database,
        target: &Target,
        terms: Vec<Term>,
        settings: &Settings,
    ) -> Result<Self> {
        let trained = Trained {
            facts: &TableFacts::of(database, target.unweighted_outcomes().weights()),
            target,
            row_weights: TrainingWeights::of(target),
            prepared: &[],
            weights: &[],
            settings: settings.clone(),
            findings: &[],
            learning: Learning::default(),
            corrected: &Corrected::default(),
        };
        trained.with_terms(terms)
    }
}

/// The axes of all terms.
fn axes(terms: &[Term]) -> impl Iterator<Item = &Axis> + Clone {
    terms.iter().flat_map(|term| &term.axes)
}

/// The model saves nothing when the null model is free: a single class.
pub(super) fn compression(criterion: f64, null_criterion: f64) -> f64 {
    if null_criterion > 0.0 {
        1.0 - criterion / null_criterion
    } else {
        0.0
    }
}

/// Computes the importances and sorts by them, equal ones by name.
pub(super) fn set_importance(terms: &mut [Term], class_counts: &[u64]) {
    // Sums are then taken in the same order whatever that of the columns.
    terms.sort_by(|a, b| a.name.cmp(&b.name));
    let importances = importance(terms, class_counts);
    for (term, importance) in terms.iter_mut().zip(importances) {
        term.importance = importance;
    }
    terms.sort_by(|a, b| {
        let by_importance = b.importance.total_cmp(&a.importance);
        by_importance.then_with(|| a.name.cmp(&b.name))
    });
}

pub(super) fn without(name: &str, reason: String, level: f64) -> Dropped {
    Dropped {
        name: name.into(),
        reason,
        level,
    }
}
