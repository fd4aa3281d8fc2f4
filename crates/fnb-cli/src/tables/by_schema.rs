//! Several tables named by a schema file: types and keys are known, options may say otherwise.

use super::args::{TableArgs, check_key, data_path, known_path, option_of};
use super::by_options::check_no_copy;
use super::read::{cutoff, table_name, times};
use super::several::{Several, file_of, main};
use crate::args::ReadArgs;
use crate::input;
use crate::output::Output;
use anyhow::Result;
use fnb::relational::{DataPath, Entity, Reference, RootFile, Schema, place, shown};
use fnb::{Code, Error};
use fnb_table::{Expected, ReadOptions, SchemaOfTables, Table};
use std::collections::BTreeMap;

/// All files and types come from a schema file; options may name other files.
pub(super) fn read_by_schema(
    file: &SchemaOfTables,
    data: &[String],
    target: Option<&str>,
    tables: &TableArgs,
    read: &ReadArgs,
    output: &Output,
) -> Result<Several> {
    let file = amended(file.clone(), tables, read)?;
    let target = target.or(file.target.as_deref());
    let mut frames = BTreeMap::new();
    let mut root_file = RootFile::default();
    for DataPath { path, entity } in file.schema.data_paths() {
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
    if let (Some(target), Some(main)) = (&target, file.files.get("")) {
        let data = if data.is_empty() {
            std::slice::from_ref(main)
        } else {
            data
        };
        let others = file.files.iter().filter(|(path, _)| !path.is_empty());
        let others = others.map(|(path, file)| (path.as_str(), file.as_str()));
        check_no_copy(&target.name, data, others, &frames)?;
    }
    Ok(Several {
        schema: file.schema,
        frames,
        cutoff,
        target,
        root_file,
        files: file.files,
    })
}

/// The schema with what options say of its tables: other files, types, keys, columns to leave out.
fn amended(
    mut file: SchemaOfTables,
    tables: &TableArgs,
    read: &ReadArgs,
) -> Result<SchemaOfTables> {
    file.amend_columns(&read.types, &read.drop)?;
    if !tables.key.is_empty() {
        file.set_key(&tables.key)?;
    }
    let paths = file.schema.data_paths();
    let known: Vec<&str> = paths.iter().map(|table| table.path.as_str()).collect();
    let path_of = |named: &str| known_path(named, known.iter().copied());
    for name in &tables.one {
        let path = path_of(&data_path(name));
        if !file.set_at_most_one(&path) {
            return Err(unknown_in_schema(&path, &known).into());
        }
    }
    let owned = tables.tables.iter();
    let owned = owned.map(|table| (path_of(&table.path), table));
    let look_ups = tables.lookups.iter();
    let look_ups = look_ups.map(|l| (format!("/{}", l.table.path), &l.table));
    for (path, table) in owned.chain(look_ups) {
        if !known.contains(&path.as_str()) {
            return Err(unknown_in_schema(&path, &known).into());
        }
        check_key("schema", &file.schema, &path, &table.key)?;
        file.files.insert(path, table.file.clone());
    }
    for look_up in &tables.lookups {
        for Reference { path, by } in look_up.references(&known)? {
            check_reference(&file.schema, &look_up.table.path, &path, &by)?;
        }
    }
    Ok(file)
}

/// Columns that hold the key of a look-up table do so in the schema, too.
fn check_reference(schema: &Schema, entity: &str, path: &str, by: &[String]) -> fnb::Result<()> {
    let here = schema.entity_at(path).map(|name| schema.entity(name));
    let mut relations = here.into_iter().flat_map(Entity::relations);
    if relations.any(|(_, related, known)| related == entity && known == Some(by)) {
        return Ok(());
    }
    let (place, by) = (place(path), by.join(", "));
    let message = format!("in the schema, {by} of {place} does not refer to {entity}");
    Err(Error::new(Code::Usage, message).help(format!(
        "change the schema, or leave the columns out: --lookup {entity}=FILE"
    )))
}

fn unknown_in_schema(path: &str, known: &[&str]) -> Error {
    let known = known.iter().filter(|path| !path.is_empty());
    let known: Vec<String> = known.map(|path| shown(path)).collect();
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
