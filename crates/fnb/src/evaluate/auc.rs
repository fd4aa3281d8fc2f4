//! Area under the ROC curve, scores that agree to 10 digits as one block.

use super::ranking::Ranking;
use super::rows::{Rows, Units};
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

fn mean<U: Units>(rows: &Rows<U>) -> Option<f64> {
    let class_units = rows.class_units();
    let areas = (0..rows.classes).into_par_iter().map(|class| {
        let has_rows = class_units[class] > 0;
        has_rows.then(|| of_class(rows, class)).flatten()
    });
    mean_of(&areas.collect::<Vec<_>>(), &class_units)
}

/// The mean of the areas of the classes of the model, by the units of each class.
pub(super) fn mean_of(areas: &[Option<f64>], class_units: &[u64]) -> Option<f64> {
    if areas.iter().all(Option::is_none) {
        return None;
    }
    let (known, unseen) = class_units.split_at(areas.len());
    let unseen: u64 = unseen.iter().sum();
    let areas = areas.iter().zip(known);
    let areas: f64 = areas
        .filter_map(|(area, &units)| Some(units as f64 * (*area)?))
        .sum();
    let total: u64 = class_units.iter().sum();
    Some((areas + 0.5 * unseen as f64) / total as f64)
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
    Ranking::of(rows, class).area()
}
