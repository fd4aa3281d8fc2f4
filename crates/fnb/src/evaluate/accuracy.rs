//! Right and wrong predictions.

use super::BLOCK_ROWS;
use rayon::prelude::*;
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

/// The predicted class of every row.
pub(super) fn predicted_classes(probabilities: &[f64], classes: usize) -> Vec<u32> {
    let rows = probabilities.par_chunks_exact(classes);
    rows.with_min_len(BLOCK_ROWS)
        .map(|row| predicted_class(row) as u32)
        .collect()
}

/// Share of rows whose predicted class is the actual one.
pub(super) fn accuracy(predicted: &[u32], actual: &[u32]) -> f64 {
    let right = predicted.iter().zip(actual).filter(|(p, a)| p == a).count();
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
    pub(super) fn new(classes: &[String], predicted: &[u32], actual: &[u32]) -> Option<Self> {
        let j = classes.len();
        if j > MAX_CONFUSION_CLASSES {
            return None;
        }
        let mut counts = vec![0; j * j];
        for (&predicted, &actual) in predicted.iter().zip(actual) {
            if (actual as usize) < j {
                counts[predicted as usize * j + actual as usize] += 1;
            }
        }
        Some(Self {
            classes: classes.to_vec(),
            matrix: counts.chunks(j).map(<[u64]>::to_vec).collect(),
        })
    }
}
