//! A schema file, of one table or of several: opened and parsed once.

use crate::schema::TableSchema;
use crate::schema_of_tables::SchemaOfTables;
use fnb::{Advice, Code, Error, Result};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The largest schema file that is read.
const MAX_BYTES: usize = 64 << 20;

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
        let json = text(path).map_err(|e| {
            let code = match e.kind() {
                std::io::ErrorKind::InvalidData => Code::InvalidSchema,
                _ => Code::FileNotFound,
            };
            let message = format!("cannot read the schema {}: {e}", path.display());
            Error::new(code, message).help(Advice::WriteSchema { several: false })
        })?;
        if json.len() > MAX_BYTES {
            let message = format!("{} has more than {MAX_BYTES} bytes", path.display());
            return Err(Error::new(Code::InvalidSchema, message)
                .help(Advice::WriteSchema { several: false }));
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        let schema = if SchemaOfTables::is_meant_by(&json) {
            SchemaOfTables::parse(&json, folder).map(Self::Several)
        } else {
            TableSchema::parse(&json).map(Self::One)
        };
        schema.map_err(|error| error.at(path.display()))
    }
}

/// The text of a file, up to one byte more than is allowed.
fn text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    let file = File::open(path)?;
    file.take(MAX_BYTES as u64 + 1).read_to_string(&mut text)?;
    Ok(text)
}
