//! A schema file, of one table or of several: opened and parsed once.

use crate::schema::TableSchema;
use crate::schema_of_tables::SchemaOfTables;
use fnb::{Advice, Code, Error, Result};
use std::path::Path;

/// What a schema file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SchemaFile {
    /// Types of the columns of one table.
    One(TableSchema),
    /// Tables, keys, relations and files.
    Several(SchemaOfTables),
}

impl SchemaFile {
    /// Reads a schema file. The files that it names start from its folder.
    ///
    /// ```
    /// use fnb_table::SchemaFile;
    /// let path = std::env::temp_dir().join("fnb_schema_file_example.json");
    /// std::fs::write(&path, r#"{"columns": [{"name": "zip", "type": "categorical"}]}"#)?;
    /// assert!(matches!(SchemaFile::read(&path)?, SchemaFile::One(_)));
    /// # std::fs::remove_file(path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn read(path: &Path) -> Result<Self> {
        let json = std::fs::read_to_string(path).map_err(|e| {
            let code = match e.kind() {
                std::io::ErrorKind::InvalidData => Code::InvalidSchema,
                _ => Code::FileNotFound,
            };
            let message = format!("cannot read the schema {}: {e}", path.display());
            Error::new(code, message).help(Advice::WriteSchema { several: false })
        })?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let schema = if SchemaOfTables::is_meant_by(&json) {
            SchemaOfTables::parse(&json, folder).map(Self::Several)
        } else {
            TableSchema::parse(&json).map(Self::One)
        };
        schema.map_err(|error| error.at(path.display()))
    }
}
