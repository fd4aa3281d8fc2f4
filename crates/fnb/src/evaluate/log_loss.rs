//! Logarithmic loss and compression.

use super::rows::{Once, Rows, Units};

/// Smallest probability that is distinguished from 0.
const LEAST_PROBABILITY: f64 = 1e-6;

/// Mean of `−ln clip(P(actual class), 1e-6, 1)`; a class unseen in training has probability 0
/// (docs/method.md §8).
///
/// ```
/// let loss = fnb::evaluate::log_loss(&[0.25, 0.75, 1.0, 0.0], 2, &[1, 0]);
/// assert!((loss + 0.75_f64.ln() / 2.0).abs() < 1e-12);
/// ```
pub fn log_loss(probabilities: &[f64], classes: usize, actual: &[u32]) -> f64 {
    mean(&Rows::new(probabilities, classes, actual))
}

pub(super) fn mean<U: Units>(rows: &Rows<U>) -> f64 {
    rows.mean(loss)
}

/// Mean of the squares of the losses.
pub(super) fn mean_square<U: Units>(rows: &Rows<U>) -> f64 {
    rows.mean(|row, class| loss(row, class).powi(2))
}

fn loss(row: &[f64], class: u32) -> f64 {
    let probability = row.get(class as usize).copied().unwrap_or(0.0);
    -probability.clamp(LEAST_PROBABILITY, 1.0).ln()
}

/// `1 − log loss / H` with H the entropy of the evaluated classes, `counts` rows each; 0 if there
/// is no entropy, or if the value is below `H/n` and so without meaning (docs/method.md §8).
///
/// ```
/// use fnb::evaluate::compression;
/// assert_eq!(compression(0.5_f64.ln().abs() / 4.0, &[50, 50]), 0.75);
/// assert_eq!(compression(0.1, &[100, 0]), 0.0);
/// ```
pub fn compression(log_loss: f64, counts: &[u64]) -> f64 {
    compression_of::<Once>(log_loss, counts)
}

/// The same from the units of each class.
pub(super) fn compression_of<U: Units>(log_loss: f64, class_units: &[u64]) -> f64 {
    let n = class_units.iter().sum::<u64>() as f64 / U::ONE as f64;
    let value = unrounded_compression(log_loss, class_units);
    if value.abs() < entropy(class_units) / n {
        0.0
    } else {
        value
    }
}

/// The same however small; 0 if there is no entropy.
pub(super) fn unrounded_compression(log_loss: f64, class_units: &[u64]) -> f64 {
    let entropy = entropy(class_units);
    if entropy <= 0.0 {
        return 0.0;
    }
    1.0 - log_loss / entropy
}

fn entropy(class_units: &[u64]) -> f64 {
    let total = class_units.iter().sum::<u64>() as f64;
    class_units
        .iter()
        .filter(|units| **units > 0)
        .map(|&units| units as f64 / total)
        .map(|share| -share * share.ln())
        .sum()
}
