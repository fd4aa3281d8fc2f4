//! Fractional naive Bayes, the most promising candidate first: no seed, and fewer trials.

use super::criterion::Criterion;
use super::fnb::{LEAST_GAIN, improve, schedule};
use crate::{Progress, Stage};

/// Before each pass, the derivatives of the likelihood with respect to all weights give a lower
/// bound of what each change can gain. Candidates are visited from the best bound on, and those
/// whose bound promises nothing are not tried. Derivatives are not refreshed inside a pass.
pub(super) fn search(criterion: &mut Criterion, rows: usize, progress: &dyn Progress) {
    let n = criterion.weights().len();
    let (increments, rounds) = schedule(rows, n);
    let mut increment = 1.0;
    let increments = increments + 1;
    for done in 0..increments {
        progress.report(Stage::Weights, done, increments);
        criterion.restart();
        for _ in 0..rounds {
            let before = criterion.accepted;
            pass(criterion, increment);
            pass(criterion, -increment);
            if criterion.accepted == before {
                break;
            }
        }
        increment /= 2.0;
    }
    progress.report(Stage::Weights, increments, increments);
}

/// Tries one change of each weight that can change.
fn pass(criterion: &mut Criterion, change: f64) {
    let moved = |weight: f64| (weight + change).clamp(0.0, 1.0);
    let movable: Vec<usize> = (0..criterion.weights().len())
        .filter(|&k| moved(criterion.weights()[k]) != criterion.weights()[k])
        .collect();
    let gradients = criterion.gradients(&movable);
    let mut promises: Vec<(f64, f64, usize)> = movable
        .into_iter()
        .zip(gradients)
        .map(|(k, gradient)| {
            let weight = moved(criterion.weights()[k]);
            (criterion.least_change(k, weight, gradient), gradient, k)
        })
        .collect();
    promises.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.2.cmp(&b.2)));
    for (_, gradient, k) in promises {
        let weight = moved(criterion.weights()[k]);
        if criterion.least_change(k, weight, gradient) < 0.0 {
            let least = -LEAST_GAIN * criterion.total().abs();
            improve(criterion, k, weight, least);
        }
    }
}
