//! A scratch directory with files, and short ways to read them.

use crate::scan::check;
use fnb::columns::{ColumnData, Frame};
use fnb_table::{ReadOptions, Table, read_in_pieces};
use tempfile::TempDir;

pub(crate) struct Scratch(TempDir);

impl Scratch {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a scratch directory"))
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    /// Writes a file, returns its path.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        std::fs::write(&path, content).expect("a writable scratch directory");
        path
    }

    /// The error of reading a file with that content, the scratch directory cut from its text.
    pub(crate) fn error(&self, content: impl AsRef<[u8]>, options: &ReadOptions) -> String {
        let path = self.file("x.csv", content);
        self.tidy(&read(&[path], options).expect_err("an error").to_string())
    }

    pub(crate) fn tidy(&self, text: &str) -> String {
        text.replace(&self.path(""), "")
    }
}

/// Reads a table, and checks that a scan gives the same.
pub(crate) fn read(inputs: &[String], options: &ReadOptions) -> fnb::Result<Table> {
    let table = fnb_table::read(inputs, options);
    check(inputs, options, &table, None);
    table
}

pub(crate) fn read_text(content: impl AsRef<[u8]>) -> Table {
    read_with(content, &ReadOptions::default())
}

pub(crate) fn read_with(content: impl AsRef<[u8]>, options: &ReadOptions) -> Table {
    let scratch = Scratch::new();
    let path = scratch.file("x.csv", content);
    read(&[path], options).unwrap_or_else(|e| panic!("{e}"))
}

pub(crate) fn read_cut(path: &str, bytes: usize) -> Table {
    let (inputs, options) = ([path.to_owned()], ReadOptions::default());
    let table = read_in_pieces(&inputs, &options, bytes);
    check(&inputs, &options, &table, Some(bytes));
    table.unwrap_or_else(|e| panic!("{e}"))
}

/// A frame as text: one line per column with its type and all values, so that frames can be compared.
pub(crate) fn dump(frame: &Frame) -> Vec<String> {
    frame
        .columns()
        .iter()
        .map(|c| format!("{}: {}", c.name, dump_data(&c.data)))
        .collect()
}

pub(crate) fn dump_data(data: &ColumnData) -> String {
    match data {
        ColumnData::Numeric(c) => format!("num {:?}", c.values()),
        ColumnData::Categorical(c) => {
            format!(
                "cat {:?}",
                (0..c.len()).map(|row| c.get(row)).collect::<Vec<_>>()
            )
        }
        ColumnData::Temporal(c) => format!("{:?} {:?}", c.kind(), c.values()),
        ColumnData::Text(c) => {
            let texts: Vec<_> = (0..c.len()).map(|row| c.get(row)).collect();
            format!("text {texts:?}")
        }
        ColumnData::Sparse(c) => format!("sparse {c:?}"),
        ColumnData::Unused(kind) => format!("unused {}", kind.as_str()),
    }
}

/// The kinds of all columns.
pub(crate) fn kinds(table: &Table) -> Vec<&'static str> {
    table
        .info
        .columns
        .iter()
        .map(fnb_table::ColumnInfo::word)
        .collect()
}

pub(crate) fn options() -> ReadOptions {
    ReadOptions::default()
}
