//! `fnb construct`: the variables that several tables, or dates, give, and their values.

use crate::args::{ConstructArgs, PresetName, ReadArgs};
use crate::input;
use crate::labelled;
use crate::output::{self, Grid, Output, clip, thousands};
use crate::tables::{TableArgs, read_several};
use anyhow::Result;
use clap::Args;
use fnb::columns::{ColumnData, Frame};
use fnb::prepare::VariableKind;
use fnb::relational::{ConstructedVariable, Construction, Database, Expression};
use fnb::{Code, Error, Settings};
use fnb_table::{OutputData, OutputKind, ReadOptions, TableWriter};
use serde::Serialize;
use std::path::Path;
use std::time::Instant;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Files, patterns or a directory; `-` is standard input
    #[arg(required_unless_present = "schema", value_name = "DATA")]
    data: Vec<String>,
    /// The column to predict: nothing is constructed from it
    #[arg(short, long, value_name = "COLUMN")]
    target: Option<String>,
    /// Write their values for every row of the main table: .csv, .tsv or .parquet
    #[arg(short, long, value_name = "FILE")]
    output: Option<String>,
    /// Print the variables as JSON
    #[arg(long)]
    json: bool,
    /// Settings to start from
    #[arg(long, value_enum, default_value_t = PresetName::Default, help_heading = "Construction")]
    preset: PresetName,
    #[command(flatten)]
    construct: ConstructArgs,
    #[command(flatten)]
    tables: TableArgs,
    #[command(flatten)]
    read: ReadArgs,
}

pub(crate) fn run(arguments: &Arguments, output: &Output) -> Result<()> {
    if let Some(path) = &arguments.output {
        if path == "-" {
            let message = "the values cannot be written to standard output";
            return Err(Error::new(Code::Usage, message)
                .help("give -o a file")
                .into());
        }
        input::check_table_format(path)?;
        input::check_writable(Path::new(path))?;
    }
    let settings = Settings::preset(arguments.preset.into());
    let settings = arguments.construct.over(settings)?;
    let database = read(arguments, output)?;
    let start = Instant::now();
    let construction = database.construct(&settings)?;
    let count = construction.variables.len();
    output.step(
        format_args!("constructed {} variables", thousands(count as u64)),
        start.elapsed(),
    );
    if count < settings.features {
        let wanted = thousands(settings.features as u64);
        output.note(format_args!(
            "  {wanted} were wanted: there are no more with these rules"
        ));
    }
    if let Some(path) = &arguments.output {
        write(path, &database, &construction.variables, &settings)?;
        let rows = thousands(database.root().rows() as u64);
        output.note(format_args!("wrote their values in {rows} rows to {path}"));
    }
    if arguments.json {
        output::print_json(&Summary::new(&construction))
    } else {
        output::print(list(&construction.variables))
    }
}

/// Several tables, or the dates of one.
fn read(arguments: &Arguments, output: &Output) -> Result<Database> {
    let Arguments {
        data, tables, read, ..
    } = arguments;
    let target = arguments.target.as_deref();
    if !tables.is_empty() || read.schema_of_tables()?.is_some() {
        let database = read_several(data, target, tables, read, output)?
            .join(output)?
            .database;
        return Ok(database);
    }
    labelled::check_alone(data, tables)?;
    let options = ReadOptions {
        categorical: target.iter().map(|&name| name.to_owned()).collect(),
        ..read.options()?
    };
    let mut frame = input::read(data, &options, output)?.frame;
    if let Some(target) = target {
        input::take_target(&mut frame, target)?;
    }
    Ok(Database::of_one_table(&frame, false)?.ok_or_else(|| {
        let message = "there is nothing to construct variables from";
        Error::new(Code::UnusableData, message)
            .help("give other tables with --table NAME=FILE:KEY, or a table with dates")
    })?)
}

#[derive(Serialize)]
struct Summary<'a> {
    /// What choosing a column of the main table costs.
    column_cost: f64,
    variables: Vec<Described<'a>>,
}

#[derive(Serialize)]
struct Described<'a> {
    name: &'a str,
    #[serde(rename = "type")]
    kind: VariableKind,
    rule: &'a Expression,
    cost: f64,
    sentence: String,
}

impl<'a> Summary<'a> {
    fn new(construction: &'a Construction) -> Self {
        let variables = construction.variables.iter().map(|variable| Described {
            name: &variable.name,
            kind: variable.kind,
            rule: &variable.expression,
            cost: variable.cost,
            sentence: variable.expression.describe(),
        });
        Self {
            column_cost: construction.selection_cost,
            variables: variables.collect(),
        }
    }
}

fn list(variables: &[ConstructedVariable]) -> Grid {
    let mut grid = Grid::new(&["variable", "cost", "in words"]);
    for variable in variables {
        grid.line(vec![
            clip(&variable.name, 60),
            format!("{:.4}", variable.cost),
            variable.expression.describe(),
        ]);
    }
    grid
}

/// Values of a block of rows take about this many bytes.
const BLOCK_BYTES: usize = 64 << 20;

/// Writes the key of every row and the values of the variables.
fn write(
    path: &str,
    database: &Database,
    variables: &[ConstructedVariable],
    settings: &Settings,
) -> Result<()> {
    let schema = database.schema();
    let key = &schema.entity(&schema.root).key;
    let names: Vec<&str> = variables.iter().map(|v| v.name.as_str()).collect();
    let kinds = variables.iter().map(|variable| match variable.kind {
        VariableKind::Numerical => OutputKind::Number,
        VariableKind::Categorical => OutputKind::Text,
    });
    let mut columns: Vec<(&str, OutputKind)> = Vec::new();
    for name in key {
        let column = database.root().column(name);
        let number = column.is_some_and(|c| matches!(c.data, ColumnData::Numeric(_)));
        let kind = if number {
            OutputKind::Number
        } else {
            OutputKind::Text
        };
        columns.push((name, kind));
    }
    columns.extend(names.into_iter().zip(kinds));
    let expressions: Vec<Expression> = variables.iter().map(|v| v.expression.clone()).collect();
    let mut writer = TableWriter::create(path, &columns)?;
    let rows: Vec<usize> = (0..database.root().rows()).collect();
    let size = (BLOCK_BYTES / (8 * variables.len().max(1))).max(1000);
    for rows in rows.chunks(size) {
        let block;
        let database = if rows.len() == database.root().rows() {
            database
        } else {
            block = database.take(rows);
            &block
        };
        let values = database.values(&expressions, settings.arithmetic())?;
        let keys = key
            .iter()
            .filter_map(|name| key_column(database.root(), name));
        let data: Vec<OutputData> = keys.chain(values.iter().filter_map(values_of)).collect();
        writer.write(&data)?;
    }
    Ok(writer.finish()?)
}

fn key_column<'a>(frame: &'a Frame, name: &str) -> Option<OutputData<'a>> {
    values_of(&frame.column(name)?.data)
}

fn values_of(data: &ColumnData) -> Option<OutputData<'_>> {
    match data {
        ColumnData::Numeric(column) => Some(OutputData::Numbers(column.values())),
        ColumnData::Categorical(column) => Some(OutputData::Categories(column)),
        _ => None,
    }
}
