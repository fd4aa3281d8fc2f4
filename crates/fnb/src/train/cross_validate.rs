//! Cross-validation: a model per fold, learnt without it, tested on it.

use super::compare::{Fit, compare};
use super::{Figures, Labelled};
use crate::columns::Task;
use crate::evaluate::{CrossValidation, Scores};
use crate::{Error, Progress, Result, Settings};
use serde::Serialize;

/// The figures of a fold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct FoldFigures {
    /// The fold.
    pub fold: u32,
    /// Those of the model learnt without it, on it.
    #[serde(flatten)]
    pub figures: Figures,
}

/// The figures of some folds.
#[derive(Debug, Clone, PartialEq)]
pub struct CrossValidated {
    /// Mean over the folds, each fold counting the same.
    pub mean: Figures,
    /// Standard deviation between folds (n − 1); 0 for a single one.
    pub sd: Figures,
    /// Every fold.
    pub folds: Vec<FoldFigures>,
}

impl CrossValidated {
    /// Summarises the figures of some folds.
    pub fn new(folds: Vec<FoldFigures>) -> Self {
        let figures: Vec<Figures> = folds.iter().map(|fold| fold.figures).collect();
        let (mean, sd) = Figures::mean_and_sd(&figures);
        Self { mean, sd, folds }
    }
}

/// What a model file keeps of it.
impl From<&CrossValidated> for CrossValidation {
    fn from(cv: &CrossValidated) -> Self {
        let folds = cv.folds.iter().map(|fold| Scores::from(&fold.figures));
        Self {
            task: Task::Classification,
            mean: (&cv.mean).into(),
            sd: (&cv.sd).into(),
            folds: folds.collect(),
        }
    }
}

/// Learns a model without each fold, and tests it on that fold.
///
/// ```
/// use fnb::columns::{Column, ColumnData, Frame, NumericColumn, Target};
/// use fnb::{Labelled, Settings, cross_validate};
/// # let class = |row| Some(if row % 50 < 20 { "low" } else { "high" });
/// # let classes = ColumnData::Categorical((0..200).map(class).collect());
/// # let numbers = (0..200).map(|row| f64::from(row % 50)).collect();
/// # let x = Column { name: "x".into(), data: ColumnData::Numeric(NumericColumn::new(numbers)) };
/// # let target = Target::from_column(&Column { name: "class".into(), data: classes })?;
/// let data = Labelled::new(Frame::new(200, vec![x])?, target);
/// let folds = fnb::evaluate::folds(&data.target, 10)?;
/// let cv = cross_validate(&data, &folds, &Settings::default(), &())?;
/// assert_eq!((cv.folds.len(), cv.mean.accuracy, cv.sd.accuracy), (10, 1.0, 0.0));
/// # Ok::<(), fnb::Error>(())
/// ```
pub fn cross_validate(
    data: &Labelled,
    fold_of_row: &[u32],
    settings: &Settings,
    progress: &dyn Progress,
) -> Result<CrossValidated> {
    let mut folds = Vec::new();
    let settings = std::slice::from_ref(settings);
    let tell = |Fit { fold, figures, .. }| {
        folds.push(FoldFigures { fold, figures });
        Ok::<(), Error>(())
    };
    compare(data, fold_of_row, settings, &[], progress, tell)?;
    Ok(CrossValidated::new(folds))
}
