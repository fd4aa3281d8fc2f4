//! Keys of tables as people give them: which columns they concern.

use super::assemble::{Reference, TableKind, TableSpec};
use super::path::owner;
use std::collections::BTreeMap;

/// By data path, the columns that are keys or hold keys, given the key of the main table and the other
/// tables: they are to be read as they are written, whatever they look like. Owners have the key
/// columns of what they own, all the way up to the main table or to a look-up table, as far as these
/// have columns of that name.
///
/// ```
/// use fnb::relational::{TableKind, TableSpec, key_columns};
/// let items = TableSpec {
///     path: "orders/items".into(),
///     kind: TableKind::Many,
///     key: vec!["customer".into(), "order".into()],
/// };
/// let columns = key_columns(&[], &[items]);
/// assert_eq!(columns[""], ["customer", "order"]);
/// assert_eq!(columns["orders"], columns[""]);
/// ```
pub fn key_columns(key: &[String], specs: &[TableSpec]) -> BTreeMap<String, Vec<String>> {
    let mut columns = BTreeMap::from([(String::new(), key.to_vec())]);
    for spec in specs {
        let mut add = |path: &str, names: &[String]| {
            let known: &mut Vec<String> = columns.entry(path.to_owned()).or_default();
            known.extend(names.iter().cloned());
        };
        add(&spec.path, &spec.key);
        if let TableKind::LookUp(references) = &spec.kind {
            for Reference { path, by } in references {
                add(path, by);
            }
            continue;
        }
        let mut path = owner(&spec.path);
        while !path.is_empty() {
            add(path, &spec.key);
            path = owner(path);
        }
        if !spec.path.starts_with('/') {
            add("", &spec.key);
        }
    }
    columns
}
