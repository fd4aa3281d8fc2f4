//! Models made of the reference tool's own partitions and weights, with their data.

use fnb::Settings;
use fnb::columns::{CategoricalColumn, Column, ColumnData, Frame, NumericColumn, Target};
use fnb::model::{Criterion, Model, Trained};
use fnb::prepare::{Cost, MissingNumbers, Parts, PreparedVariable, VariableKind};
use serde_json::Value as Json;
use std::fs;
use std::path::Path;

/// A golden set: what the reference tool says, and the model made of it.
pub(crate) struct Golden {
    pub(crate) json: Json,
    pub(crate) frame: Frame,
    pub(crate) target: Target,
    pub(crate) model: Model,
}

pub(crate) const NAMES: [&str; 8] = [
    "iris",
    "wine",
    "adult1000",
    "mushroom",
    "synth_a",
    "letter",
    "noise",
    "oneinfo",
];

/// The golden set of that name, unless the shared data are absent.
#[expect(clippy::print_stdout, reason = "a skipped test says so")]
pub(crate) fn load(name: &str) -> Option<Golden> {
    let folder = Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/golden"
    ));
    let Ok(text) = fs::read_to_string(folder.join(format!("{name}.json"))) else {
        println!("skipped: no shared data");
        return None;
    };
    let json: Json = serde_json::from_str(&text).unwrap();
    let rows = fs::read_to_string(folder.join(format!("{name}.tsv"))).unwrap();
    let (frame, target) = table(&rows, &json);
    let prepared: Vec<PreparedVariable> = array(&json["variables"]).map(prepared).collect();
    let selected = &json["predictor"]["selected_variables"];
    let weight_of = |variable: &PreparedVariable| {
        let found = array(selected).find(|v| v["name"] == variable.name.as_str());
        found.map_or(0.0, |v| {
            v["weight_exact"]
                .as_f64()
                .unwrap_or_else(|| number(&v["weight"]))
        })
    };
    let weights: Vec<f64> = prepared.iter().map(weight_of).collect();
    let model = Model::new(&Trained {
        frame: &frame,
        target: &target,
        prepared: &prepared,
        weights: &weights,
        settings: &Settings::default(),
        criterion: Criterion {
            total: 1.0,
            data: 1.0,
            prior: 0.0,
        },
        null_criterion: 2.0,
    });
    Some(Golden {
        json,
        frame,
        target,
        model: model.unwrap(),
    })
}

fn table(text: &str, json: &Json) -> (Frame, Target) {
    let mut lines = text
        .lines()
        .map(|line| line.split('\t').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let rows: Vec<Vec<&str>> = lines.collect();
    let column = |(i, name): (usize, &&str)| {
        let fields = rows
            .iter()
            .map(|row| Some(row[i]).filter(|field| !field.is_empty()));
        let variable = array(&json["variables"]).find(|v| v["name"] == *name);
        let data = if variable.is_some_and(|v| v["type"] == "Numerical") {
            let value = |field: Option<&str>| field.map_or(f64::NAN, |f| f.parse().unwrap());
            ColumnData::Numeric(NumericColumn::new(fields.map(value).collect()))
        } else {
            ColumnData::Categorical(fields.collect::<CategoricalColumn>())
        };
        Column {
            name: (*name).into(),
            data,
        }
    };
    let columns = header.iter().enumerate().map(column).collect();
    let mut frame = Frame::new(rows.len(), columns).unwrap();
    let target = Target::from_column(&frame.remove("class").unwrap()).unwrap();
    (frame, target)
}

fn prepared(variable: &Json) -> PreparedVariable {
    let numerical = variable["type"] == "Numerical";
    let parts = match (numerical, variable.get("part_class_counts").is_some()) {
        (true, false) => Parts::one_interval(),
        (false, false) => Parts::one_group(),
        (true, true) => Parts::Intervals {
            missing: if variable["missing_only_interval"] == true {
                MissingNumbers::Own
            } else {
                MissingNumbers::None
            },
            cuts: array(&variable["cut_points"]).map(number).collect(),
        },
        (false, true) => Parts::Groups {
            groups: array(&variable["groups"]).map(group).collect(),
            default: number(&variable["default_group"]) as usize,
        },
    };
    let cost = &variable["costs_reported"];
    PreparedVariable {
        name: variable["name"].as_str().unwrap().into(),
        kind: if numerical {
            VariableKind::Numerical
        } else {
            VariableKind::Categorical
        },
        distinct: number(&variable["distinct_values"]) as usize,
        missing: number(&variable["missing"]) as usize,
        level: number(&variable["level"]),
        cost: Cost {
            construction: number(&cost["construction"]),
            preparation: number(&cost["preparation"]),
            data: number(&cost["data"]),
        },
        parts,
        counts: counts(&variable["part_class_counts"]),
    }
}

/// The empty string of the reference tool is our missing value.
fn group(values: &Json) -> Vec<Option<String>> {
    let texts = array(values).map(|v| v.as_str().unwrap());
    texts
        .map(|text| (!text.is_empty()).then(|| text.to_owned()))
        .collect()
}

pub(crate) fn array(json: &Json) -> impl Iterator<Item = &Json> {
    json.as_array().into_iter().flatten()
}

pub(crate) fn number(json: &Json) -> f64 {
    json.as_f64().unwrap()
}

pub(crate) fn counts(json: &Json) -> Vec<Vec<u64>> {
    let line = |line: &Json| array(line).map(|count| count.as_u64().unwrap()).collect();
    array(json).map(line).collect()
}
