//! The engine against the slow oracle on random tables; orders, threads, blocks and cut-offs.

use super::relational_engine::values;
use super::relational_oracle::{Oracle, Value};
use super::relational_random::{Case, Random, schema, tables, variable};
use fnb::columns::{ColumnData, Frame, Temporal};
use fnb::relational::{
    Arithmetic, Cutoff, Evaluator, Expression, OperandColumn, OperandValues, Plan, Schema, Tables,
};
use proptest::prelude::*;

fn case(seed: u64, unique: bool) -> (Case, Vec<Expression>) {
    let mut random = Random::new(seed);
    let schema = schema(&mut random);
    schema.check().unwrap();
    let case = tables(&mut random, schema, unique);
    let expressions = (0..30).filter_map(|_| variable(&mut random, &case.schema));
    let expressions = expressions.collect();
    (case, expressions)
}

/// Sums of the oracle are rounded at every step.
fn agree(expression: &Expression, found: &ColumnData, row: usize, expected: &Value) -> bool {
    match (found, expected) {
        (ColumnData::Categorical(found), Value::Category(expected)) => {
            found.get(row).unwrap_or_default() == expected
        }
        (ColumnData::Numeric(found), Value::Number(expected)) => {
            let found = found.values()[row];
            let deviation = serde_json::to_string(expression)
                .unwrap()
                .contains("StdDev");
            let (found, expected) = if deviation {
                (found * found, expected * expected)
            } else {
                (found, *expected)
            };
            // Numbers as large as 1e11 with others as small as 1e-12: the oracle has 16 digits in all.
            let tolerance = if deviation { 1e9 } else { 1e-3 };
            found.is_nan() && expected.is_nan()
                || (found - expected).abs() <= 2e-9 * expected.abs().max(1.0)
                || expected.abs() > 1e9 && (found - expected).abs() < tolerance
                || deviation && (found - expected).abs() < 1e-8
        }
        _ => false,
    }
}

/// A spread of values that were aggregated and rounded themselves shows where the oracle, whose sums
/// are not exact, rounds a tenth digit otherwise: four digits of it are compared, unless the numbers
/// are so large that none is sure.
fn agree_roughly(found: &ColumnData, row: usize, expected: &Value) -> bool {
    match (found, expected) {
        (ColumnData::Numeric(found), Value::Number(expected)) => {
            let found = found.values()[row];
            found.is_nan() && expected.is_nan()
                || (found - expected).abs() <= 1e-4 * expected.abs().max(1.0)
                || expected.abs() > 1e6
        }
        _ => false,
    }
}

fn is_spread_of_aggregates(expression: &Expression) -> bool {
    let text = serde_json::to_string(expression).unwrap();
    text.contains("StdDev") && text.matches("Table").count() > 1
}

fn check_case(case: &Case, joined: &Tables, oracle: &Oracle<'_>, expressions: &[Expression]) {
    let columns = values(joined, expressions, Arithmetic::Exact);
    for (expression, column) in expressions.iter().zip(&columns) {
        for row in 0..case.frames[""].rows() {
            let expected = oracle.root_value(expression, row);
            let rough =
                || is_spread_of_aggregates(expression) && agree_roughly(column, row, &expected);
            assert!(
                agree(expression, column, row, &expected) || rough(),
                "row {row}: {expected:?} {column:?} {}",
                serde_json::to_string(expression).unwrap()
            );
        }
    }
}

fn same_bits(a: &ColumnData, b: &ColumnData, rows: &[usize]) -> bool {
    match (a, b) {
        (ColumnData::Numeric(a), ColumnData::Numeric(b)) => {
            (0..rows.len()).all(|row| a.values()[row].to_bits() == b.values()[rows[row]].to_bits())
        }
        (ColumnData::Categorical(a), ColumnData::Categorical(b)) => {
            (0..rows.len()).all(|row| a.get(row) == b.get(rows[row]))
        }
        _ => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn values_are_those_of_the_oracle(seed: u64) {
        let (case, expressions) = case(seed, false);
        let joined = Tables::new(&case.schema, case.frames.clone(), None).unwrap();
        let oracle = Oracle::new(&case.schema, &case.frames);
        check_case(&case, &joined, &oracle, &expressions);
    }

    #[test]
    fn the_order_of_rows_does_not_show(seed: u64) {
        let (case, expressions) = case(seed, true);
        let joined = Tables::new(&case.schema, case.frames.clone(), None).unwrap();
        let columns = values(&joined, &expressions, Arithmetic::Exact);
        let mut random = Random::new(seed ^ 1);
        let mut root_order = Vec::new();
        let shuffled = case.frames.iter().map(|(path, frame)| {
            let mut order: Vec<usize> = (0..frame.rows()).collect();
            random.shuffle(&mut order);
            if path.is_empty() {
                root_order.clone_from(&order);
            }
            (path.clone(), frame.take(&order))
        });
        let shuffled = Tables::new(&case.schema, shuffled.collect(), None).unwrap();
        prop_assert_eq!(shuffled.reports(), joined.reports());
        let again = values(&shuffled, &expressions, Arithmetic::Exact);
        for ((a, b), expression) in again.iter().zip(&columns).zip(&expressions) {
            prop_assert!(same_bits(a, b, &root_order), "{expression:?}");
        }
    }

    #[test]
    fn threads_and_blocks_do_not_show(seed: u64) {
        let (case, expressions) = case(seed, false);
        let joined = Tables::new(&case.schema, case.frames, None).unwrap();
        let plan = Plan::new(&case.schema, &expressions).unwrap();
        let all: Vec<usize> = (0..plan.len()).collect();
        let rows: Vec<usize> = (0..joined.root_rows()).collect();
        for arithmetic in [Arithmetic::Exact, Arithmetic::Reference] {
            let mut evaluator = Evaluator::new(&plan, &joined, arithmetic).unwrap();
            let expected = evaluator.columns(&all).unwrap();
            for threads in [1, 2, 7] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let found = pool.install(|| {
                    let mut evaluator = Evaluator::new(&plan, &joined, arithmetic).unwrap();
                    let blocks = all.chunks(threads);
                    blocks.flat_map(|block| evaluator.columns(block).unwrap()).collect::<Vec<_>>()
                });
                for (a, b) in found.iter().zip(&expected) {
                    prop_assert!(same_bits(a, b, &rows));
                }
            }
        }
    }

    #[test]
    fn some_root_rows_keep_their_values(seed: u64) {
        let (case, expressions) = case(seed, false);
        let joined = Tables::new(&case.schema, case.frames, None).unwrap();
        let columns = values(&joined, &expressions, Arithmetic::Exact);
        let mut random = Random::new(seed ^ 2);
        let mut rows: Vec<usize> = (0..joined.root_rows()).filter(|_| !random.one_in(3)).collect();
        random.shuffle(&mut rows);
        let some = joined.take(&rows);
        for (a, b) in values(&some, &expressions, Arithmetic::Exact).iter().zip(&columns) {
            prop_assert!(same_bits(a, b, &rows));
        }
    }

    #[test]
    fn blocks_hold_every_variable_once(seed: u64, bytes in 0..20_000_usize) {
        let (case, expressions) = case(seed, false);
        let joined = Tables::new(&case.schema, case.frames, None).unwrap();
        let plan = Plan::new(&case.schema, &expressions).unwrap();
        let mut evaluator = Evaluator::new(&plan, &joined, Arithmetic::Exact).unwrap();
        let blocks = evaluator.blocks(bytes);
        let expected = values(&joined, &expressions, Arithmetic::Exact);
        let rows: Vec<usize> = (0..joined.root_rows()).collect();
        let mut seen = vec![0; plan.len()];
        for block in &blocks {
            for (&variable, column) in block.iter().zip(evaluator.columns(block).unwrap()) {
                seen[variable] += 1;
                prop_assert!(same_bits(&column, &expected[variable], &rows));
            }
        }
        prop_assert!(seen.iter().all(|&times| times == 1));
        prop_assert!(bytes > 0 || blocks.len() == plan.len() || joined.root_rows() == 0);
    }

    #[test]
    fn operands_have_the_values_of_the_oracle(seed: u64, unique: bool, cut: bool) {
        let (case, expressions) = case(seed, unique);
        let cutoff = cutoff(&case).filter(|_| cut);
        let joined = Tables::new(&case.schema, case.frames.clone(), cutoff.as_ref()).unwrap();
        let mut oracle = Oracle::new(&case.schema, &case.frames);
        if let Some(cutoff) = &cutoff {
            oracle = oracle.with_cutoff(cutoff);
        }
        let root = case.schema.root.clone();
        let computed = joined.operands(Arithmetic::Exact);
        prop_assert_eq!(computed.root_rows(), oracle.root_rows());
        let found = computed.values(&root, &expressions, None).unwrap();
        let expected = oracle.values(&root, &expressions, None).unwrap();
        prop_assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(&expected) {
            prop_assert_eq!(found.len(), expected.len());
        }
        // Tables that are not the root: the values of plain fields, all records of all paths. A look-up
        // table has all its rows, whether they repeat a key or not.
        for table in joined.schema().data_paths().iter().skip(1) {
            let is_look_up = table.path.rfind('/') == Some(0);
            let entity = joined.schema().entity(&table.entity);
            let fields = entity.fields.iter().filter(|f| f.name.starts_with('n'));
            let operands: Vec<Expression> = fields.map(|f| Expression::Field(f.name.clone())).collect();
            let found = computed.values(&table.entity, &operands, None).unwrap();
            let expected = oracle.values(&table.entity, &operands, None).unwrap();
            for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
                prop_assert!(sorted(found) == sorted(expected) || is_look_up && !unique);
            }
        }
    }

    #[test]
    fn each_row_sees_what_is_before_its_own_time(seed: u64) {
        let (case, expressions) = case(seed, false);
        let Some(cutoff) = cutoff(&case) else { return Ok(()) };
        let joined = Tables::new(&case.schema, case.frames.clone(), Some(&cutoff)).unwrap();
        let oracle = Oracle::new(&case.schema, &case.frames).with_cutoff(&cutoff);
        check_case(&case, &joined, &oracle, &expressions);
        // Some of the rows, in another order.
        let columns = values(&joined, &expressions, Arithmetic::Exact);
        let mut random = Random::new(seed ^ 3);
        let mut rows: Vec<usize> = (0..joined.root_rows()).filter(|_| !random.one_in(3)).collect();
        random.shuffle(&mut rows);
        let some = joined.take(&rows);
        for (a, b) in values(&some, &expressions, Arithmetic::Exact).iter().zip(&columns) {
            prop_assert!(same_bits(a, b, &rows));
        }
        // One row at a time: nothing is shared. Sums in the order of the records, too.
        let in_order = values(&joined, &expressions, Arithmetic::Reference);
        for row in 0..joined.root_rows() {
            let mut frames = case.frames.clone();
            frames.insert(String::new(), case.frames[""].take(&[row]));
            let alone = Tables::new(&case.schema, frames, Some(&cutoff)).unwrap();
            for (a, b) in values(&alone, &expressions, Arithmetic::Exact).iter().zip(&columns) {
                prop_assert!(same_bits(a, b, &[row]));
            }
            for (a, b) in values(&alone, &expressions, Arithmetic::Reference).iter().zip(&in_order) {
                prop_assert!(same_bits(a, b, &[row]));
            }
        }
    }

    #[test]
    fn a_cutoff_leaves_later_records_out(seed: u64) {
        let (case, expressions) = case(seed, true);
        let Some(mut cutoff) = cutoff(&case) else { return Ok(()) };
        cutoff.tables.retain(|path, _| !path.starts_with('/'));
        let joined = Tables::new(&case.schema, case.frames.clone(), Some(&cutoff)).unwrap();
        let seen = without_later_records(&case, &cutoff);
        let oracle = Oracle::new(&seen.schema, &seen.frames);
        check_case(&case, &joined, &oracle, &expressions);
        for report in joined.reports() {
            if !report.path.starts_with('/') {
                let kept = report.rows - report.orphans - report.hidden - report.repeated;
                let rows = joined.frame(&report.path).unwrap().rows();
                prop_assert_eq!(if report.path.is_empty() { report.rows } else { kept }, rows);
            }
        }
    }
}

/// Numbers in order, each as often as it counts.
fn sorted(column: &OperandColumn) -> Vec<u64> {
    // The oracle cannot tell the type of no values.
    let ColumnData::Numeric(values) = &column.values else {
        panic!("{column:?}");
    };
    let times = |row: usize| column.times.as_ref().map_or(1, |times| times[row] as usize);
    let values = values.values().iter().enumerate();
    let mut values: Vec<f64> = values
        .flat_map(|(row, &value)| std::iter::repeat_n(value, times(row)))
        .collect();
    values.sort_by(f64::total_cmp);
    values.into_iter().map(f64::to_bits).collect()
}

/// Times of the root and of every table that has some.
fn cutoff(case: &Case) -> Option<Cutoff> {
    let time = |frame: &Frame| {
        let columns = frame.columns().iter();
        let mut times = columns.filter(|column| match &column.data {
            ColumnData::Temporal(times) => times.kind() != Temporal::Time,
            _ => false,
        });
        times.next().map(|column| column.name.clone())
    };
    let is_owned = |path: &str| !path.is_empty() && path.rfind('/') != Some(0);
    let tables = case.frames.iter().filter(|(path, _)| is_owned(path));
    Some(Cutoff {
        root: time(&case.frames[""])?,
        tables: tables
            .filter_map(|(path, frame)| Some((path.clone(), time(frame)?)))
            .collect(),
        ..Cutoff::default()
    })
}

/// The tables without the records that may not be seen, found one at a time.
fn without_later_records(case: &Case, cutoff: &Cutoff) -> Case {
    let mut seen = case.clone();
    let roots = &case.frames[""];
    for (path, time) in &cutoff.tables {
        let entity = case.schema.entity(case.schema.entity_at(path).unwrap());
        let root_key = &case.schema.entity(&case.schema.root).key;
        let frame = &case.frames[path];
        let text = |frame: &Frame, name: &str, row: usize| match &frame.column(name).unwrap().data {
            ColumnData::Categorical(column) => column.get(row).map(str::to_owned),
            ColumnData::Numeric(column) => {
                let value = column.values()[row];
                (!value.is_nan()).then(|| value.to_string())
            }
            other => panic!("{other:?}"),
        };
        let key = |frame: &Frame, names: &[String], row: usize| -> Option<Vec<String>> {
            names.iter().map(|name| text(frame, name, row)).collect()
        };
        let day = |frame: &Frame, name: &str, row: usize| match &frame.column(name).unwrap().data {
            ColumnData::Temporal(times) => times.get(row).map(|time| match times.kind() {
                Temporal::Date => (time, None),
                Temporal::TimestampTz => {
                    let moment = time.div_euclid(128);
                    (moment.div_euclid(86_400_000_000), Some(moment))
                }
                _ => (time.div_euclid(86_400_000_000), Some(time)),
            }),
            other => panic!("{other:?}"),
        };
        let is_seen = |row: &usize| {
            let Some(own) = key(frame, &entity.key[..root_key.len()], *row) else {
                return false;
            };
            let root =
                (0..roots.rows()).find(|&root| key(roots, root_key, root).as_ref() == Some(&own));
            let now = root.and_then(|root| day(roots, &cutoff.root, root));
            match (day(frame, time, *row), now) {
                (Some((_, Some(time))), Some((_, Some(now)))) => time < now,
                (Some((day, _)), Some((today, _))) => day < today,
                _ => false,
            }
        };
        let rows: Vec<usize> = (0..frame.rows()).filter(is_seen).collect();
        seen.frames.insert(path.clone(), frame.take(&rows));
    }
    seen
}

#[test]
fn an_owner_with_very_many_records() {
    // More than one block has, so that selections are computed in parallel.
    let schema: Schema = serde_json::from_str(
        r#"{"root": "Root", "entities": {
            "Root": {"key": ["id"], "fields": [
                {"name": "id", "type": "Categorical"},
                {"name": "Logs", "relation": "many", "entity": "Log"}]},
            "Log": {"key": ["id"], "fields": [
                {"name": "id", "type": "Categorical"},
                {"name": "n", "type": "Numerical"}, {"name": "c", "type": "Categorical"}]}}}"#,
    )
    .unwrap();
    let rows = 150_000;
    let text = |row: usize| ["x", "y", "z"][row * row % 3];
    let owner = |row: usize| {
        if row.is_multiple_of(50_000) {
            "small"
        } else {
            "huge"
        }
    };
    let column = |name: &str, data| fnb::columns::Column {
        name: name.into(),
        data,
    };
    let number = |row: usize| (row * 7_919 % 1_000) as f64 / 10.0;
    let frame = Frame::new(
        rows,
        vec![
            column(
                "id",
                ColumnData::Categorical((0..rows).map(|row| Some(owner(row))).collect()),
            ),
            column(
                "c",
                ColumnData::Categorical((0..rows).map(|row| Some(text(row))).collect()),
            ),
            column(
                "n",
                ColumnData::Numeric(fnb::columns::NumericColumn::new(
                    (0..rows).map(number).collect(),
                )),
            ),
        ],
    )
    .unwrap();
    let roots = ColumnData::Categorical(
        [Some("small"), Some("huge"), Some("none")]
            .into_iter()
            .collect(),
    );
    let roots = Frame::new(3, vec![column("id", roots)]).unwrap();
    let frames = [(String::new(), roots), ("Logs".to_owned(), frame)];
    let joined = Tables::new(&schema, frames.into(), None).unwrap();
    let select = r#"{"select": "Logs", "where": [{"operand": "c", "equals": "x"},
        {"operand": "n", "lower_excl": 20.0, "upper_incl": 60.5}]}"#;
    let expression = |rule: &str, operand: &str| -> Expression {
        serde_json::from_str(&format!(
            r#"{{"rule": "{rule}", "args": [{select}{operand}]}}"#
        ))
        .unwrap()
    };
    let expressions = [
        expression("TableCount", ""),
        expression("TableSum", r#", "n""#),
        expression("TableMedian", r#", "n""#),
        expression("TableCountDistinct", r#", "c""#),
    ];
    let columns = values(&joined, &expressions, Arithmetic::Exact);
    for (row, name) in ["small", "huge", "none"].into_iter().enumerate() {
        let mut expected: Vec<u64> = (0..rows)
            .filter(|&row| owner(row) == name && text(row) == "x")
            .filter(|&row| number(row) > 20.0 && number(row) <= 60.5)
            .map(|row| (row * 7_919 % 1_000) as u64)
            .collect();
        expected.sort_unstable();
        let n = expected.len();
        let sum = expected.iter().sum::<u64>();
        let found = columns.iter().map(|column| match column {
            ColumnData::Numeric(column) => column.values()[row],
            other => panic!("{other:?}"),
        });
        let found: Vec<f64> = found.collect();
        assert_eq!(found[0], n as f64);
        assert_eq!(found[3], f64::from(u8::from(n > 0)));
        if n == 0 {
            assert!(found[1].is_nan() && found[2].is_nan());
        } else {
            assert_eq!(found[1], sum as f64 / 10.0);
            let median = (expected[n / 2] + expected[(n - 1) / 2]) as f64 / 20.0;
            assert_eq!(found[2], median);
        }
    }
}
