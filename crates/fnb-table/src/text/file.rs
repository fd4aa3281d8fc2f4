//! A text file, opened: how it is written, its columns, and its records to come.

use super::Tuning;
use super::field::Dialect;
use super::pieces::{LONGEST_RECORD, Pieces, endless_line};
use crate::encoding::utf8;
use crate::options::ReadOptions;
use crate::sniff;
use crate::source::{Opened, Source, read_error};
use fnb::{Advice, Code, Error, Result};
use std::io::Read;

/// Bytes that are read before anything is decided.
const HEAD: usize = 256 << 10;

/// Records of a piece at least, so that tables of very many columns are handled in large strokes.
const RECORDS: usize = 16;

/// How the files of a table are written, as decided on the first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style {
    pub(super) separator: u8,
    pub(super) header: bool,
}

/// An open text file.
pub(crate) struct TextFile {
    pub(super) name: String,
    pub(super) dialect: Dialect,
    pub(super) style: Style,
    pub(super) encoding: &'static str,
    pub(crate) names: Vec<String>,
    /// The columns whose name is empty in the header, counted from 1.
    pub(super) unnamed: Vec<usize>,
    pub(super) pieces: Pieces,
    /// Number of lines before the first piece.
    pub(super) lines: usize,
    /// Bytes of text in the file, where known.
    pub(super) size: Option<u64>,
}

impl TextFile {
    /// Reads the start of a file. `style` is that of the first file of the table.
    pub(crate) fn new(
        source: &Source,
        opened: Opened,
        options: &ReadOptions,
        style: Option<Style>,
        tuning: Tuning,
    ) -> Result<Self> {
        let size = source.size().filter(|_| opened.plain);
        let failed = |e| read_error(&source.name, e);
        let (mut reader, encoding) = utf8(opened.reader).map_err(failed)?;
        let mut head = Vec::new();
        let mut goal = HEAD;
        let complete = loop {
            let missing = goal - head.len();
            let read = reader
                .by_ref()
                .take(missing as u64)
                .read_to_end(&mut head)
                .map_err(failed)?;
            if read < missing {
                break true;
            }
            if memchr::memchr_iter(b'\n', &head).nth(1).is_some() {
                break false;
            }
            if goal >= 2 * LONGEST_RECORD {
                return Err(endless_line(&source.name));
            }
            goal *= 2;
        };
        let text = valid_start(&head, complete).map_err(|e| e.at(&source.name))?;
        if text.trim().is_empty() {
            return Err(
                Error::new(Code::EmptyFile, format!("{} is empty", source.name))
                    .help("check how the file was made, and that it was copied whole"),
            );
        }
        let separator = style.map(|style| style.separator).or(options.separator);
        let dialect = sniff::dialect(text, complete, separator);
        let header = style.map(|style| style.header).or(options.header);
        let header = header.unwrap_or_else(|| sniff::header(text, complete, dialect));
        let first = sniff::first_record(text, complete, dialect);
        let mut unnamed = Vec::new();
        let names = first.into_iter().enumerate().map(|(i, name)| {
            if header && !name.is_empty() {
                return name;
            }
            unnamed.push(i + 1);
            format!("Var{}", i + 1)
        });
        let names: Vec<String> = names.collect();
        if !header {
            unnamed.clear();
        }
        let start = if header {
            first_record_end(&head, dialect)
        } else {
            0
        };
        let lines = memchr::memchr_iter(b'\n', &head[..start]).count();
        let record = memchr::memchr(b'\n', &head[start..]).unwrap_or(head.len() - start);
        let size_of_piece = tuning.piece.max(
            record
                .saturating_mul(tuning.records.unwrap_or(RECORDS))
                .min(LONGEST_RECORD),
        );
        let rest = head.split_off(start);
        let pieces = Pieces::new(reader, &source.name, rest, dialect, size_of_piece);
        Ok(Self {
            name: source.name.clone(),
            dialect,
            style: Style {
                separator: dialect.separator,
                header,
            },
            encoding,
            names,
            unnamed,
            pieces,
            lines,
            size,
        })
    }
}

/// D04: a file without rows.
pub(crate) fn no_rows(name: &str) -> Error {
    Error::new(Code::NoRows, format!("{name} has a header but no row")).help(Advice::NoHeader)
}

/// The text of the head; a character that is cut at its end is left out.
fn valid_start(head: &[u8], complete: bool) -> Result<&str> {
    if let Some(at) = memchr::memchr(0, head) {
        return Err(super::fault_error(
            &super::parse::Fault::Nul,
            line_of(head, at),
        ));
    }
    match std::str::from_utf8(head) {
        Ok(text) => Ok(text),
        Err(e) if !complete && e.error_len().is_none() => {
            Ok(std::str::from_utf8(&head[..e.valid_up_to()]).expect("checked up to here"))
        }
        Err(e) => {
            let line = line_of(head, e.valid_up_to());
            Err(super::fault_error(&super::parse::Fault::NotUtf8, line))
        }
    }
}

fn line_of(bytes: &[u8], at: usize) -> usize {
    memchr::memchr_iter(b'\n', &bytes[..at]).count() + 1
}

/// Where the first record that is not blank ends.
fn first_record_end(bytes: &[u8], dialect: Dialect) -> usize {
    let mut at = 0;
    while let Some(length) = sniff::blank_line(&bytes[at..]) {
        at += length;
    }
    loop {
        let field = dialect.field(bytes, at);
        at = field.next + 1;
        if bytes.get(field.next) != Some(&dialect.separator) {
            return at.min(bytes.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{Content, resolve};

    #[test]
    fn a_first_line_without_end_is_not_read_to_its_end() {
        let sources = resolve(&["-".to_owned()]).expect("standard input, which is not read");
        let opened = Opened {
            content: Content::Text,
            reader: Box::new(std::io::repeat(b'a')),
            plain: false,
        };
        let options = ReadOptions::default();
        let opened = TextFile::new(&sources[0], opened, &options, None, Tuning::default());
        let error = opened.err().expect("no end");
        assert_eq!(error.code(), Code::UnreadableFile);
        assert!(error.message().ends_with("a line of more than 256 MiB"));
    }
}
