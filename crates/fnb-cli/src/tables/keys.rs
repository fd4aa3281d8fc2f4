//! Keys that nobody gave: columns of the same name that tell rows apart.

use fnb::columns::{Column, ColumnData, Frame};
use std::collections::HashSet;

/// The columns of a table that probably hold the key of the rows that own its records, among those that
/// the owner has too: the first one that names no row of the owner twice. The owner of records of
/// records has a key already: the next column that both have completes it.
pub(crate) fn guess_key(owner: &Frame, owner_key: &[String], records: &Frame) -> Vec<String> {
    let names = |column: &Column| column.name.clone();
    let shared: Vec<String> = records.columns().iter().map(names).collect();
    let shared: Vec<String> = shared
        .into_iter()
        .filter(|name| owner.position(name).is_some())
        .collect();
    if !owner_key.is_empty() {
        let has_all = owner_key.iter().all(|name| shared.contains(name));
        let next = shared.iter().find(|name| !owner_key.contains(name));
        return if has_all {
            owner_key.iter().chain(next).cloned().collect()
        } else {
            shared
        };
    }
    let unique = shared.iter().find(|name| is_unique(owner, name));
    unique.map_or(shared.clone(), |name| vec![name.clone()])
}

/// Does a column name every row?
fn is_unique(frame: &Frame, name: &str) -> bool {
    let Some(column) = frame.column(name) else {
        return false;
    };
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
