//! Arrow IPC files and streams.

use super::message::{Received, broken, length, schema_of, take};
use super::{Columns, needed, places};
use crate::guard::guarded;
use crate::header::Header;
use crate::info::{Format, TableInfo};
use crate::options::ReadOptions;
use crate::plan::Plan;
use crate::scan::Scanned;
use crate::source::{Content, Opened, RandomAccess, Source};
use crate::text::formats_differ;
use crate::{Batch, Table};
use arrow::array::{ArrayRef, RecordBatch};
use arrow::datatypes::{Schema, SchemaRef};
use arrow::error::ArrowError;
use arrow::ipc::reader::read_footer_length;
use arrow::ipc::{Block, root_as_footer};
use fnb::Result;
use std::collections::HashMap;
use std::io::{BufReader, Cursor, Read, Seek, SeekFrom};
use std::sync::Arc;

trait ReadSeek: Read + Seek + Send {}
impl<T: Read + Seek + Send> ReadSeek for T {}

/// The batches of a file or a stream.
struct Reader {
    name: String,
    schema: SchemaRef,
    dictionaries: HashMap<i64, ArrayRef>,
    messages: Messages,
}

/// Where the messages are.
enum Messages {
    File(FileOfBlocks),
    Stream {
        reader: BufReader<Box<dyn Read + Send>>,
        /// Bytes to come, where known.
        left: Option<u64>,
    },
}

/// A file whose footer tells where its messages are.
struct FileOfBlocks {
    reader: Box<dyn ReadSeek>,
    size: u64,
    /// Those to come.
    blocks: std::vec::IntoIter<Block>,
}

impl Reader {
    fn open(source: &Source, opened: Opened) -> Result<Self> {
        let mut messages = match opened.content {
            Content::IpcFile => {
                let reader: Box<dyn ReadSeek> = match source.random_access(opened)? {
                    RandomAccess::File { file, .. } => Box::new(BufReader::new(file)),
                    RandomAccess::Memory(bytes) => Box::new(Cursor::new(bytes)),
                };
                Messages::File(FileOfBlocks {
                    reader,
                    size: 0,
                    blocks: Vec::new().into_iter(),
                })
            }
            Content::IpcStream => Messages::Stream {
                left: source.size().filter(|_| opened.plain),
                reader: BufReader::new(opened.reader),
            },
            Content::Text | Content::Parquet => return Err(formats_differ(&source.name)),
        };
        let schema = guarded(&source.name, || match &mut messages {
            Messages::File(file) => file.open(),
            Messages::Stream { reader, left } => match Received::next(reader, left)? {
                Some(message) => message.schema(),
                None => Err(broken("it has no schema")),
            },
        })?;
        Ok(Self {
            name: source.name.clone(),
            schema: Arc::new(schema),
            dictionaries: HashMap::new(),
            messages,
        })
    }

    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn batch(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        loop {
            let message = match &mut self.messages {
                Messages::File(file) => file.next()?,
                Messages::Stream { reader, left } => Received::next(reader, left)?,
            };
            let Some(message) = message else {
                return Ok(None);
            };
            let batch = message.decode(&self.schema, &mut self.dictionaries)?;
            if batch.is_some() {
                return Ok(batch);
            }
        }
    }
}

impl Iterator for Reader {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let name = self.name.clone();
        guarded(&name, || self.batch()).transpose()
    }
}

impl FileOfBlocks {
    /// Reads the footer: the schema, and the places of dictionaries and batches.
    fn open(&mut self) -> Result<Schema, ArrowError> {
        let mut end = [0; 10];
        self.reader.seek(SeekFrom::End(-10))?;
        self.reader.read_exact(&mut end)?;
        self.size = self.reader.stream_position()?;
        let size = read_footer_length(end)?;
        let left = self.size - end.len() as u64;
        let start = left.saturating_sub(size as u64);
        self.reader.seek(SeekFrom::Start(start))?;
        let footer = take(&mut self.reader, size, Some(left))?;
        let footer =
            root_as_footer(&footer).map_err(|e| broken(format!("its footer is not valid: {e}")))?;
        let dictionaries = footer.dictionaries().into_iter().flatten();
        let batches = footer
            .recordBatches()
            .ok_or_else(|| broken("its footer names no batches"))?;
        let blocks: Vec<Block> = dictionaries.chain(batches).copied().collect();
        self.blocks = blocks.into_iter();
        schema_of(
            footer
                .schema()
                .ok_or_else(|| broken("its footer has no schema"))?,
        )
    }

    /// The next message; none at the end.
    fn next(&mut self) -> Result<Option<Received>, ArrowError> {
        let Some(block) = self.blocks.next() else {
            return Ok(None);
        };
        let start = length(block.offset())? as u64;
        let metadata = length(block.metaDataLength().into())?;
        let size = length(block.bodyLength())?.saturating_add(metadata);
        self.reader.seek(SeekFrom::Start(start))?;
        let left = self.size.saturating_sub(start);
        let block = take(&mut self.reader, size, Some(left))?;
        Received::in_block(&block, metadata).map(Some)
    }
}

/// The columns of a file.
pub(crate) fn header_of(source: &Source, opened: Opened) -> Result<Header> {
    Ok(Reader::open(source, opened)?.schema().as_ref().into())
}

/// Reads the files of a table, the first of which is open already.
pub(crate) fn read_ipc(sources: &[Source], first: Opened, options: &ReadOptions) -> Result<Table> {
    let (columns, info) = all_batches(sources, first, options, |columns| columns)?;
    columns.finish(info)
}

/// The same without keeping values.
pub(crate) fn scan_ipc(
    sources: &[Source],
    first: Opened,
    options: &ReadOptions,
) -> Result<Scanned> {
    let (columns, info) = all_batches(sources, first, options, Columns::that_forget)?;
    columns.scanned(info, options)
}

/// The columns after all batches.
fn all_batches(
    sources: &[Source],
    first: Opened,
    options: &ReadOptions,
    start: impl FnOnce(Columns) -> Columns,
) -> Result<(Columns, TableInfo)> {
    let reader = Reader::open(&sources[0], first)?;
    let plan = Plan::new(reader.schema().as_ref(), options).map_err(|e| e.at(&sources[0].name))?;
    let columns = Columns::new(&plan, &reader.schema()).map_err(|e| e.at(&sources[0].name))?;
    let mut columns = start(columns);
    let mut first = Some(reader);
    for source in sources {
        let reader = match first.take() {
            Some(reader) => reader,
            None => Reader::open(source, source.open()?)?,
        };
        let schema = reader.schema();
        let plan = plan
            .for_file(schema.as_ref(), &sources[0].name)
            .map_err(|e| e.at(&source.name))?;
        columns.start_file(&source.name, &plan, &schema)?;
        let places = all_places(&plan, &schema);
        let before = columns.rows();
        for batch in reader {
            let batch = batch?;
            columns.push(&batch, &places, columns.rows() - before)?;
        }
    }
    let names = sources.iter().map(|s| s.name.clone()).collect();
    Ok((columns, TableInfo::new(names, Format::Arrow, &plan)))
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
        let plan = Plan::new(schema.as_ref(), options).map_err(|e| e.at(&sources[0].name))?;
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
                let plan = self.plan.for_file(schema.as_ref(), &self.sources[0].name);
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
            let batch = batch?;
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
