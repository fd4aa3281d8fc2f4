//! The columns of a source: their names, and which of them are the index of a pandas frame.

use arrow::datatypes::Schema;
use serde::Deserialize;
use serde_json::Value;

/// The columns of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) names: Vec<String>,
    /// What pandas tells of the frame that it wrote. Looked at when it matters: scoring knows what it
    /// wants.
    pandas: Option<String>,
}

/// What pandas tells of a frame that it wrote, as far as it matters. An index that counts from 0 is an
/// object, and no column.
#[derive(Deserialize)]
struct Pandas {
    #[serde(default)]
    index_columns: Vec<Value>,
}

impl From<Vec<String>> for Header {
    fn from(names: Vec<String>) -> Self {
        let pandas = None;
        Self { names, pandas }
    }
}

impl From<&Schema> for Header {
    fn from(schema: &Schema) -> Self {
        let names = schema.fields().iter().map(|field| field.name().clone());
        Self {
            names: names.collect(),
            pandas: schema.metadata().get("pandas").cloned(),
        }
    }
}

impl Header {
    /// The columns that pandas wrote for the index of a frame: they number or name rows, and are left out
    /// unless they are asked for by name.
    pub(crate) fn index(&self) -> Vec<String> {
        // Metadata that cannot be read tell nothing.
        let pandas = self.pandas.as_ref();
        let pandas = pandas.and_then(|json| serde_json::from_str::<Pandas>(json).ok());
        let listed = pandas.map_or_else(Vec::new, |pandas| pandas.index_columns);
        let is_listed = |name: &str| listed.iter().any(|column| column.as_str() == Some(name));
        let names = self.names.iter();
        let index = names.filter(|name| is_nameless_index(name) || is_listed(name));
        index.cloned().collect()
    }
}

/// Is it the name that an index without a name gets, `__index_level_0__`?
pub(crate) fn is_nameless_index(name: &str) -> bool {
    let level = name.strip_prefix("__index_level_");
    let level = level.and_then(|rest| rest.strip_suffix("__"));
    level.is_some_and(|level| !level.is_empty() && level.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::datatypes::{DataType, Field};

    fn index(names: &[&str], pandas: &str) -> Vec<String> {
        let fields = names
            .iter()
            .map(|name| Field::new(*name, DataType::Int64, true));
        let schema = Schema::new(fields.collect::<Vec<_>>());
        let metadata = [("pandas".to_owned(), pandas.to_owned())];
        Header::from(&schema.with_metadata(metadata.into())).index()
    }

    #[test]
    fn what_pandas_writes() {
        let range = r#"{"index_columns": [{"kind": "range", "start": 0, "stop": 3, "step": 1}]}"#;
        assert_eq!(index(&["x"], range), [""; 0]);
        let nameless = r#"{"index_columns": ["__index_level_0__"], "columns": []}"#;
        assert_eq!(
            index(&["x", "__index_level_0__"], nameless),
            ["__index_level_0__"]
        );
        let two = r#"{"index_columns": ["shop", "day", "gone"]}"#;
        assert_eq!(index(&["x", "day", "shop"], two), ["day", "shop"]);
        // Other programs may have kept the column and lost what pandas says of it.
        for pandas in ["", "{}", "[", r#"{"index_columns": 3}"#] {
            assert_eq!(
                index(&["__index_level_1__", "x"], pandas),
                ["__index_level_1__"]
            );
        }
        assert_eq!(
            index(&["__index_level__", "__index_level_a__"], "{}"),
            [""; 0]
        );
    }
}
