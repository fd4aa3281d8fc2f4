//! Gradient steps of a length found by backtracking (docs/method.md §7.9).

use super::objectives::Objective;
use crate::weights::rows::RowState;
use crate::weights::settings::LearnSettings;
use crate::{Progress, Stage};

/// No weight moves by more than this at the first step.
const FIRST_MOVE: f64 = 0.25;
const SOFTEST: f64 = 1e-8;
const STIFFEST: f64 = 1e15;
/// Share of the value that rounding may hide.
const ROUNDING: f64 = 1e-9;
/// Iterations without progress before the universal gradient method stops.
const PATIENCE: usize = 10;

/// When a step is accepted, and when the descent ends.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Rule {
    /// The objective must lie below its quadratic model, hence decreases.
    Monotone,
    /// It may lie above by an absolute accuracy: steps are longer, the best point is kept.
    Universal { accuracy: f64 },
}

/// What a descent needs to know.
#[derive(Clone, Copy)]
pub(crate) struct Limits<'p> {
    pub(crate) epsilon: f64,
    pub(crate) tolerance: f64,
    pub(crate) iterations: usize,
    pub(crate) progress: &'p dyn Progress,
}

impl<'p> Limits<'p> {
    pub(crate) fn new(settings: &LearnSettings, progress: &'p dyn Progress) -> Self {
        Self {
            epsilon: settings.epsilon,
            tolerance: settings.tolerance,
            iterations: settings.max_iterations,
            progress,
        }
    }
}

/// Improves the weights step by step; `rows` must show them, and shows the result. Returns the
/// number of iterations.
pub(crate) fn descend(
    rows: &mut RowState,
    weights: &mut Vec<f64>,
    objective: &impl Objective,
    rule: Rule,
    limits: Limits,
) -> usize {
    let slack = match rule {
        Rule::Monotone => 0.0,
        Rule::Universal { accuracy } => 0.5 * accuracy,
    };
    let mut stiffness = None;
    let mut value = rows.cost() + objective.smooth(weights) + objective.other(weights);
    let mut best = (value, weights.clone());
    let (mut calm, mut straight, mut since_best) = (0, 0, 0);
    let mut iterations = 0;
    while iterations < limits.iterations {
        limits
            .progress
            .report(Stage::Weights, iterations, limits.iterations);
        if limits.progress.cancelled() {
            break;
        }
        let active: Vec<usize> = (0..weights.len())
            .filter(|&k| weights[k] > 0.0 || !objective.zeros_stay())
            .collect();
        let slopes = slopes(rows, weights, objective, &active);
        let smooth = rows.cost() + objective.smooth(weights);
        let stiffness = stiffness.get_or_insert_with(|| {
            let steepest = active.iter().zip(&slopes).map(|(&k, slope)| {
                let slope = slope + objective.pull(k, weights[k]);
                slope.abs()
            });
            (steepest.fold(0.0, f64::max) / FIRST_MOVE).max(1.0)
        });
        let mut tried = 0;
        let step = loop {
            let mut moved = weights.clone();
            for (&k, &slope) in active.iter().zip(&slopes) {
                moved[k] = objective.propose(k, weights[k], slope, *stiffness);
            }
            let step = Step::new(weights, moved, &active, &slopes);
            if step.length == 0.0 {
                break None;
            }
            rows.restart(&step.to);
            tried += 1;
            let reached = rows.cost() + objective.smooth(&step.to);
            let model = smooth + step.slope + 0.5 * *stiffness * step.length * step.length;
            if reached <= model + slack + ROUNDING * smooth.abs() {
                break Some((step, reached));
            }
            *stiffness *= 2.0;
            if *stiffness > STIFFEST {
                break None;
            }
        };
        let Some((step, reached)) = step else {
            rows.restart(weights);
            break;
        };
        iterations += 1;
        // Halving after each acceptance would make every other trial fail.
        straight = if tried == 1 { straight + 1 } else { 0 };
        if straight >= 2 || matches!(rule, Rule::Universal { .. }) {
            *stiffness = (*stiffness / 2.0).max(SOFTEST);
            straight = 0;
        }
        let before = value;
        value = reached + objective.other(&step.to);
        *weights = step.to;
        match rule {
            Rule::Monotone => {
                let norm = weights.iter().map(|w| w * w).sum::<f64>().sqrt();
                let short = step.length <= limits.epsilon * norm.max(1.0);
                let little = before - value <= limits.tolerance * value.abs();
                calm = if short && little { calm + 1 } else { 0 };
                if calm == 2 {
                    break;
                }
            }
            Rule::Universal { .. } => {
                since_best += 1;
                if value < best.0 - limits.tolerance * best.0.abs() {
                    since_best = 0;
                }
                if value < best.0 {
                    best = (value, weights.clone());
                }
                if since_best == PATIENCE {
                    break;
                }
            }
        }
    }
    if matches!(rule, Rule::Universal { .. }) && *weights != best.1 {
        *weights = best.1;
        rows.restart(weights);
    }
    iterations
}

/// Slopes of all smooth terms at some weights.
fn slopes(
    rows: &mut RowState,
    weights: &[f64],
    objective: &impl Objective,
    active: &[usize],
) -> Vec<f64> {
    let likelihood = rows.derivatives(active);
    let others = objective.smooth_gradients(weights, active);
    let both = likelihood.iter().zip(others);
    both.map(|(likelihood, other)| likelihood.gradient + other)
        .collect()
}

/// A step to other weights.
struct Step {
    to: Vec<f64>,
    length: f64,
    /// The change of the smooth terms along it, to first order.
    slope: f64,
}

impl Step {
    fn new(from: &[f64], to: Vec<f64>, active: &[usize], slopes: &[f64]) -> Self {
        let change = |k: usize| to[k] - from[k];
        let squares: f64 = active.iter().map(|&k| change(k) * change(k)).sum();
        let slope = active
            .iter()
            .zip(slopes)
            .map(|(&k, slope)| change(k) * slope)
            .sum();
        Self {
            length: squares.sqrt(),
            slope,
            to,
        }
    }
}
