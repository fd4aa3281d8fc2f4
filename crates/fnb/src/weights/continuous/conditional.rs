//! The conditional gradient method on the convex relaxation (docs/method.md §7.9).

use super::descent::Limits;
use super::objectives::Prices;
use crate::weights::rows::RowState;

/// Halvings of the interval that holds the best step.
const HALVINGS: usize = 12;

/// Goes towards the corner of the box that the gradient points to, as far as the objective
/// decreases. Stops when the gap, an upper bound of what can still be gained, is at most `accuracy`.
/// Weights decay without ever reaching zero.
pub(crate) fn descend(
    rows: &mut RowState,
    weights: &mut [f64],
    prices: &Prices,
    accuracy: f64,
    limits: Limits,
) -> usize {
    let all: Vec<usize> = (0..weights.len()).collect();
    let mut scores = rows.scores(weights);
    let mut iterations = 0;
    while iterations < limits.iterations && !limits.progress.cancelled() {
        let gradients = rows.derivatives(&all);
        let mut gap = 0.0;
        let mut price = 0.0;
        let mut changes = vec![0.0; weights.len()];
        for (k, derivatives) in gradients.iter().enumerate() {
            let gradient = derivatives.gradient + prices.of(k);
            let corner = if gradient < 0.0 { 1.0 } else { 0.0 };
            changes[k] = corner - weights[k];
            gap -= gradient * changes[k];
            price += prices.of(k) * changes[k];
        }
        if gap <= accuracy {
            break;
        }
        // Scores are affine in the length of the step: no pass over the variables to find it.
        let direction = rows.direction(&changes);
        let slope = |step: f64| rows.slope(&scores, &direction, &changes, step) + price;
        let (mut low, mut high) = (0.0, 1.0);
        if slope(1.0) <= 0.0 {
            low = 1.0;
        } else {
            for _ in 0..HALVINGS {
                let middle = 0.5 * (low + high);
                if slope(middle) < 0.0 {
                    low = middle;
                } else {
                    high = middle;
                }
            }
        }
        let step: f64 = if low == 0.0 { 0.5 * high } else { low };
        for (weight, change) in weights.iter_mut().zip(&changes) {
            *weight = step.mul_add(*change, *weight).clamp(0.0, 1.0);
        }
        scores.step(&direction, step);
        rows.set_scores(scores.clone());
        iterations += 1;
    }
    rows.restart(weights);
    iterations
}
