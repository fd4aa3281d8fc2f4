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

use crate::columns::Target;
use crate::prepare::PartCodes;
use crate::{Method, Progress, Settings};
use add_drop::Definition;
use continuous::ContinuousPenalty;
use rows::{Likelihood, RowState, data_cost};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A prepared informative variable that may enter the model.
#[derive(Debug, Clone)]
pub struct Candidate<'a> {
    /// Name of the variable; it breaks ties of level.
    pub name: &'a str,
    /// Level of the variable (docs/method.md §4.1).
    pub level: f64,
    /// `B`: the cost of choosing and preparing it (docs/method.md §4.3).
    pub prior_cost: f64,
    /// The part of every row.
    pub codes: Cow<'a, PartCodes>,
    /// `ln p(part | class)`, parts one after the other, as
    /// [`log_probabilities`](crate::prepare::log_probabilities) gives them.
    pub log_probabilities: Vec<f64>,
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
pub struct Outcome {
    /// A weight per candidate, in the order given; 0 if it is not selected.
    pub weights: Vec<f64>,
    /// The criterion of the method at these weights.
    pub criterion: CriterionValue,
    /// The same when all weights are zero.
    pub null_criterion: CriterionValue,
    /// The continuous criterion at these weights, to compare methods with (docs/method.md §7.9).
    pub continuous_criterion: CriterionValue,
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
/// use fnb::prepare::{PartCodes, log_probabilities};
/// use fnb::weights::{Candidate, optimise};
/// use fnb::Settings;
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
///     log_probabilities: log_probabilities(&[vec![18, 0], vec![2, 20]], 40),
/// };
/// let outcome = optimise(&[candidate], &target, 3.7, &Settings::default(), &());
/// assert!(outcome.weights[0] > 0.5);
/// assert!(outcome.criterion.total < outcome.null_criterion.total);
/// # Ok::<(), fnb::Error>(())
/// ```
pub fn optimise(
    candidates: &[Candidate],
    target: &Target,
    null_preparation_cost: f64,
    settings: &Settings,
    progress: &dyn Progress,
) -> Outcome {
    let mut stages = Vec::new();
    let mut weights = learner::learn(
        candidates,
        target,
        null_preparation_cost,
        settings,
        progress,
        &mut stages,
    );
    let mut size_path = learner::size_path(
        candidates,
        target,
        settings,
        &weights,
        progress,
        &mut stages,
    );
    if settings.method == Method::Coordinate {
        learner::keep_best(&mut weights, &mut size_path);
    }
    let value =
        |weights: &[f64]| evaluate(candidates, target, null_preparation_cost, settings, weights);
    Outcome {
        criterion: value(&weights),
        null_criterion: value(&vec![0.0; weights.len()]),
        continuous_criterion: continuous_criterion(candidates, target, settings, &weights),
        weights,
        stages,
        size_path,
    }
}

/// The criterion of the method of the settings at given weights, one per candidate, computed from
/// scratch.
pub fn evaluate(
    candidates: &[Candidate],
    target: &Target,
    null_preparation_cost: f64,
    settings: &Settings,
    weights: &[f64],
) -> CriterionValue {
    if settings.method.is_continuous() {
        return continuous_criterion(candidates, target, settings, weights);
    }
    let definition = Definition::new(settings, null_preparation_cost);
    let data = data_cost(candidates, target, definition.likelihood, weights);
    let mut penalty = definition.penalty(candidates, settings.p);
    penalty.restart(weights);
    CriterionValue::new(data, penalty.value(), settings.lambda)
}

/// The continuous criterion at given weights, one per candidate, computed from scratch
/// (docs/method.md §7.9).
pub fn continuous_criterion(
    candidates: &[Candidate],
    target: &Target,
    settings: &Settings,
    weights: &[f64],
) -> CriterionValue {
    let data = data_cost(candidates, target, Likelihood::Plain, weights);
    let penalty = ContinuousPenalty::new(candidates, settings);
    CriterionValue::new(data, penalty.value_of(weights), settings.lambda)
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
