//! Counts of a column that can be taken block by block, in any order and anywhere, and merged: all that
//! the preparation needs to know of the rows.
//!
//! [`ColumnCounts::update`] adds the rows of a block, [`merge`](ColumnCounts::merge) the counts of other
//! rows, and [`prepare_counts`](super::prepare_counts) takes the result. Rows are counted in units of
//! their weights, exactly, so that neither the blocks nor their order can show.

mod categories;
mod numbers;

use super::discretize::SortedValues;
use super::group::SortedCategories;
use crate::columns::{ColumnData, Distribution, Ordered, Outcomes, Spelling, Values};
use crate::{Code, Error, Result};
use categories::CategoryCounts;
use numbers::NumberCounts;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Fewer rows tell nothing about what is unusual.
const FEWEST_NUMBERED: usize = 20;

/// Rows of a column by value and outcome.
///
/// ```
/// use fnb::columns::{ColumnData, NumericColumn, Outcomes};
/// use fnb::prepare::{ColumnCounts, PrepareSettings, prepare_counts};
/// // Two blocks of rows: the small numbers are of outcome 0, the others of outcome 1.
/// let block = |from: u32| {
///     let values = (from..from + 20).map(f64::from).collect();
///     ColumnData::Numeric(NumericColumn::new(values))
/// };
/// let (mut first, mut second) = (ColumnCounts::default(), ColumnCounts::default());
/// first.update(&block(0), &Outcomes::new(&[0; 20], vec![20, 0], None))?;
/// second.update(&block(20), &Outcomes::new(&[1; 20], vec![0, 20], None))?;
/// second.merge(first)?;
/// let x = prepare_counts("x", second, &[20, 20], 0.0, PrepareSettings::default());
/// assert_eq!(x.axes[0].parts.label(0), "<= 19.5");
/// assert_eq!(x.counts, [[20, 0], [0, 20]]);
/// # Ok::<(), fnb::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ColumnCounts {
    /// Nothing before the first row.
    kind: Option<Kind>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Kind {
    Numbers(NumberCounts),
    Categories(CategoryCounts),
}

impl ColumnCounts {
    /// Adds the rows of a block, with their outcomes.
    pub fn update(&mut self, column: &ColumnData, rows: &Outcomes) -> Result<()> {
        let block = match column {
            ColumnData::Numeric(numbers) => Kind::Numbers(NumberCounts::of(numbers, rows)),
            ColumnData::Sparse(numbers) => Kind::Numbers(NumberCounts::of_sparse(numbers, rows)),
            ColumnData::Categorical(categories) => {
                Kind::Categories(CategoryCounts::of(categories, rows))
            }
            _ => return Err(not_counted("only numbers and categories are counted")),
        };
        self.merge(Self { kind: Some(block) })
    }

    /// Adds the counts of other rows of the same column.
    pub fn merge(&mut self, other: Self) -> Result<()> {
        self.kind = match (self.kind.take(), other.kind) {
            (None, kind) | (kind, None) => kind,
            (Some(Kind::Numbers(a)), Some(Kind::Numbers(b))) => Some(Kind::Numbers(a.merged(b))),
            (Some(Kind::Categories(mut a)), Some(Kind::Categories(b))) => {
                a.merge(b);
                Some(Kind::Categories(a))
            }
            _ => return Err(not_counted("some rows hold numbers and others categories")),
        };
        Ok(())
    }

    /// Its categories, without missing ones; `None` of numbers.
    pub(crate) fn categories(&self) -> Option<impl Iterator<Item = &str> + Clone> {
        match &self.kind {
            Some(Kind::Categories(categories)) => Some(categories.values()),
            _ => None,
        }
    }

    /// How its categories are written, if all alike.
    pub(crate) fn spelling(&self) -> Option<Spelling> {
        self.categories().and_then(Spelling::of)
    }

    /// What the searches work on; `outcomes` is their number.
    pub(super) fn finish(self, outcomes: usize) -> Counted<'static> {
        match self.kind {
            None => Counted::Numbers(SortedValues::weighted(Vec::new(), outcomes)),
            Some(Kind::Numbers(numbers)) => Counted::Numbers(numbers.finish(outcomes)),
            Some(Kind::Categories(categories)) => {
                let (values, counts) = categories.finish(outcomes);
                Counted::Categories {
                    values: Cow::Owned(values),
                    counts,
                }
            }
        }
    }
}

fn not_counted(message: &str) -> Error {
    Error::new(Code::UnsupportedType, message).help("read every block with the same types")
}

/// A column that is counted, in the order of the searches.
#[derive(Debug)]
pub(super) enum Counted<'a> {
    Numbers(SortedValues),
    Categories {
        values: Cow<'a, Values>,
        counts: SortedCategories,
    },
}

impl<'a> Counted<'a> {
    /// All rows of a column at once.
    pub(super) fn of(data: &'a ColumnData, rows: &Outcomes, scratch: &mut Vec<u64>) -> Self {
        match data {
            ColumnData::Numeric(numbers) => {
                Self::Numbers(SortedValues::new(numbers, rows, scratch))
            }
            ColumnData::Sparse(numbers) => {
                Self::Numbers(SortedValues::of_sparse(numbers, rows, scratch))
            }
            ColumnData::Categorical(categories) => Self::Categories {
                values: Cow::Borrowed(categories.values()),
                counts: SortedCategories::new(categories, rows),
            },
            _ => unreachable!("unused columns were set aside"),
        }
    }

    /// Do whole numbers, all distinct, count so many rows? One in two may be gone: rows were left out, for
    /// instance to be tested on. By chance so many numbers in so small a range are not distinct.
    pub(super) fn numbers_rows(&self, rows: usize) -> bool {
        let Self::Numbers(values) = self else {
            return false;
        };
        if rows < FEWEST_NUMBERED || values.len() != rows || values.missing() > 0 {
            return false;
        }
        let range = values.value(rows - 1) - values.value(0);
        range < 2.0 * rows as f64 && (0..rows).all(|i| values.value(i).fract() == 0.0)
    }

    /// How the values lie; `None` without any.
    pub(super) fn distribution(&self) -> Option<Distribution> {
        match self {
            Self::Numbers(values) => {
                let missing = values.missing();
                let first = usize::from(missing > 0);
                Distribution::of_numbers(&Ordered {
                    len: values.len() - first,
                    value: |i: usize| values.value(first + i),
                    rows_up_to: |i: usize| u64::from(values.cumulated[first + i]) - missing as u64,
                })
            }
            Self::Categories { values, counts } => {
                let repeated = counts.codes.len() - usize::from(counts.has_singles);
                let entries = counts.codes[..repeated].iter().zip(&counts.totals);
                let named =
                    entries.filter_map(|(&code, &rows)| Some((values.get(code)?, u64::from(rows))));
                let top = Distribution::of_categories(named);
                (counts.distinct > usize::from(counts.missing > 0)).then_some(top)
            }
        }
    }
}
