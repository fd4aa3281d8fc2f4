//! What was found in the files.

use crate::plan::Plan;
use fnb::Advice;
use fnb::columns::{CategoricalColumn, ColumnData, ColumnType, Frame, Role, TemporalColumn};
use std::fmt;

/// The family of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Separated fields.
    Text,
    /// Apache Parquet.
    Parquet,
    /// Arrow record batches: IPC files, IPC streams, or batches in memory.
    Arrow,
}

impl Format {
    /// The name as printed.
    pub fn as_str(self) -> &'static str {
        match self {
            Format::Text => "text",
            Format::Parquet => "Parquet",
            Format::Arrow => "Arrow",
        }
    }
}

/// What was found in a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnInfo {
    /// The name, exactly as in the file.
    pub name: String,
    /// The type, given or detected; `None` if its fields were not looked at.
    pub ty: Option<ColumnType>,
    /// What is done with it.
    pub role: Role,
    /// Was the type given by the caller?
    pub forced: bool,
    /// Number of missing values; unknown for columns whose fields were not looked at.
    pub missing: Option<usize>,
    /// Why the column is not used.
    pub note: Option<String>,
}

/// What the user should know of the data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// What was found, and what was made of it.
    pub message: String,
    /// What to do if that is wrong; it ends the sentence.
    pub advice: Option<Advice>,
}

impl Warning {
    /// The whole sentence, its advice in the words of a front end.
    ///
    /// ```
    /// use fnb_table::Warning;
    /// let warning = Warning::from("column 1 has no name".to_owned());
    /// assert_eq!(warning.worded(ToString::to_string), "column 1 has no name");
    /// ```
    pub fn worded(&self, word: impl Fn(&Advice) -> String) -> String {
        match &self.advice {
            Some(advice) => format!("{}, {}", self.message, word(advice)),
            None => self.message.clone(),
        }
    }
}

impl From<String> for Warning {
    fn from(message: String) -> Self {
        let advice = None;
        Self { message, advice }
    }
}

impl ColumnInfo {
    /// What it is, in a word: its type, or its role if it is no input.
    pub fn word(&self) -> &'static str {
        self.role.or_type(self.ty)
    }
}

/// What was found in the files of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableInfo {
    /// The files, in the order of their rows.
    pub files: Vec<String>,
    /// Their format.
    pub format: Format,
    /// The separator of text files.
    pub separator: Option<u8>,
    /// Are quoted fields understood? Otherwise a quote is an ordinary character.
    pub quoting: bool,
    /// Do the files name their columns?
    pub header: bool,
    /// The encoding of text files.
    pub encoding: Option<&'static str>,
    /// Number of rows.
    pub rows: usize,
    /// The columns of the frame, in its order.
    pub columns: Vec<ColumnInfo>,
    /// Columns that were left out because they hold the index of a pandas frame.
    pub index: Vec<String>,
    /// What the user should know.
    pub warnings: Vec<Warning>,
}

impl TableInfo {
    pub(crate) fn new(files: Vec<String>, format: Format, plan: &Plan) -> Self {
        Self {
            files,
            format,
            separator: None,
            quoting: false,
            header: true,
            encoding: None,
            rows: 0,
            columns: Vec::new(),
            index: plan.left_out.clone(),
            warnings: Vec::new(),
        }
    }

    /// Describes the columns of a finished frame, in its order.
    pub(crate) fn describe(&mut self, frame: &Frame, details: impl Iterator<Item = Detail>) {
        self.rows = frame.rows();
        let columns = frame.columns().iter().zip(details).map(|(column, detail)| {
            let absent = match &column.data {
                ColumnData::Numeric(c) => Some(c.missing()),
                ColumnData::Categorical(c) | ColumnData::Text(c) => Some(missing(c)),
                ColumnData::Temporal(c) => Some(missing_moments(c)),
                // No file is read into a sparse column.
                ColumnData::Sparse(_) | ColumnData::Unused(_) => None,
            };
            let (ty, role) = (column.data.column_type(), column.data.role());
            detail.describe(column.name.clone(), ty, role, absent)
        });
        self.columns = columns.collect();
    }
}

/// Number of missing values.
pub(crate) fn missing(column: &CategoricalColumn) -> usize {
    let Some(missing) = column.values().missing() else {
        return 0;
    };
    column
        .codes()
        .iter()
        .filter(|&&code| code == missing)
        .count()
}

fn missing_moments(column: &TemporalColumn) -> usize {
    let missing = |&&value: &&i64| value == TemporalColumn::MISSING;
    column.values().iter().filter(missing).count()
}

/// What a reader knows of a column besides its data.
#[derive(Debug, Clone, Default)]
pub(crate) struct Detail {
    pub(crate) forced: bool,
    pub(crate) note: Option<String>,
}

impl Detail {
    /// A column of which this is known.
    pub(crate) fn describe(
        self,
        name: String,
        ty: Option<ColumnType>,
        role: Role,
        missing: Option<usize>,
    ) -> ColumnInfo {
        let note = match (ty, self.note) {
            (None, Some(note)) => Some(note),
            _ if role == Role::Ignored => Some("ignored as asked".to_owned()),
            _ => None,
        };
        ColumnInfo {
            name,
            ty,
            role,
            forced: self.forced,
            missing,
            note,
        }
    }
}

/// One line: `tab separated text, header, UTF-8`.
impl fmt::Display for TableInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.files.len() > 1 {
            write!(f, "{} files, ", self.files.len())?;
        }
        match self.separator {
            Some(b'\t') => write!(f, "tab separated ")?,
            Some(b',') => write!(f, "comma separated ")?,
            Some(b';') => write!(f, "semicolon separated ")?,
            Some(b' ') => write!(f, "blank separated ")?,
            Some(other) => write!(f, "{} separated ", char::from(other))?,
            None => {}
        }
        write!(f, "{}", self.format.as_str())?;
        if self.quoting {
            write!(f, " with quotes")?;
        }
        if self.format == Format::Text {
            write!(f, ", {}", if self.header { "header" } else { "no header" })?;
        }
        match self.encoding {
            Some(encoding) => write!(f, ", {encoding}"),
            None => Ok(()),
        }
    }
}
