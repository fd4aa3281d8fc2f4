//! The search: variables enter by what they promise, weights are refined one at a time, and
//! variables that no longer pay leave (docs/method.md §7.9).

use super::criterion::Criterion;
use crate::weights::rows::Wanted;
use crate::{Progress, Stage};

/// Variables that may enter in one round.
const ENTRANTS: usize = 100;
/// Sweeps after variables have entered, and before the search ends.
const SWEEPS_AFTER_ENTRY: usize = 3;
const LAST_SWEEPS: usize = 20;

/// Lowers the criterion until a whole round gains at most `least_gain`. Only variables of `pool` may
/// enter. Returns the number of rounds.
pub(crate) fn search(
    criterion: &mut Criterion,
    pool: &[usize],
    least_gain: f64,
    most_rounds: usize,
    progress: &dyn Progress,
) -> usize {
    criterion.sweeps(SWEEPS_AFTER_ENTRY, 10.0 * least_gain);
    // All variables are looked at first; then, as long as some enter, only those that promised
    // something: the others have not become better by what has entered.
    let mut promising: Option<Vec<usize>> = None;
    let mut rounds = 0;
    while rounds < most_rounds {
        progress.report(Stage::Weights, rounds, most_rounds);
        rounds += 1;
        let of_all = promising.is_none();
        let list = promising
            .take()
            .unwrap_or_else(|| promises(criterion, pool, least_gain));
        if enter(criterion, &list, least_gain) {
            criterion.sweeps(SWEEPS_AFTER_ENTRY, 10.0 * least_gain);
            promising = Some(list);
        } else if of_all && refine(criterion, least_gain) <= least_gain {
            break;
        }
    }
    progress.report(Stage::Weights, most_rounds, most_rounds);
    rounds
}

/// The variables that might gain something by entering.
fn promises(criterion: &mut Criterion, pool: &[usize], least_gain: f64) -> Vec<usize> {
    let weights = criterion.weights();
    let outside: Vec<usize> = pool
        .iter()
        .copied()
        .filter(|&k| weights[k] == 0.0)
        .collect();
    let derivatives = criterion.derivatives(&outside, Wanted::Gradient);
    let promising = outside.into_iter().zip(derivatives);
    promising
        .filter(|(k, at)| criterion.most_gain(*k, at.gradient) > least_gain)
        .map(|(k, _)| k)
        .collect()
}

/// Lets the most promising variables of a list enter one after the other, each if it still gains
/// something. Did any?
fn enter(criterion: &mut Criterion, list: &[usize], least_gain: f64) -> bool {
    let weights = criterion.weights();
    let outside: Vec<usize> = list
        .iter()
        .copied()
        .filter(|&k| weights[k] == 0.0)
        .collect();
    let mut gains: Vec<(f64, usize)> = criterion
        .derivatives(&outside, Wanted::Curvature)
        .into_iter()
        .zip(outside)
        .map(|(at, k)| (criterion.proposal(k, at).1, k))
        .filter(|(gain, _)| *gain > least_gain)
        .collect();
    // A stable sort: equal promises stay in the order given.
    gains.sort_by(|a, b| b.0.total_cmp(&a.0));
    gains.truncate(ENTRANTS);
    let mut entered = false;
    for (_, k) in gains {
        entered |= criterion.step(k, least_gain) > 0.0;
    }
    entered
}

/// Sweeps to convergence, then leaves out what does not pay, the smallest weights first; returns
/// what was gained.
fn refine(criterion: &mut Criterion, least_gain: f64) -> f64 {
    let mut gain = criterion.sweeps(LAST_SWEEPS, least_gain);
    let mut selected = criterion.selected();
    let weights = criterion.weights();
    selected.sort_by(|&a, &b| weights[a].total_cmp(&weights[b]));
    let mut left = 0.0;
    for k in selected {
        left += criterion.leave_out_if(k, 0.0);
    }
    if left > 0.0 {
        gain += left + criterion.sweeps(LAST_SWEEPS, least_gain);
    }
    gain
}
