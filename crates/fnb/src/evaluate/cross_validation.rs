//! Evaluations of several folds, summarised.

use super::{Evaluation, figures};
use crate::columns::Task;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

figures! {
    /// The figures that are averaged over folds.
    ///
    /// ```
    /// use fnb::evaluate::Scores;
    /// let folds = [0.75, 0.5].map(|accuracy| Scores { accuracy, ..Scores::default() });
    /// assert_eq!(Scores::mean_and_sd(&folds).0.accuracy, 0.625);
    /// assert_eq!(folds[0].iter().next(), Some((Scores::NAMES[0], Some(0.75))));
    /// ```
    #[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
    pub struct Scores {
        /// See [`Evaluation::accuracy`].
        accuracy: f64,
        /// See [`Evaluation::auc`].
        #[serde(default)]
        auc: Option<f64>,
        /// See [`Evaluation::compression`].
        compression: f64,
        /// See [`Evaluation::log_loss`].
        log_loss: f64,
        /// See [`Evaluation::brier`].
        brier: f64,
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
    /// Mean over the folds, each fold counting the same; folds where a figure is not defined are left
    /// out of it.
    pub mean: Scores,
    /// Standard deviation between folds (n − 1); 0 for a single one.
    pub sd: Scores,
    /// Mean of the weights alone, without better profiles and tables; absent if there were none to learn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plain: Option<Scores>,
    /// Every fold.
    pub folds: Vec<Scores>,
}

impl CrossValidation {
    /// Summarises the evaluations of the folds; without any, all zeros and no AUC.
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
        let (mean, sd) = Scores::mean_and_sd(&folds);
        Self {
            task: Task::Classification,
            mean,
            sd,
            plain: None,
            folds,
        }
    }
}
