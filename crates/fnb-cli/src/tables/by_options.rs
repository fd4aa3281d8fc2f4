//! Several tables named by options: types are detected, keys given or guessed.

use super::args::TableArgs;
use super::read::{cutoff, table_name, times};
use super::several::{Several, file_of, main};
use crate::args::ReadArgs;
use crate::input;
use crate::output::Output;
use anyhow::Result;
use fnb::columns::Frame;
use fnb::relational::{RootFile, Schema, TableKind, TableSpec, guess_keys, key_columns, shown};
use fnb::{Code, Error};
use fnb_table::{Expected, OpenTable, ReadOptions, SaidBy, Table};
use std::collections::BTreeMap;

/// A table that is open, to be read once all keys are known.
struct Opening {
    path: String,
    files: Vec<String>,
    table: OpenTable,
    options: ReadOptions,
}

/// Types are detected, keys are given or guessed from the names of the columns.
pub(super) fn read_by_options(
    data: &[String],
    target: Option<&str>,
    tables: &TableArgs,
    read: &ReadArgs,
    output: &Output,
) -> Result<Several> {
    let mut specs = tables.specs()?;
    let others = specs.iter().zip(tables.files());
    let others = others.map(|(spec, file)| (spec.path.clone(), vec![file.clone()]));
    let all = [(String::new(), data.to_vec())].into_iter().chain(others);
    let opened = all.map(|(path, files)| {
        let options = own_options(read, tables, &path)?;
        let table = fnb_table::open(&files, &options)?;
        Ok(Opening {
            path,
            files,
            table,
            options,
        })
    });
    let mut opened = opened.collect::<fnb::Result<Vec<Opening>>>()?;
    if specs.iter().any(|spec| spec.key.is_empty()) {
        guess(&mut specs, &tables.key, target, &opened, output)?;
        for (opening, spec) in opened[1..].iter_mut().zip(&specs) {
            opening.path.clone_from(&spec.path);
        }
    }
    if let Some(target) = target {
        check_target(target, &tables.key, &specs)?;
    }
    let mut keys = key_columns(&tables.key, &specs);
    let natural = Natural::new(&opened);
    let (mut frames, mut left_out) = (BTreeMap::new(), BTreeMap::new());
    let mut root_file = RootFile::default();
    for opening in opened {
        let Opening { path, table, .. } = opening;
        let is_main = path.is_empty();
        let mut options = ReadOptions {
            may_be_empty: !is_main,
            ..opening.options
        };
        let keys = keys.remove(&path).unwrap_or_default().into_iter();
        options.columns.extend(keys.map(Expected::key_if_any));
        if is_main {
            options.columns.extend(read.sparse.keys());
            options.columns.extend(target.map(Expected::target));
        }
        let Table { frame, info } = input::read_open(&table_name(&path), table, &options, output)?;
        if is_main {
            root_file = file_of(&info);
        }
        // Keys that are to be left out still join tables.
        let names = frame.columns().iter().map(|column| column.name.clone());
        let names: Vec<String> = names.filter(|name| options.drops(name)).collect();
        left_out.insert(path.clone(), names);
        frames.insert(path, frame);
    }
    let target = match target {
        Some(name) => Some(input::take_target(main(&mut frames), name)?),
        None => None,
    };
    if let Some(target) = &target {
        let others = specs.iter().zip(tables.files());
        let others = others.map(|(spec, file)| (spec.path.as_str(), file.as_str()));
        check_no_copy(&target.name, data, others, &frames)?;
    }
    let schema = Schema::assemble(&tables.key, &specs, &frames)?;
    let texts: Vec<String> = read.sparse.keys().map(|key| key.name).collect();
    schema.give_keys_their_types(&texts, &mut frames, |path, columns| {
        natural.read(path, columns)
    })?;
    let mut schema = Schema::assemble(&tables.key, &specs, &frames)?;
    let cutoff = cutoff(tables, &schema)?;
    let cutoff = cutoff.map(|cutoff| times(cutoff, &frames, output));
    let cutoff = cutoff.transpose()?;
    for (path, names) in &left_out {
        schema.leave_out(path, names);
    }
    Ok(Several {
        schema,
        frames,
        cutoff,
        target,
        root_file,
        files: named_files(data, &specs, tables),
    })
}

/// Columns that are keys, read again as they would be otherwise.
struct Natural {
    /// By data path: the files and how they are read.
    tables: BTreeMap<String, (Vec<String>, ReadOptions)>,
}

impl Natural {
    fn new(opened: &[Opening]) -> Self {
        let table = |opening: &Opening| {
            let options = ReadOptions {
                may_be_empty: true,
                ..opening.options.clone()
            };
            (opening.path.clone(), (opening.files.clone(), options))
        };
        Self {
            tables: opened.iter().map(table).collect(),
        }
    }

    /// `None` for standard input, which was read.
    fn read(&self, path: &str, columns: &[String]) -> fnb::Result<Option<Frame>> {
        match self.tables.get(path) {
            Some((files, options)) if *files != ["-"] => {
                Ok(Some(fnb_table::read(files, &options.just(columns))?.frame))
            }
            _ => Ok(None),
        }
    }
}

/// The files of the tables by data path; a main table of several has none.
fn named_files(
    data: &[String],
    specs: &[TableSpec],
    tables: &TableArgs,
) -> BTreeMap<String, String> {
    let main = match data {
        [file] => Some((String::new(), file.clone())),
        _ => None,
    };
    let others = specs.iter().zip(tables.files());
    let others = others.map(|(spec, file)| (spec.path.clone(), file.clone()));
    main.into_iter().chain(others).collect()
}

/// The target names neither a table of the main one nor its rows.
fn check_target(target: &str, key: &[String], specs: &[TableSpec]) -> fnb::Result<()> {
    let is_first = |spec: &&TableSpec| {
        !spec.path.contains('/') && spec.key.first().is_some_and(|name| name == target)
    };
    if key.iter().any(|name| name == target) || specs.iter().any(|spec| is_first(&spec)) {
        let message = format!("{target:?} is both the target and a key");
        return Err(Error::new(Code::Usage, message)
            .help("a key names the rows of the main table: choose another column"));
    }
    if specs.iter().any(|spec| spec.path == target) {
        let message = format!("both the target and a table are named {target:?}");
        return Err(Error::new(Code::Usage, message).help("give the table another name"));
    }
    Ok(())
}

/// The main table given once more, as records of itself or to be looked up, would tell the target.
pub(super) fn check_no_copy<'a>(
    target: &str,
    data: &[String],
    others: impl Iterator<Item = (&'a str, &'a str)>,
    frames: &BTreeMap<String, Frame>,
) -> fnb::Result<()> {
    for (path, file) in others {
        let frame = frames.get(path);
        let tells = frame.is_some_and(|frame| frame.column(target).is_some());
        if tells && data.iter().any(|other| is_same_file(other, file)) {
            let name = shown(path);
            let message =
                format!("table {name} is the main table again, with the target {target:?}");
            return Err(Error::new(Code::Usage, message).help(format!(
                "give the file of its records, or leave the target out: --drop {name}.{target}"
            )));
        }
    }
    Ok(())
}

/// Whatever way the path is written.
fn is_same_file(a: &str, b: &str) -> bool {
    let file = |path: &str| std::fs::canonicalize(path).ok();
    a == b || file(a).is_some_and(|a| Some(a) == file(b))
}

/// Keys that were not given, guessed and reported: the columns that could be keys are read for it.
fn guess(
    specs: &mut [TableSpec],
    key: &[String],
    target: Option<&str>,
    opened: &[Opening],
    output: &Output,
) -> Result<()> {
    let columns = opened.iter().map(|opening| {
        let mut names = opening.table.names(&opening.options)?;
        // What is to be predicted names nobody.
        names.retain(|name| target != Some(name));
        Ok((opening.path.clone(), names))
    });
    let columns = columns.collect::<fnb::Result<BTreeMap<_, _>>>()?;
    let read = |path: &str, names: &[String]| -> fnb::Result<Frame> {
        let opening = opened.iter().find(|opening| opening.path == path);
        let Opening { table, options, .. } = opening.expect("a table that is open");
        let options = ReadOptions {
            columns: names.iter().map(Expected::key).collect(),
            only: true,
            may_be_empty: true,
            ..options.clone()
        };
        Ok(table.read_some(&options)?.frame)
    };
    for i in guess_keys(key, specs, &columns, read)? {
        output.note(guessed(&specs[i]));
    }
    if let Some(spec) = specs.iter().find(|spec| spec.key.is_empty()) {
        let name = shown(&spec.path);
        let message = format!("the key of {name} is not given and cannot be guessed");
        return Err(Error::new(Code::Usage, message)
            .help(format!("give it: --table {name}=FILE:KEY"))
            .into());
    }
    Ok(())
}

/// What was guessed of a table.
fn guessed(spec: &TableSpec) -> String {
    let (name, key) = (shown(&spec.path), spec.key.join(", "));
    match &spec.kind {
        TableKind::Many => format!("{name}: the key is guessed to be {key}"),
        TableKind::One => {
            format!("{name}: the key is guessed to be {key}; it has one record per row at most")
        }
        TableKind::LookUp(references) => {
            let tables = references.iter().map(|reference| shown(&reference.path));
            let tables = tables.collect::<Vec<_>>().join(", ");
            format!("{name}: it is guessed to be looked up by {key} of {tables}")
        }
    }
}

/// The options for one table: those that speak of `table.column` are for that table.
fn own_options(read: &ReadArgs, tables: &TableArgs, path: &str) -> fnb::Result<ReadOptions> {
    let mut options = match path {
        // A schema file of one table speaks of the main one.
        "" => read.options()?,
        _ => read.options_without_schema(),
    };
    let own = |name: &str| {
        let (table, column) = tables.place(name);
        (table == path).then(|| column.to_owned())
    };
    options
        .columns
        .retain_mut(|said| match (said.by, own(&said.name)) {
            (SaidBy::Schema, _) => true,
            (_, Some(name)) => {
                said.name = name;
                true
            }
            (_, None) => false,
        });
    options.drop = options.drop.iter().filter_map(|name| own(name)).collect();
    Ok(options)
}
