//! The published results of Khiops 11: its tables, its partitions and its weights.

use crate::data::{golden, golden_tables, outside};
use fnb::Settings;
use fnb::columns::{Column, ColumnData, Frame, NumericColumn, Target, VariableKind};
use fnb::model::Model;
use fnb::prepare::{PreparedAxis, PreparedVariable};
use fnb::terms::{Axis, Cost, MissingNumbers, Origin, PartIndex, Parts, Term, log_probabilities};
use fnb::weights::Candidate;
use serde_json::Value as Json;
use std::fs;
use std::path::Path;

/// A table, what the reference found in it, and the same as our own structures.
pub(crate) struct GoldenSet {
    pub(crate) json: Json,
    pub(crate) frame: Frame,
    pub(crate) target: Target,
    /// Its partitions, in its order.
    pub(crate) prepared: Vec<PreparedVariable>,
    /// The model made of its partitions and weights.
    pub(crate) model: Model,
}

/// Runs a test on every golden set.
pub(crate) fn each_golden(test: impl Fn(&str, &GoldenSet)) {
    for path in golden_tables() {
        test(path.file_stem().unwrap().to_str().unwrap(), &read(&path));
    }
}

/// The golden set of that name, one of those in the repository.
pub(crate) fn load(name: &str) -> GoldenSet {
    read(&golden(&format!("{name}.json")))
}

/// One of the others, if it is there.
pub(crate) fn load_outside(name: &str) -> Option<GoldenSet> {
    outside(&format!("golden/{name}.json")).map(|path| read(&path))
}

fn read(path: &Path) -> GoldenSet {
    let text = fs::read_to_string(path).unwrap();
    let json: Json = serde_json::from_str(&text).unwrap();
    let rows = fs::read_to_string(path.with_extension("tsv")).unwrap();
    let (frame, target) = table(&rows, &json["variables"]);
    let prepared: Vec<PreparedVariable> = array(&json["variables"]).map(prepared).collect();
    let terms = prepared.iter().map(|variable| term(&json, variable));
    let terms = terms.filter(|term| term.weight > 0.0).collect();
    let database = frame.clone().into();
    let model = Model::from_terms(&database, &target, terms, &Settings::default());
    GoldenSet {
        json,
        frame,
        target,
        prepared,
        model: model.unwrap(),
    }
}

impl GoldenSet {
    fn informative(&self) -> impl Iterator<Item = &PreparedVariable> {
        self.prepared.iter().filter(|variable| variable.level > 0.0)
    }

    /// Its informative variables, ready for the weights.
    pub(crate) fn candidates(&self) -> Vec<Candidate<'_>> {
        let rows = self.target.rows();
        let candidate = |variable: &'_ PreparedVariable| {
            let column = &self.frame.column(&variable.name).unwrap().data;
            let codes = PartIndex::new(&variable.axes[0].parts)
                .encode(column, 0..rows)
                .unwrap();
            (codes, log_probabilities(&variable.counts, rows as u64))
        };
        let candidates = self.informative().map(|variable| {
            let (codes, scores) = candidate(variable);
            Candidate {
                name: &variable.name,
                level: variable.level,
                prior_cost: variable.prior_cost(),
                codes: std::borrow::Cow::Owned(codes),
                unlisted: None,
                scores,
            }
        });
        candidates.collect()
    }

    /// Its weights, one per informative variable.
    pub(crate) fn weights(&self) -> Vec<f64> {
        self.informative()
            .map(|variable| weight_of(&self.json, variable))
            .collect()
    }

    /// The preparation cost of its null model.
    pub(crate) fn null_preparation_cost(&self) -> f64 {
        number(&self.json["null_model"]["recomputed"]["preparationCost"])
    }
}

/// A variable with the weight that the reference gave it.
fn term(json: &Json, variable: &PreparedVariable) -> Term {
    Term {
        name: variable.name.clone(),
        axes: vec![Axis {
            name: variable.name.clone(),
            from: Origin::Column,
            kind: variable.axes[0].kind,
            parts: variable.axes[0].parts.clone(),
            unlisted: 0,
        }],
        weight: weight_of(json, variable),
        level: variable.level,
        importance: 0.0,
        cost: variable.cost,
        counts: variable.counts.clone(),
        correction: None,
    }
}

fn weight_of(json: &Json, variable: &PreparedVariable) -> f64 {
    let mut selected = array(&json["predictor"]["selected_variables"]);
    let found = selected.find(|v| v["name"] == variable.name.as_str());
    found.map_or(0.0, |v| {
        v["weight_exact"]
            .as_f64()
            .unwrap_or_else(|| number(&v["weight"]))
    })
}

/// The rows of a table whose columns have a name and a type; those that are not listed are categorical.
pub(crate) fn table(text: &str, columns: &Json) -> (Frame, Target) {
    let mut lines = text
        .lines()
        .map(|line| line.split('\t').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let rows: Vec<Vec<&str>> = lines.collect();
    let column = |(i, name): (usize, &&str)| {
        let fields = rows
            .iter()
            .map(|row| Some(row[i].trim()).filter(|field| !field.is_empty()));
        let variable = array(columns).find(|v| v["name"] == *name);
        let data = if variable.is_some_and(|v| v["type"] == "Numerical") {
            let value = |field: Option<&str>| field.map_or(f64::NAN, |f| f.parse().unwrap());
            ColumnData::Numeric(NumericColumn::new(fields.map(value).collect()))
        } else {
            ColumnData::Categorical(fields.collect())
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
    let informative = variable.get("part_class_counts").is_some();
    let parts = match (numerical, informative) {
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
    let (cost, level) = if informative {
        (&variable["costs_recomputed"], &variable["level_recomputed"])
    } else {
        (&variable["costs_reported"], &variable["level"])
    };
    let name = variable["name"].as_str().unwrap();
    let axis = PreparedAxis {
        from: Origin::Column,
        name: name.into(),
        kind: if numerical {
            VariableKind::Numerical
        } else {
            VariableKind::Categorical
        },
        distinct: number(&variable["distinct_values"]) as usize,
        missing: number(&variable["missing"]) as usize,
        parts,
        distribution: None,
    };
    PreparedVariable {
        name: name.into(),
        axes: vec![axis],
        synergy: None,
        level: number(level),
        cost: Cost {
            construction: number(&cost["construction"]),
            preparation: number(&cost["preparation"]),
            data: number(&cost["data"]),
        },
        counts: counts(&variable["part_class_counts"]),
    }
}

/// The empty string of the reference is our missing value.
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
