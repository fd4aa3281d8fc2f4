//! Preparation against the results of Khiops 11: costs, levels, parts, counts.

use crate::golden_set::{GoldenSet, each_golden, number};
use fnb::prepare::{PrepareSettings, PreparedVariable};
use fnb::{Prepared, Schedule, Settings};

fn close(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-9 * expected.abs().max(1.0)
}

/// What is found for every variable of a set, beside what the reference found.
fn pairs(golden: &GoldenSet, schedule: Schedule) -> Vec<(PreparedVariable, &PreparedVariable)> {
    let settings = Settings {
        prepare: PrepareSettings {
            schedule,
            ..PrepareSettings::default()
        },
        ..Settings::default()
    };
    let database = golden.frame.clone().into();
    let preparation = Prepared::new(&database, &golden.target, &settings, &()).unwrap();
    let null = &golden.json["null_model"]["recomputed"];
    for (key, cost) in [
        ("constructionCost", preparation.null_cost().construction),
        ("preparationCost", preparation.null_cost().preparation),
        ("dataCost", preparation.null_cost().data),
    ] {
        assert!(close(cost, number(&null[key])), "{key}");
    }
    let expected = |name: &str| golden.prepared.iter().find(|v| v.name == name).unwrap();
    let variables = preparation.variables().iter();
    variables.map(|v| (v.clone(), expected(&v.name))).collect()
}

/// Did the reference miss a cheaper partition of this variable?
fn is_known_to_be_dear(golden: &GoldenSet, name: &str) -> bool {
    let variables = golden.json["variables"].as_array().unwrap();
    variables
        .iter()
        .any(|v| v["name"] == name && !v["note"].is_null())
}

#[test]
fn preset_khiops_gives_its_costs_and_parts() {
    each_golden(|name, golden| {
        for (found, expected) in pairs(golden, Schedule::Reference) {
            let at = format!("{name} {}", found.name);
            assert_eq!(
                (found.axes[0].distinct, found.axes[0].missing),
                (expected.axes[0].distinct, expected.axes[0].missing),
                "{at}"
            );
            if is_known_to_be_dear(golden, &found.name) && found.level > expected.level + 1e-9 {
                continue;
            }
            assert!(close(found.level, expected.level), "{at}: {}", found.level);
            if expected.level == 0.0 {
                continue;
            }
            for (key, found, expected) in [
                (
                    "construction",
                    found.cost.construction,
                    expected.cost.construction,
                ),
                (
                    "preparation",
                    found.cost.preparation,
                    expected.cost.preparation,
                ),
                ("data", found.cost.data, expected.cost.data),
            ] {
                assert!(close(found, expected), "{at}: {key} {found} {expected}");
            }
            assert_eq!(found.axes[0].parts, expected.axes[0].parts, "{at}");
            assert_eq!(found.counts, expected.counts, "{at}");
        }
    });
}

#[test]
fn preset_default_never_costs_more() {
    each_golden(|name, golden| {
        for (found, expected) in pairs(golden, Schedule::Exhaustive) {
            let (level, reference) = (found.level, expected.level);
            assert!(
                level >= reference - 1e-9,
                "{name} {}: {level} {reference}",
                found.name
            );
        }
    });
}
