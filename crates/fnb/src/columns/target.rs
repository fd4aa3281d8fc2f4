//! The target: its classes and the class of every row.

use super::class_weights::ClassFactors;
use super::outcomes::sums_of_units;
use super::row_weights::whole_rows;
use super::{ClassWeights, Column, ColumnData, ColumnType, Outcomes, RowWeights};
use crate::{Advice, Code, Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// What is predicted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Task {
    /// A class among several.
    #[default]
    Classification,
}

/// The largest number of classes: a class fits in the 12 low bits of a sort key (see
/// `prepare::discretize::sorted_values`).
pub const MAX_CLASSES: usize = 4096;

/// The classes, sorted as strings, and the class of every row. A missing target is a class of its
/// own, the empty string (docs/method.md §1.3). Rows may have weights (§1.6).
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    name: String,
    classes: Vec<String>,
    codes: Vec<u32>,
    counts: Vec<u64>,
    /// Absent if all are 1.
    weights: Option<RowWeights>,
    /// The class weights that are part of them.
    class_factors: Option<ClassFactors>,
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
                Ok(Self::from_values(&column.name, &values, c.codes(), None))
            }
            ColumnData::Numeric(c) => Ok(Self::from_numbers(&column.name, c.values().to_vec())),
            ColumnData::Sparse(c) => {
                let numbers = (0..c.len()).map(|row| c.get(row)).collect();
                Ok(Self::from_numbers(&column.name, numbers))
            }
            other => {
                let kind = other.word();
                let message = format!("the target {:?} is a {kind} column", column.name);
                Err(
                    Error::new(Code::UnsupportedType, message).help(Advice::ReadAs {
                        column: column.name.clone(),
                        ty: ColumnType::Categorical,
                    }),
                )
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
        Self::from_values(name, &values, &codes, None)
    }

    /// `values[codes[row]]` is the class of a row; values may repeat or have no row.
    fn from_values(
        name: &str,
        values: &[&str],
        codes: &[u32],
        weights: Option<RowWeights>,
    ) -> Self {
        let weights = weights.filter(|weights| !weights.are_all_one());
        // Rows of weight 0 are not there, unless all are: such a target cannot be trained on.
        let counting = weights.as_ref().filter(|weights| weights.total() > 0);
        let counts_row = |row: usize| counting.is_none_or(|weights| weights.units()[row] > 0);
        let mut present = vec![false; values.len()];
        for (row, &code) in codes.iter().enumerate() {
            present[code as usize] |= counts_row(row);
        }
        let mut classes: Vec<&str> = values
            .iter()
            .zip(present)
            .filter(|(_, p)| *p)
            .map(|(v, _)| *v)
            .collect();
        classes.sort_unstable();
        classes.dedup();
        let last = classes.len().saturating_sub(1);
        let class_of: Vec<u32> = values
            .iter()
            .map(|v| classes.partition_point(|c| c < v).min(last) as u32)
            .collect();
        let codes: Vec<u32> = codes.iter().map(|&code| class_of[code as usize]).collect();
        let classes: Vec<String> = classes.into_iter().map(str::to_owned).collect();
        let mut target = Self {
            name: name.to_owned(),
            counts: vec![0; classes.len()],
            classes,
            codes,
            weights,
            class_factors: None,
        };
        target.counts = match &target.weights {
            Some(_) => target.class_units().into_iter().map(whole_rows).collect(),
            None => target.class_units(),
        };
        target
    }

    /// Some rows of a table, whose classes and counts are known: the class of every row, and its weight if
    /// those of the table are not all 1.
    pub(crate) fn of_part(
        name: &str,
        classes: Vec<String>,
        counts: Vec<u64>,
        codes: Vec<u32>,
        weights: Option<RowWeights>,
    ) -> Self {
        Self {
            name: name.to_owned(),
            classes,
            codes,
            counts,
            weights,
            class_factors: None,
        }
    }

    /// The sum of the weights of each class: in units if there are weights, else in rows.
    fn class_units(&self) -> Vec<u64> {
        sums_of_units(&self.codes, self.weights.as_ref(), self.classes.len())
    }

    /// The same target with a weight per row: the number of rows that it stands for, up to a factor if these are
    /// not whole numbers ([`RowWeights`]). They multiply weights that are there already. A row of weight 0 is as if it were not there, and its class
    /// without meaning.
    ///
    /// ```
    /// use fnb::columns::{Column, ColumnData, Target};
    /// # let data = ColumnData::Categorical([Some("yes"), Some("no"), Some("yes")].into_iter().collect());
    /// # let target = Target::from_column(&Column { name: "churn".into(), data })?;
    /// let target = target.with_weights(&[2.0, 3.0, 0.0])?;
    /// assert_eq!((target.rows(), target.total()), (3, 5));
    /// assert_eq!(target.counts(), [3, 2]);
    /// # Ok::<(), fnb::Error>(())
    /// ```
    pub fn with_weights(self, weights: &[f64]) -> Result<Self> {
        self.check_without_class_weights()?;
        if weights.len() != self.rows() {
            let message = format!("{} weights for {} rows", weights.len(), self.rows());
            return Err(Error::new(Code::UnusableData, message).help("give one weight per row"));
        }
        let weights = RowWeights::new(weights)?;
        let weights = match &self.weights {
            Some(before) => before.times(&weights)?,
            None => weights,
        };
        Ok(self.reweighted(Some(weights)))
    }

    /// The same target, the weights of its rows multiplied by those of their classes. Parts are
    /// found as without; the class shares change, and what the rows of a class count for the weights
    /// of the variables (docs/method.md §1.6).
    ///
    /// ```
    /// use fnb::columns::{ClassWeights, Column, ColumnData, Target};
    /// # let data = ColumnData::Categorical([Some("yes"), Some("no"), Some("no"), Some("no")].into_iter().collect());
    /// # let target = Target::from_column(&Column { name: "churn".into(), data })?;
    /// let balanced = target.clone().with_class_weights(&ClassWeights::Balanced)?;
    /// assert_eq!(balanced.counts(), [3, 3]); // the class of the smallest weight keeps its count
    /// let given = ClassWeights::Given(vec![("yes".into(), 5.0)]);
    /// assert_eq!(target.with_class_weights(&given)?.counts(), [3, 5]);
    /// # Ok::<(), fnb::Error>(())
    /// ```
    pub fn with_class_weights(self, weights: &ClassWeights) -> Result<Self> {
        self.check_without_class_weights()?;
        let factors = weights.factors(&self.classes, &self.outcomes().sums())?;
        let of_rows = self.codes.iter().map(|&class| factors[class as usize]);
        let of_rows = RowWeights::counted(of_rows)?;
        let named: Vec<(String, f64)> = self.classes.iter().cloned().zip(factors).collect();
        let weights = match &self.weights {
            Some(before) => before.times(&of_rows)?,
            None => of_rows,
        };
        let factors = ClassFactors {
            before: weights.without_absent_rows(self.weights.as_ref()),
            named,
        };
        Ok(self.reweighted(Some(weights)).with_factors(Some(factors)))
    }

    fn check_without_class_weights(&self) -> Result<()> {
        if self.class_factors.is_none() {
            return Ok(());
        }
        let message =
            "class weights are in already: weights of rows come before, and class weights once";
        Err(Error::new(Code::Internal, message))
    }

    fn reweighted(&self, weights: Option<RowWeights>) -> Self {
        let values: Vec<&str> = self.classes.iter().map(String::as_str).collect();
        Self::from_values(&self.name, &values, &self.codes, weights)
    }

    /// Takes note of the class weights that are part of the weights.
    fn with_factors(mut self, factors: Option<ClassFactors>) -> Self {
        if let Some(factors) = factors.filter(|_| self.weights.is_some()) {
            let before = self.reweighted(factors.before.clone());
            self.counts = factors.scaled_counts(&self.classes, &before.counts);
            self.class_factors = Some(factors);
        }
        self
    }

    /// What weights of variables are learnt for.
    pub fn outcomes(&self) -> Outcomes<'_> {
        Outcomes::new(&self.codes, self.counts.clone(), self.weights.as_ref())
    }

    /// What parts are found for: the same without class weights. Rows of a heavy class are no copies
    /// of each other, so class weights must not look like evidence.
    pub(crate) fn unweighted_outcomes(&self) -> Outcomes<'_> {
        let Some(factors) = &self.class_factors else {
            return self.outcomes();
        };
        let weights = factors.before.as_ref();
        let units = sums_of_units(&self.codes, weights, self.classes.len());
        let counts = match weights {
            Some(_) => units.into_iter().map(whole_rows).collect(),
            None => units,
        };
        Outcomes::new(&self.codes, counts, weights)
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

    /// Number of rows of each class, each row as often as its weight says, to whole rows. Class
    /// weights multiply them, the smallest one being taken as 1: the shares are right and no class
    /// loses digits.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Number of rows of the table, whatever their weights.
    pub fn rows(&self) -> usize {
        self.codes.len()
    }

    /// N, the number of rows of all classes: that of the table if there are no weights.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The weights of the rows, if they are not all 1.
    pub fn weights(&self) -> Option<&RowWeights> {
        self.weights.as_ref()
    }

    /// The class weights that are part of them, in class order.
    pub fn class_weights(&self) -> Option<&[(String, f64)]> {
        self.class_factors
            .as_ref()
            .map(|factors| factors.named.as_slice())
    }

    /// The target of the given rows; a class without any row left disappears.
    #[must_use]
    pub fn take(&self, rows: &[usize]) -> Self {
        let codes: Vec<u32> = rows.iter().map(|&row| self.codes[row]).collect();
        let values: Vec<&str> = self.classes.iter().map(String::as_str).collect();
        let weights = self.weights.as_ref().map(|weights| weights.take(rows));
        let factors = self.class_factors.as_ref();
        Self::from_values(&self.name, &values, &codes, weights)
            .with_factors(factors.map(|factors| factors.take(rows)))
    }

    /// The rows to learn weights of variables from, by position, and their target; no positions if
    /// they are those of the table. Rows of integer weights are repeated, so that they are the very
    /// rows of a table where they are repeated; rows of weight 0 are gone.
    pub(crate) fn rows_to_learn_from(&self) -> (Cow<'_, Self>, Option<Vec<usize>>) {
        let Some(weights) = &self.weights else {
            return (Cow::Borrowed(self), None);
        };
        if let Some(rows) = weights.repeated_rows() {
            let codes = rows.iter().map(|&row| self.codes[row]).collect();
            let target = Self {
                codes,
                weights: None,
                class_factors: None,
                ..self.clone()
            };
            return (Cow::Owned(target), Some(rows));
        }
        let rows = weights.present_rows();
        if rows.len() == self.rows() {
            return (Cow::Borrowed(self), None);
        }
        (Cow::Owned(self.take(&rows)), Some(rows))
    }

    /// Can a classifier be learnt? A target whose values hardly repeat is an identifier or a
    /// quantity, not a class.
    pub fn check_trainable(&self) -> Result<()> {
        if let Some(class) = self.counts.iter().position(|&count| count == 0) {
            let sum = (1e6 * self.unweighted_outcomes().sums()[class]).round() / 1e6;
            let class = &self.classes[class];
            let message = format!("the rows of class {class:?} weigh {sum}, less than half a row");
            return Err(Error::new(Code::UnusableData, message)
                .help("give its rows more weight beside the others, or leave the class out"));
        }
        let (name, classes, rows) = (&self.name, self.classes.len(), self.total());
        let half = classes > 2 && classes as u64 * 2 > rows;
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
