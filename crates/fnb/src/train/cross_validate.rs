//! Cross-validation: a model per fold, learnt without it, tested on it.

use super::compare::{Fit, fit_all};
use super::{Figures, Labelled, Training};
use crate::columns::Task;
use crate::evaluate::{CrossValidation, Scores};
use crate::model::Model;
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
    /// Those of its weights alone, without better profiles and tables; `None` if the settings have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plain: Option<Scores>,
}

/// The figures of some folds.
#[derive(Debug, Clone, PartialEq)]
pub struct CrossValidated {
    /// Mean over the folds, each fold counting the same.
    pub mean: Figures,
    /// Standard deviation between folds (n − 1); 0 for a single one.
    pub sd: Figures,
    /// Mean of the weights alone, on the same folds; `None` if the settings have nothing beyond them.
    pub plain: Option<Scores>,
    /// Every fold.
    pub folds: Vec<FoldFigures>,
}

impl CrossValidated {
    /// Summarises the figures of some folds.
    pub fn new(folds: Vec<FoldFigures>) -> Self {
        let figures: Vec<Figures> = folds.iter().map(|fold| fold.figures).collect();
        let (mean, sd) = Figures::mean_and_sd(&figures);
        let plain: Option<Vec<Scores>> = folds.iter().map(|fold| fold.plain).collect();
        Self {
            mean,
            sd,
            plain: plain
                .filter(|plain| !plain.is_empty())
                .map(|plain| Scores::mean_and_sd(&plain).0),
            folds,
        }
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
            plain: cv.plain,
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
    let tell = |Fit { fold, figures, .. }, training: &Training, test: &Labelled| {
        let interactions = training.model.training().params.learn.most_tables();
        let plain = interactions.map(|_| plain(&training.model, &figures, test));
        folds.push(FoldFigures {
            fold,
            figures,
            plain: plain.transpose()?,
        });
        Ok::<(), Error>(())
    };
    fit_all(data, fold_of_row, settings, &[], progress, tell)?;
    Ok(CrossValidated::new(folds))
}

/// What the weights of a model obtain alone. Nothing is learnt again: weights come first, and what is
/// learnt beyond them leaves them as they are.
fn plain(model: &Model, figures: &Figures, test: &Labelled) -> Result<Scores> {
    if model.training().interactions.is_none() {
        return Ok(figures.into());
    }
    Ok((&test.evaluate(&model.scored_by_weights_alone())?).into())
}
