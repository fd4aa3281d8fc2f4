//! Reading several tables that a model scores.

use super::args::{ScoreTableArgs, TableArg, known_path, option_of};
use crate::args::ReadArgs;
use crate::input;
use crate::output::Output;
use crate::sparse;
use anyhow::Result;
use fnb::columns::{Frame, SparseEntries};
use fnb::math::nearest_name;
use fnb::model::Model;
use fnb::relational::{Database, shown};
use fnb::{Code, Error};
use fnb_table::{Expected, ReadOptions};
use std::collections::BTreeMap;

/// Reads just the tables and columns that a model needs, and joins them. The main table is given, and the
/// sparse tables that go beside its columns.
pub(crate) fn read_to_score(
    model: &Model,
    main: Frame,
    sparse_tables: &[SparseEntries],
    args: &ScoreTableArgs,
    read: &ReadArgs,
    output: &Output,
) -> Result<Database> {
    let schema = model
        .schema()
        .expect("only models with a schema need tables");
    let given = files(model, args, read)?;
    let fields = schema.entity(&schema.root).fields.iter();
    let kept: Vec<&str> = fields.map(|field| field.name.as_str()).collect();
    let main = sparse::add_beside(main, sparse_tables, &kept, output)?;
    let mut frames = BTreeMap::from([(String::new(), main)]);
    for table in &model.tables()[1..] {
        let Some(file) = given.get(&table.name) else {
            return Err(absent(&table.name).into());
        };
        let options = ReadOptions {
            columns: table.columns.iter().map(Expected::from).collect(),
            only: true,
            may_be_empty: true,
            ..read.options()?
        };
        let name = shown(&table.name);
        let file = std::slice::from_ref(file);
        let frame = input::read_named(&name, file, &options, output)?.frame;
        frames.insert(table.name.clone(), frame);
    }
    let database = Database::new(schema, None, frames, model.cutoff().cloned())?;
    output.tell(&database.notes());
    Ok(database)
}

fn absent(path: &str) -> Error {
    let (name, option) = (shown(path), option_of(path));
    let message = format!("the model needs table {name}, which is not given");
    Error::new(Code::Usage, message).help(format!("give it with {option} {name}=FILE"))
}

/// The file of every table by data path, from the options or from a schema file.
fn files(
    model: &Model,
    args: &ScoreTableArgs,
    read: &ReadArgs,
) -> Result<BTreeMap<String, String>> {
    let mut files = match read.schema_of_tables()? {
        Some(file) => file.files,
        None => BTreeMap::new(),
    };
    let known: Vec<&str> = model.tables()[1..]
        .iter()
        .map(|t| t.name.as_str())
        .collect();
    let mut add = |table: &TableArg, path: String| {
        if !known.contains(&path.as_str()) && !is_unneeded(model, &path) {
            return Err(unknown(&path, &known));
        }
        check_key(model, &path, &table.key)?;
        files.insert(path, table.file.clone());
        Ok(())
    };
    for table in &args.tables {
        add(table, known_path(&table.path, known.iter().copied()))?;
    }
    for table in &args.lookups {
        add(table, format!("/{}", table.path))?;
    }
    Ok(files)
}

/// The model knows the key; another one is a mistake.
fn check_key(model: &Model, path: &str, given: &[String]) -> fnb::Result<()> {
    let schema = model.schema();
    let entity = schema.and_then(|schema| Some(schema.entity(schema.entity_at(path)?)));
    let Some(entity) = entity.filter(|entity| !given.is_empty() && entity.key != given) else {
        return Ok(());
    };
    let (name, key) = (shown(path), entity.key.join(","));
    let message = format!(
        "the model joins table {name} by {key}, not by {}",
        given.join(",")
    );
    Err(Error::new(Code::Usage, message).help(format!(
        "leave the key out: {} {name}=FILE",
        option_of(path)
    )))
}

/// A model forgets the tables that it does not need; giving them is no mistake.
fn is_unneeded(model: &Model, path: &str) -> bool {
    let known = model.tables()[1..].iter().map(|t| t.name.as_str());
    nearest_name(path, known).is_none()
}

fn unknown(path: &str, known: &[&str]) -> Error {
    let name = shown(path);
    let message = format!("the model knows no table {name}");
    let given = |path: &&str| format!("{} {}=FILE", option_of(path), shown(path));
    let needed: Vec<String> = known.iter().map(given).collect();
    Error::new(Code::Usage, message).help(format!("it needs {}", needed.join(", ")))
}
