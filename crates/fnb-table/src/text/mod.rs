//! Text files to columns: cut into pieces at record starts, parsed in parallel, appended in order.

mod batches;
mod columns;
pub(crate) mod field;
pub(crate) mod file;
mod layout;
mod numbers;
mod parse;
mod pieces;
mod scan;
mod seen;

pub(crate) use batches::TextBatches;
pub(crate) use scan::scan;

use crate::Table;
use crate::info::{Format, TableInfo};
use crate::options::ReadOptions;
use crate::plan::Plan;
use crate::source::{Content, Source};
use columns::Columns;
use file::{Style, TextFile};
use fnb::columns::Frame;
use fnb::{Advice, Code, Error, Result};
use parse::{Fault, Parsed};
use rayon::prelude::*;

/// How the work is cut; results do not depend on it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tuning {
    /// Bytes of a piece.
    pub(crate) piece: usize,
    /// Records of a piece at least, when not the usual number.
    pub(crate) records: Option<usize>,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            piece: 1 << 20,
            records: None,
        }
    }
}

impl Tuning {
    /// Pieces of about that many bytes, however many records they hold.
    pub(crate) fn pieces_of(bytes: usize) -> Self {
        Self {
            piece: bytes,
            records: Some(0),
        }
    }
}

/// Pieces that are parsed together.
fn wave() -> usize {
    2 * rayon::current_num_threads()
}

/// Reads the files of a table, the first of which is open already.
pub(crate) fn read(
    sources: &[Source],
    first: TextFile,
    options: &ReadOptions,
    tuning: Tuning,
) -> Result<Table> {
    let (plan, mut info) = open_table(sources, &first, options)?;
    let table = Tables {
        sources,
        options,
        plan: &plan,
        style: first.style,
        tuning,
    };
    let mut columns = Columns::new(&plan);
    table.read_all(Some(first), &mut columns, true)?;
    if let Some(mut again) = columns.broken() {
        table.read_all(None, &mut again, false)?;
        columns.mend(again)?;
    }
    let rows = columns.rows();
    let (columns, details, warnings) = columns.finish(&info.files.join(", "))?;
    info.warnings.extend(warnings);
    let frame = Frame::new(rows, columns)?;
    info.describe(&frame, details.into_iter());
    Ok(Table { frame, info })
}

/// What is to be done with the columns, and what the first file tells of the table.
fn open_table(
    sources: &[Source],
    first: &TextFile,
    options: &ReadOptions,
) -> Result<(Plan, TableInfo)> {
    let plan = Plan::new(first.names.clone(), options).map_err(|e| e.at(&first.name))?;
    let mut info = TableInfo::new(
        sources.iter().map(|s| s.name.clone()).collect(),
        Format::Text,
        &plan,
    );
    info.separator = Some(first.style.separator);
    info.quoting = first.dialect.quoting;
    info.header = first.style.header;
    info.encoding = Some(first.encoding);
    info.warnings.extend(unnamed_warning(first).map(Into::into));
    Ok((plan, info))
}

fn unnamed_warning(file: &TextFile) -> Option<String> {
    let (first, more) = file.unnamed.split_first()?;
    let others = if more.is_empty() {
        String::new()
    } else {
        format!(" and {} more", more.len())
    };
    Some(format!(
        "{}: column {first}{others} has no name, it is called Var{first}",
        file.name
    ))
}

/// The files of a table and how they are read.
struct Tables<'a> {
    sources: &'a [Source],
    options: &'a ReadOptions,
    plan: &'a Plan,
    style: Style,
    tuning: Tuning,
}

impl Tables<'_> {
    /// Reads every file once; `guess` in the first reading, when types may still be learnt.
    fn read_all(&self, first: Option<TextFile>, columns: &mut Columns, guess: bool) -> Result<()> {
        self.each_file(first, |file, plan| {
            columns.changed = true;
            let guess = guess && columns.rows() == 0;
            self.read_file(file, plan, columns, guess)
        })?;
        self.check_rows(columns.rows())
    }

    /// Opens every file, the first of which may be open already.
    fn each_file(
        &self,
        mut first: Option<TextFile>,
        mut read: impl FnMut(TextFile, &Plan) -> Result<()>,
    ) -> Result<()> {
        for source in self.sources {
            let file = match first.take() {
                Some(file) => file,
                None => self.open(source)?,
            };
            let plan = file_plan(self.plan, &file, &self.sources[0].name)?;
            read(file, &plan)?;
        }
        Ok(())
    }

    /// D04 without rows.
    fn check_rows(&self, rows: usize) -> Result<()> {
        if rows == 0 && !self.options.may_be_empty {
            return Err(file::no_rows(&self.sources[0].name));
        }
        Ok(())
    }

    fn open(&self, source: &Source) -> Result<TextFile> {
        open_next(source, self.options, self.style, self.tuning)
    }

    fn read_file(
        &self,
        mut file: TextFile,
        plan: &Plan,
        columns: &mut Columns,
        guess: bool,
    ) -> Result<()> {
        let na = &self.options.na;
        let before = columns.rows();
        let mut layout = columns.layout(plan, file.dialect, na);
        // Types are learnt from the first piece, then all is read with them.
        let mut pieces = file.pieces.wave(if guess { 1 } else { wave() })?;
        if let (true, Some(piece)) = (guess, pieces.first()) {
            columns.learn(&parse::parse(piece, &layout));
        }
        let (mut waves, mut bytes) = (0, 0);
        while !pieces.is_empty() {
            if columns.changed {
                layout = columns.layout(plan, file.dialect, na);
                columns.changed = false;
            }
            let (parsed, next) = rayon::join(
                || {
                    pieces
                        .par_iter()
                        .map(|piece| parse::parse(piece, &layout))
                        .collect::<Vec<_>>()
                },
                || file.pieces.wave(wave()),
            );
            let lines: usize = parsed.iter().map(|piece| piece.lines).sum();
            bytes += pieces.iter().map(Vec::len).sum::<usize>();
            // The first wave of a file may be too small to tell.
            if let (1, Some(size)) = (waves, file.size) {
                let rows = columns.rows() - before + rows(&parsed);
                let estimate = (size as f64 / bytes as f64 * rows as f64 * 1.02) as usize;
                columns.reserve(before + estimate.max(rows), &file.name)?;
            }
            columns.append(parsed, &file.name, file.lines)?;
            if guess && waves == 0 {
                columns.read_dates();
            }
            waves += 1;
            file.lines += lines;
            pieces = next?;
        }
        Ok(())
    }
}

fn rows(pieces: &[Parsed]) -> usize {
    pieces.iter().map(|piece| piece.rows).sum()
}

/// Opens another file of a table of text files.
fn open_next(
    source: &Source,
    options: &ReadOptions,
    style: Style,
    tuning: Tuning,
) -> Result<TextFile> {
    let opened = source.open()?;
    if opened.content != Content::Text {
        return Err(formats_differ(&source.name));
    }
    TextFile::new(source, opened, options, Some(style), tuning)
}

/// The plan for a further file, whose columns may be in another order.
fn file_plan(plan: &Plan, file: &TextFile, first: &str) -> Result<Plan> {
    plan.for_file(file.names.clone(), first)
        .map_err(|e| e.at(&file.name))
}

/// D15: text and binary files in one table.
pub(crate) fn formats_differ(name: &str) -> Error {
    Error::new(
        Code::FilesDiffer,
        format!("{name} has another format than the files before it"),
    )
    .help("read files of different formats apart")
}

/// The fault of a piece as an error; `line` is the number of the line before the piece.
fn check(piece: &Parsed, file: &str, line: usize) -> Result<()> {
    match &piece.fault {
        None => Ok(()),
        Some((at, fault)) => Err(fault_error(fault, line + at + 1).at(file)),
    }
}

fn fault_error(fault: &Fault, line: usize) -> Error {
    match fault {
        Fault::Nul => Error::new(Code::NulByte, format!("line {line} holds a NUL byte"))
            .help("is it UTF-16 or a binary file? convert it, for instance with: iconv -f UTF-16 -t UTF-8"),
        Fault::NotUtf8 => Error::new(Code::InvalidUtf8, format!("line {line} is not valid UTF-8"))
            .help("convert the file, for instance with: iconv -f WINDOWS-1252 -t UTF-8 IN > OUT"),
        Fault::Ragged { found, expected } => {
            let s = if *found == 1 { "" } else { "s" };
            let message = format!("line {line} has {found} field{s}, {expected} expected");
            Error::new(Code::RaggedRow, message)
                .help(Advice::Separator)
        }
        Fault::OpenQuote => {
            let message = format!("a quotation in line {line} is never closed");
            Error::new(Code::RaggedRow, message).help("close or remove the quote")
        }
    }
}
