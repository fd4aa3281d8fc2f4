//! Where a command writes: refused before anything is read, written when it is complete.

use anyhow::Result;
use fnb::{Code, Error};
use std::path::Path;

/// Refuses an output that is one of the inputs, or that cannot be written, before hours are spent on
/// its content.
pub(crate) fn check(path: &Path, inputs: &[String]) -> Result<()> {
    fnb_table::check_not_an_input(path, inputs)?;
    check_writable(path)
}

fn check_writable(path: &Path) -> Result<()> {
    if path == Path::new("-") {
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
    } else {
        let probe = tempfile::tempfile_in(folder);
        probe
            .err()
            .map(|e| format!("cannot write into {}: {e}", folder.display()))
    };
    match problem {
        Some(message) => Err(Error::new(Code::Output, message)
            .help("choose another place with -o")
            .into()),
        None => Ok(()),
    }
}

/// Writes a file that appears under its name only once it is complete.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    Ok(fnb_table::write_atomically(path, bytes)?)
}
