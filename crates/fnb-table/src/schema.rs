//! The schema file: types as detected, to edit and to give back.

use crate::info::TableInfo;
use crate::options::{Expected, type_words};
use fnb::columns::{ColumnType, Role};
use fnb::{Advice, Code, Error, Result};
use serde::{Deserialize, Serialize};

/// A column of a schema file.
///
/// A column that is kept out has the role `ignored`; the type `ignore`, which is quickly typed, means the
/// same.
///
/// ```
/// use fnb::columns::Role;
/// use fnb_table::TableSchema;
/// let schema = TableSchema::parse(r#"{"columns": [{"name": "id", "type": "ignore"}]}"#)?;
/// assert_eq!((schema.columns[0].ty, schema.columns[0].role), (None, Role::Ignored));
/// # Ok::<(), fnb::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Written")]
pub struct SchemaColumn {
    /// The name, exactly as in the data.
    pub name: String,
    /// The type; absent if the column is not read.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub ty: Option<ColumnType>,
    /// What is done with it, if it is no input.
    #[serde(skip_serializing_if = "Role::is_input")]
    pub role: Role,
}

/// A column as people may write it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a column: its name and type")]
struct Written {
    name: String,
    #[serde(rename = "type")]
    ty: Option<String>,
    #[serde(default)]
    role: Role,
}

impl TryFrom<Written> for SchemaColumn {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        let Written { name, ty, role } = written;
        let of_column = |message: String| format!("column {name:?}: {message}");
        let said = match (ty, role) {
            (Some(word), Role::Input) => Expected::in_a_word(&name, &word).map_err(of_column)?,
            (None, Role::Input) => {
                return Err(of_column(format!("its type is missing: {}", type_words())));
            }
            (_, Role::Ignored) => Expected::ignored(&name),
            (_, role) => {
                let message = format!("its role {:?} is none of one table", role.as_str());
                return Err(of_column(message));
            }
        };
        Ok(Self {
            name,
            ty: said.ty,
            role: said.role,
        })
    }
}

/// Types of columns, and how text files are written. Columns that are absent from the schema are
/// detected as usual.
///
/// ```
/// use fnb_table::TableSchema;
/// let schema = TableSchema::parse(r#"{"columns": [{"name": "zip", "type": "categorical"}]}"#)?;
/// assert_eq!(schema.columns[0].name, "zip");
/// # Ok::<(), fnb::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with a list of columns")]
pub struct TableSchema {
    /// The columns.
    pub columns: Vec<SchemaColumn>,
    /// The separator of text files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub separator: Option<char>,
    /// Do text files have a header?
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<bool>,
}

impl TableSchema {
    /// The schema of a table as it was read.
    pub fn from_info(info: &TableInfo) -> Self {
        let columns = info.columns.iter().map(|column| SchemaColumn {
            name: column.name.clone(),
            ty: column.ty.filter(|_| column.role.is_input()),
            role: if column.role.is_input() {
                Role::Input
            } else {
                Role::Ignored
            },
        });
        Self {
            columns: columns.collect(),
            separator: info.separator.map(char::from),
            header: info.separator.map(|_| info.header),
        }
    }

    /// What it says of columns.
    pub(crate) fn expected(&self) -> impl Iterator<Item = Expected> {
        let columns = self.columns.iter();
        columns.map(|column| Expected::in_schema(&column.name, column.ty, column.role))
    }

    /// Reads a schema from JSON.
    pub fn parse(json: &str) -> Result<Self> {
        let invalid = |message: String| {
            Error::new(Code::InvalidSchema, format!("invalid schema: {message}"))
                .help(Advice::WriteSchema { several: false })
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
