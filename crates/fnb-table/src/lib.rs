//! Files and Arrow to columns.
//!
//! [`read`] turns text files (CSV, TSV, compressed or not), Parquet files and Arrow files into a
//! [`Frame`] of typed columns, and tells in a [`TableInfo`] what it found. [`batches`] streams the same
//! files block by block, in little memory: for scoring, or after [`scan()`] has found out what the columns are.
//! [`TableWriter`] writes predictions.
//!
//! Types of text columns are decided over all rows (docs/method.md §1.1), yet most files are read once:
//! every column is taken for numbers until the first piece of the file says otherwise, and only the
//! columns that are contradicted later are read a second time.
//!
//! In text files:
//! - an empty field, or one that holds only blanks, is missing, quoted or not; so are the markers given
//!   by the caller;
//! - categories are trimmed of surrounding blanks;
//! - blank lines are skipped;
//! - a column without name is called `Var` and its position, with a warning; without header all are.
//!
//! ```
//! use fnb_table::{ReadOptions, read};
//! let path = std::env::temp_dir().join("fnb_table_example.csv");
//! std::fs::write(&path, "age,city\n31,Lannion\n,Rennes\n")?;
//! let table = read(&[path.display().to_string()], &ReadOptions::default())?;
//! assert_eq!(table.frame.rows(), 2);
//! assert_eq!(table.info.to_string(), "comma separated text with quotes, header, UTF-8");
//! # std::fs::remove_file(path)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod amend;
mod arrow;
mod atomic;
mod concat;
mod dates;
mod encoding;
mod few_values;
mod folds;
mod guard;
mod header;
mod infer;
mod info;
mod memory;
mod moment_scan;
mod names;
mod number;
mod open;
mod options;
mod parquet;
mod parquet_page;
mod plan;
mod same_file;
mod scan;
mod schema;
mod schema_file;
mod schema_of_tables;
mod scoring;
mod sniff;
mod source;
mod sparse;
mod text;
mod to_score;
mod unreadable;
mod write;

pub use arrow::from_record_batches;
pub use atomic::{
    is_standard_output, is_written_directly, remove_pending_outputs, write_atomically,
};
pub use folds::read_folds;
pub use infer::type_of_texts;
pub use info::{ColumnInfo, Format, TableInfo, Warning};
pub use memory::{may_spill, memory_needed, memory_of_machine};
pub use open::{OpenTable, open};
pub use options::{DayOrder, Expected, ReadOptions, SaidBy, type_words};
pub use same_file::check_not_an_input;
pub use scan::{Scanned, scan, scan_in_pieces};
pub use schema::{SchemaColumn, TableSchema};
pub use schema_file::SchemaFile;
pub use schema_of_tables::SchemaOfTables;
pub use scoring::{ScoringBatches, ToScore};
pub use sparse::{read_sparse, sparse_tables_to_score};
pub use to_score::columns_to_score;
pub use write::{OutputData, OutputKind, TableWriter};

use fnb::columns::{CategoricalColumn, Frame};
use fnb::{Code, Error, Result};
use open::open_tuned;
use source::{Content, resolve};
use text::Tuning;
use unreadable::Unreadable;

/// A table that was read.
#[derive(Debug, Clone)]
pub struct Table {
    /// The columns.
    pub frame: Frame,
    /// What was found.
    pub info: TableInfo,
}

/// A block of rows.
#[derive(Debug, Clone)]
pub struct Batch {
    /// The columns that were asked for.
    pub frame: Frame,
    /// The text of the columns in [`ReadOptions::keep`], in that order; empty fields are missing.
    pub kept: Vec<CategoricalColumn>,
    /// Texts that should be dates and are none.
    unreadable: Unreadable,
}

/// Reads a table from files, patterns, directories or `-` (standard input).
///
/// Several files make one table: their rows follow each other in the given order (sorted by path within
/// a directory or a pattern), their columns are matched by name.
pub fn read(inputs: &[String], options: &ReadOptions) -> Result<Table> {
    read_tuned(inputs, options, Tuning::default())
}

/// [`read`] with text cut into pieces of about that many bytes. The table does not depend on it; tests
/// use it to put the cuts everywhere.
#[doc(hidden)]
pub fn read_in_pieces(inputs: &[String], options: &ReadOptions, bytes: usize) -> Result<Table> {
    read_tuned(inputs, options, Tuning::pieces_of(bytes))
}

fn read_tuned(inputs: &[String], options: &ReadOptions, tuning: Tuning) -> Result<Table> {
    open_tuned(inputs, options, tuning)?.read(options)
}

/// Streams the columns of [`ReadOptions::columns`], whose types are known, of a model or by [`scan()`], block by
/// block. Files are read once and in little memory, so they may be larger than it.
pub fn batches(inputs: &[String], options: &ReadOptions) -> Result<Batches> {
    batches_tuned(inputs, options, Tuning::default())
}

/// [`batches`] with text cut into pieces of about that many bytes.
#[doc(hidden)]
pub fn batches_in_pieces(
    inputs: &[String],
    options: &ReadOptions,
    bytes: usize,
) -> Result<Batches> {
    batches_tuned(inputs, options, Tuning::pieces_of(bytes))
}

fn batches_tuned(inputs: &[String], options: &ReadOptions, tuning: Tuning) -> Result<Batches> {
    if !options.only {
        let message = "a stream of batches needs the names and types of its columns";
        return Err(Error::new(Code::Internal, message));
    }
    let sources = resolve(inputs)?;
    let first = sources[0].open()?;
    let stream = match first.content {
        Content::Text => Stream::Text(text::TextBatches::new(sources, first, options, tuning)?),
        Content::Parquet => Stream::Parquet(parquet::ParquetBatches::new(sources, first, options)?),
        Content::IpcFile | Content::IpcStream => {
            Stream::Ipc(arrow::IpcBatches::new(sources, first, options)?)
        }
    };
    Ok(Batches {
        stream,
        failed: false,
        unreadable: Unreadable::default(),
    })
}

/// Blocks of rows, in the order of the files; ends after the first error.
pub struct Batches {
    stream: Stream,
    failed: bool,
    unreadable: Unreadable,
}

impl Batches {
    /// What is to be told of the blocks so far.
    pub fn warnings(&self) -> Vec<Warning> {
        self.unreadable.warnings()
    }
}

enum Stream {
    Text(text::TextBatches),
    Parquet(parquet::ParquetBatches),
    Ipc(arrow::IpcBatches),
}

impl Iterator for Batches {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let mut next = match &mut self.stream {
            Stream::Text(batches) => batches.next(),
            Stream::Parquet(batches) => batches.next(),
            Stream::Ipc(batches) => batches.next(),
        };
        if let Ok(Some(batch)) = &mut next {
            self.unreadable
                .append(std::mem::take(&mut batch.unreadable));
        }
        self.failed = next.is_err();
        next.transpose()
    }
}
