//! Changes, derivatives and directions against evaluations from scratch.

use super::*;
use crate::columns::Target;
use crate::columns::{Column, ColumnData, RowWeights};
use crate::terms::{PartCodes, log_probabilities};
use crate::weights::rows::data_cost;
use proptest::prelude::*;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::borrow::Cow;

/// Random rows: a target and candidates with the given numbers of parts.
pub(crate) fn random(
    seed: u64,
    rows: usize,
    classes: usize,
    parts: &[usize],
) -> (Target, Vec<Candidate<'static>>) {
    let mut generator = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut below = |n: usize| (generator.next_u64() >> 33) as usize % n;
    let labels: Vec<usize> = (0..rows)
        .map(|row| if row < classes { row } else { below(classes) })
        .collect();
    let candidate = |&parts: &usize| {
        let codes: Vec<u32> = labels
            .iter()
            .map(|label| ((below(parts) + below(parts) + label) % parts) as u32)
            .collect();
        let mut counts = vec![vec![0; classes]; parts];
        for (&code, &label) in codes.iter().zip(&labels) {
            counts[code as usize][label] += 1;
        }
        Candidate {
            name: "x",
            level: 0.1,
            prior_cost: 1.0,
            codes: Cow::Owned(if parts <= 256 {
                PartCodes::Narrow(codes.iter().map(|&code| code as u8).collect())
            } else {
                PartCodes::Wide(codes)
            }),
            unlisted: None,
            scores: log_probabilities(&counts, rows as u64),
        }
    };
    let candidates = parts.iter().map(candidate).collect();
    let names: Vec<String> = labels.iter().map(|label| format!("{label:03}")).collect();
    let column = names.iter().map(|name| Some(name.as_str())).collect();
    let data = ColumnData::Categorical(column);
    let name = "class".into();
    let target = Target::from_column(&Column { name, data }).expect("categories");
    (target, candidates)
}

/// The target as it is, with weights of classes, and with weights of which no two are equal but
/// some are 0.
fn weightings(target: &Target) -> [Target; 3] {
    let weighted = |weight: &dyn Fn(usize, usize) -> f64| {
        let rows = target.codes().iter().enumerate();
        let weights: Vec<f64> = rows
            .map(|(row, &code)| weight(row, code as usize))
            .collect();
        target.clone().with_weights(&weights).expect("weights")
    };
    let classes = target.classes().len();
    // No class is left without half a row.
    let each = |row: usize, _| match row % 13 {
        _ if row < classes => 1.5,
        5 => 0.0,
        _ => 0.01 + ((row * 7919) % 1009) as f64 / 400.0,
    };
    [
        target.clone(),
        weighted(&|_, class| 0.75 + (class % 3) as f64 / 3.0),
        weighted(&each),
    ]
}

fn assert_close(found: f64, expected: f64, what: &str) {
    let error = (found - expected).abs();
    assert!(
        error <= 1e-9 * expected.abs().max(1.0),
        "{what}: {found}, not {expected}"
    );
}

/// Oracle §11.2: trials, accepted changes and fresh starts against evaluations from scratch.
fn check_changes(seed: u64, rows: usize, classes: usize, parts: &[usize]) {
    let (target, candidates) = random(seed, rows, classes, parts);
    for target in weightings(&target) {
        check_changes_of(&target, &candidates, parts);
    }
}

fn check_changes_of(target: &Target, candidates: &[Candidate], parts: &[usize]) {
    for likelihood in [Likelihood::Plain, Likelihood::Smoothed] {
        let mut weights = vec![0.0; parts.len()];
        let exact =
            |weights: &[f64]| data_cost(candidates, &target.outcomes(), likelihood, weights);
        let mut state = RowState::new(candidates, &target.outcomes(), likelihood);
        assert_close(state.cost(), exact(&weights), "at zero");
        for step in 0..3 * parts.len() {
            let moves = [
                (step % parts.len(), 0.625),
                ((step + 1) % parts.len(), 0.125),
            ];
            let changes = moves.map(|(candidate, weight)| Change {
                candidate,
                by: weight - weights[candidate],
            });
            let costs = state.costs_after(&changes);
            for ((candidate, weight), cost) in moves.into_iter().zip(&costs) {
                let mut changed = weights.clone();
                changed[candidate] = weight;
                assert_close(*cost, exact(&changed), "one change");
            }
            let kept = step % 2;
            weights[moves[kept].0] = moves[kept].1;
            state.apply(kept, costs[kept]);
        }
        state.restart(&weights);
        assert_close(state.cost(), exact(&weights), "restarted");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn changes_equal_evaluations(seed: u64, rows in 40_usize..3000, classes in 1_usize..40) {
        check_changes(seed, rows, classes, &[3, 2, 7]);
    }
}

#[test]
fn changes_equal_evaluations_for_packed_and_wide_codes() {
    for classes in [2, 3] {
        check_changes(1, 70_001, classes, &[2, 4, 16, 17, 300]);
    }
}

#[test]
fn gradients_equal_finite_differences() {
    for (classes, kind) in [2, 3, 33]
        .into_iter()
        .flat_map(|c| [(c, 0), (c, 1), (c, 2)])
    {
        let (target, candidates) = random(5, 1500, classes, &[3, 5, 300]);
        let target = &weightings(&target)[kind];
        let mut state = RowState::new(&candidates, &target.outcomes(), Likelihood::Plain);
        let mut weights = vec![0.0; 3];
        let step = 1e-5;
        for (candidate, weight) in [(0, 0.5), (2, 0.25), (1, 0.75)] {
            let derivatives = state.derivatives(&[0, 1, 2]);
            for (k, Derivatives { gradient, .. }) in derivatives.into_iter().enumerate() {
                let cost = |by: f64| {
                    let mut moved = weights.clone();
                    moved[k] += by;
                    data_cost(&candidates, &target.outcomes(), Likelihood::Plain, &moved)
                };
                // Weights are not negative: one-sided, of second order.
                let slope = (4.0 * cost(step) - 3.0 * cost(0.0) - cost(2.0 * step)) / (2.0 * step);
                let error = (gradient - slope).abs();
                assert!(
                    error < 1e-4 * gradient.abs().max(1.0),
                    "{gradient}, not {slope}"
                );
            }
            let change = Change {
                candidate,
                by: weight,
            };
            let cost = state.costs_after(&[change])[0];
            state.apply(0, cost);
            weights[candidate] = weight;
        }
    }
}

/// Weights between the bounds, a few of them at a bound.
pub(crate) fn random_weights(seed: u64, variables: usize) -> Vec<f64> {
    let mut generator = Xoshiro256PlusPlus::seed_from_u64(seed ^ 0x5eed);
    let weight = |draw: u64| ((draw >> 11) as f64 / (1_u64 << 53) as f64).mul_add(1.2, -0.1);
    let mut draw = || weight(generator.next_u64()).clamp(0.0, 1.0);
    (0..variables).map(|_| draw()).collect()
}

/// Oracle §11.3: all rows have the same posterior, so the contingency table is enough.
#[test]
fn at_zero_the_gradient_is_that_of_the_contingency_table() {
    for (rows, classes) in [
        (60, 1),
        (901, 2),
        (70_000, 2),
        (700, 3),
        (5000, 20),
        (900, 33),
    ] {
        // More candidates than are handled together, so that both ways to share the work occur.
        let parts: Vec<usize> = (0..FEW_CANDIDATES + 3).map(|k| 2 + 3 * k).collect();
        let (target, candidates) = random(11, rows, classes, &parts);
        let all: Vec<usize> = (0..parts.len()).collect();
        let mut state = RowState::new(&candidates, &target.outcomes(), Likelihood::Plain);
        let mut found = state.derivatives(&all[..3]);
        found.extend(state.derivatives(&all));
        for (derivatives, k) in found.iter().zip([0, 1, 2].into_iter().chain(all)) {
            let mut counts = vec![0.0; parts[k] * classes];
            for (row, &label) in target.codes().iter().enumerate() {
                counts[candidates[k].codes.get(row) * classes + label as usize] += 1.0;
            }
            let (mut expected, mut scale) = (0.0, 0.0);
            let lines = candidates[k].scores.chunks_exact(classes);
            for (logs, counts) in lines.zip(counts.chunks_exact(classes)) {
                let of_part: f64 = counts.iter().sum();
                for ((log, count), &of_class) in logs.iter().zip(counts).zip(target.counts()) {
                    let share = of_class as f64 / rows as f64;
                    expected += log * (of_part * share - count);
                    scale += log.abs() * count;
                }
            }
            let error = (derivatives.gradient - expected).abs();
            assert!(
                error <= 1e-10 * scale,
                "{classes} classes, {k}: {}, not {expected}",
                derivatives.gradient
            );
        }
    }
}

/// The second derivative, of rows that show a change they have not made yet and of rows that
/// were set to the same weights at once.
#[test]
fn curvatures_equal_finite_differences_of_gradients() {
    let parts = [3, 5, 300, 2, 17, 4, 3, 2, 6, 3];
    let all: Vec<usize> = (0..parts.len()).collect();
    for (classes, kind) in [2, 3, 20, 33]
        .into_iter()
        .flat_map(|c| [(c, 0), (c, 1), (c, 2)])
    {
        let (target, candidates) = random(9, 1200, classes, &parts);
        let target = &weightings(&target)[kind];
        let mut weights = random_weights(classes as u64, parts.len());
        let mut state = RowState::new(&candidates, &target.outcomes(), Likelihood::Plain);
        state.restart(&weights);
        let change = Change {
            candidate: 2,
            by: 0.37 - weights[2],
        };
        let cost = state.costs_after(&[change])[0];
        state.apply(0, cost);
        weights[2] = 0.37;
        let mut found = state.derivatives(&all[..4]);
        state.restart(&weights);
        found.extend(state.derivatives(&all));
        let step = 1e-4;
        for (at, k) in found
            .iter()
            .zip([0, 1, 2, 3].into_iter().chain(all.clone()))
        {
            let mut gradient = |by: f64| {
                let mut moved = weights.clone();
                moved[k] += by;
                state.restart(&moved);
                state.derivatives(&[k])[0].gradient
            };
            let slope = (gradient(step) - gradient(-step)) / (2.0 * step);
            assert!(
                (at.curvature - slope).abs() < 1e-6 * slope.abs().max(1e-3),
                "{classes} classes, {k}: {}, not {slope}",
                at.curvature
            );
        }
    }
}

/// The slope along a direction, which no row state shows.
#[test]
fn slopes_equal_finite_differences() {
    let parts = [3, 5, 2, 17, 4];
    for (classes, kind) in [2, 3, 20]
        .into_iter()
        .flat_map(|c| [(c, 0), (c, 1), (c, 2)])
    {
        let (target, candidates) = random(4, 800, classes, &parts);
        let target = &weightings(&target)[kind];
        let from = random_weights(1, parts.len());
        let to = random_weights(2, parts.len());
        let changes: Vec<f64> = to.iter().zip(&from).map(|(to, from)| to - from).collect();
        let mut state = RowState::new(&candidates, &target.outcomes(), Likelihood::Plain);
        let (scores, direction) = (state.scores(&from), state.direction(&changes));
        for step in [0.1, 0.5, 0.9] {
            let mut cost = |step: f64| {
                let mut moved = scores.clone();
                moved.step(&direction, step);
                state.set_scores(moved);
                state.cost()
            };
            let expected = (cost(step + 1e-5) - cost(step - 1e-5)) / 2e-5;
            let between = from.iter().zip(&changes).map(|(from, by)| from + step * by);
            let between: Vec<f64> = between.collect();
            let exact = data_cost(&candidates, &target.outcomes(), Likelihood::Plain, &between);
            assert_close(cost(step), exact, "along the direction");
            let found = state.slope(&scores, &direction, &changes, step);
            assert!(
                (found - expected).abs() < 1e-6 * expected.abs().max(1.0),
                "{classes} classes, {step}: {found}, not {expected}"
            );
        }
    }
}

/// All sums that leave the rows: costs, slopes, derivatives, masses, after moves that bring rows out
/// of the range of doubles and back.
fn all_sums(
    candidates: &[Candidate],
    outcomes: &Outcomes,
    likelihood: Likelihood,
    block_rows: usize,
) -> Vec<f64> {
    let all: Vec<usize> = (0..candidates.len()).collect();
    let weights = random_weights(3, candidates.len());
    let mut state = RowState::in_blocks(candidates, outcomes, likelihood, block_rows);
    let mut numbers = Vec::new();
    let scores = state.scores(&weights);
    let direction = state.direction(&weights);
    numbers.push(state.slope(&scores, &direction, &weights, 0.3));
    state.set_scores(scores);
    numbers.push(state.cost());
    for by in [1.0, -0.75, 0.5] {
        let changes: Vec<Change> = all
            .iter()
            .map(|&candidate| Change { candidate, by })
            .collect();
        for changes in changes.chunks(3) {
            let costs = state.costs_after(changes);
            state.apply(costs.len() / 2, costs[costs.len() / 2]);
            numbers.extend(costs);
        }
        for candidates in [&all[..2], &all] {
            for at in state.derivatives(candidates) {
                numbers.extend([at.gradient, at.curvature]);
            }
        }
    }
    let codes = &candidates[0].codes;
    let cells = candidates[0].scores.len() / outcomes.len();
    numbers.extend(state.masses(codes, cells));
    numbers
}

/// Oracle §11.9, where it is decided: all sums over blocks, of which there are at least three.
#[test]
fn the_same_bits_for_any_number_of_threads() {
    let parts: Vec<usize> = (0..FEW_CANDIDATES + 12).map(|k| 2 + k).collect();
    let sizes = [(132_500, 2), (33_000, 3), (8_300, 20)];
    for ((rows, classes), kind) in sizes.into_iter().flat_map(|size| [(size, 0), (size, 2)]) {
        let (target, candidates) = random(3, rows, classes, &parts);
        let target = &weightings(&target)[kind];
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let pool = pool.build().expect("threads");
            let size = block_rows(if classes == 2 { 1 } else { classes });
            pool.install(|| all_sums(&candidates, &target.outcomes(), Likelihood::Plain, size))
        };
        let expected = run(1);
        for threads in [2, 3, 5] {
            assert_eq!(
                run(threads),
                expected,
                "{classes} classes, {threads} threads"
            );
        }
    }
}

/// The candidates with their scores stretched, so that posteriors and odds leave the range of doubles.
fn stretched(candidates: Vec<Candidate<'static>>, factor: f64) -> Vec<Candidate<'static>> {
    let stretch = |mut candidate: Candidate<'static>| {
        candidate
            .scores
            .iter_mut()
            .for_each(|score| *score *= factor);
        candidate
    };
    candidates.into_iter().map(stretch).collect()
}

/// The rows in another order.
fn reordered<'a>(
    candidates: &[Candidate<'a>],
    codes: &[u32],
    weights: Option<&RowWeights>,
    order: &[usize],
) -> (Vec<Candidate<'a>>, Vec<u32>, Option<RowWeights>) {
    let moved = |candidate: &Candidate<'a>| Candidate {
        codes: Cow::Owned(candidate.codes.take(order)),
        ..candidate.clone()
    };
    (
        candidates.iter().map(moved).collect(),
        order.iter().map(|&row| codes[row]).collect(),
        weights.map(|weights| weights.take(order)),
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    /// What leaves the rows is the same for any order of them and any blocks, whatever their weights
    /// and however far their scores spread.
    #[test]
    fn sums_do_not_depend_on_orders_and_blocks(
        seed: u64,
        rows in 40_usize..1200,
        classes in 2_usize..9,
        block in 1_usize..40,
        kind in 0_usize..3,
        stretch in prop_oneof![Just(1.0), Just(12.0)],
    ) {
        let (target, candidates) = random(seed, rows, classes, &[3, 2, 7, 4, 300, 2, 17, 5, 2, 3]);
        let candidates = stretched(candidates, stretch);
        let target = &weightings(&target)[kind];
        let outcomes = target.outcomes();
        let mut order: Vec<usize> = (0..rows).collect();
        order.sort_by_key(|&row| (row as u64 ^ seed).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let (others, codes, weights) =
            reordered(&candidates, outcomes.codes(), outcomes.weights(), &order);
        let other = Outcomes::new(&codes, outcomes.counts().to_vec(), weights.as_ref());
        for likelihood in [Likelihood::Plain, Likelihood::Smoothed] {
            let expected = all_sums(&candidates, &outcomes, likelihood, 4096);
            prop_assert_eq!(&all_sums(&others, &other, likelihood, 4096), &expected);
            prop_assert_eq!(&all_sums(&others, &other, likelihood, 8 * block), &expected);
        }
    }

    /// Costs after changes and derivatives, when scores spread over thousands of nats: against
    /// evaluations from scratch.
    #[test]
    fn no_spread_is_too_large(seed: u64, rows in 40_usize..600, classes in 2_usize..6) {
        let parts = [3, 2, 7, 4, 5, 2, 3, 2];
        let (target, candidates) = random(seed, rows, classes, &parts);
        // Five times the scores of 40 candidates: up to a thousand nats.
        let candidates: Vec<Candidate> = stretched(candidates, 10.0).into_iter().cycle().take(40).collect();
        for target in weightings(&target) {
            let mut state = RowState::new(&candidates, &target.outcomes(), Likelihood::Plain);
            let mut weights = vec![0.0; candidates.len()];
            let cost = |weights: &[f64]| {
                data_cost(&candidates, &target.outcomes(), Likelihood::Plain, weights)
            };
            // All in, then half of them out again, one by one.
            let moves = (0..40).map(|k| (k, 1.0)).chain((0..40).step_by(2).map(|k| (k, 0.0)));
            for (candidate, weight) in moves {
                let by = weight - weights[candidate];
                let found = state.costs_after(&[Change { candidate, by }])[0];
                state.apply(0, found);
                weights[candidate] = weight;
                let expected = cost(&weights);
                prop_assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1.0));
            }
            let found = state.derivatives(&[0, 1, 2]);
            state.restart(&weights);
            prop_assert!((state.cost() - cost(&weights)).abs() <= 1e-9 * cost(&weights).max(1.0));
            for (found, expected) in found.iter().zip(state.derivatives(&[0, 1, 2])) {
                let error = (found.gradient - expected.gradient).abs();
                prop_assert!(error <= 1e-8 * expected.gradient.abs().max(1.0));
                let error = (found.curvature - expected.curvature).abs();
                prop_assert!(error <= 1e-7 * expected.curvature.abs().max(1.0));
            }
        }
    }
}

/// The posterior of every outcome of a row, term by term.
fn posteriors(candidates: &[Candidate], target: &Target, weights: &[f64], row: usize) -> Vec<f64> {
    let classes = target.classes().len();
    let all = target.total() as f64;
    let score = |class: usize| {
        let prior = (target.counts()[class] as f64 / all).ln();
        let terms = candidates.iter().zip(weights);
        let term = |(c, w): (&Candidate, &f64)| w * c.scores[c.codes.get(row) * classes + class];
        (prior + terms.map(term).sum::<f64>()).exp()
    };
    let scores: Vec<f64> = (0..classes).map(score).collect();
    let sum: f64 = scores.iter().sum();
    scores.into_iter().map(|score| score / sum).collect()
}

/// Rows expected in the cells of a candidate: against a sum over the rows, after a change that the
/// rows do not show yet, and as the derivative says.
#[test]
fn masses_are_sums_of_posteriors() {
    for classes in [1, 2, 7] {
        let (plain, candidates) = random(5, 3000, classes, &[3, 5, 2, 300]);
        for target in weightings(&plain) {
            let outcomes = target.outcomes();
            let mut state = RowState::new(&candidates, &outcomes, Likelihood::Plain);
            state.restart(&[0.5, 0.0, 0.25, 0.0]);
            let change = Change {
                candidate: 1,
                by: 0.75,
            };
            let cost = state.costs_after(&[change])[0];
            state.apply(0, cost);
            let weights = [0.5, 0.75, 0.25, 0.0];
            for (k, candidate) in candidates.iter().enumerate() {
                let cells = candidate.scores.len() / classes;
                let masses = state.masses(&candidate.codes, cells);
                let mut expected = vec![0.0; masses.len()];
                let mut gradient = 0.0;
                for (row, &label) in target.codes().iter().enumerate() {
                    let weight = target.weights().map_or(1.0, |weights| weights.get(row));
                    let line = candidate.codes.get(row) * classes;
                    gradient -= weight * candidate.scores[line + label as usize];
                    let own = posteriors(&candidates, &target, &weights, row);
                    for (class, posterior) in own.into_iter().enumerate() {
                        expected[line + class] += weight * posterior;
                    }
                }
                for (found, expected) in masses.iter().zip(&expected) {
                    assert!((found - expected).abs() < 1e-8 * (1.0 + expected.abs()));
                }
                let by_score = masses.iter().zip(&candidate.scores);
                gradient += by_score.map(|(mass, score)| mass * score).sum::<f64>();
                let derivative = state.derivatives(&[k])[0].gradient;
                assert!((gradient - derivative).abs() < 1e-7 * (1.0 + derivative.abs()));
            }
        }
    }
}
