//! How many values a column has, and how many are missing.

use super::ColumnData;

impl ColumnData {
    /// Number of distinct values, missing being one; `None` if the column was not read.
    ///
    /// ```
    /// use fnb::columns::{ColumnData, NumericColumn};
    /// let ages = ColumnData::Numeric(NumericColumn::new(vec![31.0, f64::NAN, 31.0]));
    /// assert_eq!((ages.distinct(), ages.missing()), (Some(2), Some(1)));
    /// ```
    pub fn distinct(&self) -> Option<usize> {
        Some(match self {
            Self::Numeric(column) => distinct(column.values().to_vec()),
            Self::Sparse(column) => {
                let mut listed: Vec<f64> = column.entries().map(|(_, value)| value).collect();
                if listed.len() < column.len() {
                    listed.push(0.0);
                }
                distinct(listed)
            }
            Self::Categorical(column) | Self::Text(column) => column.values().len(),
            Self::Temporal(column) => {
                let mut values = column.values().to_vec();
                values.sort_unstable();
                values.dedup();
                values.len()
            }
            Self::Unused(_) => return None,
        })
    }

    /// Number of missing values; `None` if the column was not read.
    pub fn missing(&self) -> Option<usize> {
        Some(match self {
            Self::Numeric(column) => column.missing(),
            Self::Sparse(column) => column.missing(),
            Self::Categorical(column) | Self::Text(column) => {
                let missing = column.values().missing();
                let count = |code| column.codes().iter().filter(|c| **c == code).count();
                missing.map_or(0, count)
            }
            Self::Temporal(column) => {
                let rows = 0..column.len();
                rows.filter(|&row| column.get(row).is_none()).count()
            }
            Self::Unused(_) => return None,
        })
    }
}

fn distinct(mut values: Vec<f64>) -> usize {
    values.sort_unstable_by(f64::total_cmp);
    values.dedup_by(|a, b| a == b || (a.is_nan() && b.is_nan()));
    values.len()
}
