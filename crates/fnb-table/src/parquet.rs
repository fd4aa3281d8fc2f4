//! Parquet files: needed columns only, row groups decoded in parallel.

use crate::arrow::{Columns, damaged, needed, places};
use crate::guard::guarded;
use crate::header::Header;
use crate::info::{Format, TableInfo};
use crate::memory;
use crate::options::ReadOptions;
use crate::parquet_page::check_page;
use crate::plan::Plan;
use crate::scan::Scanned;
use crate::source::{Content, Opened, RandomAccess, Source};
use crate::text::formats_differ;
use crate::{Batch, Table};
use arrow::array::RecordBatch;
use bytes::Bytes;
use fnb::Result;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};
use rayon::prelude::*;
use std::io::BufRead;
use std::ops::RangeInclusive;

/// Rows that are decoded at a time.
const ROWS: usize = 1 << 14;

/// Rows of one row group: the sum over all groups is then a number too.
const MOST_ROWS: RangeInclusive<i64> = 0..=u32::MAX as i64;

/// An open Parquet file.
struct ParquetFile {
    name: String,
    bytes: RandomAccess,
    metadata: ArrowReaderMetadata,
    plan: Plan,
}

/// Row group `group`, whose first row is number `first_row` + 1 of the file, and the columns of the
/// source that are decoded together.
struct Task<'a> {
    group: usize,
    first_row: usize,
    read: &'a [usize],
}

impl Length for RandomAccess {
    fn len(&self) -> u64 {
        match self {
            RandomAccess::File { file, .. } => file.len(),
            RandomAccess::Memory(bytes) => bytes.len() as u64,
        }
    }
}

impl ChunkReader for RandomAccess {
    type T = Box<dyn std::io::Read>;

    fn get_read(&self, start: u64) -> parquet::errors::Result<Self::T> {
        // Headers of pages are read here, and their bytes below.
        Ok(match self {
            RandomAccess::File { file, .. } => {
                let mut reader = file.get_read(start)?;
                check_page(reader.fill_buf()?)?;
                Box::new(reader)
            }
            RandomAccess::Memory(bytes) => {
                let reader = bytes.get_read(start)?;
                check_page(reader.get_ref())?;
                Box::new(reader)
            }
        })
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        // The crate allocates what is asked for.
        if start
            .checked_add(length as u64)
            .is_none_or(|end| end > self.len())
        {
            let size = self.len();
            return Err(ParquetError::EOF(format!(
                "{length} bytes at {start} in a file of {size}"
            )));
        }
        match self {
            RandomAccess::File { file, .. } => file.get_bytes(start, length),
            RandomAccess::Memory(bytes) => bytes.get_bytes(start, length),
        }
    }
}

impl ParquetFile {
    /// Opens a file; without a plan, the wishes of the caller make one.
    fn open(
        source: &Source,
        opened: Opened,
        options: &ReadOptions,
        first: Option<(&Plan, &str)>,
    ) -> Result<Self> {
        if opened.content != Content::Parquet {
            return Err(formats_differ(&source.name));
        }
        let bytes = source.random_access(opened)?;
        let metadata = guarded(&source.name, || {
            ArrowReaderMetadata::load(&bytes, ArrowReaderOptions::new())
        })?;
        let groups = metadata.metadata().row_groups().iter();
        if let Some(group) = groups.clone().find(|g| !MOST_ROWS.contains(&g.num_rows())) {
            let rows = group.num_rows();
            return Err(damaged(
                &source.name,
                &format_args!("a group of {rows} rows"),
            ));
        }
        let schema = metadata.schema().as_ref();
        let plan = match first {
            None => Plan::new(schema, options),
            Some((plan, first)) => plan.for_file(schema, first),
        };
        let plan = plan.map_err(|e| e.at(&source.name))?;
        Ok(Self {
            name: source.name.clone(),
            bytes,
            metadata,
            plan,
        })
    }

    /// Number of rows of each row group.
    fn group_rows(&self) -> Vec<usize> {
        let groups = self.metadata.metadata().row_groups();
        groups
            .iter()
            .map(|group| group.num_rows() as usize)
            .collect()
    }

    fn reader(&self, group: usize, read: &[usize]) -> Result<ParquetRecordBatchReader> {
        let mask = ProjectionMask::roots(self.metadata.parquet_schema(), read.iter().copied());
        let bytes = self.bytes.reopen()?;
        guarded(&self.name, || {
            ParquetRecordBatchReaderBuilder::new_with_metadata(bytes, self.metadata.clone())
                .with_projection(mask)
                .with_row_groups(vec![group])
                .with_batch_size(ROWS)
                .build()
        })
    }

    /// The next rows of a row group; none at its end.
    fn next(&self, reader: &mut ParquetRecordBatchReader) -> Result<Option<RecordBatch>> {
        guarded(&self.name, || reader.next().transpose())
    }

    /// D13 if a row group that was read to its end has not the rows that the footer says.
    fn check_rows(&self, group: usize, found: usize) -> Result<()> {
        let announced = self.group_rows()[group];
        if found == announced {
            return Ok(());
        }
        let message = format!(
            "row group {} has {found} rows, its footer says {announced}",
            group + 1
        );
        Err(damaged(&self.name, &message))
    }

    /// Decodes some columns of a row group.
    fn decode(&self, task: &Task, empty: &Columns) -> Result<Columns> {
        let mut part = empty.part();
        let places = places(&self.plan, task.read);
        let mut row = task.first_row;
        let mut reader = self.reader(task.group, task.read)?;
        while let Some(batch) = self.next(&mut reader)? {
            part.push_some(&batch, &places, row)?;
            row += batch.num_rows();
        }
        self.check_rows(task.group, row - task.first_row)?;
        Ok(part)
    }

    /// Adds all rows to the columns.
    fn read(&self, columns: &mut Columns) -> Result<()> {
        columns.start_file(&self.name, &self.plan, self.metadata.schema())?;
        let groups = self.group_rows();
        let needed = needed(&self.plan);
        let threads = rayon::current_num_threads();
        // Few row groups: several threads share one, each with some of its columns.
        let shares = threads
            .div_ceil(groups.len().max(1))
            .clamp(1, needed.len().max(1));
        let shares: Vec<&[usize]> = needed
            .chunks(needed.len().div_ceil(shares).max(1))
            .collect();
        let together = threads.div_ceil(shares.len().max(1));
        let mut first_row = 0;
        for wave in (0..groups.len()).collect::<Vec<_>>().chunks(together) {
            if first_row > 0 && columns.keep_values() {
                // What a damaged file claims is found out in its first groups. Codes of texts take 4 bytes.
                let rows = (groups.iter().sum::<usize>() - first_row) as u64;
                let values = rows.saturating_mul(needed.len() as u64);
                memory::check(&self.name, values.saturating_mul(4))?;
            }
            let mut tasks = Vec::new();
            for &group in wave {
                tasks.extend(shares.iter().map(|&read| Task {
                    group,
                    first_row,
                    read,
                }));
                first_row += groups[group];
            }
            let empty = &*columns;
            let parts = tasks.par_iter().map(|task| self.decode(task, empty));
            // Report the first of several errors, whichever thread meets one first.
            let parts = parts.collect::<Vec<Result<_>>>().into_iter();
            let mut parts = parts.collect::<Result<Vec<_>>>()?.into_iter();
            for &group in wave {
                columns.append(parts.by_ref().take(shares.len()).collect(), groups[group])?;
            }
        }
        Ok(())
    }
}

/// The columns of a file.
pub(crate) fn header_of(source: &Source, opened: Opened) -> Result<Header> {
    let file = ParquetFile::open(source, opened, &ReadOptions::default(), None)?;
    Ok(file.metadata.schema().as_ref().into())
}

/// Reads the files of a table, the first of which is open already.
pub(crate) fn read(sources: &[Source], first: Opened, options: &ReadOptions) -> Result<Table> {
    let (columns, info) = all_groups(sources, first, options, |columns| columns)?;
    columns.finish(info)
}

/// The same without keeping values.
pub(crate) fn scan(sources: &[Source], first: Opened, options: &ReadOptions) -> Result<Scanned> {
    let (columns, info) = all_groups(sources, first, options, Columns::that_forget)?;
    columns.scanned(info, options)
}

/// The columns after all row groups.
fn all_groups(
    sources: &[Source],
    first: Opened,
    options: &ReadOptions,
    start: impl FnOnce(Columns) -> Columns,
) -> Result<(Columns, TableInfo)> {
    let first = ParquetFile::open(&sources[0], first, options, None)?;
    let columns =
        Columns::new(&first.plan, first.metadata.schema()).map_err(|e| e.at(&first.name))?;
    let mut columns = start(columns);
    first.read(&mut columns)?;
    for source in &sources[1..] {
        let plan = Some((&first.plan, first.name.as_str()));
        ParquetFile::open(source, source.open()?, options, plan)?.read(&mut columns)?;
    }
    let names = sources.iter().map(|s| s.name.clone()).collect();
    let info = TableInfo::new(names, Format::Parquet, &first.plan);
    Ok((columns, info))
}

/// Parquet files as a stream of frames.
pub(crate) struct ParquetBatches {
    sources: Vec<Source>,
    options: ReadOptions,
    plan: Plan,
    file: Option<ParquetFile>,
    reader: Option<ParquetRecordBatchReader>,
    /// The next row group of the file.
    group: usize,
    opened: usize,
    /// Rows of the current file that were handed over.
    rows: usize,
    /// Those before the current row group.
    before: usize,
    empty: Columns,
}

impl ParquetBatches {
    pub(crate) fn new(sources: Vec<Source>, first: Opened, options: &ReadOptions) -> Result<Self> {
        let file = ParquetFile::open(&sources[0], first, options, None)?;
        let mut empty =
            Columns::new(&file.plan, file.metadata.schema()).map_err(|e| e.at(&file.name))?;
        empty.start_file(&file.name, &file.plan, file.metadata.schema())?;
        Ok(Self {
            sources,
            options: options.clone(),
            plan: file.plan.clone(),
            file: Some(file),
            reader: None,
            group: 0,
            opened: 1,
            rows: 0,
            before: 0,
            empty,
        })
    }

    /// The next frame; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Batch>> {
        loop {
            let Some(file) = &self.file else {
                let Some(source) = self.sources.get(self.opened) else {
                    return Ok(None);
                };
                let plan = Some((&self.plan, self.sources[0].name.as_str()));
                let file = ParquetFile::open(source, source.open()?, &self.options, plan)?;
                self.empty
                    .start_file(&file.name, &file.plan, file.metadata.schema())?;
                self.file = Some(file);
                self.opened += 1;
                (self.group, self.rows, self.before) = (0, 0, 0);
                continue;
            };
            let needed = needed(&file.plan);
            let Some(reader) = &mut self.reader else {
                if self.group < file.group_rows().len() {
                    self.reader = Some(file.reader(self.group, &needed)?);
                    self.group += 1;
                } else {
                    self.file = None;
                }
                continue;
            };
            let Some(batch) = file.next(reader)? else {
                file.check_rows(self.group - 1, self.rows - self.before)?;
                self.before = self.rows;
                self.reader = None;
                continue;
            };
            let mut columns = self.empty.part();
            columns.push(&batch, &places(&file.plan, &needed), self.rows)?;
            self.rows += batch.num_rows();
            return columns.batch().map(Some);
        }
    }
}
