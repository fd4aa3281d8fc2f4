//! Preparation of one column: numbers and categories, noise and signal, few and many classes.

use divan::{Bencher, counter::ItemsCount};
use fnb::columns::{Column, ColumnData, Frame, NumericColumn, Target};
use fnb::prepare::PrepareSettings;
use fnb::relational::Database;
use fnb::{Prepared, Schedule, Settings};

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

fn target(rows: usize, classes: usize) -> Target {
    let mut random = uniform(1);
    let names: Vec<String> = (0..classes).map(|class| format!("c{class:03}")).collect();
    let mut class = || Some(names[(random() * classes as f64) as usize].as_str());
    let data = ColumnData::Categorical((0..rows).map(|_| class()).collect());
    Target::from_column(&Column {
        name: "class".into(),
        data,
    })
    .expect("categories")
}

/// A number with `digits` decimals; with `signal` it follows the class.
fn number(target: &Target, digits: i32, signal: bool) -> Database {
    let mut random = uniform(2);
    let scale = 10_f64.powi(digits);
    let shift = |class: &u32| if signal { f64::from(*class) * 0.3 } else { 0.0 };
    let value = |class| ((random() + shift(class)) * scale).round() / scale;
    let values = target.codes().iter().map(value).collect();
    let column = Column {
        name: "x".into(),
        data: ColumnData::Numeric(NumericColumn::new(values)),
    };
    let frame = Frame::new(target.rows(), vec![column]).expect("one column");
    frame.into()
}

/// A category with about `values` values, frequent and rare.
fn category(target: &Target, values: usize) -> Database {
    let mut random = uniform(3);
    let names: Vec<String> = (0..values).map(|value| format!("v{value}")).collect();
    let mut value = || Some(names[(random() * random() * values as f64) as usize].as_str());
    let data = ColumnData::Categorical(target.codes().iter().map(|_| value()).collect());
    let name = "x".into();
    let frame = Frame::new(target.rows(), vec![Column { name, data }]).expect("one column");
    frame.into()
}

fn run(bencher: Bencher, target: &Target, database: &Database, schedule: Schedule) {
    let settings = Settings {
        prepare: PrepareSettings {
            schedule,
            ..PrepareSettings::default()
        },
        ..Settings::default()
    };
    bencher
        .counter(ItemsCount::new(target.rows()))
        .bench_local(|| Prepared::new(database, target, &settings, &()));
}

const SCHEDULES: [Schedule; 2] = [Schedule::Reference, Schedule::Exhaustive];

#[divan::bench(args = SCHEDULES)]
fn noise_5_000_rows_2_classes(bencher: Bencher, schedule: Schedule) {
    let target = target(5_000, 2);
    run(bencher, &target, &number(&target, 9, false), schedule);
}

#[divan::bench(args = SCHEDULES, sample_count = 5)]
fn noise_1_000_000_distinct_2_classes(bencher: Bencher, schedule: Schedule) {
    let target = target(1_000_000, 2);
    run(bencher, &target, &number(&target, 9, false), schedule);
}

#[divan::bench(args = SCHEDULES, sample_count = 5)]
fn signal_1_000_000_rows_2_classes(bencher: Bencher, schedule: Schedule) {
    let target = target(1_000_000, 2);
    run(bencher, &target, &number(&target, 4, true), schedule);
}

#[divan::bench(args = SCHEDULES, sample_count = 3)]
fn signal_100_000_distinct_355_classes(bencher: Bencher, schedule: Schedule) {
    let target = target(100_000, 355);
    run(bencher, &target, &number(&target, 9, true), schedule);
}

#[divan::bench(args = [100, 5_000, 100_000], sample_count = 5)]
fn category_1_000_000_rows_2_classes(bencher: Bencher, values: usize) {
    let target = target(1_000_000, 2);
    run(
        bencher,
        &target,
        &category(&target, values),
        Schedule::Exhaustive,
    );
}

#[divan::bench(args = [100, 5_000], sample_count = 3)]
fn category_100_000_rows_26_classes(bencher: Bencher, values: usize) {
    let target = target(100_000, 26);
    run(
        bencher,
        &target,
        &category(&target, values),
        Schedule::Exhaustive,
    );
}
