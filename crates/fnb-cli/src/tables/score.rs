//! The tables that a model scores: the files that options or a schema file name.

use super::args::{ScoreTableArgs, TableArg, known_path, option_of};
use crate::args::ReadArgs;
use crate::input;
use crate::output::Output;
use anyhow::Result;
use fnb::columns::Frame;
use fnb::math::nearest_name;
use fnb::model::Model;
use fnb::relational::{Database, shown};
use fnb::{Code, Error};
use fnb_table::{ReadOptions, ToScore};
use std::collections::BTreeMap;

/// What a model needs of the data, with the sparse tables that it takes.
pub(crate) fn to_score<'m>(
    model: &'m Model,
    read: &ReadArgs,
    output: &Output,
) -> Result<ToScore<'m>> {
    let sparse = read.sparse.read_for(model, read, output)?;
    Ok(ToScore::new(model, read.options()?, sparse)?)
}

/// The files of the tables around the main one, by data path.
pub(crate) struct OtherTables<'a> {
    files: BTreeMap<String, String>,
    output: &'a Output,
}

impl<'a> OtherTables<'a> {
    /// Those that a model needs. A model forgets tables that it does not need: giving them is no
    /// mistake, but is told.
    pub(crate) fn new(
        model: &Model,
        args: &ScoreTableArgs,
        read: &ReadArgs,
        output: &'a Output,
    ) -> Result<Self> {
        let mut files = match read.schema_of_tables()? {
            Some(file) => file.files.clone(),
            None => BTreeMap::new(),
        };
        let known: Vec<&str> = model.tables()[1..]
            .iter()
            .map(|t| t.name.as_str())
            .collect();
        let tables = args.tables.iter();
        let tables = tables.map(|table| (table, known_path(&table.path, known.iter().copied())));
        let lookups = args.lookups.iter();
        let lookups = lookups.map(|table| (table, format!("/{}", table.path)));
        for (TableArg { key, file, .. }, path) in tables.chain(lookups) {
            if known.contains(&path.as_str()) {
                check_key(model, &path, key)?;
                files.insert(path, file.clone());
            } else if nearest_name(&path, known.iter().copied()).is_some() {
                return Err(unknown(&path, &known).into());
            } else {
                let name = shown(&path);
                output.warn(format_args!(
                    "{name} is ignored: the model uses no such table"
                ));
            }
        }
        Ok(Self { files, output })
    }

    /// The columns of a table that the options ask for.
    pub(crate) fn read(&self, path: &str, options: &ReadOptions) -> Result<Frame> {
        let name = shown(path);
        let Some(file) = self.files.get(path) else {
            let message = format!("the model needs table {name}, which is not given");
            return Err(Error::new(Code::Usage, message)
                .help(format!("give it with {} {name}=FILE", option_of(path)))
                .into());
        };
        let file = std::slice::from_ref(file);
        Ok(input::read_named(&name, file, options, self.output)?.frame)
    }

    /// Joins them to the main table, and tells what was found.
    pub(crate) fn join(&self, to_score: &ToScore, main: Frame) -> Result<Database> {
        let (database, notes) = to_score.join(main, |path, options| self.read(path, options))?;
        self.output.tell(&notes);
        Ok(database)
    }
}

/// The model knows the key; another one is a mistake.
fn check_key(model: &Model, path: &str, given: &[String]) -> fnb::Result<()> {
    let schema = model.schema();
    let entity = schema.and_then(|schema| Some(schema.entity(schema.entity_at(path)?)));
    let Some(entity) = entity.filter(|entity| !given.is_empty() && entity.key != given) else {
        return Ok(());
    };
    let (name, key, given) = (shown(path), entity.key.join(","), given.join(","));
    let message = format!("the model joins table {name} by {key}, not by {given}");
    let help = format!("leave the key out: {} {name}=FILE", option_of(path));
    Err(Error::new(Code::Usage, message).help(help))
}

fn unknown(path: &str, known: &[&str]) -> Error {
    let name = shown(path);
    let message = format!("the model knows no table {name}");
    let given = |path: &&str| format!("{} {}=FILE", option_of(path), shown(path));
    let needed: Vec<String> = known.iter().map(given).collect();
    Error::new(Code::Usage, message).help(format!("it needs {}", needed.join(", ")))
}
