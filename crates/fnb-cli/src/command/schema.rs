//! `fnb schema`: the types of the columns as detected, and how several tables are related.

use crate::args::ReadArgs;
use crate::destination;
use crate::input;
use crate::output::{self, Output};
use crate::tables::{TableArgs, read_several};
use anyhow::Result;
use clap::Args;
use fnb::{Code, Error};
use fnb_table::{SchemaOfTables, TableSchema};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
#[command(
    after_help = "Files with the same columns are one table. Files with other columns are several, the \
                  first being the main one; the same can be said with --table NAME=FILE. Keys that are \
                  not given are guessed and reported: a column of both that names every row of the main \
                  table is the key of its records, or of one record per row if it names these, too; one \
                  that names every row of the other table only makes it a look-up table."
)]
pub(crate) struct Arguments {
    /// Files, patterns or a directory; `-` is standard input
    #[arg(required = true, value_name = "DATA")]
    data: Vec<String>,
    /// The column to predict, to be named in a schema of several tables
    #[arg(short, long, value_name = "COLUMN")]
    target: Option<String>,
    /// Where to write the schema [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    tables: TableArgs,
    #[command(flatten)]
    read: ReadArgs,
}

pub(crate) fn run(arguments: &Arguments, output: &Output) -> Result<()> {
    if !arguments.read.sparse.is_empty() {
        let error = Error::new(Code::Usage, "a schema has no sparse tables");
        return Err(error.help("leave out --sparse").into());
    }
    if let Some(path) = &arguments.output {
        let mut inputs = arguments.read.inputs(&arguments.data)?;
        inputs.extend(arguments.tables.files().cloned());
        destination::check(path, &inputs)?;
    }
    let json = if arguments.tables.is_empty() {
        match input::read(&arguments.data, &arguments.read.options()?, output) {
            Ok(table) => TableSchema::from_info(&table.info).to_json(),
            Err(error) if are_several(&error, &arguments.data) => {
                let (main, others) = arguments.data.split_at(1);
                let tables = TableArgs::of_files(others)?;
                schema_of_tables(main, &tables, arguments, output)?
            }
            Err(error) => return Err(error),
        }
    } else {
        schema_of_tables(&arguments.data, &arguments.tables, arguments, output)?
    };
    match &arguments.output {
        Some(path) => destination::write(path, &json),
        None => output::write_stdout(&json),
    }
}

/// Are the files of one table impossible, but tables of their own?
fn are_several(error: &anyhow::Error, data: &[String]) -> bool {
    let code = error.downcast_ref::<Error>().map(Error::code);
    code == Some(Code::FilesDiffer) && data.iter().all(|file| Path::new(file).is_file())
}

fn schema_of_tables(
    main: &[String],
    tables: &TableArgs,
    arguments: &Arguments,
    output: &Output,
) -> Result<String> {
    let target = arguments.target.as_deref();
    let several = read_several(main, None, tables, &arguments.read, output)?;
    if let Some(target) = target {
        // The main table keeps its target: it is a field of the schema.
        let frame = &several.frames[""];
        if frame.column(target).is_none() {
            let names = frame.columns().iter().map(|column| column.name.as_str());
            return Err(input::unknown_column(target, names).into());
        }
    }
    let folder = arguments.output.as_deref();
    let folder = folder.filter(|path| !destination::is_stdout(path));
    let folder = folder.and_then(Path::parent);
    let relative = |file: &String| from_folder(file, folder);
    let files = several.files.iter();
    let files = files.map(|(path, file)| (path.clone(), relative(file)));
    let files: BTreeMap<String, String> = files.collect();
    let file = SchemaOfTables {
        target: target.map(str::to_owned),
        schema: several.schema.clone(),
        cutoff: several.cutoff.clone(),
        files,
    };
    several.join(None, output)?;
    Ok(file.to_json())
}

/// The name of a file as seen from the folder of the schema.
fn from_folder(file: &str, folder: Option<&Path>) -> String {
    let Some(folder) = folder.filter(|folder| !folder.as_os_str().is_empty()) else {
        return file.to_owned();
    };
    if let Ok(inside) = Path::new(file).strip_prefix(folder) {
        return inside.display().to_string();
    }
    let absolute = std::path::absolute(file);
    absolute.map_or_else(|_| file.to_owned(), |path| path.display().to_string())
}
