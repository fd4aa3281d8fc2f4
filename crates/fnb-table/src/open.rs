//! A table that is open: its columns are known, its rows are still to be read.

use crate::header::is_nameless_index;
use crate::options::ReadOptions;
use crate::plan::Plan;
use crate::scan::Scanned;
use crate::source::{Content, Opened, Source, resolve};
use crate::text::{self, Tuning, file::TextFile};
use crate::{Table, arrow, parquet};
use fnb::Result;

/// A table whose columns are known before its rows are read: what they are to be may depend on the
/// columns of others.
pub struct OpenTable {
    sources: Vec<Source>,
    first: First,
    tuning: Tuning,
}

enum First {
    Text(Box<TextFile>),
    Binary(Opened),
}

/// Opens the files of a table. The options say how text is written.
///
/// ```
/// use fnb::columns::ColumnData;
/// use fnb_table::{Expected, ReadOptions, open};
/// let path = std::env::temp_dir().join("fnb_open_example.csv");
/// std::fs::write(&path, "id,city\n007,Lannion\n")?;
/// let mut options = ReadOptions::default();
/// let table = open(&[path.display().to_string()], &options)?;
/// let names = table.names(&options)?;
/// assert_eq!(names, ["id", "city"]);
/// options.columns.push(Expected::key(&names[0])); // as it is written
/// let frame = table.read(&options)?.frame;
/// assert!(matches!(&frame.columns()[0].data, ColumnData::Categorical(ids) if ids.get(0) == Some("007")));
/// # std::fs::remove_file(path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn open(inputs: &[String], options: &ReadOptions) -> Result<OpenTable> {
    open_tuned(inputs, options, Tuning::default())
}

pub(crate) fn open_tuned(
    inputs: &[String],
    options: &ReadOptions,
    tuning: Tuning,
) -> Result<OpenTable> {
    let sources = resolve(inputs)?.into_iter().map(Source::rereadable);
    open_sources(sources.collect::<Result<Vec<_>>>()?, options, tuning)
}

/// The same of sources that can be read several times.
pub(crate) fn open_sources(
    sources: Vec<Source>,
    options: &ReadOptions,
    tuning: Tuning,
) -> Result<OpenTable> {
    let opened = sources[0].open()?;
    let first = match opened.content {
        Content::Text => {
            let file = TextFile::new(&sources[0], opened, options, None, tuning)?;
            First::Text(Box::new(file))
        }
        Content::Parquet | Content::IpcFile | Content::IpcStream => First::Binary(opened),
    };
    Ok(OpenTable {
        sources,
        first,
        tuning,
    })
}

impl OpenTable {
    /// The names of the columns that the options do not leave out. Those of the index of a pandas frame
    /// come last.
    pub fn names(&self, options: &ReadOptions) -> Result<Vec<String>> {
        let source = &self.sources[0];
        let header = match &self.first {
            First::Text(file) => file.names.clone().into(),
            First::Binary(opened) if opened.content == Content::Parquet => {
                parquet::header_of(source, source.open()?)?
            }
            First::Binary(_) => arrow::header_of(source, source.open()?)?,
        };
        let plan = Plan::new(header, options).map_err(|e| e.at(&source.name))?;
        let columns = plan.columns.into_iter().map(|column| column.name);
        // An index that has a name may be a key.
        let index = plan.left_out.into_iter();
        Ok(columns
            .chain(index.filter(|name| !is_nameless_index(name)))
            .collect())
    }

    /// Reads rows that will be read again, as far as the options ask for columns.
    pub fn read_some(&self, options: &ReadOptions) -> Result<Table> {
        open_sources(self.sources.clone(), options, self.tuning)?.read(options)
    }

    /// Reads the rows.
    pub fn read(self, options: &ReadOptions) -> Result<Table> {
        let Self {
            sources,
            first,
            tuning,
        } = self;
        match first {
            First::Text(file) => text::read(&sources, *file, options, tuning),
            First::Binary(opened) if opened.content == Content::Parquet => {
                parquet::read(&sources, opened, options)
            }
            First::Binary(opened) => arrow::read_ipc(&sources, opened, options),
        }
    }

    /// Finds out what reading would, and keeps no row.
    pub(crate) fn scan(self, options: &ReadOptions) -> Result<Scanned> {
        let Self {
            sources,
            first,
            tuning,
        } = self;
        match first {
            First::Text(file) => text::scan(&sources, *file, options, tuning),
            First::Binary(opened) if opened.content == Content::Parquet => {
                parquet::scan(&sources, opened, options)
            }
            First::Binary(opened) => arrow::scan_ipc(&sources, opened, options),
        }
    }
}
