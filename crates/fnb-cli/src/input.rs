//! Data and models as the commands need them.

use crate::args::ReadArgs;
use crate::output::{Output, thousands};
use anyhow::Result;
use fnb::columns::{Column, Frame};
use fnb::file::MAX_FILE_BYTES;
use fnb::math::nearest_name;
use fnb::model::Model;
use fnb::{Advice, Code, Error};
use fnb_table::{OpenTable, ReadOptions, Table, TableInfo};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Instant;

pub(crate) fn take_target(frame: &mut Frame, target: &str) -> Result<Column> {
    Ok(frame.remove(target).ok_or_else(|| {
        Error::new(
            Code::UnknownColumn,
            format!("the target {target:?} was not read"),
        )
    })?)
}

/// Reads a table and says what was found.
pub(crate) fn read(data: &[String], options: &ReadOptions, output: &Output) -> Result<Table> {
    read_named("", data, options, output)
}

/// The same for one of several tables; the main one has no name.
pub(crate) fn read_named(
    name: &str,
    data: &[String],
    options: &ReadOptions,
    output: &Output,
) -> Result<Table> {
    read_open(name, fnb_table::open(data, options)?, options, output)
}

/// The same for a table that is open.
pub(crate) fn read_open(
    name: &str,
    table: OpenTable,
    options: &ReadOptions,
    output: &Output,
) -> Result<Table> {
    let start = Instant::now();
    let table = table.read(options)?;
    let (rows, columns) = (
        table.frame.rows() as u64,
        table.frame.columns().len() as u64,
    );
    let of = if name.is_empty() { "" } else { " of " };
    let message = format!(
        "read {} rows x {} columns{of}{name}",
        thousands(rows),
        thousands(columns)
    );
    output.step(message, start.elapsed());
    notes(&table.info, output);
    Ok(table)
}

/// What was detected, and what the user should know.
fn notes(info: &TableInfo, output: &Output) {
    if output.verbose || info.separator.is_some() {
        output.note(format_args!("  {info}"));
    }
    if output.verbose {
        for name in &info.index {
            output.note(format_args!(
                "  column {name:?} is left out: it is the index of a pandas frame"
            ));
        }
    }
    output.tell_data(&info.warnings);
    for column in &info.columns {
        if let Some(note) = &column.note {
            output.note(format_args!(
                "  column {:?} is not used: {note}",
                column.name
            ));
        }
    }
}

/// Reads a model file.
pub(crate) fn read_model(path: &Path) -> Result<Model> {
    let shown = path.display();
    // One byte more than is allowed, so that the model is refused for its size.
    let read = File::open(path).and_then(|file| {
        let mut bytes = Vec::new();
        file.take(MAX_FILE_BYTES as u64 + 1)
            .read_to_end(&mut bytes)?;
        Ok(bytes)
    });
    let bytes = read.map_err(|error| {
        Error::new(
            Code::FileNotFound,
            format!("cannot read the model {shown}: {error}"),
        )
        .help("train one with: fnb train DATA -t TARGET -o model.json")
    })?;
    Ok(Model::from_json(&bytes).map_err(|error| error.at(shown))?)
}

/// The files of the main table: those given, or those of a schema file.
pub(crate) fn main_files(data: &[String], args: &ReadArgs) -> Result<Vec<String>> {
    if !data.is_empty() {
        return Ok(data.to_vec());
    }
    match args.schema_of_tables()?.and_then(|file| file.files.get("")) {
        Some(file) => Ok(vec![file.clone()]),
        None => Err(Error::new(Code::Usage, "no data are given")
            .help("name files, or a --schema that does")
            .into()),
    }
}

/// No column has that name.
pub(crate) fn unknown_column<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Error {
    let names: Vec<&str> = names.collect();
    let nearest = nearest_name(name, names.iter().copied());
    let listed: Vec<String> = names
        .iter()
        .take(12)
        .map(|name| format!("{name:?}"))
        .collect();
    let more = if names.len() > listed.len() {
        ", ..."
    } else {
        ""
    };
    let others = format!("there are {}{more}", listed.join(", "));
    Error::new(Code::UnknownColumn, format!("no column is named {name:?}"))
        .help(Advice::did_you_mean(nearest, others))
}

/// Refuses a plain file name that does not exist, before time is spent on other data.
pub(crate) fn check_readable(data: &str) -> Result<()> {
    let is_pattern = data.contains(['*', '?', '[']);
    if data == "-" || is_pattern || Path::new(data).exists() {
        return Ok(());
    }
    let error = Error::new(Code::FileNotFound, format!("{data} does not exist"));
    Err(error
        .help("check the name; relative names start from the current folder")
        .into())
}
