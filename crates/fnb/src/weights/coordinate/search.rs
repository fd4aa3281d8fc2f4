//! The search: variables enter by what they promise, weights are refined one at a time, and
//! variables that no longer pay leave (docs/method.md §7.10).

use super::criterion::Criterion;
use crate::{Progress, Stage};

/// Steps made before all promises are looked at again.
const STEPS: usize = 100;
/// A selected variable takes part if it promises this share of what an entering one must gain.
const WORTH_A_STEP: f64 = 0.1;

/// Lowers the criterion until a whole round gains at most `least_gain`. Only variables of `pool` may
/// enter. Returns the number of rounds.
///
/// A round looks at all variables once. Then only those that may gain something take part, until
/// they gain nothing any more: what has entered makes the others promise less, rarely more.
pub(crate) fn search(
    criterion: &mut Criterion,
    pool: &[usize],
    least_gain: f64,
    most_rounds: usize,
    progress: &dyn Progress,
) -> usize {
    let mut rounds = 0;
    while rounds < most_rounds {
        progress.report(Stage::Weights, rounds, most_rounds);
        rounds += 1;
        // The end is decided on exact numbers.
        criterion.restart();
        let before = criterion.total();
        let mut outside = promising(criterion, pool, least_gain);
        while !progress.cancelled()
            && best_steps(criterion, &mut outside, least_gain, progress) > least_gain
        {}
        leave_out(criterion);
        if before - criterion.total() <= least_gain || progress.cancelled() {
            break;
        }
    }
    progress.report(Stage::Weights, most_rounds, most_rounds);
    rounds
}

/// The variables that are not selected and might gain something by entering.
fn promising(criterion: &mut Criterion, pool: &[usize], least_gain: f64) -> Vec<usize> {
    let weights = criterion.weights();
    let mut outside = pool.to_vec();
    outside.retain(|&k| weights[k] == 0.0);
    let derivatives = criterion.derivatives(&outside);
    let promising = outside.into_iter().zip(derivatives);
    promising
        .filter(|(k, at)| criterion.most_gain(*k, at.gradient) > least_gain)
        .map(|(k, _)| k)
        .collect()
}

/// Steps on the variables that promise most, selected or `outside`; returns what they gain.
/// Variables that cannot gain anything by entering are removed from `outside`.
pub(super) fn best_steps(
    criterion: &mut Criterion,
    outside: &mut Vec<usize>,
    least_gain: f64,
    progress: &dyn Progress,
) -> f64 {
    let mut looked_at = criterion.selected();
    let selected = looked_at.len();
    let weights = criterion.weights();
    looked_at.extend(outside.drain(..).filter(|&k| weights[k] == 0.0));
    let derivatives = criterion.derivatives(&looked_at);
    let mut steps = Vec::new();
    for (i, (&k, at)) in looked_at.iter().zip(derivatives).enumerate() {
        let least = if i < selected {
            WORTH_A_STEP * least_gain
        } else {
            least_gain
        };
        let (_, gain) = criterion.proposal(k, at);
        if gain > least {
            steps.push((gain, k, least));
        }
        if i >= selected && criterion.most_gain(k, at.gradient) > least_gain {
            outside.push(k);
        }
    }
    // A stable sort: equal promises stay in the order given.
    steps.sort_by(|a, b| b.0.total_cmp(&a.0));
    steps.truncate(STEPS);
    let steps = steps.into_iter().take_while(|_| !progress.cancelled());
    steps.map(|(_, k, least)| criterion.step(k, least)).sum()
}

/// Leaves out what does not pay, the smallest weights first.
fn leave_out(criterion: &mut Criterion) {
    let mut selected = criterion.selected();
    let weights = criterion.weights();
    selected.sort_by(|&a, &b| weights[a].total_cmp(&weights[b]));
    for k in selected {
        criterion.leave_out_if(k, 0.0);
    }
}
