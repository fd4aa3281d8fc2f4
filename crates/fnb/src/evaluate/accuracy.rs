//! Right and wrong predictions.

use super::BLOCK_ROWS;
use super::rows::{Rows, Units};
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
pub(super) fn accuracy<U: Units>(rows: &Rows<U>, predicted: &[u32]) -> f64 {
    let pairs = predicted.iter().zip(rows.actual).enumerate();
    let right = pairs.filter(|(_, (p, a))| p == a);
    let right = right.map(|(row, _)| rows.units.of(row));
    let right = rows.all.sum(|| vec![right.sum::<u64>()]);
    right[0] as f64 / rows.total() as f64
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
    pub(super) fn new<U: Units>(
        classes: &[String],
        rows: &Rows<U>,
        predicted: &[u32],
    ) -> Option<Self> {
        let j = classes.len();
        if j > MAX_CONFUSION_CLASSES {
            return None;
        }
        let counts = rows.all.sum(|| {
            let mut counts = vec![0_u64; j * j];
            for (row, (&predicted, &actual)) in predicted.iter().zip(rows.actual).enumerate() {
                if (actual as usize) < j {
                    counts[predicted as usize * j + actual as usize] += rows.units.of(row);
                }
            }
            counts
        });
        let counts: Vec<u64> = counts.into_iter().map(U::whole_rows).collect();
        Some(Self {
            classes: classes.to_vec(),
            matrix: counts.chunks(j).map(<[u64]>::to_vec).collect(),
        })
    }
}
