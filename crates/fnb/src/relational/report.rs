//! What joining found, in words: the same for everybody who joins tables.

use super::cutoff::GuessedCutoff;
use super::path::{owner, shown};
use super::tables::KeyReport;
use crate::columns::{SparseMatch, SparseTable};
use crate::math::thousands;
use std::fmt;

/// Something that a user should know of a table that was joined.
///
/// ```
/// use fnb::relational::{Found, JoinNote};
/// let note = JoinNote { table: "orders".into(), found: Found::Hidden { rows: 12 } };
/// assert!(note.is_warning());
/// assert_eq!(
///     note.to_string(),
///     "orders: 12 rows ignored: dated at or after their parent's cut-off"
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinNote {
    /// Its data path, or the name of a sparse table.
    pub table: String,
    /// What was found.
    pub found: Found,
}

/// What joining finds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// No row belongs to a row of the main table: the key is probably wrong.
    NothingJoined {
        /// Rows of the table.
        rows: usize,
    },
    /// Rows without a parent.
    Orphans {
        /// How many.
        rows: usize,
    },
    /// Rows whose key an earlier row has: left out.
    Repeated {
        /// How many.
        rows: usize,
    },
    /// Rows whose key an earlier row has, with which they share records.
    Shared {
        /// How many.
        rows: usize,
    },
    /// Rows that are not before the time of any root row with their key.
    Hidden {
        /// How many.
        rows: usize,
    },
    /// Rows that refer to a record that a look-up table does not have.
    Unmatched {
        /// How many.
        rows: usize,
        /// The relation that leads to the look-up table.
        relation: String,
    },
    /// The time of a record, which nobody gave.
    Time {
        /// The column.
        column: String,
    },
    /// Columns that a sparse table gives.
    Features {
        /// How many.
        features: usize,
    },
    /// Entries of a sparse table that belong to no row.
    StrayEntries {
        /// How many.
        entries: usize,
    },
    /// No row has entries of a sparse table: its key is probably written otherwise.
    NoEntries {
        /// The key.
        key: String,
    },
}

impl JoinNote {
    /// Is it something to look at, and not just to know?
    pub fn is_warning(&self) -> bool {
        !matches!(
            self.found,
            Found::Time { .. } | Found::Features { .. } | Found::Shared { .. }
        )
    }

    /// What joining found in a table.
    pub(super) fn of_keys(report: &KeyReport) -> Vec<Self> {
        let &KeyReport {
            rows,
            orphans,
            repeated,
            shared,
            hidden,
            ..
        } = report;
        let mut found = Vec::new();
        if orphans == rows && rows > 0 {
            found.push(Found::NothingJoined { rows });
        } else {
            found.push(Found::Orphans { rows: orphans });
        }
        found.push(Found::Repeated { rows: repeated });
        found.push(Found::Shared { rows: shared });
        found.push(Found::Hidden { rows: hidden });
        let unmatched = report.unmatched.iter();
        found.extend(unmatched.map(|(relation, &rows)| Found::Unmatched {
            rows,
            relation: relation.clone(),
        }));
        let is_nothing = |found: &Found| match *found {
            Found::Orphans { rows }
            | Found::Repeated { rows }
            | Found::Shared { rows }
            | Found::Hidden { rows }
            | Found::Unmatched { rows, .. } => rows == 0,
            _ => false,
        };
        found.retain(|found| !is_nothing(found));
        let table = &report.path;
        let note = |found| Self {
            table: table.clone(),
            found,
        };
        found.into_iter().map(note).collect()
    }

    /// What a sparse table gave to the rows of the main one.
    ///
    /// ```
    /// use fnb::columns::{SparseMatch, SparseTable};
    /// use fnb::relational::JoinNote;
    /// # let [key, feature] = ["doc".to_owned(), "word".to_owned()];
    /// let words = SparseTable { name: "words".into(), key, feature, value: None, features: 9 };
    /// let found = SparseMatch { features: 9, entries: 40, orphans: 3, empty_rows: 0 };
    /// let notes = JoinNote::of_sparse_table(&words, &found);
    /// assert_eq!(notes[1].to_string(), "words: 3 entries have a key that matches no row");
    /// ```
    pub fn of_sparse_table(table: &SparseTable, found: &SparseMatch) -> Vec<Self> {
        let note = |found| Self {
            table: table.name.clone(),
            found,
        };
        let features = found.features;
        let mut notes = vec![note(Found::Features { features })];
        if found.orphans > 0 {
            let entries = found.orphans;
            notes.push(note(Found::StrayEntries { entries }));
        }
        if found.entries > 0 && found.orphans == found.entries {
            let key = table.key.clone();
            notes.push(note(Found::NoEntries { key }));
        }
        notes
    }
}

impl GuessedCutoff {
    /// What was found out that nobody said.
    pub fn notes(&self) -> Vec<JoinNote> {
        let times = self.guessed.iter().map(|(path, column)| {
            let column = column.clone();
            (path, Found::Time { column })
        });
        let note = |(path, found): (&String, Found)| JoinNote {
            table: path.clone(),
            found,
        };
        times.map(note).collect()
    }
}

impl fmt::Display for JoinNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = shown(&self.table);
        let many = |n: usize, one: &str, more: &str| match n {
            1 => format!("1 {one}"),
            n => format!("{} {more}", thousands(n as u64)),
        };
        match &self.found {
            Found::NothingJoined { rows } => {
                let rows = thousands(*rows as u64);
                write!(
                    f,
                    "{name}: none of its {rows} rows belongs to a row of the main table; is the key \
                     right?"
                )
            }
            Found::Orphans { rows } => {
                let parent = shown(owner(&self.table));
                let rows = many(*rows, "row ignored: its key", "rows ignored: their key");
                write!(f, "{name}: {rows} matches no row of {parent}")
            }
            Found::Repeated { rows } => {
                let rows = many(
                    *rows,
                    "row ignored: its key is",
                    "rows ignored: their key is",
                );
                write!(f, "{name}: {rows} that of an earlier row")
            }
            Found::Shared { rows } => {
                let rows = many(*rows, "row has", "rows have");
                let shares = if rows.starts_with("1 ") {
                    "shares"
                } else {
                    "share"
                };
                write!(
                    f,
                    "{name}: {rows} the key of an earlier row, and {shares} its records"
                )
            }
            Found::Hidden { rows } => {
                let rows = many(
                    *rows,
                    "row ignored: dated at or after its",
                    "rows ignored: dated at or after their",
                );
                write!(f, "{name}: {rows} parent's cut-off")
            }
            Found::Unmatched { rows, relation } => {
                let rows = many(*rows, "row has", "rows have");
                write!(f, "{name}: {rows} no match in {relation}")
            }
            Found::Time { column } => write!(f, "{name}: the time of a record is {column}"),
            Found::Features { features } => {
                write!(f, "{name}: {}", many(*features, "feature", "features"))
            }
            Found::StrayEntries { entries } => {
                let entries = many(*entries, "entry has", "entries have");
                write!(f, "{name}: {entries} a key that matches no row")
            }
            Found::NoEntries { key } => {
                write!(f, "{name}: no row has entries: is {key} written alike?")
            }
        }
    }
}
