//! Sparse tables on the command line: read, checked, put beside the columns of the main table.

use crate::args::ReadArgs;
use crate::output::{Output, thousands};
use anyhow::Result;
use clap::Args;
use fnb::columns::{Frame, SparseEntries, SparseTable};
use fnb::math::nearest_name;
use fnb::model::Model;
use fnb::{Advice, Code, Error};
use fnb_table::{Expected, ReadOptions, read_sparse, sparse_tables_to_score};
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

    /// The files of the tables.
    pub(crate) fn files(&self) -> impl Iterator<Item = &String> {
        self.sparse.iter().map(|table| &table.file)
    }

    /// Are there none?
    pub(crate) fn is_empty(&self) -> bool {
        self.sparse.is_empty()
    }

    /// Reads every table, to learn from.
    pub(crate) fn read(&self, args: &ReadArgs, output: &Output) -> Result<Vec<SparseEntries>> {
        self.check_names()?;
        let how = args.options()?;
        let mut tables = Vec::new();
        for file in &self.sparse {
            let Some(table) = file.table() else {
                let SparseFile { name, file, .. } = file;
                let message = format!("the columns of the sparse table {name:?} are not given");
                return Err(Error::new(Code::Usage, message)
                    .help(format!("write --sparse {name}={file}:KEY,FEATURE[,VALUE]"))
                    .into());
            };
            let mut entries = file.read(table, None, &how, output)?;
            let mut sizes = self.sparse_size.iter();
            if let Some((_, size)) = sizes.rfind(|(name, _)| *name == file.name) {
                entries.set_features(*size)?;
            }
            tables.push(entries);
        }
        Ok(tables)
    }

    /// Reads what a model needs: the features that it has selected.
    pub(crate) fn read_for(
        &self,
        model: &Model,
        args: &ReadArgs,
        output: &Output,
    ) -> Result<Vec<SparseEntries>> {
        self.check_names()?;
        let known = model.sparse().iter().map(|s| s.table.name.as_str());
        check_known(self.sparse.iter().map(|file| file.name.as_str()), known)?;
        let how = args.options()?;
        let mut tables = Vec::new();
        for (table, features) in sparse_tables_to_score(model) {
            let name = &table.name;
            let Some(given) = self.sparse.iter().find(|file| file.name == *name) else {
                let message = format!("the model needs the sparse table {name:?}");
                return Err(Error::new(Code::Usage, message)
                    .help(format!("give it with --sparse {name}=FILE"))
                    .into());
            };
            tables.push(given.read(table.clone(), Some(&features), &how, output)?);
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
        let names = self.sparse.iter().map(|file| file.name.as_str());
        let sizes = self.sparse_size.iter().map(|(name, _)| name.as_str());
        Ok(check_known(sizes, names)?)
    }
}

/// Every name that is given is one of those known.
fn check_known<'a>(
    mut given: impl Iterator<Item = &'a str>,
    known: impl Iterator<Item = &'a str> + Clone,
) -> fnb::Result<()> {
    let Some(name) = given.find(|name| known.clone().all(|own| own != *name)) else {
        return Ok(());
    };
    let names: Vec<&str> = known.collect();
    let nearest = nearest_name(name, names.iter().copied());
    let others = if names.is_empty() {
        "there is none: leave it out".to_owned()
    } else {
        format!("the sparse tables are: {}", names.join(", "))
    };
    Err(
        Error::new(Code::Usage, format!("there is no sparse table {name:?}"))
            .help(Advice::did_you_mean(nearest, others)),
    )
}

impl SparseFile {
    /// The table as its columns are named in the file, if they are given.
    fn table(&self) -> Option<SparseTable> {
        let (key, feature, value) = self.columns.clone()?;
        Some(SparseTable {
            name: self.name.clone(),
            key,
            feature,
            value,
            features: 0,
        })
    }

    /// The columns of the file may have other names than those that a model knows.
    fn read(
        &self,
        table: SparseTable,
        only: Option<&[String]>,
        how: &ReadOptions,
        output: &Output,
    ) -> Result<SparseEntries> {
        let start = Instant::now();
        let in_file = self.table().unwrap_or_else(|| table.clone());
        let (entries, lines) = read_sparse(&self.file, table, &in_file, only, how)?;
        let (name, lines) = (&self.name, thousands(lines as u64));
        output.step(
            format_args!("read {lines} entries of {name}"),
            start.elapsed(),
        );
        Ok(entries)
    }
}

/// The frame with the columns of sparse tables; says what did not match.
pub(crate) fn add(frame: Frame, tables: &[SparseEntries], output: &Output) -> Result<Frame> {
    let (frame, notes) = frame.beside_sparse_tables(tables, &[])?;
    output.tell(&notes);
    Ok(frame)
}
