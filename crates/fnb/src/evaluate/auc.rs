//! Area under the ROC curve, scores that agree to 10 digits as one block.

use super::rows::{Rows, Units};
use crate::math::decimal::round_to_10_digits;
use rayon::prelude::*;

/// `Σ_j (n_j/n)·AUC_j` over the classes of the rows; a class unseen in training has 0.5
/// (docs/method.md §8). It is not defined when no class of the model has both rows of its own and
/// others to compare them with.
///
/// ```
/// // The third row is of a class the model does not know (code 2).
/// let probabilities = [0.9, 0.1, 0.2, 0.8, 0.5, 0.5];
/// let auc = fnb::evaluate::auc(&probabilities, 2, &[0, 1, 2]);
/// assert_eq!(auc, Some((1.0 + 1.0 + 0.5) / 3.0));
/// assert_eq!(fnb::evaluate::auc(&probabilities, 2, &[0, 0, 0]), None);
/// ```
pub fn auc(probabilities: &[f64], classes: usize, actual: &[u32]) -> Option<f64> {
    mean(&Rows::new(probabilities, classes, actual))
}

pub(super) fn mean<U: Units>(rows: &Rows<U>) -> Option<f64> {
    let class_units = rows.class_units();
    let areas: Vec<Option<f64>> = (0..rows.classes)
        .into_par_iter()
        .map(|class| match class_units[class] {
            0 => None,
            units => of_class(rows, class).map(|area| units as f64 * area),
        })
        .collect();
    if areas.iter().all(Option::is_none) {
        return None;
    }
    let unseen: u64 = class_units[rows.classes..].iter().sum();
    let known: f64 = areas.iter().map(|area| area.unwrap_or(0.0)).sum();
    Some((known + 0.5 * unseen as f64) / rows.total() as f64)
}

/// Area under the ROC curve of one class against the rest: the share of pairs (row of the class,
/// other row) that its probability puts in the right order, ties counting for a half. It is not
/// defined when there is no such pair.
///
/// ```
/// // Class 1 has rows of probability 0.6 and 0.3, the others 0.3 and 0.1: 3½ of 4 pairs.
/// let probabilities = [0.4, 0.6, 0.7, 0.3, 0.7, 0.3, 0.9, 0.1];
/// let area = fnb::evaluate::class_auc(&probabilities, 2, &[1, 1, 0, 0], 1);
/// assert_eq!(area, Some(3.5 / 4.0));
/// ```
pub fn class_auc(
    probabilities: &[f64],
    classes: usize,
    actual: &[u32],
    class: usize,
) -> Option<f64> {
    of_class(&Rows::new(probabilities, classes, actual), class)
}

fn of_class<U: Units>(rows: &Rows<U>, class: usize) -> Option<f64> {
    let keys = rows.probabilities[class..]
        .iter()
        .step_by(rows.classes)
        .zip(rows.actual)
        .map(|(&probability, &actual)| sort_key(probability, actual as usize == class));
    if U::ONE == 1 {
        let mut keys: Vec<u64> = keys.collect();
        keys.sort_unstable();
        return area(&keys, |&key| key, |_| 1);
    }
    let keys = keys.enumerate().map(|(row, key)| (key, rows.units.of(row)));
    let mut keys: Vec<(u64, u64)> = keys.filter(|(_, units)| *units > 0).collect();
    keys.sort_unstable_by_key(|(key, _)| *key);
    area(&keys, |(key, _)| *key, |(_, units)| *units)
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
fn area<T>(rows: &[T], key: impl Fn(&T) -> u64, units: impl Fn(&T) -> u64) -> Option<f64> {
    let (mut pairs, mut all_positives, mut all_negatives) = (0_u128, 0_u64, 0_u64);
    for block in rows.chunk_by(|a, b| key(a) >> 1 == key(b) >> 1) {
        let (negative, positive) = block.split_at(block.partition_point(|row| key(row) & 1 == 0));
        let sum = |rows: &[T]| rows.iter().map(&units).sum::<u64>();
        let (negatives, positives) = (sum(negative), sum(positive));
        pairs += u128::from(positives) * (2 * u128::from(all_negatives) + u128::from(negatives));
        all_positives += positives;
        all_negatives += negatives;
    }
    let total = 2 * u128::from(all_positives) * u128::from(all_negatives);
    (total > 0).then(|| pairs as f64 / total as f64)
}
