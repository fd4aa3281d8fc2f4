//! Selective naive Bayes: weights 0 or 1, from several random starts (docs/method.md §7.3, §7.4).

use super::criterion::{Criterion, Made, Move, Threshold};
use super::order::{Order, SeededOrder};
use crate::{Progress, Stage};

/// Forward and backward sweeps of one start, at most.
const MOST_ROUNDS: usize = 2;
/// A variable enters if the criterion decreases, and leaves if it does not increase; the share is
/// that of rounding.
const ENTERS: Threshold = Threshold::Share(1e-9);
const LEAVES: Threshold = Threshold::Share(-1e-12);

/// What the search met.
#[derive(Debug)]
pub(crate) struct Selection {
    /// 1 for the variables of the best subset.
    pub(crate) best: Vec<f64>,
    /// The share of all subsets met that hold each variable, subsets weighted by what they save.
    pub(crate) average: Vec<f64>,
    pub(crate) sweeps: usize,
}

/// Adds and drops variables as long as the criterion decreases, from the empty subset, `log2(K N)`
/// times.
pub(crate) fn search(
    criterion: &mut Criterion,
    rows: usize,
    seed: u64,
    progress: &dyn Progress,
) -> Selection {
    let n = criterion.weights().len();
    let starts = ((n * rows) as f64).log2().round().max(1.0) as usize;
    let null = criterion.total();
    let mut orders = SeededOrder::new(seed);
    let mut average = Average::new(n, null);
    let mut best = (null, vec![0.0; n]);
    let mut sweeps = 0;
    for start in 0..starts {
        progress.report(Stage::Weights, start, starts);
        if progress.cancelled() {
            break;
        }
        if start > 0 {
            criterion.reset();
        }
        average.begin(criterion.trials);
        for _ in 0..MOST_ROUNDS {
            let before = criterion.accepted;
            for (weight, threshold) in [(1.0, ENTERS), (0.0, LEAVES)] {
                let order = orders.shuffle(n).into_iter();
                let moves: Vec<Move> = order
                    .filter(|&candidate| criterion.weights()[candidate] != weight)
                    .map(|candidate| Move { candidate, weight })
                    .collect();
                for made in criterion.sweep(&moves, threshold, |_, _| true) {
                    average.visit(made);
                }
                sweeps += 1;
            }
            if criterion.accepted == before {
                break;
            }
        }
        average.finish(criterion.trials);
        if criterion.total() < best.0 {
            best = (criterion.total(), criterion.weights().to_vec());
        }
    }
    progress.report(Stage::Weights, starts, starts);
    Selection {
        best: best.1,
        average: average.weights(),
        sweeps,
    }
}

/// After each trial the current subset counts once, by the share of the null criterion that it
/// saves. Sums are kept per stay of a variable, not per trial: constant time per move.
struct Average {
    null: f64,
    /// Number of trials and criterion after the last move.
    since: usize,
    saved: f64,
    /// Sum over all trials so far.
    total: f64,
    /// For each variable, the sum over the trials that ended with it selected; during a stay, less
    /// the total at its beginning.
    of_variable: Vec<f64>,
    selected: Vec<bool>,
}

impl Average {
    fn new(variables: usize, null: f64) -> Self {
        Self {
            null,
            since: 0,
            saved: 0.0,
            total: 0.0,
            of_variable: vec![0.0; variables],
            selected: vec![false; variables],
        }
    }

    /// A new start, from the empty subset.
    fn begin(&mut self, trials: usize) {
        self.since = trials;
        self.saved = 0.0;
    }

    /// Counts the current subset for all trials that left it as it is.
    fn advance(&mut self, trials: usize) {
        self.total += (trials - self.since) as f64 * self.saved;
        self.since = trials;
    }

    fn visit(&mut self, made: Made) {
        self.advance(made.trial - 1);
        self.saved = if self.null > 0.0 {
            (1.0 - made.total / self.null).max(0.0)
        } else {
            0.0
        };
        let variable = made.to.candidate;
        self.set(variable, made.to.weight > 0.0);
    }

    fn set(&mut self, variable: usize, selected: bool) {
        if self.selected[variable] != selected {
            self.of_variable[variable] += if selected { -self.total } else { self.total };
            self.selected[variable] = selected;
        }
    }

    /// The end of a start: every variable leaves.
    fn finish(&mut self, trials: usize) {
        self.advance(trials);
        for variable in 0..self.selected.len() {
            self.set(variable, false);
        }
    }

    fn weights(self) -> Vec<f64> {
        let total = self.total;
        let share = |sum: f64| {
            if total > 0.0 {
                (sum / total).clamp(0.0, 1.0)
            } else {
                0.0
            }
        };
        self.of_variable.into_iter().map(share).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sums per stay against the definition, subset by subset.
    #[test]
    fn stays_add_up_to_the_average_of_all_subsets() {
        // Trial, variable, weight, criterion after it; the null criterion is 10.
        let moves = [
            (2, 0, 1.0, 8.0),
            (3, 1, 1.0, 5.0),
            (7, 0, 0.0, 4.0),
            (9, 2, 1.0, 12.0),
        ];
        let trials = 11;
        let mut average = Average::new(4, 10.0);
        average.begin(0);
        for (trial, candidate, weight, total) in moves {
            let to = Move { candidate, weight };
            average.visit(Made { to, trial, total });
        }
        average.finish(trials);

        let (mut total, mut sums) = (0.0, [0.0; 4]);
        let (mut subset, mut saved) = ([false; 4], 0.0);
        for trial in 1..=trials {
            for (_, variable, weight, criterion) in moves.iter().filter(|m| m.0 == trial) {
                subset[*variable] = *weight > 0.0;
                saved = f64::max(0.0, 1.0 - criterion / 10.0);
            }
            total += saved;
            for (sum, _) in sums.iter_mut().zip(subset).filter(|(_, held)| *held) {
                *sum += saved;
            }
        }
        for (found, sum) in average.weights().into_iter().zip(sums) {
            assert!(
                (found - sum / total).abs() < 1e-12,
                "{found}, not {}",
                sum / total
            );
        }
    }
}
