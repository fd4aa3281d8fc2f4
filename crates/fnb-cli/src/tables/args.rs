//! Options that name tables.

use clap::Args;
use fnb::model::Model;
use fnb::relational::{Reference, TableKind, TableSpec, shown};
use fnb::{Code, Error, Result};
use std::path::Path;

/// The tables around the main one.
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

/// The tables around the main one, for a model that knows their keys.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Several tables")]
pub(crate) struct ScoreTableArgs {
    /// The files of a table that the model needs; its keys are known (repeatable)
    #[arg(long = "table", value_name = "NAME=FILE", value_parser = table)]
    pub(crate) tables: Vec<TableArg>,
    /// The same for a look-up table (repeatable)
    #[arg(long = "lookup", value_name = "NAME=FILE", value_parser = table)]
    pub(crate) lookups: Vec<TableArg>,
}

impl ScoreTableArgs {
    /// The files of the tables.
    pub(crate) fn files(&self) -> impl Iterator<Item = &String> {
        let tables = self.tables.iter().chain(&self.lookups);
        tables.map(|table| &table.file)
    }
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

    /// The same files, for a model that knows the rest, as far as it needs them.
    pub(crate) fn to_score(&self, model: &Model) -> ScoreTableArgs {
        let is_needed = |path: &str| model.tables()[1..].iter().any(|t| t.name == path);
        let tables = self.tables.iter();
        let lookups = self.lookups.iter().map(|l| &l.table);
        ScoreTableArgs {
            tables: (tables.filter(|table| is_needed(&self.path_of(&table.path))))
                .cloned()
                .collect(),
            lookups: (lookups.filter(|table| is_needed(&format!("/{}", table.path))))
                .cloned()
                .collect(),
        }
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
            let references = references.iter().map(|columns| self.reference(columns));
            specs.push(TableSpec {
                path: format!("/{}", table.path),
                kind: TableKind::LookUp(references.collect::<Result<_>>()?),
                key: table.key.clone(),
            });
        }
        Ok(specs)
    }

    /// The table of columns such as `orders.items.product`, and their names in it.
    fn reference(&self, columns: &[String]) -> Result<Reference> {
        let mut path = None;
        let mut by = Vec::new();
        for column in columns {
            let (table, name) = self.place(column);
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

    /// Splits `table.column`; a name that starts with no table is a column of the main one.
    pub(crate) fn place<'a>(&self, name: &'a str) -> (String, &'a str) {
        let owned = self.tables.iter().map(|table| self.path_of(&table.path));
        let look_ups = self.lookups.iter().map(|l| format!("/{}", l.table.path));
        let prefix = |path: &String| path.trim_start_matches('/').replace('/', ".") + ".";
        let mut found = (String::new(), name);
        for path in owned.chain(look_ups) {
            if let Some(column) = name.strip_prefix(&prefix(&path))
                && column.len() < found.1.len()
            {
                found = (path, column);
            }
        }
        found
    }
}

/// The data path of a table as it was named, `city/mayors`, among known ones: that, or `/city/mayors`.
pub(crate) fn known_path<'a>(
    named: &str,
    mut known: impl Iterator<Item = &'a str> + Clone,
) -> String {
    let beside = format!("/{named}");
    if known.clone().all(|path| path != named) && known.any(|path| path == beside) {
        beside
    } else {
        named.to_owned()
    }
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

fn look_up(text: &str) -> Result<LookUpArg, String> {
    const FORM: &str = "NAME=FILE:KEY@COLUMN, for instance city=cities.csv:id@address.city";
    let (file, columns) = text.rsplit_once(':').ok_or(FORM)?;
    let mut columns = columns.split('@');
    let table = table(&format!("{file}:{}", columns.next().unwrap_or_default()))?;
    let references: Vec<Vec<String>> = columns.map(names).collect();
    let key = table.key.len();
    if references.is_empty() || references.iter().any(|columns| columns.len() != key) {
        return Err(FORM.into());
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
