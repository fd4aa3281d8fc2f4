//! Reading one table or several, to learn from; times of a cut-off.

use super::args::{TableArgs, data_path, known_path, unknown_table};
use super::by_options::read_by_options;
use super::by_schema::read_by_schema;
use super::several::{Joined, Several};
use crate::args::{DataArgs, ReadArgs};
use crate::output::Output;
use crate::{input, sparse};
use anyhow::Result;
use fnb::columns::{ColumnType, Frame};
use fnb::relational::{Cutoff, Schema, shown};
use fnb::{Code, Error};
use fnb_table::Expected;
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
        Some(file) => read_by_schema(file, data, target, tables, read, output),
        None => read_by_options(data, target, tables, read, output),
    }?;
    several.add_sparse(read, output)?;
    Ok(several)
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
