//! Probabilities + actual classes → figures of quality, one measure per file.
//!
//! Every measure takes the probabilities row by row (`rows × classes`, the classes in the model's
//! order) and the actual class of every row as a code. **A code beyond the model's classes is a
//! class unseen in training**, each such class with a code of its own; [`actual_classes`] makes
//! these codes. The rules are those of docs/method.md §8. Rows may have weights: a row then counts
//! as often as its weight says, and numbers of rows are rounded to whole ones.

mod accuracy;
mod auc;
mod brier;
mod calibration;
mod cross_validation;
mod figures;
mod folds;
mod intervals;
mod lift;
mod log_loss;
mod ranking;
mod rows;
mod score_blocks;

pub use accuracy::{Confusion, MAX_CONFUSION_CLASSES, predicted_class};
pub use auc::{auc, class_auc};
pub use brier::brier;
pub use calibration::{CalibrationBin, calibration_error, class_calibration};
pub use cross_validation::{CrossValidation, Scores};
pub use figures::mean_and_sd;
pub(crate) use figures::{Figure, figures};
pub use folds::{fold_names, folds, holdout};
pub use intervals::{Intervals, share_interval};
pub use lift::{LIFT_POINTS, lift_curve, weighted_lift_curve};
pub use log_loss::{compression, log_loss};
pub use score_blocks::{ClassScores, MAX_BLOCK_CLASSES, ScoreBlock};

use crate::columns::places::AllRows;
use crate::columns::{RowWeights, Spelling, Target, Task};
use crate::{Code, Error, Result};
use intervals::{auc_interval, mean_interval};
use rows::{Rows, Units};
use schemars::JsonSchema;
use score_blocks::class_scores;
use serde::{Deserialize, Serialize};

/// Rows handled together by a thread.
const BLOCK_ROWS: usize = 4096;

/// How good predictions are, in figures small enough to be kept in a model. Curves are made on
/// demand: [`lift_curve`], [`class_calibration`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evaluation {
    /// The task, which says what follows.
    pub task: Task,
    /// Number of rows evaluated.
    pub rows: u64,
    /// Share of rows whose predicted class is right.
    pub accuracy: f64,
    /// Area under the ROC curve, one class against the rest, averaged by class frequency; not
    /// defined when there are no two classes to compare.
    #[serde(default)]
    pub auc: Option<f64>,
    /// Share of the class entropy that the probabilities explain.
    pub compression: f64,
    /// Mean of −ln(probability of the actual class), probabilities below 1e-6 counted as 1e-6.
    pub log_loss: f64,
    /// Mean squared error of the probabilities.
    pub brier: f64,
    /// Probability of the predicted class against the share of right predictions.
    pub calibration: Vec<CalibrationBin>,
    /// Mean absolute gap between the two, weighted by rows.
    pub calibration_error: f64,
    /// Predicted against actual classes; absent beyond [`MAX_CONFUSION_CLASSES`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confusion: Option<Confusion>,
    /// Rows of classes that were not seen in training.
    pub unseen_class_rows: u64,
    /// How far some of these figures may be from the truth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intervals: Option<Intervals>,
    /// The rows by the probability of each class; none beyond [`MAX_BLOCK_CLASSES`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scores: Vec<ClassScores>,
}

impl Evaluation {
    /// Evaluates `probabilities` (`rows × classes`) against the actual classes.
    ///
    /// ```
    /// use fnb::evaluate::Evaluation;
    /// let classes = ["no".to_string(), "yes".to_string()];
    /// let probabilities = [0.9, 0.1, 0.4, 0.6, 0.7, 0.3];
    /// let evaluation = Evaluation::new(&classes, &probabilities, &[0, 1, 1])?;
    /// assert_eq!(evaluation.accuracy, 2.0 / 3.0);
    /// assert_eq!(evaluation.auc, Some(1.0)); // every "yes" is above every "no"
    /// assert_eq!(evaluation.confusion.unwrap().matrix, [[1, 1], [0, 1]]);
    /// # Ok::<(), fnb::Error>(())
    /// ```
    pub fn new(classes: &[String], probabilities: &[f64], actual: &[u32]) -> Result<Self> {
        Self::weighted(classes, probabilities, actual, None)
    }

    /// The same with weights of the rows, if there are any.
    ///
    /// ```
    /// use fnb::columns::RowWeights;
    /// use fnb::evaluate::Evaluation;
    /// let classes = ["no".to_string(), "yes".to_string()];
    /// let weights = RowWeights::new(&[1.0, 3.0])?;
    /// let probabilities = [0.9, 0.1, 0.8, 0.2];
    /// let evaluation = Evaluation::weighted(&classes, &probabilities, &[0, 1], Some(&weights))?;
    /// assert_eq!((evaluation.rows, evaluation.accuracy), (4, 0.25));
    /// # Ok::<(), fnb::Error>(())
    /// ```
    pub fn weighted(
        classes: &[String],
        probabilities: &[f64],
        actual: &[u32],
        weights: Option<&RowWeights>,
    ) -> Result<Self> {
        Self::of_table(classes, probabilities, actual, weights, AllRows::default())
    }

    /// The same of all rows, some of which are here.
    pub(crate) fn of_table(
        classes: &[String],
        probabilities: &[f64],
        actual: &[u32],
        weights: Option<&RowWeights>,
        all: AllRows,
    ) -> Result<Self> {
        assert_eq!(
            probabilities.len(),
            classes.len() * actual.len(),
            "a probability per row and class"
        );
        let rows = Rows {
            all,
            ..Rows::new(probabilities, classes.len(), actual)
        };
        let Some(weights) = weights else {
            return Self::of(classes, &rows);
        };
        assert_eq!(weights.len(), actual.len(), "a weight per row");
        Self::of(classes, &rows.counted(weights))
    }

    fn of<U: Units>(classes: &[String], rows: &Rows<U>) -> Result<Self> {
        let total = rows.total();
        if total == 0 {
            let error = Error::new(Code::NoRows, "there is no row to evaluate");
            return Err(match rows.actual.len() {
                0 => error,
                n => error.help(format!("there are {n} rows of weight 0")),
            });
        }
        let log_loss = log_loss::mean(rows);
        let predicted = accuracy::predicted_classes(rows.probabilities, rows.classes);
        let (calibration, calibration_error) = calibration::of_predicted_class(rows, &predicted);
        let class_units = rows.class_units();
        let unseen: u64 = class_units[classes.len()..].iter().sum();
        let (scores, auc) = class_scores(classes, rows, &class_units);
        let accuracy = accuracy::accuracy(rows, &predicted);
        let mean_square = log_loss::mean_square(rows);
        let number_of_rows = |units: u64| units as f64 / U::ONE as f64;
        let n = number_of_rows(total);
        let loss = mean_interval(log_loss, mean_square, n);
        let compression = |log_loss| log_loss::unrounded_compression(log_loss, &class_units);
        let intervals = Intervals {
            accuracy: share_interval(accuracy, n),
            auc: auc.map(|auc| {
                let known = class_units[..classes.len()].iter();
                let class_rows: Vec<f64> = known.map(|&units| number_of_rows(units)).collect();
                auc_interval(auc, &class_rows, n)
            }),
            compression: [compression(loss[1]), compression(loss[0])],
            log_loss: loss,
        };
        Ok(Self {
            task: Task::Classification,
            rows: U::whole_rows(total),
            accuracy,
            auc,
            compression: log_loss::compression_of::<U>(log_loss, &class_units),
            log_loss,
            brier: brier::mean(rows),
            calibration_error,
            calibration,
            confusion: Confusion::new(classes, rows, &predicted),
            unseen_class_rows: U::whole_rows(unseen),
            intervals: Some(intervals),
            scores,
        })
    }
}

/// The classes of a target as codes of a model: the position in `classes`, or beyond it for the
/// classes that the model has not seen. Truth values and whole numbers may be written otherwise than in
/// training: see [`Spelling`].
///
/// ```
/// use fnb::columns::{Column, ColumnData, Target};
/// use fnb::evaluate::actual_classes;
/// let data = ColumnData::Categorical([Some("b"), Some("new"), Some("a")].into_iter().collect());
/// let target = Target::from_column(&Column { name: "y".into(), data })?;
/// assert_eq!(actual_classes(&["a".into(), "b".into()], &target), [1, 2, 0]);
/// # Ok::<(), fnb::Error>(())
/// ```
pub fn actual_classes(classes: &[String], target: &Target) -> Vec<u32> {
    // A missing class is the empty text.
    let names = classes.iter().map(String::as_str);
    let spelling = Spelling::of(names.filter(|class| !class.is_empty()));
    let mut next_unseen = classes.len() as u32;
    let code_of = |class: &String| {
        let spelt = spelling.and_then(|spelling| spelling.spell(class));
        let class = spelt.as_deref().unwrap_or(class);
        let found = classes.binary_search_by(|known| known.as_str().cmp(class));
        found.map_or_else(
            |_| {
                next_unseen += 1;
                next_unseen - 1
            },
            |position| position as u32,
        )
    };
    let code_of: Vec<u32> = target.classes().iter().map(code_of).collect();
    target
        .codes()
        .iter()
        .map(|&code| code_of[code as usize])
        .collect()
}
