//! Options that name tables.

use clap::Args;
use fnb::relational::{Reference, Schema, TableKind, TableSpec, place_of, shown};
use fnb::{Code, Error, Result};
use std::path::Path;

/// The tables around the main one. A model knows all but their files; what was typed for training may be
/// typed again.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Several tables")]
pub(crate) struct TableArgs {
    /// Records that belong to rows of the main table: a name, files, and the columns that hold the
    /// key of their row; records of records are named like orders.items, with the keys of both
    /// (repeatable)
    #[arg(long = "table", value_name = "NAME=FILE:KEY,...", value_parser = table)]
    pub(crate) tables: Vec<TableArg>,
    /// Which of them have at most one record per row
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub(crate) one: Vec<String>,
    /// Records that rows refer to: a name, files, their key, and which columns hold it, as in
    /// city=cities.csv:id@city or city=cities.csv:id@address.city (repeatable)
    #[arg(long = "lookup", value_name = "NAME=FILE:KEY,...@COLUMN,...", value_parser = look_up)]
    pub(crate) lookups: Vec<LookUpArg>,
    /// The key of the main table [default: the key columns of the other tables that it has]
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',')]
    pub(crate) key: Vec<String>,
    /// The time of each row of the main table: only records before it are seen
    #[arg(long, value_name = "COLUMN")]
    pub(crate) cutoff: Option<String>,
    /// The time of the records of a table, for --cutoff [default: its only date or timestamp]
    #[arg(long, value_name = "NAME=COLUMN", value_parser = time)]
    pub(crate) time: Vec<(String, String)>,
    /// Which tables have no time: all their records are seen whatever the --cutoff
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub(crate) timeless: Vec<String>,
}

/// `NAME=FILE:KEY,...`.
#[derive(Debug, Clone)]
pub(crate) struct TableArg {
    /// Data path: `orders/items`; `city/mayors` for records of a look-up table `/city`.
    pub(crate) path: String,
    pub(crate) file: String,
    pub(crate) key: Vec<String>,
}

/// `NAME=FILE:KEY,...@COLUMN,...@COLUMN,...`.
#[derive(Debug, Clone)]
pub(crate) struct LookUpArg {
    pub(crate) table: TableArg,
    /// The columns that hold the key, as written: `address.city`.
    references: Vec<Vec<String>>,
}

impl TableArgs {
    /// Is there another table than the main one?
    pub(crate) fn is_empty(&self) -> bool {
        self.tables.is_empty() && self.lookups.is_empty()
    }

    /// Is there an option about others than the main table?
    pub(crate) fn speak_of_others(&self) -> bool {
        let about = [&self.one, &self.timeless];
        self.cutoff.is_some()
            || !self.time.is_empty()
            || about.iter().any(|names| !names.is_empty())
    }

    /// Records that belong to the rows of a main table, one table per file, named after it.
    pub(crate) fn of_files(files: &[String]) -> Result<Self> {
        let table = |file: &String| {
            let name = Path::new(file).file_name().and_then(|name| name.to_str());
            let name = name
                .and_then(|name| name.split('.').next())
                .unwrap_or_default();
            if name.is_empty() {
                let message = format!("{file} gives no name to its table");
                return Err(
                    Error::new(Code::Usage, message).help(format!("name it: --table NAME={file}"))
                );
            }
            Ok(TableArg {
                path: name.to_owned(),
                file: file.clone(),
                key: Vec::new(),
            })
        };
        Ok(Self {
            tables: files.iter().map(table).collect::<Result<_>>()?,
            ..Self::default()
        })
    }

    /// The files of the tables, in the order of [`Self::specs`].
    pub(crate) fn files(&self) -> impl Iterator<Item = &String> {
        let tables = self.tables.iter().map(|table| &table.file);
        tables.chain(self.lookups.iter().map(|l| &l.table.file))
    }

    /// The data path of a table as it was named: records of a look-up table are beside it.
    pub(crate) fn path_of(&self, named: &str) -> String {
        let first = named.split('/').next().unwrap_or_default();
        let is_look_up = self.lookups.iter().any(|l| l.table.path == first);
        let is_table = self.tables.iter().any(|table| table.path == first);
        if is_look_up && !is_table {
            format!("/{named}")
        } else {
            named.to_owned()
        }
    }

    /// The tables as they are to be joined.
    pub(crate) fn specs(&self) -> Result<Vec<TableSpec>> {
        let mut specs: Vec<TableSpec> = Vec::new();
        for table in &self.tables {
            specs.push(TableSpec {
                path: self.path_of(&table.path),
                kind: TableKind::Many,
                key: table.key.clone(),
            });
        }
        for name in &self.one {
            let path = self.path_of(&data_path(name));
            let Some(spec) = specs.iter_mut().find(|spec| spec.path == path) else {
                return Err(unknown_table(name, "--one", &self.tables));
            };
            spec.kind = TableKind::One;
        }
        for LookUpArg { table, references } in &self.lookups {
            if references.is_empty() {
                let name = shown(&table.path);
                let message = format!("--lookup {name}: which columns refer to it is not said");
                return Err(
                    Error::new(Code::Usage, message).help(format!("give it as {LOOK_UP_FORM}"))
                );
            }
            let references = references.iter();
            let references = references.map(|columns| reference(columns, |name| self.place(name)));
            specs.push(TableSpec {
                path: format!("/{}", table.path),
                kind: TableKind::LookUp(references.collect::<Result<_>>()?),
                key: table.key.clone(),
            });
        }
        Ok(specs)
    }

    /// Splits `table.column`; a name that starts with no table is a column of the main one.
    pub(crate) fn place<'a>(&self, name: &'a str) -> (String, &'a str) {
        let owned = self.tables.iter().map(|table| self.path_of(&table.path));
        let look_ups = self.lookups.iter().map(|l| format!("/{}", l.table.path));
        let paths: Vec<String> = owned.chain(look_ups).collect();
        let (path, column) = place_of(name, paths.iter().map(String::as_str));
        (path.to_owned(), column)
    }
}

impl LookUpArg {
    /// The columns that hold the key, where the tables are at known data paths.
    pub(super) fn references(&self, known: &[&str]) -> Result<Vec<Reference>> {
        let place = |name| {
            let (path, column) = place_of(name, known.iter().copied());
            (path.to_owned(), column)
        };
        let references = self.references.iter();
        references
            .map(|columns| reference(columns, place))
            .collect()
    }
}

/// The table of columns such as `orders.items.product`, and their names in it.
fn reference<'a>(
    columns: &'a [String],
    place: impl Fn(&'a str) -> (String, &'a str),
) -> Result<Reference> {
    let mut path = None;
    let mut by = Vec::new();
    for column in columns {
        let (table, name) = place(column);
        if *path.get_or_insert(table.clone()) != table {
            let message = format!("the columns {} are not of one table", columns.join(", "));
            return Err(Error::new(Code::Usage, message)
                .help("a reference is made by columns of one table"));
        }
        by.push(name.to_owned());
    }
    let path = path.unwrap_or_default();
    Ok(Reference { path, by })
}

/// The data path of a table as it was named, `city/mayors`, among known ones: that, or `/city/mayors`. A
/// name alone may be that of a table below others, if there is one.
pub(crate) fn known_path<'a>(named: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    let beside = format!("/{named}");
    if known.clone().any(|path| path == named) {
        return named.to_owned();
    }
    if known.clone().any(|path| path == beside) {
        return beside;
    }
    let below: Vec<&str> = known.filter(|path| path.ends_with(&beside)).collect();
    match below[..] {
        [path] => path.to_owned(),
        _ => named.to_owned(),
    }
}

/// Who knows the tables already, a model or a schema, knows the key: another one is a mistake. It may be
/// longer than what was given, by the columns that tell records apart which own others.
pub(super) fn check_key(who: &str, schema: &Schema, path: &str, given: &[String]) -> Result<()> {
    let Some(entity) = schema.entity_at(path).map(|name| schema.entity(name)) else {
        return Ok(());
    };
    if entity
        .key
        .iter()
        .zip(given)
        .all(|(known, given)| known == given)
    {
        return Ok(());
    }
    let (name, key, given) = (shown(path), entity.key.join(","), given.join(","));
    let message = format!("the {who} joins table {name} by {key}, not by {given}");
    let help = format!("leave the key out: {} {name}=FILE", option_of(path));
    Err(Error::new(Code::Usage, message).help(help))
}

/// `orders.items` as a data path: `orders/items`.
pub(crate) fn data_path(name: &str) -> String {
    name.replace('.', "/")
}

/// The option that gives the table at a data path.
pub(crate) fn option_of(path: &str) -> &'static str {
    match path.strip_prefix('/') {
        Some(name) if !name.contains('/') => "--lookup",
        _ => "--table",
    }
}

/// An option speaks of a table that is not given.
pub(crate) fn unknown_table(name: &str, option: &str, tables: &[TableArg]) -> Error {
    let known: Vec<String> = tables.iter().map(|table| shown(&table.path)).collect();
    let nearest = fnb::math::nearest_name(name, known.iter().map(String::as_str));
    let help = match nearest {
        Some(nearest) => format!("did you mean {nearest}?"),
        None if known.is_empty() => "give it with --table NAME=FILE:KEY".to_owned(),
        None => format!("the tables are {}", known.join(", ")),
    };
    Error::new(
        Code::Usage,
        format!("{option} {name}: there is no such table"),
    )
    .help(help)
}

const FORM: &str = "NAME=FILE:KEY,..., for instance orders=orders.csv:customer";

fn table(text: &str) -> Result<TableArg, String> {
    let (name, rest) = text.split_once('=').ok_or(FORM)?;
    if name.is_empty() || rest.is_empty() || name.split('.').any(str::is_empty) {
        return Err(FORM.into());
    }
    let (file, key) = match rest.rsplit_once(':') {
        Some((file, key)) if !Path::new(rest).exists() => (file, names(key)),
        _ => (rest, Vec::new()),
    };
    if file.is_empty() || key.iter().any(String::is_empty) {
        return Err(FORM.into());
    }
    Ok(TableArg {
        path: data_path(name),
        file: file.to_owned(),
        key,
    })
}

const LOOK_UP_FORM: &str = "NAME=FILE:KEY@COLUMN, for instance city=cities.csv:id@address.city";

/// A model or a schema file knows key and columns: then the file is enough.
fn look_up(text: &str) -> Result<LookUpArg, String> {
    let parts = text
        .rsplit_once(':')
        .filter(|(_, columns)| columns.contains('@'));
    let (file, columns) = parts.unwrap_or((text, ""));
    let mut columns = columns.split('@');
    let table = match columns.next().unwrap_or_default() {
        "" => table(file)?,
        key => table(&format!("{file}:{key}"))?,
    };
    let references: Vec<Vec<String>> = columns.map(names).collect();
    let key = table.key.len();
    if references.iter().any(|columns| columns.len() != key) {
        return Err(LOOK_UP_FORM.into());
    }
    if table.path.contains('/') {
        return Err("the name of a look-up table has no dot".into());
    }
    if let Some(i) = (1..references.len()).find(|&i| references[..i].contains(&references[i])) {
        return Err(format!("@{} is given twice", references[i].join(",")));
    }
    Ok(LookUpArg { table, references })
}

fn names(text: &str) -> Vec<String> {
    text.split(',').map(str::to_owned).collect()
}

fn time(text: &str) -> Result<(String, String), String> {
    let (name, column) = text
        .split_once('=')
        .ok_or("NAME=COLUMN, for instance orders=day")?;
    Ok((data_path(name), column.to_owned()))
}
