//! Right and wrong predictions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Beyond this many classes the confusion matrix is not kept: nobody reads it, and it grows with
/// the square.
pub const MAX_CONFUSION_CLASSES: usize = 100;

/// The class of largest probability, the first one on ties.
///
/// ```
/// assert_eq!(fnb::evaluate::predicted_class(&[0.2, 0.4, 0.4]), 1);
/// ```
#[inline]
pub fn predicted_class(probabilities: &[f64]) -> usize {
    let mut best = 0;
    for (class, &probability) in probabilities.iter().enumerate() {
        if probability > probabilities[best] {
            best = class;
        }
    }
    best
}

/// Share of rows whose predicted class is the actual one.
pub(super) fn accuracy(probabilities: &[f64], classes: usize, actual: &[u32]) -> f64 {
    let right = probabilities
        .chunks_exact(classes)
        .zip(actual)
        .filter(|(row, class)| predicted_class(row) == **class as usize)
        .count();
    right as f64 / actual.len() as f64
}

/// Rows by predicted and actual class. Rows of a class unseen in training are not in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Confusion {
    /// The classes in class order.
    pub classes: Vec<String>,
    /// `matrix[predicted][actual]`.
    pub matrix: Vec<Vec<u64>>,
}

impl Confusion {
    /// Counts; `None` beyond [`MAX_CONFUSION_CLASSES`].
    pub(super) fn new(classes: &[String], probabilities: &[f64], actual: &[u32]) -> Option<Self> {
        let j = classes.len();
        if j > MAX_CONFUSION_CLASSES {
            return None;
        }
        let mut matrix = vec![vec![0; j]; j];
        for (row, &class) in probabilities.chunks_exact(j).zip(actual) {
            if let Some(count) = matrix[predicted_class(row)].get_mut(class as usize) {
                *count += 1;
            }
        }
        let classes = classes.to_vec();
        Some(Self { classes, matrix })
    }
}
