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
use fnb::columns::{Column, VariableKind};
use fnb::prepare::PreparedVariable;
use fnb::terms::{Cost, Parts};
use fnb::{Code, Error};
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
            let labels = (0..variable.parts.len()).map(|part| variable.parts.label(part));
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

#[derive(Serialize)]
struct Description<'a> {
    name: &'a str,
    #[serde(rename = "type")]
    kind: VariableKind,
    level: f64,
    distinct: usize,
    missing: usize,
    cost: FullCost,
    parts: &'a Parts,
    counts: &'a [Vec<u64>],
}

impl<'a> From<&'a PreparedVariable> for Description<'a> {
    fn from(variable: &'a PreparedVariable) -> Self {
        Self {
            name: &variable.name,
            kind: variable.kind,
            level: variable.level,
            distinct: variable.distinct,
            missing: variable.missing,
            cost: variable.cost.into(),
            parts: &variable.parts,
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
            variable.kind.as_str().to_owned(),
            small_figure(variable.level),
            variable.parts.len().to_string(),
            thousands(variable.distinct as u64),
            thousands(variable.missing as u64),
            bar(variable.level, 20),
        ]);
    }
    grid
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
