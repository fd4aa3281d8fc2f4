//! Steps against the criterion computed from scratch, bounds, and copies of variables.

use super::*;
use crate::columns::Target;
use crate::terms::PartCodes;
use crate::weights::continuous::Concave;
use crate::weights::rows::tests::{random, random_weights};
use crate::weights::rows::{Likelihood, RowState, data_cost};
use crate::weights::settings::LearnSettings;
use crate::weights::{Candidate, continuous_criterion};
use proptest::prelude::*;
use std::borrow::Cow;

const PARTS: [usize; 9] = [3, 5, 2, 7, 4, 2, 2, 3, 6];

fn problem(seed: u64, rows: usize, classes: usize) -> (Target, Vec<Candidate<'static>>) {
    let (target, mut candidates) = random(seed, rows, classes, &PARTS);
    for (k, candidate) in candidates.iter_mut().enumerate() {
        candidate.prior_cost = 3.0 + 0.3 * k as f64;
    }
    (target, candidates)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Oracle §11.5: the change of the likelihood lies between its two bounds, from the third
    /// derivative being at most the range of the variable times the second.
    #[test]
    fn changes_lie_between_the_curvature_bounds(
        seed: u64,
        classes in 1_usize..12,
        k in 0_usize..9,
        to in 0.0_f64..=1.0,
        closer in prop_oneof![Just(1.0), Just(1e-2), Just(1e-5)],
    ) {
        let (target, candidates) = problem(seed, 300, classes);
        let weights = random_weights(seed, PARTS.len());
        let by = closer * (to - weights[k]);
        let mut rows = RowState::new(&candidates, &target.outcomes(), Likelihood::Plain);
        let settings = LearnSettings::default();
        let mut criterion =
            Criterion::new(&mut rows, &candidates, classes, &settings, weights.clone());
        let at = criterion.derivatives(&[k])[0];
        let lower = criterion.least_change(k, at, by);
        let lines = candidates[k].scores.chunks_exact(classes);
        let range = lines.flat_map(|line| line.iter().flat_map(|a| line.iter().map(move |b| a - b)));
        let range = range.fold(0.0, f64::max);
        let a: f64 = range * by.abs();
        // The series avoids cancellation.
        let growth: f64 = (0..40).rev().fold(0.0, |sum, i| (1.0 + sum) * a / f64::from(i + 3));
        let upper = at.gradient * by + at.curvature * by * by * 0.5 * (1.0 + growth);
        let cost = |weights: &[f64]| data_cost(&candidates, &target.outcomes(), Likelihood::Plain, weights);
        let mut moved = weights.clone();
        moved[k] += by;
        let change = cost(&moved) - cost(&weights);
        // Terms of sums over rows are multiples of a quantum.
        let quanta = 300.0 * 0.5_f64.powi(44);
        let rounding = 1e-11 * cost(&weights).max(1.0) + quanta;
        prop_assert!(change >= lower - rounding, "{change} < {lower}");
        prop_assert!(change <= upper + rounding, "{change} > {upper}");
        // The lower one says more than the tangent does, and nearly all of a short step.
        let curved = lower - at.gradient * by;
        let parabola = 0.5 * at.curvature * by * by;
        let rounding = 1e-15 * (at.gradient * by).abs() + 1e-12;
        prop_assert!(curved <= parabola * (1.0 + 1e-6) + rounding, "{curved} > {parabola}");
        prop_assert!(curved >= parabola * (1.0 - a) - rounding, "{curved} < {parabola}");
    }
}

/// Oracle §11.6: a step gains what it says, never less than nothing, whatever the weights.
#[test]
fn steps_gain_what_they_say() {
    let mut gained = 0;
    for (seed, classes, lambda) in [(1, 2, 1.0), (2, 3, 0.25), (3, 20, 1.0), (4, 2, 0.0)] {
        let (target, candidates) = problem(seed, 400, classes);
        let settings = LearnSettings {
            lambda,
            ..LearnSettings::default()
        };
        let exact = |weights: &[f64]| {
            continuous_criterion(&candidates, &target.outcomes(), &settings, weights).total
        };
        let mut rows = RowState::new(&candidates, &target.outcomes(), Likelihood::Plain);
        let zero = vec![0.0; PARTS.len()];
        let mut criterion = Criterion::new(&mut rows, &candidates, classes, &settings, zero);
        let mut seen = |criterion: &mut Criterion, before: f64, gain: f64| {
            let after = exact(criterion.weights());
            assert!(gain >= -1e-10 * before, "{gain}");
            assert!((before - after - gain).abs() < 1e-9 * before, "{gain}");
            assert!((criterion.total() - after).abs() < 1e-9 * before);
            gained += usize::from(gain > 0.0);
        };
        for round in 0..12 {
            if round % 4 == 1 {
                criterion.set_weights(random_weights(round, PARTS.len()));
            }
            for k in 0..PARTS.len() {
                let before = exact(criterion.weights());
                let gain = criterion.step(k, 0.0);
                seen(&mut criterion, before, gain);
            }
            for k in 0..PARTS.len() {
                let before = exact(criterion.weights());
                let gain = criterion.leave_out_if(k, 0.0);
                seen(&mut criterion, before, gain);
            }
            let before = exact(criterion.weights());
            let gain = if round % 2 == 0 {
                criterion.sweeps(3, 0.0)
            } else {
                transfer(&mut criterion)
            };
            seen(&mut criterion, before, gain);
        }
    }
    assert!(gained > 200, "only {gained} steps gained something");
}

/// All rows are sure, one of them wrongly: a straight line leads to weight 0, which is worse.
#[test]
fn a_step_that_is_too_long_is_shortened() {
    for classes in [2, 3] {
        let (target, mut candidates) = random(1, 90, classes, &[classes]);
        let mut codes: Vec<u8> = target.codes().iter().map(|&label| label as u8).collect();
        codes[0] = (codes[0] + 1) % classes as u8;
        candidates[0].codes = Cow::Owned(PartCodes::Narrow(codes));
        let log = |i| if i % (classes + 1) == 0 { 0.0 } else { -40.0 };
        candidates[0].scores = (0..classes * classes).map(log).collect();
        let settings = LearnSettings::default();
        let exact = |weights: &[f64]| {
            continuous_criterion(&candidates, &target.outcomes(), &settings, weights).total
        };
        assert!(exact(&[0.0]) > exact(&[1.0]));
        let mut rows = RowState::new(&candidates, &target.outcomes(), Likelihood::Plain);
        let mut criterion = Criterion::new(&mut rows, &candidates, classes, &settings, vec![1.0]);
        let gain = criterion.step(0, 0.0);
        assert!(gain > 1.0, "{gain}");
        let after = exact(criterion.weights());
        assert!((exact(&[1.0]) - after - gain).abs() < 1e-9 * after);
    }
}

/// Oracle §11.6, the whole search: more rounds never end higher.
#[test]
fn rounds_never_go_up() {
    for (seed, classes) in [(1, 2), (2, 5)] {
        let (target, candidates) = problem(seed, 400, classes);
        let settings = LearnSettings::default();
        let pool: Vec<usize> = (0..PARTS.len()).collect();
        for start in [vec![0.0; PARTS.len()], random_weights(seed, PARTS.len())] {
            let mut last =
                continuous_criterion(&candidates, &target.outcomes(), &settings, &start).total;
            let first = last;
            for rounds in 1..6 {
                let mut rows = RowState::new(&candidates, &target.outcomes(), Likelihood::Plain);
                let mut criterion =
                    Criterion::new(&mut rows, &candidates, classes, &settings, start.clone());
                search(&mut criterion, &pool, 1e-6, rounds, &());
                let weights = criterion.into_weights();
                let total =
                    continuous_criterion(&candidates, &target.outcomes(), &settings, &weights)
                        .total;
                assert!(total <= last * (1.0 + 1e-12), "{total} > {last}");
                last = total;
            }
            assert!(last < first - 1.0, "{last} of {first}");
        }
    }
}

/// Weights found by the quality mode: relaxation, search, transfers.
fn search_with_transfers(
    target: &Target,
    candidates: &[Candidate],
    settings: &LearnSettings,
) -> (f64, Vec<f64>) {
    let classes = target.classes().len();
    let pool: Vec<usize> = (0..candidates.len()).collect();
    let mut rows = RowState::new(candidates, &target.outcomes(), Likelihood::Plain);
    let least_gain = settings.tolerance * rows.cost();
    let zero = vec![0.0; candidates.len()];
    let mut criterion = Criterion::new(&mut rows, candidates, classes, settings, zero);
    criterion.set_curve(Concave::new(1.0, settings.delta));
    search(&mut criterion, &pool, least_gain, 500, &());
    criterion.set_curve(Concave::new(settings.p, settings.delta));
    search(&mut criterion, &pool, least_gain, 500, &());
    for _ in 0..3 {
        if transfer(&mut criterion) <= least_gain {
            break;
        }
        search(&mut criterion, &pool, least_gain, 500, &());
    }
    let weights = criterion.into_weights();
    let total = continuous_criterion(candidates, &target.outcomes(), settings, &weights).total;
    (total, weights)
}

/// Oracle §11.8, without the help of removing copies first: weight is moved from one copy to the other.
#[test]
fn copies_are_left_out_by_the_search_itself() {
    for (seed, classes) in [(1, 2), (2, 3), (3, 10)] {
        let (target, candidates) = problem(seed, 600, classes);
        let settings = LearnSettings::default();
        let (expected, alone) = search_with_transfers(&target, &candidates, &settings);
        assert!(alone.iter().filter(|w| **w > 0.0).count() > 3);
        let twice: Vec<Candidate> = candidates
            .iter()
            .flat_map(|c| [c.clone(), c.clone()])
            .collect();
        let (found, weights) = search_with_transfers(&target, &twice, &settings);
        let doubles = weights
            .chunks(2)
            .filter(|pair| pair[0] > 0.0 && pair[1] > 0.0);
        assert!(doubles.count() <= 2, "{weights:?}");
        assert!(
            (found - expected).abs() < 1e-3 * expected,
            "{classes} classes: {found}, not {expected}"
        );
    }
}

/// The variables that matter least are those of all, although few of them are tried.
#[test]
fn least_losses_are_those_of_leaving_out_each() {
    for (seed, classes) in [(1, 2), (2, 3), (3, 10), (4, 2)] {
        let (target, candidates) = problem(seed, 400, classes);
        let settings = LearnSettings::default();
        let weights = random_weights(seed, PARTS.len());
        let mut rows = RowState::new(&candidates, &target.outcomes(), Likelihood::Plain);
        let mut criterion =
            Criterion::new(&mut rows, &candidates, classes, &settings, weights.clone());
        let total = |weights: &[f64]| {
            continuous_criterion(&candidates, &target.outcomes(), &settings, weights).total
        };
        let mut expected: Vec<(f64, usize)> = Vec::new();
        for k in (0..weights.len()).filter(|&k| weights[k] > 0.0) {
            let mut without = weights.clone();
            without[k] = 0.0;
            expected.push((total(&without), k));
        }
        expected.sort_by(|a, b| a.0.total_cmp(&b.0));
        for count in 1..=expected.len() {
            let found = criterion.least_losses(count);
            let expected: Vec<usize> = expected[..count].iter().map(|(_, k)| *k).collect();
            assert_eq!(found, expected, "{classes} classes");
        }
    }
}
