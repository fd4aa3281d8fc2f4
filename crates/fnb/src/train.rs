//! Table + target → model: the whole path, one line per stage.

use crate::columns::{Frame, Target};
use crate::evaluate::Evaluation;
use crate::model::{Criterion, Model, Trained};
use crate::predict::Scorer;
use crate::prepare::{PartCodes, PartIndex, PreparedVariable, log_probabilities, prepare};
use crate::progress::Progress;
use crate::weights::{Candidate, CriterionValue, optimise};
use crate::{Result, Settings};
use rayon::prelude::*;
use std::time::{Duration, Instant};

/// A model, and how the training went.
#[derive(Debug, Clone)]
pub struct Training {
    /// The model, with its evaluation on the training rows.
    pub model: Model,
    /// Time spent on discretising and grouping.
    pub prepare: Duration,
    /// Time spent on the weights.
    pub weights: Duration,
    /// Time spent on the evaluation on the training rows.
    pub evaluate: Duration,
    /// Changes of a weight that were evaluated on all rows.
    pub trials: usize,
    /// Changes of a weight that were made.
    pub accepted: usize,
}

/// Learns a classifier of `target` from the columns of `frame`.
///
/// ```
/// use fnb::columns::{Column, ColumnData, Frame, NumericColumn, Target};
/// let class = |row| Some(if row % 50 < 20 { "low" } else { "high" });
/// let target = Column {
///     name: "class".into(),
///     data: ColumnData::Categorical((0..100).map(class).collect()),
/// };
/// let numbers = (0..100).map(|row| f64::from(row % 50)).collect();
/// let x = Column { name: "x".into(), data: ColumnData::Numeric(NumericColumn::new(numbers)) };
/// let target = Target::from_column(&target)?;
/// let training = fnb::train(&Frame::new(100, vec![x])?, &target, &fnb::Settings::default(), &())?;
/// let train = training.model.evaluation().train.as_ref().expect("evaluated");
/// assert_eq!(train.accuracy, 1.0);
/// # Ok::<(), fnb::Error>(())
/// ```
pub fn train(
    frame: &Frame,
    target: &Target,
    settings: &Settings,
    progress: &dyn Progress,
) -> Result<Training> {
    settings.check()?;
    target.check_trainable()?;

    let start = Instant::now();
    let preparation = prepare(frame, target, settings.schedule, progress);
    let informative = by_level(&preparation.variables);
    let candidates: Vec<Candidate> = informative
        .par_iter()
        .map(|&i| candidate(&preparation.variables[i], frame, target))
        .collect();
    let prepare = start.elapsed();

    let start = Instant::now();
    let outcome = optimise(
        &candidates,
        target,
        preparation.null_cost.preparation,
        settings,
        progress,
    );
    let weights = start.elapsed();

    let start = Instant::now();
    let mut weight_of = vec![0.0; preparation.variables.len()];
    for (&i, &weight) in informative.iter().zip(&outcome.weights) {
        weight_of[i] = weight;
    }
    let mut model = Model::new(&Trained {
        frame,
        target,
        prepared: &preparation.variables,
        weights: &weight_of,
        settings,
        criterion: criterion(outcome.criterion),
        null_criterion: outcome.null_criterion.total,
    })?;
    let evaluation = evaluate_on_training_rows(&model, &candidates, target)?;
    model.evaluation_mut().train = Some(evaluation);
    let evaluate = start.elapsed();
    let (trials, accepted) = (outcome.trials, outcome.accepted);
    Ok(Training {
        model,
        prepare,
        weights,
        evaluate,
        trials,
        accepted,
    })
}

/// The informative variables, best first, equal ones by name: the order of the columns of a table
/// must not matter to what is learnt from it.
fn by_level(variables: &[PreparedVariable]) -> Vec<usize> {
    let mut informative: Vec<usize> = (0..variables.len()).collect();
    informative.retain(|&i| variables[i].level > 0.0);
    informative.sort_by(|&a, &b| {
        let (a, b) = (&variables[a], &variables[b]);
        b.level
            .total_cmp(&a.level)
            .then_with(|| a.name.cmp(&b.name))
    });
    informative
}

fn criterion(value: CriterionValue) -> Criterion {
    Criterion {
        total: value.total,
        data: value.data,
        prior: value.prior,
    }
}

fn candidate<'a>(variable: &'a PreparedVariable, frame: &Frame, target: &Target) -> Candidate<'a> {
    let column = frame
        .column(&variable.name)
        .expect("variables are columns of the frame");
    let codes = PartIndex::new(&variable.parts).encode(&column.data, 0..target.rows());
    Candidate {
        name: &variable.name,
        level: variable.level,
        prior_cost: variable.prior_cost(),
        codes: codes.expect("parts are of the kind of their column"),
        log_probabilities: log_probabilities(&variable.counts, target.rows()),
    }
}

/// The part of every row is known from the training: nothing needs to be looked up again.
fn evaluate_on_training_rows(
    model: &Model,
    candidates: &[Candidate],
    target: &Target,
) -> Result<Evaluation> {
    let codes: Vec<&PartCodes> = model
        .variables()
        .iter()
        .map(|variable| {
            let candidate = candidates
                .iter()
                .find(|candidate| candidate.name == variable.name);
            &candidate.expect("selected variables are candidates").codes
        })
        .collect();
    let probabilities = Scorer::new(model).probabilities_from_codes(&codes, target.rows());
    Evaluation::new(model.classes(), &probabilities, target.codes())
}
