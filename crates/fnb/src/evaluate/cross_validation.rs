//! Evaluations of several folds, summarised.

use super::Evaluation;
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
    fn combine(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        Self {
            accuracy: f(self.accuracy, other.accuracy),
            auc: f(self.auc, other.auc),
            compression: f(self.compression, other.compression),
            log_loss: f(self.log_loss, other.log_loss),
            brier: f(self.brier, other.brier),
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
        let k = folds.len() as f64;
        let zero = Scores::default();
        let add = |sum: Scores, fold: &Scores| sum.combine(*fold, |a, b| a + b);
        let mean = folds.iter().fold(zero, add);
        let mean = mean.combine(zero, |sum, _| if k > 0.0 { sum / k } else { 0.0 });
        let deviation = |fold: &Scores| fold.combine(mean, |x, mean| (x - mean) * (x - mean));
        let sd = folds
            .iter()
            .map(deviation)
            .fold(zero, |sum, d| add(sum, &d));
        let sd = sd.combine(zero, |sum, _| (sum / (k - 1.0).max(1.0)).sqrt());
        Self { mean, sd, folds }
    }
}
