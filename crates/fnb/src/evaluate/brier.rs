//! Squared error of probabilities.

use super::rows::{Rows, Units};

/// Mean over the rows of `Σ_j (P_j − [actual class is j])²`, halved for two classes so that it is
/// the usual `(P − y)²` there. A row of a class unseen in training adds 1 for that class.
///
/// ```
/// assert!((fnb::evaluate::brier(&[0.8, 0.2], 2, &[0]) - 0.04).abs() < 1e-12);
/// ```
pub fn brier(probabilities: &[f64], classes: usize, actual: &[u32]) -> f64 {
    mean(&Rows::new(probabilities, classes, actual))
}

pub(super) fn mean<U: Units>(rows: &Rows<U>) -> f64 {
    let mean = rows.mean(|row, class| {
        match row.get(class as usize) {
            // Σ p² + (1 − p_y)² − p_y², in one pass without a test per class.
            Some(p) => squares(row) + 1.0 - 2.0 * p,
            None => squares(row) + 1.0,
        }
    });
    if rows.classes == 2 { mean / 2.0 } else { mean }
}

fn squares(row: &[f64]) -> f64 {
    row.iter().map(|p| p * p).sum()
}
