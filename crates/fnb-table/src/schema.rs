//! The schema file: types as detected, to edit and to give back.

use crate::info::{ColumnKind, TableInfo};
use crate::options::ColumnType;
use fnb::columns::{Temporal, Unused};
use fnb::{Code, Error, Result};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The type of a column in a schema file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SchemaType {
    /// Numbers.
    Numerical,
    /// Categories.
    Categorical,
    /// Dates.
    Date,
    /// Times of day.
    Time,
    /// Dates with a time of day.
    Timestamp,
    /// The same with a zone.
    TimestampTz,
    /// Long text.
    Text,
    /// Kept out of the analysis.
    Ignore,
}

impl From<ColumnKind> for SchemaType {
    fn from(kind: ColumnKind) -> Self {
        match kind {
            ColumnKind::Numerical => SchemaType::Numerical,
            ColumnKind::Categorical => SchemaType::Categorical,
            ColumnKind::Unused(Unused::Date) => SchemaType::Date,
            ColumnKind::Unused(Unused::Time) => SchemaType::Time,
            ColumnKind::Unused(Unused::Timestamp) => SchemaType::Timestamp,
            ColumnKind::Unused(Unused::Zoned) => SchemaType::TimestampTz,
            ColumnKind::Unused(Unused::Text) => SchemaType::Text,
            ColumnKind::Unused(Unused::Key | Unused::Ignored) => SchemaType::Ignore,
        }
    }
}

impl From<SchemaType> for ColumnType {
    fn from(ty: SchemaType) -> Self {
        let temporal = |kind| Self::Temporal {
            kind,
            month_first: None,
        };
        match ty {
            SchemaType::Numerical => Self::Numerical,
            SchemaType::Categorical => Self::Categorical,
            SchemaType::Date => temporal(Temporal::Date),
            SchemaType::Time => temporal(Temporal::Time),
            SchemaType::Timestamp => temporal(Temporal::Timestamp),
            SchemaType::TimestampTz => temporal(Temporal::Zoned),
            SchemaType::Text => Self::Text,
            SchemaType::Ignore => Self::Ignored,
        }
    }
}

/// A column of a schema file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SchemaColumn {
    /// The name, exactly as in the data.
    pub name: String,
    /// The type.
    #[serde(rename = "type")]
    pub ty: SchemaType,
}

/// Types of columns, and how text files are written. Columns that are absent from the schema are
/// detected as usual.
///
/// ```
/// use fnb_table::Schema;
/// let schema = Schema::parse(r#"{"columns": [{"name": "zip", "type": "categorical"}]}"#)?;
/// assert_eq!(schema.columns[0].name, "zip");
/// # Ok::<(), fnb::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schema {
    /// The columns.
    pub columns: Vec<SchemaColumn>,
    /// The separator of text files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub separator: Option<char>,
    /// Do text files have a header?
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<bool>,
}

impl Schema {
    /// The schema of a table as it was read.
    pub fn from_info(info: &TableInfo) -> Self {
        let columns = info.columns.iter().map(|column| SchemaColumn {
            name: column.name.clone(),
            ty: column.kind.into(),
        });
        Self {
            columns: columns.collect(),
            separator: info.separator.map(char::from),
            header: info.separator.map(|_| info.header),
        }
    }

    /// Reads a schema file.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|e| {
            let code = match e.kind() {
                std::io::ErrorKind::InvalidData => Code::InvalidSchema,
                _ => Code::FileNotFound,
            };
            Error::new(
                code,
                format!("cannot read the schema {}: {e}", path.display()),
            )
            .help("write one with: fnb schema DATA -o schema.json")
        })?;
        Self::parse(&text).map_err(|e| e.at(path.display()))
    }

    /// Reads a schema from JSON.
    pub fn parse(json: &str) -> Result<Self> {
        let invalid = |message: String| {
            Error::new(Code::InvalidSchema, format!("invalid schema: {message}"))
                .help("write a valid one with: fnb schema DATA -o schema.json")
        };
        // The message of the parser ends with the line and the column.
        let schema: Self = serde_json::from_str(json).map_err(|e| invalid(e.to_string()))?;
        if let Some(separator) = schema.separator.filter(|c| !c.is_ascii() || *c == '\n') {
            return Err(invalid(format!("{separator:?} cannot be a separator")));
        }
        let mut names: Vec<&str> = schema.columns.iter().map(|c| c.name.as_str()).collect();
        names.sort_unstable();
        match names.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(invalid(format!("column {:?} is there twice", pair[0]))),
            None => Ok(schema),
        }
    }

    /// The schema as JSON, to be written to a file.
    pub fn to_json(&self) -> String {
        let mut json =
            serde_json::to_string_pretty(self).expect("a schema has no unprintable part");
        json.push('\n');
        json
    }
}
