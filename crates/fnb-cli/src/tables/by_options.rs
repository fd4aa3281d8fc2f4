//! Several tables named by options: types are detected, keys given or guessed.

use super::args::{TableArg, TableArgs};
use super::read::{cutoff, table_name, times};
use super::several::{Several, file_of, main};
use crate::args::ReadArgs;
use crate::input;
use crate::output::Output;
use anyhow::Result;
use fnb::columns::Frame;
use fnb::relational::{RootFile, Schema, TableSpec, guess_keys, is_key, key_columns, shown};
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
    let opened = opened.collect::<fnb::Result<Vec<Opening>>>()?;
    if specs.iter().any(|spec| spec.key.is_empty()) {
        guess(&mut specs, &tables.key, &opened, output)?;
    }
    if let Some(target) = target {
        check_target(target, &tables.key, &specs)?;
    }
    let mut keys = key_columns(&tables.key, &specs);
    let natural = Natural::new(&opened);
    let (mut frames, mut dropped) = (BTreeMap::new(), Vec::new());
    let mut root_file = RootFile::default();
    for opening in opened {
        let Opening { path, table, .. } = opening;
        let is_main = path.is_empty();
        dropped.push((path.clone(), opening.options.drop.clone()));
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
        frames.insert(path, frame);
    }
    let target = match target {
        Some(name) => Some(input::take_target(main(&mut frames), name)?),
        None => None,
    };
    if let Some(target) = &target {
        check_no_copy(&target.name, data, tables, &frames)?;
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
    for (path, names) in &dropped {
        leave_out(names, path, &mut schema);
    }
    Ok(Several {
        schema,
        frames,
        cutoff,
        target,
        root_file,
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

/// Keys that are to be dropped still join tables, but are no inputs.
fn leave_out(names: &[String], path: &str, schema: &mut Schema) {
    let entity = schema.entity_at(path).map(str::to_owned);
    let entity = entity.and_then(|name| schema.entities.get_mut(&name));
    for field in entity.into_iter().flat_map(|entity| &mut entity.fields) {
        field.unused |= names.contains(&field.name);
    }
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

/// The main table given once more as records of itself would tell the target.
fn check_no_copy(
    target: &str,
    data: &[String],
    tables: &TableArgs,
    frames: &BTreeMap<String, Frame>,
) -> fnb::Result<()> {
    for TableArg { path, file, .. } in &tables.tables {
        let frame = frames.get(&tables.path_of(path));
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

/// Keys that were not given, guessed and reported. If names do not tell, the columns that could be keys
/// are read.
fn guess(
    specs: &mut [TableSpec],
    key: &[String],
    opened: &[Opening],
    output: &Output,
) -> Result<()> {
    let columns = opened.iter().map(|opening| {
        let names = opening.table.names(&opening.options)?;
        Ok((opening.path.clone(), names))
    });
    let columns = columns.collect::<fnb::Result<BTreeMap<_, _>>>()?;
    let is_unique = |path: &str, column: &str| -> fnb::Result<bool> {
        let opening = opened.iter().find(|opening| opening.path == path);
        let Some(Opening { files, options, .. }) = opening.filter(|o| o.files != ["-"]) else {
            let message = "several columns could be keys, and standard input is read once";
            return Err(Error::new(Code::Usage, message).help("give keys: --table NAME=FILE:KEY"));
        };
        let options = ReadOptions {
            columns: vec![Expected::key(column)],
            only: true,
            may_be_empty: true,
            ..options.clone()
        };
        let frame = fnb_table::read(files, &options)?.frame;
        Ok(frame.columns().iter().all(is_key))
    };
    for i in guess_keys(key, specs, &columns, is_unique)? {
        let (name, key) = (shown(&specs[i].path), specs[i].key.join(", "));
        output.note(format_args!("{name}: the key is guessed to be {key}"));
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
