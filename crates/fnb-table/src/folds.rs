//! Folds that are given in a file.

use crate::options::{Expected, ReadOptions};
use crate::read;
use fnb::columns::{Column, ColumnData, ColumnType};
use fnb::{Code, Error, Result};

/// Reads the fold of every row: an integer column `fold` in a file of as many rows.
///
/// ```
/// let path = std::env::temp_dir().join("fnb_folds_example.csv");
/// std::fs::write(&path, "fold\n0\n1\n0\n")?;
/// let file = path.display().to_string();
/// assert_eq!(fnb_table::read_folds(&file, 3)?, [0, 1, 0]);
/// # std::fs::remove_file(path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_folds(file: &str, rows: usize) -> Result<Vec<u32>> {
    let invalid = |message: String| {
        Error::new(Code::InvalidFolds, format!("{file}: {message}"))
            .help("give a column named fold with a whole number per row of the data")
    };
    let options = ReadOptions::only(vec![Expected::welcome("fold", ColumnType::Numerical)]);
    let table = read(&[file.to_owned()], &options).map_err(|error| match error.code() {
        Code::NotANumber => invalid("there are texts among the folds".into()),
        _ => error,
    })?;
    let Some(Column {
        data: ColumnData::Numeric(column),
        ..
    }) = table.frame.columns().first()
    else {
        return Err(invalid("there is no column of numbers named fold".into()));
    };
    if column.len() != rows {
        let folds = column.len();
        return Err(invalid(format!("there are {folds} folds for {rows} rows")));
    }
    let fold = |(row, &value): (usize, &f64)| {
        let whole = value >= 0.0 && value <= f64::from(u32::MAX) && value.fract() == 0.0;
        whole.then_some(value as u32).ok_or_else(|| {
            let row = row + 1;
            invalid(if value.is_nan() {
                format!("row {row} has no fold")
            } else {
                format!("row {row} has fold {value}")
            })
        })
    };
    let folds: Vec<u32> = column
        .values()
        .iter()
        .enumerate()
        .map(fold)
        .collect::<Result<_>>()?;
    if folds.iter().all(|fold| *fold == folds[0]) {
        return Err(invalid("all rows are in the same fold".into()));
    }
    Ok(folds)
}
