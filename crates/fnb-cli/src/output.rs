//! Results to standard output, messages to standard error, errors to exit codes.

use crate::advice;
use crate::args::{GlobalArgs, ProgressKind};
use anyhow::Result;
use fnb::evaluate::Evaluation;
pub(crate) use fnb::math::{figure, percent, printable, small_figure, thousands};
use fnb::math::{printable_json, printable_lines};
use fnb::predict::Unseen;
use fnb::relational::JoinNote;
use fnb::{Code, Error};
use fnb_table::Warning;
use serde::Serialize;
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

/// Where messages go, and how many.
#[derive(Debug, Clone)]
pub(crate) struct Output {
    quiet: bool,
    pub(crate) verbose: bool,
    pub(crate) progress: ProgressKind,
}

impl Output {
    pub(crate) fn new(global: &GlobalArgs) -> Self {
        let progress = if global.quiet {
            ProgressKind::None
        } else {
            global.progress
        };
        Self {
            quiet: global.quiet,
            verbose: global.verbose,
            progress,
        }
    }

    /// A message for the user, on standard error.
    pub(crate) fn note(&self, message: impl fmt::Display) {
        if !self.quiet {
            say(message);
        }
    }

    /// Something the user should look at, on one line.
    pub(crate) fn warn(&self, message: impl fmt::Display) {
        let message = message.to_string();
        self.note(format_args!("warning: {}", printable(&message)));
    }

    /// Rows that can only be misjudged.
    pub(crate) fn warn_of_unseen_classes(&self, evaluation: &Evaluation) {
        match evaluation.unseen_class_rows {
            0 => {}
            1 => self.warn("1 row is of a class that the model has not seen"),
            rows => self.warn(format_args!(
                "{} rows are of classes that the model has not seen",
                thousands(rows)
            )),
        }
    }

    /// What reading found.
    pub(crate) fn tell_data(&self, warnings: &[Warning]) {
        for warning in warnings {
            self.warn(warning.worded(advice::worded));
        }
    }

    /// Categories that the model does not know: all of them if that is asked for, else what cannot be chance.
    pub(crate) fn tell_unseen(&self, unseen: &Unseen) {
        for variable in unseen.surprising() {
            self.warn(format_args!("column {variable}"));
        }
        for variable in unseen.found().filter(|variable| !variable.is_surprising()) {
            if self.verbose {
                self.note(format_args!("  column {variable}"));
            }
        }
    }

    /// What joining found.
    pub(crate) fn tell(&self, notes: &[JoinNote]) {
        for note in notes {
            if note.is_warning() {
                self.warn(note);
            } else {
                self.note(format_args!("  {note}"));
            }
        }
    }

    /// A file that was written, and its bytes.
    pub(crate) fn wrote(&self, path: &std::path::Path, bytes: usize) {
        let kilobytes = thousands((bytes as u64 + 500) / 1000);
        self.note(format_args!("wrote {} ({kilobytes} kB)", path.display()));
    }

    /// A step that is done, with the time it took.
    pub(crate) fn step(&self, message: impl fmt::Display, time: std::time::Duration) {
        let message = message.to_string();
        self.note(format_args!("{message:<68} {:>8.2} s", time.as_secs_f64()));
    }
}

/// Writes lines to standard error. What cannot be written is dropped: `eprintln!` would panic, and the
/// work is worth more than its messages. Names and values are in them: nothing acts on a terminal.
pub(crate) fn say(message: impl fmt::Display) {
    // One write, so that lines of several threads do not mix.
    let message = format!("{message}\n");
    let _ = io::stderr().write_all(printable_lines(&message).as_bytes());
}

/// Writes a result for programs to standard output, byte by byte as it is. On a terminal it is for people,
/// and nothing in it acts there.
pub(crate) fn write_stdout(text: &str) -> Result<()> {
    if io::stdout().is_terminal() {
        to_stdout(&printable_lines(text))
    } else {
        to_stdout(text)
    }
}

/// A reader that has gone, as in `fnb inspect m.json | head`, is no error: what else the command does is
/// still done.
fn to_stdout(text: &str) -> Result<()> {
    let bytes = text.as_bytes();
    let mut stdout = io::stdout().lock();
    let written = stdout.write_all(bytes).and_then(|()| stdout.flush());
    Ok(printed(written)?)
}

/// What became of a result on standard output.
fn printed(written: io::Result<()>) -> fnb::Result<()> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            let message = format!("cannot write to standard output: {error}");
            Err(Error::new(Code::Output, message).help("free some space, or write elsewhere"))
        }
        _ => Ok(()),
    }
}

/// Prints a result as text. Nothing in it acts on a terminal.
pub(crate) fn print(text: impl fmt::Display) -> Result<()> {
    to_stdout(&printable_lines(&format!("{text}\n")))
}

/// Prints a result as JSON.
pub(crate) fn print_json(value: &impl Serialize) -> Result<()> {
    print(to_json(value)?)
}

/// A result as JSON, in which characters that would act on a terminal are written out as JSON does.
pub(crate) fn to_json(value: &impl Serialize) -> Result<String> {
    Ok(printable_json(&serde_json::to_string_pretty(value)?).into_owned())
}

/// Ends of a run that are not errors of the data.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A bar given by the user is not met.
    Gate(String),
    /// A bug of the program.
    Bug,
}

impl Failure {
    pub(crate) fn bug() -> Self {
        Self::Bug
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gate(message) => write!(
                f,
                "error[G01]: {message}\n  help: look for what has changed in the data, or train anew"
            ),
            Self::Bug => write!(
                f,
                "error[I01]: this is a bug in fnb\n  help: please report the command and the lines above"
            ),
        }
    }
}

impl std::error::Error for Failure {}

/// What the standard library says of numbers, for people.
const NUMBERS: [(&str, &str); 3] = [
    (": invalid float literal", ": a number, for instance 0.5"),
    (
        ": invalid digit found in string",
        ": a whole number from 0 up",
    ),
    (
        ": number too large to fit in target type",
        ": the number is too large",
    ),
];

/// Prints what is wrong with the options in the form of all errors; help and version are results.
pub(crate) fn report_usage(error: &clap::Error) -> ExitCode {
    let text = error.render().to_string();
    match text.strip_prefix("error: ") {
        Some(message) if error.use_stderr() => {
            // Its last line tells to try --help.
            let (message, more) = message.split_once("\n\nFor more").unwrap_or((message, ""));
            let message = NUMBERS
                .iter()
                .fold(message.to_owned(), |message, (from, to)| {
                    message.replace(from, to)
                });
            say(format_args!("error[{}]: {message}", Code::Usage.as_str()));
            if !more.is_empty() {
                say("  help: for more information, try --help");
            }
        }
        // Help and version. Coloured on a terminal, so printed by clap.
        _ => {
            let written = error.print().and_then(|()| io::stdout().flush());
            if let (false, Err(error)) = (error.use_stderr(), printed(written)) {
                return report(&error.into());
            }
        }
    }
    ExitCode::from(error.exit_code() as u8)
}

/// Prints an error and gives its exit code.
pub(crate) fn report(error: &anyhow::Error) -> ExitCode {
    if let Some(error) = error.downcast_ref::<Error>() {
        say(format_args!(
            "error[{}]: {}",
            error.code().as_str(),
            printable(error.message())
        ));
        if let Some(advice) = error.advice() {
            say(format_args!(
                "  help: {}",
                printable(&advice::worded(advice))
            ));
        }
        return ExitCode::from(error.code().exit_code());
    }
    say(error);
    match error.downcast_ref::<Failure>() {
        Some(Failure::Gate(_)) => ExitCode::from(4),
        _ => ExitCode::from(1),
    }
}

/// Text on one line, cut to a width, the cut shown by dots.
pub(crate) fn clip(text: &str, width: usize) -> String {
    let text = printable(text);
    if text.chars().count() <= width {
        return text.into_owned();
    }
    text.chars().take(width - 1).chain(['…']).collect()
}

/// A figure, or a dash if it is not defined.
pub(crate) fn figure_or_dash(value: Option<f64>) -> String {
    value.map_or_else(|| "-".into(), figure)
}

/// A bar of `share` of `width` characters.
pub(crate) fn bar(share: f64, width: usize) -> String {
    let eighths = (share.clamp(0.0, 1.0) * width as f64 * 8.0).round() as usize;
    let mut bar = "█".repeat(eighths / 8);
    bar.extend(['▏', '▎', '▍', '▌', '▋', '▊', '▉'].get((eighths % 8).wrapping_sub(1)));
    bar
}

/// Lines of cells as aligned columns; numbers to the right.
pub(crate) struct Grid {
    header: Vec<&'static str>,
    lines: Vec<Vec<String>>,
}

impl Grid {
    pub(crate) fn new(header: &[&'static str]) -> Self {
        Self {
            header: header.to_vec(),
            lines: Vec::new(),
        }
    }

    pub(crate) fn line(&mut self, cells: Vec<String>) {
        debug_assert_eq!(cells.len(), self.header.len());
        // A name may hold the end of a line; a cell does not.
        let cells = cells.into_iter().map(|cell| printable(&cell).into_owned());
        self.lines.push(cells.collect());
    }
}

impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = |i: usize| {
            let cells = self.lines.iter().map(|line| line[i].chars().count());
            cells.chain([self.header[i].len()]).max().unwrap_or(0)
        };
        let numeric = |i: usize| {
            // A dash stands for a number that there is not.
            let number = |text: &str| {
                // Figures that are bounds, `< 0.001`, are numbers too.
                let bound = text.strip_prefix("< ").or_else(|| text.strip_prefix("> "));
                let text = bound.unwrap_or(text);
                let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
                text == "-" || unsigned.starts_with(|c: char| c.is_ascii_digit())
            };
            !self.lines.is_empty() && self.lines.iter().all(|line| number(&line[i]))
        };
        let columns: Vec<(usize, bool)> = (0..self.header.len())
            .map(|i| (width(i), numeric(i)))
            .collect();
        let mut write_line = |cells: &mut dyn Iterator<Item = &str>| -> fmt::Result {
            let mut text = String::new();
            for (cell, &(width, right)) in cells.zip(&columns) {
                let padding = " ".repeat(width - cell.chars().count());
                let (before, after) = if right {
                    (&*padding, "")
                } else {
                    ("", &*padding)
                };
                text.push_str(&format!("  {before}{cell}{after}"));
            }
            writeln!(f, "{}", text.trim_end())
        };
        write_line(&mut self.header.iter().copied())?;
        for line in &self.lines {
            write_line(&mut line.iter().map(String::as_str))?;
        }
        Ok(())
    }
}
