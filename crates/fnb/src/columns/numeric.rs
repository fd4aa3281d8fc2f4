//! A column of numbers.

use crate::math::decimal::round_to_10_digits;
use std::fmt;
use std::sync::Arc;

/// Numbers; a missing one is NaN.
///
/// Values carry 10 significant decimal digits (docs/method.md §0.4): two values that agree once
/// rounded are one value. `-0.0` is `0.0`.
#[derive(Clone)]
pub struct NumericColumn {
    values: Storage,
}

/// Memory that somebody else lends.
pub type LentNumbers = Arc<dyn AsRef<[f64]> + Send + Sync>;

#[derive(Clone)]
enum Storage {
    Owned(Vec<f64>),
    Lent(LentNumbers),
}

impl NumericColumn {
    /// A column of the given values, rounded to 10 digits; NaN is missing.
    ///
    /// ```
    /// use fnb::columns::NumericColumn;
    /// let column = NumericColumn::new(vec![1.0, 0.1 + 0.2, f64::NAN]);
    /// assert_eq!(column.values()[1], 0.3);
    /// assert_eq!(column.missing(), 1);
    /// ```
    pub fn new(mut values: Vec<f64>) -> Self {
        for value in &mut values {
            *value = round_to_10_digits(*value);
        }
        Self::from_rounded(values)
    }

    /// A column of values that are known to be rounded already, such as short decimal text.
    pub fn from_rounded(values: Vec<f64>) -> Self {
        Self {
            values: Storage::Owned(values),
        }
    }

    /// A column on memory of somebody else, used where it is; `None` if a value has more than 10
    /// digits and must be rounded.
    ///
    /// ```
    /// use fnb::columns::NumericColumn;
    /// use std::sync::Arc;
    /// assert!(NumericColumn::lent(Arc::new(vec![1.5, f64::NAN])).is_some());
    /// assert!(NumericColumn::lent(Arc::new(vec![0.1 + 0.2])).is_none());
    /// ```
    pub fn lent(values: LentNumbers) -> Option<Self> {
        // Bits, not values: -0 must become 0, and NaN is itself.
        let is_rounded = |v: &f64| round_to_10_digits(*v).to_bits() == v.to_bits();
        (*values).as_ref().iter().all(is_rounded).then(|| Self {
            values: Storage::Lent(values),
        })
    }

    /// Are the values in memory of somebody else?
    pub fn is_lent(&self) -> bool {
        matches!(self.values, Storage::Lent(_))
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.values().len()
    }

    /// True without any row.
    pub fn is_empty(&self) -> bool {
        self.values().is_empty()
    }

    /// The values, missing ones as NaN.
    pub fn values(&self) -> &[f64] {
        match &self.values {
            Storage::Owned(values) => values,
            Storage::Lent(values) => (**values).as_ref(),
        }
    }

    /// Number of missing values.
    pub fn missing(&self) -> usize {
        self.values().iter().filter(|v| v.is_nan()).count()
    }

    /// The values of the given rows.
    #[must_use]
    pub fn take(&self, rows: &[usize]) -> Self {
        let values = self.values();
        Self::from_rounded(rows.iter().map(|&row| values[row]).collect())
    }
}

impl Default for NumericColumn {
    fn default() -> Self {
        Self::from_rounded(Vec::new())
    }
}

impl PartialEq for NumericColumn {
    fn eq(&self, other: &Self) -> bool {
        self.values() == other.values()
    }
}

impl fmt::Debug for NumericColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("NumericColumn")
            .field(&self.values())
            .finish()
    }
}
