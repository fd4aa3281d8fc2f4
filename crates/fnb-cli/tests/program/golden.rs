//! The golden sets through the command line: what Khiops 11 finds, `--preset khiops` finds.

use crate::data::golden_tables;
use crate::scratch::Scratch;
use serde_json::Value;
use std::path::Path;

/// A golden file with the path of its table.
struct Golden {
    name: String,
    expected: Value,
    table: String,
}

fn golden_sets() -> Vec<Golden> {
    golden_tables().iter().map(|path| load(path)).collect()
}

fn load(path: &Path) -> Golden {
    let bytes = std::fs::read(path).expect("a golden file");
    Golden {
        name: path.file_stem().expect("a name").display().to_string(),
        expected: serde_json::from_slice(&bytes).expect("JSON"),
        table: path.with_extension("tsv").display().to_string(),
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

fn named<'a>(variables: &'a Value, name: &Value) -> &'a Value {
    let found = list(variables).iter().find(|v| v["name"] == *name);
    found.unwrap_or_else(|| panic!("{name} is absent"))
}

#[track_caller]
fn assert_close(found: f64, expected: f64, tolerance: f64, what: &str) {
    let limit = tolerance * expected.abs().max(1.0);
    assert!(
        (found - expected).abs() <= limit,
        "{what}: {found}, expected {expected}"
    );
}

fn describe(set: &Golden, preset: &str) -> Value {
    let words = ["describe", &set.table, "-t", "class", "--json", "-q"];
    let preset = ["--preset", preset];
    Scratch::new()
        .fnb_words(&[&words[..], &preset].concat())
        .ok()
        .json()
}

#[test]
fn describe_finds_the_partitions_of_the_reference() {
    for set in golden_sets() {
        let (name, expected) = (&set.name, &set.expected);
        let found = describe(&set, "khiops");
        assert_eq!(found["rows"], expected["instances"], "{name}");
        assert_eq!(found["classes"], expected["classes"], "{name}");
        assert_eq!(found["class_counts"], expected["class_counts"], "{name}");
        let null = &expected["null_model"]["recomputed"];
        for (ours, theirs) in [
            ("construction", "constructionCost"),
            ("preparation", "preparationCost"),
            ("data", "dataCost"),
            ("total", "total"),
        ] {
            let ours = number(&found["null_cost"][ours]);
            assert_close(
                ours,
                number(&null[theirs]),
                1e-9,
                &format!("{name}: {theirs}"),
            );
        }
        let count = list(&found["variables"]).len();
        assert_eq!(count, list(&expected["variables"]).len(), "{name}");
        for variable in list(&expected["variables"]) {
            let what = format!("{name}, {}", variable["name"]);
            let ours = named(&found["variables"], &variable["name"]);
            compare_variable(ours, variable, number(&null["total"]), &what);
        }
        let order = list(&found["variables"]).windows(2);
        for pair in order.map(|pair| (&pair[0], &pair[1])) {
            let (a, b) = (number(&pair.0["level"]), number(&pair.1["level"]));
            let names = (pair.0["name"].as_str(), pair.1["name"].as_str());
            assert!(a > b || (a == b && names.0 < names.1), "{name}: {names:?}");
        }
    }
}

fn compare_variable(found: &Value, expected: &Value, null_total: f64, what: &str) {
    let kind = expected["type"].as_str().expect("a type").to_lowercase();
    assert_eq!(found["type"], kind, "{what}");
    assert_eq!(found["distinct"], expected["distinct_values"], "{what}");
    assert_eq!(found["missing"], expected["missing"], "{what}");
    let Some(costs) = expected["costs_recomputed"].as_object() else {
        assert_eq!(number(&found["level"]), 0.0, "{what}");
        assert_eq!(list(&found["counts"]).len(), 1, "{what}");
        assert_close(number(&found["cost"]["total"]), null_total, 1e-9, what);
        return;
    };
    let cheaper = number(&found["cost"]["total"]) < number(&costs["total"]) - 1e-6;
    if cheaper {
        assert!(
            expected["note"].is_string(),
            "{what}: cheaper without a note"
        );
        assert!(
            number(&found["level"]) > number(&expected["level_recomputed"]),
            "{what}"
        );
        return;
    }
    for (part, cost) in costs {
        assert_close(
            number(&found["cost"][part]),
            number(cost),
            1e-9,
            &format!("{what}: {part}"),
        );
    }
    let level = number(&expected["level_recomputed"]);
    assert_close(
        number(&found["level"]),
        level,
        1e-9,
        &format!("{what}: level"),
    );
    assert_eq!(found["counts"], expected["part_class_counts"], "{what}");
    let parts = &found["parts"];
    if kind == "numerical" {
        let cuts = list(&parts["cuts"])
            .iter()
            .zip(list(&expected["cut_points"]));
        assert_eq!(
            list(&parts["cuts"]).len(),
            list(&expected["cut_points"]).len(),
            "{what}"
        );
        for (cut, expected) in cuts {
            // Khiops prints ten digits.
            assert_close(number(cut), number(expected), 1e-9, &format!("{what}: cut"));
        }
        assert_eq!(
            parts["missing"] == "own",
            expected["missing_only_interval"] == true,
            "{what}"
        );
    } else {
        assert_eq!(parts["default"], expected["default_group"], "{what}");
        let groups = list(&expected["groups"]).iter();
        let groups: Vec<Vec<Value>> = groups.map(|group| with_null(list(group))).collect();
        assert_eq!(parts["groups"], Value::from(groups), "{what}");
    }
}

/// The reference writes a missing value as an empty text.
fn with_null(group: &[Value]) -> Vec<Value> {
    let value = |value: &Value| {
        if value == "" {
            Value::Null
        } else {
            value.clone()
        }
    };
    group.iter().map(value).collect()
}

#[test]
fn train_finds_the_weights_of_the_reference() {
    for set in golden_sets() {
        let (name, scratch) = (&set.name, Scratch::new());
        let words = ["train", &set.table, "-t", "class", "--json", "-o", "m.json"];
        let summary = scratch.fnb_words(&[&words[..], &["--preset", "khiops"]].concat());
        let summary = summary.ok().json();
        let (model, expected) = (scratch.json("m.json"), &set.expected["predictor"]);
        let selected = list(&expected["selected_variables"]);
        assert_eq!(list(&model["terms"]).len(), selected.len(), "{name}");
        assert_eq!(summary["selected"], selected.len(), "{name}");
        assert_eq!(
            summary["informative"], set.expected["informative_variables"],
            "{name}"
        );
        assert_eq!(
            summary["columns"], set.expected["evaluated_variables"],
            "{name}"
        );
        for variables in [&summary["variables"], &model["terms"]] {
            for (variable, expected) in list(variables).iter().zip(selected) {
                let what = format!("{name}, {}", expected["name"]);
                assert_eq!(variable["name"], expected["name"], "{what}");
                // A weight of 1 is printed exactly.
                let weight = expected.get("weight_exact").unwrap_or(&expected["weight"]);
                assert_eq!(number(&variable["weight"]), number(weight), "{what}");
                let importance = number(&expected["importance"]);
                assert_close(number(&variable["importance"]), importance, 5e-7, &what);
            }
        }
        for measure in ["accuracy", "auc", "compression"] {
            let expected = number(&expected["train"][measure]);
            for evaluation in [&summary["evaluation"], &model["evaluation"]] {
                let found = number(&evaluation["train"][measure]);
                assert_close(found, expected, 1e-6, &format!("{name}: {measure}"));
            }
        }
        // What is informative and was not selected is told.
        let unselected = list(&set.expected["variables"]).iter().filter(|variable| {
            let is_this = |s: &&Value| s["name"] == variable["name"];
            number(&variable["level"]) > 0.0 && !selected.iter().any(|s| is_this(&s))
        });
        for variable in unselected {
            let dropped = named(&model["dropped"], &variable["name"]);
            assert_close(
                number(&dropped["level"]),
                number(&variable["level"]),
                1e-3,
                name,
            );
            assert!(dropped["reason"].is_string());
        }
        compare_predictions(&scratch, &set);
    }
}

fn compare_predictions(scratch: &Scratch, set: &Golden) {
    let name = &set.name;
    scratch
        .fnb_words(&["predict", "m.json", &set.table, "--proba", "-o", "p.tsv"])
        .ok();
    let text = scratch.text("p.tsv");
    let mut lines = text
        .lines()
        .map(|line| line.split('\t').collect::<Vec<_>>());
    let classes = list(&set.expected["classes"])
        .iter()
        .map(|c| c.as_str().expect("a class"));
    let header: Vec<String> = ["prediction".to_owned()]
        .into_iter()
        .chain(classes.map(|class| format!("proba_{class}")))
        .collect();
    assert_eq!(lines.next().expect("a header"), header, "{name}");
    assert_eq!(
        Value::from(lines.clone().count()),
        set.expected["instances"],
        "{name}"
    );
    let predictor = &set.expected["predictor"];
    if predictor.get("predicted_first_rows").is_none() {
        // Not recorded for models of less than two variables.
        assert!(list(&predictor["selected_variables"]).len() < 2, "{name}");
        return;
    }
    let predicted = list(&predictor["predicted_first_rows"]);
    let probabilities = list(&predictor["train_probabilities_first_rows"]);
    assert!(predicted.len() >= 20, "{name}");
    for (row, line) in lines.by_ref().take(predicted.len()).enumerate() {
        assert_eq!(predicted[row], line[0], "{name}, row {row}");
        for (field, expected) in line[1..].iter().zip(list(&probabilities[row])) {
            let found: f64 = field.parse().expect("a probability");
            assert_close(found, number(expected), 1e-9, &format!("{name}, row {row}"));
        }
    }
}

#[test]
fn the_default_preset_never_costs_more() {
    for set in golden_sets() {
        let found = describe(&set, "default");
        for variable in list(&set.expected["variables"]) {
            let expected = match variable["costs_recomputed"].as_object() {
                Some(costs) => number(&costs["total"]),
                None => number(&set.expected["null_model"]["recomputed"]["total"]),
            };
            let ours = named(&found["variables"], &variable["name"]);
            let cost = number(&ours["cost"]["total"]);
            assert!(
                cost <= expected * (1.0 + 1e-12),
                "{}, {}: {cost} > {expected}",
                set.name,
                variable["name"]
            );
        }
    }
}
