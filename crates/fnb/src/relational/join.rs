//! Which record of one table has the key that a record of another names: hash joins on typed keys.

use super::calendar;
use super::path::place;
use crate::columns::{ColumnData, ColumnType, Frame, Temporal, TemporalColumn, Values};
use crate::math::nearest_name;
use crate::{Advice, Code, Error, Result};
use hashbrown::HashMap;
use std::collections::BTreeSet;

/// Stands for "no such record".
pub(super) const NONE: u32 = u32::MAX;

/// A column of keys.
#[derive(Clone, Copy)]
enum KeyColumn<'a> {
    Text {
        codes: &'a [u32],
        values: &'a Values,
    },
    Numbers(&'a [f64]),
    Times(Temporal, &'a [i64]),
}

/// The keys of a table: one column per field.
pub(super) struct Keys<'a> {
    path: &'a str,
    names: &'a [String],
    columns: Vec<KeyColumn<'a>>,
    rows: usize,
}

impl<'a> Keys<'a> {
    /// The named columns of the table at `path`.
    pub(super) fn new(path: &'a str, frame: &'a Frame, names: &'a [String]) -> Result<Self> {
        let columns = names.iter().map(|name| key_column(path, frame, name));
        Ok(Self {
            path,
            names,
            columns: columns.collect::<Result<_>>()?,
            rows: frame.rows(),
        })
    }

    /// A few of the keys, as far as so many fields go: the first in order, whatever that of the rows.
    fn sample(&self, length: usize) -> Vec<String> {
        /// Enough to see how they are written.
        const KEYS: usize = 3;
        let mut sample = BTreeSet::new();
        for row in 0..self.rows {
            let fields = self.columns[..length].iter();
            let fields = fields.map(|column| column.shown(row));
            let Some(fields) = fields.collect::<Option<Vec<String>>>() else {
                continue;
            };
            sample.insert(fields.join(", "));
            if sample.len() > KEYS {
                sample.pop_last();
            }
        }
        sample.into_iter().collect()
    }

    /// The first `length` fields of the keys.
    pub(super) fn prefix(mut self, length: usize) -> Self {
        self.columns.truncate(length);
        self
    }
}

fn key_column<'a>(path: &str, frame: &'a Frame, name: &str) -> Result<KeyColumn<'a>> {
    let place = place(path);
    let Some(column) = frame.column(name) else {
        let names = frame.columns().iter().map(|column| column.name.as_str());
        let otherwise = "name the columns of the key as they are in the data";
        let help = Advice::did_you_mean(nearest_name(name, names), otherwise);
        let message = format!("{place} has no column {name:?}, part of a key");
        return Err(Error::new(Code::MissingColumn, message).help(help));
    };
    match &column.data {
        ColumnData::Categorical(column) | ColumnData::Text(column) => Ok(KeyColumn::Text {
            codes: column.codes(),
            values: column.values(),
        }),
        ColumnData::Numeric(column) => {
            // Numbers carry ten digits: longer ones may already be equal to their neighbours.
            if column.values().iter().any(|value| value.abs() >= 1e10) {
                let message =
                    format!("column {name:?} of {place} has keys of more than ten digits");
                return Err(Error::new(Code::UnsupportedType, message)
                    .help("read it as categories: keys are then compared as texts, exactly"));
            }
            Ok(KeyColumn::Numbers(column.values()))
        }
        ColumnData::Temporal(column) => Ok(KeyColumn::Times(column.kind(), column.values())),
        ColumnData::Sparse(_) | ColumnData::Unused(_) => {
            let kind = column.data.unused().unwrap_or("sparse");
            let message =
                format!("column {name:?} of {place} is part of a key but was read as {kind:?}");
            Err(Error::new(Code::UnsupportedType, message).help("read it as categories"))
        }
    }
}

/// Two tables whose keys have nothing in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Strangers {
    path: String,
    /// A few keys, as written.
    keys: Vec<String>,
    other_path: String,
    other_keys: Vec<String>,
}

impl Strangers {
    /// None of the keys of a table is one of another.
    pub(super) fn error(&self) -> Error {
        let (name, other) = (place(&self.path), place(&self.other_path));
        let (keys, others) = (self.keys.join(", "), self.other_keys.join(", "));
        let message =
            format!("no key of {name} is a key of {other}: {keys} there, but {others} here");
        Error::new(Code::NoKeyMatches, message).help(
            "keys are compared as they are written: make them the same, or name other columns",
        )
    }
}

/// Records of a table by their key; of several with one key, the first.
pub(super) struct KeyIndex<'a> {
    keys: Keys<'a>,
    /// Per column: its values as dense codes.
    codes: Vec<CodeMap<'a>>,
    /// Per column after the first: (what the columns before give, code) → the next such number.
    pairs: Vec<HashMap<(u32, u32), u32>>,
    /// The first record of each key.
    first: Vec<u32>,
    /// Records whose key an earlier one has, with the first that has it.
    pub(super) repeated: Vec<(u32, u32)>,
}

/// Dense codes of the values of a key column.
enum CodeMap<'a> {
    Text {
        codes: &'a [u32],
        missing: Option<u32>,
        of_text: HashMap<&'a str, u32>,
    },
    Bits(HashMap<u64, u32>),
}

/// The bits of a number, zero being one number.
fn bits(value: f64) -> u64 {
    (value + 0.0).to_bits()
}

impl KeyColumn<'_> {
    /// The value of a row as bits; `None` is missing. Not for texts.
    fn bits(self, row: usize) -> Option<u64> {
        match self {
            Self::Text { .. } => None,
            Self::Numbers(values) => Some(values[row]).filter(|v| !v.is_nan()).map(bits),
            Self::Times(kind, values) => {
                let present = Some(values[row]).filter(|&v| v != TemporalColumn::MISSING);
                present.map(|value| kind.same_clock(value) as u64)
            }
        }
    }

    /// The value of a row as a message shows it, so that blanks are seen.
    fn shown(self, row: usize) -> Option<String> {
        match self {
            Self::Text { codes, values } => {
                let text = values.get(codes[row]);
                text.map(|text| format!("{text:?}"))
            }
            Self::Numbers(values) => {
                let number = Some(values[row]).filter(|value| !value.is_nan());
                number.map(|number| number.to_string())
            }
            Self::Times(kind, values) => {
                let time = Some(values[row]).filter(|&time| time != TemporalColumn::MISSING);
                time.map(|time| calendar::shown(kind, time))
            }
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Text { .. } => "text",
            Self::Numbers(_) => "numbers",
            Self::Times(kind, _) => ColumnType::from(kind).plural(),
        }
    }
}

impl<'a> KeyIndex<'a> {
    pub(super) fn new(keys: Keys<'a>) -> Self {
        let mut index = Self {
            codes: Vec::new(),
            pairs: vec![HashMap::new(); keys.columns.len().saturating_sub(1)],
            first: Vec::new(),
            repeated: Vec::new(),
            keys,
        };
        for &column in &index.keys.columns {
            index.codes.push(match column {
                KeyColumn::Text { codes, values } => CodeMap::Text {
                    codes,
                    missing: values.missing(),
                    of_text: (0..)
                        .zip(values.iter())
                        .filter_map(|(code, text)| text.map(|text| (text, code)))
                        .collect(),
                },
                _ => CodeMap::Bits(HashMap::new()),
            });
        }
        for row in 0..index.keys.rows {
            index.insert(row);
        }
        index
    }

    /// Enters the key of a record; one with a missing field cannot be found.
    fn insert(&mut self, row: usize) {
        let mut id = NONE;
        for (i, (map, &column)) in self.codes.iter_mut().zip(&self.keys.columns).enumerate() {
            let code = match map {
                CodeMap::Text { codes, missing, .. } => {
                    Some(codes[row]).filter(|code| Some(*code) != *missing)
                }
                CodeMap::Bits(map) => column.bits(row).map(|bits| {
                    let next = map.len() as u32;
                    *map.entry(bits).or_insert(next)
                }),
            };
            let Some(code) = code else { return };
            id = if i == 0 {
                code
            } else {
                let next = self.pairs[i - 1].len() as u32;
                *self.pairs[i - 1].entry((id, code)).or_insert(next)
            };
        }
        if id == NONE {
            return;
        }
        if self.first.len() <= id as usize {
            self.first.resize(id as usize + 1, NONE);
        }
        if self.first[id as usize] == NONE {
            self.first[id as usize] = row as u32;
        } else {
            self.repeated.push((row as u32, self.first[id as usize]));
        }
    }

    /// For every record with the given keys, the record of this table that it names, or [`NONE`].
    pub(super) fn find(&self, keys: &Keys<'_>) -> Result<Vec<u32>> {
        self.check_types(keys)?;
        let columns = self.codes.iter().zip(&keys.columns);
        let mut columns = columns.map(|(map, &column)| map.translate(column, keys.rows));
        let Some(mut ids) = columns.next() else {
            return Ok(vec![NONE; keys.rows]);
        };
        for (pairs, column) in self.pairs.iter().zip(columns) {
            for (id, code) in ids.iter_mut().zip(column) {
                let known = *id != NONE && code != NONE;
                let pair = known.then(|| pairs.get(&(*id, code))).flatten();
                *id = pair.copied().unwrap_or(NONE);
            }
        }
        // The ids give way to the records.
        for id in &mut ids {
            *id = self.first.get(*id as usize).copied().unwrap_or(NONE);
        }
        Ok(ids)
    }

    /// What the keys look like here and there, where none is found; `None` if there are no keys on one
    /// side.
    pub(super) fn strangers(&self, keys: &Keys<'_>) -> Option<Strangers> {
        let strangers = Strangers {
            path: keys.path.to_owned(),
            keys: keys.sample(self.keys.columns.len()),
            other_path: self.keys.path.to_owned(),
            other_keys: self.keys.sample(self.keys.columns.len()),
        };
        let has_both = !strangers.keys.is_empty() && !strangers.other_keys.is_empty();
        has_both.then_some(strangers)
    }

    fn check_types(&self, keys: &Keys<'_>) -> Result<()> {
        for (i, (here, there)) in self.keys.columns.iter().zip(&keys.columns).enumerate() {
            let (here, there) = (here.words(), there.words());
            if here != there {
                let message = format!(
                    "key column {:?} of {} holds {there}, but {:?} of {} holds {here}",
                    keys.names[i],
                    place(keys.path),
                    self.keys.names[i],
                    place(self.keys.path),
                );
                return Err(Error::new(Code::UnsupportedType, message)
                    .help("read both with the same type, for instance as categories"));
            }
        }
        Ok(())
    }
}

impl CodeMap<'_> {
    /// The values of a column of another table as the codes here, unknown and missing as [`NONE`].
    fn translate(&self, column: KeyColumn<'_>, rows: usize) -> Vec<u32> {
        match (self, column) {
            (Self::Text { of_text, .. }, KeyColumn::Text { codes, values }) => {
                let code = |text: &str| of_text.get(text).copied();
                let here: Vec<u32> = values
                    .iter()
                    .map(|text| text.and_then(code).unwrap_or(NONE))
                    .collect();
                codes.iter().map(|&code| here[code as usize]).collect()
            }
            (Self::Bits(map), column) => (0..rows)
                .map(|row| column.bits(row).and_then(|bits| map.get(&bits).copied()))
                .map(|code| code.unwrap_or(NONE))
                .collect(),
            (Self::Text { .. }, _) => unreachable!("the types were compared"),
        }
    }
}
