//! What must not change a model, on random tables.

use fnb::columns::{CategoricalColumn, Column, ColumnData, Frame, NumericColumn, Target};
use fnb::model::Model;
use fnb::predict::Scorer;
use fnb::{Preset, Settings};
use proptest::prelude::*;

/// A row: the class, two numbers of which one may be missing, two categories of which one may be.
type Row = (u8, i16, Option<u8>, u8, Option<u8>);

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let row = (0..3_u8, -50..50_i16, of(0..9_u8), 0..12_u8, of(0..4_u8));
    prop::collection::vec(row, 30..300)
}

/// Now and then nothing.
fn of(values: std::ops::Range<u8>) -> impl Strategy<Value = Option<u8>> {
    prop::option::weighted(0.8, values)
}

fn numbers(name: &str, values: impl Iterator<Item = f64>) -> Column {
    let data = ColumnData::Numeric(NumericColumn::new(values.collect()));
    Column {
        name: name.into(),
        data,
    }
}

fn categories(name: &str, values: impl Iterator<Item = Option<String>>) -> Column {
    let values: Vec<Option<String>> = values.collect();
    let column: CategoricalColumn = values.iter().map(Option::as_deref).collect();
    Column {
        name: name.into(),
        data: ColumnData::Categorical(column),
    }
}

/// The columns of a table, all of which depend on the class, and the target.
fn table(rows: &[Row], scale: fn(f64) -> f64) -> (Vec<Column>, Target) {
    let shifted = |row: &Row| f64::from(row.1) + 20.0 * f64::from(row.0);
    let count = |row: &Row| row.2.map_or(f64::NAN, |v| f64::from(v + row.0));
    let code = |row: &Row| Some(format!("v{}", (row.3 + 4 * row.0) % 13));
    let columns = vec![
        numbers("shifted", rows.iter().map(|row| scale(shifted(row)))),
        numbers("count", rows.iter().map(|row| scale(count(row)))),
        categories("code", rows.iter().map(code)),
        categories("copy", rows.iter().map(code)),
        categories(
            "holes",
            rows.iter()
                .map(|row| row.4.map(|v| format!("h{}", v / (1 + row.0)))),
        ),
    ];
    let target = categories("y", rows.iter().map(|row| Some(format!("c{}", row.0))));
    (columns, Target::from_column(&target).expect("a target"))
}

fn train((columns, target): &(Vec<Column>, Target), preset: Preset) -> Model {
    let frame = Frame::new(target.rows(), columns.clone()).expect("a frame");
    let settings = Settings::preset(preset);
    fnb::train(frame, target, &settings, &())
        .expect("a model")
        .model
}

/// What a model has learnt: variables with their weight and counts, and with their parts unless
/// the values of the numbers have changed.
fn learnt(model: &Model, with_parts: bool) -> Vec<String> {
    let variables = model.terms().iter().map(|v| {
        let parts = if with_parts {
            format!("{:?}", v.axes)
        } else {
            String::new()
        };
        format!(
            "{} {} {} {:?} {parts}",
            v.name, v.weight, v.importance, v.counts
        )
    });
    variables.collect()
}

const PRESETS: [Preset; 3] = [Preset::Default, Preset::Khiops, Preset::Paper];

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_rows_and_columns_and_the_threads(
        (rows, shuffled) in rows().prop_flat_map(|rows| (Just(rows.clone()), Just(rows).prop_shuffle())),
        order in Just(vec![0_usize, 1, 2, 3, 4]).prop_shuffle(),
        threads in prop::sample::select(vec![1_usize, 2, 3, 8]),
    ) {
        let given = table(&rows, |x| x);
        let other = table(&shuffled, |x| x);
        let moved = (order.iter().map(|&i| given.0[i].clone()).collect(), given.1.clone());
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        for preset in PRESETS {
            let model = train(&given, preset);
            let expected = learnt(&model, true);
            prop_assert_eq!(&learnt(&train(&other, preset), true), &expected);
            prop_assert_eq!(&learnt(&train(&moved, preset), true), &expected);
            let threaded = pool.install(|| train(&given, preset));
            prop_assert_eq!(threaded.to_json(), model.to_json());
        }
    }

    #[test]
    fn strictly_increasing_transforms(rows in rows()) {
        let given = table(&rows, |x| x);
        let transforms: [fn(f64) -> f64; 3] = [|x| x * x * x, |x| (x / 9.0).exp(), |x| 1e-9 * x - 4e-6];
        for preset in PRESETS {
            let expected = learnt(&train(&given, preset), false);
            for transform in transforms {
                prop_assert_eq!(&learnt(&train(&table(&rows, transform), preset), false), &expected);
            }
        }
    }

    #[test]
    fn batches_of_any_size(rows in rows(), size in 1..40_usize) {
        let (columns, target) = table(&rows, |x| x);
        let frame = Frame::new(target.rows(), columns.clone()).expect("a frame");
        let model = train(&(columns, target), Preset::Default);
        let scorer = Scorer::new(&model);
        let whole = scorer.probabilities(&frame).expect("scored");
        let all: Vec<usize> = (0..frame.rows()).collect();
        let pieces = all.chunks(size).flat_map(|rows| scorer.probabilities(&frame.take(rows)).expect("scored"));
        prop_assert_eq!(pieces.collect::<Vec<f64>>(), whole);
    }
}
