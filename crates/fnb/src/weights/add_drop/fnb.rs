//! Fractional naive Bayes: weights are added and dropped by smaller and smaller increments, the
//! candidates being visited in random order (docs/method.md §7.5).

use super::criterion::{Criterion, Move, Threshold};
use super::order::{Order, ReferenceOrder, SeededOrder};
use crate::math::decimal::round_to_10_digits;
use crate::weights::Candidate;
use crate::{Progress, Stage};

/// Share of the criterion per row that a change must gain, or may lose, in the search of Khiops.
const KHIOPS_THRESHOLD: f64 = 0.01;
/// Share of the criterion that a change must gain in the published search.
pub(crate) const LEAST_GAIN: Threshold = Threshold::Share(1e-9);

/// Position of the candidates by decreasing level, then by name.
pub(crate) fn by_level(candidates: &[Candidate]) -> Vec<usize> {
    let rounded: Vec<f64> = candidates
        .iter()
        .map(|c| round_to_10_digits(1.0 + c.level))
        .collect();
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by(|&a, &b| {
        let names = || candidates[a].name.cmp(candidates[b].name);
        rounded[b].total_cmp(&rounded[a]).then_with(names)
    });
    order
}

/// The search of Khiops; its decisions are reproduced exactly. The criterion is left at its result.
/// Returns the number of sweeps, here and below.
pub(crate) fn khiops(
    criterion: &mut Criterion,
    candidates: &[Candidate],
    rows: usize,
    progress: &dyn Progress,
) -> usize {
    let mut sweeps = 0;
    let by_level = by_level(candidates);
    let n = by_level.len();
    let mut orders = ReferenceOrder::new();
    let mut shuffled = || -> Vec<usize> {
        let order = orders.shuffle(n).into_iter();
        order.map(|i| by_level[i]).collect()
    };
    let mut order = by_level.clone();
    let threshold = KHIOPS_THRESHOLD * (1.0 + criterion.total().abs()) / (1.0 + rows as f64);
    let increments = (rows + 1).next_power_of_two().ilog2() as usize;
    let mut increment = 1.0;
    let mut last = criterion.total();
    for done in 0..increments {
        progress.report(Stage::Weights, done, increments);
        if progress.cancelled() {
            break;
        }
        let mut rounds = 0;
        while rounds < 2 {
            sweep(
                criterion,
                &order,
                increment,
                Threshold::Absolute(-threshold),
            );
            sweeps += 1;
            order = shuffled();
            if criterion.weights().iter().any(|&w| w > 0.0) {
                order.reverse();
                sweep(
                    criterion,
                    &order,
                    -increment,
                    Threshold::Absolute(threshold),
                );
                sweeps += 1;
                order = shuffled();
            }
            let total = criterion.total();
            rounds = if total < last - threshold {
                rounds + 1
            } else {
                2
            };
            last = total;
        }
        increment /= 2.0;
    }
    progress.report(Stage::Weights, increments, increments);
    sweeps
}

/// The published search (Algorithm 2), orders drawn from a seed.
pub(crate) fn published(
    criterion: &mut Criterion,
    rows: usize,
    seed: u64,
    progress: &dyn Progress,
) -> usize {
    let mut sweeps = 0;
    let n = criterion.weights().len();
    let mut orders = SeededOrder::new(seed);
    let (increments, rounds) = (increments(rows), rounds(rows, n));
    let mut increment = 0.5;
    for done in 0..increments {
        progress.report(Stage::Weights, done, increments);
        if progress.cancelled() {
            break;
        }
        for _ in 0..rounds {
            let before = criterion.accepted;
            sweep(criterion, &orders.shuffle(n), increment, LEAST_GAIN);
            sweep(criterion, &orders.shuffle(n), -increment, LEAST_GAIN);
            sweeps += 2;
            if criterion.accepted == before {
                break;
            }
        }
        increment /= 2.0;
    }
    progress.report(Stage::Weights, increments, increments);
    sweeps
}

/// Number of increments from 1/2 down to at least 1/N.
pub(crate) fn increments(rows: usize) -> usize {
    rows.max(1).ilog2() as usize
}

/// Rounds of one increment of the published search: `round(1 + ln K / ln N)`.
fn rounds(rows: usize, candidates: usize) -> usize {
    let rounds = 1.0 + (candidates.max(1) as f64).ln() / (rows.max(2) as f64).ln();
    rounds.round() as usize
}

/// Tries the same change on all weights that can change.
fn sweep(criterion: &mut Criterion, order: &[usize], change: f64, threshold: Threshold) {
    let moves = moves(criterion, order.iter().copied(), change);
    criterion.sweep(&moves, threshold, |_, _| true);
}

/// The moves that change a weight, kept between 0 and 1.
pub(crate) fn moves(
    criterion: &Criterion,
    order: impl Iterator<Item = usize>,
    change: f64,
) -> Vec<Move> {
    let weights = criterion.weights();
    let moves = order.map(|candidate| Move {
        candidate,
        weight: (weights[candidate] + change).clamp(0.0, 1.0),
    });
    moves
        .filter(|to| to.weight != weights[to.candidate])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weights::add_drop::{Definition, ordered};
    use crate::weights::evaluate;
    use crate::weights::rows::RowState;
    use crate::weights::rows::tests::random;
    use crate::weights::settings::{LearnSettings, Method};

    /// Oracle §11.6: the searches make their increments one after the other, so that a search for fewer
    /// rows is the beginning of one for more. (From 128 rows on, eight variables are visited in as
    /// many rounds.)
    #[test]
    fn each_increment_lowers_the_criterion() {
        let settings = LearnSettings {
            method: Method::Fnb,
            lambda: 0.25,
            ..LearnSettings::default()
        };
        let parts = [3, 5, 2, 7, 4, 2, 3, 6];
        for classes in [2, 7] {
            let (target, candidates) = random(3, 600, classes, &parts);
            let pool: Vec<usize> = (0..parts.len()).collect();
            let definition = Definition::new(&settings, 7.0);
            for (first, is_ordered) in [(1, true), (7, false)] {
                let zero = vec![0.0; parts.len()];
                let null = evaluate(&candidates, &target.outcomes(), 7.0, &settings, &zero).total;
                let mut last = null;
                for increments in first..first + 8 {
                    let n = 1 << increments;
                    let mut rows =
                        RowState::new(&candidates, &target.outcomes(), definition.likelihood);
                    let mut criterion =
                        Criterion::new(&mut rows, &candidates, definition, &settings);
                    if is_ordered {
                        ordered(&mut criterion, &pool, n, &());
                    } else {
                        published(&mut criterion, n, 1, &());
                    }
                    let shown = criterion.total();
                    let weights = criterion.into_weights();
                    let total =
                        evaluate(&candidates, &target.outcomes(), 7.0, &settings, &weights).total;
                    assert!((shown - total).abs() < 1e-9 * total, "{shown}, not {total}");
                    assert!(total <= last * (1.0 + 1e-12), "{total} after {last}");
                    last = total;
                }
                assert!(last < null - 10.0, "{last} of {null}");
            }
        }
    }
}
