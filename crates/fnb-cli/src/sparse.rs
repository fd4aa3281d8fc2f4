//! Sparse tables on the command line: read, checked, put beside the columns of the main table.

use crate::args::ReadArgs;
use crate::output::{Output, thousands};
use anyhow::Result;
use clap::Args;
use fnb::columns::{
    CategoricalColumn, ColumnData, Frame, NumericColumn, SparseEntries, SparseTable,
};
use fnb::math::nearest_name;
use fnb::model::Model;
use fnb::relational::JoinNote;
use fnb::{Code, Error};
use fnb_table::{Expected, ReadOptions};
use std::time::Instant;

/// Which sparse tables go with the data.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Sparse tables")]
pub(crate) struct SparseArgs {
    /// A table with a line per value that is not 0: its key is a column of the data too, each
    /// feature a variable NAME.FEATURE, values are 1 without VALUE. With a model, NAME=FILE is
    /// enough (repeatable)
    #[arg(long, value_name = "NAME=FILE:KEY,FEATURE[,VALUE]", value_parser = sparse_file)]
    pub(crate) sparse: Vec<SparseFile>,
    /// Number of features of a sparse table, if some have no value at all: they count as choices
    /// (repeatable)
    #[arg(long, value_name = "NAME=N", value_parser = sparse_size)]
    pub(crate) sparse_size: Vec<(String, usize)>,
}

/// A sparse table as it is given.
#[derive(Debug, Clone)]
pub(crate) struct SparseFile {
    name: String,
    file: String,
    /// Key, feature and perhaps value.
    columns: Option<(String, String, Option<String>)>,
}

fn sparse_file(text: &str) -> Result<SparseFile, String> {
    const FORM: &str = "NAME=FILE:KEY,FEATURE[,VALUE], for instance words=words.csv:doc,word,count";
    let (name, rest) = text.split_once('=').ok_or(FORM)?;
    let (name, rest) = (name.to_owned(), rest.to_owned());
    // A colon may belong to the path, as in C:\words.csv.
    let split = rest
        .rsplit_once(':')
        .filter(|(_, columns)| !columns.contains(['/', '\\']));
    let Some((file, columns)) = split else {
        let (file, columns) = (rest, None);
        return Ok(SparseFile {
            name,
            file,
            columns,
        });
    };
    let columns: Vec<&str> = columns.split(',').collect();
    let (key, feature, value) = match columns[..] {
        [key, feature] => (key, feature, None),
        [key, feature, value] => (key, feature, Some(value.to_owned())),
        _ => return Err(FORM.into()),
    };
    if [name.as_str(), file, key, feature].contains(&"") || value.as_deref() == Some("") {
        return Err(FORM.into());
    }
    Ok(SparseFile {
        name,
        file: file.to_owned(),
        columns: Some((key.to_owned(), feature.to_owned(), value)),
    })
}

fn sparse_size(text: &str) -> Result<(String, usize), String> {
    let parsed = text
        .split_once('=')
        .and_then(|(name, n)| Some((name, n.parse().ok()?)));
    match parsed {
        Some((name, n)) => Ok((name.to_owned(), n)),
        None => Err("NAME=N, for instance words=62061".into()),
    }
}

impl SparseArgs {
    /// The columns of the data that are keys of sparse tables.
    pub(crate) fn keys(&self) -> impl Iterator<Item = Expected> {
        let columns = self.sparse.iter().filter_map(|file| file.columns.as_ref());
        columns.map(|(key, ..)| Expected::key(key))
    }

    /// Are there none?
    pub(crate) fn is_empty(&self) -> bool {
        self.sparse.is_empty()
    }

    /// Reads every table, to learn from.
    pub(crate) fn read(&self, args: &ReadArgs, output: &Output) -> Result<Vec<SparseEntries>> {
        self.check_names()?;
        let tables = self.sparse.iter().map(|file| {
            let size = self
                .sparse_size
                .iter()
                .rfind(|(name, _)| *name == file.name);
            read_table(file, size.map(|(_, n)| *n), args, output)
        });
        tables.collect()
    }

    /// Reads what a model needs: the features that it has selected.
    pub(crate) fn read_for(
        &self,
        model: &Model,
        args: &ReadArgs,
        output: &Output,
    ) -> Result<Vec<SparseEntries>> {
        self.check_names()?;
        self.check_known(model)?;
        let mut tables = Vec::new();
        for source in model.sparse().iter().filter(|source| source.selected > 0) {
            let table = &source.table;
            let Some(given) = self.sparse.iter().find(|file| file.name == table.name) else {
                let name = &table.name;
                let message = format!("the model needs the sparse table {name:?}");
                return Err(Error::new(Code::Usage, message)
                    .help(format!("give it with --sparse {name}=FILE"))
                    .into());
            };
            let features = model.inputs().into_iter().filter_map(|input| {
                let (own, feature) = model.sparse_feature(&input.name)?;
                (own.name == table.name).then(|| feature.to_owned())
            });
            let only: Vec<String> = features.collect();
            tables.push(read_entries(
                given,
                table.clone(),
                Some(&only),
                args,
                output,
            )?);
        }
        Ok(tables)
    }

    fn check_names(&self) -> Result<()> {
        for (i, file) in self.sparse.iter().enumerate() {
            if self.sparse[..i].iter().any(|other| other.name == file.name) {
                let message = format!("two sparse tables are named {:?}", file.name);
                return Err(Error::new(Code::Usage, message)
                    .help("rename one of them")
                    .into());
            }
        }
        let names = || self.sparse.iter().map(|file| file.name.as_str());
        match self
            .sparse_size
            .iter()
            .find(|(name, _)| !names().any(|own| own == name))
        {
            Some((name, _)) => Err(unknown_table(name, names()).into()),
            None => Ok(()),
        }
    }

    fn check_known(&self, model: &Model) -> Result<()> {
        let names = || {
            model
                .sparse()
                .iter()
                .map(|source| source.table.name.as_str())
        };
        match self
            .sparse
            .iter()
            .find(|file| !names().any(|name| name == file.name))
        {
            Some(file) => Err(unknown_table(&file.name, names()).into()),
            None => Ok(()),
        }
    }
}

fn unknown_table<'a>(name: &str, names: impl Iterator<Item = &'a str> + Clone) -> Error {
    let help = match nearest_name(name, names.clone()) {
        Some(nearest) => format!("did you mean {nearest:?}?"),
        None => format!(
            "the sparse tables are: {}",
            names.collect::<Vec<_>>().join(", ")
        ),
    };
    Error::new(Code::Usage, format!("there is no sparse table {name:?}")).help(help)
}

fn read_table(
    file: &SparseFile,
    size: Option<usize>,
    args: &ReadArgs,
    output: &Output,
) -> Result<SparseEntries> {
    let Some((key, feature, value)) = file.columns.clone() else {
        let message = format!(
            "the columns of the sparse table {:?} are not given",
            file.name
        );
        let help = format!(
            "write --sparse {}={}:KEY,FEATURE[,VALUE]",
            file.name, file.file
        );
        return Err(Error::new(Code::Usage, message).help(help).into());
    };
    let table = SparseTable {
        name: file.name.clone(),
        key,
        feature,
        value,
        features: 0,
    };
    let mut entries = read_entries(file, table, None, args, output)?;
    if let Some(size) = size {
        entries.set_features(size)?;
    }
    Ok(entries)
}

fn read_entries(
    file: &SparseFile,
    table: SparseTable,
    only: Option<&[String]>,
    args: &ReadArgs,
    output: &Output,
) -> Result<SparseEntries> {
    let start = Instant::now();
    // The columns of the file may have other names than those that the model knows.
    let (key, feature, value) = file.columns.clone().unwrap_or_else(|| {
        let SparseTable { key, feature, .. } = table.clone();
        (key, feature, table.value.clone())
    });
    let options = ReadOptions {
        columns: [&key, &feature].map(Expected::key).into(),
        drop: Vec::new(),
        ..args.options_without_schema()
    };
    let at = |error: Error| error.at(&file.file);
    let mut frame = fnb_table::read(std::slice::from_ref(&file.file), &options)?.frame;
    let values = value.map(|name| numbers(&frame, &name));
    let values = values.transpose().map_err(at)?;
    let [keys, features] = [key, feature].map(|name| categories(&mut frame, &name));
    let entries = SparseEntries::new(table, &keys?, &features?, values.as_ref(), only);
    let entries = entries.map_err(at)?;
    let (name, lines) = (&file.name, thousands(frame.rows() as u64));
    output.step(
        format_args!("read {lines} entries of {name}"),
        start.elapsed(),
    );
    Ok(entries)
}

fn categories(frame: &mut Frame, name: &str) -> fnb::Result<CategoricalColumn> {
    if let Some(ColumnData::Categorical(column)) = frame.remove(name).map(|column| column.data) {
        return Ok(column);
    }
    let message = format!("{name:?} is given twice");
    Err(Error::new(Code::Usage, message).help("key and feature are two columns"))
}

/// The values, which must all be numbers or missing.
fn numbers(frame: &Frame, name: &str) -> fnb::Result<NumericColumn> {
    let names: Vec<&str> = frame
        .columns()
        .iter()
        .map(|column| column.name.as_str())
        .collect();
    let unknown = || {
        let error = Error::new(Code::UnknownColumn, format!("no column is named {name:?}"));
        error.help(format!("the columns are {}", names.join(", ")))
    };
    let data = &frame.column(name).ok_or_else(unknown)?.data;
    match data {
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

/// The frame with the columns of sparse tables; says what did not match.
pub(crate) fn add(frame: Frame, tables: &[SparseEntries], output: &Output) -> Result<Frame> {
    add_beside(frame, tables, &[], output)
}

/// The same for the main table of several, whose keys are kept.
pub(crate) fn add_beside(
    frame: Frame,
    tables: &[SparseEntries],
    kept: &[&str],
    output: &Output,
) -> Result<Frame> {
    if tables.is_empty() {
        return Ok(frame);
    }
    let (frame, found) = frame.with_sparse_tables_beside(tables, kept)?;
    for (entries, found) in tables.iter().zip(found) {
        output.tell(&JoinNote::of_sparse_table(entries.table(), &found));
    }
    Ok(frame)
}
