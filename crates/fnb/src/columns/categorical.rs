//! A column of categories: a code per row into a list of distinct values.

use hashbrown::DefaultHashBuilder;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// The distinct values of a column, stored end to end; one of them may be "missing".
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Values {
    text: String,
    /// `ends[i]` is where value `i` ends in `text`.
    ends: Vec<usize>,
    missing: Option<u32>,
}

impl Values {
    /// Number of distinct values, missing included.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True without any value.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The value of a code; `None` is missing.
    pub fn get(&self, code: u32) -> Option<&str> {
        if self.missing == Some(code) {
            None
        } else {
            Some(self.slice(code as usize))
        }
    }

    /// The code of "missing", if the column has it.
    pub fn missing(&self) -> Option<u32> {
        self.missing
    }

    /// All values in the order of their codes.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Option<&str>> + Clone {
        (0..self.len()).map(|code| self.get(code as u32))
    }

    #[inline]
    fn slice(&self, i: usize) -> &str {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.text[start..self.ends[i]]
    }
}

/// Categories; a missing one is a value of its own, distinct from the empty string.
///
/// ```
/// use fnb::columns::CategoricalColumn;
/// let column: CategoricalColumn = [Some("b"), Some("a"), None, Some("b")].into_iter().collect();
/// assert_eq!(column.codes(), [0, 1, 2, 0]);
/// assert_eq!(column.values().get(1), Some("a"));
/// assert_eq!(column.values().missing(), Some(2));
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CategoricalColumn {
    codes: Vec<u32>,
    values: Values,
}

impl CategoricalColumn {
    /// A column of codes into distinct values; `None` is missing.
    pub(crate) fn from_codes<'a>(
        codes: Vec<u32>,
        distinct: impl IntoIterator<Item = Option<&'a str>>,
    ) -> Self {
        let mut values = Values::default();
        for (code, value) in (0..).zip(distinct) {
            match value {
                Some(text) => values.text.push_str(text),
                None => values.missing = Some(code),
            }
            values.ends.push(values.text.len());
        }
        Self { codes, values }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// True without any row.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// The code of every row.
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// The distinct values; some may have no row left after [`take`](Self::take).
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// The value of a row; `None` is missing.
    pub fn get(&self, row: usize) -> Option<&str> {
        self.values.get(self.codes[row])
    }

    /// The categories of the given rows.
    #[must_use]
    pub fn take(&self, rows: &[usize]) -> Self {
        let codes = rows.iter().map(|&row| self.codes[row]).collect();
        Self {
            codes,
            values: self.values.clone(),
        }
    }
}

impl<'a> FromIterator<Option<&'a str>> for CategoricalColumn {
    fn from_iter<I: IntoIterator<Item = Option<&'a str>>>(rows: I) -> Self {
        let mut builder = CategoricalColumnBuilder::default();
        for row in rows {
            builder.push(row);
        }
        builder.finish()
    }
}

/// Builds a categorical column row by row; codes follow the first appearance of each value.
#[derive(Debug, Clone, Default)]
pub struct CategoricalColumnBuilder {
    column: CategoricalColumn,
    index: HashTable<u32>,
    /// The code of the text before, and whether it was that of the one before it: in sorted columns
    /// the next is likely to be the same.
    last: u32,
    repeats: bool,
    hasher: DefaultHashBuilder,
}

impl CategoricalColumnBuilder {
    /// Adds a row.
    #[inline]
    pub fn push(&mut self, value: Option<&str>) {
        let code = self.code(value);
        self.column.codes.push(code);
    }

    /// Adds all rows of another column.
    pub fn append(&mut self, other: &CategoricalColumn) {
        let codes: Vec<u32> = other.values.iter().map(|value| self.code(value)).collect();
        self.column
            .codes
            .extend(other.codes.iter().map(|&code| codes[code as usize]));
    }

    /// The code of a value, new or known.
    #[inline]
    fn code(&mut self, value: Option<&str>) -> u32 {
        let values = &mut self.column.values;
        let next = values.ends.len() as u32;
        let Some(text) = value else {
            return *values.missing.get_or_insert_with(|| {
                values.ends.push(values.text.len());
                next
            });
        };
        if self.repeats && values.slice(self.last as usize) == text {
            return self.last;
        }
        let hash = self.hasher.hash_one(text);
        let missing = values.missing;
        let same = |&code: &u32| missing != Some(code) && values.slice(code as usize) == text;
        if let Some(&code) = self.index.find(hash, same) {
            self.repeats = code == self.last;
            self.last = code;
            return code;
        }
        (self.last, self.repeats) = (next, false);
        values.text.push_str(text);
        values.ends.push(values.text.len());
        let hasher = &self.hasher;
        self.index.insert_unique(hash, next, |&code| {
            hasher.hash_one(values.slice(code as usize))
        });
        next
    }

    /// Number of rows so far.
    pub fn len(&self) -> usize {
        self.column.codes.len()
    }

    /// True before the first row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The finished column.
    pub fn finish(self) -> CategoricalColumn {
        self.column
    }
}
