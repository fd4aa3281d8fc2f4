//! The model file: what it promises, and every way to break it.

mod damage;
mod errors;
mod round_trip;

use super::checksum::checksum;
use crate::Settings;
use crate::columns::{
    Column, ColumnData, Frame, NumericColumn, Target, Temporal, TemporalColumn, VariableKind,
};
use crate::evaluate::{CrossValidation, Evaluation};
use crate::model::{Evaluations, Model};
use crate::prepare::{PreparedAxis, PreparedVariable};
use crate::terms::{Cost, MissingNumbers, Origin, Parts};
use crate::train::{Corrected, Learning, TableFacts, Trained};
use crate::weights::CriterionValue;

/// A model of six rows: a number with a part for missing values, two groups, and one column of
/// each other fate.
fn small_model() -> Model {
    let age = Parts::Intervals {
        missing: MissingNumbers::Own,
        cuts: vec![39.0],
    };
    let age_counts = vec![vec![1, 0], vec![2, 1], vec![0, 2]];
    let text = |text: &str| Some(text.to_owned());
    let groups = vec![vec![text("red")], vec![text("blue"), None]];
    let colour = Parts::Groups { groups, default: 1 };
    let prepared = [
        prepared("age", 0.3, 6, age.clone(), age_counts.clone()),
        prepared("colour", 0.1, 3, colour, vec![vec![1, 2], vec![2, 1]]),
        prepared("always 1", 0.0, 1, Parts::one_interval(), vec![vec![3, 3]]),
        prepared("noise", 0.0, 6, Parts::one_interval(), vec![vec![3, 3]]),
        prepared("age again", 0.3, 6, age, age_counts),
    ];
    let churn = categories("churn", "no no no yes yes yes");
    Trained {
        facts: &TableFacts::of(&small_frame().into(), None),
        target: &Target::from_column(&churn).expect("categories"),
        row_weights: None,
        prepared: &prepared,
        weights: &[0.75, 0.5, 0.0, 0.0, 0.0],
        settings: Settings::default(),
        findings: &[],
        learning: Learning {
            criterion: CriterionValue {
                total: 3.0,
                data: 2.0,
                prior: 4.0,
            },
            null_criterion: 4.5,
            ..Learning::default()
        },
        corrected: &Corrected::default(),
    }
    .model()
    .expect("consistent")
}

fn small_frame() -> Frame {
    let numbers = |name: &str, values: [f64; 6]| Column {
        name: name.into(),
        data: ColumnData::Numeric(NumericColumn::new(values.to_vec())),
    };
    let signup = ColumnData::Temporal(TemporalColumn::new(Temporal::Date, vec![0; 6]));
    let columns = vec![
        numbers("age", [25.0, 31.0, f64::NAN, 47.0, 58.0, 26.0]),
        Column {
            name: "signup".into(),
            data: signup,
        },
        categories("colour", "red blue ? red red blue"),
        numbers("always 1", [1.0; 6]),
        numbers("noise", [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
        numbers("age again", [25.0, 31.0, f64::NAN, 47.0, 58.0, 26.0]),
    ];
    Frame::new(6, columns).expect("six rows each")
}

/// A column of words; `?` is missing.
fn categories(name: &str, words: &str) -> Column {
    let values = words
        .split(' ')
        .map(|word| Some(word).filter(|word| *word != "?"));
    Column {
        name: name.into(),
        data: ColumnData::Categorical(values.collect()),
    }
}

fn prepared(
    name: &str,
    level: f64,
    distinct: usize,
    parts: Parts,
    counts: Vec<Vec<u64>>,
) -> PreparedVariable {
    let kind = match parts {
        Parts::Intervals { .. } => VariableKind::Numerical,
        Parts::Groups { .. } => VariableKind::Categorical,
    };
    let cost = Cost {
        construction: 1.5,
        preparation: 4.25,
        data: 2.0,
    };
    PreparedVariable {
        name: name.into(),
        axes: vec![PreparedAxis {
            name: name.into(),
            from: Origin::Column,
            kind,
            distinct,
            missing: 0,
            parts,
            distribution: None,
        }],
        level,
        synergy: None,
        cost,
        counts,
    }
}

/// The small model with evaluations, so that the file has every key.
fn complete_model() -> Model {
    let mut model = small_model();
    let probabilities = [0.9, 0.1, 0.6, 0.4, 0.8, 0.2, 0.3, 0.7, 0.1, 0.9, 0.55, 0.45];
    let evaluation = Evaluation::new(model.classes(), &probabilities, &[0, 0, 0, 1, 1, 1]);
    let evaluation = evaluation.expect("six rows");
    *model.evaluation_mut() = Evaluations {
        cv: Some(CrossValidation::new(&[
            evaluation.clone(),
            evaluation.clone(),
        ])),
        train: Some(evaluation.clone()),
        test: Some(evaluation),
    };
    model
}

/// The text with its checksum made right again.
fn sealed(text: &str) -> String {
    let key = "\"checksum\":";
    let Some(found) = text.rfind(key) else {
        return text.into();
    };
    let after = &text[found + key.len()..];
    let Some((space, rest)) = after.split_once('"') else {
        return text.into();
    };
    let Some((_, rest)) = rest.split_once('"') else {
        return text.into();
    };
    let before = &text[..found];
    let sum = checksum(text.as_bytes());
    format!("{before}{key}{space}\"{sum}\"{rest}")
}
