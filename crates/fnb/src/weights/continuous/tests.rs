//! The gradient methods against finite differences, their own values step by step, and a generic
//! solver.

use super::*;
use crate::columns::{CategoricalColumn, Column, ColumnData, Target};
use crate::terms::PartCodes;
use crate::weights::continuous_criterion;
use crate::weights::rows::tests::{random, random_weights};
use crate::weights::rows::{Likelihood, data_cost};
use objectives::Objective;
use proptest::prelude::*;
use serde::Deserialize;
use std::borrow::Cow;

/// Random rows, with prices that differ.
fn problem(
    seed: u64,
    rows: usize,
    classes: usize,
    parts: &[usize],
) -> (Target, Vec<Candidate<'static>>) {
    let (target, mut candidates) = random(seed, rows, classes, parts);
    for (k, candidate) in candidates.iter_mut().enumerate() {
        candidate.prior_cost = 3.0 + 0.5 * k as f64;
    }
    (target, candidates)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Oracle §11.1: the gradient of the whole criterion, as the projected gradient method sees it.
    #[test]
    fn the_gradient_of_the_criterion_is_that_of_finite_differences(
        seed: u64,
        classes in 2_usize..12,
        lambda in 0.0_f64..3.0,
        p in 0.3_f64..=1.0,
    ) {
        let (target, candidates) = problem(seed, 300, classes, &[3, 5, 2, 7, 4]);
        let settings = LearnSettings { lambda, p, ..LearnSettings::default() };
        let interior = |weight: f64| weight.clamp(0.05, 0.95);
        let weights: Vec<f64> = random_weights(seed, 5).into_iter().map(interior).collect();
        let penalty = ContinuousPenalty::new(&candidates, &settings);
        let whole = Whole { penalty: &penalty, lambda };
        let mut rows = RowState::new(&candidates, &target.outcomes(), Likelihood::Plain);
        rows.restart(&weights);
        let all = [0, 1, 2, 3, 4];
        let likelihood = rows.derivatives(&all);
        let prior = whole.smooth_gradients(&weights, &all);
        let (mut error, mut norm) = (0.0, 0.0);
        for (k, (likelihood, prior)) in likelihood.iter().zip(prior).enumerate() {
            let at = |by: f64| {
                let mut moved = weights.clone();
                moved[k] += by;
                continuous_criterion(&candidates, &target.outcomes(), &settings, &moved).total
            };
            // Of fourth order.
            let h = 2e-4;
            let slope = (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
            let gradient = likelihood.gradient + prior;
            error += (gradient - slope).powi(2);
            norm += slope.powi(2);
        }
        prop_assert!(error.sqrt() < 1e-6 * norm.sqrt(), "{} of {}", error.sqrt(), norm.sqrt());
    }
}

/// The weights after 1, 2, 3, ... iterations from the same start: a descent is deterministic, so
/// these are its iterates. It ends when one more iteration changes nothing.
fn iterates(
    (target, candidates): &(Target, Vec<Candidate>),
    objective: &impl Objective,
    start: &[f64],
) -> Vec<Vec<f64>> {
    let mut iterates = vec![start.to_vec()];
    for iterations in 1..200 {
        let limits = Limits {
            epsilon: 1e-3,
            tolerance: 1e-7,
            iterations,
            progress: &(),
        };
        let mut rows = RowState::new(candidates, &target.outcomes(), Likelihood::Plain);
        let mut weights = start.to_vec();
        rows.restart(&weights);
        if descend(&mut rows, &mut weights, objective, Rule::Monotone, limits) < iterations {
            break;
        }
        let shown = data_cost(candidates, &target.outcomes(), Likelihood::Plain, &weights);
        assert!((rows.cost() - shown).abs() < 1e-9 * shown.max(1.0));
        iterates.push(weights);
    }
    iterates
}

/// Oracle §11.6: each step of a descent lowers what it minimises, computed from scratch.
#[test]
fn no_step_goes_up() {
    let parts = [3, 4, 5, 2, 6, 3, 2, 2];
    for (seed, classes, lambda) in [(1, 2, 1.0), (2, 3, 0.25), (3, 20, 1.0), (4, 2, 0.0)] {
        let problem = problem(seed, 400, classes, &parts);
        let (target, candidates) = &problem;
        let settings = LearnSettings {
            lambda,
            ..LearnSettings::default()
        };
        let penalty = ContinuousPenalty::new(candidates, &settings);
        let mut start = half(parts.len());
        // Steps that may take weights back would.
        start[1] = 0.0;
        start[2] = 0.0;
        let prices = Prices::new(&penalty, lambda, &start);
        let whole = Whole {
            penalty: &penalty,
            lambda,
        };
        assert_goes_down(&problem, &whole, &start, "sg");
        assert_goes_down(&problem, &Relaxed(&prices), &start, "relaxation");
        assert_goes_down(&problem, &Linearised(&prices), &start, "ue");
        assert_goes_down(&problem, &Exact(&prices), &start, "cf");

        // What SG minimises is the criterion that is reported.
        let value = whole.smooth(&start)
            + data_cost(candidates, &target.outcomes(), Likelihood::Plain, &start);
        let reported = continuous_criterion(candidates, &target.outcomes(), &settings, &start);
        assert!((value - reported.total).abs() < 1e-9 * value);
    }
}

/// The values along a descent, computed from scratch, go down, and zeros stay if they should.
fn assert_goes_down(
    problem: &(Target, Vec<Candidate>),
    objective: &impl Objective,
    start: &[f64],
    what: &str,
) {
    let iterates = iterates(problem, objective, start);
    assert!(iterates.len() > 4, "{what} makes {} steps", iterates.len());
    let value = |weights: &Vec<f64>| {
        let data = data_cost(
            &problem.1,
            &problem.0.outcomes(),
            Likelihood::Plain,
            weights,
        );
        data + objective.smooth(weights) + objective.other(weights)
    };
    let values: Vec<f64> = iterates.iter().map(value).collect();
    for (pair, values) in iterates.windows(2).zip(values.windows(2)) {
        assert!(values[1] <= values[0] * (1.0 + 2e-9), "{what}: {values:?}");
        assert!(pair[1].iter().all(|weight| (0.0..=1.0).contains(weight)));
        for (from, to) in pair[0].iter().zip(&pair[1]) {
            let back = *from == 0.0 && *to > 0.0;
            assert!(!back || !objective.zeros_stay(), "{what}: a zero came back");
        }
    }
    assert!(
        values[values.len() - 1] < 0.999 * values[0],
        "{what}: {values:?}"
    );
}

/// A convex relaxation and its solution, see `tests/fixtures/relaxation.py`.
#[derive(Deserialize)]
struct Solved {
    classes: usize,
    labels: Vec<u32>,
    codes: Vec<Vec<u8>>,
    #[serde(rename = "log_probabilities")]
    scores: Vec<Vec<f64>>,
    prior_costs: Vec<f64>,
    lambda: f64,
    start: f64,
    value: f64,
    weights: Vec<f64>,
}

impl Solved {
    fn problem(&self) -> (Target, Vec<Candidate<'static>>) {
        let names: Vec<String> = self.labels.iter().map(u32::to_string).collect();
        let column: CategoricalColumn = names.iter().map(|name| Some(name.as_str())).collect();
        let data = ColumnData::Categorical(column);
        let name = "class".into();
        let target = Target::from_column(&Column { name, data }).expect("categories");
        assert_eq!(target.codes(), self.labels);
        assert_eq!(target.classes().len(), self.classes);
        let variables = self.codes.iter().zip(&self.scores);
        let candidates = variables.zip(&self.prior_costs);
        let candidates = candidates.map(|((codes, logs), &prior_cost)| Candidate {
            name: "x",
            level: 0.1,
            prior_cost,
            codes: Cow::Owned(PartCodes::Narrow(codes.clone())),
            unlisted: None,
            scores: logs.clone(),
        });
        (target, candidates.collect())
    }
}

/// Oracle §11.10: the three first stages find the optimum that a generic convex solver finds.
#[test]
fn the_relaxation_is_solved() {
    let fixture = include_str!("../../../tests/fixtures/relaxation.json");
    let problems: Vec<Solved> = serde_json::from_str(fixture).expect("a fixture");
    for solved in &problems {
        let (target, candidates) = solved.problem();
        let settings = LearnSettings {
            lambda: solved.lambda,
            p: 1.0,
            ..LearnSettings::default()
        };
        let penalty = ContinuousPenalty::new(&candidates, &settings);
        let start = vec![solved.start; candidates.len()];
        let prices = Prices::new(&penalty, solved.lambda, &start);
        let value = |weights: &[f64]| {
            data_cost(&candidates, &target.outcomes(), Likelihood::Plain, weights)
                + Relaxed(&prices).other(weights)
        };
        let best = solved.value;
        assert!((value(&solved.weights) - best).abs() < 1e-8 * best);
        let null = data_cost(
            &candidates,
            &target.outcomes(),
            Likelihood::Plain,
            &vec![0.0; start.len()],
        );
        let mut found = Vec::new();
        for method in [Method::SgCf, Method::UgCf, Method::CgCf] {
            let mut rows = RowState::new(&candidates, &target.outcomes(), Likelihood::Plain);
            let mut weights = start.clone();
            rows.restart(&weights);
            let limits = Limits::new(&settings, &());
            let accuracy = ACCURACY * null;
            relax(&mut rows, &prices, method, accuracy, &mut weights, limits);
            let reached = value(&weights);
            assert!(
                (reached - best).abs() < 1e-3 * best,
                "{method:?}, {} classes, lambda {}: {reached}, not {best}",
                solved.classes,
                solved.lambda
            );
            assert!(
                reached > best * (1.0 - 1e-7),
                "{method:?} beats the optimum"
            );
            found.push(reached);
        }
        let (least, most) = found
            .iter()
            .fold((f64::INFINITY, 0.0_f64), |(least, most), &v| {
                (least.min(v), most.max(v))
            });
        assert!(most - least < 2e-3 * null, "{found:?}");
    }
}
