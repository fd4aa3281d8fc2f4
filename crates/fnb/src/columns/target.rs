//! The target: its classes and the class of every row.

use super::{Column, ColumnData, Unused};
use crate::{Code, Error, Result};

/// The largest number of classes: a class fits in the 12 low bits of a sort key (see
/// `prepare::discretize::sorted_values`).
pub const MAX_CLASSES: usize = 4096;

/// The classes, sorted as strings, and the class of every row. A missing target is a class of its
/// own, the empty string (docs/method.md §1.3).
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    name: String,
    classes: Vec<String>,
    codes: Vec<u32>,
    counts: Vec<u64>,
}

impl Target {
    /// The target held by a column of any type.
    ///
    /// ```
    /// use fnb::columns::{Column, ColumnData, Target};
    /// let data = ColumnData::Categorical([Some("yes"), Some("no"), Some("yes")].into_iter().collect());
    /// let target = Target::from_column(&Column { name: "churn".into(), data })?;
    /// assert_eq!(target.classes(), ["no", "yes"]);
    /// assert_eq!(target.codes(), [1, 0, 1]);
    /// assert_eq!(target.counts(), [1, 2]);
    /// # Ok::<(), fnb::Error>(())
    /// ```
    pub fn from_column(column: &Column) -> Result<Self> {
        match &column.data {
            ColumnData::Categorical(c) => {
                let values: Vec<&str> = c.values().iter().map(Option::unwrap_or_default).collect();
                Ok(Self::from_values(&column.name, &values, c.codes()))
            }
            ColumnData::Numeric(c) => Ok(Self::from_numbers(&column.name, c.values().to_vec())),
            ColumnData::Sparse(c) => {
                let numbers = (0..c.len()).map(|row| c.get(row)).collect();
                Ok(Self::from_numbers(&column.name, numbers))
            }
            other => {
                let kind = other.unused().map_or("", Unused::as_str);
                let message = format!("the target {:?} is a {kind} column", column.name);
                Err(Error::new(Code::UnsupportedType, message).help(format!(
                    "read it as categories with --type {}=cat",
                    column.name
                )))
            }
        }
    }

    fn from_numbers(name: &str, numbers: Vec<f64>) -> Self {
        let text = |v: f64| {
            if v.is_nan() {
                String::new()
            } else {
                v.to_string()
            }
        };
        let values: Vec<String> = numbers.into_iter().map(text).collect();
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        let codes: Vec<u32> = (0..values.len() as u32).collect();
        Self::from_values(name, &values, &codes)
    }

    /// `values[codes[row]]` is the class of a row; values may repeat or have no row.
    fn from_values(name: &str, values: &[&str], codes: &[u32]) -> Self {
        let mut present = vec![false; values.len()];
        for &code in codes {
            present[code as usize] = true;
        }
        let mut classes: Vec<&str> = values
            .iter()
            .zip(present)
            .filter(|(_, p)| *p)
            .map(|(v, _)| *v)
            .collect();
        classes.sort_unstable();
        classes.dedup();
        let class_of: Vec<u32> = values
            .iter()
            .map(|v| classes.partition_point(|c| c < v) as u32)
            .collect();
        let codes: Vec<u32> = codes.iter().map(|&code| class_of[code as usize]).collect();
        let classes: Vec<String> = classes.into_iter().map(str::to_owned).collect();
        let mut counts = vec![0; classes.len()];
        for &code in &codes {
            counts[code as usize] += 1;
        }
        Self {
            name: name.to_owned(),
            classes,
            codes,
            counts,
        }
    }

    /// The name of the column.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The classes in class order.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// The class of every row.
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// Number of rows of each class.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.codes.len()
    }

    /// The target of the given rows; a class without any row left disappears.
    #[must_use]
    pub fn take(&self, rows: &[usize]) -> Self {
        let codes: Vec<u32> = rows.iter().map(|&row| self.codes[row]).collect();
        let values: Vec<&str> = self.classes.iter().map(String::as_str).collect();
        Self::from_values(&self.name, &values, &codes)
    }

    /// Can a classifier be learnt? A target whose values hardly repeat is an identifier or a
    /// quantity, not a class.
    pub fn check_trainable(&self) -> Result<()> {
        let (name, classes, rows) = (&self.name, self.classes.len(), self.rows());
        let half = classes > 2 && classes * 2 > rows;
        if !half && classes <= MAX_CLASSES {
            return Ok(());
        }
        let limit = if half {
            "more than half the rows".into()
        } else {
            format!("over {MAX_CLASSES}")
        };
        let message = format!("the target {name:?} has {classes} classes in {rows} rows, {limit}");
        Err(Error::new(Code::TooManyClasses, message)
            .help("is it an identifier or a quantity? choose another column, or group its values"))
    }
}
