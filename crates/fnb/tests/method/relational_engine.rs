//! The engine against the published values.

use super::relational_golden::{SETS, folder, records, tables, variables};
use fnb::columns::ColumnData;
use fnb::relational::{
    Allocation, Arithmetic, ConstructionSettings, Evaluator, Expression, Plan, RuleSet, Tables,
    construct,
};
use std::collections::BTreeSet;
use std::fs;

/// The values of variables, as texts: numbers with at most 10 digits.
pub(crate) fn values(
    tables: &Tables,
    expressions: &[Expression],
    arithmetic: Arithmetic,
) -> Vec<ColumnData> {
    let plan = Plan::new(tables.schema(), expressions).unwrap();
    let mut evaluator = Evaluator::new(&plan, tables, arithmetic).unwrap();
    // In two blocks, so that the second finds what the first kept.
    let all: Vec<usize> = (0..plan.len()).collect();
    let (first, second) = all.split_at(plan.len() / 2);
    let mut columns = evaluator.columns(first).unwrap();
    columns.extend(evaluator.columns(second).unwrap());
    columns
}

/// Every cell within the tolerance of the published values; how many numbers differ in their tenth
/// digit.
fn compare(set: &str, result: &str, arithmetic: Arithmetic, tolerance: f64) -> Option<usize> {
    let (folder, golden) = (folder(set)?, tables(set)?);
    let (_, variables) = variables(set, result)?;
    let expressions: Vec<Expression> = variables.iter().map(|v| v.expression.clone()).collect();
    let joined = Tables::new(&golden.schema, golden.frames, None).unwrap();
    let columns = values(&joined, &expressions, arithmetic);
    let file = folder.join(format!("values_{result}.tsv"));
    let text = fs::read_to_string(file).unwrap();
    let (header, expected) = records(&text);
    let key = &golden.schema.entity(&golden.schema.root).key[0];
    let ColumnData::Categorical(keys) = &joined.frame("").unwrap().column(key).unwrap().data else {
        panic!("keys are categories");
    };
    let mut different = 0;
    for record in &expected {
        let row = (0..keys.len()).find(|&row| keys.get(row) == Some(record[0]));
        let row = row.unwrap();
        for (variable, column) in variables.iter().zip(&columns) {
            let place = header.iter().position(|name| *name == variable.name);
            let text = record[place.unwrap()];
            let name = &variable.name;
            match column {
                ColumnData::Categorical(column) => {
                    assert_eq!(column.get(row).unwrap_or_default(), text, "{name}");
                }
                ColumnData::Numeric(column) => {
                    let found = column.values()[row];
                    if text.is_empty() || found.is_nan() {
                        assert!(
                            text.is_empty() && found.is_nan(),
                            "{name}: {found} {text:?}"
                        );
                        continue;
                    }
                    let value: f64 = text.parse().unwrap();
                    let near = (found - value).abs() <= tolerance * value.abs().max(1.0);
                    assert!(near, "{set} {name}: {found} is not {value}");
                    different += usize::from(found != value);
                }
                other => panic!("{other:?}"),
            }
        }
    }
    Some(different)
}

#[test]
fn as_the_reference_computes_them() {
    for (set, result) in [
        ("splice500", "1000"),
        ("missing200", "1000"),
        ("shop400", "1000_temporal"),
        ("halves", "halves"),
    ] {
        compare(set, result, Arithmetic::Reference, 0.0);
    }
}

#[test]
fn with_exact_sums() {
    // The reference loses digits of standard deviations of years.
    for (set, result) in [
        ("splice500", "1000"),
        ("missing200", "1000"),
        ("shop400", "1000_temporal"),
    ] {
        compare(set, result, Arithmetic::Exact, 1e-8);
    }
    // Many eleventh digits are a 5 here: otherwise the set would say nothing of how these are rounded.
    let different = compare("halves", "halves", Arithmetic::Exact, f64::INFINITY);
    assert!(different.is_some_and(|n| n > 50), "{different:?}");
}

#[test]
fn bounds_of_conditions_come_from_the_engine() {
    for (set, results) in SETS {
        for result in results {
            let Some(golden) = tables(set) else { continue };
            let (_, variables) = variables(set, result).unwrap();
            let joined = Tables::new(&golden.schema, golden.frames, None).unwrap();
            let settings = ConstructionSettings {
                features: variables.len(),
                rules: if result.ends_with("_temporal") {
                    RuleSet::default()
                } else {
                    RuleSet::khiops()
                },
                other_choices: 0,
                allocation: Allocation::Diverse,
                sampled: false,
            };
            let target = Some(golden.target.as_str());
            let operands = joined.operands(Arithmetic::Reference);
            let found = construct(&golden.schema, target, &settings, &operands).unwrap();
            // Names hold the bounds. The reference lists variables of equal cost otherwise.
            let found: BTreeSet<&str> = found.variables.iter().map(|v| v.name.as_str()).collect();
            let expected: BTreeSet<&str> = variables.iter().map(|v| v.name.as_str()).collect();
            assert_eq!(found, expected, "{set} {result}");
        }
    }
}

#[test]
fn bounds_among_rounding_errors_are_those_of_the_reference() {
    // Parts have items with one year: spreads that are 0 but for the rounding errors of the reference,
    // which has conditions on them.
    let golden = tables("spread120").unwrap();
    let names = folder("spread120").unwrap().join("names_300.txt");
    let names = fs::read_to_string(names).unwrap();
    let expected: BTreeSet<&str> = names.lines().collect();
    let joined = Tables::new(&golden.schema, golden.frames, None).unwrap();
    let settings = ConstructionSettings {
        features: expected.len(),
        rules: RuleSet::khiops(),
        other_choices: 0,
        allocation: Allocation::Diverse,
        sampled: false,
    };
    let names = |arithmetic| {
        let operands = joined.operands(arithmetic);
        let found = construct(&golden.schema, None, &settings, &operands).unwrap();
        let names = found.variables.into_iter().map(|v| v.name);
        names.collect::<BTreeSet<String>>()
    };
    let found = names(Arithmetic::Reference);
    let found: BTreeSet<&str> = found.iter().map(String::as_str).collect();
    assert_eq!(found, expected);
    let on_spreads = |name: &&str| name.contains(" StdDev(");
    assert!(expected.iter().any(on_spreads));
    let exact = names(Arithmetic::Exact);
    assert!(!exact.iter().any(|name| on_spreads(&name.as_str())));
}
