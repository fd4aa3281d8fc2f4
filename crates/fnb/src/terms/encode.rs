//! Column + parts → the part of every row. The same code serves training and scoring.

use super::UnlistedPart;
use super::parts::{MissingNumbers, Parts};
use crate::columns::{CategoricalColumn, ColumnData, SparseColumn, Unlisted};
use hashbrown::HashMap;
use multiversion::multiversion;

/// Numbers of parts that fit in a byte.
const NARROW: usize = 256;

/// The part of every row, in one byte where the number of parts allows.
#[derive(Debug, Clone, PartialEq)]
pub enum PartCodes {
    /// At most 256 parts.
    Narrow(Vec<u8>),
    /// More.
    Wide(Vec<u32>),
}

impl Default for PartCodes {
    fn default() -> Self {
        Self::Narrow(Vec::new())
    }
}

impl PartCodes {
    /// The parts of rows, of so many parts.
    pub(crate) fn collect(parts: usize, rows: impl Iterator<Item = u32>) -> Self {
        if parts <= NARROW {
            Self::Narrow(rows.map(|part| part as u8).collect())
        } else {
            Self::Wide(rows.collect())
        }
    }

    /// The part of a row.
    pub fn get(&self, row: usize) -> usize {
        match self {
            Self::Narrow(codes) => usize::from(codes[row]),
            Self::Wide(codes) => codes[row] as usize,
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::Narrow(codes) => codes.len(),
            Self::Wide(codes) => codes.len(),
        }
    }

    /// True without any row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds the parts of more rows, of as many parts.
    pub(crate) fn append(&mut self, other: Self) {
        match (self, other) {
            (Self::Narrow(codes), Self::Narrow(others)) => codes.extend(others),
            (Self::Wide(codes), Self::Wide(others)) => codes.extend(others),
            _ => unreachable!("they are of as many parts"),
        }
    }

    /// Puts rows into a part, which may be the first that a byte does not hold.
    pub(crate) fn set(&mut self, rows: &[u32], part: usize) {
        if let (Self::Narrow(codes), true) = (&*self, part > usize::from(u8::MAX)) {
            *self = Self::Wide(codes.iter().copied().map(u32::from).collect());
        }
        for &row in rows {
            match self {
                Self::Narrow(codes) => codes[row as usize] = part as u8,
                Self::Wide(codes) => codes[row as usize] = part as u32,
            }
        }
    }

    /// The cells of two axes of so many parts, those of the other one changing fastest.
    #[must_use]
    pub(crate) fn cross(&self, parts: usize, other: &Self, others: usize) -> Self {
        let cells = (0..self.len()).map(|row| self.get(row) * others + other.get(row));
        if parts * others <= NARROW {
            Self::Narrow(cells.map(|cell| cell as u8).collect())
        } else {
            Self::Wide(cells.map(|cell| cell as u32).collect())
        }
    }

    /// The parts of the given rows.
    #[must_use]
    pub(crate) fn take(&self, rows: &[usize]) -> Self {
        match self {
            Self::Narrow(codes) => Self::Narrow(rows.iter().map(|&row| codes[row]).collect()),
            Self::Wide(codes) => Self::Wide(rows.iter().map(|&row| codes[row]).collect()),
        }
    }
}

/// The part of every row of a variable: what learning needs of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RowParts {
    pub(crate) codes: PartCodes,
    /// The rows that are not listed, if the variable is sparse.
    pub(crate) unlisted: Option<UnlistedPart>,
}

impl RowParts {
    /// Those of the given rows.
    #[must_use]
    pub(crate) fn take(&self, rows: &[usize]) -> Self {
        Self {
            codes: self.codes.take(rows),
            unlisted: self.unlisted.as_ref().map(|part| part.take(rows)),
        }
    }
}

/// Parts with the look-up structure that finds the part of a value.
#[derive(Debug, Clone)]
pub struct PartIndex {
    kind: Kind,
    parts: usize,
}

#[derive(Debug, Clone)]
enum Kind {
    Intervals {
        cuts: Vec<f64>,
        own: bool,
    },
    Groups {
        group_of: HashMap<String, u32>,
        missing: u32,
        default: u32,
    },
}

impl PartIndex {
    /// Prepares the look-up.
    pub fn new(parts: &Parts) -> Self {
        let kind = match parts {
            Parts::Intervals { missing, cuts } => Kind::Intervals {
                cuts: cuts.clone(),
                own: *missing == MissingNumbers::Own,
            },
            Parts::Groups { groups, default } => {
                let mut group_of = HashMap::new();
                let mut missing = *default as u32;
                for (group, values) in groups.iter().enumerate() {
                    for value in values {
                        match value {
                            Some(text) => {
                                group_of.insert(text.clone(), group as u32);
                            }
                            None => missing = group as u32,
                        }
                    }
                }
                Kind::Groups {
                    group_of,
                    missing,
                    default: *default as u32,
                }
            }
        };
        Self {
            kind,
            parts: parts.len(),
        }
    }

    /// Number of parts.
    pub fn parts(&self) -> usize {
        self.parts
    }

    /// The part of a number; NaN is missing. `None` if the parts are groups.
    ///
    /// ```
    /// use fnb::terms::{MissingNumbers, PartIndex, Parts};
    /// let parts = Parts::Intervals { missing: MissingNumbers::Own, cuts: vec![0.8, 1.75] };
    /// let index = PartIndex::new(&parts);
    /// assert_eq!(index.of_number(f64::NAN), Some(0));
    /// assert_eq!(index.of_number(0.8), Some(1)); // a value equal to a bound is on its left
    /// assert_eq!(index.of_number(99.0), Some(3));
    /// ```
    pub fn of_number(&self, value: f64) -> Option<usize> {
        match &self.kind {
            Kind::Intervals { cuts, own } => Some(interval_of(cuts, *own, value)),
            Kind::Groups { .. } => None,
        }
    }

    /// The part of a category; `None` is missing. `None` if the parts are intervals.
    pub fn of_category(&self, value: Option<&str>) -> Option<usize> {
        self.find_category(value).map(|(part, _)| part)
    }

    /// The same, and whether a group lists the category. Missing is never news.
    pub(crate) fn find_category(&self, value: Option<&str>) -> Option<(usize, bool)> {
        match &self.kind {
            Kind::Intervals { .. } => None,
            Kind::Groups {
                group_of,
                missing,
                default,
            } => Some(match value.map(|text| group_of.get(text)) {
                None => (*missing as usize, true),
                Some(Some(group)) => (*group as usize, true),
                Some(None) => (*default as usize, false),
            }),
        }
    }

    /// The part of every row of a column of `rows` rows, and the part of the value that it does not
    /// list if it is sparse. `None` if the column is not of the kind of the parts.
    pub(crate) fn encode_all(
        &self,
        column: &ColumnData,
        rows: usize,
        unlisted: Option<Unlisted>,
    ) -> Option<RowParts> {
        let codes = self.encode(column, 0..rows)?;
        let unlisted = match unlisted {
            Some(unlisted) => Some(UnlistedPart::of(column, unlisted, self, &codes)?),
            None => None,
        };
        Some(RowParts { codes, unlisted })
    }

    /// The part of every row in `range` of a column. `None` if the column is not of the kind of
    /// the parts.
    pub fn encode(&self, column: &ColumnData, range: std::ops::Range<usize>) -> Option<PartCodes> {
        match (&self.kind, column) {
            (Kind::Intervals { cuts, own }, ColumnData::Numeric(column)) => {
                let values = &column.values()[range];
                Some(if cuts.len() <= LINEAR_CUTS {
                    PartCodes::Narrow(count_cuts_below(values, cuts, *own))
                } else {
                    let parts = values.iter().map(|&v| interval_of(cuts, *own, v) as u32);
                    PartCodes::collect(self.parts, parts)
                })
            }
            (Kind::Intervals { .. }, ColumnData::Sparse(column)) => {
                Some(self.encode_sparse(column, range))
            }
            (Kind::Groups { .. }, ColumnData::Categorical(column)) => {
                let group_of_code = self.group_of_codes(column);
                let codes = &column.codes()[range];
                let parts = codes.iter().map(|&code| group_of_code[code as usize]);
                Some(PartCodes::collect(self.parts, parts))
            }
            _ => None,
        }
    }

    /// The part of 0 everywhere, then the rows that are something else.
    fn encode_sparse(&self, column: &SparseColumn, range: std::ops::Range<usize>) -> PartCodes {
        let part = |value| self.of_number(value).expect("the parts are intervals");
        let zero = std::iter::repeat_n(part(0.0) as u32, range.len());
        let mut codes = PartCodes::collect(self.parts, zero);
        for (row, value) in column.entries_within(range.clone()) {
            let (place, part) = (row - range.start, part(value));
            match &mut codes {
                PartCodes::Narrow(codes) => codes[place] = part as u8,
                PartCodes::Wide(codes) => codes[place] = part as u32,
            }
        }
        codes
    }

    fn group_of_codes(&self, column: &CategoricalColumn) -> Vec<u32> {
        let group = |value| self.of_category(value).expect("the parts are groups") as u32;
        column.values().iter().map(group).collect()
    }
}

/// Up to this many cuts, counting those below a value is cheaper than a binary search and has no
/// branch to mispredict.
const LINEAR_CUTS: usize = 32;

/// Rows handled together, so that their counters stay in the nearest cache.
const BLOCK_ROWS: usize = 1024;

/// The interval of each value: the number of cuts below it. One cut after the other, so that the
/// loop over rows has neither branch nor look-up.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
fn count_cuts_below(values: &[f64], cuts: &[f64], own: bool) -> Vec<u8> {
    let mut codes = vec![0; values.len()];
    for (codes, values) in codes.chunks_mut(BLOCK_ROWS).zip(values.chunks(BLOCK_ROWS)) {
        if own {
            // NaN is the only value that differs from itself.
            #[expect(clippy::eq_op, reason = "a test for NaN that vectorises")]
            codes
                .iter_mut()
                .zip(values)
                .for_each(|(code, v)| *code = u8::from(v == v));
        }
        for &cut in cuts {
            codes
                .iter_mut()
                .zip(values)
                .for_each(|(code, &v)| *code += u8::from(cut < v));
        }
    }
    codes
}

/// Missing goes to part 0: its own part, or the first interval, since no cut is below NaN.
fn interval_of(cuts: &[f64], own: bool, value: f64) -> usize {
    cuts.partition_point(|&cut| cut < value) + usize::from(own && !value.is_nan())
}
