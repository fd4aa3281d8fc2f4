//! Probabilities + actual classes → figures of quality, one measure per file.
//!
//! Every measure takes the probabilities row by row (`rows × classes`, the classes in the model's
//! order) and the actual class of every row as a code. **A code beyond the model's classes is a
//! class unseen in training**, each such class with a code of its own; [`actual_classes`] makes
//! these codes. The rules are those of docs/method.md §8.

mod accuracy;
mod auc;
mod brier;
mod calibration;
mod cross_validation;
mod folds;
mod lift;
mod log_loss;

pub use accuracy::{Confusion, MAX_CONFUSION_CLASSES, predicted_class};
pub use auc::{auc, class_auc};
pub use brier::brier;
pub use calibration::{CalibrationBin, calibration_error, class_calibration};
pub use cross_validation::{CrossValidation, Scores, mean_and_spread};
pub use folds::{folds, holdout};
pub use lift::{LIFT_POINTS, lift_curve};
pub use log_loss::{compression, log_loss};

use crate::columns::Target;
use crate::math::order_free_sum::OrderFreeSum;
use crate::{Code, Error, Result};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Rows handled together by a thread.
pub(crate) const BLOCK_ROWS: usize = 4096;

/// How good predictions are, in figures small enough to be kept in a model. Curves are made on
/// demand: [`lift_curve`], [`class_calibration`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evaluation {
    /// Number of rows evaluated.
    pub rows: u64,
    /// Share of rows whose predicted class is right.
    pub accuracy: f64,
    /// Area under the ROC curve, one class against the rest, averaged by class frequency.
    pub auc: f64,
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
    /// assert_eq!(evaluation.auc, 1.0); // every "yes" is above every "no"
    /// assert_eq!(evaluation.confusion.unwrap().matrix, [[1, 1], [0, 1]]);
    /// # Ok::<(), fnb::Error>(())
    /// ```
    pub fn new(classes: &[String], probabilities: &[f64], actual: &[u32]) -> Result<Self> {
        if actual.is_empty() {
            return Err(Error::new(Code::NoRows, "there is no row to evaluate"));
        }
        assert_eq!(
            probabilities.len(),
            classes.len() * actual.len(),
            "a probability per row and class"
        );
        let j = classes.len();
        let log_loss = log_loss(probabilities, j, actual);
        let predicted = accuracy::predicted_classes(probabilities, j);
        let calibration = calibration::of_predicted_class(probabilities, j, &predicted, actual);
        let counts = class_counts(j, actual);
        Ok(Self {
            rows: actual.len() as u64,
            accuracy: accuracy::accuracy(&predicted, actual),
            auc: auc(probabilities, j, actual),
            compression: compression(log_loss, &counts),
            log_loss,
            brier: brier(probabilities, j, actual),
            calibration_error: calibration_error(&calibration),
            calibration,
            confusion: Confusion::new(classes, &predicted, actual),
            unseen_class_rows: counts[j..].iter().sum(),
        })
    }
}

/// Rows of each class: the model's classes first, then those unseen in training.
fn class_counts(classes: usize, actual: &[u32]) -> Vec<u64> {
    let mut counts = vec![0; classes];
    for &class in actual {
        let class = class as usize;
        if class >= counts.len() {
            counts.resize(class + 1, 0);
        }
        counts[class] += 1;
    }
    counts
}

/// The classes of a target as codes of a model: the position in `classes`, or beyond it for the
/// classes that the model has not seen.
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
    let mut next_unseen = classes.len() as u32;
    let code_of = |class: &String| {
        classes.binary_search(class).map_or_else(
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

/// Mean over the rows of a value of each row: the same bits for any number of threads and any order
/// of the rows.
fn mean_of_rows(
    probabilities: &[f64],
    classes: usize,
    actual: &[u32],
    value: impl Fn(&[f64], u32) -> f64 + Sync,
) -> f64 {
    let sums: Vec<OrderFreeSum> = probabilities
        .par_chunks(BLOCK_ROWS * classes)
        .zip(actual.par_chunks(BLOCK_ROWS))
        .map(|(probabilities, actual)| {
            let mut sum = OrderFreeSum::default();
            for (row, &class) in probabilities.chunks_exact(classes).zip(actual) {
                sum.add(value(row, class));
            }
            sum
        })
        .collect();
    let mut total = OrderFreeSum::default();
    for sum in sums {
        total.merge(sum);
    }
    total.total() / actual.len() as f64
}
