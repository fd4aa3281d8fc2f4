//! Smaller models: the path from the selected variables down to one, and the best model of a given
//! size (docs/method.md §7.11).

use super::criterion::Criterion;
use crate::Progress;
use crate::weights::PathPoint;

/// A model of the path has this share of the variables of the next larger one.
const SHRINKAGE: f64 = 0.8;
/// Sweeps after some variables have left.
const SWEEPS: usize = 2;
/// Sweeps on the final variables, at most.
const LAST_SWEEPS: usize = 50;
/// Replacements tried for the variable that matters least.
const REPLACEMENTS: usize = 16;

/// Models of fewer and fewer variables, the smallest first and that of the given weights last. Each
/// is obtained from the next larger one by leaving out the variables that matter least.
pub(crate) fn size_path(
    criterion: &mut Criterion,
    least_gain: f64,
    progress: &dyn Progress,
) -> Vec<PathPoint> {
    let mut path = vec![point(criterion)];
    loop {
        let size = criterion.selected().len();
        if size <= 1 || progress.cancelled() {
            break;
        }
        let smaller = ((SHRINKAGE * size as f64) as usize).clamp(1, size - 1);
        shrink(criterion, smaller);
        criterion.sweeps(SWEEPS, least_gain);
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

/// Leaves out the variables that add least to the criterion by leaving.
fn shrink(criterion: &mut Criterion, size: usize) {
    let selected = criterion.selected();
    let losses = criterion.losses(&selected);
    let mut losses: Vec<(f64, usize)> = losses.into_iter().zip(selected).collect();
    losses.sort_by(|a, b| a.0.total_cmp(&b.0));
    losses.truncate(losses.len() - size.min(losses.len()));
    // Rows that were very sure of many variables do not know how sure they are without them.
    let mut weights = criterion.weights().to_vec();
    for (_, k) in losses {
        weights[k] = 0.0;
    }
    criterion.set_weights(weights);
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
        criterion.sweeps(SWEEPS, least_gain);
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
