//! The figures of one model, learnt without a fold and tested on it.

use fnb::Training;
use fnb::evaluate::Evaluation;
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::ops::Index;

/// A figure of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Figure {
    /// What the model costs by the criterion of its method, and the two terms of it.
    Criterion,
    CriterionData,
    CriterionPrior,
    /// The same by the criterion that all methods share.
    ContinuousCriterion,
    ContinuousData,
    ContinuousPrior,
    Selected,
    Informative,
    /// Work of the method, without that on the size path.
    Iterations,
    RowPasses,
    PrepareSeconds,
    WeightsSeconds,
    /// On the left-out rows.
    Accuracy,
    Auc,
    Compression,
    LogLoss,
    Brier,
}

/// Stage of the work that follows every method and belongs to none.
const SIZE_PATH: &str = "size-path";

impl Figure {
    pub(crate) const COUNT: usize = 17;

    /// All, in the order of the files.
    pub(crate) const ALL: [Self; Self::COUNT] = [
        Self::Criterion,
        Self::CriterionData,
        Self::CriterionPrior,
        Self::ContinuousCriterion,
        Self::ContinuousData,
        Self::ContinuousPrior,
        Self::Selected,
        Self::Informative,
        Self::Iterations,
        Self::RowPasses,
        Self::PrepareSeconds,
        Self::WeightsSeconds,
        Self::Accuracy,
        Self::Auc,
        Self::Compression,
        Self::LogLoss,
        Self::Brier,
    ];

    /// Its name in files and in JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Criterion => "criterion",
            Self::CriterionData => "criterion_data",
            Self::CriterionPrior => "criterion_prior",
            Self::ContinuousCriterion => "continuous_criterion",
            Self::ContinuousData => "continuous_data",
            Self::ContinuousPrior => "continuous_prior",
            Self::Selected => "selected",
            Self::Informative => "informative",
            Self::Iterations => "iterations",
            Self::RowPasses => "row_passes",
            Self::PrepareSeconds => "prepare_seconds",
            Self::WeightsSeconds => "weights_seconds",
            Self::Accuracy => "accuracy",
            Self::Auc => "auc",
            Self::Compression => "compression",
            Self::LogLoss => "log_loss",
            Self::Brier => "brier",
        }
    }
}

/// The figures of a model, or their mean or spread.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Figures(pub(crate) [f64; Figure::COUNT]);

impl Figures {
    pub(crate) fn new(training: &Training, test: &Evaluation) -> Self {
        let facts = training.model.training();
        let stages = facts.stages.iter().filter(|stage| stage.stage != SIZE_PATH);
        let iterations: usize = stages.clone().map(|stage| stage.iterations).sum();
        let row_passes: u64 = stages.map(|stage| stage.row_passes).sum();
        Self(Figure::ALL.map(|figure| match figure {
            Figure::Criterion => facts.criterion.total,
            Figure::CriterionData => facts.criterion.data,
            Figure::CriterionPrior => facts.criterion.prior,
            Figure::ContinuousCriterion => facts.continuous_criterion.total,
            Figure::ContinuousData => facts.continuous_criterion.data,
            Figure::ContinuousPrior => facts.continuous_criterion.prior,
            Figure::Selected => facts.selected as f64,
            Figure::Informative => facts.informative as f64,
            Figure::Iterations => iterations as f64,
            Figure::RowPasses => row_passes as f64,
            Figure::PrepareSeconds => training.prepare.as_secs_f64(),
            Figure::WeightsSeconds => training.weights.as_secs_f64(),
            Figure::Accuracy => test.accuracy,
            Figure::Auc => test.auc,
            Figure::Compression => test.compression,
            Figure::LogLoss => test.log_loss,
            Figure::Brier => test.brier,
        }))
    }
}

impl Index<Figure> for Figures {
    type Output = f64;

    fn index(&self, figure: Figure) -> &f64 {
        &self.0[figure as usize]
    }
}

impl Serialize for Figures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(Figure::COUNT))?;
        for figure in Figure::ALL {
            map.serialize_entry(figure.name(), &self[figure])?;
        }
        map.end()
    }
}
