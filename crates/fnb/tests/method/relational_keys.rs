//! Keys that match and keys that do not.

use super::relational_engine::values;
use fnb::columns::{Column, ColumnData, Frame, NumericColumn, Temporal, TemporalColumn};
use fnb::relational::{Arithmetic, Cutoff, Schema, Tables};
use fnb::{Code, Result};

fn schema(key: &str, ty: &str) -> Schema {
    serde_json::from_str(&format!(
        r#"{{"root": "Customer", "entities": {{
            "Customer": {{"key": [{key}], "fields": [
                {{"name": "id", "type": "{ty}"}}, {{"name": "region", "type": "Categorical"}},
                {{"name": "town", "type": "Categorical"}},
                {{"name": "Orders", "relation": "many", "entity": "Order"}},
                {{"name": "Home", "relation": "one", "entity": "Home"}},
                {{"name": "City", "relation": "one", "entity": "City", "by": ["town"]}}]}},
            "Order": {{"key": [{key}], "fields": [
                {{"name": "id", "type": "{ty}"}}, {{"name": "region", "type": "Categorical"}},
                {{"name": "price", "type": "Numerical"}}]}},
            "Home": {{"key": [{key}], "fields": [
                {{"name": "id", "type": "{ty}"}}, {{"name": "region", "type": "Categorical"}},
                {{"name": "rooms", "type": "Numerical"}}]}},
            "City": {{"key": ["town"], "fields": [
                {{"name": "town", "type": "Categorical"}}, {{"name": "people", "type": "Numerical"}}]}}
        }}}}"#
    ))
    .unwrap()
}

fn text(name: &str, rows: &[&str]) -> Column {
    let rows = rows
        .iter()
        .map(|row| Some(*row).filter(|row| !row.is_empty()));
    Column {
        name: name.into(),
        data: ColumnData::Categorical(rows.collect()),
    }
}

fn numbers(name: &str, rows: &[f64]) -> Column {
    Column {
        name: name.into(),
        data: ColumnData::Numeric(NumericColumn::new(rows.to_vec())),
    }
}

fn frame(columns: Vec<Column>) -> Frame {
    let rows = match &columns[0].data {
        ColumnData::Categorical(column) => column.len(),
        ColumnData::Numeric(column) => column.len(),
        other => panic!("{other:?}"),
    };
    Frame::new(rows, columns).unwrap()
}

/// Prices and rooms of three customers, given their keys.
fn join(schema: &Schema, keys: [Column; 3], regions: [&[&str]; 3]) -> Result<Tables> {
    let [customers, orders, homes] = keys;
    let towns: Vec<&str> = ["a", "b", ""]
        .into_iter()
        .cycle()
        .take(regions[0].len())
        .collect();
    let prices: Vec<f64> = (1..=regions[1].len()).map(|i| i as f64).collect();
    let rooms: Vec<f64> = (1..=regions[2].len()).map(|i| 10.0 * i as f64).collect();
    let frames = [
        (
            String::new(),
            frame(vec![
                customers,
                text("region", regions[0]),
                text("town", &towns),
            ]),
        ),
        (
            "Orders".into(),
            frame(vec![
                orders,
                text("region", regions[1]),
                numbers("price", &prices),
            ]),
        ),
        (
            "Home".into(),
            frame(vec![
                homes,
                text("region", regions[2]),
                numbers("rooms", &rooms),
            ]),
        ),
        (
            "/City".into(),
            frame(vec![
                text("town", &["a", "c"]),
                numbers("people", &[7.0, 8.0]),
            ]),
        ),
    ];
    Tables::new(schema, frames.into(), None)
}

/// Sum of prices, rooms of the home, people of the city.
fn found(tables: &Tables) -> [Vec<String>; 3] {
    let expressions = [
        r#"{"rule": "TableSum", "args": ["Orders", "price"]}"#,
        r#"{"rule": "GetValue", "args": ["Home", "rooms"]}"#,
        r#"{"rule": "GetValue", "args": ["City", "people"]}"#,
    ];
    let expressions = expressions.map(|json| serde_json::from_str(json).unwrap());
    let columns = values(tables, &expressions, Arithmetic::Exact);
    let texts = |column: &ColumnData| match column {
        ColumnData::Numeric(column) => column.values().iter().map(ToString::to_string).collect(),
        other => panic!("{other:?}"),
    };
    [texts(&columns[0]), texts(&columns[1]), texts(&columns[2])]
}

#[test]
fn texts_are_compared_exactly() {
    let ids = [
        text("id", &["1", "01", "x"]),
        text("id", &["01", "1", "1", "1 ", ""]),
        text("id", &["x", "x", "nobody"]),
    ];
    let regions: [&[&str]; 3] = [&["r"; 3], &["r"; 5], &["r"; 3]];
    let tables = join(&schema(r#""id""#, "Categorical"), ids, regions).unwrap();
    let [sums, rooms, people] = found(&tables);
    assert_eq!(sums, ["5", "1", "NaN"]);
    assert_eq!(rooms, ["NaN", "NaN", "10"]);
    assert_eq!(people, ["7", "NaN", "NaN"]);
    let reports = tables.reports();
    assert_eq!((reports[1].rows, reports[1].orphans), (5, 2));
    assert_eq!((reports[2].orphans, reports[2].repeated), (1, 1));
    assert_eq!(reports[0].unmatched["City"], 2);
}

#[test]
fn numbers_are_compared_as_numbers() {
    let ids = [
        numbers("id", &[1.0, -0.0, 2.5]),
        numbers("id", &[0.0, 2.5, 1.0, 1.0, f64::NAN]),
        numbers("id", &[f64::NAN, 1.0, 3.0]),
    ];
    let regions: [&[&str]; 3] = [&["r"; 3], &["r"; 5], &["r"; 3]];
    let tables = join(&schema(r#""id""#, "Numerical"), ids, regions).unwrap();
    let [sums, rooms, _] = found(&tables);
    assert_eq!(sums, ["7", "1", "2"]);
    assert_eq!(rooms, ["20", "NaN", "NaN"]);
}

#[test]
fn all_parts_of_a_key_count() {
    let ids = [
        numbers("id", &[1.0, 1.0, 2.0]),
        numbers("id", &[1.0, 1.0, 2.0, 2.0, 1.0]),
        numbers("id", &[2.0, 1.0, 1.0]),
    ];
    let regions: [&[&str]; 3] = [
        &["n", "s", "s"],
        &["s", "n", "n", "s", ""],
        &["s", "s", "x"],
    ];
    let tables = join(&schema(r#""id", "region""#, "Numerical"), ids, regions).unwrap();
    let [sums, rooms, _] = found(&tables);
    assert_eq!(sums, ["2", "1", "4"]);
    assert_eq!(rooms, ["NaN", "20", "10"]);
    assert_eq!(tables.reports()[1].orphans, 2);
}

#[test]
fn rows_with_the_same_key_share_its_records() {
    let ids = [
        text("id", &["x", "y", "x"]),
        text("id", &["x", "y"]),
        text("id", &["x", "y"]),
    ];
    let regions: [&[&str]; 3] = [&["r"; 3], &["r"; 2], &["r"; 2]];
    let tables = join(&schema(r#""id""#, "Categorical"), ids, regions).unwrap();
    let report = &tables.reports()[0];
    assert_eq!((report.shared, report.repeated), (1, 0));
    let [sums, rooms, people] = found(&tables);
    assert_eq!(sums, ["1", "2", "1"]);
    assert_eq!(rooms, ["10", "20", "10"]);
    // Each row refers to a city of its own.
    assert_eq!(people, ["7", "NaN", "NaN"]);
    // Records are there once.
    assert_eq!(tables.frames().nth(1).unwrap().1.rows(), 2);
}

#[test]
fn empty_tables_and_only_orphans() {
    let ids = [text("id", &["x", "y"]), text("id", &["z"]), text("id", &[])];
    let regions: [&[&str]; 3] = [&["r"; 2], &["r"], &[]];
    let tables = join(&schema(r#""id""#, "Categorical"), ids, regions).unwrap();
    let [sums, rooms, _] = found(&tables);
    assert_eq!(
        (sums, rooms),
        (vec!["NaN".into(); 2], vec!["NaN".into(); 2])
    );
    let no_roots = [text("id", &[]), text("id", &["z"]), text("id", &[])];
    let tables = join(
        &schema(r#""id""#, "Categorical"),
        no_roots,
        [&[], &["r"], &[]],
    )
    .unwrap();
    assert_eq!(found(&tables)[0], Vec::<String>::new());
}

#[test]
fn keys_that_cannot_be_compared_are_refused() {
    let regions: [&[&str]; 3] = [&["r"], &["r"], &["r"]];
    let ids = [
        text("id", &["1"]),
        numbers("id", &[1.0]),
        text("id", &["1"]),
    ];
    let error = join(&schema(r#""id""#, "Categorical"), ids, regions).unwrap_err();
    assert_eq!(error.code(), Code::UnsupportedType);
    assert_eq!(
        error.message(),
        r#"key column "id" of table Orders holds numbers, but "id" of the main table holds text"#
    );

    let ids = [
        numbers("id", &[12_345_678_901.0]),
        numbers("id", &[1.0]),
        numbers("id", &[1.0]),
    ];
    let error = join(&schema(r#""id""#, "Numerical"), ids, regions).unwrap_err();
    assert_eq!(error.code(), Code::UnsupportedType);
    assert!(error.message().contains("ten digits"), "{error}");

    let ids = [
        text("id", &["1"]),
        text("ident", &["1"]),
        text("id", &["1"]),
    ];
    let error = join(&schema(r#""id""#, "Categorical"), ids, regions).unwrap_err();
    assert_eq!(error.code(), Code::MissingColumn);
}

#[test]
fn tables_that_are_not_there() {
    let schema = schema(r#""id""#, "Categorical");
    let error = Tables::new(&schema, [].into(), None).unwrap_err();
    assert_eq!(error.code(), Code::UnusableData);
    let ids = || text("id", &["1"]);
    let mut frames: std::collections::BTreeMap<String, Frame> = [
        (String::new(), frame(vec![ids(), text("town", &["a"])])),
        ("Orders".into(), frame(vec![ids()])),
        ("Home".into(), frame(vec![ids()])),
        ("/City".into(), frame(vec![text("town", &["a"])])),
    ]
    .into();
    let tables = Tables::new(&schema, frames.clone(), None).unwrap();
    let expression = serde_json::from_str(r#"{"rule": "TableSum", "args": ["Orders", "price"]}"#);
    let plan = fnb::relational::Plan::new(&schema, &[expression.unwrap()]).unwrap();
    let mut evaluator = fnb::relational::Evaluator::new(&plan, &tables, Arithmetic::Exact).unwrap();
    let error = evaluator.columns(&[0]).unwrap_err();
    assert_eq!(error.code(), Code::MissingColumn);
    frames.insert("Order".into(), frame(vec![ids()]));
    let error = Tables::new(&schema, frames, None).unwrap_err();
    assert_eq!(error.code(), Code::InvalidSchema);
}

#[test]
fn a_cutoff_is_strict_and_a_date_lasts_a_day() {
    let schema: Schema = serde_json::from_str(
        r#"{"root": "Customer", "entities": {
            "Customer": {"key": ["id"], "fields": [
                {"name": "id", "type": "Categorical"}, {"name": "asked", "type": "Timestamp"},
                {"name": "Orders", "relation": "many", "entity": "Order"}]},
            "Order": {"key": ["id"], "fields": [
                {"name": "id", "type": "Categorical"}, {"name": "day", "type": "Date"},
                {"name": "at", "type": "Timestamp"}]}}}"#,
    )
    .unwrap();
    let times = |name: &str, kind, values: &[i64]| Column {
        name: name.into(),
        data: ColumnData::Temporal(TemporalColumn::new(kind, values.to_vec())),
    };
    let day = 86_400_000_000;
    let missing = TemporalColumn::MISSING;
    let frames = || {
        let asked = times("asked", Temporal::Timestamp, &[10 * day + 5, missing]);
        let roots = frame(vec![text("id", &["x", "y"]), asked]);
        let orders = vec![
            text("id", &["x", "x", "x", "x", "x", "y"]),
            times("day", Temporal::Date, &[9, 10, 11, -1, missing, 3]),
            times(
                "at",
                Temporal::Timestamp,
                &[10 * day + 4, 10 * day + 5, 0, missing, -1, 3],
            ),
        ];
        [(String::new(), roots), ("Orders".to_owned(), frame(orders))].into()
    };
    let count = serde_json::from_str(r#"{"rule": "TableCount", "args": ["Orders"]}"#).unwrap();
    let counts = |column: &str| {
        let cutoff = Cutoff {
            root: "asked".into(),
            tables: [("Orders".to_owned(), column.to_owned())].into(),
            ..Cutoff::default()
        };
        let tables = Tables::new(&schema, frames(), Some(&cutoff)).unwrap();
        let columns = values(&tables, std::slice::from_ref(&count), Arithmetic::Exact);
        let ColumnData::Numeric(counts) = &columns[0] else {
            panic!("a count is a number");
        };
        (counts.values().to_vec(), tables.reports()[1].hidden)
    };
    assert_eq!(counts("day"), (vec![2.0, 0.0], 4));
    assert_eq!(counts("at"), (vec![3.0, 0.0], 3));

    for (root, table, column, code) in [
        ("askd", "Orders", "day", Code::MissingColumn),
        ("id", "Orders", "day", Code::UnsupportedType),
        ("asked", "Order", "day", Code::InvalidSchema),
        ("asked", "Orders", "days", Code::MissingColumn),
        ("asked", "Orders", "id", Code::UnsupportedType),
    ] {
        let cutoff = Cutoff {
            root: root.into(),
            tables: [(table.to_owned(), column.to_owned())].into(),
            ..Cutoff::default()
        };
        let error = Tables::new(&schema, frames(), Some(&cutoff)).unwrap_err();
        assert_eq!(error.code(), code, "{error}");
    }
}

#[test]
fn variables_that_are_not_of_the_schema() {
    let schema = schema(r#""id""#, "Categorical");
    for json in [
        r#""Orders""#,
        r#"{"select": "Orders", "where": []}"#,
        r#"{"rule": "TableMean", "args": ["Orders"]}"#,
        r#"{"rule": "TableMean", "args": ["Order", "price"]}"#,
        r#"{"rule": "TableMean", "args": ["Orders", "region"]}"#,
        r#"{"rule": "TableMean", "args": ["Home", "rooms"]}"#,
        r#"{"rule": "GetValue", "args": ["Orders", "price"]}"#,
        r#"{"rule": "Day", "args": ["town"]}"#,
        r#"{"rule": "TableCount", "args": [{"select": "Orders", "where": [
            {"operand": "price", "equals": "1"}]}]}"#,
        r#"{"rule": "TableCount", "args": [{"rule": "TableCount", "args": ["Orders"]}]}"#,
    ] {
        let expression = serde_json::from_str(json).unwrap();
        let error = fnb::relational::Plan::new(&schema, &[expression]).unwrap_err();
        assert_eq!(error.code(), Code::InvalidSchema, "{json}");
    }
}
