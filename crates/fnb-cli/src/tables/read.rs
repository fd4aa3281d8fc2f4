//! Reading several tables to learn from.

use super::args::{TableArgs, shown, unknown_table};
use super::keys::guess_key;
use crate::args::ReadArgs;
use crate::input;
use crate::output::{Output, thousands};
use anyhow::Result;
use fnb::columns::{Column, ColumnData, Frame, Temporal};
use fnb::relational::{Cutoff, Database, KeyReport, Schema, TableKind, TableSpec};
use fnb::{Code, Error};
use fnb_table::{ColumnType, Expected, ReadOptions, SchemaOfTables, Table};
use std::collections::BTreeMap;

/// Tables that were read, not joined yet.
pub(crate) struct Several {
    pub(crate) schema: Schema,
    /// By data path; the main table is without its target.
    pub(crate) frames: BTreeMap<String, Frame>,
    pub(crate) cutoff: Option<Cutoff>,
    pub(crate) target: Option<Column>,
    /// How many rows each row of the main table stands for.
    weight: Option<Column>,
}

/// Tables that are joined, and the columns of the main table that are no inputs.
pub(crate) struct Joined {
    pub(crate) database: Database,
    pub(crate) target: Option<Column>,
    pub(crate) weight: Option<Column>,
}

impl Several {
    /// Takes the column of weights out of the main table.
    pub(crate) fn take_weight(&mut self, name: Option<&str>) -> Result<()> {
        let Some(name) = name else { return Ok(()) };
        let root = self.schema.root.clone();
        if self.schema.entity(&root).key.iter().any(|key| key == name) {
            let message = format!("the weight {name:?} is a key of the main table");
            return Err(Error::new(Code::Usage, message)
                .help("name a column of numbers with --weight")
                .into());
        }
        self.weight = main(&mut self.frames).remove(name);
        if let Some(entity) = self.schema.entities.get_mut(&root) {
            entity.fields.retain(|field| field.name != name);
        }
        Ok(())
    }

    /// Joins the tables and tells what was found. Rows of the main table that repeat a key are left
    /// out.
    pub(crate) fn join(self, output: &Output) -> Result<Joined> {
        let name = self.target.as_ref().map(|target| target.name.as_str());
        let mut database = Database::new(&self.schema, name, self.frames, self.cutoff)?;
        report(database.reports(), output);
        let (mut target, mut weight) = (self.target, self.weight);
        if let Some(kept) = input::rows_once(&database) {
            database = database.take(&kept);
            target = target.map(|column| take(column, &kept)).transpose()?;
            weight = weight.map(|column| take(column, &kept)).transpose()?;
        }
        Ok(Joined {
            database,
            target,
            weight,
        })
    }
}

fn take(column: Column, rows: &[usize]) -> Result<Column> {
    let name = column.name.clone();
    let frame = Frame::new(column_rows(&column), vec![column])?;
    let column = frame.take(rows).remove(&name);
    Ok(column.expect("the only column of the frame"))
}

fn column_rows(column: &Column) -> usize {
    match &column.data {
        ColumnData::Numeric(column) => column.len(),
        ColumnData::Sparse(column) => column.len(),
        ColumnData::Categorical(column) | ColumnData::Text(column) => column.len(),
        ColumnData::Temporal(column) => column.len(),
        ColumnData::Unused(_) => 0,
    }
}

/// What joining found that the user should know.
pub(super) fn report(reports: &[KeyReport], output: &Output) {
    for report in reports {
        let name = shown(&report.path);
        let rows = thousands(report.rows as u64);
        let tell = |count: usize, what: &str| {
            if count > 0 {
                output.warn(format_args!("{name}: {} {what}", thousands(count as u64)));
            }
        };
        if report.orphans == report.rows && report.rows > 0 {
            output.warn(format_args!(
                "{name}: none of its {rows} rows belongs to a row of the main table; is the key right?"
            ));
        } else {
            tell(report.orphans, "orphan rows ignored");
        }
        tell(report.repeated, "rows that repeat a key ignored");
        tell(
            report.hidden,
            "rows not before the time of their row are not seen",
        );
        for (relation, &count) in &report.unmatched {
            tell(count, &format!("rows refer to no record of {relation}"));
        }
    }
}

/// Reads the tables that options or a schema file name.
pub(crate) fn read_several(
    data: &[String],
    target: Option<&str>,
    tables: &TableArgs,
    read: &ReadArgs,
    output: &Output,
) -> Result<Several> {
    match read.schema_of_tables()? {
        Some(file) => read_by_schema(file, data, target, tables, read, output),
        None => read_by_options(data, target, tables, read, output),
    }
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
    for table in &tables.tables {
        file.files.insert(table.path.clone(), table.file.clone());
    }
    for look_up in &tables.lookups {
        let path = format!("/{}", look_up.table.path);
        file.files.insert(path, look_up.table.file.clone());
    }
    let target = target.or(file.target.as_deref());
    let mut frames = BTreeMap::new();
    for fnb::relational::DataPath { path, entity } in file.schema.data_paths() {
        let files = match file.files.get(&path) {
            _ if path.is_empty() && !data.is_empty() => data.to_vec(),
            Some(name) => vec![name.clone()],
            None => return Err(no_file(&path).into()),
        };
        let mut only = SchemaOfTables::expected(file.schema.entity(&entity));
        if let (true, Some(target)) = (path.is_empty(), target) {
            only.retain(|expected| expected.name != target);
            only.push(Expected {
                name: target.to_owned(),
                ty: ColumnType::Categorical,
                required: true,
                must_parse: true,
            });
        }
        let options = ReadOptions {
            only: Some(only),
            may_be_empty: !path.is_empty(),
            ..read.options()?
        };
        let name = table_name(&path);
        let Table { frame, .. } = input::read_named(&name, &files, &options, output)?;
        frames.insert(path, frame);
    }
    let cutoff = match &tables.cutoff {
        Some(root) => Some(times(root, tables, &file.schema, &frames, output)?),
        None => file.cutoff,
    };
    let target = match target {
        Some(name) => Some(input::take_target(main(&mut frames), name)?),
        None => None,
    };
    Ok(Several {
        schema: file.schema,
        frames,
        cutoff,
        target,
        weight: None,
    })
}

fn no_file(path: &str) -> Error {
    let name = shown(path);
    let message = format!("there is no file for {name}");
    Error::new(Code::Usage, message).help(match path {
        "" => "name it first, or under \"files\" in the schema".to_owned(),
        path if path.starts_with('/') => format!("give it with --lookup {name}=FILE"),
        _ => format!("give it with --table {name}=FILE"),
    })
}

fn main(frames: &mut BTreeMap<String, Frame>) -> &mut Frame {
    frames.get_mut("").expect("the main table was read")
}

/// Types are detected, keys are given.
fn read_by_options(
    data: &[String],
    target: Option<&str>,
    tables: &TableArgs,
    read: &ReadArgs,
    output: &Output,
) -> Result<Several> {
    let mut specs = tables.specs()?;
    if specs.iter().any(|spec| spec.key.is_empty()) {
        guess_keys(&mut specs, data, tables, read, output)?;
    }
    let keys = keys(tables, &specs);
    let mut frames = BTreeMap::new();
    let options = ReadOptions {
        categorical: target.iter().map(|&target| target.to_owned()).collect(),
        keys: keys.get("").cloned().unwrap_or_default(),
        ..own_options(read, tables, "")?
    };
    frames.insert(String::new(), input::read(data, &options, output)?.frame);
    for (spec, file) in specs.iter().zip(tables.files()) {
        let options = ReadOptions {
            keys: keys.get(&spec.path).cloned().unwrap_or_default(),
            may_be_empty: true,
            ..own_options(read, tables, &spec.path)?
        };
        let name = table_name(&spec.path);
        let file = std::slice::from_ref(file);
        let frame = input::read_named(&name, file, &options, output)?.frame;
        frames.insert(spec.path.clone(), frame);
    }
    let target = match target {
        Some(name) => Some(input::take_target(main(&mut frames), name)?),
        None => None,
    };
    let schema = Schema::assemble(&tables.key, &specs, &frames)?;
    let cutoff = match &tables.cutoff {
        Some(root) => Some(times(root, tables, &schema, &frames, output)?),
        None => None,
    };
    Ok(Several {
        schema,
        frames,
        cutoff,
        target,
        weight: None,
    })
}

/// By data path: the columns that are keys or hold keys, to be read as they are written.
fn keys(tables: &TableArgs, specs: &[TableSpec]) -> BTreeMap<String, Vec<String>> {
    let mut keys: BTreeMap<String, Vec<String>> = BTreeMap::new();
    keys.insert(String::new(), tables.key.clone());
    for spec in specs {
        let mut add = |path: &str, columns: &[String]| {
            let entry = keys.entry(path.to_owned()).or_default();
            entry.extend(columns.iter().cloned());
        };
        add(&spec.path, &spec.key);
        match &spec.kind {
            TableKind::LookUp(references) => {
                for reference in references {
                    add(&reference.path, &reference.by);
                }
            }
            TableKind::Many | TableKind::One => {
                // Owners have the same columns, all the way up.
                let mut path = spec.path.as_str();
                while let Some((owner, _)) = path.rsplit_once('/') {
                    add(owner, &spec.key);
                    path = owner;
                }
                add("", &spec.key);
            }
        }
    }
    keys
}

/// Keys that were not given, guessed and reported. The tables are read for that: once keys are known,
/// they are read otherwise.
fn guess_keys(
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
    for i in 0..specs.len() {
        if !specs[i].key.is_empty() {
            continue;
        }
        let (path, name) = (specs[i].path.clone(), shown(&specs[i].path));
        let owner = path.rsplit_once('/').map_or("", |(owner, _)| owner);
        let known = specs.iter().find(|spec| spec.path == owner);
        let owner_key = known.map_or(&tables.key, |spec| &spec.key);
        let Some(owner) = frames.get(owner) else {
            continue;
        };
        let key = guess_key(owner, owner_key, &frames[&path]);
        if key.is_empty() {
            let message = format!("the key of {name} is not given and cannot be guessed");
            return Err(Error::new(Code::Usage, message)
                .help(format!("give it: --table {name}=FILE:KEY"))
                .into());
        }
        output.note(format_args!(
            "{name}: the key is guessed to be {}",
            key.join(", ")
        ));
        specs[i].key = key;
    }
    Ok(())
}

/// The name of a table in what is said of its reading; the main one has none.
fn table_name(path: &str) -> String {
    if path.is_empty() {
        String::new()
    } else {
        shown(path)
    }
}

/// The options for one table: those that speak of `table.column` are for that table.
fn own_options(read: &ReadArgs, tables: &TableArgs, path: &str) -> fnb::Result<ReadOptions> {
    let mut options = read.options()?;
    let own = |name: &str| {
        let (table, column) = tables.place(name);
        (table == path).then(|| column.to_owned())
    };
    let types = options.types.iter();
    options.types = types
        .filter_map(|(name, ty)| Some((own(name)?, *ty)))
        .collect();
    options.drop = options.drop.iter().filter_map(|name| own(name)).collect();
    if !path.is_empty() {
        options.schema = None;
    }
    Ok(options)
}

/// The times of a cut-off: those that were given, and of other tables the only one they have.
fn times(
    root: &str,
    args: &TableArgs,
    schema: &Schema,
    frames: &BTreeMap<String, Frame>,
    output: &Output,
) -> fnb::Result<Cutoff> {
    let mut tables: BTreeMap<String, String> = BTreeMap::new();
    for (path, column) in &args.time {
        if schema.entity_at(path).is_none() || path.is_empty() {
            return Err(unknown_table(&shown(path), "--time", &args.tables));
        }
        tables.insert(path.clone(), column.clone());
    }
    for (path, frame) in frames {
        if path.is_empty() || path.starts_with('/') || tables.contains_key(path) {
            continue;
        }
        let name = shown(path);
        let times: Vec<&str> = frame.columns().iter().filter_map(time_name).collect();
        match times.as_slice() {
            [] if path.contains('/') => {}
            [] => output.warn(format_args!(
                "{name} has no date or timestamp: all its records are seen"
            )),
            [column] => {
                output.note(format_args!("  {name}: the time of a record is {column}"));
                tables.insert(path.clone(), (*column).to_owned());
            }
            several => {
                let message = format!("{name} has several times: {}", several.join(", "));
                return Err(Error::new(Code::Usage, message)
                    .help(format!("say which counts: --time {name}={}", several[0])));
            }
        }
    }
    Ok(Cutoff {
        root: root.to_owned(),
        tables,
    })
}

fn time_name(column: &Column) -> Option<&str> {
    match &column.data {
        ColumnData::Temporal(times) if times.kind() != Temporal::Time => Some(&column.name),
        _ => None,
    }
}
