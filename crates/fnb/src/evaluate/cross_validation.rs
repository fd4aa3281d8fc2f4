//! Evaluations of several folds, summarised.

use super::Evaluation;
use crate::columns::Task;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The figures that are averaged over folds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Scores {
    /// See [`Evaluation::accuracy`].
    pub accuracy: f64,
    /// See [`Evaluation::auc`].
    pub auc: f64,
    /// See [`Evaluation::compression`].
    pub compression: f64,
    /// See [`Evaluation::log_loss`].
    pub log_loss: f64,
    /// See [`Evaluation::brier`].
    pub brier: f64,
}

impl Scores {
    fn to_array(self) -> [f64; 5] {
        [
            self.accuracy,
            self.auc,
            self.compression,
            self.log_loss,
            self.brier,
        ]
    }

    fn from_array([accuracy, auc, compression, log_loss, brier]: [f64; 5]) -> Self {
        Self {
            accuracy,
            auc,
            compression,
            log_loss,
            brier,
        }
    }
}

impl From<&Evaluation> for Scores {
    fn from(evaluation: &Evaluation) -> Self {
        Self {
            accuracy: evaluation.accuracy,
            auc: evaluation.auc,
            compression: evaluation.compression,
            log_loss: evaluation.log_loss,
            brier: evaluation.brier,
        }
    }
}

/// What models learnt on all folds but one obtain on that one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CrossValidation {
    /// The task, which says what follows.
    pub task: Task,
    /// Mean over the folds, each fold counting the same.
    pub mean: Scores,
    /// Standard deviation between folds (n − 1); 0 for a single one.
    pub sd: Scores,
    /// Every fold.
    pub folds: Vec<Scores>,
}

impl CrossValidation {
    /// Summarises the evaluations of the folds; all zeros without any.
    ///
    /// ```
    /// use fnb::evaluate::{CrossValidation, Evaluation};
    /// let classes = ["no".to_string(), "yes".to_string()];
    /// let right = Evaluation::new(&classes, &[0.9, 0.1], &[0])?;
    /// let wrong = Evaluation::new(&classes, &[0.9, 0.1], &[1])?;
    /// assert_eq!(CrossValidation::new(&[right, wrong]).mean.accuracy, 0.5);
    /// # Ok::<(), fnb::Error>(())
    /// ```
    pub fn new(evaluations: &[Evaluation]) -> Self {
        let folds: Vec<Scores> = evaluations.iter().map(Scores::from).collect();
        let figures: Vec<[f64; 5]> = folds.iter().map(|fold| fold.to_array()).collect();
        let (mean, sd) = mean_and_spread(&figures);
        Self {
            task: Task::Classification,
            mean: Scores::from_array(mean),
            sd: Scores::from_array(sd),
            folds,
        }
    }
}

/// Mean and standard deviation (n − 1) of each figure over the folds, each fold counting the same;
/// the deviation of a single fold is 0, and so is everything without any.
///
/// ```
/// let (mean, sd) = fnb::evaluate::mean_and_spread(&[[1.0, 7.0], [3.0, 7.0]]);
/// assert_eq!((mean, sd), ([2.0, 7.0], [2_f64.sqrt(), 0.0]));
/// ```
pub fn mean_and_spread<const N: usize>(folds: &[[f64; N]]) -> ([f64; N], [f64; N]) {
    let n = folds.len() as f64;
    let sum = |value: &dyn Fn(&[f64; N]) -> f64| folds.iter().fold(0.0, |sum, f| sum + value(f));
    let mean: [f64; N] = std::array::from_fn(|i| sum(&|fold| fold[i]) / n.max(1.0));
    let sd = std::array::from_fn(|i| {
        let squares = sum(&|fold| (fold[i] - mean[i]) * (fold[i] - mean[i]));
        (squares / (n - 1.0).max(1.0)).sqrt()
    });
    (mean, sd)
}
