//! Several tables named by options: types are detected, keys given or guessed.

use super::args::{TableArg, TableArgs};
use super::read::{table_name, times};
use super::several::{Several, main, root_file};
use crate::args::ReadArgs;
use crate::input;
use crate::output::Output;
use anyhow::Result;
use fnb::columns::Frame;
use fnb::relational::{Schema, TableSpec, guess_keys, key_columns, shown};
use fnb::{Code, Error};
use fnb_table::{Expected, ReadOptions, SaidBy, Table};
use std::collections::BTreeMap;

/// Types are detected, keys are given.
pub(super) fn read_by_options(
    data: &[String],
    target: Option<&str>,
    tables: &TableArgs,
    read: &ReadArgs,
    output: &Output,
) -> Result<Several> {
    let mut specs = tables.specs()?;
    if specs.iter().any(|spec| spec.key.is_empty()) {
        guess(&mut specs, data, tables, read, output)?;
    }
    if let Some(target) = target {
        check_target(target, &tables.key, &specs)?;
    }
    let keys = key_columns(&tables.key, &specs);
    let mut frames = BTreeMap::new();
    let mut options = own_options(read, tables, "")?;
    options.columns.extend(keys_at("", &keys));
    options.columns.extend(read.sparse.keys());
    options.columns.extend(target.map(Expected::target));
    let Table { frame, info } = input::read(data, &options, output)?;
    frames.insert(String::new(), frame);
    for (spec, file) in specs.iter().zip(tables.files()) {
        let mut options = own_options(read, tables, &spec.path)?;
        options.may_be_empty = true;
        options.columns.extend(keys_at(&spec.path, &keys));
        let name = table_name(&spec.path);
        let file = std::slice::from_ref(file);
        let frame = input::read_named(&name, file, &options, output)?.frame;
        frames.insert(spec.path.clone(), frame);
    }
    let target = match target {
        Some(name) => Some(input::take_target(main(&mut frames), name)?),
        None => None,
    };
    if let Some(target) = &target {
        check_no_copy(&target.name, data, tables, &frames)?;
    }
    let mut schema = Schema::assemble(&tables.key, &specs, &frames)?;
    for path in frames.keys() {
        leave_out(&own_options(read, tables, path)?.drop, path, &mut schema);
    }
    let cutoff = match &tables.cutoff {
        Some(root) => Some(times(root, tables, &schema, &frames, output)?),
        None => None,
    };
    Ok(Several::new(
        schema,
        frames,
        cutoff,
        target,
        root_file(&info),
    ))
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

/// The columns of a table that are keys, as far as there are such columns.
fn keys_at<'a>(
    path: &str,
    keys: &'a BTreeMap<String, Vec<String>>,
) -> impl Iterator<Item = Expected> + use<'a> {
    let keys = keys.get(path).into_iter().flatten();
    keys.map(Expected::key_if_any)
}

/// Keys that were not given, guessed and reported. The tables are read for that: once keys are known,
/// they are read otherwise.
fn guess(
    specs: &mut [TableSpec],
    data: &[String],
    tables: &TableArgs,
    read: &ReadArgs,
    output: &Output,
) -> Result<()> {
    let mut frames = BTreeMap::new();
    let main = fnb_table::read(data, &own_options(read, tables, "")?)?;
    frames.insert(String::new(), main.frame);
    for (spec, file) in specs.iter().zip(tables.files()) {
        let options = ReadOptions {
            may_be_empty: true,
            ..own_options(read, tables, &spec.path)?
        };
        let frame = fnb_table::read(std::slice::from_ref(file), &options)?.frame;
        frames.insert(spec.path.clone(), frame);
    }
    for i in guess_keys(&tables.key, specs, &frames) {
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
