//! Prepared variables → one weight in `[0, 1]` per variable.
//!
//! The weights minimise the negative log-likelihood of the weighted naive Bayes classifier plus λ
//! times a prior that favours few, simple variables (docs/method.md §6 and §7). A learner is a short
//! loop over the criterion, which tells exactly what changing one weight would do; the row state and
//! its kernels below it know nothing of learners.

mod criterion;
mod fnb;
mod fnb_ordered;
mod kernels;
mod likelihood;
mod many_classes;
mod order;
mod packed_codes;
mod penalty;
mod rows;
mod two_classes;

use crate::columns::Target;
use crate::prepare::PartCodes;
use crate::{Method, Progress, Settings};
use criterion::{Criterion, Definition, is_khiops};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
    pub codes: PartCodes,
    /// `ln p(part | class)`, parts one after the other, as
    /// [`log_probabilities`](crate::prepare::log_probabilities) gives them.
    pub log_probabilities: Vec<f64>,
}

/// The criterion and its two terms.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
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

/// What the optimisation found.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// A weight per candidate, in the order given; 0 if it is not selected.
    pub weights: Vec<f64>,
    /// The criterion at these weights.
    pub criterion: CriterionValue,
    /// The criterion when all weights are zero.
    pub null_criterion: CriterionValue,
    /// Number of changes of one weight that were evaluated on all rows.
    pub trials: usize,
    /// Number of changes that were made.
    pub accepted: usize,
}

/// Learns the weights. `null_preparation_cost` is the preparation cost of the null model
/// (docs/method.md §4.1).
///
/// ```
/// use fnb::columns::{Column, ColumnData, Target};
/// use fnb::prepare::{PartCodes, log_probabilities};
/// use fnb::weights::{Candidate, optimise};
/// use fnb::Settings;
///
/// let classes = (0..40).map(|i| Some(if i < 20 { "no" } else { "yes" })).collect();
/// let column = Column { name: "bought".into(), data: ColumnData::Categorical(classes) };
/// let target = Target::from_column(&column)?;
/// let candidate = Candidate {
///     name: "visits",
///     level: 0.5,
///     prior_cost: 4.0,
///     codes: PartCodes::Narrow((0..40).map(|i| u8::from(i >= 18)).collect()),
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
    let definition = Definition::new(settings, null_preparation_cost);
    let rows = target.rows();
    let (weights, trials, accepted) = match candidates.len() {
        0 => (Vec::new(), 0, 0),
        1 if is_khiops(settings) => (vec![1.0], 0, 0),
        _ => {
            let mut criterion = Criterion::new(candidates, target, definition, settings);
            match settings.method {
                Method::Fnb if is_khiops(settings) => {
                    fnb::khiops(&mut criterion, candidates, rows, progress);
                }
                Method::Fnb => fnb::published(&mut criterion, rows, settings.seed, progress),
                Method::FnbOrdered => fnb_ordered::search(&mut criterion, rows, progress),
            }
            let (trials, accepted) = (criterion.trials, criterion.accepted);
            (criterion.into_weights(), trials, accepted)
        }
    };
    let value =
        |weights: &[f64]| evaluate(candidates, target, null_preparation_cost, settings, weights);
    Outcome {
        criterion: value(&weights),
        null_criterion: value(&vec![0.0; weights.len()]),
        weights,
        trials,
        accepted,
    }
}

/// The criterion at given weights, one per candidate, computed from scratch.
pub fn evaluate(
    candidates: &[Candidate],
    target: &Target,
    null_preparation_cost: f64,
    settings: &Settings,
    weights: &[f64],
) -> CriterionValue {
    let definition = Definition::new(settings, null_preparation_cost);
    let data = likelihood::data_cost(candidates, target, definition.likelihood, weights);
    let mut penalty = definition.penalty(candidates, settings.p);
    penalty.restart(weights);
    CriterionValue::new(data, penalty.value(), settings.lambda)
}
