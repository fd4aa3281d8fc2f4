//! Arrow record batches to columns, from memory, IPC files and IPC streams.

mod column;
mod ipc;
mod message;
mod moments;
mod scan;

pub(crate) use ipc::{IpcBatches, header_of, read_ipc, scan_ipc};

use crate::info::{Detail, Format, TableInfo, Warning};
use crate::options::ReadOptions;
use crate::plan::{Plan, Want};
use crate::text::file::no_rows;
use crate::unreadable::Unreadable;
use crate::{Batch, Table};
use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use column::{Finished, Treatment, Values};
use fnb::columns::{Column, Frame};
use fnb::{Code, Error, Result};
use rayon::prelude::*;

/// Batches of at most so many rows are read in the caller's thread.
const FEW_ROWS: usize = 4096;

/// The table held by record batches of one schema, for instance those that another program lends.
///
/// ```
/// use arrow::array::{Float64Array, RecordBatch};
/// use arrow::datatypes::{DataType, Field, Schema};
/// use std::sync::Arc;
/// let schema = Arc::new(Schema::new(vec![Field::new("x", DataType::Float64, true)]));
/// let x = Arc::new(Float64Array::from(vec![Some(1.5), None]));
/// let batch = RecordBatch::try_new(schema.clone(), vec![x])?;
/// let table = fnb_table::from_record_batches(&schema, [Ok(batch)], &Default::default())?;
/// assert_eq!((table.frame.rows(), table.info.columns[0].missing), (2, Some(1)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn from_record_batches(
    schema: &SchemaRef,
    batches: impl IntoIterator<Item = Result<RecordBatch, ArrowError>>,
    options: &ReadOptions,
) -> Result<Table> {
    let plan = Plan::new(schema.as_ref(), options)?;
    let name = "record batches";
    let mut columns = Columns::new(&plan, schema)?;
    let places = places(&plan, &(0..schema.fields().len()).collect::<Vec<_>>());
    for batch in batches {
        columns.push(
            &batch.map_err(|e| damaged(name, &e))?,
            &places,
            columns.rows(),
        )?;
    }
    columns.finish(TableInfo::new(vec![name.to_owned()], Format::Arrow, &plan))
}

/// D13: the file is not what it should be.
pub(crate) fn damaged(name: &str, error: &dyn std::fmt::Display) -> Error {
    Error::new(Code::UnreadableFile, format!("{name} is damaged: {error}"))
        .help("the file is damaged or cut short; fetch or write it again")
}

/// The columns of the source that are needed, in increasing order.
pub(crate) fn needed(plan: &Plan) -> Vec<usize> {
    let used = plan
        .columns
        .iter()
        .filter(|c| !matches!(c.want, Want::Unused(_)));
    let mut needed: Vec<usize> = used
        .map(|c| c.source)
        .chain(plan.keep.iter().map(|k| k.1))
        .collect();
    needed.sort_unstable();
    needed.dedup();
    needed
}

/// Where the columns of the plan, then those to keep, are among the columns of the source that were
/// read.
pub(crate) fn places(plan: &Plan, read: &[usize]) -> Vec<Option<usize>> {
    let sources = plan
        .columns
        .iter()
        .map(|c| c.source)
        .chain(plan.keep.iter().map(|k| k.1));
    sources
        .map(|source| read.binary_search(&source).ok())
        .collect()
}

/// The columns of a table while its batches arrive.
pub(crate) struct Columns {
    names: Vec<String>,
    wants: Vec<Want>,
    /// The columns of the frame, then those that are kept.
    values: Vec<Values>,
    rows: usize,
    may_be_empty: bool,
    file: String,
    warnings: Vec<Warning>,
}

impl Columns {
    pub(crate) fn new(plan: &Plan, schema: &SchemaRef) -> Result<Self> {
        let values = treatments(plan, schema)?
            .into_iter()
            .map(Values::new)
            .collect();
        Ok(Self {
            names: plan.columns.iter().map(|c| c.name.clone()).collect(),
            wants: plan.columns.iter().map(|c| c.want).collect(),
            values,
            rows: 0,
            may_be_empty: plan.may_be_empty,
            file: "record batches".to_owned(),
            warnings: Vec::new(),
        })
    }

    /// The same, which will not keep any values.
    pub(crate) fn that_forget(mut self) -> Self {
        for values in &mut self.values {
            values.seen = Some(scan::Seen::default());
        }
        self
    }

    /// Do they take memory for every row?
    pub(crate) fn keep_values(&self) -> bool {
        self.values.iter().any(|values| values.seen.is_none())
    }

    /// Columns of the same kinds, for a part of the rows.
    pub(crate) fn part(&self) -> Self {
        Self {
            names: self.names.clone(),
            wants: self.wants.clone(),
            values: self.values.iter().map(Values::empty).collect(),
            rows: 0,
            may_be_empty: self.may_be_empty,
            file: self.file.clone(),
            warnings: Vec::new(),
        }
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Starts a file. Its columns must be of the same kinds as those of the files before (D15).
    pub(crate) fn start_file(&mut self, file: &str, plan: &Plan, schema: &SchemaRef) -> Result<()> {
        file.clone_into(&mut self.file);
        let treatments = treatments(plan, schema).map_err(|e| e.at(file))?;
        for ((treatment, values), column) in treatments.iter().zip(&self.values).zip(&plan.columns)
        {
            if *treatment != values.treatment {
                let message = format!(
                    "{file}: column {:?} has type {}, another kind than in the files before",
                    column.name,
                    schema.field(column.source).data_type()
                );
                return Err(Error::new(Code::FilesDiffer, message)
                    .help("files of one table must have columns of the same types"));
            }
        }
        Ok(())
    }

    /// Adds a batch whose first row is number `first_row` + 1 of its file; `places` tells where the
    /// columns are.
    pub(crate) fn push(
        &mut self,
        batch: &RecordBatch,
        places: &[Option<usize>],
        first_row: usize,
    ) -> Result<()> {
        let row = first_row + 1;
        let push = |(values, place): (&mut Values, &Option<usize>)| {
            place.map_or(Ok(()), |place| values.push(batch.column(place), row))
        };
        let pushed = if batch.num_rows() <= FEW_ROWS {
            // Done before another thread would have woken up, and without any: a caller that scores a
            // few rows may have been forked from a process whose threads it has not.
            self.values.iter_mut().zip(places).try_for_each(push)
        } else {
            let values = self.values.par_iter_mut().zip(places).with_min_len(4);
            // Report the first of several errors, whichever thread meets one first.
            let pushed = values.map(push).collect::<Vec<Result<()>>>();
            pushed.into_iter().collect()
        };
        pushed.map_err(|e| e.at(&self.file))?;
        self.rows += batch.num_rows();
        self.check_numbers(false)
    }

    /// Adds only some of the columns of a batch: those that have a place. The rows are not counted.
    pub(crate) fn push_some(
        &mut self,
        batch: &RecordBatch,
        places: &[Option<usize>],
        first_row: usize,
    ) -> Result<()> {
        for (values, place) in self.values.iter_mut().zip(places) {
            if let Some(place) = place {
                values
                    .push(batch.column(*place), first_row + 1)
                    .map_err(|e| e.at(&self.file))?;
            }
        }
        Ok(())
    }

    /// Adds parts that hold different columns of the same rows.
    pub(crate) fn append(&mut self, parts: Vec<Self>, rows: usize) -> Result<()> {
        for part in parts {
            for (values, other) in self.values.iter_mut().zip(part.values) {
                values.append(other);
            }
        }
        self.rows += rows;
        self.check_numbers(false)
    }

    /// D07, or at the end the warnings about texts that are not numbers.
    fn check_numbers(&mut self, end: bool) -> Result<()> {
        for (name, values) in self.names.iter().zip(&self.values) {
            let warning = values.not_numbers(name, &self.file)?;
            self.warnings
                .extend(warning.filter(|_| end).map(Warning::from));
        }
        Ok(())
    }

    /// What is told of the columns before their values are looked at; D04 without rows.
    fn conclude(&mut self, info: &mut TableInfo) -> Result<Vec<Detail>> {
        if self.rows == 0 && !self.may_be_empty {
            return Err(no_rows(&info.files.join(", ")));
        }
        self.check_numbers(true)?;
        info.warnings = std::mem::take(&mut self.warnings);
        let details: Vec<Detail> = self
            .wants
            .iter()
            .zip(&self.values)
            .map(|(want, values)| Detail {
                forced: *want != Want::Detect,
                note: match &values.treatment {
                    Treatment::Unused { note, .. } => note.clone(),
                    _ => None,
                },
            })
            .collect();
        for (name, detail) in self.names.iter().zip(&details) {
            info.warnings.extend(
                detail
                    .note
                    .as_ref()
                    .map(|note| format!("column {name:?} is ignored: {note}").into()),
            );
        }
        Ok(details)
    }

    /// The finished table; D04 without rows.
    pub(crate) fn finish(mut self, mut info: TableInfo) -> Result<Table> {
        let details = self.conclude(&mut info)?;
        let (batch, warnings) = self.finished()?;
        info.warnings.extend(warnings);
        info.warnings.extend(batch.unreadable.warnings());
        let frame = batch.frame;
        info.describe(&frame, details.into_iter());
        Ok(Table { frame, info })
    }

    /// The rows so far as a batch.
    pub(crate) fn batch(self) -> Result<Batch> {
        Ok(self.finished()?.0)
    }

    /// The same, and what is to be told of its columns.
    fn finished(self) -> Result<(Batch, Vec<Warning>)> {
        let mut values = self.values.into_iter();
        let mut columns = Vec::with_capacity(self.names.len());
        let mut warnings = Vec::new();
        let mut unreadable = Unreadable::default();
        for (name, values) in self.names.into_iter().zip(values.by_ref()) {
            let finished = values.finish(&name, &mut unreadable);
            let Finished { data, warning } = finished.map_err(|e| e.at(&self.file))?;
            warnings.extend(warning);
            columns.push(Column { name, data });
        }
        let batch = Batch {
            frame: Frame::new(self.rows, columns)?,
            kept: values.map(Values::finish_kept).collect(),
            unreadable,
        };
        Ok((batch, warnings))
    }
}

/// How each column of the plan, then each to keep, is treated.
fn treatments(plan: &Plan, schema: &SchemaRef) -> Result<Vec<Treatment>> {
    let columns = plan
        .columns
        .iter()
        .map(|c| (c.name.as_str(), c.source, c.want));
    let keep = plan
        .keep
        .iter()
        .map(|(name, source)| (name.as_str(), *source, Want::Category { spelling: None }));
    let treatment = |(name, source, want): (&str, usize, Want)| {
        Treatment::new(name, schema.field(source).data_type(), want)
    };
    columns.chain(keep).map(treatment).collect()
}
