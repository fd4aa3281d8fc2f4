//! A smaller model of the size path asks for what it needs, and tells what it left out.

use fnb::columns::{
    CategoricalColumn, Column, ColumnData, Frame, NumericColumn, SparseEntries, SparseTable, Target,
};
use fnb::model::Model;
use fnb::relational::{Cutoff, Database, Schema};
use fnb::weights::LearnSettings;
use fnb::{Method, Settings};

const ROWS: usize = 900;

fn text(name: &str, rows: &[String]) -> Column {
    Column {
        name: name.into(),
        data: ColumnData::Categorical(rows.iter().map(|row| Some(row.as_str())).collect()),
    }
}

fn numbers(name: &str, value: impl Fn(usize) -> f64) -> Column {
    Column {
        name: name.into(),
        data: ColumnData::Numeric(NumericColumn::new((0..ROWS).map(value).collect())),
    }
}

/// Above all `strong` tells the class, then what there is besides, then `weak`.
fn class(row: usize) -> &'static str {
    match (row % 10 < 8, row % 7 < 2) {
        (true, false) => ["no", "yes"][row % 2],
        (true, true) => ["no", "yes"][usize::from(row.is_multiple_of(3))],
        (false, _) => ["no", "yes"][row / 10 % 2],
    }
}

fn main_columns() -> Vec<Column> {
    vec![
        text(
            "id",
            &(0..ROWS).map(|row| format!("c{row}")).collect::<Vec<_>>(),
        ),
        numbers("weak", |row| (row / 10 % 2) as f64 + (row % 4) as f64),
        numbers("noise", |row| (row * 37 % 101) as f64),
        numbers("strong", |row| (row % 2) as f64),
    ]
}

fn target() -> Target {
    let classes: Vec<String> = (0..ROWS).map(|row| class(row).to_owned()).collect();
    Target::from_column(&text("y", &classes)).unwrap()
}

fn settings(method: Method) -> Settings {
    Settings {
        learn: LearnSettings {
            method,
            lambda: 0.01,
            ..LearnSettings::default()
        },
        ..Settings::default()
    }
}

const SCHEMA: &str = r#"{"root": "main", "entities": {
    "main": {"key": ["id"], "fields": [
        {"name": "id", "type": "categorical", "unused": true},
        {"name": "weak", "type": "numerical"}, {"name": "noise", "type": "numerical"},
        {"name": "strong", "type": "numerical"}, {"name": "asked", "type": "date"},
        {"name": "orders", "relation": "many", "entity": "order"}]},
    "order": {"key": ["id"], "fields": [
        {"name": "id", "type": "categorical"}, {"name": "day", "type": "date"}]}}}"#;

fn dates(name: &str, rows: usize, day: impl Fn(usize) -> i64) -> Column {
    use fnb::columns::{Temporal, TemporalColumn};
    let days = (0..rows).map(day).collect();
    Column {
        name: name.into(),
        data: ColumnData::Temporal(TemporalColumn::new(Temporal::Date, days)),
    }
}

/// A model of two tables with a cut-off: the number of orders tells something.
fn of_tables(method: Method) -> Model {
    let mut columns = main_columns();
    columns.push(dates("asked", ROWS, |_| 20_000));
    let owners = (0..ROWS).flat_map(|row| {
        let orders = if row.is_multiple_of(3) { 4 } else { 1 };
        std::iter::repeat_n(format!("c{row}"), orders)
    });
    let owners: Vec<String> = owners.collect();
    let count = owners.len();
    let orders = vec![text("id", &owners), dates("day", count, |_| 19_000)];
    let frames = [
        (String::new(), Frame::new(ROWS, columns).unwrap()),
        ("orders".into(), Frame::new(count, orders).unwrap()),
    ];
    let cutoff = Cutoff {
        root: "asked".into(),
        tables: [("orders".to_owned(), "day".to_owned())].into(),
        ..Cutoff::default()
    };
    let schema: Schema = serde_json::from_str(SCHEMA).unwrap();
    let database = Database::new(&schema, None, frames.into(), Some(cutoff)).unwrap();
    fnb::train(database, &target(), &settings(method), &())
        .unwrap()
        .model
}

fn names(model: &Model) -> Vec<&str> {
    model
        .terms()
        .iter()
        .map(|term| term.name.as_str())
        .collect()
}

#[test]
fn tables_that_nothing_uses_are_forgotten() {
    let model = of_tables(Method::Coordinate);
    assert!(
        names(&model).contains(&"Count(orders)"),
        "{:?}",
        names(&model)
    );
    assert_eq!(model.tables().len(), 2);
    assert!(model.schema().is_some() && model.cutoff().is_some());
    let small = model.prune(1).unwrap();
    assert_eq!(names(&small), ["strong"]);
    assert_eq!(small.tables().len(), 1);
    assert!(small.schema().is_none() && small.cutoff().is_none());
    assert_eq!(Model::from_json(small.to_json().as_bytes()), Ok(small));
    // With the orders still in, they are still asked for.
    let sizes = model.training().size_path.iter();
    let with_orders = sizes.filter(|point| point.weights.contains_key("Count(orders)"));
    for point in with_orders {
        let pruned = model.prune(point.selected).unwrap();
        assert_eq!(pruned.tables().len(), 2);
        assert_eq!(pruned.cutoff(), model.cutoff());
    }
}

/// Columns in their order, then constructed variables; each once.
#[test]
fn what_is_left_out_is_listed_in_order() {
    let model = of_tables(Method::Coordinate);
    let small = model.prune(1).unwrap();
    let dropped: Vec<&str> = small.dropped().iter().map(|d| d.name.as_str()).collect();
    let columns = small.columns().iter().map(|c| c.name.as_str());
    let columns: Vec<&str> = columns.filter(|name| dropped.contains(name)).collect();
    assert!(columns.contains(&"weak") && columns.contains(&"noise"));
    assert_eq!(dropped[..columns.len()], columns);
    assert!(dropped[columns.len()..].contains(&"Count(orders)"));
    let mut once = dropped.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), dropped.len());
}

/// The criterion of a pruned model is the one that the path was made by; what the search minimised is not
/// known of it.
#[test]
fn criteria_are_of_one_kind() {
    for method in [Method::Fnb, Method::FnbKhiops, Method::Coordinate] {
        let model = of_tables(method);
        let small = model.prune(1).unwrap();
        let (before, after) = (model.training(), small.training());
        let is_search = method != Method::Coordinate;
        assert_eq!(before.search_criterion.is_some(), is_search, "{method:?}");
        assert!(after.search_criterion.is_none() && after.lowest.is_none());
        assert_eq!(after.criterion, after.size_path.last().unwrap().criterion);
        assert_eq!(after.null_criterion, before.null_criterion);
        let compression = 1.0 - after.criterion.total / after.null_criterion;
        assert!((after.compression - compression).abs() < 1e-12);
        assert!(after.compression > 0.0 && after.criterion.total < after.null_criterion);
        assert_eq!(after.size_path.last().unwrap().selected, 1);
    }
}

#[test]
fn sparse_tables_that_nothing_uses_are_forgotten() {
    let lines: Vec<(String, String)> = (0..ROWS)
        .filter(|row| row.is_multiple_of(3))
        .map(|row| (format!("c{row}"), "bought".to_owned()))
        .collect();
    let column = |part: fn(&(String, String)) -> &String| -> CategoricalColumn {
        lines.iter().map(|line| Some(part(line).as_str())).collect()
    };
    let table = SparseTable {
        name: "words".into(),
        key: "id".into(),
        feature: "word".into(),
        value: None,
        features: 0,
    };
    let entries = SparseEntries::new(table, &column(|l| &l.0), &column(|l| &l.1), None, None);
    let frame = Frame::new(ROWS, main_columns()).unwrap();
    let (frame, _) = frame.with_sparse_tables(&[entries.unwrap()]).unwrap();
    let training = fnb::train(frame, &target(), &settings(Method::Coordinate), &());
    let model = training.unwrap().model;
    assert!(
        names(&model).contains(&"words.bought"),
        "{:?}",
        names(&model)
    );
    assert_eq!((model.sparse().len(), model.sparse()[0].selected), (1, 1));
    let small = model.prune(1).unwrap();
    assert_eq!(names(&small), ["strong"]);
    assert!(small.sparse().is_empty());
    // Features are counted, never listed.
    assert!(small.dropped().iter().all(|d| d.name != "words.bought"));
}
