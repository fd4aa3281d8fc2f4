//! The values of a node, one per record of its table.

use crate::columns::{CategoricalColumn, ColumnData, NumericColumn, TemporalColumn};
use std::borrow::Cow;
use std::sync::Arc;

/// Values of the records of a table, borrowed from its columns where possible.
#[derive(Debug, Clone)]
pub(super) enum Values<'a> {
    /// With 10 digits; missing is NaN.
    Numbers(Cow<'a, [f64]>),
    /// Ranks in a dictionary; missing is the empty text.
    Texts {
        ranks: Vec<u32>,
        dictionary: Arc<Dictionary<'a>>,
    },
    /// Dates, times of day or timestamps.
    Times(Cow<'a, [i64]>),
}

/// Distinct texts in the order of their bytes; the first is the empty one.
#[derive(Debug)]
pub(super) struct Dictionary<'a> {
    texts: Vec<&'a str>,
}

impl<'a> Dictionary<'a> {
    /// The texts in the order of their ranks.
    pub(super) fn texts(&self) -> &[&'a str] {
        &self.texts
    }
}

impl<'a> Values<'a> {
    /// The values of a column of categories.
    pub(super) fn of_categories(column: &'a CategoricalColumn) -> Self {
        let texts = column.values().iter().map(Option::unwrap_or_default);
        let mut texts: Vec<(&str, Option<usize>)> = texts
            .zip(0..)
            .map(|(text, code)| (text, Some(code)))
            .collect();
        texts.push(("", None));
        texts.sort_unstable();
        let mut rank_of_code = vec![0_u32; column.values().len()];
        let mut distinct: Vec<&str> = Vec::with_capacity(texts.len());
        for (text, code) in texts {
            if distinct.last() != Some(&text) {
                distinct.push(text);
            }
            if let Some(code) = code {
                rank_of_code[code] = distinct.len() as u32 - 1;
            }
        }
        let rank = |&code: &u32| rank_of_code[code as usize];
        Self::Texts {
            ranks: column.codes().iter().map(rank).collect(),
            dictionary: Arc::new(Dictionary { texts: distinct }),
        }
    }

    pub(super) fn numbers(&self) -> &[f64] {
        match self {
            Self::Numbers(values) => values,
            _ => unreachable!("the types of operands were checked"),
        }
    }

    pub(super) fn texts(&self) -> (&[u32], &Arc<Dictionary<'a>>) {
        match self {
            Self::Texts { ranks, dictionary } => (ranks, dictionary),
            _ => unreachable!("the types of operands were checked"),
        }
    }

    pub(super) fn times(&self) -> &[i64] {
        match self {
            Self::Times(values) => values,
            _ => unreachable!("the types of operands were checked"),
        }
    }

    /// The values as a column; dates and times are none.
    pub(super) fn into_column(self) -> ColumnData {
        match self {
            Self::Numbers(values) => {
                ColumnData::Numeric(NumericColumn::from_rounded(values.into_owned()))
            }
            Self::Texts { ranks, dictionary } => {
                ColumnData::Categorical(categories(&ranks, &dictionary))
            }
            Self::Times(_) => unreachable!("a variable is a number or a category"),
        }
    }

    /// The values of the given records; [`NONE`](crate::relational::join::NONE) has a missing one.
    pub(super) fn fetch(&self, rows: &[u32]) -> Values<'a> {
        match self {
            Self::Numbers(values) => {
                let value = |&row: &u32| values.get(row as usize).copied().unwrap_or(f64::NAN);
                Values::Numbers(Cow::Owned(rows.iter().map(value).collect()))
            }
            Self::Texts { ranks, dictionary } => {
                let rank = |&row: &u32| ranks.get(row as usize).copied().unwrap_or(0);
                Values::Texts {
                    ranks: rows.iter().map(rank).collect(),
                    dictionary: Arc::clone(dictionary),
                }
            }
            Self::Times(values) => {
                let value = |&row: &u32| values.get(row as usize).copied();
                let value = |row| value(row).unwrap_or(TemporalColumn::MISSING);
                Values::Times(Cow::Owned(rows.iter().map(value).collect()))
            }
        }
    }
}

/// Codes follow the first appearance of each value, as everywhere; the empty text is missing.
fn categories(ranks: &[u32], dictionary: &Dictionary<'_>) -> CategoricalColumn {
    const UNSEEN: u32 = u32::MAX;
    let mut code_of_rank = vec![UNSEEN; dictionary.texts.len()];
    let mut seen = Vec::new();
    let codes = ranks.iter().map(|&rank| {
        let code = &mut code_of_rank[rank as usize];
        if *code == UNSEEN {
            *code = seen.len() as u32;
            seen.push(Some(dictionary.texts[rank as usize]).filter(|text| !text.is_empty()));
        }
        *code
    });
    let codes = codes.collect();
    CategoricalColumn::from_codes(codes, seen)
}
