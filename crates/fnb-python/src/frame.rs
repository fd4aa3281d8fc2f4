//! A table of Python as Arrow record batches; nothing is decoded before a model asks for it.

use crate::column::{Pieces, pieces, rows};
use crate::error::exception;
use arrow::array::{Array, ArrayRef, RecordBatch, RecordBatchOptions};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::error::ArrowError;
use fnb::columns::ColumnData;
use fnb::{Code, Error};
use fnb_table::{ReadOptions, from_record_batches};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3_arrow::input::AnyRecordBatch;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Columns of equal length, lent by Python.
#[pyclass(frozen, module = "fnb._fnb")]
pub(crate) struct Frame {
    pub(crate) table: Arc<Batches>,
    /// Columns of objects that turned out to be numbers.
    #[pyo3(get)]
    numbers_from_objects: Vec<String>,
    /// The tables around it, by data path.
    pub(crate) others: Arc<Others>,
}

/// Tables by data path.
pub(crate) type Others = BTreeMap<String, Arc<Batches>>;

/// Record batches of one schema.
pub(crate) struct Batches {
    pub(crate) schema: SchemaRef,
    pieces: Vec<RecordBatch>,
    pub(crate) rows: usize,
}

#[pymethods]
impl Frame {
    /// From anything that speaks the Arrow protocol.
    #[staticmethod]
    fn from_arrow(table: AnyRecordBatch) -> PyResult<Self> {
        let reader = table.into_reader()?;
        let schema = reader.schema();
        let batches = reader.collect::<Result<Vec<_>, _>>();
        let batches = batches.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self::new(Batches::new(schema, batches), Vec::new()))
    }

    /// From one object per column; see `column.rs` for what it may be.
    #[staticmethod]
    fn from_columns(
        py: Python<'_>,
        names: Vec<String>,
        columns: Vec<Bound<'_, PyAny>>,
        length: usize,
    ) -> PyResult<Self> {
        let mut read = Vec::with_capacity(columns.len());
        let mut numbers_from_objects = Vec::new();
        for (name, column) in names.iter().zip(&columns) {
            let column = pieces(column).map_err(|error| at_column(py, name, error))?;
            if rows(&column) != length {
                let message = format!("column {name:?} has {} rows, not {length}", rows(&column));
                return Err(PyValueError::new_err(message));
            }
            if column.numbers_from_objects {
                numbers_from_objects.push(name.clone());
            }
            read.push(column);
        }
        let table = Batches::from_pieces(&names, &read, length);
        let table = table.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self::new(table, numbers_from_objects))
    }

    /// The columns at some places, under other names.
    fn select(&self, places: Vec<usize>, names: Vec<String>) -> PyResult<Self> {
        let table = self.table.select(&places, &names);
        let table = table.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self::new(table, Vec::new()))
    }

    /// The same with other tables around it, by data path.
    fn with_tables(&self, others: BTreeMap<String, Py<Self>>) -> Self {
        let others = others.into_iter();
        let others = others.map(|(path, frame)| (path, Arc::clone(&frame.get().table)));
        Self {
            table: Arc::clone(&self.table),
            numbers_from_objects: self.numbers_from_objects.clone(),
            others: Arc::new(others.collect()),
        }
    }

    /// Number of rows.
    #[getter]
    fn rows(&self) -> usize {
        self.table.rows
    }

    /// The names of the columns.
    #[getter]
    fn names(&self) -> Vec<String> {
        let fields = self.table.schema.fields().iter();
        fields.map(|field| field.name().clone()).collect()
    }

    /// The columns whose numbers are used where Python holds them.
    fn lent(&self) -> PyResult<Vec<String>> {
        let table = self.table.read(&ReadOptions::default());
        let table = table.map_err(|error| exception(&error))?;
        let columns = table.columns().iter();
        let lent = columns.filter(|c| matches!(&c.data, ColumnData::Numeric(n) if n.is_lent()));
        Ok(lent.map(|column| column.name.clone()).collect())
    }
}

impl Frame {
    fn new(table: Batches, numbers_from_objects: Vec<String>) -> Self {
        Self {
            table: Arc::new(table),
            numbers_from_objects,
            others: Arc::default(),
        }
    }
}

impl Batches {
    fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Self {
        let rows = batches.iter().map(RecordBatch::num_rows).sum();
        Self {
            schema,
            pieces: batches,
            rows,
        }
    }

    /// Cuts the columns where any of them is cut.
    fn from_pieces(names: &[String], columns: &[Pieces], rows: usize) -> Result<Self, ArrowError> {
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

    fn select(&self, places: &[usize], names: &[String]) -> Result<Self, ArrowError> {
        let schema = self.schema.project(places)?;
        let fields = schema.fields().iter().zip(names);
        let fields = fields.map(|(field, name)| field.as_ref().clone().with_name(name));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let batches = self.pieces.iter().map(|batch| {
            let columns = places.iter().map(|&place| Arc::clone(batch.column(place)));
            let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
            let schema = Arc::clone(&schema);
            RecordBatch::try_new_with_options(schema, columns.collect(), &options)
        });
        let batches = batches.collect::<Result<_, _>>()?;
        Ok(Self::new(schema, batches))
    }

    /// The columns that the options ask for, typed.
    pub(crate) fn read(&self, options: &ReadOptions) -> fnb::Result<fnb::columns::Frame> {
        let batches = self.pieces.iter().cloned().map(Ok);
        Ok(from_record_batches(&self.schema, batches, options)?.frame)
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

/// The same exception with the column in front.
fn at_column(py: Python<'_>, name: &str, error: PyErr) -> PyErr {
    let message = format!("column {name:?}: {}", error.value(py));
    if error.is_instance_of::<PyTypeError>(py) {
        PyTypeError::new_err(message)
    } else if error.is_instance_of::<PyValueError>(py) {
        PyValueError::new_err(message)
    } else {
        error
    }
}
