//! The slow oracle gives the published values, cell by cell.

use super::relational_golden::{folder, records, tables, variables};
use super::relational_oracle::{Oracle, Value};
use std::fs;

/// The tenth digit may differ when the eleventh is a 5. A standard deviation is the root of a difference of sums of squares: with years as values, around
/// 2000, the last bit of a value shows in the ninth digit of the variance. The reference has other
/// last bits: its rounded numbers are not always the nearest ones.
fn near(found: f64, expected: f64) -> bool {
    (found * found - expected * expected).abs() < 1e-8
}

#[test]
fn the_oracle_gives_the_published_values() {
    for (set, result) in [
        ("splice500", "1000"),
        ("shop400", "1000_temporal"),
        ("missing200", "1000"),
    ] {
        let (Some(folder), Some(tables)) = (folder(set), tables(set)) else {
            continue;
        };
        let (_, variables) = variables(set, result).unwrap();
        let text = fs::read_to_string(folder.join(format!("values_{result}.tsv")));
        let text = text.unwrap();
        let (header, expected) = records(&text);
        let oracle = Oracle::new(&tables.schema, &tables.frames);
        let key = &tables.schema.entity(&tables.schema.root).key[0];
        let root = &tables.frames[""];
        let keys = match &root.column(key).unwrap().data {
            fnb::columns::ColumnData::Categorical(keys) => keys,
            other => panic!("{other:?}"),
        };
        let mut cells = 0;
        for record in &expected {
            let row = (0..root.rows())
                .find(|&row| keys.get(row) == Some(record[0]))
                .unwrap();
            for variable in &variables {
                let place = header.iter().position(|name| *name == variable.name);
                let text = record[place.unwrap()];
                let found = oracle.root_value(&variable.expression, row);
                let same = match &found {
                    Value::Number(found) if text.is_empty() => found.is_nan(),
                    Value::Number(found) => {
                        let expected = text.parse::<f64>().unwrap();
                        let deviation = variable.name.contains("StdDev(");
                        (found - expected).abs() <= 2e-9 * expected.abs().max(1.0)
                            || (deviation && near(*found, expected))
                    }
                    Value::Category(found) => found.trim() == text,
                    Value::Time(_) => false,
                };
                assert!(same, "{set} {}: {found:?} is not {text:?}", variable.name);
                cells += 1;
            }
        }
        assert!(cells >= 20_000, "{cells}");
    }
}
