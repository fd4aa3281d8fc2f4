//! A column of numbers.

use crate::math::decimal::round_to_10_digits;

/// Numbers; a missing one is NaN.
///
/// Values carry 10 significant decimal digits (docs/method.md §0.4): two values that agree once
/// rounded are one value. `-0.0` is `0.0`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NumericColumn {
    values: Vec<f64>,
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
        Self { values }
    }

    /// A column of values that are known to be rounded already, such as short decimal text.
    pub fn from_rounded(values: Vec<f64>) -> Self {
        Self { values }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// True without any row.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The values, missing ones as NaN.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Number of missing values.
    pub fn missing(&self) -> usize {
        self.values.iter().filter(|v| v.is_nan()).count()
    }

    /// The values of the given rows.
    #[must_use]
    pub fn take(&self, rows: &[usize]) -> Self {
        Self {
            values: rows.iter().map(|&row| self.values[row]).collect(),
        }
    }
}
