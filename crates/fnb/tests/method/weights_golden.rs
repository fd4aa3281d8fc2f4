//! Criterion and weights of the reference tool.

use crate::golden_set::{GoldenSet, each_golden};
use fnb::weights::{CriterionValue, LearnSettings, evaluate, optimise};
use fnb::{Method, Preset, Settings};
use serde_json::Value;

fn assert_criterion(set: &GoldenSet, weights: &[f64], expected: &Value, what: &str) {
    let settings = Settings::preset(Preset::Khiops).learn;
    let candidates = set.candidates();
    let cost = set.null_preparation_cost();
    let found = evaluate(
        &candidates,
        &set.target.outcomes(),
        cost,
        &settings,
        weights,
    );
    let CriterionValue { total, data, prior } = found;
    for (name, found) in [
        ("total", total),
        ("data_cost", data),
        ("model_cost_unweighted", prior),
    ] {
        let expected = expected[name].as_f64().unwrap();
        assert!(
            (found - expected).abs() <= 1e-9 * expected.abs(),
            "{what}, {name}: {found}, not {expected}"
        );
    }
}

#[test]
fn criterion_of_the_tool() {
    each_golden(|name, set| {
        let expected = &set.json["predictor"]["criterion_recomputed"];
        if expected.is_null() {
            return;
        }
        let n = set.weights().len();
        assert_criterion(set, &set.weights(), &expected["final"], name);
        assert_criterion(set, &vec![0.0; n], &expected["empty_selection"], name);
        let all = &expected["all_informative_weights_one"];
        assert_criterion(set, &vec![1.0; n], all, name);
    });
}

#[test]
fn weights_of_the_tool() {
    each_golden(|name, set| {
        let settings = Settings::preset(Preset::Khiops).learn;
        let mut candidates = set.candidates();
        let cost = set.null_preparation_cost();
        let outcome = optimise(&candidates, &set.target.outcomes(), cost, &settings, &());
        assert_eq!(outcome.weights, set.weights(), "{name}");
        candidates.reverse();
        let reversed = optimise(&candidates, &set.target.outcomes(), cost, &settings, &());
        let weights: Vec<f64> = reversed.weights.into_iter().rev().collect();
        assert_eq!(
            weights, outcome.weights,
            "{name}: the order given does not matter"
        );
    });
}

/// Other orders and another likelihood lead elsewhere, but not far (docs/method.md §7.6).
#[test]
fn other_searches_are_as_good_as_the_search_of_the_tool() {
    each_golden(|name, set| {
        let candidates = set.candidates();
        let cost = set.null_preparation_cost();
        for method in [Method::Fnb, Method::FnbOrdered] {
            let settings = LearnSettings {
                method,
                lambda: 0.1,
                ..Settings::preset(Preset::Paper).learn
            };
            let outcome = optimise(&candidates, &set.target.outcomes(), cost, &settings, &());
            let tool = evaluate(
                &candidates,
                &set.target.outcomes(),
                cost,
                &settings,
                &set.weights(),
            );
            assert!(
                outcome.criterion.total <= 1.05 * tool.total,
                "{name} {method:?}"
            );
        }
    });
}
