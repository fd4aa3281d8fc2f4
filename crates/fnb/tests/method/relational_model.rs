//! Models of several tables: what they keep, and that scoring computes what training saw.

use fnb::columns::{Column, ColumnData, Frame, NumericColumn, Target, Temporal, TemporalColumn};
use fnb::evaluate::Evaluation;
use fnb::model::Model;
use fnb::predict::{Scorer, database_to_score, scoring_frame};
use fnb::relational::{Cutoff, Database, Schema};
use fnb::terms::Origin;
use fnb::{Code, Prepared, Preset, Settings, train};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

fn text(name: &str, rows: impl IntoIterator<Item = String>) -> Column {
    let rows: Vec<String> = rows.into_iter().collect();
    Column {
        name: name.into(),
        data: ColumnData::Categorical(rows.iter().map(|row| Some(row.as_str())).collect()),
    }
}

fn numbers(name: &str, rows: impl IntoIterator<Item = f64>) -> Column {
    Column {
        name: name.into(),
        data: ColumnData::Numeric(NumericColumn::new(rows.into_iter().collect())),
    }
}

fn dates(name: &str, rows: impl IntoIterator<Item = i64>) -> Column {
    let column = TemporalColumn::new(Temporal::Date, rows.into_iter().collect());
    Column {
        name: name.into(),
        data: ColumnData::Temporal(column.with_month_first(Some(true))),
    }
}

const SCHEMA: &str = r#"{"root": "Customer", "entities": {
    "Customer": {"key": ["id"], "fields": [
        {"name": "id", "type": "Categorical"}, {"name": "age", "type": "Numerical"},
        {"name": "asked", "type": "Date"},
        {"name": "Orders", "relation": "many", "entity": "Order"},
        {"name": "Visits", "relation": "many", "entity": "Visit"}]},
    "Order": {"key": ["id"], "fields": [
        {"name": "id", "type": "Categorical"}, {"name": "price", "type": "Numerical"},
        {"name": "kind", "type": "Categorical"}, {"name": "day", "type": "Date"}]},
    "Visit": {"key": ["id"], "fields": [
        {"name": "id", "type": "Categorical"}, {"name": "pages", "type": "Numerical"}]}}}"#;

const ROWS: usize = 300;

/// Customers with many dear orders leave.
fn frames() -> (BTreeMap<String, Frame>, Target) {
    let ids = |rows: &[usize]| rows.iter().map(|i| format!("c{i}")).collect::<Vec<_>>();
    let all: Vec<usize> = (0..ROWS).collect();
    let owners: Vec<usize> = (0..5 * ROWS).map(|i| (i * 7) % ROWS).collect();
    let dear = |owner: usize, i: usize| owner.is_multiple_of(3) != i.is_multiple_of(11);
    let prices = owners.iter().enumerate().map(|(i, &owner)| {
        let base = if dear(owner, i) { 80.0 } else { 20.0 };
        base + (i % 17) as f64
    });
    let kinds = owners.iter().map(|owner| format!("k{}", owner % 4));
    let customers = vec![
        text("id", ids(&all)),
        numbers("age", all.iter().map(|i| 20.0 + (i % 50) as f64)),
        dates("asked", all.iter().map(|_| 19_900)),
    ];
    let orders = vec![
        text("id", ids(&owners)),
        numbers("price", prices),
        text("kind", kinds),
        dates("day", (0..5 * ROWS).map(|i| 19_800 + (i % 200) as i64)),
    ];
    let visits = vec![
        text("id", ids(&all)),
        numbers("pages", all.iter().map(|i| (i % 7) as f64)),
    ];
    let frame = |columns: Vec<Column>, rows| Frame::new(rows, columns).expect("a frame");
    let frames = [
        (String::new(), frame(customers, ROWS)),
        ("Orders".into(), frame(orders, 5 * ROWS)),
        ("Visits".into(), frame(visits, ROWS)),
    ];
    let classes = all
        .iter()
        .map(|i| if i % 3 == 0 { "leave" } else { "stay" }.to_owned());
    let target = Target::from_column(&text("class", classes)).expect("classes");
    (frames.into(), target)
}

fn database(cutoff: Option<Cutoff>) -> (Database, Target) {
    let schema: Schema = serde_json::from_str(SCHEMA).expect("a schema");
    let (frames, target) = frames();
    let database = Database::new(&schema, None, frames, cutoff).expect("tables");
    (database, target)
}

fn cutoff() -> Cutoff {
    Cutoff {
        root: "asked".into(),
        tables: [("Orders".to_owned(), "day".to_owned())].into(),
        ..Cutoff::default()
    }
}

/// The tables of a model, with the columns that it lists and no other.
fn needed(model: &Model) -> Database {
    let (frames, _) = frames();
    let mut needed = BTreeMap::new();
    for table in model.tables() {
        let path = if table.name == "main" {
            ""
        } else {
            &table.name
        };
        let columns = table.columns.iter();
        let columns = columns.map(|c| frames[path].column(&c.name).expect("a column").clone());
        let rows = frames[path].rows();
        needed.insert(
            path.to_owned(),
            Frame::new(rows, columns.collect()).expect("a frame"),
        );
    }
    let schema = model.schema().expect("a schema");
    Database::new(schema, None, needed, model.cutoff().cloned()).expect("tables")
}

#[test]
fn scoring_computes_what_training_saw() {
    for cutoff in [None, Some(cutoff())] {
        for preset in [Preset::Default, Preset::Khiops] {
            let (database, target) = database(cutoff.clone());
            let settings = Settings::preset(preset);
            let training = train(database.clone(), &target, &settings, &()).expect("a model");
            let json = training.model.to_json();
            let model = Model::from_json(json.as_bytes()).expect("a sound model");
            assert_eq!(model, training.model);
            let expressions = model.inputs().into_iter();
            let expressions = expressions.filter_map(|axis| axis.from.expression());
            assert!(expressions.count() > 0);
            let names: Vec<&str> = model.tables().iter().map(|t| t.name.as_str()).collect();
            assert_eq!(names, ["main", "Orders"], "visits tell nothing");
            let tables = needed(&model);
            let frame = scoring_frame(&model, &tables).expect("a frame");
            let probabilities = Scorer::new(&model).probabilities(&frame).expect("scores");
            let found = Evaluation::new(model.classes(), &probabilities, target.codes());
            assert_eq!(
                found.expect("figures"),
                model.evaluation().train.clone().expect("figures")
            );
        }
    }
}

#[test]
fn a_cut_off_hides_the_future() {
    let (all, target) = database(None);
    let (past, _) = database(Some(cutoff()));
    let settings = Settings::default();
    let name = |database: &Database| {
        let prepared = Prepared::new(database, &target, &settings, &()).expect("prepared");
        let count = prepared
            .variables()
            .iter()
            .find(|v| v.name == "Count(Orders)");
        count.expect("a count").axes[0].distinct
    };
    assert_eq!(name(&all), 1, "five orders each");
    assert!(name(&past) > 1);
    let model = train(past.clone(), &target, &settings, &())
        .expect("a model")
        .model;
    assert_eq!(model.cutoff(), Some(&cutoff()));
    let main = model.schema().expect("a schema").entity("Customer");
    assert!(main.field("asked").is_some(), "the time of a row is needed");
}

#[test]
fn month_first_is_kept() {
    let (database, target) = database(Some(cutoff()));
    let model = train(database.clone(), &target, &Settings::default(), &())
        .expect("a model")
        .model;
    let orders = &model.tables()[1];
    let day = orders.columns.iter().find(|column| column.name == "day");
    assert_eq!(day.expect("the time of a record").month_first, Some(true));
}

#[test]
fn dates_of_one_table() {
    let rows = 400;
    let day = dates("day", (0..rows).map(|i| 19_000 + i));
    let noise = numbers("noise", (0..rows).map(|i| (i * 37 % 101) as f64));
    let frame = Frame::new(rows as usize, vec![noise, day]).expect("a frame");
    let weekend = |i: i64| {
        if (19_000 + i + 3) % 7 >= 5 {
            "yes"
        } else {
            "no"
        }
        .to_owned()
    };
    let target = Target::from_column(&text("weekend", (0..rows).map(weekend))).expect("classes");
    let model = train(frame.clone(), &target, &Settings::default(), &())
        .expect("a model")
        .model;
    assert_eq!(model.terms()[0].name, "day.WeekDay");
    assert!(matches!(
        &model.terms()[0].axes[0].from,
        Origin::Expression(_)
    ));
    assert!(model.dropped().iter().all(|dropped| dropped.name != "day"));
    let frames = [(String::new(), frame.clone())];
    let database = database_to_score(&model, frames.into()).expect("a database");
    let scored = scoring_frame(&model, &database).expect("a frame");
    let probabilities = Scorer::new(&model).probabilities(&scored).expect("scores");
    let found = Evaluation::new(model.classes(), &probabilities, target.codes()).expect("figures");
    assert_eq!(found.accuracy, 1.0);
    let khiops = train(
        frame.clone(),
        &target,
        &Settings::preset(Preset::Khiops),
        &(),
    )
    .expect("a model");
    assert!(khiops.model.terms().is_empty());
    assert!(khiops.model.schema().is_none());
    let khiops = Settings::preset(Preset::Khiops);
    let plain = Prepared::new(&frame.into(), &target, &khiops, &()).expect("prepared");
    assert_eq!(plain.variables().len(), 1);
}

#[test]
fn rows_are_taken_with_their_records() {
    let (database, target) = database(None);
    let rows: Vec<usize> = (0..ROWS).rev().filter(|row| row % 4 > 0).collect();
    let (mut some, _) = frames();
    let main = some.remove("").expect("a table").take(&rows);
    some.insert(String::new(), main);
    let joined_anew = Database::new(database.schema(), None, some, None).expect("tables");
    let settings = Settings::default();
    let target = target.take(&rows);
    let model = |database: &Database| {
        let training = train(database.clone(), &target, &settings, &());
        // What joining found is of the tables as they were given.
        without_joins(&training.expect("a model").model)
    };
    assert_eq!(model(&database.take(&rows)), model(&joined_anew));
}

/// A model but for what joining its tables found.
pub(crate) fn without_joins(model: &Model) -> serde_json::Value {
    let mut content: serde_json::Value = serde_json::from_str(&model.to_json()).expect("JSON");
    let entries = content.as_object_mut().expect("an object");
    assert!(entries.remove("joins").is_some());
    entries.remove("checksum");
    content
}

/// The text without blanks, with the checksum made right.
pub(crate) fn signed(json: &str) -> Vec<u8> {
    let mut compact = String::new();
    let (mut in_string, mut escaped) = (false, false);
    for c in json.chars() {
        if in_string || !c.is_ascii_whitespace() {
            compact.push(c);
        }
        in_string ^= c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
    }
    let start = compact.rfind("\"checksum\":\"").expect("a checksum") + 12;
    let end = start + compact[start..].find('"').expect("its end");
    let (before, after) = (&compact[..start], &compact[end..]);
    let hash = Sha256::digest(format!("{before}{after}").as_bytes());
    let hash: Vec<String> = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    let hash = hash.concat();
    format!("{before}sha256:{hash}{after}").into_bytes()
}

#[test]
fn expressions_that_do_not_fit_are_refused() {
    let (database, target) = database(None);
    let training = train(database.clone(), &target, &Settings::default(), &());
    let json = training.expect("a model").model.to_json();
    Model::from_json(&signed(&json)).expect("nothing was changed");
    for (from, to) in [
        (r#"["Orders","#, r#"["Visits","#),
        (r#"["Orders","#, r#"["Nowhere","#),
        (r#""entity":"Order""#, r#""entity":"Ordre""#),
        (r#""root":"Customer""#, r#""root":"Nobody""#),
        (
            r#"{"name":"price","type":"numerical"}"#,
            r#"{"name":"price","type":"text"}"#,
        ),
        (
            r#""name":"Orders","columns""#,
            r#""name":"Others","columns""#,
        ),
        (r#""type":"numerical""#, r#""type":"categorical""#),
    ] {
        let changed = String::from_utf8(signed(&json)).expect("UTF-8");
        assert!(changed.contains(from), "{from} is not in {json}");
        let error = Model::from_json(&signed(&changed.replace(from, to))).expect_err(to);
        assert_eq!(error.code(), Code::ModelContent, "{error}");
    }
}

/// A date that variables are made of is not among what is left out of the model: they are.
#[test]
fn a_column_is_not_used_only_if_nothing_is_made_of_it() {
    let frame = || {
        let noise = |i: usize| 19_000 + ((i * 7919) % 360) as i64;
        let columns = vec![
            numbers("age", (0..ROWS).map(|i| (i % 3) as f64)),
            dates("joined", (0..ROWS).map(noise)),
        ];
        Frame::new(ROWS, columns).expect("a frame")
    };
    let (_, target) = frames();
    let dropped = |features: usize| -> Vec<(String, String)> {
        let mut settings = Settings::default();
        settings.construct.features = features;
        let training = fnb::train(frame(), &target, &settings, &()).expect("a model");
        let dropped = training.model.dropped().iter();
        dropped
            .map(|d| (d.name.clone(), d.reason.clone()))
            .collect()
    };
    let without = dropped(0);
    assert_eq!(
        without,
        [("joined".to_owned(), "not used: date".to_owned())]
    );
    let with = dropped(100);
    assert!(!with.is_empty());
    for (name, reason) in with {
        assert!(name.starts_with("joined."), "{name}");
        assert!(!reason.starts_with("not used"), "{name}: {reason}");
    }
}
