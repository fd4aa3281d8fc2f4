//! Lift curve: the share of a class reached by the rows most likely to be of it.

use super::rows::{Rows, Units};
use crate::columns::RowWeights;

/// Number of points of a curve: every thousandth of the rows, ends included.
pub const LIFT_POINTS: usize = 1001;

/// Share of the rows of `class` among the first `i/1000` of the rows sorted by decreasing
/// probability, for i from 0 to 1000; rows of equal probability are one block, crossed in a
/// straight line (docs/method.md §8). All zeros if no row is of the class.
///
/// ```
/// let curve = fnb::evaluate::lift_curve(&[0.9, 0.1, 0.2, 0.8, 0.6, 0.4, 0.7, 0.3], 2, &[0, 1, 1, 0], 1);
/// assert_eq!((curve[250], curve[500], curve[125]), (0.5, 1.0, 0.25));
/// ```
pub fn lift_curve(probabilities: &[f64], classes: usize, actual: &[u32], class: usize) -> Vec<f64> {
    curve(&Rows::new(probabilities, classes, actual), class)
}

/// The same when rows have weights.
///
/// ```
/// use fnb::columns::RowWeights;
/// use fnb::evaluate::weighted_lift_curve;
/// let weights = RowWeights::new(&[3.0, 1.0])?;
/// let curve = weighted_lift_curve(&[0.2, 0.8, 0.9, 0.1], 2, &[0, 1], 1, &weights);
/// assert_eq!((curve[750], curve[1000]), (0.0, 1.0));
/// # Ok::<(), fnb::Error>(())
/// ```
pub fn weighted_lift_curve(
    probabilities: &[f64],
    classes: usize,
    actual: &[u32],
    class: usize,
    weights: &RowWeights,
) -> Vec<f64> {
    let rows = Rows::new(probabilities, classes, actual);
    curve(&rows.counted(weights), class)
}

fn curve<U: Units>(rows: &Rows<U>, class: usize) -> Vec<f64> {
    let mut sorted: Vec<(f64, u32, bool)> = rows.probabilities[class..]
        .iter()
        .step_by(rows.classes)
        .zip(rows.actual)
        .zip(0..)
        .map(|((&probability, &actual), row)| (probability, row, actual as usize == class))
        .filter(|(_, row, _)| rows.units.of(*row as usize) > 0)
        .collect();
    sorted.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
    let units = |rows_of_block: &[(f64, u32, bool)], of_class: bool| -> u64 {
        let rows_of_block = rows_of_block.iter().filter(|row| row.2 || !of_class);
        rows_of_block.map(|row| rows.units.of(row.1 as usize)).sum()
    };
    let (all, of_class) = (units(&sorted, false), units(&sorted, true));
    let mut curve = Vec::with_capacity(LIFT_POINTS);
    if of_class == 0 {
        curve.resize(LIFT_POINTS, 0.0);
        return curve;
    }
    let (mut start, mut reached) = (0.0, 0.0);
    for block in sorted.chunk_by(|a, b| a.0 == b.0) {
        let end = start + units(block, false) as f64;
        let gained = units(block, true) as f64;
        // Points up to the end of this block; the last block takes all that are left.
        while curve.len() < LIFT_POINTS {
            let x = curve.len() as f64 / (LIFT_POINTS - 1) as f64 * all as f64;
            if x > end {
                break;
            }
            let inside = (x - start) / (end - start);
            curve.push((reached + inside * gained) / of_class as f64);
        }
        (start, reached) = (end, reached + gained);
    }
    curve.resize(LIFT_POINTS, 1.0);
    curve
}
