//! The same bits for any number of threads, whatever the method.

use crate::weights_methods::{every_method, optimise_set, selected};
use crate::weights_synthetic::SyntheticSet;
use fnb::weights::LearnSettings;
use fnb::{Method, Start};

fn assert_same_bits(set: &SyntheticSet, settings: &LearnSettings, what: &str) {
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().unwrap();
        pool.install(|| optimise_set(set, settings))
    };
    let expected = run(1);
    let classes = set.target.classes().len();
    assert!(selected(&expected) > 0, "{what}, {classes} classes");
    assert_eq!(run(3), expected, "{what}, {classes} classes");
}

/// Enough rows for at least three blocks, so that their order matters, and enough variables for
/// several groups of them; codes of every width.
fn sets() -> [SyntheticSet; 3] {
    let parts = [3, 2, 20, 6, 300, 2, 3, 4, 5, 17, 2, 2, 3, 8, 4, 6, 3];
    [
        SyntheticSet::new(132_500, 2, &parts, 1),
        SyntheticSet::new(17_000, 7, &parts, 2),
        SyntheticSet::new(8_300, 20, &parts, 3),
    ]
}

/// The first iterations are enough to show a difference.
const ITERATIONS: usize = 4;

#[test]
fn every_method_gives_the_same_bits() {
    for set in sets() {
        for (method, settings) in every_method() {
            let settings = LearnSettings {
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
        for (method, start) in [
            (Method::Coordinate, Start::Half),
            (Method::SgCf, Start::Norm),
            (Method::Coordinate, Start::Snb),
            (Method::SgUe, Start::Fnb),
        ] {
            let settings = LearnSettings {
                method,
                start: Some(start),
                max_iterations: ITERATIONS,
                ..LearnSettings::default()
            };
            assert_same_bits(&set, &settings, &format!("{method:?} from {start:?}"));
        }
    }
}
