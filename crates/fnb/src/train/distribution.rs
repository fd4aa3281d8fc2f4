//! Columns → how their values lie, where no target is needed to know it.

use crate::columns::row_weights::{ONE, whole_rows};
use crate::columns::{
    Column, ColumnData, Distribution, Ordered, Outcomes, RowWeights, Temporal, TemporalColumn,
};
use crate::model::ValueFacts;
use crate::prepare::distribution_of_counted;
use crate::relational::shown_moment;

/// How the values of a column lie; `None` for long text, for what was not read, and without any value.
///
/// ```
/// use fnb::columns::{ColumnData, Distribution, NumericColumn};
/// let ages = ColumnData::Numeric(NumericColumn::new(vec![31.0, 29.0, 31.0, f64::NAN]));
/// let Some(Distribution::Numbers { whole, points, bins, .. }) = fnb::distribution(&ages) else {
///     panic!("ages are numbers");
/// };
/// assert!(whole);
/// assert_eq!(points, [29.0, 31.0, 31.0]);
/// assert_eq!(bins, [1, 0, 2]);
/// ```
pub fn distribution(data: &ColumnData) -> Option<Distribution> {
    let rows = match data {
        ColumnData::Numeric(column) => column.len(),
        ColumnData::Sparse(column) => column.len(),
        ColumnData::Categorical(column) => column.len(),
        ColumnData::Temporal(column) => return of_moments(column, None).1,
        ColumnData::Text(_) | ColumnData::Unused(_) => return None,
    };
    let codes = vec![0; rows];
    distribution_of_counted(data, &Outcomes::new(&codes, vec![rows as u64], None))
}

/// How the values of a column that is no input lie, as far as it was read.
pub(super) fn facts_of_values(column: &Column, weights: Option<&RowWeights>) -> Option<ValueFacts> {
    let units = |row: usize| weights.map_or(ONE, |weights| weights.units()[row]);
    let missing_rows = |is_missing: &dyn Fn(usize) -> bool, rows: usize| {
        let missing = (0..rows).filter(|&row| is_missing(row));
        whole_rows(missing.map(units).sum())
    };
    let (missing, distinct, distribution) = match &column.data {
        ColumnData::Temporal(values) => {
            let missing = missing_rows(&|row| values.get(row).is_none(), values.len());
            let (distinct, distribution) = of_moments(values, weights);
            let distinct = distinct + u64::from(missing > 0);
            (missing, Some(distinct), distribution)
        }
        ColumnData::Text(values) => {
            let code = values.values().missing();
            let is_missing = |row: usize| Some(values.codes()[row]) == code;
            (missing_rows(&is_missing, values.len()), None, None)
        }
        _ => return None,
    };
    Some(ValueFacts {
        name: column.name.clone(),
        distinct,
        missing: Some(missing),
        distribution,
    })
}

/// Of dates and times, whose rows may have weights: the number of distinct ones and how they lie.
fn of_moments(
    column: &TemporalColumn,
    weights: Option<&RowWeights>,
) -> (u64, Option<Distribution>) {
    let units = |row: usize| weights.map_or(ONE, |weights| weights.units()[row]);
    let values = column.values().iter().enumerate();
    let values = values.filter(|(_, value)| **value != TemporalColumn::MISSING);
    let values = values.map(|(row, &value)| (value, units(row)));
    of_counted_moments(column.kind(), values.collect())
}

/// The same, given values, which may repeat, and the units of weight of their rows.
pub(super) fn of_counted_moments(
    kind: Temporal,
    mut values: Vec<(i64, u64)>,
) -> (u64, Option<Distribution>) {
    values.retain(|(_, units)| *units > 0);
    values.sort_unstable();
    let mut total = 0;
    let mut distinct: Vec<(i64, u64)> = Vec::new();
    for same in values.chunk_by(|a, b| a.0 == b.0) {
        total += same.iter().map(|(_, units)| units).sum::<u64>();
        distinct.push((same[0].0, total));
    }
    let ordered = Ordered {
        len: distinct.len(),
        value: |i: usize| distinct[i].0,
        rows_up_to: |i: usize| whole_rows(distinct[i].1),
    };
    let found = Distribution::of_moments(&ordered, |value| shown_moment(kind, value));
    (distinct.len() as u64, found)
}
