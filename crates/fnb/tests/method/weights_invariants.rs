//! What must hold whatever the data.

use crate::weights_methods::{NULL_COST, assert_valid, optimise_set};
use crate::weights_synthetic::SyntheticSet;
use fnb::columns::{CategoricalColumn, Column, ColumnData, Target};
use fnb::terms::{PartCodes, log_probabilities};
use fnb::weights::{Candidate, LearnSettings, evaluate, optimise};
use fnb::{Method, Preset, Settings};
use std::borrow::Cow;
use std::sync::Mutex;

fn all_settings() -> [LearnSettings; 3] {
    [Preset::Default, Preset::Khiops, Preset::Paper].map(|preset| Settings::preset(preset).learn)
}

/// A search that may only go down ends where every single change it could still make goes up.
#[test]
fn the_criterion_goes_down() {
    for seed in 0..5 {
        let set = SyntheticSet::new(700, 2 + seed as usize, &[3, 4, 5, 2, 6, 3], seed);
        let candidates = set.candidates();
        for preset in [Preset::Default, Preset::Paper] {
            let settings = LearnSettings {
                seed,
                ..Settings::preset(preset).learn
            };
            let outcome = optimise_set(&set, &settings);
            assert_valid(&candidates, &set.target, &settings, &outcome, "random data");
            assert!(outcome.criterion.total < outcome.null_criterion.total);
            for k in 0..candidates.len() {
                let mut weights = outcome.weights.clone();
                weights[k] = 0.0;
                let without = evaluate(
                    &candidates,
                    &set.target.outcomes(),
                    NULL_COST,
                    &settings,
                    &weights,
                );
                assert!(
                    without.total >= outcome.criterion.total * (1.0 - 1e-4),
                    "{preset:?}, variable {k}: {} < {}",
                    without.total,
                    outcome.criterion.total
                );
            }
        }
    }
}

#[test]
fn seeds_matter_to_the_published_search_only() {
    let set = SyntheticSet::new(500, 3, &[3, 4, 5, 2, 6, 3, 3, 4], 11);
    let weights = |preset, seed| {
        let settings = LearnSettings {
            seed,
            ..Settings::preset(preset).learn
        };
        optimise_set(&set, &settings).weights
    };
    for preset in [Preset::Default, Preset::Khiops] {
        assert_eq!(weights(preset, 0), weights(preset, 1), "{preset:?}");
    }
    let published: Vec<Vec<f64>> = (0..4).map(|seed| weights(Preset::Paper, seed)).collect();
    assert_eq!(published[0], weights(Preset::Paper, 0));
    assert!(
        published.iter().any(|w| *w != published[0]),
        "{published:?}"
    );
}

/// More parts than a byte holds.
#[test]
fn wide_codes() {
    for classes in [2, 5] {
        let set = SyntheticSet::new(2_000, classes, &[400, 3, 500], 1);
        for settings in all_settings() {
            let outcome = optimise_set(&set, &settings);
            assert_valid(
                &set.candidates(),
                &set.target,
                &settings,
                &outcome,
                "wide codes",
            );
        }
    }
}

#[test]
fn khiops_gives_a_single_variable_all_weight() {
    let set = SyntheticSet::new(300, 2, &[4], 1);
    assert_eq!(
        optimise_set(&set, &Settings::preset(Preset::Khiops).learn).weights,
        [1.0]
    );
}

fn labelled(labels: impl Iterator<Item = usize>) -> Target {
    let names: Vec<String> = labels.map(|label| label.to_string()).collect();
    let column: CategoricalColumn = names.iter().map(|name| Some(name.as_str())).collect();
    let data = ColumnData::Categorical(column);
    Target::from_column(&Column {
        name: "class".into(),
        data,
    })
    .unwrap()
}

/// Many copies of a perfect variable: scores become extreme, nothing overflows.
#[test]
fn separable_data() {
    for classes in [2, 3] {
        let label = |row: usize| row % classes;
        let target = labelled((0..900).map(label));
        let counts: Vec<Vec<u64>> = (0..classes)
            .map(|part| {
                (0..classes)
                    .map(|c| if c == part { 900 / classes as u64 } else { 0 })
                    .collect()
            })
            .collect();
        let names: Vec<String> = (0..200).map(|k| format!("x{k}")).collect();
        let copy = |name| Candidate {
            name,
            level: 0.9,
            prior_cost: 0.5,
            codes: Cow::Owned(PartCodes::Narrow(
                (0..900).map(|row| label(row) as u8).collect(),
            )),
            unlisted: None,
            scores: log_probabilities(&counts, 900),
        };
        let candidates: Vec<Candidate> = names.iter().map(|name| copy(name.as_str())).collect();
        for settings in all_settings() {
            let settings = LearnSettings {
                lambda: 0.0,
                ..settings
            };
            let outcome = optimise(&candidates, &target.outcomes(), NULL_COST, &settings, &());
            assert_valid(&candidates, &target, &settings, &outcome, "separable");
            let ones = vec![1.0; candidates.len()];
            let extreme = evaluate(&candidates, &target.outcomes(), NULL_COST, &settings, &ones);
            assert!(extreme.data.abs() < 1.0, "{extreme:?}");
        }
    }
}

/// Rows against everything the model believes cost what they should, not infinity.
#[test]
fn contradicted_rows_keep_a_finite_loss() {
    let target = labelled((0..100).map(|row| usize::from(row >= 50)));
    let names: Vec<String> = (0..300).map(|k| format!("x{k}")).collect();
    // The parts are the classes, but for the first and the last row.
    let code = |row| u8::from((row >= 50) != (row == 0 || row == 99));
    let counts = [vec![49, 1], vec![1, 49]];
    let logs = log_probabilities(&counts, 100);
    let candidates: Vec<Candidate> = names
        .iter()
        .map(|name| Candidate {
            name,
            level: 0.5,
            prior_cost: 1.0,
            codes: Cow::Owned(PartCodes::Narrow((0..100).map(code).collect())),
            unlisted: None,
            scores: logs.clone(),
        })
        .collect();
    let settings = LearnSettings::default();
    let ones = vec![1.0; candidates.len()];
    let value = evaluate(&candidates, &target.outcomes(), NULL_COST, &settings, &ones);
    let expected = 300.0 * 2.0 * (logs[0] - logs[1]);
    assert!(
        (value.data - expected).abs() < 1e-9 * expected,
        "{value:?} is not {expected}"
    );
    for settings in all_settings() {
        let outcome = optimise(&candidates, &target.outcomes(), NULL_COST, &settings, &());
        assert_valid(
            &candidates,
            &target,
            &settings,
            &outcome,
            "contradicted rows",
        );
    }
}

#[test]
fn progress_ends_at_its_total() {
    struct Steps(Mutex<Vec<(usize, usize)>>);
    impl fnb::Progress for Steps {
        fn report(&self, stage: fnb::Stage, done: usize, total: usize) {
            assert_eq!(stage, fnb::Stage::Weights);
            self.0.lock().unwrap().push((done, total));
        }
    }
    let set = SyntheticSet::new(300, 2, &[3, 4], 1);
    for method in [Method::Fnb, Method::FnbOrdered] {
        for preset in [Preset::Khiops, Preset::Paper] {
            let steps = Steps(Mutex::default());
            let settings = LearnSettings {
                method,
                ..Settings::preset(preset).learn
            };
            optimise(
                &set.candidates(),
                &set.target.outcomes(),
                NULL_COST,
                &settings,
                &steps,
            );
            let steps = steps.0.into_inner().unwrap();
            let total = steps[0].1;
            assert!(
                steps
                    .iter()
                    .copied()
                    .eq((0..=total).map(|done| (done, total)))
            );
        }
    }
}
