//! Constructed variables through the program: names, costs, values and levels of the reference.

use crate::data::{golden, outside};
use crate::scratch::Scratch;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

/// Set, number of variables, temporal rules, and whether values are known.
const SETS: [(&str, usize, bool, bool); 9] = [
    ("splice500", 10, false, false),
    ("splice500", 100, false, false),
    ("splice500", 1000, false, true),
    ("shop400", 10, false, false),
    ("shop400", 100, false, false),
    ("shop400", 1000, false, false),
    ("shop400", 100, true, false),
    ("shop400", 1000, true, true),
    ("missing200", 1000, false, true),
];

/// Where a set is. All but the splice junctions are in the repository.
fn folder(set: &str) -> Option<PathBuf> {
    if set == "splice500" {
        return outside("golden/relational/splice500");
    }
    Some(golden(&format!("relational/{set}")))
}

fn array(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn name(value: &Value) -> &str {
    value["name"].as_str().expect("a name")
}

/// A table of text: its header and its rows by the first column.
fn table(text: &str) -> (Vec<&str>, BTreeMap<&str, Vec<&str>>) {
    let mut lines = text
        .lines()
        .map(|line| line.split('\t').collect::<Vec<_>>());
    let header = lines.next().expect("a header");
    (header, lines.map(|line| (line[0], line)).collect())
}

fn same(ours: &str, theirs: &str) -> bool {
    match (ours.parse::<f64>(), theirs.parse::<f64>()) {
        // 2.5e-07 here, 0.00000025 there.
        (Ok(a), Ok(b)) => a == b,
        _ => ours == theirs,
    }
}

#[test]
fn names_costs_and_values() {
    let scratch = Scratch::new();
    for (set, features, temporal, has_values) in SETS {
        let Some(folder) = folder(set) else { continue };
        let suffix = if temporal { "_temporal" } else { "" };
        let read = |file: String| std::fs::read_to_string(folder.join(file)).expect("a file");
        let expected: Value =
            serde_json::from_str(&read(format!("golden_{features}{suffix}.json"))).expect("JSON");
        let rules = if temporal {
            " --rules table,entity,date,time,timestamp"
        } else {
            ""
        };
        let run = scratch
            .fnb(&format!(
                "construct --schema {}/schema.json --features {features} --preset khiops{rules} \
                 --json -o values.tsv",
                folder.display()
            ))
            .ok();
        let found = run.json();
        let (found, expected) = (array(&found["variables"]), array(&expected["variables"]));
        assert_eq!(found.len(), expected.len(), "{set} {features}");
        // The reference lists its variables block by block; ours are in the order of their costs.
        let found: HashMap<&str, &Value> = found.iter().map(|v| (name(v), v)).collect();
        for expected in expected {
            let Some(found) = found.get(name(expected)) else {
                panic!("{set} {features}: there is no {}", name(expected));
            };
            assert_eq!(
                found["type"],
                expected["type"].as_str().expect("a type").to_lowercase()
            );
            let cost = |variable: &Value| variable["cost"].as_f64().expect("a cost");
            let difference = (cost(found) - cost(expected)).abs();
            assert!(difference < 1e-9, "{set} {features} {}", name(found));
            assert!(found["sentence"].as_str().is_some_and(|s| !s.is_empty()));
        }
        if has_values {
            let (ours, theirs) = (
                scratch.text("values.tsv"),
                read(format!("values_{features}{suffix}.tsv")),
            );
            compare_values(set, &ours, &theirs);
        }
    }
}

/// Khiops keeps variables about one of several parts of records sparse, and its search passes over rows
/// without such records.
#[test]
fn weights_of_variables_about_parts_of_records() {
    let folder = golden("relational/blocks100");
    let expected = std::fs::read(folder.join("weights_400.json")).expect("a file");
    let expected: Value = serde_json::from_slice(&expected).expect("JSON");
    let scratch = Scratch::new();
    let data = folder.join("data").display().to_string();
    scratch
        .fnb(&format!(
            "train {data}/Owner.tsv -t Class --preset khiops --features {} -o m.json \
             --table Items={data}/Items.tsv:Id,No --table Items.Parts={data}/Parts.tsv:Id,No",
            expected["requested"]
        ))
        .ok();
    let weights = |variables: &Value| -> BTreeMap<String, f64> {
        let weight = |v: &Value| v["weight"].as_f64().expect("a weight");
        let variables = array(variables).iter();
        variables.map(|v| (name(v).into(), weight(v))).collect()
    };
    let model = scratch.json("m.json");
    assert_eq!(
        weights(&model["terms"]),
        weights(&expected["selected_variables"])
    );
}

fn compare_values(set: &str, ours: &str, theirs: &str) {
    let (our_names, ours) = table(ours);
    let (their_names, theirs) = table(theirs);
    let place: HashMap<&str, usize> = our_names.iter().copied().zip(0..).collect();
    let mut cells = 0;
    for (key, line) in theirs {
        for (name, expected) in their_names.iter().zip(line) {
            let Some(&place) = place.get(name) else {
                continue;
            };
            let found = ours[key][place];
            assert!(
                same(found, expected),
                "{set} {key} {name}: {found}, not {expected}"
            );
            cells += 1;
        }
    }
    assert!(cells > 30_000, "{cells} cells");
}

#[test]
fn levels() {
    let scratch = Scratch::new();
    for (set, features, temporal, _) in SETS {
        let Some(folder) = folder(set) else { continue };
        let suffix = if temporal { "_temporal" } else { "" };
        let file = folder.join(format!("golden_{features}{suffix}.json"));
        let golden = std::fs::read_to_string(file).expect("a file");
        let golden: Value = serde_json::from_str(&golden).expect("JSON");
        let schema = std::fs::read_to_string(folder.join("schema.json")).expect("a schema");
        let schema: Value = serde_json::from_str(&schema).expect("JSON");
        let rules = if temporal {
            " --rules table,entity,date,time,timestamp"
        } else {
            ""
        };
        let run = scratch
            .fnb(&format!(
                "describe --schema {}/schema.json -t {} --features {features} --preset khiops{rules} --json",
                folder.display(),
                schema["target"].as_str().expect("a target")
            ))
            .ok();
        let found = run.json();
        let found: HashMap<&str, &Value> = array(&found["variables"])
            .iter()
            .map(|v| (name(v), v))
            .collect();
        let expected = array(&golden["variables"])
            .iter()
            .chain(array(&golden["native"]));
        let mut informative = 0;
        for expected in expected {
            let found = found[name(expected)];
            let level = |variable: &Value| variable["level"].as_f64().expect("a level");
            let difference = (level(found) - level(expected)).abs();
            assert!(
                difference < 2e-6,
                "{set} {features} {}: {found}",
                name(expected)
            );
            assert_eq!(found["missing"], expected["missing"], "{}", name(expected));
            informative += usize::from(level(found) > 0.0);
        }
        assert_eq!(golden["informative"], informative, "{set} {features}");
    }
}
