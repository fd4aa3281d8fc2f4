//! Several tables that were read: what belongs to the main one, joining, what joining found.

use crate::args::ReadArgs;
use crate::output::Output;
use anyhow::Result;
use fnb::columns::{Column, Frame};
use fnb::relational::{Cutoff, Database, RootFile, Schema};
use fnb::{Code, Error};
use fnb_table::TableInfo;
use std::collections::BTreeMap;

/// Tables that were read, not joined yet.
pub(crate) struct Several {
    pub(crate) schema: Schema,
    /// By data path; the main table is without its target.
    pub(crate) frames: BTreeMap<String, Frame>,
    pub(crate) cutoff: Option<Cutoff>,
    pub(super) target: Option<Column>,
    /// Where the rows of the main table come from.
    pub(super) root_file: RootFile,
    /// The files by data path, as they are named.
    pub(crate) files: BTreeMap<String, String>,
}

/// A table, or several that are joined, and the columns of the main one that are no inputs.
pub(crate) struct Joined {
    pub(crate) database: Database,
    pub(crate) target: Option<Column>,
    pub(crate) weight: Option<Column>,
}

impl Several {
    /// Puts the features of sparse tables beside the columns of the main table.
    pub(super) fn add_sparse(&mut self, read: &ReadArgs, output: &Output) -> Result<()> {
        let entries = read.sparse.read(read, output)?;
        let main = main(&mut self.frames);
        let frame = std::mem::replace(main, Frame::new(0, Vec::new())?);
        let (frame, notes) = self.schema.add_sparse_tables(frame, &entries)?;
        *main = frame;
        output.tell(&notes);
        Ok(())
    }

    /// Joins the tables and tells what was found. A column of weights is taken out of the main one.
    pub(crate) fn join(mut self, weight: Option<&str>, output: &Output) -> Result<Joined> {
        let weight = match weight {
            Some(name) => self.take_weight(name)?,
            None => None,
        };
        let name = self.target.as_ref().map(|target| target.name.as_str());
        let database = Database::new(&self.schema, name, self.frames, self.cutoff)?;
        database.check_keys()?;
        output.tell(&database.notes());
        Ok(Joined {
            database: database.with_root_file(self.root_file),
            target: self.target,
            weight,
        })
    }

    fn take_weight(&mut self, name: &str) -> fnb::Result<Option<Column>> {
        let root = self.schema.entities.get_mut(&self.schema.root);
        let root = root.expect("a schema has a root");
        if root.key.iter().any(|key| key == name) {
            let message = format!("the weight {name:?} is a key of the main table");
            return Err(
                Error::new(Code::Usage, message).help("name a column of numbers with --weight")
            );
        }
        root.fields.retain(|field| field.name != name);
        Ok(main(&mut self.frames).remove(name))
    }
}

/// The size of files that were read; standard input has none.
pub(super) fn file_of(main: &TableInfo) -> RootFile {
    let sizes = main
        .files
        .iter()
        .filter_map(|file| std::fs::metadata(file).ok());
    RootFile {
        bytes: sizes.map(|file| file.len()).sum(),
        header: main.header,
    }
}

/// The main table.
pub(super) fn main(frames: &mut BTreeMap<String, Frame>) -> &mut Frame {
    frames.get_mut("").expect("the main table was read")
}
