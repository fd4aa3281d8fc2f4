//! Several settings on the same folds.

use super::{Figures, Labelled, Training};
use crate::evaluate::fold_names;
use crate::{Code, Error, Progress, Result, Settings};

/// A model learnt without a fold, and tested on it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fit {
    /// The fold.
    pub fold: u32,
    /// Position of the settings that it was learnt with.
    pub settings: usize,
    /// How it went.
    pub figures: Figures,
}

/// Learns a model by each of the settings without each fold, tests it on that fold and tells it at
/// once: what is told last is done last, and an error of `tell` ends the comparison. Models that are
/// known already, by fold and position of their settings, are left out.
///
/// Settings that prepare and construct alike share the preparation of a fold.
///
/// ```
/// use fnb::columns::{Column, ColumnData, Frame, NumericColumn, Target};
/// use fnb::{Error, Labelled, Preset, Settings};
/// # let class = |row| Some(if row % 50 < 20 { "low" } else { "high" });
/// # let classes = ColumnData::Categorical((0..200).map(class).collect());
/// # let numbers = (0..200).map(|row| f64::from(row % 50)).collect();
/// # let x = Column { name: "x".into(), data: ColumnData::Numeric(NumericColumn::new(numbers)) };
/// # let target = Target::from_column(&Column { name: "class".into(), data: classes })?;
/// let data = Labelled::new(Frame::new(200, vec![x])?, target);
/// let folds = fnb::evaluate::folds(&data.target, 4)?;
/// let settings = [Preset::Default, Preset::Paper].map(Settings::preset);
/// let mut accuracies = Vec::new();
/// fnb::compare(&data, &folds, &settings, &[], &(), |fit| {
///     accuracies.push(fit.figures.accuracy);
///     Ok::<(), Error>(())
/// })?;
/// assert_eq!(accuracies, [1.0; 8]);
/// # Ok::<(), Error>(())
/// ```
pub fn compare<E: From<Error>>(
    data: &Labelled,
    fold_of_row: &[u32],
    settings: &[Settings],
    known: &[(u32, usize)],
    progress: &dyn Progress,
    mut tell: impl FnMut(Fit) -> Result<(), E>,
) -> Result<(), E> {
    let tell = |fit, _: &Training, _: &Labelled| tell(fit);
    fit_all(data, fold_of_row, settings, known, progress, tell)
}

/// The same, which also tells the model and the rows of its fold.
pub(super) fn fit_all<E: From<Error>>(
    data: &Labelled,
    fold_of_row: &[u32],
    settings: &[Settings],
    known: &[(u32, usize)],
    progress: &dyn Progress,
    mut tell: impl FnMut(Fit, &Training, &Labelled) -> Result<(), E>,
) -> Result<(), E> {
    check(data, fold_of_row)?;
    for settings in settings {
        settings.check()?;
    }
    for fold in fold_names(fold_of_row) {
        let is_absent = |&place: &usize| !known.contains(&(fold, place));
        let mut absent: Vec<usize> = (0..settings.len()).filter(is_absent).collect();
        if absent.is_empty() {
            continue;
        }
        let rows = 0..fold_of_row.len();
        let (test, train): (Vec<usize>, Vec<usize>) =
            rows.partition(|&row| fold_of_row[row] == fold);
        let (train, test) = (data.take(&train), data.take(&test));
        while let Some(&first) = absent.first() {
            let prepared = train.prepare(&settings[first], progress)?;
            let is_alike = |&place: &usize| {
                let (one, other) = (&settings[first], &settings[place]);
                one.prepares_like(other)
            };
            let (alike, others): (Vec<usize>, Vec<usize>) = absent.into_iter().partition(is_alike);
            absent = others;
            for place in alike {
                let training = prepared.learn(&settings[place].learn, progress)?;
                let evaluation = test.evaluate(&training.model)?;
                let fit = Fit {
                    fold,
                    settings: place,
                    figures: Figures::new(&training, &evaluation),
                };
                tell(fit, &training, &test)?;
            }
        }
    }
    Ok(())
}

/// Every row has a fold, and there are several.
fn check(data: &Labelled, fold_of_row: &[u32]) -> Result<()> {
    let (rows, folds) = (data.target.rows(), fold_of_row.len());
    let message = if folds != rows {
        format!("{folds} folds for {rows} rows")
    } else if fold_of_row.iter().all(|fold| *fold == fold_of_row[0]) {
        "all rows are in the same fold".to_owned()
    } else {
        return Ok(());
    };
    Err(Error::new(Code::InvalidFolds, message).help("give a whole number per row of the data"))
}
