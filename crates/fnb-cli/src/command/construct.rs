//! `fnb construct`: the variables that several tables, dates or texts give, and their values.

use crate::args::{ConstructArgs, DataArgs, PresetName, TextArgs};
use crate::destination;
use crate::output::{self, Grid, Output, clip, thousands};
use crate::tables::read_data;
use anyhow::Result;
use clap::Args;
use fnb::columns::{ColumnData, Frame, SparseColumn, VariableKind};
use fnb::relational::{
    ConstructedText, Construction, Database, Expression, TextFeature, reaches_text, text_columns,
};
use fnb::{Code, Error, Settings};
use fnb_table::{OutputData, OutputKind, TableWriter};
use serde::Serialize;
use std::path::Path;
use std::time::Instant;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The column to predict: nothing is constructed from it
    #[arg(short, long, value_name = "COLUMN")]
    target: Option<String>,
    /// Write their values for every row of the main table: .csv, .tsv or .parquet; `-` is standard
    /// output
    #[arg(short, long, value_name = "FILE")]
    output: Option<String>,
    /// Put an apostrophe before texts that a spreadsheet would run as formulas, in CSV and TSV: those that
    /// begin with = + - @ or a tab, and are no numbers
    #[arg(long, requires = "output")]
    spreadsheet_safe: bool,
    /// Print the variables as JSON
    #[arg(long)]
    json: bool,
    /// Settings to start from
    #[arg(long, value_enum, default_value_t = PresetName::Default, help_heading = "Construction")]
    preset: PresetName,
    #[command(flatten)]
    construct: ConstructArgs,
    #[command(flatten)]
    texts: TextArgs,
    #[command(flatten)]
    data: DataArgs,
}

pub(crate) fn run(arguments: &Arguments, output: &Output) -> Result<()> {
    if let Some(path) = &arguments.output {
        destination::check_alone(path.as_ref(), "values", arguments.json)?;
        fnb_table::TableWriter::check_name(path)?;
        destination::check(Path::new(path), &arguments.data.inputs()?)?;
    }
    let settings = Settings::preset(arguments.preset.into());
    let settings = arguments.texts.over(arguments.construct.over(settings)?);
    let database = read(arguments, &settings, output)?;
    let start = Instant::now();
    let construction = database.construct(&settings.construct, 0)?;
    let texts = database.construct_texts(&settings.construct, &construction)?;
    let count = construction.variables.len();
    let of_texts = match texts.len() {
        0 => String::new(),
        n => format!(", {} of texts", thousands(n as u64)),
    };
    let constructed = thousands(count as u64);
    output.step(
        format_args!("constructed {constructed} variables{of_texts}"),
        start.elapsed(),
    );
    if count < settings.construct.features {
        let wanted = thousands(settings.construct.features as u64);
        output.note(format_args!(
            "  {wanted} were wanted: there are no more with these rules"
        ));
    }
    let variables = described(&construction, &texts);
    if let Some(path) = &arguments.output {
        let columns = columns(&database, &variables);
        let writer = destination::table(path, &columns, arguments.spreadsheet_safe)?;
        write(writer, &database, &variables, &settings)?;
        let rows = thousands(database.root().rows() as u64);
        if !destination::is_stdout(path.as_ref()) {
            output.note(format_args!("wrote their values in {rows} rows to {path}"));
        }
    }
    if arguments.json {
        output::print_json(&Summary {
            column_cost: construction.selection_cost,
            variables,
        })
    } else {
        let path = arguments.output.as_ref().map(Path::new);
        destination::print_beside(path, list(&variables), output)
    }
}

/// Several tables, or the dates and texts of one.
fn read(arguments: &Arguments, settings: &Settings, output: &Output) -> Result<Database> {
    let target = arguments.target.as_deref();
    let database = read_data(&arguments.data, target, None, output)?.database;
    let texts = settings.construct.text_features > 0 && reaches_text(database.schema());
    let has_others = database.tables().frames().count() > 1;
    if !texts && !has_others && !database.has_operands() {
        let message = "there is nothing to construct variables from";
        return Err(Error::new(Code::UnusableData, message)
            .help("give other tables with --table NAME=FILE:KEY, or a table with dates or texts")
            .into());
    }
    Ok(database)
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
    rule: Rule<'a>,
    cost: f64,
    sentence: String,
}

/// How a variable is computed.
#[derive(Clone, Copy, Serialize)]
#[serde(untagged)]
enum Rule<'a> {
    Expression(&'a Expression),
    Text(&'a TextFeature),
}

/// All variables, those of texts last.
fn described<'a>(
    construction: &'a Construction,
    texts: &'a [ConstructedText],
) -> Vec<Described<'a>> {
    let constructed = construction.variables.iter().map(|variable| Described {
        name: &variable.name,
        kind: variable.kind,
        rule: Rule::Expression(&variable.expression),
        cost: variable.cost,
        sentence: variable.expression.describe(),
    });
    let counts = texts.iter().map(|text| Described {
        name: &text.name,
        kind: VariableKind::Numerical,
        rule: Rule::Text(&text.feature),
        cost: text.cost,
        sentence: text.feature.describe(),
    });
    constructed.chain(counts).collect()
}

fn list(variables: &[Described]) -> Grid {
    let mut grid = Grid::new(&["variable", "cost", "in words"]);
    for variable in variables {
        grid.line(vec![
            clip(variable.name, 60),
            format!("{:.4}", variable.cost),
            variable.sentence.clone(),
        ]);
    }
    grid
}

/// The key of the rows, and the variables.
fn columns<'a>(database: &'a Database, variables: &[Described<'a>]) -> Vec<(&'a str, OutputKind)> {
    let key = database.schema().entity(&database.schema().root).key.iter();
    let key = key.map(|name| {
        let column = database.root().column(name);
        let number = column.is_some_and(|c| matches!(c.data, ColumnData::Numeric(_)));
        let kind = if number {
            OutputKind::Number
        } else {
            OutputKind::Text
        };
        (name.as_str(), kind)
    });
    let variables = variables.iter().map(|variable| match variable.kind {
        VariableKind::Numerical => (variable.name, OutputKind::Number),
        VariableKind::Categorical => (variable.name, OutputKind::Text),
    });
    key.chain(variables).collect()
}

/// Values of a block of rows take about this many bytes.
const BLOCK_BYTES: usize = 64 << 20;

/// Writes the key of every row and the values of the variables.
fn write(
    mut writer: TableWriter,
    database: &Database,
    variables: &[Described],
    settings: &Settings,
) -> Result<()> {
    let schema = database.schema();
    let key = &schema.entity(&schema.root).key;
    let expressions = variables.iter().filter_map(|variable| match variable.rule {
        Rule::Expression(expression) => Some(expression.clone()),
        Rule::Text(_) => None,
    });
    let expressions: Vec<Expression> = expressions.collect();
    let texts = variables.iter().filter_map(|variable| match variable.rule {
        Rule::Expression(_) => None,
        Rule::Text(text) => Some(text.clone()),
    });
    let texts: Vec<TextFeature> = texts.collect();
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
        let values = database.values(&expressions, settings.construct.arithmetic)?;
        let counts = text_columns(database.tables(), &texts)?;
        let counts: Vec<Vec<f64>> = counts.iter().map(SparseColumn::to_dense).collect();
        let keys = key
            .iter()
            .filter_map(|name| key_column(database.root(), name));
        let values = keys.chain(values.iter().filter_map(values_of));
        let counts = counts.iter().map(|counts| OutputData::Numbers(counts));
        writer.write(&values.chain(counts).collect::<Vec<_>>())?;
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
