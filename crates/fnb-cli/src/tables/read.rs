//! Reading one table or several, to learn from.

use super::args::{TableArgs, data_path, known_path, option_of, unknown_table};
use super::by_options::read_by_options;
use super::several::{Joined, Several, file_of, main};
use crate::args::{DataArgs, ReadArgs};
use crate::output::Output;
use crate::{input, sparse};
use anyhow::Result;
use fnb::columns::{ColumnType, Frame};
use fnb::relational::{Cutoff, DataPath, RootFile, Schema, shown};
use fnb::{Code, Error};
use fnb_table::{Expected, ReadOptions, SchemaOfTables, Table};
use std::collections::BTreeMap;

/// Reads one table or several, with the columns of the main one that are no inputs. Its rows may repeat
/// a key.
pub(crate) fn read_data(
    args: &DataArgs,
    target: Option<&str>,
    weight: Option<&str>,
    output: &Output,
) -> Result<Joined> {
    let DataArgs { data, tables, read } = args;
    if !tables.is_empty() || read.schema_of_tables()?.is_some() {
        return read_several(data, target, tables, read, output)?.join(weight, output);
    }
    let mut options = read.options()?;
    check_alone(data, tables)?;
    let columns = &mut options.columns;
    columns.extend(weight.map(|name| Expected::typed(name, ColumnType::Numerical)));
    columns.extend(target.map(Expected::target));
    columns.extend(read.sparse.keys());
    let mut frame = input::read(data, &options, output)?.frame;
    let sparse_tables = read.sparse.read(read, output)?;
    let target = target.map(|name| input::take_target(&mut frame, name));
    let target = target.transpose()?;
    let weight = weight.and_then(|name| frame.remove(name));
    Ok(Joined {
        database: sparse::add(frame, &sparse_tables, output)?.into(),
        target,
        weight,
    })
}

/// A single table needs data, and has no use for options about others.
fn check_alone(data: &[String], tables: &TableArgs) -> Result<()> {
    let (message, help) = if data.is_empty() {
        ("no data are given", "name files, or a --schema that does")
    } else if tables.speak_of_others() {
        (
            "--cutoff, --time, --timeless and --one speak of other tables, but none is given",
            "give them with --table NAME=FILE:KEY",
        )
    } else {
        return Ok(());
    };
    Err(Error::new(Code::Usage, message).help(help).into())
}

/// Reads the tables that options or a schema file name.
pub(crate) fn read_several(
    data: &[String],
    target: Option<&str>,
    tables: &TableArgs,
    read: &ReadArgs,
    output: &Output,
) -> Result<Several> {
    let mut several = match read.schema_of_tables()? {
        Some(file) => read_by_schema(file.clone(), data, target, tables, read, output),
        None => read_by_options(data, target, tables, read, output),
    }?;
    several.add_sparse(read, output)?;
    Ok(several)
}

/// All files and types come from a schema file; options may name other files.
fn read_by_schema(
    mut file: SchemaOfTables,
    data: &[String],
    target: Option<&str>,
    tables: &TableArgs,
    read: &ReadArgs,
    output: &Output,
) -> Result<Several> {
    let paths = file.schema.data_paths();
    let known = || paths.iter().map(|table| table.path.as_str());
    let look_ups = tables.lookups.iter();
    let look_ups = look_ups.map(|l| (format!("/{}", l.table.path), &l.table.file));
    let owned = tables.tables.iter();
    let owned = owned.map(|table| (known_path(&table.path, known()), &table.file));
    for (path, name) in owned.chain(look_ups) {
        if known().all(|known| known != path) {
            return Err(unknown_in_schema(&path, known()).into());
        }
        file.files.insert(path, name.clone());
    }
    let target = target.or(file.target.as_deref());
    let mut frames = BTreeMap::new();
    let mut root_file = RootFile::default();
    for DataPath { path, entity } in paths {
        let files = match file.files.get(&path) {
            _ if path.is_empty() && !data.is_empty() => data.to_vec(),
            Some(name) => vec![name.clone()],
            None => return Err(no_file(&path).into()),
        };
        let mut only = SchemaOfTables::expected(file.schema.entity(&entity));
        if path.is_empty() {
            let keys = read.sparse.keys();
            for expected in keys.chain(target.map(Expected::target)) {
                only.retain(|other| other.name != expected.name);
                only.push(expected);
            }
        }
        let options = ReadOptions {
            columns: only,
            only: true,
            may_be_empty: !path.is_empty(),
            ..read.options()?
        };
        let name = table_name(&path);
        let Table { frame, info } = input::read_named(&name, &files, &options, output)?;
        if path.is_empty() {
            root_file = file_of(&info);
        }
        frames.insert(path, frame);
    }
    let cutoff = cutoff(tables, &file.schema)?.or(file.cutoff);
    let cutoff = cutoff.map(|cutoff| times(cutoff, &frames, output));
    let cutoff = cutoff.transpose()?;
    let target = match target {
        Some(name) => Some(input::take_target(main(&mut frames), name)?),
        None => None,
    };
    Ok(Several {
        schema: file.schema,
        frames,
        cutoff,
        target,
        root_file,
    })
}

fn unknown_in_schema<'a>(path: &str, known: impl Iterator<Item = &'a str>) -> Error {
    let known: Vec<String> = known.filter(|path| !path.is_empty()).map(shown).collect();
    let message = format!("the schema has no table {}", shown(path));
    Error::new(Code::Usage, message).help(format!("its tables are {}", known.join(", ")))
}

fn no_file(path: &str) -> Error {
    let name = shown(path);
    let message = format!("there is no file for {name}");
    Error::new(Code::Usage, message).help(match path {
        "" => "name it first, or under \"files\" in the schema".to_owned(),
        path => format!("give it with {} {name}=FILE", option_of(path)),
    })
}

/// The name of a table in what is said of its reading; the main one has none.
pub(super) fn table_name(path: &str) -> String {
    if path.is_empty() {
        String::new()
    } else {
        shown(path)
    }
}

/// The times of a cut-off: those that were given, and of other tables the only one they have.
pub(super) fn times(
    cutoff: Cutoff,
    frames: &BTreeMap<String, Frame>,
    output: &Output,
) -> fnb::Result<Cutoff> {
    let found = cutoff.complete(frames)?;
    output.tell(&found.notes());
    Ok(found.cutoff)
}

/// The cut-off that options give, if they do.
pub(super) fn cutoff(args: &TableArgs, schema: &Schema) -> fnb::Result<Option<Cutoff>> {
    let paths = schema.data_paths();
    let path = |named: &str, option: &str| {
        let path = known_path(named, paths.iter().map(|table| table.path.as_str()));
        if path.is_empty() || schema.entity_at(&path).is_none() {
            return Err(unknown_table(&shown(&path), option, &args.tables));
        }
        Ok(path)
    };
    let time = |(table, column): &(String, String)| Ok((path(table, "--time")?, column.clone()));
    let tables = args.time.iter().map(time).collect::<fnb::Result<_>>()?;
    let timeless = args
        .timeless
        .iter()
        .map(|name| path(&data_path(name), "--timeless"));
    let timeless = timeless.collect::<fnb::Result<_>>()?;
    Ok(args.cutoff.as_ref().map(|root| Cutoff {
        root: root.clone(),
        tables,
        timeless,
    }))
}
