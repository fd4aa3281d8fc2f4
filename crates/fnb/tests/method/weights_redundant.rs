//! Thousands of variables that see the same few things, and many classes.

use crate::weights_methods::{every_method, optimise_set, selected};
use crate::weights_synthetic::SyntheticSet;
use fnb::weights::LearnSettings;
use fnb::{Method, Start};

fn set() -> SyntheticSet {
    SyntheticSet::redundant(100, 20, 1, 10_000, 1)
}

/// A method that collapses does so in its first steps.
const ITERATIONS: usize = 12;

/// From the start `norm` no method ends at the null model, or near it.
#[test]
fn no_method_collapses() {
    let set = set();
    for (method, settings) in every_method() {
        let settings = LearnSettings {
            start: Some(Start::Norm),
            max_iterations: ITERATIONS,
            ..settings
        };
        let outcome = optimise_set(&set, &settings);
        assert!(selected(&outcome) > 5, "{method}: {}", selected(&outcome));
        // Naive Bayes uses all variables, and pays for all.
        let (found, null) = (outcome.criterion.total, outcome.null_criterion.total);
        assert!(
            found < 0.5 * null || settings.method == Method::Nb,
            "{method}: {found} of {null}"
        );
    }
}

/// From `half` the gradient methods of one stage lose most variables at once and cannot take them
/// back.
#[test]
fn one_stage_from_half_ends_far_worse() {
    let set = set();
    for method in [Method::Sg, Method::Am] {
        let total = |start| {
            let settings = LearnSettings {
                method,
                start: Some(start),
                lambda: 1.0,
                ..LearnSettings::default()
            };
            optimise_set(&set, &settings).criterion.total
        };
        let (half, norm) = (total(Start::Half), total(Start::Norm));
        assert!(half > 1.2 * norm, "{method:?}: {half} and {norm}");
    }
}

/// Coordinate steps find their way from anywhere: rows that a start with too many variables makes
/// far too sure do not mislead them.
#[test]
fn coordinate_steps_end_alike_from_all_starts() {
    for (classes, factors) in [(2, 2), (5, 3), (20, 2)] {
        let set = SyntheticSet::redundant(150, classes, factors, 1000, 1);
        let total = |start| {
            let settings = LearnSettings {
                method: Method::Coordinate,
                start,
                ..LearnSettings::default()
            };
            optimise_set(&set, &settings).criterion.total
        };
        let expected = total(None);
        for start in Start::ALL {
            let found = total(Some(start));
            assert!(
                found < 1.1 * expected,
                "{classes} classes, {start:?}: {found}, not {expected}"
            );
        }
    }
}
