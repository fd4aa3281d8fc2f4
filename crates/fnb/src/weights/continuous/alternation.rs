//! Alternation between the two factors of the product that makes the criterion non-convex
//! (docs/method.md §7.9).

use super::descent::{Limits, Rule, descend};
use super::objectives::{Exact, Prices, RewardOnly};
use super::penalty::ContinuousPenalty;
use crate::weights::rows::RowState;

const ROUNDS: usize = 60;
const STEPS: usize = 5;

/// A few steps with the prices of the weights left out, then a few with the total weight held
/// constant, again and again. The best point is kept. Returns the number of steps.
pub(crate) fn alternate(
    rows: &mut RowState,
    weights: &mut Vec<f64>,
    penalty: &ContinuousPenalty,
    lambda: f64,
    limits: Limits,
) -> usize {
    let few = Limits {
        iterations: STEPS,
        ..limits
    };
    let value = |rows: &RowState, weights: &[f64]| rows.cost() + lambda * penalty.value_of(weights);
    let mut last = value(rows, weights);
    let mut best = (last, weights.clone());
    let mut steps = 0;
    for _ in 0..ROUNDS.min(limits.iterations) {
        if limits.progress.cancelled() {
            break;
        }
        let before = weights.clone();
        let mut current = penalty.clone();
        current.restart(weights);
        let reward = RewardOnly {
            factor: lambda * current.total_curve(),
        };
        steps += descend(rows, weights, &reward, Rule::Monotone, few);
        let prices = Prices::new(penalty, lambda, weights);
        steps += descend(rows, weights, &Exact(&prices), Rule::Monotone, few);
        let total = value(rows, weights);
        if total < best.0 {
            best = (total, weights.clone());
        }
        let moved = weights.iter().zip(&before).map(|(a, b)| (a - b) * (a - b));
        let moved = moved.sum::<f64>().sqrt();
        if moved <= limits.epsilon && (last - total).abs() <= limits.tolerance * total.abs() {
            break;
        }
        last = total;
    }
    *weights = best.1;
    rows.restart(weights);
    steps
}
