//! Joining and evaluation on a table of logs: 20 000 customers with about 50 records each.

use divan::{Bencher, counter::ItemsCount};
use fnb::columns::{Column, ColumnData, Frame, NumericColumn};
use fnb::relational::{
    Allocation, Arithmetic, ConstructionSettings, Evaluator, Expression, Plan, RuleSet, Schema,
    Tables, construct,
};
use std::collections::BTreeMap;

const CUSTOMERS: usize = 20_000;
const RECORDS: usize = 1_000_000;

fn main() {
    divan::main();
}

/// Numbers in [0, 1) that look random and are the same everywhere.
fn uniform(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn schema() -> Schema {
    serde_json::from_str(
        r#"{"root": "Customer", "entities": {
            "Customer": {"key": ["customer"], "fields": [
                {"name": "customer", "type": "Categorical"},
                {"name": "Logs", "relation": "many", "entity": "Log"}]},
            "Log": {"key": ["customer"], "fields": [
                {"name": "customer", "type": "Categorical"},
                {"name": "amount", "type": "Numerical"}, {"name": "share", "type": "Numerical"},
                {"name": "count", "type": "Numerical"}, {"name": "kind", "type": "Categorical"},
                {"name": "channel", "type": "Categorical"}]}}}"#,
    )
    .expect("a schema")
}

/// The tables; records in the order of the customers, or in any order.
fn frames(clustered: bool) -> BTreeMap<String, Frame> {
    let mut random = uniform(1);
    let names: Vec<String> = (0..CUSTOMERS).map(|i| format!("C{i:07}")).collect();
    let mut owners: Vec<usize> = (0..RECORDS)
        .map(|_| (random() * CUSTOMERS as f64) as usize)
        .collect();
    if clustered {
        owners.sort_unstable();
    }
    let texts = |values: Vec<&str>| ColumnData::Categorical(values.into_iter().map(Some).collect());
    let mut numbers = |scale: f64, digits: f64, size: f64| {
        let value = |_| (random() * random() * scale * digits).round() / digits * size;
        ColumnData::Numeric(NumericColumn::new((0..RECORDS).map(value).collect()))
    };
    let data = vec![
        ("amount", numbers(1000.0, 100.0, 1.0)),
        ("share", numbers(1.0, 1e12, 1.0)),
        ("count", numbers(100.0, 1.0, 1.0)),
    ];
    let mut random = uniform(2);
    let kinds = ["refund", "buy", "visit", "call"];
    let channels: Vec<String> = (0..30).map(|i| format!("ch{i}")).collect();
    let kind = (0..RECORDS).map(|_| kinds[(random() * random() * 4.0) as usize]);
    let kind = texts(kind.collect());
    let channel = (0..RECORDS).map(|_| channels[(random() * random() * 30.0) as usize].as_str());
    let channel = texts(channel.collect());
    let owner = texts(owners.iter().map(|&owner| names[owner].as_str()).collect());
    let column = |(name, data): (&str, ColumnData)| Column {
        name: name.into(),
        data,
    };
    let data = data.into_iter().map(column);
    let texts_of = [("customer", owner), ("kind", kind), ("channel", channel)];
    let columns = data.chain(texts_of.into_iter().map(column)).collect();
    let roots = column((
        "customer",
        texts(names.iter().map(String::as_str).collect()),
    ));
    [
        (
            String::new(),
            Frame::new(CUSTOMERS, vec![roots]).expect("keys"),
        ),
        (
            "Logs".to_owned(),
            Frame::new(RECORDS, columns).expect("logs"),
        ),
    ]
    .into()
}

fn variables(tables: &Tables, count: usize) -> Vec<Expression> {
    let settings = ConstructionSettings {
        features: count,
        rules: RuleSet::default(),
        other_choices: 0,
        allocation: Allocation::Diverse,
        sampled: false,
    };
    let operands = tables.operands(Arithmetic::Exact);
    let found = construct(tables.schema(), None, &settings, &operands).expect("variables");
    found.variables.into_iter().map(|v| v.expression).collect()
}

#[divan::bench(args = [true, false], sample_count = 3)]
fn join(bencher: Bencher, clustered: bool) {
    let (schema, frames) = (schema(), frames(clustered));
    bencher
        .counter(ItemsCount::new(RECORDS))
        .with_inputs(|| frames.clone())
        .bench_values(|frames| Tables::new(&schema, frames, None));
}

#[divan::bench(args = [100, 1000], sample_count = 3)]
fn choose_variables(bencher: Bencher, count: usize) {
    let tables = Tables::new(&schema(), frames(true), None).expect("tables");
    bencher.bench(|| variables(&tables, count));
}

#[divan::bench(args = [100, 1000], sample_count = 3)]
fn evaluate(bencher: Bencher, count: usize) {
    let schema = schema();
    let tables = Tables::new(&schema, frames(true), None).expect("tables");
    let plan = Plan::new(&schema, &variables(&tables, count)).expect("a plan");
    bencher.counter(ItemsCount::new(count)).bench(|| {
        let mut evaluator = Evaluator::new(&plan, &tables, Arithmetic::Exact).expect("tables");
        for block in evaluator.blocks(64 << 20) {
            divan::black_box(evaluator.columns(&block).expect("values"));
        }
    });
}

/// One customer with 50 records: what a single prediction pays.
#[divan::bench(args = [20, 200])]
fn one_unit(bencher: Bencher, count: usize) {
    let schema = schema();
    let mut frames = frames(true);
    let tables = Tables::new(&schema, frames.clone(), None).expect("tables");
    let plan = Plan::new(&schema, &variables(&tables, count)).expect("a plan");
    let rows: Vec<usize> = (0..50).collect();
    for (path, rows) in [("", &rows[..1]), ("Logs", &rows[..])] {
        let frame = frames[path].take(rows);
        frames.insert(path.to_owned(), frame);
    }
    // Dictionaries of these rows only, as a reader makes them.
    for frame in frames.values_mut() {
        let columns = frame.columns().iter().map(|column| Column {
            name: column.name.clone(),
            data: match &column.data {
                ColumnData::Categorical(column) => {
                    ColumnData::Categorical((0..column.len()).map(|row| column.get(row)).collect())
                }
                other => other.clone(),
            },
        });
        *frame = Frame::new(frame.rows(), columns.collect()).expect("the same columns");
    }
    let all: Vec<usize> = (0..count).collect();
    bencher
        .with_inputs(|| frames.clone())
        .bench_values(|frames| {
            let tables = Tables::new(&schema, frames, None).expect("tables");
            Evaluator::new(&plan, &tables, Arithmetic::Exact)
                .and_then(|mut evaluator| evaluator.columns(&all))
        });
}
