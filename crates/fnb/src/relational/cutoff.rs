//! As-of time: which records lie before the time of the row they belong to.

use super::layout::{Layout, TableLayout};
use super::path::{place, shown};
use crate::columns::{Column, ColumnData, Frame, TemporalColumn};
use crate::math::nearest_name;
use crate::{Advice, Code, Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Only records strictly before the time of their root row are seen: the protection against
/// variables that know the future.
///
/// A record with a missing time is not seen, and a root row with a missing time sees none. A record
/// with a date but no time of day is seen from the day after. Tables that are not listed follow the
/// records that own them; look-up tables are always seen.
///
/// ```
/// use fnb::relational::Cutoff;
/// let cutoff = Cutoff {
///     root: "asked_on".into(),
///     tables: [("Orders".to_owned(), "day".to_owned())].into(),
/// };
/// assert_eq!(cutoff.tables["Orders"], "day");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cutoff {
    /// The column of the root table with the time of each row: dates or timestamps.
    pub root: String,
    /// By data path, the column with the time of each record: dates or timestamps.
    pub tables: BTreeMap<String, String>,
}

/// A cut-off, and what had to be found out for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuessedCutoff {
    /// With the times of every table that has one.
    pub cutoff: Cutoff,
    /// By data path, the times that were not given: the only date or timestamp of the table.
    pub guessed: BTreeMap<String, String>,
    /// The tables of the root that have no time: all their records are seen.
    pub timeless: Vec<String>,
}

impl Cutoff {
    /// The cut-off at a column of the root table. Times may be given by data path; every other owned
    /// table has its only date or timestamp. It is an error if a table has several.
    ///
    /// ```
    /// use fnb::columns::{Column, ColumnData, Frame, Temporal, TemporalColumn};
    /// use fnb::relational::Cutoff;
    /// let day = ColumnData::Temporal(TemporalColumn::new(Temporal::Date, vec![0]));
    /// let orders = Frame::new(1, vec![Column { name: "day".into(), data: day }])?;
    /// let frames = [(String::new(), Frame::new(0, vec![])?), ("Orders".into(), orders)];
    /// let found = Cutoff::guess("asked_on", Default::default(), &frames.into())?;
    /// assert_eq!(found.cutoff.tables["Orders"], "day");
    /// # Ok::<(), fnb::Error>(())
    /// ```
    pub fn guess(
        root: &str,
        given: BTreeMap<String, String>,
        frames: &BTreeMap<String, Frame>,
    ) -> Result<GuessedCutoff> {
        let mut found = GuessedCutoff {
            cutoff: Self {
                root: root.to_owned(),
                tables: given,
            },
            guessed: BTreeMap::new(),
            timeless: Vec::new(),
        };
        for (path, frame) in frames {
            let is_owned = !path.is_empty() && !path.starts_with('/');
            if !is_owned || found.cutoff.tables.contains_key(path) {
                continue;
            }
            let times: Vec<&str> = frame.columns().iter().filter_map(time_name).collect();
            match times.as_slice() {
                // Records of records follow those that own them.
                [] if path.contains('/') => {}
                [] => found.timeless.push(path.clone()),
                [column] => {
                    found.guessed.insert(path.clone(), (*column).to_owned());
                }
                [first, ..] => {
                    let name = shown(path);
                    let message = format!("{name} has several times: {}", times.join(", "));
                    return Err(Error::new(Code::Usage, message).help(Advice::GiveTime {
                        table: path.clone(),
                        column: (*first).to_owned(),
                    }));
                }
            }
        }
        found.cutoff.tables.extend(found.guessed.clone());
        Ok(found)
    }
}

fn time_name(column: &Column) -> Option<&str> {
    match &column.data {
        ColumnData::Temporal(times) if times.kind().has_day() => Some(&column.name),
        _ => None,
    }
}

/// The dates or timestamps of a column.
fn times<'a>(path: &str, frame: &'a Frame, name: &str) -> Result<&'a TemporalColumn> {
    let place = place(path);
    let Some(column) = frame.column(name) else {
        let names = frame.columns().iter().map(|column| column.name.as_str());
        let otherwise = "name a column with dates or timestamps";
        let help = Advice::did_you_mean(nearest_name(name, names), otherwise);
        let message = format!("{place} has no column {name:?} for its times");
        return Err(Error::new(Code::MissingColumn, message).help(help));
    };
    match &column.data {
        ColumnData::Temporal(times) if times.kind().has_day() => Ok(times),
        _ => {
            let message = format!("column {name:?} of {place} holds no dates or timestamps");
            Err(Error::new(Code::UnsupportedType, message)
                .help("a time of a row is a date or a timestamp"))
        }
    }
}

/// The times of records and of the root rows that ask for them, all on one scale.
pub(super) struct AsOf {
    /// The time of each root row.
    pub(super) now: Vec<i64>,
    /// Per table, those of its rows if it has a time column: a record is seen by the root rows with a
    /// greater time.
    pub(super) moments: Vec<Option<Vec<i64>>>,
}

impl AsOf {
    pub(super) fn new(layout: &Layout, frames: &[Frame], cutoff: &Cutoff) -> Result<Self> {
        check_paths(layout, cutoff)?;
        let now = times("", &frames[0], &cutoff.root)?;
        let kind = now.kind();
        let mut moments = Vec::with_capacity(frames.len());
        for (table, frame) in layout.tables.iter().zip(frames) {
            let own = cutoff.tables.get(&table.path);
            let own = own
                .map(|name| times(&table.path, frame, name))
                .transpose()?;
            moments.push(own.map(|own| own.last_moments(kind)));
        }
        Ok(Self {
            now: now
                .values()
                .iter()
                .map(|&now| kind.same_clock(now))
                .collect(),
            moments,
        })
    }
}

fn check_paths(layout: &Layout, cutoff: &Cutoff) -> Result<()> {
    let owned = |table: &&TableLayout| table.owner.is_some();
    let known: Vec<&str> = (layout.tables.iter().filter(owned))
        .map(|table| table.path.as_str())
        .collect();
    for path in cutoff.tables.keys() {
        if !known.contains(&path.as_str()) {
            let message = format!("{path:?} cannot have a time column: no such records are owned");
            let help = format!("tables that can have one: {}", known.join(", "));
            return Err(Error::new(Code::InvalidSchema, message).help(help));
        }
    }
    Ok(())
}
