//! Smaller models: the path from the selected variables down to one, and the best model of a given
//! size (docs/method.md §7.11).

use super::criterion::Criterion;
use super::search::best_steps;
use crate::Progress;
use crate::weights::PathPoint;

/// While the criterion is near its lowest value, one variable in this many leaves at a time.
const FINE: usize = 25;
/// Beyond, a model of the path has this share of the variables of the next larger one.
const SHRINKAGE: f64 = 0.8;
/// Rounds of steps after some variables have left, at most.
const ROUNDS: usize = 2;
/// Sweeps on the final variables, at most.
const LAST_SWEEPS: usize = 50;
/// Sweeps after a variable has entered.
const SWEEPS: usize = 2;
/// Replacements tried for the variable that matters least.
const REPLACEMENTS: usize = 16;

/// Models of fewer and fewer variables, the smallest first and that of the given weights last. Each
/// is obtained from the next larger one by leaving out the variables that matter least: few at a time
/// while the criterion is within the share `near` of the lowest one seen.
pub(crate) fn size_path(
    criterion: &mut Criterion,
    near: f64,
    least_gain: f64,
    progress: &dyn Progress,
) -> Vec<PathPoint> {
    let mut path = vec![point(criterion)];
    let mut lowest = criterion.total();
    loop {
        let (size, total) = (criterion.selected().len(), criterion.total());
        if size <= 1 || progress.cancelled() {
            break;
        }
        lowest = lowest.min(total);
        let leaving = if total <= (1.0 + near) * lowest {
            size / FINE
        } else {
            size - (SHRINKAGE * size as f64) as usize
        };
        shrink(criterion, size - leaving.clamp(1, size - 1));
        refine(criterion, least_gain, progress);
        path.push(point(criterion));
    }
    path.reverse();
    path
}

fn point(criterion: &Criterion) -> PathPoint {
    let weights = criterion.weights();
    PathPoint {
        criterion: criterion.value(),
        weights: criterion
            .selected()
            .into_iter()
            .map(|k| (k, weights[k]))
            .collect(),
    }
}

/// Leaves out the variables that add least to the criterion by leaving, down to `size` of them.
fn shrink(criterion: &mut Criterion, size: usize) {
    let leaving = criterion.selected().len().saturating_sub(size);
    for k in criterion.least_losses(leaving) {
        criterion.set_weight(k, 0.0);
    }
}

/// Steps on the selected variables that promise something, until they gain little.
fn refine(criterion: &mut Criterion, least_gain: f64, progress: &dyn Progress) {
    for _ in 0..ROUNDS {
        if best_steps(criterion, &mut Vec::new(), least_gain, progress) <= least_gain {
            break;
        }
    }
}

/// The best model found of at most `size` variables of `pool`: the given one shrunk, then variables
/// exchanged as long as that helps. Returns the number of exchanges tried.
pub(crate) fn at_most(
    criterion: &mut Criterion,
    pool: &[usize],
    size: usize,
    least_gain: f64,
    progress: &dyn Progress,
) -> usize {
    while criterion.selected().len() > size {
        let now = criterion.selected().len();
        let smaller = (SHRINKAGE * now as f64) as usize;
        shrink(criterion, smaller.clamp(size, now - 1));
        refine(criterion, least_gain, progress);
    }
    criterion.sweeps(LAST_SWEEPS, least_gain);
    let mut exchanges = 0;
    loop {
        exchanges += 1;
        let (total, weights) = (criterion.total(), criterion.weights().to_vec());
        let selected = criterion.selected();
        if selected.len() == size {
            shrink(criterion, size - 1);
        }
        enter_best(criterion, pool, least_gain);
        criterion.sweeps(LAST_SWEEPS, least_gain);
        if criterion.total() >= total - least_gain || progress.cancelled() {
            criterion.set_weights(weights);
            return exchanges;
        }
    }
}

/// Lets the variable enter that gains most, among the most promising ones.
fn enter_best(criterion: &mut Criterion, pool: &[usize], least_gain: f64) {
    let from = criterion.weights().to_vec();
    let outside: Vec<usize> = pool.iter().copied().filter(|&k| from[k] == 0.0).collect();
    let derivatives = criterion.derivatives(&outside);
    let mut gains: Vec<(f64, usize)> = outside
        .into_iter()
        .zip(derivatives)
        .map(|(k, at)| (criterion.proposal(k, at).1, k))
        .collect();
    gains.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut best: Option<(f64, Vec<f64>)> = None;
    for (_, k) in gains.into_iter().take(REPLACEMENTS) {
        // All the way: another one must not win because its first steps happen to be longer.
        while criterion.step(k, least_gain) > 0.0 {}
        criterion.sweeps(SWEEPS, least_gain);
        let total = criterion.total();
        if best.as_ref().is_none_or(|(least, _)| total < *least) {
            best = Some((total, criterion.weights().to_vec()));
        }
        criterion.set_weights(from.clone());
    }
    if let Some((_, weights)) = best {
        criterion.set_weights(weights);
    }
}
