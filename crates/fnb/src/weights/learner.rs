//! From settings to the method that learns the weights, and to what follows it.

use super::add_drop::{self, Criterion, Definition, Selection};
use super::continuous::{self, Concave, ContinuousPenalty};
use super::coordinate;
use super::duplicates::distinct;
use super::rows::{Likelihood, RowState};
use super::settings::{LearnSettings, Method, Start};
use super::{Candidate, CriterionValue, Lowest, PathPoint, StageEffort, stage};
use crate::Progress;
use crate::columns::Outcomes;
use crate::math::decimal::round_to_10_digits;

/// Rounds of transfers of weight in the quality mode of coordinate steps, at most.
const MOST_TRANSFERS: usize = 3;

/// What every method is given.
pub(super) struct Problem<'p, 'a> {
    pub(super) candidates: &'a [Candidate<'a>],
    pub(super) outcomes: &'a Outcomes<'a>,
    pub(super) definition: Definition,
    pub(super) settings: &'p LearnSettings,
    pub(super) progress: &'p dyn Progress,
}

/// Weights are multiples of this: more digits say nothing. Those of the add/drop searches are anyway, up
/// to a million rows.
const GRAIN: f64 = 1.0 / (1 << 20) as f64;

/// The size path takes fine steps up to this multiple of the share of the criterion that is given up: a
/// smaller model may cost less than the one before it.
const NEAR: f64 = 1.5;

fn on_grain(weight: f64) -> f64 {
    (weight / GRAIN).round() * GRAIN
}

impl Problem<'_, '_> {
    /// The weights that the method of the settings finds.
    pub(super) fn learn(&self, stages: &mut Vec<StageEffort>) -> Vec<f64> {
        let (candidates, settings) = (self.candidates, self.settings);
        if candidates.is_empty() {
            return Vec::new();
        }
        if settings.method == Method::FnbKhiops && candidates.len() == 1 {
            return vec![1.0];
        }
        if settings.method == Method::Nb {
            return self.limit(vec![1.0; candidates.len()], stages);
        }
        let seen = self.definition.seen(candidates, self.outcomes.len());
        let mut rows = RowState::new(&seen, self.outcomes, self.definition.likelihood);
        let weights = match settings.method {
            Method::SnbMap => self.snb(&mut rows, stages).best,
            Method::Snb => self.snb(&mut rows, stages).average,
            Method::Fnb => self.fnb(&mut rows, stages),
            Method::FnbKhiops => self.fnb_khiops(&mut rows, stages),
            Method::FnbOrdered => self.fnb_ordered(&mut rows, stages),
            Method::Coordinate => self.coordinate(&mut rows, stages),
            _ => {
                let null_cost = rows.cost();
                let start = settings.start.unwrap_or(Start::Norm);
                let start = self.start(start, &mut rows, stages);
                let progress = self.progress;
                continuous::optimise(
                    &mut rows, candidates, settings, null_cost, start, progress, stages,
                )
            }
        };
        let weights = if settings.method == Method::Snb || settings.method.is_continuous() {
            weights.into_iter().map(on_grain).collect()
        } else {
            weights
        };
        self.limit(weights, stages)
    }

    fn snb(&self, rows: &mut RowState, stages: &mut Vec<StageEffort>) -> Selection {
        stage(stages, "selection", rows, |rows| {
            let mut criterion = self.criterion(rows);
            let (n, seed) = (self.outcomes.total() as usize, self.settings.seed);
            let selection = add_drop::select(&mut criterion, n, seed, self.progress);
            (selection.sweeps, selection)
        })
    }

    fn fnb(&self, rows: &mut RowState, stages: &mut Vec<StageEffort>) -> Vec<f64> {
        stage(stages, "add-drop", rows, |rows| {
            let mut criterion = self.criterion(rows);
            let n = self.outcomes.total() as usize;
            let seed = self.settings.seed;
            let sweeps = add_drop::published(&mut criterion, n, seed, self.progress);
            (sweeps, criterion.into_weights())
        })
    }

    fn fnb_khiops(&self, rows: &mut RowState, stages: &mut Vec<StageEffort>) -> Vec<f64> {
        stage(stages, "add-drop", rows, |rows| {
            let mut criterion = self.criterion(rows);
            let n = self.outcomes.total() as usize;
            let sweeps = add_drop::khiops(&mut criterion, self.candidates, n, self.progress);
            (sweeps, criterion.into_weights())
        })
    }

    fn fnb_ordered(&self, rows: &mut RowState, stages: &mut Vec<StageEffort>) -> Vec<f64> {
        stage(stages, "add-drop", rows, |rows| {
            let mut criterion = self.criterion(rows);
            let n = self.outcomes.total() as usize;
            let sweeps = add_drop::ordered(&mut criterion, &self.pool(), n, self.progress);
            (sweeps, criterion.into_weights())
        })
    }

    /// The criterion of the add/drop searches.
    fn criterion<'r, 's>(&self, rows: &'r mut RowState<'s>) -> Criterion<'r, 's> {
        Criterion::new(rows, self.candidates, self.definition, self.settings)
    }

    /// The candidates, without copies of others.
    fn pool(&self) -> Vec<usize> {
        distinct(self.candidates, self.outcomes)
    }

    fn coordinate(&self, rows: &mut RowState, stages: &mut Vec<StageEffort>) -> Vec<f64> {
        let settings = self.settings;
        let pool = self.pool();
        let least_gain = settings.tolerance * rows.cost();
        let rounds = settings.max_iterations;
        let mut weights = vec![0.0; self.candidates.len()];
        if let Some(start) = settings.start {
            let start = self.start(start, rows, stages);
            // A copy is left out: it is there under another name.
            for &k in &pool {
                weights[k] = start[k];
            }
        }
        let mut criterion = self.continuous(rows, weights);
        if settings.continuation {
            criterion.stage(stages, "relaxation", |criterion| {
                criterion.set_curve(Concave::new(1.0, settings.delta));
                coordinate::search(criterion, &pool, least_gain, rounds, self.progress)
            });
            criterion.set_curve(Concave::new(settings.p, settings.delta));
        }
        criterion.stage(stages, "coordinate", |criterion| {
            coordinate::search(criterion, &pool, least_gain, rounds, self.progress)
        });
        if settings.continuation {
            criterion.stage(stages, "transfer", |criterion| {
                for round in 1..=MOST_TRANSFERS {
                    if coordinate::transfer(criterion) <= least_gain {
                        return round;
                    }
                    coordinate::search(criterion, &pool, least_gain, rounds, self.progress);
                }
                MOST_TRANSFERS
            });
        }
        criterion.into_weights()
    }

    /// The criterion of the continuous methods.
    fn continuous<'r, 's>(
        &self,
        rows: &'r mut RowState<'s>,
        weights: Vec<f64>,
    ) -> coordinate::Criterion<'r, 's> {
        let classes = self.outcomes.len();
        coordinate::Criterion::new(rows, self.candidates, classes, self.settings, weights)
    }

    /// The weights to start from; the rows are left in any state.
    fn start(&self, start: Start, rows: &mut RowState, stages: &mut Vec<StageEffort>) -> Vec<f64> {
        match start {
            Start::Half => continuous::half(self.candidates.len()),
            Start::Norm => {
                let penalty = ContinuousPenalty::new(self.candidates, self.settings);
                stage(stages, "start", rows, |rows| {
                    (1, continuous::norm(rows, &penalty, self.settings.lambda))
                })
            }
            Start::Snb => self.snb(rows, stages).average,
            Start::Fnb => self.fnb(rows, stages),
        }
    }

    /// The same weights, or those of fewer variables if the settings want so.
    fn limit(&self, weights: Vec<f64>, stages: &mut Vec<StageEffort>) -> Vec<f64> {
        let selected = weights.iter().filter(|w| **w > 0.0).count();
        let size = match self.settings.max_selected {
            Some(size) if size < selected => size,
            _ => return weights,
        };
        let mut rows = RowState::new(self.candidates, self.outcomes, Likelihood::Plain);
        let least_gain = self.settings.tolerance * rows.cost();
        let mut criterion = self.continuous(&mut rows, weights);
        criterion.stage(stages, "limit", |criterion| {
            coordinate::at_most(criterion, &self.pool(), size, least_gain, self.progress)
        });
        criterion.into_weights().into_iter().map(on_grain).collect()
    }

    /// Smaller models than the one of the given weights. Only its variables are looked at.
    pub(super) fn size_path(
        &self,
        weights: &[f64],
        stages: &mut Vec<StageEffort>,
    ) -> Vec<PathPoint> {
        let positions: Vec<usize> = (0..weights.len()).filter(|&k| weights[k] > 0.0).collect();
        if positions.is_empty() {
            return Vec::new();
        }
        let selected = positions.iter().map(|&k| self.candidates[k].clone());
        let selected: Vec<Candidate> = selected.collect();
        let start = positions.iter().map(|&k| weights[k]).collect();
        let mut rows = RowState::new(&selected, self.outcomes, Likelihood::Plain);
        let least_gain = self.settings.tolerance * rows.cost();
        let (outcomes, settings) = (self.outcomes.len(), self.settings);
        let mut criterion =
            coordinate::Criterion::new(&mut rows, &selected, outcomes, settings, start);
        let mut path = Vec::new();
        criterion.stage(stages, "size-path", |criterion| {
            let near = NEAR * self.settings.given_up();
            path = coordinate::size_path(criterion, near, least_gain, self.progress);
            path.len()
        });
        // The last model is given; more digits of the others say nothing.
        let computed = path.len().saturating_sub(1);
        for (i, point) in path.iter_mut().enumerate() {
            for (k, weight) in &mut point.weights {
                *k = positions[*k];
                if i < computed {
                    *weight = on_grain(*weight);
                }
            }
            point.weights.retain(|(_, weight)| *weight > 0.0);
            let CriterionValue { total, data, prior } = &mut point.criterion;
            for value in [total, data, prior] {
                *value = round_to_10_digits(*value);
            }
        }
        path
    }

    /// Single steps may end where leaving out a variable and refining the others would have been
    /// better, and several variables may hardly matter: the size path tells. Keeps its smallest model
    /// within the share of the lowest criterion that is given up (docs/method.md §7.12), and those that
    /// are smaller; returns the one of the lowest criterion if it is larger.
    pub(super) fn choose_size(
        &self,
        weights: &mut [f64],
        path: &mut Vec<PathPoint>,
    ) -> Option<Lowest> {
        let settings = self.settings;
        let is_limited = settings.max_selected.is_some_and(|most| {
            let last = path.last();
            last.is_some_and(|point| point.weights.len() >= most)
        });
        if is_limited || !settings.chooses_size() {
            return None;
        }
        let lowest = path.iter().min_by(|a, b| {
            let (a, b) = (a.criterion.total, b.criterion.total);
            a.total_cmp(&b)
        })?;
        let lowest = Lowest {
            selected: lowest.weights.len(),
            criterion: lowest.criterion,
        };
        let most = (1.0 + settings.given_up()) * lowest.criterion.total;
        let chosen = path
            .iter()
            .position(|point| point.criterion.total <= most)
            .expect("the lowest is among them");
        if chosen + 1 < path.len() {
            path.truncate(chosen + 1);
            weights.fill(0.0);
            for &(k, weight) in &path[chosen].weights {
                weights[k] = weight;
            }
        }
        (lowest.selected > path[chosen].weights.len()).then_some(lowest)
    }
}
