//! The criterion of the searches: likelihood plus λ times the prior, one weight changed at a time.

use super::penalty::{Constants, Penalty};
use super::rows::{Likelihood, RowState};
use super::{Candidate, CriterionValue};
use crate::columns::Target;
use crate::{Method, Preset, Settings};

/// The two definitions of the criterion.
#[derive(Debug, Clone, Copy)]
pub(super) struct Definition {
    pub(super) likelihood: Likelihood,
    pub(super) constants: Constants,
}

impl Definition {
    /// Khiops has its own likelihood and constants; they come with its search.
    pub(super) fn new(settings: &Settings, null_preparation_cost: f64) -> Self {
        if is_khiops(settings) {
            Self {
                likelihood: Likelihood::Smoothed,
                constants: Constants::Khiops {
                    null_preparation_cost,
                },
            }
        } else {
            Self {
                likelihood: Likelihood::Plain,
                constants: Constants::Published,
            }
        }
    }

    /// The prior of some weights, from scratch.
    pub(super) fn penalty(self, candidates: &[Candidate], exponent: f64) -> Penalty {
        let prior_costs = candidates.iter().map(|c| c.prior_cost).collect();
        Penalty::new(prior_costs, exponent, self.constants)
    }
}

/// Is the search of Khiops asked for, exactly?
pub(super) fn is_khiops(settings: &Settings) -> bool {
    settings.preset == Preset::Khiops && settings.method == Method::Fnb
}

/// A change of one weight and the criterion it would give.
#[derive(Debug, Clone, Copy)]
pub(super) struct Trial {
    candidate: usize,
    weight: f64,
    data: f64,
    pub(super) total: f64,
}

/// The criterion at the current weights.
#[derive(Debug)]
pub(super) struct Criterion<'a> {
    rows: RowState<'a>,
    penalty: Penalty,
    lambda: f64,
    weights: Vec<f64>,
    /// Number of changes evaluated on the rows.
    pub(super) trials: usize,
    /// Number of changes made.
    pub(super) accepted: usize,
}

impl<'a> Criterion<'a> {
    /// All weights zero.
    pub(super) fn new(
        candidates: &'a [Candidate<'a>],
        target: &'a Target,
        definition: Definition,
        settings: &Settings,
    ) -> Self {
        Self {
            rows: RowState::new(candidates, target, definition.likelihood),
            penalty: definition.penalty(candidates, settings.p),
            lambda: settings.lambda,
            weights: vec![0.0; candidates.len()],
            trials: 0,
            accepted: 0,
        }
    }

    pub(super) fn weights(&self) -> &[f64] {
        &self.weights
    }

    pub(super) fn into_weights(self) -> Vec<f64> {
        self.weights
    }

    pub(super) fn value(&self) -> CriterionValue {
        CriterionValue::new(self.rows.cost(), self.penalty.value(), self.lambda)
    }

    pub(super) fn total(&self) -> f64 {
        self.value().total
    }

    /// What the criterion would be with another weight for one candidate.
    pub(super) fn attempt(&mut self, candidate: usize, weight: f64) -> Trial {
        self.trials += 1;
        let from = self.weights[candidate];
        let data = self.rows.cost_after(candidate, weight - from);
        let prior = self.penalty.value_after(candidate, from, weight);
        Trial {
            candidate,
            weight,
            data,
            total: CriterionValue::new(data, prior, self.lambda).total,
        }
    }

    /// Makes the change that was attempted last.
    pub(super) fn accept(&mut self, trial: Trial) {
        self.accepted += 1;
        let from = self.weights[trial.candidate];
        self.rows
            .apply(trial.candidate, trial.weight - from, trial.data);
        self.penalty.apply(trial.candidate, from, trial.weight);
        self.weights[trial.candidate] = trial.weight;
    }

    /// Recomputes everything from the weights, which removes accumulated rounding.
    pub(super) fn restart(&mut self) {
        self.rows.restart(&self.weights);
        self.penalty.restart(&self.weights);
    }

    /// Derivatives of the likelihood with respect to the weights of some candidates.
    pub(super) fn gradients(&self, candidates: &[usize]) -> Vec<f64> {
        self.rows.gradients(candidates)
    }

    /// A lower bound of the change of the criterion, from a derivative of the likelihood: it is
    /// convex, so it lies above its tangent.
    pub(super) fn least_change(&self, candidate: usize, weight: f64, gradient: f64) -> f64 {
        let from = self.weights[candidate];
        let prior = self.penalty.value_after(candidate, from, weight) - self.penalty.value();
        gradient.mul_add(weight - from, self.lambda * prior)
    }
}
