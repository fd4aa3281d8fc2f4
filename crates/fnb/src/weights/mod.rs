//! Prepared variables → one weight in `[0, 1]` per variable.
//!
//! The weights minimise the negative log-likelihood of the weighted naive Bayes classifier plus λ
//! times a prior that favours few, simple variables (docs/method.md §6 and §7). A learner is a short
//! loop over the criterion, which tells exactly what changing one weight would do; the row state and
//! its kernels below it know nothing of learners.

mod add_drop;
mod continuous;
mod coordinate;
mod duplicates;
mod learner;
mod rows;
mod settings;

use crate::Progress;
use crate::columns::Outcomes;
use crate::terms::{PartCodes, UnlistedPart};
use add_drop::Definition;
use continuous::ContinuousPenalty;
use learner::Problem;
use rows::{Likelihood, RowState, data_cost};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

pub use settings::{Interactions, LearnSettings, Method, Price, Start};

/// A term that may enter the model: a prepared informative variable.
#[derive(Debug, Clone)]
pub struct Candidate<'a> {
    /// Name of the variable; it breaks ties of level.
    pub name: &'a str,
    /// Level of the variable (docs/method.md §4.1).
    pub level: f64,
    /// `B`: the cost of choosing and preparing it (docs/method.md §4.3).
    pub prior_cost: f64,
    /// The cell of every row.
    pub codes: Cow<'a, PartCodes>,
    /// The rows that are not listed, if the variable is sparse: the search of Khiops passes them over
    /// (docs/method.md §7.5).
    pub unlisted: Option<&'a UnlistedPart>,
    /// The score of every cell and outcome, cells one after the other: `ln p(cell | outcome)` as
    /// [`log_probabilities`](crate::terms::log_probabilities) gives it.
    pub scores: Vec<f64>,
}

/// The criterion and its two terms.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CriterionValue {
    /// `data + λ · prior`.
    pub total: f64,
    /// Negative log-likelihood of the classes of the training rows.
    pub data: f64,
    /// Cost of the weights, before it is multiplied by λ.
    pub prior: f64,
}

impl CriterionValue {
    fn new(data: f64, prior: f64, lambda: f64) -> Self {
        Self {
            total: lambda.mul_add(prior, data),
            data,
            prior,
        }
    }
}

/// The work of one stage of a method.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StageEffort {
    /// Its name.
    pub stage: String,
    /// Sweeps of an add/drop search, steps of a gradient method, rounds of coordinate steps.
    pub iterations: usize,
    /// Passes of one variable over all rows.
    pub row_passes: u64,
}

/// What an add/drop search minimises (docs/method.md §7.1).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SearchCriterion {
    /// Its value.
    #[serde(flatten)]
    pub value: CriterionValue,
    /// The total of the model without variables.
    pub null: f64,
}

/// The lowest criterion that was met, by a model of more variables than the one that is kept.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Lowest {
    /// Number of its variables.
    pub selected: usize,
    /// What it costs.
    pub criterion: CriterionValue,
}

/// A model of the size path.
#[derive(Debug, Clone, PartialEq)]
pub struct PathPoint {
    /// The selected candidates, by position, and their weights.
    pub weights: Vec<(usize, f64)>,
    /// The continuous criterion at these weights.
    pub criterion: CriterionValue,
}

/// What the optimisation found.
#[derive(Debug, Clone, PartialEq)]
pub struct Learnt {
    /// A weight per candidate, in the order given; 0 if it is not selected.
    pub weights: Vec<f64>,
    /// The criterion at these weights: the continuous one, which all methods share (docs/method.md
    /// §7.9).
    pub criterion: CriterionValue,
    /// The same when all weights are zero.
    pub null_criterion: CriterionValue,
    /// What the method has minimised instead, if it is an add/drop search.
    pub search_criterion: Option<SearchCriterion>,
    /// The lowest criterion that was met, if fewer variables were preferred to it (docs/method.md
    /// §7.12).
    pub lowest: Option<Lowest>,
    /// The work of each stage.
    pub stages: Vec<StageEffort>,
    /// Smaller models, the smallest first and this one last (docs/method.md §7.11).
    pub size_path: Vec<PathPoint>,
}

/// Learns the weights. `null_preparation_cost` is the preparation cost of the null model
/// (docs/method.md §4.1).
///
/// ```
/// use fnb::columns::{Column, ColumnData, Target};
/// use fnb::terms::{PartCodes, log_probabilities};
/// use fnb::weights::{Candidate, LearnSettings, optimise};
/// use std::borrow::Cow;
///
/// let classes = (0..40).map(|i| Some(if i < 20 { "no" } else { "yes" })).collect();
/// let column = Column { name: "bought".into(), data: ColumnData::Categorical(classes) };
/// let target = Target::from_column(&column)?;
/// let candidate = Candidate {
///     name: "visits",
///     level: 0.5,
///     prior_cost: 4.0,
///     codes: Cow::Owned(PartCodes::Narrow((0..40).map(|i| u8::from(i >= 18)).collect())),
///     unlisted: None,
///     scores: log_probabilities(&[vec![18, 0], vec![2, 20]], 40),
/// };
/// let settings = LearnSettings::default();
/// let learnt = optimise(&[candidate], &target.outcomes(), 3.7, &settings, &());
/// assert!(learnt.weights[0] > 0.5);
/// assert!(learnt.criterion.total < learnt.null_criterion.total);
/// # Ok::<(), fnb::Error>(())
/// ```
pub fn optimise(
    candidates: &[Candidate],
    outcomes: &Outcomes,
    null_preparation_cost: f64,
    settings: &LearnSettings,
    progress: &dyn Progress,
) -> Learnt {
    let mut stages = Vec::new();
    let problem = Problem {
        candidates,
        outcomes,
        definition: Definition::new(settings, null_preparation_cost),
        settings,
        progress,
    };
    let mut weights = problem.learn(&mut stages);
    let mut size_path = problem.size_path(&weights, &mut stages);
    let lowest = problem.choose_size(&mut weights, &mut size_path);
    let none = vec![0.0; weights.len()];
    let value = |weights: &[f64]| continuous_criterion(candidates, outcomes, settings, weights);
    let search_value = |weights: &[f64]| {
        evaluate(
            candidates,
            outcomes,
            null_preparation_cost,
            settings,
            weights,
        )
    };
    Learnt {
        criterion: value(&weights),
        null_criterion: value(&none),
        search_criterion: (!settings.method.is_continuous()).then(|| SearchCriterion {
            value: search_value(&weights),
            null: search_value(&none).total,
        }),
        lowest,
        weights,
        stages,
        size_path,
    }
}

/// The criterion of the method of the settings at given weights, one per candidate, computed from
/// scratch.
pub fn evaluate(
    candidates: &[Candidate],
    outcomes: &Outcomes,
    null_preparation_cost: f64,
    settings: &LearnSettings,
    weights: &[f64],
) -> CriterionValue {
    if settings.method.is_continuous() {
        return continuous_criterion(candidates, outcomes, settings, weights);
    }
    let definition = Definition::new(settings, null_preparation_cost);
    let seen = definition.seen(candidates, outcomes.len());
    let data = data_cost(&seen, outcomes, definition.likelihood, weights);
    let mut penalty = definition.penalty(candidates, settings.p);
    penalty.restart(weights);
    CriterionValue::new(data, penalty.value(), settings.lambda)
}

/// The continuous criterion at given weights, one per candidate, computed from scratch
/// (docs/method.md §7.9).
pub fn continuous_criterion(
    candidates: &[Candidate],
    outcomes: &Outcomes,
    settings: &LearnSettings,
    weights: &[f64],
) -> CriterionValue {
    let data = data_cost(candidates, outcomes, Likelihood::Plain, weights);
    let penalty = ContinuousPenalty::new(candidates, settings);
    CriterionValue::new(data, penalty.value_of(weights), settings.lambda)
}

/// The rows of each outcome that the model of given weights expects in every cell of a term, cells one
/// after the other: its posteriors, summed over the rows that fall there. Where it is far from the
/// rows that are there, the model misses something that the term knows.
///
/// ```
/// use fnb::columns::Outcomes;
/// use fnb::terms::PartCodes;
/// use fnb::weights::expected_rows;
/// // Without variables, every row is expected to be of class 1 with probability 3/4.
/// let outcomes = Outcomes::new(&[0, 1, 1, 1], vec![1, 3], None);
/// let halves = PartCodes::Narrow(vec![0, 0, 1, 1]);
/// let expected = expected_rows(&[], &outcomes, &[], &halves, 2);
/// assert!(expected.iter().zip([0.5, 1.5, 0.5, 1.5]).all(|(x, y)| (x - y).abs() < 1e-12));
/// ```
pub fn expected_rows(
    candidates: &[Candidate],
    outcomes: &Outcomes,
    weights: &[f64],
    codes: &PartCodes,
    cells: usize,
) -> Vec<f64> {
    if candidates.is_empty() {
        return prior_rows(outcomes, codes, cells);
    }
    let mut rows = RowState::new(candidates, outcomes, Likelihood::Plain);
    rows.restart(weights);
    rows.masses(codes, cells)
}

/// The same without variables: all rows have the shares of the outcomes.
fn prior_rows(outcomes: &Outcomes, codes: &PartCodes, cells: usize) -> Vec<f64> {
    let mut sizes = vec![0.0; cells];
    for row in 0..outcomes.rows() {
        let weights = outcomes.weights();
        sizes[codes.get(row)] += weights.map_or(1.0, |weights| weights.get(row));
    }
    let shares = outcomes.log_prior().into_iter().map(f64::exp);
    let shares: Vec<f64> = shares.collect();
    let line = |size: f64| shares.iter().map(move |share| size * share);
    sizes.into_iter().flat_map(line).collect()
}

/// Runs a stage and takes note of its work; it returns its number of iterations and its result.
fn stage<T>(
    stages: &mut Vec<StageEffort>,
    name: &str,
    rows: &mut RowState,
    work: impl FnOnce(&mut RowState) -> (usize, T),
) -> T {
    let before = rows.passes;
    let (iterations, result) = work(rows);
    stages.push(StageEffort {
        stage: name.into(),
        iterations,
        row_passes: rows.passes - before,
    });
    result
}
