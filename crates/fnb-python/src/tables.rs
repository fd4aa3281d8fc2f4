//! Several tables: how Python says they are related, and their join.

use crate::frame::{Others, Table};
use crate::learn::Reading;
use crate::told::Told;
use arrow::datatypes::DataType;
use fnb::columns::Frame;
use fnb::math::printable;
use fnb::relational::{
    Cutoff, Database, Found, GuessedCutoff, JoinNote, Reference, Schema, TableKind, TableSpec,
    key_columns, place,
};
use fnb::{Advice, Code, Error};
use fnb_table::ReadOptions;
use pyo3::prelude::*;
use pyo3::types::PyBool;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The tables around the main one.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Tables {
    given: Vec<Given>,
    /// The key of the main table, as far as it is not that of the others.
    key: Vec<String>,
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
    /// The data paths of the tables that refer to it, if it is a look-up table, and by which columns.
    references: Vec<(String, Vec<String>)>,
    time: Time,
    reading: Reading,
}

/// When the records of a table are from.
enum Time {
    /// The only date or timestamp tells.
    Unknown,
    /// They are of all times.
    None,
    /// A column tells.
    Column(String),
}

/// `None`, `False` or the name of a column.
impl FromPyObject<'_, '_> for Time {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if given.is_none() {
            Ok(Self::Unknown)
        } else if given.is_instance_of::<PyBool>() {
            Ok(Self::None)
        } else {
            Ok(Self::Column(given.extract()?))
        }
    }
}

impl Given {
    /// How its records belong to others.
    fn kind(&self) -> fnb::Result<TableKind> {
        match self.kind.as_str() {
            "many" => Ok(TableKind::Many),
            "one" => Ok(TableKind::One),
            "lookup" => {
                let references = self.references.iter().cloned();
                let references = references.map(|(path, by)| Reference { path, by });
                Ok(TableKind::LookUp(references.collect()))
            }
            other => {
                let message = format!("{}: there is no kind {other:?}", place(&self.path));
                let kinds = ["many", "one", "lookup"].map(str::to_owned);
                Err(Error::new(Code::Usage, message).help(Advice::OneOf(kinds.into())))
            }
        }
    }
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
        self,
        reading: Reading,
        main: &Table,
        others: &Others,
        told: &mut Told,
    ) -> fnb::Result<Joined> {
        let specs = self.specs()?;
        for (table, spec) in self.given.iter().zip(&specs) {
            self.check_key_types(table, spec, main, others)?;
        }
        let mut keys = key_columns(&self.key, &specs);
        let mut keys_of = |path: &str| keys.remove(path).unwrap_or_default();
        let mut left_out = vec![(String::new(), reading.left_out())];
        let frame = reading.read(main, keys_of(""), false, told)?;
        let mut frames = BTreeMap::from([(String::new(), frame)]);
        for table in &self.given {
            let path = &table.path;
            let batches = table_at(others, path)?;
            left_out.push((path.clone(), table.reading.left_out()));
            let frame = table.reading.read(batches, keys_of(path), true, told);
            let frame = frame.map_err(|error| error.at(place(path)))?;
            frames.insert(path.clone(), frame);
        }
        let schema = Schema::assemble(&self.key, &specs, &frames)?;
        schema.give_keys_their_types(&[], &mut frames, |path, columns| {
            let table = self.given.iter().find(|table| table.path == path);
            let (reading, batches) = match table {
                Some(table) => (&table.reading, table_at(others, path)?.as_ref()),
                None => (&reading, main),
            };
            let frame = reading.read_naturally(batches, columns);
            frame.map(Some).map_err(|error| error.at(place(path)))
        })?;
        let mut schema = Schema::assemble(&self.key, &specs, &frames)?;
        for (path, names) in &left_out {
            // Keys among them still join tables.
            schema.leave_out(path, names);
        }
        let times = match &self.cutoff {
            Some(root) => Some(self.times(root, &frames)?),
            None => None,
        };
        let mut notes = times.as_ref().map_or_else(Vec::new, GuessedCutoff::notes);
        let cutoff = times.map(|times| times.cutoff);
        let database = Database::new(&schema, None, frames, cutoff)?;
        database.check_keys()?;
        notes.extend(database.notes());
        let found = notes.iter().filter(|note| is_news(note));
        Ok(Joined {
            found: found.map(worded).collect(),
            database,
        })
    }

    /// The tables as they are to be joined.
    fn specs(&self) -> fnb::Result<Vec<TableSpec>> {
        let spec = |table: &Given| {
            Ok(TableSpec {
                path: table.path.clone(),
                kind: table.kind()?,
                key: table.key.clone(),
            })
        };
        self.given.iter().map(spec).collect()
    }

    /// The times of a cut-off: those that were given, and of other tables the only one they have.
    fn times(&self, root: &str, frames: &BTreeMap<String, Frame>) -> fnb::Result<GuessedCutoff> {
        let owned = || self.given.iter().filter(|table| table.kind != "lookup");
        let given = owned().filter_map(|table| match &table.time {
            Time::Column(column) => Some((table.path.clone(), column.clone())),
            Time::Unknown | Time::None => None,
        });
        let timeless = owned().filter(|table| matches!(table.time, Time::None));
        let cutoff = Cutoff {
            root: root.to_owned(),
            tables: given.collect(),
            timeless: timeless.map(|table| table.path.clone()).collect(),
        };
        cutoff.complete(frames)
    }

    /// Numbers are no key of texts: a mistake that would leave every record without owner.
    fn check_key_types(
        &self,
        table: &Given,
        spec: &TableSpec,
        main: &Table,
        others: &Others,
    ) -> fnb::Result<()> {
        let batches = |path: &str| match path {
            "" => Some(main),
            path => others.get(path).map(AsRef::as_ref),
        };
        let references = match &spec.kind {
            TableKind::LookUp(references) => references.clone(),
            TableKind::Many | TableKind::One => vec![self.owner(table)],
        };
        for Reference { path, by } in &references {
            for (theirs, key) in by.iter().zip(&table.key) {
                let types = kind_of(batches(path), theirs).zip(kind_of(batches(&table.path), key));
                if let Some((one, other)) = types.filter(|(one, other)| one != other) {
                    let (name, referring) = (place(&table.path), place(path));
                    let message = format!(
                        "the key {key:?} of {name} holds {other}, but {theirs:?} of {referring} \
                         holds {one}"
                    );
                    return Err(Error::new(Code::UnsupportedType, message)
                        .help("convert one of them: keys match if they are the same"));
                }
            }
        }
        Ok(())
    }

    /// The table that owns the records of another, and its key, which has the same name if it is not
    /// given.
    fn owner(&self, table: &Given) -> Reference {
        let path = table.path.rsplit_once('/').map_or("", |(owner, _)| owner);
        let owner = self.given.iter().find(|other| other.path == path);
        let key = owner.map_or(&self.key, |owner| &owner.key);
        let by = if key.is_empty() { &table.key } else { key };
        Reference {
            path: path.to_owned(),
            by: by.clone(),
        }
    }
}

/// The columns of a table around the main one that the options ask for.
pub(crate) fn read_other(
    others: &Others,
    path: &str,
    options: &ReadOptions,
    told: &mut Told,
) -> fnb::Result<Frame> {
    let frame = table_at(others, path)?.read(options, told);
    frame.map_err(|error| error.at(place(path)))
}

fn table_at<'a>(others: &'a Others, path: &str) -> fnb::Result<&'a Arc<Table>> {
    others.get(path).ok_or_else(|| {
        let message = format!("the model needs {}, which is not given", place(path));
        Error::new(Code::Usage, message).help("give it in tables")
    })
}

/// A warning: names in it come from anywhere, and it is shown on terminals.
fn worded(note: &JoinNote) -> String {
    printable(&note.to_string()).into_owned()
}

/// Records without a row are no news: those of other folds.
fn is_news(note: &JoinNote) -> bool {
    note.is_warning() && !matches!(note.found, Found::Orphans { .. })
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
