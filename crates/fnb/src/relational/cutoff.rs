//! As-of time: which records lie before the time of the row they belong to.

use super::join::NONE;
use super::layout::{Layout, Owner, TableLayout};
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

/// Which rows take part: they have an owner that does, and are before the time of their root row.
pub(super) struct Seen {
    /// Per table; empty if all its rows do.
    rows: Vec<Vec<bool>>,
    /// Per table: rows with an owner that do not.
    pub(super) hidden: Vec<usize>,
}

impl Seen {
    /// `owners`: per owned table the row that owns each row, or [`NONE`].
    pub(super) fn new(
        layout: &Layout,
        frames: &[Frame],
        owners: &[Vec<u32>],
        cutoff: Option<&Cutoff>,
    ) -> Result<Self> {
        let mut seen = Self {
            rows: vec![Vec::new(); frames.len()],
            hidden: vec![0; frames.len()],
        };
        let now = match cutoff {
            Some(cutoff) => {
                check_paths(layout, cutoff)?;
                Some(times("", &frames[0], &cutoff.root)?)
            }
            None => None,
        };
        let mut root_of: Vec<Vec<u32>> = vec![Vec::new(); frames.len()];
        // Owners come before what they own.
        for (t, table) in layout.tables.iter().enumerate() {
            let Some(Owner { table: owner, .. }) = table.owner else {
                continue;
            };
            let own_times = match cutoff.and_then(|cutoff| cutoff.tables.get(&table.path)) {
                Some(name) => Some(times(&table.path, &frames[t], name)?),
                None => None,
            };
            if cutoff.is_some() && !table.path.starts_with('/') {
                let above = &root_of[owner];
                let root = |&row: &u32| above.get(row as usize).copied().unwrap_or(row);
                root_of[t] = owners[t].iter().map(root).collect();
            }
            let in_time = |row: usize| match (own_times, now) {
                (Some(times), Some(now)) => times.is_before(row, now, root_of[t][row] as usize),
                _ => true,
            };
            let takes_part = |(row, &parent): (usize, &u32)| {
                parent != NONE && seen.takes_part(owner, parent as usize) && in_time(row)
            };
            let rows: Vec<bool> = owners[t].iter().enumerate().map(takes_part).collect();
            let owned = owners[t].iter().filter(|&&parent| parent != NONE).count();
            let kept = rows.iter().filter(|&&kept| kept).count();
            seen.hidden[t] = owned - kept;
            if kept < rows.len() {
                seen.rows[t] = rows;
            }
        }
        Ok(seen)
    }

    /// Does a row of a table take part?
    pub(super) fn takes_part(&self, table: usize, row: usize) -> bool {
        self.rows[table].get(row).is_none_or(|&kept| kept)
    }
}

fn check_paths(layout: &Layout, cutoff: &Cutoff) -> Result<()> {
    let owned = |table: &&TableLayout| table.owner.is_some() && !table.path.starts_with('/');
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
