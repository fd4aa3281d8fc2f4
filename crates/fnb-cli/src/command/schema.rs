//! `fnb schema`: the types of the columns as detected.

use crate::args::ReadArgs;
use crate::input;
use crate::output::{self, Output};
use anyhow::Result;
use clap::Args;
use fnb::{Code, Error};
use fnb_table::Schema;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Files, patterns or a directory; `-` is standard input
    #[arg(required = true, value_name = "DATA")]
    data: Vec<String>,
    /// Where to write the schema [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    read: ReadArgs,
}

pub(crate) fn run(arguments: &Arguments, output: &Output) -> Result<()> {
    if !arguments.read.sparse.sparse.is_empty() {
        let error = Error::new(Code::Usage, "a schema has no sparse tables");
        return Err(error.help("leave out --sparse").into());
    }
    let table = input::read(&arguments.data, &arguments.read.options()?, output)?;
    let json = Schema::from_info(&table.info).to_json();
    match &arguments.output {
        Some(path) => input::write_file(path, json.as_bytes()),
        None => output::write_stdout(json.as_bytes()),
    }
}
