//! What the caller may say about the data.

use crate::schema::Schema;
use fnb::columns::Temporal;

/// The type that a user or a model gives to a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    /// Numbers; anything else is missing.
    Numerical,
    /// Categories, even if they look like numbers.
    Categorical,
    /// Dates, times of day or timestamps; anything else is missing.
    Temporal {
        /// Which of them.
        kind: Temporal,
        /// Does the month come before the day where the year is last? Found out if it is not said.
        month_first: Option<bool>,
    },
    /// Long text.
    Text,
    /// Kept out of the analysis.
    Ignored,
}

/// A column that a model needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected {
    /// Its name.
    pub name: String,
    /// Its type in the model.
    pub ty: ColumnType,
    /// Is its absence an error (D12)? Otherwise the frame is without it.
    pub required: bool,
    /// Is a field that is not a number an error (D07)? Otherwise it is missing.
    pub must_parse: bool,
}

/// How to read a table; everything is detected by default.
///
/// Names are matched exactly first; a name that is no column may be a pattern with `*` and `?`. A
/// name or pattern without any column is an error (D10) that suggests the nearest name.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// The separator of text files.
    pub separator: Option<u8>,
    /// Is the first line of text files a header?
    pub header: Option<bool>,
    /// Texts that mean missing, besides the empty field.
    pub na: Vec<String>,
    /// Types by name or pattern; later entries win.
    pub types: Vec<(String, ColumnType)>,
    /// Columns that are not read at all.
    pub drop: Vec<String>,
    /// Types from a schema file, applied before `types`.
    pub schema: Option<Schema>,
    /// Columns that are categories whatever they look like: the target. Wins over all the above.
    pub categorical: Vec<String>,
    /// Columns that are categories, exactly as they are written, if there are columns of that name:
    /// keys. Wins over types.
    pub keys: Vec<String>,
    /// For scoring: read just these columns, in this order, instead of all.
    pub only: Option<Vec<Expected>>,
    /// Is a table without rows a table? Otherwise it is an error (D04).
    pub may_be_empty: bool,
    /// Columns that [`batches`](crate::batches) hands over verbatim besides the frame.
    pub keep: Vec<String>,
}
