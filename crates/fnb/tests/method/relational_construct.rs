//! Constructed variables against those of Khiops 11: which ones, in which order, at which cost.

use super::relational_golden::{GoldenVariable, SETS, tables, variables};
use super::relational_oracle::Oracle;
use crate::data::golden;
use fnb::columns::VariableKind;
use fnb::relational::{
    Allocation, Bound, Condition, Construction, ConstructionSettings, Expression, Part, Prior,
    RuleSet, construct,
};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

fn rules(result: &str) -> RuleSet {
    if result.ends_with("_temporal") {
        RuleSet::default()
    } else {
        RuleSet::khiops()
    }
}

fn run(set: &str, rules: RuleSet, features: usize, allocation: Allocation) -> Option<Construction> {
    let tables = tables(set)?;
    let oracle = Oracle::new(&tables.schema, &tables.frames);
    let settings = ConstructionSettings {
        features,
        rules,
        other_choices: 0,
        allocation,
        sampled: false,
    };
    Some(construct(&tables.schema, Some(&tables.target), &settings, &oracle).unwrap())
}

#[test]
fn the_cost_of_given_variables() {
    for (set, results) in SETS {
        let Some(tables) = tables(set) else { continue };
        for result in results {
            let prior = Prior::new(&tables.schema, Some(&tables.target), &rules(result), 1);
            let prior = prior.unwrap();
            let (selection_cost, variables) = variables(set, result).unwrap();
            assert!((prior.selection_cost() - selection_cost).abs() < 1e-12);
            for variable in variables {
                let cost = prior.cost(&variable.expression).unwrap();
                assert!(
                    (cost - variable.cost).abs() < 1e-9,
                    "{set} {result} {}: {cost} is not {}",
                    variable.name,
                    variable.cost
                );
            }
        }
    }
}

#[test]
fn the_names_of_given_variables() {
    for (set, results) in SETS {
        for result in results {
            let Some((_, variables)) = variables(set, result) else {
                continue;
            };
            for variable in variables {
                assert_eq!(variable.expression.name(), variable.name);
            }
        }
    }
}

#[test]
fn published_sets() {
    for (set, results) in SETS {
        for result in results {
            let features = result.trim_end_matches("_temporal").parse().unwrap();
            let Some(found) = run(set, rules(result), features, Allocation::Diverse) else {
                continue;
            };
            let (selection_cost, expected) = variables(set, result).unwrap();
            assert!((found.selection_cost - selection_cost).abs() < 1e-12);
            // The reference lists the parts of a partition together, at the end: the same
            // variables, in another order.
            let by_name: BTreeMap<&str, &GoldenVariable> =
                expected.iter().map(|v| (v.name.as_str(), v)).collect();
            assert_eq!(found.variables.len(), by_name.len(), "{set} {result}");
            for found in &found.variables {
                let expected = by_name.get(found.name.as_str());
                let expected = expected.unwrap_or_else(|| panic!("{set} {result}: {found:?}"));
                assert!((found.cost - expected.cost).abs() < 1e-9, "{}", found.name);
                let kind = match found.kind {
                    VariableKind::Numerical => "Numerical",
                    VariableKind::Categorical => "Categorical",
                };
                assert_eq!(kind, expected.kind, "{}", found.name);
                assert_same(&found.expression, &expected.expression);
            }
            let mut costs = found.variables.windows(2);
            assert!(costs.all(|pair| pair[0].cost <= pair[1].cost + 1e-7));
        }
    }
}

/// The same expression, but for the last bits of bounds.
fn assert_same(found: &Expression, expected: &Expression) {
    match (found, expected) {
        (Expression::Field(found), Expression::Field(expected)) => assert_eq!(found, expected),
        (
            Expression::Apply { rule, args },
            Expression::Apply {
                rule: expected,
                args: expected_args,
            },
        ) => {
            assert_eq!((rule, args.len()), (expected, expected_args.len()));
            for (found, expected) in args.iter().zip(expected_args) {
                assert_same(found, expected);
            }
        }
        (
            Expression::Select { select, conditions },
            Expression::Select {
                select: expected,
                conditions: expected_conditions,
            },
        ) => {
            assert_eq!(select, expected);
            assert_eq!(conditions.len(), expected_conditions.len());
            for (found, expected) in conditions.iter().zip(expected_conditions) {
                assert_same(&found.operand, &expected.operand);
                assert_eq!(found.granularity, expected.granularity);
                assert_same_part(found, expected);
            }
        }
        _ => panic!("{found:?} is not {expected:?}"),
    }
}

fn assert_same_part(found: &Condition, expected: &Condition) {
    let near = |found: &Bound, expected: &Bound| match (found, expected) {
        (Bound::Number(found), Bound::Number(expected)) => {
            (found - expected).abs() < 1e-10 * expected.abs().max(1.0)
        }
        (found, expected) => found == expected,
    };
    match (&found.part, &expected.part) {
        (
            Part::Interval {
                lower_excl,
                upper_incl,
                part,
            },
            Part::Interval {
                lower_excl: lower,
                upper_incl: upper,
                part: number,
            },
        ) => assert!(near(lower_excl, lower) && near(upper_incl, upper) && part == number),
        (found, expected) => assert_eq!(found, expected),
    }
}

#[test]
fn exhausted_spaces() {
    let text = fs::read_to_string(golden("relational/exhaustion.json")).unwrap();
    let cases: Json = serde_json::from_str(&text).unwrap();
    for case in cases.as_array().unwrap() {
        let rules = match &case["rules"] {
            Json::Array(names) => {
                let names: Vec<&str> = names.iter().filter_map(Json::as_str).collect();
                names.join(",").parse().unwrap()
            }
            _ => RuleSet::khiops(),
        };
        let requested = case["requested"].as_u64().unwrap() as usize;
        let set = case["dataset"].as_str().unwrap();
        let expected: BTreeMap<String, u64> = case["count_by_reported_cost"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(cost, count)| (cost.clone(), count.as_u64().unwrap()))
            .collect();
        for allocation in [Allocation::Diverse, Allocation::Cheapest] {
            let Some(found) = run(set, rules.clone(), requested, allocation) else {
                continue;
            };
            assert_eq!(found.variables.len() as u64, case["obtained"], "{case}");
            let mut costs: BTreeMap<String, u64> = BTreeMap::new();
            for variable in &found.variables {
                *costs.entry(six_digits(variable.cost)).or_default() += 1;
            }
            assert_eq!(costs, expected, "{allocation:?}: {case}");
        }
    }
}

#[test]
fn the_cheapest_are_cheaper_and_many_are_not_among_the_published() {
    let cheapest = run("shop400", RuleSet::khiops(), 1000, Allocation::Cheapest).unwrap();
    let (_, published) = variables("shop400", "1000").unwrap();
    let total: f64 = cheapest.variables.iter().map(|v| v.cost).sum();
    let total_published: f64 = published.iter().map(|v| v.cost).sum();
    assert!(total < total_published - 100.0, "{total} {total_published}");
    let costliest = cheapest.variables.last().unwrap().cost;
    let names: BTreeSet<&str> = cheapest.variables.iter().map(|v| v.name.as_str()).collect();
    for variable in &published {
        let is_cheap = variable.cost < costliest - 1e-6;
        assert!(
            !is_cheap || names.contains(variable.name.as_str()),
            "{}",
            variable.name
        );
    }
}

/// As the reference prints costs.
fn six_digits(cost: f64) -> String {
    let decimals = if cost < 1.0 {
        6
    } else if cost < 10.0 {
        5
    } else {
        4
    };
    let text = format!("{cost:.decimals$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
