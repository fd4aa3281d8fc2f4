//! Table + target → model: the whole path, one line per stage.

use crate::columns::{Frame, Target};
use crate::evaluate::Evaluation;
use crate::model::{Learning, Model, SizePoint, Trained};
use crate::predict::Scorer;
use crate::prepare::{PartCodes, PartIndex, Preparation, PreparedVariable, log_probabilities};
use crate::progress::{Progress, check_not_cancelled};
use crate::weights::{Candidate, PathPoint, optimise};
use crate::{Result, Schedule, Settings};
use rayon::prelude::*;
use std::borrow::Cow;
use std::time::{Duration, Instant};

/// A model, and how long the training took.
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
    Prepared::new(frame, target, settings.schedule, progress)?.learn(settings, progress)
}

/// A table whose variables are prepared: learning weights from it, once or by several methods, is
/// all that remains.
///
/// ```
/// use fnb::columns::{Column, ColumnData, Frame, NumericColumn, Target};
/// use fnb::{Method, Prepared, Schedule, Settings};
/// # let class = |row| Some(if row % 50 < 20 { "low" } else { "high" });
/// # let target = Column {
/// #     name: "class".into(),
/// #     data: ColumnData::Categorical((0..100).map(class).collect()),
/// # };
/// # let numbers = (0..100).map(|row| f64::from(row % 50)).collect();
/// # let x = Column { name: "x".into(), data: ColumnData::Numeric(NumericColumn::new(numbers)) };
/// # let target = Target::from_column(&target)?;
/// # let frame = Frame::new(100, vec![x])?;
/// let prepared = Prepared::new(&frame, &target, Schedule::Exhaustive, &())?;
/// for method in Method::ALL {
///     let settings = Settings { method, ..Settings::default() };
///     let training = prepared.learn(&settings, &())?;
///     assert_eq!(training.model.training().selected, 1);
/// }
/// # Ok::<(), fnb::Error>(())
/// ```
#[derive(Debug)]
pub struct Prepared<'a> {
    frame: &'a Frame,
    target: &'a Target,
    preparation: Preparation,
    /// Positions of the informative variables, best first.
    informative: Vec<usize>,
    /// The classes of the rows to learn from.
    learnt: Cow<'a, Target>,
    /// The part of every such row, for each informative variable.
    codes: Vec<PartCodes>,
    time: Duration,
}

impl<'a> Prepared<'a> {
    /// Discretises or groups every column; `schedule` must be that of the settings to learn with.
    pub fn new(
        frame: &'a Frame,
        target: &'a Target,
        schedule: Schedule,
        progress: &dyn Progress,
    ) -> Result<Self> {
        target.check_trainable()?;
        let start = Instant::now();
        let preparation = crate::prepare::prepare(frame, target, schedule, progress);
        check_not_cancelled(progress)?;
        let informative = by_level(&preparation.variables);
        let (learnt, rows) = target.rows_to_learn_from();
        let codes = informative
            .par_iter()
            .map(|&i| {
                let codes = codes(&preparation.variables[i], frame, target);
                match &rows {
                    Some(rows) => codes.take(rows),
                    None => codes,
                }
            })
            .collect();
        Ok(Self {
            frame,
            target,
            preparation,
            informative,
            learnt,
            codes,
            time: start.elapsed(),
        })
    }

    /// Learns the weights and builds the model.
    pub fn learn(&self, settings: &Settings, progress: &dyn Progress) -> Result<Training> {
        settings.check()?;
        let start = Instant::now();
        let candidates = self.candidates();
        let null_cost = self.preparation.null_cost.preparation;
        let outcome = optimise(&candidates, &self.learnt, null_cost, settings, progress);
        check_not_cancelled(progress)?;
        let weights = start.elapsed();

        let start = Instant::now();
        let variables = &self.preparation.variables;
        let mut weight_of = vec![0.0; variables.len()];
        for (&i, &weight) in self.informative.iter().zip(&outcome.weights) {
            weight_of[i] = weight;
        }
        let mut model = Model::new(&Trained {
            frame: self.frame,
            target: self.target,
            prepared: variables,
            weights: &weight_of,
            settings,
            learning: &Learning {
                criterion: outcome.criterion,
                null_criterion: outcome.null_criterion.total,
                continuous_criterion: outcome.continuous_criterion,
                stages: outcome.stages,
                size_path: size_path(&outcome.size_path, &candidates),
            },
        })?;
        let evaluation = evaluate_on_training_rows(&model, &candidates, &self.learnt)?;
        model.evaluation_mut().train = Some(evaluation);
        Ok(Training {
            model,
            prepare: self.time,
            weights,
            evaluate: start.elapsed(),
        })
    }

    fn candidates(&self) -> Vec<Candidate<'_>> {
        let informative = self.informative.iter().zip(&self.codes);
        let candidate = |(&i, codes)| {
            let variable: &PreparedVariable = &self.preparation.variables[i];
            Candidate {
                name: &variable.name,
                level: variable.level,
                prior_cost: variable.prior_cost(),
                codes: Cow::Borrowed(codes),
                log_probabilities: log_probabilities(
                    &variable.counts,
                    self.target.total() as usize,
                ),
            }
        };
        informative.map(candidate).collect()
    }
}

fn size_path(path: &[PathPoint], candidates: &[Candidate]) -> Vec<SizePoint> {
    let point = |point: &PathPoint| SizePoint {
        selected: point.weights.len(),
        criterion: point.criterion,
        weights: point
            .weights
            .iter()
            .map(|&(k, weight)| (candidates[k].name.to_owned(), weight))
            .collect(),
    };
    path.iter().map(point).collect()
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

fn codes(variable: &PreparedVariable, frame: &Frame, target: &Target) -> PartCodes {
    let column = frame
        .column(&variable.name)
        .expect("variables are columns of the frame");
    let codes = PartIndex::new(&variable.parts).encode(&column.data, 0..target.rows());
    codes.expect("parts are of the kind of their column")
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
            candidate
                .expect("selected variables are candidates")
                .codes
                .as_ref()
        })
        .collect();
    let probabilities = Scorer::new(model).probabilities_from_codes(&codes, target.rows());
    Evaluation::weighted(
        model.classes(),
        &probabilities,
        target.codes(),
        target.weights(),
    )
}
