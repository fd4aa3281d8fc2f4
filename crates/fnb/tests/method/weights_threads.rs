//! The same bits for any number of threads, whatever the method.

use crate::weights_methods::{every_method, optimise_set, selected};
use crate::weights_synthetic::SyntheticSet;
use fnb::{Method, Settings, Start};

fn assert_same_bits(set: &SyntheticSet, settings: &Settings, what: &str) {
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().unwrap();
        pool.install(|| optimise_set(set, settings))
    };
    let expected = run(1);
    let classes = set.target.classes().len();
    assert!(selected(&expected) > 0, "{what}, {classes} classes");
    for threads in [2, 5] {
        assert_eq!(
            run(threads),
            expected,
            "{what}, {classes} classes, {threads} threads"
        );
    }
}

/// Enough rows for several blocks, and enough variables for several groups of them.
fn sets() -> [SyntheticSet; 3] {
    [
        SyntheticSet::redundant(140_000, 2, 3, 18, 1),
        SyntheticSet::redundant(17_000, 7, 4, 18, 2),
        SyntheticSet::redundant(5_000, 20, 5, 18, 3),
    ]
}

/// The first iterations are enough to show a difference.
const ITERATIONS: usize = 4;

#[test]
fn every_method_gives_the_same_bits() {
    for set in sets() {
        for (method, settings) in every_method() {
            let settings = Settings {
                max_iterations: ITERATIONS,
                ..settings
            };
            assert_same_bits(&set, &settings, &method);
        }
    }
}

#[test]
fn every_start_gives_the_same_bits() {
    for set in sets() {
        for method in [Method::SgCf, Method::Coordinate] {
            for start in Start::ALL {
                let settings = Settings {
                    method,
                    start: Some(start),
                    max_iterations: ITERATIONS,
                    ..Settings::default()
                };
                assert_same_bits(&set, &settings, &format!("{method:?} from {start:?}"));
            }
        }
    }
}
