//! One error type with stable codes: what went wrong, where, and what to do next.

use crate::Advice;
use std::fmt;

/// A stable code, printed as `error[D05]`, that scripts and documentation can rely on.
///
/// `D` codes are about data, `M` codes about model files, `O` codes about outputs, `U` codes
/// about options, `S` codes about the system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Code {
    /// D01: a file does not exist or cannot be opened.
    FileNotFound,
    /// D02: a directory or pattern holds no data file.
    NoDataFile,
    /// D03: a file is empty.
    EmptyFile,
    /// D04: a file has a header but no row.
    NoRows,
    /// D05: a row does not have as many fields as the header.
    RaggedRow,
    /// D06: the text is not valid UTF-8.
    InvalidUtf8,
    /// D07: a field is not a number although its column must be one.
    NotANumber,
    /// D08: the text holds NUL bytes.
    NulByte,
    /// D09: two columns have the same name.
    DuplicateColumn,
    /// D10: a column that was named does not exist.
    UnknownColumn,
    /// D11: the target has too many classes.
    TooManyClasses,
    /// D12: a column that the model needs is absent.
    MissingColumn,
    /// D13: a file is damaged or not of the announced format.
    UnreadableFile,
    /// D14: a column has a type that cannot be used.
    UnsupportedType,
    /// D15: several files of one table do not have the same columns.
    FilesDiffer,
    /// D16: a number is too large to be represented.
    NumberOutOfRange,
    /// D17: an assignment of rows to folds is invalid.
    InvalidFolds,
    /// D18: a schema file is invalid.
    InvalidSchema,
    /// D19: the data cannot be used as asked (too few rows, no such row, ...).
    UnusableData,
    /// D20: no key of a table is one of the table it belongs to.
    NoKeyMatches,
    /// M01: the file is not a model.
    NotAModel,
    /// M02: the model was written in a format this version cannot read.
    ModelVersion,
    /// M03: the content does not match its checksum.
    ModelChecksum,
    /// M04: the content of the model is inconsistent.
    ModelContent,
    /// M05: the model does not give back the probabilities of its self test.
    ModelSelfTest,
    /// M06: the model file is larger or deeper than any sound model.
    ModelLimits,
    /// O01: an output cannot be written.
    Output,
    /// U01: an option has an invalid value, or an output is an input.
    Usage,
    /// S01: the work needs more memory than there is.
    OutOfMemory,
    /// I01: a bug in this program.
    Internal,
    /// I02: the caller ended the work before it was done.
    Interrupted,
}

impl Code {
    /// The code as printed, for instance `D05`.
    pub fn as_str(self) -> &'static str {
        match self {
            Code::FileNotFound => "D01",
            Code::NoDataFile => "D02",
            Code::EmptyFile => "D03",
            Code::NoRows => "D04",
            Code::RaggedRow => "D05",
            Code::InvalidUtf8 => "D06",
            Code::NotANumber => "D07",
            Code::NulByte => "D08",
            Code::DuplicateColumn => "D09",
            Code::UnknownColumn => "D10",
            Code::TooManyClasses => "D11",
            Code::MissingColumn => "D12",
            Code::UnreadableFile => "D13",
            Code::UnsupportedType => "D14",
            Code::FilesDiffer => "D15",
            Code::NumberOutOfRange => "D16",
            Code::InvalidFolds => "D17",
            Code::InvalidSchema => "D18",
            Code::UnusableData => "D19",
            Code::NoKeyMatches => "D20",
            Code::NotAModel => "M01",
            Code::ModelVersion => "M02",
            Code::ModelChecksum => "M03",
            Code::ModelContent => "M04",
            Code::ModelSelfTest => "M05",
            Code::ModelLimits => "M06",
            Code::Output => "O01",
            Code::Usage => "U01",
            Code::OutOfMemory => "S01",
            Code::Internal => "I01",
            Code::Interrupted => "I02",
        }
    }

    /// The exit code of a program that ends with this error: 1 for a bug, 2 for a wrong option,
    /// 3 for data, models, outputs and memory, 130 for an interruption.
    pub fn exit_code(self) -> u8 {
        match self {
            Code::Internal => 1,
            Code::Usage => 2,
            Code::Interrupted => 130,
            _ => 3,
        }
    }
}

/// What went wrong, with its code, and what the user can do about it.
///
/// ```
/// use fnb::{Code, Error};
/// let error = Error::new(Code::EmptyFile, "customers.csv is empty").help("check the export");
/// assert_eq!(
///     error.to_string(),
///     "error[D03]: customers.csv is empty\n  help: check the export"
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Error {
    code: Code,
    message: String,
    advice: Option<Advice>,
}

impl Error {
    /// An error without advice.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            advice: None,
        }
    }

    /// The same error with the next step to take: a text, or [`Advice`] that names something to set.
    #[must_use]
    pub fn help(mut self, advice: impl Into<Advice>) -> Self {
        self.advice = Some(advice.into());
        self
    }

    /// The same error, its message preceded by a place such as a file name.
    #[must_use]
    pub fn at(mut self, place: impl fmt::Display) -> Self {
        self.message = format!("{place}: {}", self.message);
        self
    }

    /// The stable code.
    pub fn code(&self) -> Code {
        self.code
    }

    /// The message, without code and advice.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The next step to take, if there is one.
    pub fn advice(&self) -> Option<&Advice> {
        self.advice.as_ref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error[{}]: {}", self.code.as_str(), self.message)?;
        match &self.advice {
            Some(advice) => write!(f, "\n  help: {advice}"),
            None => Ok(()),
        }
    }
}

/// Result of everything that can fail in this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;
