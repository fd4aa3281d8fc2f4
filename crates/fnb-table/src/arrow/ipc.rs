//! Arrow IPC files and streams.

use super::{Columns, damaged, names, needed, places};
use crate::info::{Format, TableInfo};
use crate::options::ReadOptions;
use crate::plan::Plan;
use crate::source::{Content, Opened, RandomAccess, Source};
use crate::text::formats_differ;
use crate::{Batch, Table};
use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use arrow::ipc::reader::{FileReader, StreamReader};
use fnb::Result;
use std::io::{BufReader, Cursor, Read, Seek};

trait ReadSeek: Read + Seek + Send {}
impl<T: Read + Seek + Send> ReadSeek for T {}

/// The batches of a file or a stream.
enum Reader {
    File(FileReader<Box<dyn ReadSeek>>),
    Stream(StreamReader<BufReader<Box<dyn Read + Send>>>),
}

impl Reader {
    fn open(source: &Source, opened: Opened) -> Result<Self> {
        let reader = match opened.content {
            Content::IpcFile => {
                let bytes: Box<dyn ReadSeek> = match source.random_access(opened)? {
                    RandomAccess::File { file, .. } => Box::new(BufReader::new(file)),
                    RandomAccess::Memory(bytes) => Box::new(Cursor::new(bytes)),
                };
                FileReader::try_new(bytes, None).map(Reader::File)
            }
            Content::IpcStream => {
                StreamReader::try_new(BufReader::new(opened.reader), None).map(Reader::Stream)
            }
            Content::Text | Content::Parquet => return Err(formats_differ(&source.name)),
        };
        reader.map_err(|e| damaged(&source.name, &e))
    }

    fn schema(&self) -> SchemaRef {
        match self {
            Reader::File(reader) => reader.schema(),
            Reader::Stream(reader) => reader.schema(),
        }
    }
}

impl Iterator for Reader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Reader::File(reader) => reader.next(),
            Reader::Stream(reader) => reader.next(),
        }
    }
}

/// The names of the columns of a file.
pub(crate) fn names_of(source: &Source, opened: Opened) -> Result<Vec<String>> {
    Ok(names(&Reader::open(source, opened)?.schema()))
}

/// Reads the files of a table, the first of which is open already.
pub(crate) fn read_ipc(sources: &[Source], first: Opened, options: &ReadOptions) -> Result<Table> {
    let reader = Reader::open(&sources[0], first)?;
    let plan = Plan::new(names(&reader.schema()), options).map_err(|e| e.at(&sources[0].name))?;
    let mut columns = Columns::new(&plan, &reader.schema()).map_err(|e| e.at(&sources[0].name))?;
    let mut first = Some(reader);
    for source in sources {
        let reader = match first.take() {
            Some(reader) => reader,
            None => Reader::open(source, source.open()?)?,
        };
        let schema = reader.schema();
        let plan = plan
            .for_file(&names(&schema), &sources[0].name)
            .map_err(|e| e.at(&source.name))?;
        columns.start_file(&source.name, &plan, &schema)?;
        let places = all_places(&plan, &schema);
        let before = columns.rows();
        for batch in reader {
            let batch = batch.map_err(|e| damaged(&source.name, &e))?;
            columns.push(&batch, &places, columns.rows() - before)?;
        }
    }
    columns.finish(TableInfo::new(
        sources.iter().map(|s| s.name.clone()).collect(),
        Format::Arrow,
    ))
}

/// Where the needed columns are in batches that hold all columns.
fn all_places(plan: &Plan, schema: &SchemaRef) -> Vec<Option<usize>> {
    let needed = needed(plan);
    let all: Vec<usize> = (0..schema.fields().len()).collect();
    let place = |place: Option<usize>| place.filter(|p| needed.binary_search(p).is_ok());
    places(plan, &all).into_iter().map(place).collect()
}

/// IPC files as a stream of frames.
pub(crate) struct IpcBatches {
    sources: Vec<Source>,
    plan: Plan,
    reader: Option<Reader>,
    empty: Columns,
    places: Vec<Option<usize>>,
    opened: usize,
    /// Rows of the current file that were handed over.
    rows: usize,
}

impl IpcBatches {
    pub(crate) fn new(sources: Vec<Source>, first: Opened, options: &ReadOptions) -> Result<Self> {
        let reader = Reader::open(&sources[0], first)?;
        let schema = reader.schema();
        let plan = Plan::new(names(&schema), options).map_err(|e| e.at(&sources[0].name))?;
        let mut empty = Columns::new(&plan, &schema).map_err(|e| e.at(&sources[0].name))?;
        empty.start_file(&sources[0].name, &plan, &schema)?;
        let places = all_places(&plan, &schema);
        Ok(Self {
            sources,
            plan,
            reader: Some(reader),
            empty,
            places,
            opened: 1,
            rows: 0,
        })
    }

    /// The next frame; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Batch>> {
        loop {
            let Some(reader) = &mut self.reader else {
                let Some(source) = self.sources.get(self.opened) else {
                    return Ok(None);
                };
                let reader = Reader::open(source, source.open()?)?;
                let schema = reader.schema();
                let plan = self.plan.for_file(&names(&schema), &self.sources[0].name);
                let plan = plan.map_err(|e| e.at(&source.name))?;
                self.empty.start_file(&source.name, &plan, &schema)?;
                self.places = all_places(&plan, &schema);
                self.reader = Some(reader);
                self.opened += 1;
                self.rows = 0;
                continue;
            };
            let Some(batch) = reader.next() else {
                self.reader = None;
                continue;
            };
            let batch = batch.map_err(|e| damaged(&self.sources[self.opened - 1].name, &e))?;
            if batch.num_rows() == 0 {
                continue;
            }
            let mut columns = self.empty.part();
            columns.push(&batch, &self.places, self.rows)?;
            self.rows += batch.num_rows();
            return columns.batch().map(Some);
        }
    }
}
