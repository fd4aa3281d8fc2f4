//! As-of time: which records lie before the time of the row they belong to.

use super::layout::{Layout, TableLayout};
use super::path::{owner, place, shown};
use crate::columns::{Column, ColumnData, Frame, TemporalColumn};
use crate::math::nearest_name;
use crate::{Advice, Code, Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Only records strictly before the time of their root row are seen: the protection against
/// variables that know the future.
///
/// A record with a missing time is not seen, and a root row with a missing time sees none. A record
/// with a date but no time of day is seen from the day after. Tables that are not listed follow the
/// records that own them. Look-up tables are always seen, but not what they own.
///
/// ```
/// use fnb::relational::Cutoff;
/// let cutoff = Cutoff {
///     root: "asked_on".into(),
///     tables: [("Orders".to_owned(), "day".to_owned())].into(),
///     ..Cutoff::default()
/// };
/// assert_eq!(cutoff.tables["Orders"], "day");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Cutoff {
    /// The column of the root table with the time of each row: dates or timestamps.
    pub root: String,
    /// By data path, the column with the time of each record: dates or timestamps.
    pub tables: BTreeMap<String, String>,
    /// The data paths of the tables that are said to have no time: rows that see the owners of their
    /// records see them all.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub timeless: BTreeSet<String>,
}

/// A cut-off, and what had to be found out for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuessedCutoff {
    /// With the times of every table that has one.
    pub cutoff: Cutoff,
    /// By data path, the times that were not given: the only date or timestamp of the table.
    pub guessed: BTreeMap<String, String>,
}

impl Cutoff {
    /// The same with the times of all tables. Every owned table whose time is not given, and that is not
    /// said to be timeless, has its only date or timestamp. It is an error if it has several, or none
    /// although no owner has one that it could follow.
    ///
    /// ```
    /// use fnb::columns::{Column, ColumnData, Frame, Temporal, TemporalColumn};
    /// use fnb::relational::Cutoff;
    /// let day = ColumnData::Temporal(TemporalColumn::new(Temporal::Date, vec![0]));
    /// let orders = Frame::new(1, vec![Column { name: "day".into(), data: day }])?;
    /// let frames = [(String::new(), Frame::new(0, vec![])?), ("Orders".into(), orders)];
    /// let cutoff = Cutoff { root: "asked_on".into(), ..Cutoff::default() };
    /// let found = cutoff.complete(&frames.into())?;
    /// assert_eq!(found.cutoff.tables["Orders"], "day");
    /// # Ok::<(), fnb::Error>(())
    /// ```
    pub fn complete(self, frames: &BTreeMap<String, Frame>) -> Result<GuessedCutoff> {
        let mut guessed = BTreeMap::new();
        for (path, frame) in frames {
            if !is_owned(path) || self.tables.contains_key(path) || self.timeless.contains(path) {
                continue;
            }
            let times: Vec<&str> = frame.columns().iter().filter_map(time_name).collect();
            match times.as_slice() {
                // Records of records follow those that own them.
                [] if is_owned(owner(path)) => {}
                [] => return Err(no_time(path, frame)),
                [column] => {
                    guessed.insert(path.clone(), (*column).to_owned());
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
        let mut cutoff = self;
        cutoff.tables.extend(guessed.clone());
        Ok(GuessedCutoff { cutoff, guessed })
    }
}

/// Are there owners of the records at a data path? The root and look-up tables have none.
fn is_owned(path: &str) -> bool {
    !path.is_empty() && path.rfind('/') != Some(0)
}

/// Without a time, records of the future would be seen: it must be said that this is meant.
fn no_time(path: &str, frame: &Frame) -> Error {
    /// Names that a message lists.
    const NAMES: usize = 8;
    let texts = frame.columns().iter().filter(|column| {
        let data = &column.data;
        matches!(data, ColumnData::Categorical(_) | ColumnData::Text(_))
    });
    let texts: Vec<&str> = texts.map(|column| column.name.as_str()).collect();
    let name = shown(path);
    let mut message =
        format!("{name} has no date or timestamp that says when its records are seen");
    let timeless = Advice::Timeless {
        table: path.to_owned(),
    };
    let Some(&first) = texts.first() else {
        return Error::new(Code::Usage, message).help(timeless);
    };
    let others = if texts.len() > NAMES { ", …" } else { "" };
    let listed = &texts[..texts.len().min(NAMES)];
    message += &format!("; the columns {}{others} hold texts", listed.join(", "));
    Error::new(Code::Usage, message).help(Advice::AnyOf(vec![
        Advice::GiveTime {
            table: path.to_owned(),
            column: first.to_owned(),
        },
        timeless,
    ]))
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
    for path in cutoff.tables.keys().chain(&cutoff.timeless) {
        if !known.contains(&path.as_str()) {
            let message = format!("{path:?} cannot have a time: no such records are owned");
            let help = format!("tables that can have one: {}", known.join(", "));
            return Err(Error::new(Code::InvalidSchema, message).help(help));
        }
    }
    Ok(())
}
