//! Outputs that are inputs too: told by the file, not by its name.

use crate::atomic::is_standard_output;
use crate::source;
use fnb::{Code, Error, Result};
use std::fs::Metadata;
use std::path::{Path, PathBuf};

/// Refuses an output that is one of the inputs, under any name: writing it would replace what is read.
/// Inputs are named as for [`read`](crate::read): files, patterns, directories, `-` for standard input.
/// Those that cannot be found are left to their reader.
///
/// ```
/// let path = std::env::temp_dir().join("fnb_table_same_file.csv");
/// std::fs::write(&path, "x\n1\n")?;
/// let name = path.display().to_string();
/// assert!(fnb_table::check_not_an_input(&path, &[name]).is_err());
/// assert!(fnb_table::check_not_an_input(&path, &["other.csv".into()]).is_ok());
/// # std::fs::remove_file(path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check_not_an_input(output: &Path, inputs: &[String]) -> Result<()> {
    let name = output.display();
    let output = if is_standard_output(output) {
        Path::new("/dev/stdout")
    } else {
        output
    };
    // Devices and pipes are not replaced: `/dev/null` may be both.
    let Some(written) = identity(output) else {
        return Ok(());
    };
    for input in inputs {
        for file in files(input) {
            if identity(&file).is_some_and(|read| read == written) {
                let message = if *input == file.to_string_lossy() {
                    format!("the output {name} is the input {input}")
                } else {
                    format!(
                        "the output {name} is {}, of the input {input}",
                        file.display()
                    )
                };
                return Err(Error::new(Code::Usage, message)
                    .help("write to another file, so that nothing is lost"));
            }
        }
    }
    Ok(())
}

fn files(input: &str) -> Vec<PathBuf> {
    if input == "-" {
        return vec!["/dev/stdin".into()];
    }
    source::files(input).unwrap_or_default()
}

fn regular(path: &Path) -> Option<Metadata> {
    path.metadata().ok().filter(Metadata::is_file)
}

/// What tells a regular file from all others: device and number, the same for all links to it.
#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    regular(path).map(|found| (found.dev(), found.ino()))
}

/// What tells a regular file from all others: where its path leads.
#[cfg(not(unix))]
fn identity(path: &Path) -> Option<PathBuf> {
    regular(path).and_then(|_| path.canonicalize().ok())
}
