//! Data and settings at the edge, for every method.

use crate::weights_methods::{NULL_COST, assert_valid, every_method, optimise_set, selected};
use crate::weights_synthetic::SyntheticSet;
use fnb::Start;
use fnb::terms::{PartCodes, log_probabilities};
use fnb::weights::{Candidate, LearnSettings, continuous_criterion, optimise};
use std::borrow::Cow;

/// A variable that separates the classes exactly, and copies of it.
fn separating<'a>(set: &SyntheticSet, names: &'a [String]) -> Vec<Candidate<'a>> {
    let classes = set.target.classes().len();
    let count = |part, class| {
        if part == class {
            set.target.counts()[class]
        } else {
            0
        }
    };
    let counts: Vec<Vec<u64>> = (0..classes)
        .map(|part| (0..classes).map(|class| count(part, class)).collect())
        .collect();
    let codes: Vec<u8> = set.target.codes().iter().map(|&code| code as u8).collect();
    let candidate = |name: &'a String| Candidate {
        name,
        level: 0.9,
        prior_cost: 3.0,
        codes: Cow::Owned(PartCodes::Narrow(codes.clone())),
        unlisted: None,
        scores: log_probabilities(&counts, set.target.total()),
    };
    names.iter().map(candidate).collect()
}

/// A method with each of the settings that matter most at an edge.
fn variants(settings: &LearnSettings) -> Vec<(&'static str, LearnSettings)> {
    let with = |name, change: fn(&mut LearnSettings)| {
        let mut changed = settings.clone();
        change(&mut changed);
        (name, changed)
    };
    let mut variants = vec![
        with("as it is", |_| {}),
        with("no prior", |s| s.lambda = 0.0),
        with("a strong prior", |s| s.lambda = 50.0),
        with("a linear prior", |s| s.p = 1.0),
        with("one variable", |s| s.max_selected = Some(1)),
        with("one iteration", |s| s.max_iterations = 1),
    ];
    if settings.method.is_continuous() {
        variants.push(with("from half", |s| s.start = Some(Start::Half)));
        variants.push(with("from snb", |s| s.start = Some(Start::Snb)));
        variants.push(with("from fnb", |s| s.start = Some(Start::Fnb)));
    }
    variants
}

#[test]
fn every_method_copes_with_degenerate_data() {
    let sets = [
        ("one class", SyntheticSet::new(50, 1, &[3, 2], 1)),
        ("two rows", SyntheticSet::new(2, 2, &[2, 2, 2], 1)),
        ("one row", SyntheticSet::new(1, 1, &[2, 2], 1)),
        (
            "more variables than rows",
            SyntheticSet::new(12, 3, &[3; 40], 1),
        ),
        ("a class per row", SyntheticSet::new(20, 20, &[4, 5], 1)),
        ("one variable", SyntheticSet::new(300, 2, &[4], 1)),
        ("one of many classes", SyntheticSet::new(300, 5, &[4], 1)),
        ("no variable", SyntheticSet::new(300, 3, &[], 1)),
        ("redundant", SyntheticSet::redundant(90, 4, 2, 30, 1)),
    ];
    for (what, set) in &sets {
        for (method, settings) in every_method() {
            for (variant, settings) in variants(&settings) {
                let what = format!("{what}, {method}, {variant}");
                let outcome = optimise_set(set, &settings);
                assert_valid(&set.candidates(), &set.target, &settings, &outcome, &what);
                if set.candidates().is_empty() {
                    assert_eq!(outcome.criterion, outcome.null_criterion, "{what}");
                }
            }
        }
    }
}

/// Scores become extreme, weights reach both bounds, nothing overflows.
#[test]
fn every_method_copes_with_separable_data() {
    for classes in [2, 3] {
        let set = SyntheticSet::new(200, classes, &[3, 4, 2], 1);
        let names: Vec<String> = (0..20).map(|k| format!("copy {k}")).collect();
        let mut candidates = separating(&set, &names);
        candidates.extend(set.candidates());
        let mut bounds = [0; 2];
        for (method, settings) in every_method() {
            for (variant, settings) in variants(&settings) {
                let what = format!("separable, {method}, {variant}");
                let outcome = optimise(
                    &candidates,
                    &set.target.outcomes(),
                    NULL_COST,
                    &settings,
                    &(),
                );
                assert_valid(&candidates, &set.target, &settings, &outcome, &what);
                bounds[0] += usize::from(outcome.weights.contains(&0.0));
                bounds[1] += usize::from(outcome.weights.contains(&1.0));
                // What separates the classes is used, however strong the prior.
                if settings.lambda < 1.0 && settings.max_iterations > 1 {
                    assert!(selected(&outcome) > 0, "{what}");
                    let (data, null) = (outcome.criterion.data, outcome.null_criterion.data);
                    assert!(data < 0.1 * null, "{what}: {data} of {null}");
                }
            }
        }
        assert!(bounds[0] > 10 && bounds[1] > 10, "{bounds:?}");
    }
}

/// The lowest continuous criterion of a model of at most one variable, its weight on a grid.
fn best_single(set: &SyntheticSet, settings: &LearnSettings) -> f64 {
    let candidates = set.candidates();
    let value = |k: usize, weight: f64| {
        let mut weights = vec![0.0; candidates.len()];
        weights[k] = weight;
        continuous_criterion(&candidates, &set.target.outcomes(), settings, &weights).total
    };
    let of_candidate = |k: usize| {
        let (mut best, mut at) = (f64::INFINITY, 0.0);
        let mut look = |weight: f64| {
            let total = value(k, weight);
            if total < best {
                (best, at) = (total, weight);
            }
            at
        };
        let mut centre = 0.0;
        for i in 0..=40 {
            centre = look(f64::from(i) / 40.0);
        }
        for i in -10..=10 {
            look((centre + f64::from(i) / 400.0).clamp(0.0, 1.0));
        }
        best
    };
    (0..candidates.len())
        .map(of_candidate)
        .fold(f64::INFINITY, f64::min)
}

#[test]
fn the_only_variable_is_the_best_one() {
    let sets = [
        SyntheticSet::new(300, 2, &[3, 4, 5, 2, 6, 3], 3),
        SyntheticSet::new(300, 5, &[3, 4, 5, 2, 6, 3], 4),
        SyntheticSet::redundant(300, 2, 3, 30, 5),
        SyntheticSet::redundant(200, 4, 3, 30, 6),
        SyntheticSet::redundant(200, 20, 4, 30, 7),
    ];
    for set in &sets {
        for lambda in [0.25, 1.0] {
            let settings = |settings: &LearnSettings| LearnSettings {
                lambda,
                max_selected: Some(1),
                ..settings.clone()
            };
            let best = best_single(set, &settings(&LearnSettings::default()));
            for (method, base) in every_method() {
                let outcome = optimise_set(set, &settings(&base));
                assert_eq!(selected(&outcome), 1, "{method}, lambda {lambda}");
                // An add/drop search that stops at one variable has minimised something else.
                let limited = outcome.stages.iter().any(|effort| effort.stage == "limit");
                let comparable = limited || base.method.is_continuous();
                let found = outcome.criterion.total;
                assert!(
                    found <= 1.001 * best || !comparable,
                    "{method}, {} classes, lambda {lambda}: {found}, the best one {best}",
                    set.target.classes().len()
                );
            }
        }
    }
}

#[test]
fn no_more_variables_than_wanted() {
    let set = SyntheticSet::redundant(150, 3, 4, 25, 2);
    for (method, base) in every_method() {
        let mut last = f64::INFINITY;
        for most in [1, 2, 3, 5, 8, 25] {
            let settings = LearnSettings {
                max_selected: Some(most),
                lambda: 0.1,
                ..base.clone()
            };
            let outcome = optimise_set(&set, &settings);
            let what = format!("{method}, at most {most}");
            assert_valid(&set.candidates(), &set.target, &settings, &outcome, &what);
            assert!(selected(&outcome) > 0, "{what}");
            if most <= 5 && base.method.is_continuous() {
                let total = outcome.criterion.total;
                assert!(total <= 1.001 * last, "{what}: {total} after {last}");
                last = total;
            }
        }
    }
}
