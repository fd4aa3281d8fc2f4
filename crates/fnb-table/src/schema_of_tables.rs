//! The schema file of several tables: how they are related, and their files.

use crate::options::Expected;
use fnb::relational::{Cutoff, Entity, FieldKind, Schema};
use fnb::{Advice, Code, Error, Result};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// Tables, keys and relations, with the files of every table if they are known.
///
/// ```
/// use fnb_table::SchemaOfTables;
/// let json = r#"{"root": "Customer", "target": "churn", "entities": {"Customer": {"key": ["id"],
///     "fields": [{"name": "id", "type": "categorical"}, {"name": "churn", "type": "categorical"}]}},
///     "files": {"": "customers.csv"}}"#;
/// let file = SchemaOfTables::parse(json, std::path::Path::new("data"))?;
/// assert_eq!(file.files[""], "data/customers.csv");
/// # Ok::<(), fnb::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SchemaOfTables {
    /// The column to predict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Tables, keys and relations.
    #[serde(flatten)]
    pub schema: Schema,
    /// Which records are seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cutoff: Option<Cutoff>,
    /// The file, or pattern, of every table by data path: `""` for the root, `Orders/Items`, `/City`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
}

/// What tells such a schema from others; nothing is kept of what it holds.
#[derive(Deserialize)]
struct Parts {
    entities: Option<IgnoredAny>,
}

impl SchemaOfTables {
    /// Is a JSON text meant to be such a schema, and not that of one table?
    pub fn is_meant_by(json: &str) -> bool {
        let parts: serde_json::Result<Parts> = serde_json::from_str(json);
        parts.is_ok_and(|parts| parts.entities.is_some())
    }

    /// Reads a schema; names of files start from `folder`.
    pub fn parse(json: &str, folder: &Path) -> Result<Self> {
        let mut file: Self = serde_json::from_str(json).map_err(|e| {
            Error::new(Code::InvalidSchema, format!("invalid schema: {e}"))
                .help(Advice::WriteSchema { several: true })
        })?;
        file.schema.check()?;
        for name in file.files.values_mut() {
            *name = folder.join(&*name).display().to_string();
        }
        Ok(file)
    }

    /// The schema as JSON, to be written to a file.
    pub fn to_json(&self) -> String {
        let mut json =
            serde_json::to_string_pretty(self).expect("a schema has no unprintable part");
        json.push('\n');
        json
    }

    /// The columns of an entity, to be read with the types of the schema. Those of keys are read even
    /// if they are marked as unused: tables are joined by them.
    pub fn expected(entity: &Entity) -> Vec<Expected> {
        let keys: Vec<&str> = entity.joining_columns().collect();
        let fields = entity.fields.iter();
        let used = fields.filter(|field| !field.unused || keys.contains(&field.name.as_str()));
        let columns = used.filter_map(|field| match field.kind {
            FieldKind::Column { ty } => Some(Expected::typed(&field.name, ty)),
            FieldKind::Relation { .. } => None,
        });
        columns.collect()
    }
}
