//! Methods that move all weights at once: the eight of the article (docs/method.md §7.9).

mod alternation;
mod concave;
mod conditional;
mod descent;
mod objectives;
mod penalty;
mod start;
#[cfg(test)]
mod tests;

pub(crate) use concave::Concave;
pub(crate) use penalty::ContinuousPenalty;
pub(crate) use start::{half, norm};

use super::rows::RowState;
use super::{Candidate, StageEffort, stage};
use crate::Progress;
use crate::weights::settings::{LearnSettings, Method};
use descent::{Limits, Rule, descend};
use objectives::{Exact, Linearised, Prices, Relaxed, Whole};

/// Accuracy of the universal and the conditional gradient, as a share of the null criterion.
const ACCURACY: f64 = 1e-3;

/// Runs one of the eight methods from given weights, which `rows` need not show yet.
pub(crate) fn optimise(
    rows: &mut RowState,
    candidates: &[Candidate],
    settings: &LearnSettings,
    null_cost: f64,
    mut weights: Vec<f64>,
    progress: &dyn Progress,
    stages: &mut Vec<StageEffort>,
) -> Vec<f64> {
    let penalty = ContinuousPenalty::new(candidates, settings);
    let lambda = settings.lambda;
    let limits = Limits::new(settings, progress);
    rows.restart(&weights);
    if settings.method == Method::Sg {
        let whole = Whole {
            penalty: &penalty,
            lambda,
        };
        return stage(stages, "descent", rows, |rows| {
            let steps = descend(rows, &mut weights, &whole, Rule::Monotone, limits);
            (steps, weights)
        });
    }
    if settings.method == Method::Am {
        return stage(stages, "alternation", rows, |rows| {
            let steps = alternation::alternate(rows, &mut weights, &penalty, lambda, limits);
            (steps, weights)
        });
    }
    let prices = Prices::new(&penalty, lambda, &weights);
    let mut weights = stage(stages, "relaxation", rows, |rows| {
        let accuracy = ACCURACY * null_cost;
        let steps = relax(
            rows,
            &prices,
            settings.method,
            accuracy,
            &mut weights,
            limits,
        );
        (steps, weights)
    });
    let prices = Prices::new(&penalty, lambda, &weights);
    stage(stages, "local", rows, |rows| {
        let steps = match settings.method {
            Method::SgCf | Method::UgCf | Method::CgCf => {
                descend(rows, &mut weights, &Exact(&prices), Rule::Monotone, limits)
            }
            _ => descend(
                rows,
                &mut weights,
                &Linearised(&prices),
                Rule::Monotone,
                limits,
            ),
        };
        (steps, weights)
    })
}

/// The first stage: the convex relaxation, for the total weight of the start.
fn relax(
    rows: &mut RowState,
    prices: &Prices,
    method: Method,
    accuracy: f64,
    weights: &mut Vec<f64>,
    limits: Limits,
) -> usize {
    match method {
        Method::CgCf | Method::CgUe => {
            conditional::descend(rows, weights, prices, accuracy, limits)
        }
        Method::UgCf | Method::UgUe => {
            let rule = Rule::Universal { accuracy };
            descend(rows, weights, &Relaxed(prices), rule, limits)
        }
        _ => descend(rows, weights, &Relaxed(prices), Rule::Monotone, limits),
    }
}
