//! A column of numbers that are nearly all 0.

use crate::math::decimal::round_to_10_digits;
use crate::{Code, Error, Result};

/// Numbers of which only those that are not 0 are kept; a missing one is NaN.
///
/// It is a numerical variable like any other: preparation, models and predictions are those of the
/// [`NumericColumn`](super::NumericColumn) with the same values, but for the weights that the search of
/// Khiops finds (docs/method.md §7.5).
///
/// ```
/// use fnb::columns::SparseColumn;
/// let column = SparseColumn::new(1000, vec![(17, 2.0), (3, 1.0), (40, 0.0)])?;
/// assert_eq!(column.len(), 1000);
/// assert_eq!(column.entries().collect::<Vec<_>>(), [(3, 1.0), (17, 2.0)]);
/// assert_eq!((column.get(17), column.get(18)), (2.0, 0.0));
/// # Ok::<(), fnb::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SparseColumn {
    rows: usize,
    /// Increasing.
    places: Vec<u32>,
    /// The value at each place.
    values: Vec<f64>,
}

impl SparseColumn {
    /// A column of `rows` rows with these values at these rows, in any order, and 0 elsewhere.
    /// Values are rounded to 10 digits; NaN is missing.
    pub fn new(rows: usize, mut entries: Vec<(u32, f64)>) -> Result<Self> {
        entries.sort_unstable_by_key(|&(row, _)| row);
        let unusable =
            |message: String, help: &str| Err(Error::new(Code::UnusableData, message).help(help));
        if let Some([(row, _), _]) = entries.array_windows().find(|[a, b]| a.0 == b.0) {
            let message = format!("a sparse column has two values in row {}", row + 1);
            return unusable(message, "keep one of them");
        }
        if let Some((row, _)) = entries.last().filter(|(row, _)| *row as usize >= rows) {
            let message = format!(
                "a sparse column of {rows} rows has a value in row {}",
                row + 1
            );
            return unusable(message, "rows are numbered from 0");
        }
        for (_, value) in &mut entries {
            *value = round_to_10_digits(*value);
        }
        Ok(Self::from_sorted(rows, entries))
    }

    /// A column of rounded values at increasing rows.
    pub(crate) fn from_sorted(rows: usize, mut entries: Vec<(u32, f64)>) -> Self {
        entries.retain(|(_, value)| *value != 0.0);
        let (places, values) = entries.into_iter().unzip();
        Self {
            rows,
            places,
            values,
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// True without any row.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The rows that are not 0, in order, with their values.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = (u32, f64)> {
        let places = self.places.iter().copied();
        places.zip(self.values.iter().copied())
    }

    /// Those of a range of rows.
    pub(crate) fn entries_within(
        &self,
        range: std::ops::Range<usize>,
    ) -> impl Iterator<Item = (usize, f64)> {
        let place = |row: usize| self.places.partition_point(|&place| (place as usize) < row);
        let within = place(range.start)..place(range.end);
        let places = self.places[within.clone()].iter().map(|&row| row as usize);
        places.zip(self.values[within].iter().copied())
    }

    /// The value of a row; NaN is missing.
    pub fn get(&self, row: usize) -> f64 {
        let found = self.places.binary_search(&(row as u32));
        found.map_or(0.0, |i| self.values[i])
    }

    /// The values of all rows, NaN being missing.
    ///
    /// ```
    /// use fnb::columns::SparseColumn;
    /// assert_eq!(SparseColumn::new(3, vec![(1, 2.5)])?.to_dense(), [0.0, 2.5, 0.0]);
    /// # Ok::<(), fnb::Error>(())
    /// ```
    pub fn to_dense(&self) -> Vec<f64> {
        let mut values = vec![0.0; self.rows];
        for (row, value) in self.entries() {
            values[row as usize] = value;
        }
        values
    }

    /// Number of missing values.
    pub fn missing(&self) -> usize {
        self.values.iter().filter(|value| value.is_nan()).count()
    }

    /// The values of the given rows.
    #[must_use]
    pub fn take(&self, rows: &[usize]) -> Self {
        self.take_placed(&RowPlaces::new(rows, self.rows))
    }

    /// The same, with a look-up that many columns share.
    pub(super) fn take_placed(&self, taken: &RowPlaces) -> Self {
        let places = |(row, value)| taken.of(row).iter().map(move |&place| (place, value));
        let mut entries: Vec<(u32, f64)> = self.entries().flat_map(places).collect();
        if !entries.is_sorted_by_key(|&(place, _)| place) {
            entries.sort_unstable_by_key(|&(place, _)| place);
        }
        Self::from_sorted(taken.rows.len(), entries)
    }
}

/// The value that a sparse variable does not list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unlisted {
    /// 0: columns that are sparse, counts of records.
    Zero,
    /// Missing: what there is not without records.
    Missing,
}

/// Where each row of a table goes when some rows are taken; a row may be taken several times.
pub(super) struct RowPlaces {
    /// The places of row `i` are `rows[starts[i]..starts[i + 1]]`.
    starts: Vec<u32>,
    rows: Vec<u32>,
}

impl RowPlaces {
    /// The places of `taken`, rows of a table of `total` rows.
    pub(super) fn new(taken: &[usize], total: usize) -> Self {
        let mut starts = vec![0; total + 1];
        for &row in taken {
            starts[row + 1] += 1;
        }
        for row in 0..total {
            starts[row + 1] += starts[row];
        }
        let mut next = starts.clone();
        let mut rows = vec![0; taken.len()];
        for (place, &row) in taken.iter().enumerate() {
            rows[next[row] as usize] = place as u32;
            next[row] += 1;
        }
        Self { starts, rows }
    }

    fn of(&self, row: u32) -> &[u32] {
        let row = row as usize;
        &self.rows[self.starts[row] as usize..self.starts[row + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_taken_in_any_order_and_more_than_once() {
        let column = SparseColumn::new(6, vec![(1, 1.0), (4, -2.0), (5, f64::NAN)]).unwrap();
        let rows = [5, 4, 0, 1, 4, 2];
        let taken = column.take(&rows);
        assert_eq!(taken.len(), 6);
        assert_eq!(taken.missing(), 1);
        for (place, &row) in rows.iter().enumerate() {
            assert_eq!(key(taken.get(place)), key(column.get(row)), "row {row}");
        }
    }

    fn key(value: f64) -> Option<i64> {
        (!value.is_nan()).then_some(value as i64)
    }

    #[test]
    fn a_range_holds_its_own_entries() {
        let column = SparseColumn::new(9, vec![(2, 1.0), (4, 2.0), (8, 3.0)]).unwrap();
        let within = |range| column.entries_within(range).collect::<Vec<_>>();
        assert_eq!(within(2..8), [(2, 1.0), (4, 2.0)]);
        assert_eq!(within(8..9), [(8, 3.0)]);
        assert_eq!(within(5..8), []);
    }

    #[test]
    fn two_values_or_a_row_too_far_are_refused() {
        let twice = SparseColumn::new(9, vec![(2, 1.0), (2, 2.0)]).unwrap_err();
        assert!(twice.message().contains("two values in row 3"), "{twice}");
        let far = SparseColumn::new(2, vec![(2, 1.0)]).unwrap_err();
        assert!(
            far.message().contains("2 rows has a value in row 3"),
            "{far}"
        );
    }
}
