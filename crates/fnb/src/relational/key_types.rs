//! The types of keys that are inputs too. Keys are read as they are written; one that would be a number
//! or a time if it were no key is that as an input, and joins by it.

use super::schema::Schema;
use crate::Result;
use crate::columns::{CategoricalColumn, Column, ColumnData, Frame, NumericColumn, TemporalColumn};
use hashbrown::{HashMap, HashSet};
use std::collections::BTreeMap;

/// A column of a table, given by its data path.
type Place = (String, String);

impl Schema {
    /// Gives columns that tables are joined by the type they would have otherwise, as `read` tells for
    /// columns of the table at a data path; `None` if they cannot be read again. It does so for columns
    /// that are inputs: those that refer to look-up tables, and those of the main table that do not
    /// name each row for themselves. Columns that are compared with each other have one type or stay
    /// texts, and so do the columns of the main table named in `texts`. The schema is to be assembled
    /// anew afterwards.
    pub fn give_keys_their_types<E: From<crate::Error>>(
        &self,
        texts: &[String],
        frames: &mut BTreeMap<String, Frame>,
        mut read: impl FnMut(&str, &[String]) -> Result<Option<Frame>, E>,
    ) -> Result<(), E> {
        'keys: for compared in self.compared_columns() {
            if !self.has_input(&compared, texts, frames) {
                continue;
            }
            let mut natural = Vec::with_capacity(compared.len());
            for (path, column) in &compared {
                let Some(mut frame) = read(path, std::slice::from_ref(column))? else {
                    continue 'keys;
                };
                let Some(read) = frame.remove(column) else {
                    continue 'keys;
                };
                natural.push(read.data);
            }
            let columns = compared.iter().map(|(path, column)| {
                let column = frames.get(path)?.column(column)?;
                match &column.data {
                    ColumnData::Categorical(texts) => Some(texts),
                    _ => None,
                }
            });
            let Some(columns) = columns.collect::<Option<Vec<_>>>() else {
                continue;
            };
            if let Some(natural) = of_one_type(&columns, natural) {
                for ((path, column), data) in compared.iter().zip(natural) {
                    if let Some(frame) = frames.get_mut(path) {
                        frame.replace(column, data)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The columns of keys, those that are compared with each other together.
    fn compared_columns(&self) -> Vec<Vec<Place>> {
        let paths = self.data_paths();
        let path_of = |entity: &str| {
            let mut paths = paths.iter();
            paths.find(|table| table.path.starts_with('/') && table.entity == entity)
        };
        let mut groups: Vec<Vec<Place>> = Vec::new();
        let mut join = |a: Place, b: Place| {
            let mut joined = vec![a, b];
            groups.retain_mut(|group| {
                let meets = group.iter().any(|place| joined.contains(place));
                if meets {
                    joined.append(group);
                }
                !meets
            });
            joined.sort_unstable();
            joined.dedup();
            groups.push(joined);
        };
        for table in &paths {
            let entity = self.entity(&table.entity);
            for (field, related, by) in entity.relations() {
                let there = match by {
                    Some(_) => path_of(related).map(|table| table.path.clone()),
                    None if table.path.is_empty() => Some(field.name.clone()),
                    None => Some(format!("{}/{}", table.path, field.name)),
                };
                let Some(there) = there else { continue };
                let here = by.unwrap_or(&entity.key);
                for (own, theirs) in here.iter().zip(&self.entity(related).key) {
                    join(
                        (table.path.clone(), own.clone()),
                        (there.clone(), theirs.clone()),
                    );
                }
            }
        }
        groups
    }

    /// Is one of these columns an input, and none an identifier of main rows or one that stays a text?
    fn has_input(
        &self,
        columns: &[Place],
        texts: &[String],
        frames: &BTreeMap<String, Frame>,
    ) -> bool {
        let mut found = false;
        for (path, column) in columns {
            let data = frames.get(path).and_then(|frame| frame.column(column));
            if path.is_empty() {
                if texts.contains(column) || data.is_none_or(is_key) {
                    return false;
                }
                found = true;
                continue;
            }
            let entity = self.entity_at(path).map(|name| self.entity(name));
            found |= entity.is_some_and(|entity| !entity.key.contains(column));
        }
        found
    }
}

/// Does a column name every row? Then it is an identifier.
fn is_key(column: &Column) -> bool {
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

/// Columns with the types they were found to have, if it is one type and compares as the texts do.
fn of_one_type(texts: &[&CategoricalColumn], natural: Vec<ColumnData>) -> Option<Vec<ColumnData>> {
    // A table without rows tells nothing.
    let known = texts
        .iter()
        .zip(&natural)
        .filter(|(texts, _)| !texts.is_empty());
    let known: Vec<(&&CategoricalColumn, &ColumnData)> = known.collect();
    let (_, first) = known.first()?;
    let ty = first.column_type()?;
    if known.iter().any(|(_, data)| data.column_type() != Some(ty)) {
        return None;
    }
    if let ColumnData::Temporal(times) = first {
        let kind = times.kind();
        let empty = || ColumnData::Temporal(TemporalColumn::new(kind, Vec::new()));
        return Some(or_empty(texts, natural, empty));
    }
    if !matches!(first, ColumnData::Numeric(_)) {
        return None;
    }
    // As numbers, 01 and 1 would be the same key.
    let mut text_of: HashMap<u64, &str> = HashMap::new();
    for (texts, data) in known {
        let ColumnData::Numeric(numbers) = data else {
            return None;
        };
        if numbers.len() != texts.len() {
            return None;
        }
        for (row, &number) in numbers.values().iter().enumerate() {
            match (texts.get(row), number.is_nan()) {
                (None, true) => {}
                (Some(text), false) if number.abs() < 1e10 => {
                    if *text_of.entry((number + 0.0).to_bits()).or_insert(text) != text {
                        return None;
                    }
                }
                _ => return None,
            }
        }
    }
    let empty = || ColumnData::Numeric(NumericColumn::new(Vec::new()));
    Some(or_empty(texts, natural, empty))
}

fn or_empty(
    texts: &[&CategoricalColumn],
    natural: Vec<ColumnData>,
    empty: impl Fn() -> ColumnData,
) -> Vec<ColumnData> {
    let column = |(texts, data): (&&CategoricalColumn, ColumnData)| match texts.len() {
        0 => empty(),
        _ => data,
    };
    texts.iter().zip(natural).map(column).collect()
}
