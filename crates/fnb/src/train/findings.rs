//! Prepared variables → what the user should look at.

use super::facts::TableFacts;
use crate::columns::VariableKind;
use crate::model::Finding;
use crate::prepare::PreparedVariable;

/// A variable with this share of the information of the target is suspected to be a copy of it.
const NEARLY_ALL: f64 = 0.95;

/// A column of categories is an identifier if this share of its values is distinct.
const NEARLY_DISTINCT: f64 = 0.95;

/// Fewer rows tell nothing about what is unusual.
const FEWEST_ROWS: usize = 20;

/// What was found, by kind and name: the order of the columns does not matter. `variables` are those of the
/// columns of the main table and what is constructed, each with whether its values number the rows; `rows`
/// are those of the table, whatever their weights.
pub(super) fn findings<'v>(
    variables: impl Iterator<Item = (&'v PreparedVariable, bool)> + Clone,
    facts: &TableFacts,
    class_counts: &[u64],
    rows: usize,
) -> Vec<Finding> {
    let mut found: Vec<Finding> = variables
        .clone()
        .filter_map(|(variable, _)| tells_all(variable, class_counts))
        .collect();
    // Features of a sparse table are one or two values by nature, and too many to be told.
    let columns = variables.filter(|(variable, _)| {
        variable.axes[0].from.is_column() && !facts.is_sparse_feature(&variable.name)
    });
    found.extend(columns.filter_map(|(variable, numbers_rows)| {
        let row_number = || {
            numbers_rows.then(|| Finding::RowNumber {
                column: variable.name.clone(),
            })
        };
        constant(variable)
            .or_else(|| identifier(variable, rows))
            .or_else(row_number)
    }));
    let rank = |finding: &Finding| match finding {
        Finding::TellsAll { .. } => 0,
        Finding::RowNumber { .. } => 1,
        Finding::Identifier { .. } => 2,
        Finding::Constant { .. } => 3,
    };
    found.sort_by(|a, b| (rank(a), a.name()).cmp(&(rank(b), b.name())));
    found
}

fn tells_all(variable: &PreparedVariable, class_counts: &[u64]) -> Option<Finding> {
    let rows: u64 = class_counts.iter().sum();
    if variable.level <= 0.0 || rows < FEWEST_ROWS as u64 {
        return None;
    }
    let parts: f64 = variable.counts.iter().map(|part| entropy(part)).sum();
    let share = 1.0 - parts / entropy(class_counts);
    (share > NEARLY_ALL).then(|| Finding::TellsAll {
        variable: variable.name.clone(),
        share,
    })
}

/// `Σ n_j ln(n / n_j)`: what the classes of some rows cost, coded by their shares.
///
/// Not the level of the variable: what its parts cost is in that too, and a copy of the target in a table of
/// 100 rows is at 0.85.
fn entropy(counts: &[u64]) -> f64 {
    let rows = counts.iter().sum::<u64>() as f64;
    let counts = counts.iter().filter(|count| **count > 0);
    counts
        .map(|&count| count as f64 * (rows / count as f64).ln())
        .sum()
}

fn constant(variable: &PreparedVariable) -> Option<Finding> {
    (variable.axes[0].distinct <= 1).then(|| Finding::Constant {
        column: variable.name.clone(),
        missing: variable.axes[0].missing > 0,
    })
}

fn identifier(variable: &PreparedVariable, rows: usize) -> Option<Finding> {
    let axis = &variable.axes[0];
    let present = rows.saturating_sub(axis.missing);
    let distinct = axis.distinct - usize::from(axis.missing > 0);
    let unusual = axis.kind == VariableKind::Categorical
        && present >= FEWEST_ROWS
        && distinct as f64 >= NEARLY_DISTINCT * present as f64;
    unusual.then(|| Finding::Identifier {
        column: variable.name.clone(),
        distinct: distinct as u64,
        rows: present as u64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::{Column, ColumnData, Frame, NumericColumn, Target};
    use crate::{Prepared, Settings};

    fn numbers(name: &str, of: impl Fn(usize) -> f64) -> Column {
        let values = (0..100).map(of).collect();
        Column {
            name: name.into(),
            data: ColumnData::Numeric(NumericColumn::new(values)),
        }
    }

    fn texts(name: &str, of: impl Fn(usize) -> Option<String>) -> Column {
        let values: Vec<Option<String>> = (0..100).map(of).collect();
        Column {
            name: name.into(),
            data: ColumnData::Categorical(values.iter().map(Option::as_deref).collect()),
        }
    }

    fn found(columns: Vec<Column>) -> Vec<Finding> {
        let class = texts("class", |row| {
            Some(if row * 37 % 100 < 40 { "yes" } else { "no" }.into())
        });
        let target = Target::from_column(&class).expect("two classes");
        let frame = Frame::new(100, columns).expect("columns of equal length");
        let prepared = Prepared::new(&frame.into(), &target, &Settings::default(), &());
        prepared.expect("enough rows").findings().to_vec()
    }

    #[test]
    fn copies_identifiers_and_constants_are_found() {
        let copy = |row: usize| if row * 37 % 100 < 40 { 1.0 } else { 0.0 };
        let mut columns = vec![
            numbers("copy", copy),
            numbers("number", |row| 5001.0 + row as f64),
            texts("id", |row| Some(format!("c{}", row.max(3)))),
            texts("flat", |_| Some("u".into())),
            numbers("empty", |_| f64::NAN),
        ];
        let expected = [
            Finding::TellsAll {
                variable: "copy".into(),
                share: 1.0,
            },
            Finding::RowNumber {
                column: "number".into(),
            },
            Finding::Identifier {
                column: "id".into(),
                distinct: 97,
                rows: 100,
            },
            Finding::Constant {
                column: "empty".into(),
                missing: true,
            },
            Finding::Constant {
                column: "flat".into(),
                missing: false,
            },
        ];
        assert_eq!(found(columns.clone()), expected);
        columns.reverse();
        assert_eq!(found(columns), expected);
    }

    #[test]
    fn ordinary_columns_are_not() {
        let columns = vec![
            // Right in 9 rows of 10.
            numbers("good", |row| {
                f64::from(u8::from(row * 37 % 100 < 40) ^ u8::from(row % 10 == 0))
            }),
            // All distinct, but they count nothing.
            numbers("amounts", |row| (row * 7919 % 100_003) as f64),
            numbers("measures", |row| row as f64 / 7.0),
            texts("cities", |row| Some(format!("city {}", row % 60))),
            texts("rare", |row| (row % 10 == 0).then(|| format!("note {row}"))),
        ];
        assert_eq!(found(columns), []);
    }
}
