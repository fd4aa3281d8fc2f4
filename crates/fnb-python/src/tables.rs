//! Several tables: how Python says that they hang together, and their join.

use crate::frame::{Others, Table};
use crate::learn::Reading;
use arrow::datatypes::DataType;
use fnb::columns::Frame;
use fnb::relational::{Cutoff, Database, KeyReport, Reference, Schema, TableKind, TableSpec};
use fnb::{Code, Error};
use fnb_table::{Expected, ReadOptions};
use pyo3::prelude::*;
use std::collections::BTreeMap;

/// The tables around the main one.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Tables {
    given: Vec<Given>,
    /// The key of the main table, as far as it is not that of the others.
    key: Vec<String>,
    /// By data path, the columns that are keys or hold keys.
    keys: BTreeMap<String, Vec<String>>,
    /// The column of the main table with the time of each row.
    cutoff: Option<String>,
}

/// One of them.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Given {
    /// Data path.
    path: String,
    /// `many`, `one` or `lookup`.
    kind: String,
    key: Vec<String>,
    /// The data paths of the tables that refer to it, if it is a look-up table, or of its owner, and
    /// by which columns.
    references: Vec<(String, Vec<String>)>,
    time: Option<String>,
    reading: Reading,
}

/// Tables that are joined.
pub(crate) struct Joined {
    pub(crate) database: Database,
    /// What a user should know of it.
    pub(crate) found: Vec<String>,
}

impl Tables {
    /// Reads and joins the tables.
    pub(crate) fn join(
        mut self,
        reading: Reading,
        main: &Table,
        others: &Others,
    ) -> fnb::Result<Joined> {
        let mut specs = Vec::new();
        for table in &self.given {
            check_key_types(table, main, others)?;
            let references = table.references.iter().cloned();
            specs.push(TableSpec {
                path: table.path.clone(),
                kind: match table.kind.as_str() {
                    "one" => TableKind::One,
                    "lookup" => {
                        let references = references.map(|(path, by)| Reference { path, by });
                        TableKind::LookUp(references.collect())
                    }
                    _ => TableKind::Many,
                },
                key: table.key.clone(),
            });
        }
        let mut keys = std::mem::take(&mut self.keys);
        let mut keys_of = |path: &str| keys.remove(path).unwrap_or_default();
        let main = reading.read_with_keys(main, keys_of(""))?;
        let mut frames = BTreeMap::from([(String::new(), main)]);
        for table in &mut self.given {
            let path = &table.path;
            let batches = others.get(path).ok_or_else(|| absent(path))?;
            let reading = std::mem::take(&mut table.reading);
            let frame = reading.read_table(batches, keys_of(path));
            let frame = frame.map_err(|error| error.at(format!("table {}", shown(path))))?;
            frames.insert(path.clone(), frame);
        }
        let schema = Schema::assemble(&self.key, &specs, &frames)?;
        let mut found = Vec::new();
        let cutoff = match &self.cutoff {
            Some(root) => Some(self.times(root, &frames, &mut found)?),
            None => None,
        };
        let database = Database::new(&schema, None, frames, cutoff)?;
        found.extend(database.reports().iter().filter_map(note));
        Ok(Joined { database, found })
    }

    /// The times of a cut-off: those that were given, and of other tables the only one they have.
    fn times(
        &self,
        root: &str,
        frames: &BTreeMap<String, Frame>,
        found: &mut Vec<String>,
    ) -> fnb::Result<Cutoff> {
        let owned = self.given.iter().filter(|table| table.kind != "lookup");
        let given = owned.filter_map(|table| Some((table.path.clone(), table.time.clone()?)));
        let ask = |_: &str, column: &str| format!("time={column:?}");
        let guessed = Cutoff::guess(root, given.collect(), frames, ask)?;
        for path in &guessed.timeless {
            let name = shown(path);
            found.push(format!(
                "{name} has no date or timestamp: all its records are seen"
            ));
        }
        Ok(guessed.cutoff)
    }
}

/// Numbers are no key of texts: a mistake that would leave every record without owner.
fn check_key_types(table: &Given, main: &Table, others: &Others) -> fnb::Result<()> {
    let batches = |path: &str| match path {
        "" => Some(main),
        path => others.get(path).map(AsRef::as_ref),
    };
    for (path, by) in &table.references {
        for (theirs, key) in by.iter().zip(&table.key) {
            let types = kind_of(batches(path), theirs).zip(kind_of(batches(&table.path), key));
            if let Some((one, other)) = types.filter(|(one, other)| one != other) {
                let (name, referring) = (shown(&table.path), place(path));
                let message = format!(
                    "the key {key:?} of table {name} holds {other}, but {theirs:?} of \
                     {referring} holds {one}"
                );
                return Err(Error::new(Code::UnsupportedType, message)
                    .help("convert one of them: keys match if they are the same"));
            }
        }
    }
    Ok(())
}

/// Joins tables whose columns are known; of those around the main one, these columns are read.
pub(crate) fn to_score<'a>(
    schema: &Schema,
    cutoff: Option<Cutoff>,
    main: Frame,
    needed: impl Iterator<Item = (&'a str, Vec<Expected>)>,
    others: &Others,
) -> fnb::Result<Database> {
    let mut frames = BTreeMap::from([(String::new(), main)]);
    for (path, expected) in needed {
        let batches = others.get(path).ok_or_else(|| absent(path))?;
        let options = ReadOptions {
            may_be_empty: true,
            ..ReadOptions::only(expected)
        };
        let frame = batches.read(&options);
        let frame = frame.map_err(|error| error.at(format!("table {}", shown(path))))?;
        frames.insert(path.to_owned(), frame);
    }
    let database = Database::new(schema, None, frames, cutoff)?;
    match database.tables().repeated_roots() {
        [] => Ok(database),
        [row, ..] => {
            let message = format!("row {row} of X has the key of an earlier row");
            Err(Error::new(Code::UnusableData, message)
                .help("records belong to one row: give rows with the same key in several calls"))
        }
    }
}

/// A table that a model needs is not there.
fn absent(path: &str) -> Error {
    let message = format!("the model needs table {}, which is not given", shown(path));
    Error::new(Code::Usage, message).help("give it in tables")
}

/// What joining found in a table, if it is worth a warning. Records without a row are none: those of
/// other folds.
fn note(report: &KeyReport) -> Option<String> {
    let name = place(&report.path);
    if report.orphans == report.rows && report.rows > 0 && !report.path.is_empty() {
        return Some(format!(
            "{name}: none of its {} rows belongs to a row of the main table; is the key right?",
            report.rows
        ));
    }
    let repeated = report.repeated;
    (repeated > 0).then(|| format!("{name}: {repeated} rows that repeat a key ignored"))
}

/// A data path as users write it.
fn shown(path: &str) -> String {
    path.trim_start_matches('/').replace('/', ".")
}

fn place(path: &str) -> String {
    match path {
        "" => "the main table".to_owned(),
        path => format!("table {}", shown(path)),
    }
}

/// What a column holds, if it can be a key.
fn kind_of(batches: Option<&Table>, name: &str) -> Option<&'static str> {
    let data_type = match batches?.type_of(name)? {
        DataType::Dictionary(_, values) => values.as_ref(),
        data_type => data_type,
    };
    match data_type {
        DataType::Null => None,
        numbers if numbers.is_numeric() => Some("numbers"),
        times if times.is_temporal() => Some("times"),
        _ => Some("texts"),
    }
}
