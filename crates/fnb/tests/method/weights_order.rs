//! Neither the order of the rows nor that of the columns matters, whatever the method.

use crate::weights_methods::every_method;
use fnb::columns::{CategoricalColumn, Column, ColumnData, Frame, NumericColumn, Target};
use fnb::weights::LearnSettings;
use fnb::{Prepared, Settings};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

const ROWS: usize = 300;
const CLASSES: usize = 3;

fn draws(seed: u64) -> impl FnMut() -> f64 {
    let mut generator = Xoshiro256PlusPlus::seed_from_u64(seed);
    move || (generator.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// Columns that see two hidden numbers, one of them twice under different names, and the class.
fn table() -> (Vec<Column>, Vec<String>) {
    let mut uniform = draws(7);
    let labels: Vec<usize> = (0..ROWS)
        .map(|_| (uniform() * CLASSES as f64) as usize)
        .collect();
    let hidden: Vec<[f64; 2]> = labels
        .iter()
        .map(|&label| {
            [
                label as f64 + 1.5 * uniform(),
                (label % 2) as f64 + 1.5 * uniform(),
            ]
        })
        .collect();
    let mut columns = Vec::new();
    for k in 0..14 {
        let noise = 0.5 + 2.0 * uniform();
        let mut seen = |row: usize| hidden[row][k % 2] + noise * uniform();
        let data = if k % 4 == 3 {
            let names: Vec<String> = (0..ROWS)
                .map(|row| format!("v{}", (2.0 * seen(row)) as u32))
                .collect();
            let column: CategoricalColumn = names.iter().map(|name| Some(name.as_str())).collect();
            ColumnData::Categorical(column)
        } else {
            ColumnData::Numeric(NumericColumn::new((0..ROWS).map(seen).collect()))
        };
        columns.push(Column {
            name: format!("x{k:02}"),
            data,
        });
    }
    let copy = Column {
        name: "a copy".into(),
        data: columns[0].data.clone(),
    };
    columns.push(copy);
    let classes = labels.iter().map(|label| format!("c{label}")).collect();
    (columns, classes)
}

/// A random order of some things.
fn shuffled(n: usize, seed: u64) -> Vec<usize> {
    let mut uniform = draws(seed);
    let mut keys: Vec<(f64, usize)> = (0..n).map(|i| (uniform(), i)).collect();
    keys.sort_by(|a, b| a.0.total_cmp(&b.0));
    keys.into_iter().map(|(_, i)| i).collect()
}

/// The variables that each method selects and their weights.
fn learnt(
    columns: &[Column],
    classes: &[String],
    rows: &[usize],
) -> Vec<(String, Vec<(String, f64)>)> {
    let frame = Frame::new(ROWS, columns.to_vec()).unwrap().take(rows);
    let column: CategoricalColumn = rows
        .iter()
        .map(|&row| Some(classes[row].as_str()))
        .collect();
    let data = ColumnData::Categorical(column);
    let target = Target::from_column(&Column {
        name: "y".into(),
        data,
    })
    .unwrap();
    let prepared = Prepared::new(&frame.into(), &target, &Settings::default(), &()).unwrap();
    let learn = |(method, settings): (String, LearnSettings)| {
        let model = prepared.learn(&settings, &()).unwrap().model;
        let variables = model.terms().iter();
        let mut weights: Vec<(String, f64)> =
            variables.map(|v| (v.name.clone(), v.weight)).collect();
        weights.sort_by(|a, b| a.0.cmp(&b.0));
        (method, weights)
    };
    every_method().into_iter().map(learn).collect()
}

#[test]
fn the_order_of_rows_and_columns_does_not_matter() {
    let (columns, classes) = table();
    let in_order: Vec<usize> = (0..ROWS).collect();
    let expected = learnt(&columns, &classes, &in_order);
    for (method, weights) in &expected {
        assert!(weights.len() > 1, "{method}: {weights:?}");
    }
    for seed in 0..3 {
        let moved: Vec<Column> = shuffled(columns.len(), seed)
            .into_iter()
            .map(|i| columns[i].clone())
            .collect();
        for (what, found) in [
            ("columns", learnt(&moved, &classes, &in_order)),
            ("rows", learnt(&columns, &classes, &shuffled(ROWS, seed))),
        ] {
            for (found, expected) in found.iter().zip(&expected) {
                assert_eq!(found, expected, "{what} shuffled, {seed}");
            }
        }
    }
}
