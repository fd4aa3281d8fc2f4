//! The first of several readings of text files: what the columns are, without their values. It is decided as
//! in [`columns`](super::columns), where they are kept.

use super::file::TextFile;
use super::layout::layout;
use super::numbers::{Numbers, Place};
use super::parse::{Action, Parsed, parse};
use super::seen::{Found, Question, Seen};
use super::{Tables, Tuning, check, open_table, wave};
use crate::infer::doubt;
use crate::info::{Detail, TableInfo, Warning};
use crate::options::{DayOrder, ReadOptions};
use crate::plan::{Plan, Want};
use crate::scan::{Known, Scanned};
use crate::source::Source;
use crate::unreadable::{Reading, Unreadable};
use fnb::Result;
use rayon::prelude::*;

/// Looks through the files of a table, the first of which is open already.
pub(crate) fn scan(
    sources: &[Source],
    first: TextFile,
    options: &ReadOptions,
    tuning: Tuning,
) -> Result<Scanned> {
    let (plan, info) = open_table(sources, &first, options)?;
    let table = Tables {
        sources,
        options,
        plan: &plan,
        style: first.style,
        tuning,
    };
    let mut columns = Columns::new(&plan);
    table.each_file(Some(first), |file, plan| {
        table.scan_file(file, plan, &mut columns)
    })?;
    table.check_rows(columns.rows)?;
    columns.finish(info, options)
}

impl Tables<'_> {
    fn scan_file(&self, mut file: TextFile, plan: &Plan, columns: &mut Columns) -> Result<()> {
        // Nothing is kept.
        let mut plan = plan.clone();
        plan.keep.clear();
        let layout = layout(
            &plan,
            columns.columns.iter().map(Column::action),
            file.dialect,
            &self.options.na,
        );
        // Waves are those of `read`, so that of several errors the same one is met first.
        let mut pieces = file
            .pieces
            .wave(if columns.rows == 0 { 1 } else { wave() })?;
        while !pieces.is_empty() {
            let (parsed, next) = rayon::join(
                || {
                    let parsed = pieces.par_iter().map(|piece| parse(piece, &layout));
                    parsed.collect::<Vec<_>>()
                },
                || file.pieces.wave(wave()),
            );
            file.lines += columns.append(parsed, &file.name, file.lines)?;
            pieces = next?;
        }
        Ok(())
    }
}

/// The columns of a table, as far as its rows were seen.
struct Columns {
    columns: Vec<Column>,
    rows: usize,
}

struct Column {
    name: String,
    want: Want,
    /// Nothing of a column that is not used.
    seen: Option<Seen>,
    /// What is to be told of numbers; their values are not kept.
    numbers: Numbers,
}

impl Columns {
    fn new(plan: &Plan) -> Self {
        let column = |name: &String, want: Want| {
            let (question, forced) = match want {
                Want::Detect => (Some(Question::Type), None),
                Want::Number { must_parse } => (Some(Question::Numbers), Some(must_parse)),
                Want::Temporal { kind, order } => (Some(Question::Moments(kind, order)), None),
                Want::Category { .. } | Want::Text => (Some(Question::Missing), None),
                Want::Unused(_) => (None, None),
            };
            Column {
                name: name.clone(),
                want,
                seen: question.map(Seen::new),
                numbers: Numbers::new(forced),
            }
        };
        let columns = plan.columns.iter();
        Self {
            columns: columns.map(|c| column(&c.name, c.want)).collect(),
            rows: 0,
        }
    }

    /// Adds the rows of pieces of a file; `before` is the number of lines before them. Returns how many they
    /// have.
    fn append(&mut self, pieces: Vec<Parsed>, file: &str, before: usize) -> Result<usize> {
        let mut line = before;
        for piece in &pieces {
            check(piece, file, line)?;
            line += piece.lines;
        }
        let end = line;
        line = before;
        for piece in pieces {
            let columns = self.columns.iter_mut().filter(|c| c.seen.is_some());
            for (column, seen) in columns.zip(piece.seen) {
                column.append(seen, file, line);
            }
            line += piece.lines;
            self.rows += piece.rows;
        }
        for Column { name, numbers, .. } in &self.columns {
            numbers.check_parsed(name)?;
        }
        Ok(end - before)
    }

    /// What is known when all rows were seen.
    fn finish(self, mut info: TableInfo, options: &ReadOptions) -> Result<Scanned> {
        let files = info.files.join(", ");
        let mut known = Vec::with_capacity(self.columns.len());
        for column in self.columns {
            known.push(column.finish(&files, &mut info.warnings)?);
        }
        Ok(Scanned::new(info, self.rows, known, options))
    }
}

impl Column {
    /// What is done with a field.
    fn action(&self) -> Action {
        match &self.seen {
            Some(seen) => Action::Look {
                slot: 0,
                question: seen.question,
            },
            None => Action::Skip,
        }
    }

    /// Adds what was seen of a piece; `line` is the number of the line before it.
    fn append(&mut self, mut later: Seen, file: &str, line: usize) {
        let place = |found: Found| Place {
            file: file.to_owned(),
            line: line + found.line + 1,
            text: found.text,
        };
        let numbers = &mut self.numbers;
        if let (None, Some(found)) = (&numbers.first_failure, later.first_not_number.take()) {
            numbers.first_failure = Some(place(found));
        }
        if let (None, Some(found)) = (&numbers.out_of_range, later.out_of_range.take()) {
            numbers.out_of_range = Some(place(found));
        }
        numbers.failures += later.not_numbers;
        if let Some(seen) = &mut self.seen {
            seen.append(later);
        }
    }

    /// What it is, told as [`Columns::finish`](super::columns::Columns::finish) does.
    fn finish(self, files: &str, warnings: &mut Vec<Warning>) -> Result<Known> {
        let Self {
            name,
            want,
            seen,
            numbers,
        } = self;
        let mut missing = seen.as_ref().map(|seen| seen.missing);
        let detail = Detail {
            forced: want != Want::Detect,
            note: None,
        };
        let want = match (want, seen) {
            (Want::Detect, Some(seen)) if seen.numeric => {
                numbers.check_range(&name)?;
                if seen.not_binary {
                    Want::Number { must_parse: false }
                } else {
                    Want::Category { spelling: None }
                }
            }
            (Want::Detect, Some(seen)) => {
                let formats = seen.formats();
                match formats.kind() {
                    _ if seen.long => Want::Text,
                    Some(kind) => {
                        warnings.extend(doubt(&name, formats));
                        let order = DayOrder::known(formats.first().month_first());
                        Want::Temporal { kind, order }
                    }
                    None => {
                        warnings.extend(seen.few.warning(&name, seen.missing > 0));
                        Want::Category { spelling: None }
                    }
                }
            }
            (Want::Number { .. }, _) => {
                warnings.extend(numbers.warning(&name).map(Warning::from));
                numbers.check_range(&name)?;
                missing = missing.map(|missing| missing + numbers.failures);
                want
            }
            (Want::Temporal { kind, order }, Some(seen)) => {
                let (order, strays) = seen.moments.finish(order);
                missing = missing.map(|missing| missing + strays.count());
                let mut unreadable = Unreadable::default();
                let added = unreadable.add(&name, Reading::new(kind, order), strays);
                added.map_err(|error| error.at(files))?;
                warnings.extend(unreadable.warnings());
                Want::Temporal { kind, order }
            }
            _ => want,
        };
        Ok(Known {
            name,
            want,
            detail,
            missing,
        })
    }
}
