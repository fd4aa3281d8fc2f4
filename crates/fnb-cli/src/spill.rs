//! `--memory`: how much memory is held, and what of the work is spilled to disk.

use crate::output::{Output, thousands};
use anyhow::Result;
use clap::Args;
use fnb::{Code, Error};
use fnb_memory::WithoutRoom;
use std::io;
use std::path::PathBuf;

/// The least limit. With 64 MiB, threads were seen to touch 100 MiB more before anybody looked.
const LEAST: u64 = 64 << 20;

#[derive(Debug, Args)]
pub(crate) struct MemoryArgs {
    /// Most memory to hold, for instance 512M or 2G; what does not fit is spilled to the temporary folder [default:
    /// three quarters of the machine's]
    #[arg(long, value_name = "SIZE", allow_negative_numbers = true, value_parser = size)]
    memory: Option<u64>,
}

/// A number of bytes: K, M, G and T are powers of 1024, as are KiB and so on; KB and so on are powers of 1000.
fn size(text: &str) -> Result<u64, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.');
    let (number, unit) = text.split_at(digits.unwrap_or(text.len()));
    let unit = unit.to_ascii_lowercase();
    let (base, unit): (u64, _) = match unit.strip_suffix('b') {
        Some(unit) => match unit.strip_suffix('i') {
            Some(unit) => (1024, unit),
            None => (1000, unit),
        },
        None => (1024, unit.as_str()),
    };
    let power = match unit {
        "" => Some(0),
        "k" => Some(1),
        "m" => Some(2),
        "g" => Some(3),
        "t" => Some(4),
        _ => None,
    };
    let bytes = |power| {
        let number: f64 = number.parse().ok()?;
        let bytes = number * base.pow(power) as f64;
        (bytes < (1_u64 << 60) as f64).then_some(bytes as u64)
    };
    let bytes = power.and_then(bytes);
    bytes.ok_or_else(|| "a number of bytes, for instance 512M or 2G".into())
}

/// Work below a limit.
pub(crate) struct Limited {
    folder: PathBuf,
}

impl MemoryArgs {
    /// Holds to the limit from now on, and says what is held and what is spilled of data in these files.
    pub(crate) fn start(&self, inputs: &[String], output: &Output) -> Result<Limited> {
        let folder = folder();
        let is_in_memory = fnb_memory::is_in_memory(&folder);
        let limited = Limited {
            folder: folder.clone(),
        };
        let (limit, without_room) = match self.memory {
            Some(bytes) if bytes < LEAST => {
                let (bytes, least) = (megabytes(bytes), megabytes(LEAST));
                let message = format!("--memory is {bytes}, but the least is {least}");
                return Err(Error::new(Code::Usage, message)
                    .help("give 64M or more; a quarter of what is needed is nearly as fast as all of it")
                    .into());
            }
            Some(bytes) => (bytes, WithoutRoom::Refuse),
            None if is_in_memory => return Ok(limited),
            None => match fnb_table::memory_of_machine() {
                Some(bytes) => (bytes / 4 * 3, WithoutRoom::TakeMemory),
                None => return Ok(limited),
            },
        };
        let shown = folder.display();
        let room = match fnb_memory::limit(limit, &folder, without_room) {
            Ok(room) => room,
            // Nobody has asked for it.
            Err(_) if self.memory.is_none() => return Ok(limited),
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                let message =
                    format!("cannot spill to {shown}: the system or the disk does not know how");
                return Err(Error::new(Code::Output, message)
                    .help("name a folder of another disk with the variable TMPDIR, or leave out --memory")
                    .into());
            }
            Err(error) => {
                let message = format!("cannot spill to {shown}: {error}");
                return Err(Error::new(Code::Output, message)
                    .help("name another folder with the variable TMPDIR, or leave out --memory")
                    .into());
            }
        };
        fnb_table::may_spill(room);
        if is_in_memory {
            output.warn(format_args!(
                "{shown} is in memory itself: name a folder on a disk with the variable TMPDIR"
            ));
        }
        let needed = fnb_table::memory_needed(inputs);
        let (most, held) = (megabytes(limit), fnb_memory::held(limit));
        match needed {
            Some(needed) if needed > held => output.note(format_args!(
                "memory: {most} at most; of about {} that are needed {} are held, the rest is spilled to {shown}",
                megabytes(needed),
                megabytes(held)
            )),
            Some(needed) if self.memory.is_some() => output.note(format_args!(
                "memory: {most} at most; all of about {} that are needed are held",
                megabytes(needed)
            )),
            None if self.memory.is_some() => output.note(format_args!(
                "memory: {most} at most; {} are held, what does not fit is spilled to {shown}",
                megabytes(held)
            )),
            _ => {}
        }
        Ok(limited)
    }
}

/// Where it is spilled to: the temporary folder or, where that is in memory and nobody has named it, the one for
/// large files.
fn folder() -> PathBuf {
    let folder = std::env::temp_dir();
    let large = PathBuf::from("/var/tmp");
    let is_chosen = std::env::var_os("TMPDIR").is_some();
    if !is_chosen && fnb_memory::is_in_memory(&folder) && large.is_dir() {
        return large;
    }
    folder
}

impl Limited {
    /// What was spilled.
    pub(crate) fn tell(&self, output: &Output) {
        let most = fnb_memory::spilled().most;
        if most > 0 {
            output.note(format_args!(
                "spilled {} at most to {}; nothing is left there",
                megabytes(most),
                self.folder.display()
            ));
        }
    }
}

fn megabytes(bytes: u64) -> String {
    format!("{} MiB", thousands(bytes.div_ceil(1 << 20)))
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_as_they_are_written() {
        let sizes = [
            ("100", 100),
            ("64M", 64 << 20),
            ("1g", 1 << 30),
            ("1.5G", 3 << 29),
            ("2GiB", 2 << 30),
            ("2GB", 2_000_000_000),
            ("1T", 1 << 40),
            ("512kb", 512_000),
            ("7b", 7),
        ];
        for (text, bytes) in sizes {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for text in [
            "", "G", "-1G", "1X", "1 G", "1.2.3G", "nan", "1e9", "9999999T", "1iG",
        ] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
