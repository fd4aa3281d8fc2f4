//! Counts taken block by block, in any order, give what all rows at once give.

use fnb::columns::{
    CategoricalColumn, Column, ColumnData, Frame, NumericColumn, Outcomes, RowWeights,
    SparseColumn, Target,
};
use fnb::prepare::{ColumnCounts, PrepareSettings, PreparedVariable, prepare_counts};
use fnb::{Prepared, Schedule, Settings};
use proptest::prelude::*;

/// A row: its class, a value, its weight, the block it is in.
type Row = (u32, u8, f64, usize);

const BLOCKS: usize = 4;

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let weight = prop_oneof![
        Just(1.0),
        Just(0.0),
        (1..4_u8).prop_map(f64::from),
        0.01..3.0_f64,
    ];
    prop::collection::vec((0..3_u32, 0..40_u8, weight, 0..BLOCKS), 60..200)
}

/// The value of a row as a number, as a number that is nearly always 0, and as a category; all depend
/// on its class.
fn columns(rows: &[Row]) -> [ColumnData; 3] {
    let number = |row: &Row| match row.1 {
        0..4 => f64::NAN,
        value => f64::from(value) / 4.0 + 5.0 * f64::from(row.0),
    };
    let rare = |(i, row): (u32, &Row)| (row.1 % 5 == 0).then(|| (i, number(row)));
    let text = |row: &Row| (row.1 > 2).then(|| format!("v{}", u32::from(row.1) / (1 + row.0)));
    let texts: Vec<Option<String>> = rows.iter().map(text).collect();
    let categories: CategoricalColumn = texts.iter().map(Option::as_deref).collect();
    let sparse = SparseColumn::new(rows.len(), (0..).zip(rows).filter_map(rare).collect());
    [
        ColumnData::Numeric(NumericColumn::new(rows.iter().map(number).collect())),
        ColumnData::Sparse(sparse.unwrap()),
        ColumnData::Categorical(categories),
    ]
}

/// All rows at once.
fn whole(rows: &[Row], is_weighted: bool, schedule: Schedule) -> Option<(Target, Prepared)> {
    let classes: Vec<String> = rows.iter().map(|row| format!("c{}", row.0)).collect();
    let classes = classes.iter().map(|class| Some(class.as_str())).collect();
    let target = Column {
        name: "y".into(),
        data: ColumnData::Categorical(classes),
    };
    let mut target = Target::from_column(&target).unwrap();
    if is_weighted {
        let weights: Vec<f64> = rows.iter().map(|row| row.2).collect();
        target = target.with_weights(&weights).ok()?;
    }
    let columns = columns(rows).into_iter().zip(["x", "rare", "text"]);
    let columns = columns.map(|(data, name)| Column {
        name: name.into(),
        data,
    });
    let frame = Frame::new(rows.len(), columns.collect()).unwrap();
    let settings = Settings {
        prepare: PrepareSettings {
            schedule,
            ..PrepareSettings::default()
        },
        ..Settings::default()
    };
    let prepared = Prepared::new(&frame.into(), &target, &settings, &()).ok()?;
    // A class that weights left without a row has no code: such tables are not what is tried here.
    (target.classes().len() == 3).then_some((target, prepared))
}

/// Block by block, each counted alone, merged from the last to the first. Weights are those of the whole
/// table.
fn in_blocks(rows: &[Row], weights: Option<&RowWeights>, column: usize) -> ColumnCounts {
    let mut all = ColumnCounts::default();
    for block in (0..BLOCKS).rev() {
        let places = (0..rows.len()).filter(|&place| rows[place].3 == block);
        let places: Vec<usize> = places.collect();
        let own: Vec<Row> = places.iter().map(|&place| rows[place]).collect();
        let codes: Vec<u32> = own.iter().map(|row| row.0).collect();
        let of_block = |all: &RowWeights| {
            let weights = places.iter().map(|&place| all.get(place));
            RowWeights::counted(weights).ok()
        };
        let own_weights = weights.and_then(of_block);
        if own.is_empty() || weights.is_some() && own_weights.is_none() {
            continue;
        }
        let weights = own_weights.as_ref();
        let outcomes = Outcomes::new(&codes, vec![0; 3], weights);
        let mut counts = ColumnCounts::default();
        counts.update(&columns(&own)[column], &outcomes).unwrap();
        all.merge(counts).unwrap();
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn blocks_do_not_show(
        rows in rows(),
        is_weighted: bool,
        schedule in prop::sample::select(vec![Schedule::Exhaustive, Schedule::Reference]),
    ) {
        let Some((target, prepared)) = whole(&rows, is_weighted, schedule) else {
            return Ok(());
        };
        let settings = PrepareSettings {
 schedule,
 ..PrepareSettings::default()
};
        for (column, expected) in prepared.variables().iter().enumerate() {
            let counts = in_blocks(&rows, target.weights(), column);
            let found = prepare_counts(
                &expected.name, counts, target.counts(), 3_f64.ln(), settings,
            );
            prop_assert_eq!(&found, expected);
        }
    }
}

#[test]
fn the_tables_that_are_tried_tell_something() {
    let rows: Vec<Row> = (0..300_u32)
        .map(|i| (i % 3, (i * 7 % 40) as u8, 1.0, i as usize % BLOCKS))
        .collect();
    let (_, prepared) = whole(&rows, true, Schedule::Exhaustive).unwrap();
    let informative = |v: &&PreparedVariable| v.level > 0.0;
    assert_eq!(prepared.variables().iter().filter(informative).count(), 3);
}

#[test]
fn numbers_and_categories_do_not_mix() {
    let rows: Vec<Row> = (0..30_u32).map(|i| (i % 3, i as u8, 1.0, 0)).collect();
    let mut counts = in_blocks(&rows, None, 0);
    assert!(counts.merge(in_blocks(&rows, None, 2)).is_err());
}
