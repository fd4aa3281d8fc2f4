//! Keys of tables as people give them: which columns they concern, and those that nobody gave.

use super::assemble::{Reference, TableKind, TableSpec};
use super::path::owner;
use crate::columns::{Column, ColumnData, Frame};
use hashbrown::HashSet;
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

/// Gives a key to the tables that have none, where it can be guessed from columns of the same name,
/// and returns which. Owners come before what they own.
///
/// ```
/// use fnb::columns::{Column, ColumnData, Frame};
/// use fnb::relational::{TableKind, TableSpec, guess_keys};
/// let frame = |names: &[&str]| {
///     let column = |name: &&str| Column {
///         name: (*name).into(),
///         data: ColumnData::Categorical([Some("1")].into_iter().collect()),
///     };
///     Frame::new(1, names.iter().map(column).collect())
/// };
/// let frames = [
///     (String::new(), frame(&["city", "customer"])?),
///     ("orders".into(), frame(&["day", "customer"])?),
/// ];
/// let orders = TableSpec { path: "orders".into(), kind: TableKind::Many, key: vec![] };
/// let mut specs = [orders];
/// assert_eq!(guess_keys(&[], &mut specs, &frames.into()), [0]);
/// assert_eq!(specs[0].key, ["customer"]);
/// # Ok::<(), fnb::Error>(())
/// ```
pub fn guess_keys(
    key: &[String],
    specs: &mut [TableSpec],
    frames: &BTreeMap<String, Frame>,
) -> Vec<usize> {
    let mut guessed = Vec::new();
    for i in 0..specs.len() {
        if !specs[i].key.is_empty() {
            continue;
        }
        let (path, owner) = (&specs[i].path, owner(&specs[i].path));
        let (Some(records), Some(owners)) = (frames.get(path), frames.get(owner)) else {
            continue;
        };
        let known = specs.iter().find(|spec| spec.path == owner);
        let guess = guess_key(owners, known.map_or(key, |spec| &spec.key), records);
        if !guess.is_empty() {
            specs[i].key = guess;
            guessed.push(i);
        }
    }
    guessed
}

/// The columns of a table that probably hold the key of the rows that own its records, among those that
/// the owner has too: the first one that names no row of the owner twice. The owner of records of
/// records has a key already: the next column that both have completes it.
fn guess_key(owner: &Frame, owner_key: &[String], records: &Frame) -> Vec<String> {
    let names = records.columns().iter().map(|column| &column.name);
    let shared = names.filter(|name| owner.position(name).is_some());
    let shared: Vec<String> = shared.cloned().collect();
    if !owner_key.is_empty() {
        let has_all = owner_key.iter().all(|name| shared.contains(name));
        let next = shared.iter().find(|name| !owner_key.contains(name));
        return if has_all {
            owner_key.iter().chain(next).cloned().collect()
        } else {
            shared
        };
    }
    let is_key = |name: &&String| owner.column(name).is_some_and(is_unique);
    match shared.iter().find(is_key) {
        Some(name) => vec![name.clone()],
        None => shared,
    }
}

/// Does a column name every row?
fn is_unique(column: &Column) -> bool {
    match &column.data {
        ColumnData::Categorical(column) => {
            let codes: HashSet<u32> = column.codes().iter().copied().collect();
            codes.len() == column.len() && column.values().missing().is_none()
        }
        ColumnData::Numeric(column) => {
            let values: HashSet<u64> = column.values().iter().map(|v| v.to_bits()).collect();
            values.len() == column.len() && column.missing() == 0
        }
        _ => false,
    }
}
