//! The rows that a sparse variable does not list.

use super::{PartCodes, PartIndex};
use crate::columns::{ColumnData, Unlisted};

/// The part of the value that a sparse variable does not list: every row of that value, and those rows
/// that it lists with another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnlistedPart {
    /// Its position among the parts.
    pub part: usize,
    /// The rows of this part that the variable lists, in order.
    pub listed: Vec<u32>,
}

impl UnlistedPart {
    /// That of a column whose rows have these parts. `None` if the column is not of the kind of the parts.
    pub(crate) fn of(
        column: &ColumnData,
        unlisted: Unlisted,
        index: &PartIndex,
        codes: &PartCodes,
    ) -> Option<Self> {
        let (part, listed) = match column {
            ColumnData::Sparse(column) => {
                let part = index.of_number(0.0)?;
                let listed = column.entries().map(|(row, _)| row);
                (part, within(part, codes, listed))
            }
            ColumnData::Numeric(column) => {
                let (value, is_listed): (f64, fn(f64) -> bool) = match unlisted {
                    Unlisted::Zero => (0.0, |value| value != 0.0),
                    Unlisted::Missing => (f64::NAN, |value| !value.is_nan()),
                };
                let part = index.of_number(value)?;
                let rows = (0..).zip(column.values());
                let listed = rows.filter(|&(_, &value)| is_listed(value));
                (part, within(part, codes, listed.map(|(row, _)| row)))
            }
            ColumnData::Categorical(column) => {
                let part = index.of_category(None)?;
                let missing = column.values().missing();
                let rows = (0..).zip(column.codes());
                let listed = rows.filter(|&(_, &code)| Some(code) != missing);
                (part, within(part, codes, listed.map(|(row, _)| row)))
            }
            _ => return None,
        };
        Some(Self { part, listed })
    }

    /// That of the given rows, which may be in any order.
    #[must_use]
    pub(crate) fn take(&self, rows: &[usize]) -> Self {
        let is_listed = |row: usize| self.listed.binary_search(&(row as u32)).is_ok();
        let taken = rows.iter().enumerate();
        let listed = taken.filter(|&(_, &row)| is_listed(row));
        Self {
            part: self.part,
            listed: listed.map(|(place, _)| place as u32).collect(),
        }
    }
}

/// Those of some rows that are in a part.
fn within(part: usize, codes: &PartCodes, rows: impl Iterator<Item = u32>) -> Vec<u32> {
    rows.filter(|&row| codes.get(row as usize) == part)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::NumericColumn;
    use crate::terms::{MissingNumbers, Parts};

    #[test]
    fn the_value_that_is_not_listed_is_0_or_missing() {
        let parts = |missing| Parts::Intervals {
            missing,
            cuts: vec![1.5],
        };
        let values = vec![0.0, 1.0, 2.0, f64::NAN, 0.0, 9.0];
        let column = ColumnData::Numeric(NumericColumn::new(values));
        let unlisted = |missing, unlisted| {
            let index = PartIndex::new(&parts(missing));
            let found = index.encode_all(&column, 6, Some(unlisted)).unwrap();
            found.unlisted.unwrap()
        };
        let of = |part, listed: &[u32]| UnlistedPart {
            part,
            listed: listed.to_vec(),
        };
        // Missing is in the first interval: listed where 0 is not, and the other way round.
        let together = MissingNumbers::None;
        assert_eq!(unlisted(together, Unlisted::Zero), of(0, &[1, 3]));
        assert_eq!(unlisted(together, Unlisted::Missing), of(0, &[0, 1, 4]));
        let own = MissingNumbers::Own;
        assert_eq!(unlisted(own, Unlisted::Zero), of(1, &[1]));
        assert_eq!(unlisted(own, Unlisted::Missing), of(0, &[]));

        let categories = [Some("a"), None, Some("b"), Some("a")].into_iter();
        let column = ColumnData::Categorical(categories.collect());
        let groups = vec![vec![Some("b".into())], vec![Some("a".into()), None]];
        let index = PartIndex::new(&Parts::Groups { groups, default: 0 });
        let found = index.encode_all(&column, 4, Some(Unlisted::Missing));
        let found = found.unwrap().unlisted.unwrap();
        assert_eq!(found, of(1, &[0, 3]));
        assert_eq!(found.take(&[3, 1, 2, 0]), of(1, &[0, 3]));
        assert_eq!(found.take(&[1, 2, 3]), of(1, &[2]));
    }
}
