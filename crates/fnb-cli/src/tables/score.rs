//! The tables that a model scores: the files that options or a schema file name.

use super::args::{TableArg, TableArgs, check_key, known_path, option_of};
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
        args: &TableArgs,
        read: &ReadArgs,
        output: &'a Output,
    ) -> Result<Self> {
        let mut files = match read.schema_of_tables()? {
            Some(file) => file.files.clone(),
            None => BTreeMap::new(),
        };
        let known = model.tables()[1..].iter().map(|table| table.name.as_str());
        let path_of = |named: &str| known_path(named, known.clone());
        let tables = args.tables.iter();
        let tables = tables.map(|table| (path_of(&table.path), table));
        let lookups = args.lookups.iter();
        let lookups = lookups.map(|l| (format!("/{}", l.table.path), &l.table));
        let mut ignored = Vec::new();
        for (path, TableArg { key, file, .. }) in tables.chain(lookups) {
            if known.clone().any(|known| known == path) {
                if let Some(schema) = model.schema() {
                    check_key("model", schema, &path, key)?;
                }
                files.insert(path, file.clone());
            } else {
                ignored.push(shown(&path));
            }
        }
        check_known(model, args)?;
        if let Some(path) = known.clone().find(|&path| !files.contains_key(path)) {
            return Err(not_given(path, &ignored).into());
        }
        for name in ignored {
            output.note(format_args!(
                "{name} is ignored: the model uses no such table"
            ));
        }
        Ok(Self { files, output })
    }

    /// The columns of a table that the options ask for.
    pub(crate) fn read(&self, path: &str, options: &ReadOptions) -> Result<Frame> {
        let name = shown(path);
        let file = self.files.get(path).ok_or_else(|| not_given(path, &[]))?;
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

/// What else was said of the tables in training is known to the model, and must not differ.
fn check_known(model: &Model, args: &TableArgs) -> fnb::Result<()> {
    let differs = |option: &str, known: String, given: &str| {
        let message = format!("{option} of the model is {known}, not {given}");
        Err(Error::new(Code::Usage, message).help(format!("leave out {option}: it is known")))
    };
    if let Some(schema) = model.schema() {
        let key = &schema.entity(&schema.root).key;
        if !key
            .iter()
            .zip(&args.key)
            .all(|(known, given)| known == given)
        {
            return differs("--key", key.join(","), &args.key.join(","));
        }
    }
    if let (Some(cutoff), Some(given)) = (model.cutoff(), &args.cutoff)
        && cutoff.root != *given
    {
        return differs("--cutoff", cutoff.root.clone(), given);
    }
    for (path, given) in &args.time {
        let known = model.cutoff().and_then(|cutoff| cutoff.tables.get(path));
        if let Some(known) = known.filter(|known| *known != given) {
            let name = shown(path);
            return differs(
                "--time",
                format!("{name}={known}"),
                &format!("{name}={given}"),
            );
        }
    }
    Ok(())
}

/// The model needs a table; a similar name among those that it does not need may be meant.
fn not_given(path: &str, ignored: &[String]) -> Error {
    let (name, option) = (shown(path), option_of(path));
    let message = format!("the model needs table {name}, which is not given");
    let help = match nearest_name(&name, ignored.iter().map(String::as_str)) {
        Some(near) => format!("{near} is no table of the model: write {option} {name}=FILE"),
        None => format!("give it with {option} {name}=FILE"),
    };
    Error::new(Code::Usage, message).help(help)
}
