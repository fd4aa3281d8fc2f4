//! What `fnb train` prints of a cross-validation.

use fnb::evaluate::{Scores, mean_and_sd};
use fnb::{CrossValidated, Figures};
use serde::Serialize;

/// Figures of a fold, or their mean or spread.
#[derive(Serialize)]
struct FoldSummary {
    #[serde(skip_serializing_if = "Option::is_none")]
    fold: Option<u32>,
    accuracy: f64,
    auc: Option<f64>,
    compression: f64,
    log_loss: f64,
    brier: f64,
    selected: f64,
    tables: f64,
    informative: f64,
    seconds: f64,
    /// Without better profiles and tables.
    #[serde(skip_serializing_if = "Option::is_none")]
    plain: Option<Scores>,
}

impl FoldSummary {
    fn new(fold: Option<u32>, figures: &Figures, seconds: f64, plain: Option<Scores>) -> Self {
        Self {
            fold,
            accuracy: figures.accuracy,
            auc: figures.auc,
            compression: figures.compression,
            log_loss: figures.log_loss,
            brier: figures.brier,
            selected: figures.selected,
            tables: figures.tables,
            informative: figures.informative,
            seconds,
            plain,
        }
    }
}

/// Mean, standard deviation, every fold.
#[derive(Serialize)]
pub(crate) struct CvSummary {
    mean: FoldSummary,
    sd: FoldSummary,
    folds: Vec<FoldSummary>,
}

impl From<&CrossValidated> for CvSummary {
    fn from(cv: &CrossValidated) -> Self {
        let (mean, sd) = mean_and_sd(cv.folds.iter().map(|fold| fold.figures.seconds()));
        let folds = cv.folds.iter();
        let folds =
            folds.map(|f| FoldSummary::new(Some(f.fold), &f.figures, f.figures.seconds(), f.plain));
        Self {
            mean: FoldSummary::new(None, &cv.mean, mean, cv.plain),
            sd: FoldSummary::new(None, &cv.sd, sd, None),
            folds: folds.collect(),
        }
    }
}
