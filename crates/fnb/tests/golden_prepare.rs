//! Preparation against the results of Khiops 11: costs, levels, parts, counts.

mod golden_data;

use fnb::Schedule;
use fnb::columns::{Column, ColumnData, Frame};
use fnb::prepare::{MissingNumbers, Parts, prepare};
use golden_data::close;

#[test]
fn numbers() {
    let mut failures = Vec::new();
    for golden in golden_data::all() {
        let columns: Vec<Column> = golden.frame.columns().to_vec();
        let columns = columns.into_iter().map(|mut c| {
            if let ColumnData::Categorical(_) = c.data {
                c.data =
                    ColumnData::Numeric(fnb::columns::NumericColumn::new(vec![
                        0.0;
                        golden.frame.rows()
                    ]));
            }
            c
        });
        let frame = Frame::new(golden.frame.rows(), columns.collect()).unwrap();
        for schedule in [Schedule::Reference, Schedule::Exhaustive] {
            let found = prepare(&frame, &golden.target, schedule, &());
            for expected in golden.expected["variables"].as_array().unwrap() {
                if expected["type"] != "Numerical" {
                    continue;
                }
                let v = found
                    .variables
                    .iter()
                    .find(|v| expected["name"] == v.name.as_str())
                    .unwrap();
                let at = format!("{} {} {:?}", golden.name, v.name, schedule);
                assert_eq!(expected["distinct_values"], v.distinct);
                assert_eq!(expected["missing"], v.missing);
                let level = expected["level_recomputed"].as_f64().unwrap_or(0.0);
                if schedule == Schedule::Exhaustive {
                    if v.level < level - 1e-9 {
                        failures.push(format!("{at}: worse level {} {}", v.level, level));
                    }
                    if v.level > level + 1e-9 {
                        println!("{at}: better level {} {}", v.level, level);
                    }
                    continue;
                }
                if !close(v.level, level, 1e-9) {
                    failures.push(format!("{at}: level {} expected {}", v.level, level));
                    continue;
                }
                if level == 0.0 {
                    continue;
                }
                for (key, found) in [
                    ("construction", v.cost.construction),
                    ("preparation", v.cost.preparation),
                    ("data", v.cost.data),
                ] {
                    let e = expected["costs_recomputed"][key].as_f64().unwrap();
                    if !close(found, e, 1e-9) {
                        failures.push(format!("{at}: {key} {found} {e}"));
                    }
                }
                let Parts::Intervals { missing, cuts } = &v.parts else {
                    panic!()
                };
                if expected["missing_only_interval"] != (*missing == MissingNumbers::Own) {
                    failures.push(format!("{at}: missing"));
                }
                let e: Vec<f64> = expected["cut_points"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|c| c.as_f64().unwrap())
                    .collect();
                if &e != cuts {
                    failures.push(format!("{at}: cuts {cuts:?} {e:?}"));
                }
                assert_eq!(
                    expected["part_class_counts"],
                    serde_json::json!(v.counts),
                    "{at}"
                );
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
