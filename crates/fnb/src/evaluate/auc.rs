//! Area under the ROC curve, scores that agree to 10 digits as one block.

use super::class_counts;
use crate::math::decimal::round_to_10_digits;
use rayon::prelude::*;

/// `Σ_j (n_j/n)·AUC_j` over the classes of the rows; a class unseen in training has 0.5
/// (docs/method.md §8).
///
/// ```
/// // The third row is of a class the model does not know (code 2).
/// let probabilities = [0.9, 0.1, 0.2, 0.8, 0.5, 0.5];
/// assert_eq!(fnb::evaluate::auc(&probabilities, 2, &[0, 1, 2]), (1.0 + 1.0 + 0.5) / 3.0);
/// ```
pub fn auc(probabilities: &[f64], classes: usize, actual: &[u32]) -> f64 {
    let counts = class_counts(classes, actual);
    let areas: Vec<f64> = (0..classes)
        .into_par_iter()
        .map(|class| match counts[class] {
            0 => 0.0,
            count => count as f64 * class_auc(probabilities, classes, actual, class),
        })
        .collect();
    let unseen: u64 = counts[classes..].iter().sum();
    (areas.iter().sum::<f64>() + 0.5 * unseen as f64) / actual.len() as f64
}

/// Area under the ROC curve of one class against the rest: the share of pairs (row of the class,
/// other row) that its probability puts in the right order, ties counting for a half. It is 1 when
/// there is no such pair.
///
/// ```
/// // Class 1 has rows of probability 0.6 and 0.3, the others 0.3 and 0.1: 3½ of 4 pairs.
/// let probabilities = [0.4, 0.6, 0.7, 0.3, 0.7, 0.3, 0.9, 0.1];
/// assert_eq!(fnb::evaluate::class_auc(&probabilities, 2, &[1, 1, 0, 0], 1), 3.5 / 4.0);
/// ```
pub fn class_auc(probabilities: &[f64], classes: usize, actual: &[u32], class: usize) -> f64 {
    let mut keys: Vec<u64> = probabilities[class..]
        .iter()
        .step_by(classes)
        .zip(actual)
        .map(|(&probability, &actual)| sort_key(probability, actual as usize == class))
        .collect();
    keys.sort_unstable();
    area(&keys)
}

/// The probability to 10 digits, so that rows that score the same but for rounding errors tie, then
/// whether the row is of the class. The two high bits of a number from 0 to
/// 1 are 0, so nothing is lost, and such numbers sort like their bits.
#[inline]
fn sort_key(probability: f64, of_class: bool) -> u64 {
    (round_to_10_digits(probability).to_bits() << 1) | u64::from(of_class)
}

/// Sum over the blocks of equal probability, in increasing order, of
/// `positives · (2 · negatives below + negatives in the block)`: integers, so exact.
fn area(keys: &[u64]) -> f64 {
    let (mut pairs, mut all_positives, mut all_negatives) = (0_u128, 0_u64, 0_u64);
    for block in keys.chunk_by(|a, b| a >> 1 == b >> 1) {
        let negatives = block.partition_point(|key| key & 1 == 0) as u64;
        let positives = block.len() as u64 - negatives;
        pairs += u128::from(positives) * u128::from(2 * all_negatives + negatives);
        all_positives += positives;
        all_negatives += negatives;
    }
    let total = 2 * u128::from(all_positives) * u128::from(all_negatives);
    if total == 0 {
        1.0
    } else {
        pairs as f64 / total as f64
    }
}
