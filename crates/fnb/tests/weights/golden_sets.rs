//! The golden data sets as candidates: partitions, costs and weights of the reference tool.

use fnb::columns::{CategoricalColumn, Column, ColumnData, NumericColumn, Target};
use fnb::prepare::{MissingNumbers, PartIndex, Parts, log_probabilities};
use fnb::weights::Candidate;
use serde_json::Value;
use std::path::Path;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/golden");

pub(crate) struct GoldenSet {
    pub(crate) json: Value,
    pub(crate) target: Target,
    pub(crate) null_preparation_cost: f64,
    /// Informative inputs, as the tool ranks them.
    pub(crate) inputs: Vec<Input>,
}

pub(crate) struct Input {
    pub(crate) name: String,
    pub(crate) level: f64,
    pub(crate) prior_cost: f64,
    pub(crate) index: PartIndex,
    pub(crate) counts: Vec<Vec<u64>>,
    pub(crate) column: ColumnData,
}

/// Reads a golden set; `None` without shared data.
pub(crate) fn read(name: &str) -> Option<GoldenSet> {
    let folder = Path::new(FOLDER);
    let Ok(json) = std::fs::read_to_string(folder.join(format!("{name}.json"))) else {
        eprintln!("skipped: no shared data");
        return None;
    };
    let json: Value = serde_json::from_str(&json).unwrap();
    let text = std::fs::read_to_string(folder.join(format!("{name}.tsv"))).unwrap();
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap().split('\t').collect();
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split('\t').collect()).collect();
    let fields = |name: &str| {
        let position = names.iter().position(|n| *n == name).unwrap();
        rows.iter()
            .map(move |row| row[position])
            .collect::<Vec<&str>>()
    };
    let target = Target::from_column(&Column {
        name: "class".into(),
        data: categories(&fields("class")),
    });
    let informative = json["variables"].as_array().unwrap().iter();
    let informative = informative.filter(|v| v["level"].as_f64().unwrap() > 0.0);
    let inputs = informative.map(|v| input(v, &fields(v["name"].as_str().unwrap())));
    Some(GoldenSet {
        target: target.unwrap(),
        null_preparation_cost: json["null_model"]["recomputed"]["preparationCost"]
            .as_f64()
            .unwrap(),
        inputs: inputs.collect(),
        json,
    })
}

fn categories(fields: &[&str]) -> ColumnData {
    let missing_is_none = |field: &&str| {
        Some(field.trim())
            .filter(|f| !f.is_empty())
            .map(str::to_owned)
    };
    let values: Vec<Option<String>> = fields.iter().map(missing_is_none).collect();
    let column: CategoricalColumn = values.iter().map(Option::as_deref).collect();
    ColumnData::Categorical(column)
}

fn numbers(fields: &[&str]) -> ColumnData {
    let values = fields
        .iter()
        .map(|f| f.parse().unwrap_or(f64::NAN))
        .collect();
    ColumnData::Numeric(NumericColumn::new(values))
}

fn input(variable: &Value, fields: &[&str]) -> Input {
    let costs = &variable["costs_recomputed"];
    let cost = |name: &str| costs[name].as_f64().unwrap();
    let (parts, column) = if variable["type"] == "Numerical" {
        let own = variable["missing_only_interval"] == true;
        let cuts: Vec<f64> = serde_json::from_value(variable["cut_points"].clone()).unwrap();
        let missing = if own {
            MissingNumbers::Own
        } else {
            MissingNumbers::None
        };
        (Parts::Intervals { missing, cuts }, numbers(fields))
    } else {
        let groups: Vec<Vec<String>> = serde_json::from_value(variable["groups"].clone()).unwrap();
        let value = |text: String| Some(text).filter(|t| !t.is_empty());
        let groups = groups
            .into_iter()
            .map(|g| g.into_iter().map(value).collect());
        let default = variable["default_group"].as_u64().unwrap() as usize;
        (
            Parts::Groups {
                groups: groups.collect(),
                default,
            },
            categories(fields),
        )
    };
    Input {
        name: variable["name"].as_str().unwrap().to_owned(),
        level: variable["level_recomputed"].as_f64().unwrap(),
        prior_cost: cost("construction") - std::f64::consts::LN_2 + cost("preparation"),
        index: PartIndex::new(&parts),
        counts: serde_json::from_value(variable["part_class_counts"].clone()).unwrap(),
        column,
    }
}

impl GoldenSet {
    pub(crate) fn candidates(&self) -> Vec<Candidate<'_>> {
        let rows = self.target.rows();
        let candidate = |input: &'_ Input| {
            let codes = input.index.encode(&input.column, 0..rows).unwrap();
            let mut counts = vec![vec![0; self.target.classes().len()]; input.counts.len()];
            for (row, &class) in self.target.codes().iter().enumerate() {
                counts[codes.get(row)][class as usize] += 1;
            }
            assert_eq!(counts, input.counts, "{}", input.name);
            (codes, log_probabilities(&counts, rows))
        };
        let candidates = self.inputs.iter().map(|input| {
            let (codes, log_probabilities) = candidate(input);
            Candidate {
                name: &input.name,
                level: input.level,
                prior_cost: input.prior_cost,
                codes,
                log_probabilities,
            }
        });
        candidates.collect()
    }

    /// The weights of the tool, one per input.
    pub(crate) fn weights(&self) -> Vec<f64> {
        let selected = self.json["predictor"]["selected_variables"]
            .as_array()
            .unwrap();
        let weight = |input: &Input| {
            let found = selected.iter().find(|s| s["name"] == *input.name);
            found.map_or(0.0, |s| {
                s.get("weight_exact")
                    .unwrap_or(&s["weight"])
                    .as_f64()
                    .unwrap()
            })
        };
        self.inputs.iter().map(weight).collect()
    }
}
