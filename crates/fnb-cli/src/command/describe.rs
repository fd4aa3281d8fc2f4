//! `fnb describe`: what each column tells about the target, on its own.

use crate::args::{DataArgs, LearnArgs, WeightArgs};
use crate::input;
use crate::labelled;
use crate::output::{self, Grid, Output, bar, clip, printable, small_figure, thousands};
use crate::progress::Shown;
use crate::sparse;
use crate::view::parts_table;
use anyhow::Result;
use clap::Args;
use fnb::columns::{Column, Distribution, VariableKind};
use fnb::prepare::{PreparedAxis, PreparedVariable};
use fnb::terms::{Cost, Parts};
use fnb::{Code, Error};
use rayon::prelude::*;
use serde::Serialize;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The column to tell about; without it, only types, missing and distinct values are shown
    #[arg(short, long, value_name = "COLUMN")]
    target: Option<String>,
    /// Show the parts of these informative variables only (repeatable)
    #[arg(long = "variable", value_name = "COLUMN", requires = "target")]
    variables: Vec<String>,
    /// Print as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    weights: WeightArgs,
    #[command(flatten)]
    learn: LearnArgs,
    #[command(flatten)]
    data: DataArgs,
}

pub(crate) fn run(arguments: &Arguments, output: &Output) -> Result<()> {
    match &arguments.target {
        Some(target) => describe_against(target, arguments, output),
        None if arguments.weights.are_given() => {
            let message = "rows have weights only if there is a target";
            Err(Error::new(Code::Usage, message)
                .help("name it with -t")
                .into())
        }
        None => describe_columns(arguments, output),
    }
}

/// The univariate analysis against a target.
fn describe_against(target: &str, arguments: &Arguments, output: &Output) -> Result<()> {
    let settings = arguments.learn.settings()?;
    let weights = &arguments.weights;
    let data = labelled::read_labelled(&arguments.data, Some(target), weights, output)?;
    let counted = data.target_to_learn()?;
    let progress = Shown::new(output);
    let prepared = data.prepare(&settings, &progress);
    progress.clear();
    let prepared = prepared?;
    let mut variables = prepared.by_level();
    for name in &arguments.variables {
        let frame = data.database.root();
        if frame.position(name).is_none() && variables.iter().all(|v| v.name != *name) {
            let names = frame.columns().iter().map(|column| column.name.as_str());
            let names = names.chain(variables.iter().map(|v| v.name.as_str()));
            return Err(input::unknown_column(name, names).into());
        }
    }
    if !arguments.variables.is_empty() {
        variables.retain(|variable| arguments.variables.contains(&variable.name));
    }
    if arguments.json {
        let summary = Summary {
            rows: counted.total(),
            target: target.to_owned(),
            classes: counted.classes(),
            class_counts: counted.counts(),
            null_cost: prepared.null_cost().into(),
            variables: variables.iter().copied().map(Description::from).collect(),
            unused: unused(data.database.root().columns()),
        };
        return output::print_json(&summary);
    }
    let told = variables.len();
    let is_sparse = |name: &str| data.database.root().sparse_table_of(name).is_some();
    variables.retain(|variable| variable.level > 0.0 || !is_sparse(&variable.name));
    if variables.len() < told {
        let untold = thousands((told - variables.len()) as u64);
        output.note(format_args!(
            "{untold} features of sparse tables tell nothing: see --json"
        ));
    }
    output::print(levels_table(&variables))?;
    if !arguments.variables.is_empty() || output.verbose {
        for variable in variables.iter().filter(|v| v.level > 0.0) {
            let title = format!(
                "{} (level {})",
                printable(&variable.name),
                small_figure(variable.level)
            );
            let labels = (0..variable.counts.len()).map(|cell| variable.label(cell));
            output::print(parts_table(
                &title,
                labels,
                &variable.counts,
                counted.classes(),
            ))?;
        }
    }
    Ok(())
}

#[derive(Serialize)]
struct Summary<'a> {
    rows: u64,
    target: String,
    classes: &'a [String],
    class_counts: &'a [u64],
    null_cost: FullCost,
    variables: Vec<Description<'a>>,
    unused: Vec<UnusedColumn<'a>>,
}

/// A cost with its total.
#[derive(Serialize)]
struct FullCost {
    construction: f64,
    preparation: f64,
    data: f64,
    total: f64,
}

impl From<Cost> for FullCost {
    fn from(cost: Cost) -> Self {
        let Cost {
            construction,
            preparation,
            data,
        } = cost;
        Self {
            construction,
            preparation,
            data,
            total: cost.total(),
        }
    }
}

/// One axis is the variable itself; those of a pair are listed.
#[derive(Serialize)]
struct Description<'a> {
    name: &'a str,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<VariableKind>,
    level: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    synergy: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    distinct: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    distribution: Option<&'a Distribution>,
    cost: FullCost,
    #[serde(skip_serializing_if = "Option::is_none")]
    parts: Option<&'a Parts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    axes: Option<Vec<AxisDescription<'a>>>,
    counts: &'a [Vec<u64>],
}

#[derive(Serialize)]
struct AxisDescription<'a> {
    name: &'a str,
    #[serde(rename = "type")]
    kind: VariableKind,
    distinct: usize,
    missing: usize,
    parts: &'a Parts,
}

impl<'a> From<&'a PreparedVariable> for Description<'a> {
    fn from(variable: &'a PreparedVariable) -> Self {
        let one = match variable.axes.as_slice() {
            [axis] => Some(axis),
            _ => None,
        };
        let axis = |axis: &'a PreparedAxis| AxisDescription {
            name: &axis.name,
            kind: axis.kind,
            distinct: axis.distinct,
            missing: axis.missing,
            parts: &axis.parts,
        };
        Self {
            name: &variable.name,
            kind: one.map(|axis| axis.kind),
            level: variable.level,
            synergy: variable.synergy,
            distinct: one.map(|axis| axis.distinct),
            missing: one.map(|axis| axis.missing),
            distribution: one.and_then(|axis| axis.distribution.as_ref()),
            cost: variable.cost.into(),
            parts: one.map(|axis| &axis.parts),
            axes: (one.is_none()).then(|| variable.axes.iter().map(axis).collect()),
            counts: &variable.counts,
        }
    }
}

#[derive(Serialize)]
struct UnusedColumn<'a> {
    name: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
}

fn unused(columns: &[Column]) -> Vec<UnusedColumn<'_>> {
    let unused = columns.iter().filter_map(|column| {
        Some(UnusedColumn {
            name: &column.name,
            kind: column.data.unused()?,
        })
    });
    unused.collect()
}

fn levels_table(variables: &[&PreparedVariable]) -> Grid {
    let mut grid = Grid::new(&[
        "variable", "type", "level", "parts", "distinct", "missing", "",
    ]);
    for variable in variables {
        grid.line(vec![
            clip(&variable.name, 56),
            variable.kind(),
            small_figure(variable.level),
            variable.counts.len().to_string(),
            of_one(variable, |axis| axis.distinct),
            of_one(variable, |axis| axis.missing),
            bar(variable.level, 20),
        ]);
    }
    grid
}

/// A number of values; those of a pair are told of its variables.
fn of_one(variable: &PreparedVariable, number: impl Fn(&PreparedAxis) -> usize) -> String {
    match variable.axes.as_slice() {
        [axis] => thousands(number(axis) as u64),
        _ => String::new(),
    }
}

/// Types, missing and distinct values, without a target.
fn describe_columns(arguments: &Arguments, output: &Output) -> Result<()> {
    let DataArgs { data, read, .. } = &arguments.data;
    let files = input::main_files(data, read)?;
    let mut options = read.options()?;
    options.columns.extend(read.sparse.keys());
    let table = input::read(&files, &options, output)?;
    let sparse_tables = read.sparse.read(read, output)?;
    let frame = sparse::add(table.frame, &sparse_tables, output)?;
    let columns: Vec<ColumnFacts> = frame.columns().iter().map(ColumnFacts::new).collect();
    if arguments.json {
        let columns = frame.columns().par_iter().zip(&columns);
        let columns = columns.map(|(column, facts)| ColumnDescription {
            facts,
            distribution: fnb::distribution(&column.data),
        });
        let columns: Vec<ColumnDescription> = columns.collect();
        let summary = serde_json::json!({ "rows": frame.rows(), "columns": columns });
        return output::print_json(&summary);
    }
    let mut grid = Grid::new(&["column", "type", "distinct", "missing"]);
    for column in &columns {
        let count = |n: Option<usize>| n.map_or(String::new(), |n| thousands(n as u64));
        let (distinct, missing) = (count(column.distinct), count(column.missing));
        grid.line(vec![
            clip(column.name, 40),
            column.kind.to_owned(),
            distinct,
            missing,
        ]);
    }
    output::print(grid)
}

#[derive(Serialize)]
struct ColumnDescription<'a> {
    #[serde(flatten)]
    facts: &'a ColumnFacts<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    distribution: Option<Distribution>,
}

#[derive(Serialize)]
struct ColumnFacts<'a> {
    name: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    distinct: Option<usize>,
    missing: Option<usize>,
}

impl<'a> ColumnFacts<'a> {
    fn new(column: &'a Column) -> Self {
        Self {
            name: &column.name,
            kind: column.data.word(),
            distinct: column.data.distinct(),
            missing: column.data.missing(),
        }
    }
}
