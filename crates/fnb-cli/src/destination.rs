//! Where a command writes: refused before anything is read, written when it is complete.

use crate::output::{self, Output};
use anyhow::Result;
use fnb::{Code, Error};
use fnb_table::{OutputKind, TableWriter};
use std::fmt::Display;
use std::fs::OpenOptions;
use std::path::Path;

/// Refuses an output that is one of the inputs, or that cannot be written, before hours are spent on
/// its content.
pub(crate) fn check(path: &Path, inputs: &[String]) -> Result<()> {
    check_of("-o", path, inputs)
}

/// The same of an output that another option names.
pub(crate) fn check_of(option: &str, path: &Path, inputs: &[String]) -> Result<()> {
    fnb_table::check_not_an_input(path, inputs)?;
    check_writable(option, path)
}

fn check_writable(option: &str, path: &Path) -> Result<()> {
    // Devices and pipes: opening one to try it may wait for its reader.
    if fnb_table::is_written_directly(path) {
        return Ok(());
    }
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let problem = if path.is_dir() {
        Some(format!("{} is a directory", path.display()))
    } else if !folder.is_dir() {
        Some(format!("the folder {} does not exist", folder.display()))
    } else if let Some(Err(e)) = path
        .exists()
        .then(|| OpenOptions::new().write(true).open(path))
    {
        Some(format!("cannot write {}: {e}", path.display()))
    } else {
        let probe = tempfile::tempfile_in(folder);
        probe
            .err()
            .map(|e| format!("cannot write into {}: {e}", folder.display()))
    };
    match problem {
        Some(message) => Err(Error::new(Code::Output, message)
            .help(format!("choose another place with {option}"))
            .into()),
        None => Ok(()),
    }
}

/// Starts a table of results, its texts kept from being run by a spreadsheet if that is wanted.
pub(crate) fn table(
    path: &str,
    columns: &[(&str, OutputKind)],
    spreadsheet_safe: bool,
) -> Result<TableWriter> {
    let writer = if spreadsheet_safe {
        TableWriter::create_for_spreadsheets(path, columns)
    } else {
        TableWriter::create(path, columns)
    };
    Ok(writer?)
}

/// Does a result go to standard output? What is printed beside it must then go elsewhere.
pub(crate) fn is_stdout(path: &Path) -> bool {
    fnb_table::is_standard_output(path)
}

/// Refuses a second result for standard output.
pub(crate) fn check_alone(path: &Path, what: &str, other: bool) -> Result<()> {
    if !is_stdout(path) || !other {
        return Ok(());
    }
    let message = format!("the summary and the {what} cannot both go to standard output");
    Err(Error::new(Code::Usage, message)
        .help(format!("write the {what} with -o FILE"))
        .into())
}

/// Prints what a command says beside its result: to standard error if that takes standard output.
pub(crate) fn print_beside(path: Option<&Path>, text: impl Display, output: &Output) -> Result<()> {
    if path.is_some_and(is_stdout) {
        output.note(text);
        return Ok(());
    }
    output::print(text)
}

/// Writes a file that appears under its name only once it is complete, or to standard output.
pub(crate) fn write(path: &Path, text: &str) -> Result<()> {
    if is_stdout(path) {
        return output::write_stdout(text);
    }
    Ok(fnb_table::write_atomically(path, text.as_bytes())?)
}
