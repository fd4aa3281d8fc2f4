//! The factors of all tables together: each in turn takes a step that never makes the whole worse
//! (docs/method.md §12.6).

use super::criterion::{best_agreement, free_share};
use super::posteriors::{Cells, Masses, Posteriors};
use super::surface::Basis;
use crate::terms::PartCodes;
use std::borrow::Cow;

/// A table under estimation.
#[derive(Debug, Clone)]
pub(super) struct Table<'a> {
    /// The cell of every row.
    pub(super) codes: Cow<'a, PartCodes>,
    pub(super) cells: usize,
    /// Rows by cell, then outcome.
    pub(super) observed: Vec<f64>,
    /// `T`: the log factors, by cell, then outcome.
    pub(super) logs: Vec<f64>,
    pub(super) shape: Shape,
}

/// How the factors of the cells hang together.
#[derive(Debug, Clone)]
pub(super) enum Shape {
    /// Each is on its own, with so many imaginary rows that agree with the rest of the model.
    Free { alpha: f64 },
    /// They are a surface.
    Smooth {
        basis: Basis,
        agreement: f64,
        coefficients: Vec<f64>,
        /// How many coefficients the rows decide on; 0 before the first step.
        freedom: f64,
    },
}

/// A step of a table.
struct Step {
    logs: Vec<f64>,
    /// What it changes of the penalty, and of `Σ O · D`.
    penalty: f64,
    observed: f64,
    /// Those of a surface, and how many the rows decide on.
    coefficients: Option<(Vec<f64>, f64)>,
}

impl Step {
    /// The change of the criterion, given `Σ ln Σ π e^D`.
    fn change(&self, log_sums: f64) -> f64 {
        log_sums - self.observed + self.penalty
    }
}

/// Steps of a surface after the first go beyond Newton's: surfaces that share what they tell get there in
/// a third of the sweeps.
const BEYOND: f64 = 1.6;
/// Times a step of a surface is halved before it is given up.
const HALVINGS: usize = 8;

impl<'a> Table<'a> {
    pub(super) fn new(
        codes: Cow<'a, PartCodes>,
        cells: usize,
        posteriors: &Posteriors,
        shape: Shape,
    ) -> Self {
        let observed = posteriors.observed(Cells {
            codes: &codes,
            number: cells,
        });
        Self {
            logs: vec![0.0; observed.len()],
            codes,
            cells,
            observed,
            shape,
        }
    }

    pub(super) fn lookup(&self) -> Cells<'_> {
        Cells {
            codes: &self.codes,
            number: self.cells,
        }
    }

    /// Rows of each outcome less those expected.
    fn residuals(&self, masses: &Masses) -> Vec<f64> {
        let pairs = self.observed.iter().zip(&masses.expected);
        pairs.map(|(o, e)| o - e).collect()
    }

    /// Chooses the number of imaginary rows; returns what the table brings on new rows.
    pub(super) fn choose_alpha(&mut self, masses: &Masses, outcomes: usize) -> f64 {
        let residuals = self.residuals(masses);
        let (best, gain) = best_agreement(&residuals, &masses.variances, outcomes);
        if let Shape::Free { alpha } = &mut self.shape {
            *alpha = best;
        }
        gain
    }

    /// Takes a step, given the masses of its cells; returns the change of the log loss, and the masses of
    /// the table that is next.
    pub(super) fn step(
        &mut self,
        posteriors: &mut Posteriors,
        masses: &Masses,
        next: Option<Cells>,
    ) -> (f64, Option<Masses>) {
        let j = posteriors.outcomes();
        let (step, tried) = match &self.shape {
            Shape::Free { alpha } => {
                let fast = self.fast_step(masses, *alpha, j);
                let (sure, bound) = self.scaling_step(masses, *alpha);
                let tried = posteriors.try_step(self.lookup(), &fast.logs, next);
                if fast.change(tried.log_sums) < bound {
                    (fast, tried)
                } else {
                    let tried = posteriors.try_step(self.lookup(), &sure.logs, next);
                    (sure, tried)
                }
            }
            Shape::Smooth { .. } => {
                let Some(found) = self.smooth_step(posteriors, masses, next) else {
                    let masses = next.map(|next| posteriors.masses(next));
                    return (0.0, masses);
                };
                found
            }
        };
        posteriors.accept(self.lookup());
        for (log, by) in self.logs.iter_mut().zip(&step.logs) {
            *log += by;
        }
        if let Shape::Smooth {
            coefficients,
            freedom,
            ..
        } = &mut self.shape
            && let Some(new) = step.coefficients
        {
            (*coefficients, *freedom) = new;
        }
        (tried.log_sums - step.observed, tried.masses)
    }

    /// `ln((O + α)/(E + αM))`: never increases the criterion. With it, how much it lowers it for sure.
    fn scaling_step(&self, masses: &Masses, alpha: f64) -> (Step, f64) {
        let mut bound = 0.0;
        let cells = self.observed.iter().zip(&masses.expected).zip(&self.logs);
        let logs: Vec<f64> = cells
            .map(|((o, e), log)| {
                let factor = log.exp();
                let ratio = (o + alpha) / (e + alpha * factor);
                let by = ratio.ln();
                bound += e * (ratio - 1.0) - o * by + alpha * (factor * (ratio - 1.0) - by);
                by
            })
            .collect();
        (self.free_step(logs, alpha), bound)
    }

    /// The step of Newton's kind, which may go too far.
    fn fast_step(&self, masses: &Masses, alpha: f64, outcomes: usize) -> Step {
        let share = free_share(outcomes);
        let sums = masses.expected.iter().zip(&masses.variances);
        let cells = self.observed.iter().zip(sums).zip(&self.logs);
        let logs = cells.map(|((o, (e, v)), log)| {
            let seen = (o - e + v).max(0.0);
            share * ((seen + alpha) / (v + alpha * log.exp())).ln()
        });
        self.free_step(logs.collect(), alpha)
    }

    fn free_step(&self, logs: Vec<f64>, alpha: f64) -> Step {
        let (mut penalty, mut observed) = (0.0, 0.0);
        for ((by, o), log) in logs.iter().zip(&self.observed).zip(&self.logs) {
            penalty += alpha * (log.exp() * (by.exp() - 1.0) - by);
            observed += o * by;
        }
        Step {
            logs,
            penalty,
            observed,
            coefficients: None,
        }
    }

    /// Newton's step of a surface, halved until it pays; `None` if it never does.
    fn smooth_step(
        &self,
        posteriors: &mut Posteriors,
        masses: &Masses,
        next: Option<Cells>,
    ) -> Option<(Step, super::posteriors::Tried)> {
        let Shape::Smooth {
            basis,
            agreement,
            coefficients,
            freedom,
        } = &self.shape
        else {
            return None;
        };
        let j = posteriors.outcomes();
        let residuals = self.residuals(masses);
        let (mut delta, new_freedom) =
            basis.newton_step(&residuals, &masses.variances, coefficients, *agreement, j);
        if *freedom > 0.0 {
            for by in &mut delta {
                *by *= BEYOND;
            }
        }
        let before = basis.penalty(coefficients, *agreement, j);
        for _ in 0..=HALVINGS {
            let logs = basis.surface(&delta, j);
            let sums = coefficients.iter().zip(&delta);
            let new: Vec<f64> = sums.map(|(beta, by)| beta + by).collect();
            let step = Step {
                penalty: basis.penalty(&new, *agreement, j) - before,
                observed: logs.iter().zip(&self.observed).map(|(by, o)| by * o).sum(),
                logs,
                coefficients: Some((new, new_freedom)),
            };
            let tried = posteriors.try_step(self.lookup(), &step.logs, next);
            if step.change(tried.log_sums) < 0.0 {
                return Some((step, tried));
            }
            for by in &mut delta {
                *by *= 0.5;
            }
        }
        None
    }
}

/// A step of every table in turn; returns the change of the log loss.
pub(super) fn sweep(tables: &mut [Table], posteriors: &mut Posteriors) -> f64 {
    let mut change = 0.0;
    let Some(first) = tables.first() else {
        return change;
    };
    let mut masses = posteriors.masses(first.lookup());
    for i in 0..tables.len() {
        let (done, rest) = tables.split_at_mut(i + 1);
        let next = rest.first().map(Table::lookup);
        let (by, following) = done[i].step(posteriors, &masses, next);
        change += by;
        if let Some(following) = following {
            masses = following;
        }
    }
    change
}
