//! Record batches of one schema, lent by Python; nothing is decoded before a model asks for it.

use crate::column::Pieces;
use crate::told::Told;
use arrow::array::{Array, ArrayRef, RecordBatch, RecordBatchOptions};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::error::ArrowError;
use fnb::{Code, Error};
use fnb_table::{ReadOptions, from_record_batches};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Record batches of one schema.
pub(crate) struct Batches {
    pub(crate) schema: SchemaRef,
    pieces: Vec<RecordBatch>,
    pub(crate) rows: usize,
}

impl Batches {
    pub(crate) fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Self {
        let rows = batches.iter().map(RecordBatch::num_rows).sum();
        Self {
            schema,
            pieces: batches,
            rows,
        }
    }

    /// Cuts the columns where any of them is cut.
    pub(crate) fn from_pieces(
        names: &[String],
        columns: &[Pieces],
        rows: usize,
    ) -> Result<Self, ArrowError> {
        let fields = names.iter().zip(columns).map(|(name, column)| {
            let data_type = column
                .arrays
                .first()
                .map_or(&DataType::Null, |a| a.data_type());
            Field::new(name, data_type.clone(), true)
        });
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let mut cuts = BTreeSet::from([0, rows]);
        for column in columns {
            let mut end = 0;
            for array in &column.arrays {
                end += array.len();
                cuts.insert(end);
            }
        }
        let cuts: Vec<usize> = cuts.into_iter().collect();
        let mut batches = Vec::with_capacity(cuts.len());
        for range in cuts.windows(2) {
            let (start, length) = (range[0], range[1] - range[0]);
            let arrays = columns.iter().map(|column| slice(column, start, length));
            let options = RecordBatchOptions::new().with_row_count(Some(length));
            batches.push(RecordBatch::try_new_with_options(
                Arc::clone(&schema),
                arrays.collect(),
                &options,
            )?);
        }
        Ok(Self::new(schema, batches))
    }

    pub(crate) fn select(&self, places: &[usize], names: &[String]) -> Result<Self, ArrowError> {
        let schema = self.schema.project(places)?;
        let fields = schema.fields().iter().zip(names);
        let fields = fields.map(|(field, name)| field.as_ref().clone().with_name(name));
        // What pandas says of its index goes with the columns.
        let metadata = schema.metadata().clone();
        let schema = Schema::new_with_metadata(fields.collect::<Vec<_>>(), metadata);
        let schema = Arc::new(schema);
        let batches = self.pieces.iter().map(|batch| {
            let columns = places.iter().map(|&place| Arc::clone(batch.column(place)));
            let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
            let schema = Arc::clone(&schema);
            RecordBatch::try_new_with_options(schema, columns.collect(), &options)
        });
        let batches = batches.collect::<Result<_, _>>()?;
        Ok(Self::new(schema, batches))
    }

    /// The columns that the options ask for, typed; what is to be told of them is added to `told`.
    pub(crate) fn read(
        &self,
        options: &ReadOptions,
        told: &mut Told,
    ) -> fnb::Result<fnb::columns::Frame> {
        let batches = self.pieces.iter().cloned().map(Ok);
        let table = from_record_batches(&self.schema, batches, options)?;
        told.add(&table.info.warnings);
        Ok(table.frame)
    }

    /// Fails on columns that no type of ours can hold, unless they are left out.
    pub(crate) fn check_types(&self, left_out: &[String]) -> fnb::Result<()> {
        for field in self.schema.fields() {
            if field.data_type().is_nested() && !left_out.contains(field.name()) {
                let message = format!(
                    "column {:?} holds nested values of type {}",
                    field.name(),
                    field.data_type()
                );
                return Err(Error::new(Code::UnsupportedType, message)
                    .help("unnest it into columns of plain values, or name it in drop_features"));
            }
        }
        Ok(())
    }
}

/// Rows of a column that lie within one of its pieces.
fn slice(column: &Pieces, start: usize, length: usize) -> ArrayRef {
    let mut first = 0;
    for array in &column.arrays {
        if start < first + array.len() {
            if first == start && array.len() == length {
                return Arc::clone(array);
            }
            return array.slice(start - first, length);
        }
        first += array.len();
    }
    arrow::array::new_empty_array(column.arrays[0].data_type())
}
