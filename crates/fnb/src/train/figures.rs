//! The figures of a model that was learnt without a fold and tested on it.

use super::Training;
use crate::evaluate::{Evaluation, Scores, figures};
use serde::{Deserialize, Serialize};

figures! {
    /// What a model costs, how large it is, what it took to learn, how good it is on the rows that were
    /// left out; or the means of these, or their spreads.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
    pub struct Figures {
        /// What the model costs by the criterion that all methods share.
        criterion: f64,
        /// The likelihood in it.
        criterion_data: f64,
        /// The prior in it.
        criterion_prior: f64,
        /// Variables of the model.
        selected: f64,
        /// Tables over several of them, or over parts of their own.
        #[serde(default)]
        tables: f64,
        /// Variables that say something on their own.
        informative: f64,
        /// Iterations of the method, without those on the size path.
        iterations: f64,
        /// Passes over the rows, without those on the size path.
        row_passes: f64,
        /// Time to prepare the variables.
        prepare_seconds: f64,
        /// Time to learn the weights, and what there is beyond them.
        weights_seconds: f64,
        /// See [`Evaluation::accuracy`]; on the rows that were left out, as all that follow.
        accuracy: f64,
        /// See [`Evaluation::auc`].
        auc: Option<f64>,
        /// See [`Evaluation::compression`].
        compression: f64,
        /// See [`Evaluation::log_loss`].
        log_loss: f64,
        /// See [`Evaluation::brier`].
        brier: f64,
    }
}

/// Stage of the work that follows every method and belongs to none.
const SIZE_PATH: &str = "size-path";

impl Figures {
    /// The figures of a model, and of its test.
    pub fn new(training: &Training, test: &Evaluation) -> Self {
        let facts = training.model.training();
        let stages = facts.stages.iter().filter(|stage| stage.stage != SIZE_PATH);
        Self {
            criterion: facts.criterion.total,
            criterion_data: facts.criterion.data,
            criterion_prior: facts.criterion.prior,
            selected: facts.selected as f64,
            tables: facts.interactions.map_or(0.0, |facts| facts.tables as f64),
            informative: facts.informative as f64,
            iterations: stages.clone().map(|stage| stage.iterations).sum::<usize>() as f64,
            row_passes: stages.map(|stage| stage.row_passes).sum::<u64>() as f64,
            prepare_seconds: training.prepare.as_secs_f64(),
            weights_seconds: (training.weights + training.interactions).as_secs_f64(),
            accuracy: test.accuracy,
            auc: test.auc,
            compression: test.compression,
            log_loss: test.log_loss,
            brier: test.brier,
        }
    }

    /// Time to prepare and to learn.
    pub fn seconds(&self) -> f64 {
        self.prepare_seconds + self.weights_seconds
    }
}

impl From<&Figures> for Scores {
    fn from(figures: &Figures) -> Self {
        Self {
            accuracy: figures.accuracy,
            auc: figures.auc,
            compression: figures.compression,
            log_loss: figures.log_loss,
            brier: figures.brier,
        }
    }
}
