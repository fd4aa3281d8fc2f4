//! Keys of tables as people give them: which columns they concern, and those that nobody gave.

use super::assemble::{Reference, TableKind, TableSpec};
use super::path::owner;
use crate::columns::{Column, ColumnData};
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
/// and returns which. The names of the columns are given by data path; where several could be the key,
/// `is_unique` is asked if a column names every row of the table at a data path, as [`is_key`] tells.
///
/// ```
/// use fnb::relational::{TableKind, TableSpec, guess_keys};
/// let names = |names: &[&str]| names.iter().map(|name| String::from(*name)).collect();
/// let columns = [
///     (String::new(), names(&["city", "customer"])),
///     ("orders".into(), names(&["day", "customer"])),
/// ];
/// let orders = TableSpec { path: "orders".into(), kind: TableKind::Many, key: vec![] };
/// let mut specs = [orders];
/// let guessed = guess_keys(&[], &mut specs, &columns.into(), |_, _| Ok::<_, fnb::Error>(true))?;
/// assert_eq!((guessed, &specs[0].key[..]), (vec![0], &["customer".to_owned()][..]));
/// # Ok::<(), fnb::Error>(())
/// ```
pub fn guess_keys<E>(
    key: &[String],
    specs: &mut [TableSpec],
    columns: &BTreeMap<String, Vec<String>>,
    mut is_unique: impl FnMut(&str, &str) -> Result<bool, E>,
) -> Result<Vec<usize>, E> {
    let mut guessed = Vec::new();
    for i in 0..specs.len() {
        let (path, owner) = (&specs[i].path, owner(&specs[i].path));
        let (Some(records), Some(owners)) = (columns.get(path), columns.get(owner)) else {
            continue;
        };
        if !specs[i].key.is_empty() {
            continue;
        }
        let shared = records.iter().filter(|name| owners.contains(name));
        let shared: Vec<String> = shared.cloned().collect();
        let known = specs.iter().find(|spec| spec.path == owner);
        let guess = match known.map_or(key, |spec| &spec.key) {
            [] => first_unique(shared, |name| is_unique(owner, name))?,
            known => completed(known, shared),
        };
        if !guess.is_empty() {
            specs[i].key = guess;
            guessed.push(i);
        }
    }
    Ok(guessed)
}

/// Among the columns that a table shares with its owner, the first that names every row of the owner;
/// all if none does.
fn first_unique<E>(
    shared: Vec<String>,
    mut is_unique: impl FnMut(&str) -> Result<bool, E>,
) -> Result<Vec<String>, E> {
    if shared.len() > 1 {
        for name in &shared {
            if is_unique(name)? {
                return Ok(vec![name.clone()]);
            }
        }
    }
    Ok(shared)
}

/// The owner of records of records has a key already: the next column that both have completes it.
fn completed(key: &[String], shared: Vec<String>) -> Vec<String> {
    if !key.iter().all(|name| shared.contains(name)) {
        return shared;
    }
    let next = shared.iter().find(|name| !key.contains(name));
    key.iter().chain(next).cloned().collect()
}

/// Does a column name every row?
///
/// ```
/// use fnb::columns::{Column, ColumnData};
/// let data = ColumnData::Categorical([Some("a"), Some("b"), Some("a")].into_iter().collect());
/// assert!(!fnb::relational::is_key(&Column { name: "id".into(), data }));
/// ```
pub fn is_key(column: &Column) -> bool {
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
