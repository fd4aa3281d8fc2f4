//! Scoring and evaluating a million rows of two classes.

use fnb::Settings;
use fnb::columns::{Column, ColumnData, Frame, NumericColumn, Target, VariableKind};
use fnb::evaluate::Evaluation;
use fnb::model::Model;
use fnb::predict::Scorer;
use fnb::terms::{Axis, Cost, MissingNumbers, Origin, PartCodes, PartIndex, Parts, Term};

const ROWS: usize = 1_000_000;
const VARIABLES: usize = 8;
const CUTS: usize = 7;

fn main() {
    divan::main();
}

struct Data {
    frame: Frame,
    target: Target,
    model: Model,
}

/// Noise is as good as anything to measure speed: every row falls anywhere.
fn data() -> Data {
    let noise = |row: usize, column: usize| {
        let mixed = ((row * VARIABLES + column) as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        (mixed >> 40) as f64 / f64::from(1 << 24)
    };
    let column = |column: usize| Column {
        name: format!("x{column}"),
        data: ColumnData::Numeric(NumericColumn::new(
            (0..ROWS).map(|row| noise(row, column)).collect(),
        )),
    };
    let frame = Frame::new(ROWS, (0..VARIABLES).map(column).collect()).expect("same lengths");
    let class = |row: usize| {
        let sum: f64 = (0..VARIABLES).map(|column| noise(row, column)).sum();
        Some(if sum > VARIABLES as f64 / 2.0 {
            "yes"
        } else {
            "no"
        })
    };
    let classes = ColumnData::Categorical((0..ROWS).map(class).collect());
    let target = Target::from_column(&Column {
        name: "y".into(),
        data: classes,
    });
    let target = target.expect("categories");
    let terms = frame.columns().iter().map(|column| term(column, &target));
    let terms = terms.collect();
    let model = Model::from_terms(&frame.clone().into(), &target, terms, &Settings::default());
    let model = model.expect("consistent");
    Data {
        frame,
        target,
        model,
    }
}

fn term(column: &Column, target: &Target) -> Term {
    let cuts = (1..=CUTS)
        .map(|cut| cut as f64 / (CUTS + 1) as f64)
        .collect();
    let parts = Parts::Intervals {
        missing: MissingNumbers::None,
        cuts,
    };
    let codes = PartIndex::new(&parts)
        .encode(&column.data, 0..ROWS)
        .expect("numbers");
    let mut counts = vec![vec![0; 2]; CUTS + 1];
    for (row, &class) in target.codes().iter().enumerate() {
        counts[codes.get(row)][class as usize] += 1;
    }
    Term {
        correction: None,
        name: column.name.clone(),
        axes: vec![Axis {
            name: column.name.clone(),
            from: Origin::Column,
            kind: VariableKind::Numerical,
            parts,
            unlisted: 0,
        }],
        weight: 0.75,
        level: 0.1,
        importance: 0.0,
        cost: Cost {
            construction: 1.0,
            preparation: 1.0,
            data: 1.0,
        },
        counts,
    }
}

#[divan::bench(sample_count = 10)]
fn score_frame(bencher: divan::Bencher) {
    let data = data();
    let scorer = Scorer::new(&data.model);
    bencher.bench(|| scorer.probabilities(&data.frame));
}

#[divan::bench(sample_count = 10)]
fn score_codes(bencher: divan::Bencher) {
    let data = data();
    let scorer = Scorer::new(&data.model);
    let codes: Vec<PartCodes> = data
        .model
        .terms()
        .iter()
        .map(|term| {
            let column = data.frame.column(&term.name).expect("its column");
            let index = PartIndex::new(&term.axes[0].parts);
            index.encode(&column.data, 0..ROWS).expect("numbers")
        })
        .collect();
    let codes: Vec<&PartCodes> = codes.iter().collect();
    bencher.bench(|| scorer.probabilities_from_codes(&codes, ROWS));
}

#[divan::bench(sample_count = 10)]
fn evaluate(bencher: divan::Bencher) {
    let data = data();
    let probabilities = Scorer::new(&data.model).probabilities(&data.frame);
    let probabilities = probabilities.expect("all columns");
    let actual = data.target.codes();
    bencher.bench(|| Evaluation::new(data.model.classes(), &probabilities, actual));
}

#[divan::bench(sample_count = 10)]
fn auc(bencher: divan::Bencher) {
    let data = data();
    let probabilities = Scorer::new(&data.model).probabilities(&data.frame);
    let probabilities = probabilities.expect("all columns");
    bencher.bench(|| fnb::evaluate::auc(&probabilities, 2, data.target.codes()));
}

#[divan::bench(sample_count = 20)]
fn score_one_row(bencher: divan::Bencher) {
    let data = data();
    let scorer = Scorer::new(&data.model);
    let values = [fnb::predict::Value::Number(0.4); VARIABLES];
    bencher.bench(|| scorer.score_row(&values));
}
