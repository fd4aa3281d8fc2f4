//! Sparse tables: a line per value that is not 0.

use crate::options::{Expected, ReadOptions};
use crate::read;
use fnb::columns::{
    CategoricalColumn, ColumnData, Frame, NumericColumn, SparseEntries, SparseTable,
};
use fnb::model::Model;
use fnb::{Code, Error, Result};

/// Reads a sparse table, whose columns have the names of `in_file` there: just the features `only`, if
/// they are given. Also tells the number of lines.
///
/// ```
/// use fnb::columns::SparseTable;
/// let path = std::env::temp_dir().join("fnb_sparse_example.csv");
/// std::fs::write(&path, "doc,word\n1,up\n1,down\n2,up\n")?;
/// let table = SparseTable {
///     name: "words".into(),
///     key: "doc".into(),
///     feature: "word".into(),
///     value: None,
///     features: 0,
/// };
/// let file = path.display().to_string();
/// let (words, lines) =
///     fnb_table::read_sparse(&file, table.clone(), &table, None, &Default::default())?;
/// assert_eq!((words.features().len(), lines), (2, 3));
/// # std::fs::remove_file(path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_sparse(
    file: &str,
    table: SparseTable,
    in_file: &SparseTable,
    only: Option<&[String]>,
    how: &ReadOptions,
) -> Result<(SparseEntries, usize)> {
    let options = ReadOptions {
        columns: [&in_file.key, &in_file.feature].map(Expected::key).into(),
        drop: Vec::new(),
        ..how.clone()
    };
    let mut frame = read(&[file.to_owned()], &options)?.frame;
    let entries = || {
        let values = in_file.value.as_deref().map(|name| numbers(&frame, name));
        let values = values.transpose()?;
        let keys = categories(&mut frame, &in_file.key)?;
        let features = categories(&mut frame, &in_file.feature)?;
        SparseEntries::new(table, &keys, &features, values.as_ref(), only)
    };
    let entries = entries().map_err(|error| error.at(file))?;
    Ok((entries, frame.rows()))
}

/// The sparse tables that a model needs, each with the features that it has selected.
pub fn sparse_tables_to_score(model: &Model) -> Vec<(&SparseTable, Vec<String>)> {
    let needed = model.sparse().iter().filter(|source| source.selected > 0);
    let table = |table| {
        let features = model.inputs().into_iter().filter_map(|input| {
            let (own, feature) = model.sparse_feature(&input.name)?;
            (own == table).then(|| feature.to_owned())
        });
        (table, features.collect())
    };
    needed.map(|source| table(&source.table)).collect()
}

fn categories(frame: &mut Frame, name: &str) -> Result<CategoricalColumn> {
    if let Some(ColumnData::Categorical(column)) = frame.remove(name).map(|column| column.data) {
        return Ok(column);
    }
    let message = format!("{name:?} is given twice");
    Err(Error::new(Code::Usage, message).help("key and feature are two columns"))
}

/// The values, which must all be numbers or missing.
fn numbers(frame: &Frame, name: &str) -> Result<NumericColumn> {
    let Some(column) = frame.column(name) else {
        let names = frame.columns().iter().map(|column| column.name.as_str());
        let names: Vec<&str> = names.collect();
        let error = Error::new(Code::UnknownColumn, format!("no column is named {name:?}"));
        return Err(error.help(format!("the columns are {}", names.join(", "))));
    };
    match &column.data {
        ColumnData::Numeric(column) => Ok(column.clone()),
        // A column of nothing but 0 and 1 is one of categories elsewhere.
        ColumnData::Categorical(column) => {
            let number = |row: usize| match column.get(row) {
                None => Ok(f64::NAN),
                Some(text) => {
                    let number = text.parse().ok().filter(|number: &f64| number.is_finite());
                    number.ok_or((row, text))
                }
            };
            let numbers = (0..column.len()).map(number).collect::<Result<_, _>>();
            numbers.map(NumericColumn::new).map_err(|(row, text)| {
                let row = row + 1;
                let message =
                    format!("the values of {name:?} are not numbers: row {row} is {text:?}");
                Error::new(Code::NotANumber, message).help("correct them, or name another column")
            })
        }
        _ => {
            let message = format!("the values of {name:?} are not numbers");
            Err(Error::new(Code::NotANumber, message).help("name another column"))
        }
    }
}
