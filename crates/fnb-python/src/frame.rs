//! A table of Python; nothing is decoded before a model asks for it.

use crate::batches::Batches;
use crate::column::{pieces, rows};
use crate::error::{exception, within};
use crate::sparse::SparseMatrix;
use crate::told::Told;
use arrow::datatypes::DataType;
use fnb::columns::ColumnData;
use fnb_table::ReadOptions;
use numpy::PyReadonlyArray1;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3_arrow::input::AnyRecordBatch;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Columns of equal length, lent by Python.
#[pyclass(frozen, module = "fnb._fnb")]
pub(crate) struct Frame {
    pub(crate) table: Arc<Table>,
    /// Columns of objects that turned out to be numbers.
    #[pyo3(get)]
    numbers_from_objects: Vec<String>,
    /// The tables around it, by data path.
    pub(crate) others: Arc<Others>,
}

/// Tables by data path.
pub(crate) type Others = BTreeMap<String, Arc<Table>>;

/// What Python lends.
pub(crate) enum Table {
    /// Columns of Arrow.
    Batches(Batches),
    /// A sparse matrix.
    Sparse(SparseMatrix),
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
        let table = Table::Batches(Batches::new(schema, batches));
        Ok(Self::new(table, Vec::new()))
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
            let column = pieces(column);
            let column = column.map_err(|error| within(py, &format!("column {name:?}"), error))?;
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
        Ok(Self::new(Table::Batches(table), numbers_from_objects))
    }

    /// From a sparse matrix, column after column: where each column starts, the rows of its values
    /// (32 bits) and the values. The rows of a column are distinct; what is not there is 0.
    #[staticmethod]
    fn from_sparse(
        names: Vec<String>,
        starts: PyReadonlyArray1<'_, i64>,
        places: &Bound<'_, PyAny>,
        values: &Bound<'_, PyAny>,
        length: usize,
    ) -> PyResult<Self> {
        let starts = starts.as_array().to_vec();
        let (places, values) = (pieces(places)?, pieces(values)?);
        let matrix = SparseMatrix::new(names, starts, &places, &values, length);
        let matrix = matrix.map_err(|error| exception(&error))?;
        Ok(Self::new(Table::Sparse(matrix), Vec::new()))
    }

    /// The columns at some places, under other names.
    fn select(&self, places: Vec<usize>, names: Vec<String>) -> PyResult<Self> {
        let Table::Batches(batches) = self.table.as_ref() else {
            return Err(PyTypeError::new_err(
                "columns of a sparse matrix are selected before",
            ));
        };
        let table = batches.select(&places, &names);
        let table = table.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self::new(Table::Batches(table), Vec::new()))
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
        self.table.rows()
    }

    /// The names of the columns.
    #[getter]
    fn names(&self) -> Vec<String> {
        match self.table.as_ref() {
            Table::Batches(batches) => {
                let fields = batches.schema.fields().iter();
                fields.map(|field| field.name().clone()).collect()
            }
            Table::Sparse(matrix) => matrix.names.clone(),
        }
    }

    /// The columns whose numbers are used where Python holds them.
    fn lent(&self) -> PyResult<Vec<String>> {
        let table = self
            .table
            .read(&ReadOptions::default(), &mut Told::default());
        let table = table.map_err(|error| exception(&error))?;
        let columns = table.columns().iter();
        let lent = columns.filter(|c| matches!(&c.data, ColumnData::Numeric(n) if n.is_lent()));
        Ok(lent.map(|column| column.name.clone()).collect())
    }
}

impl Frame {
    fn new(table: Table, numbers_from_objects: Vec<String>) -> Self {
        Self {
            table: Arc::new(table),
            numbers_from_objects,
            others: Arc::default(),
        }
    }
}

impl Table {
    /// Number of rows.
    pub(crate) fn rows(&self) -> usize {
        match self {
            Self::Batches(batches) => batches.rows,
            Self::Sparse(matrix) => matrix.rows,
        }
    }

    /// The columns that the options ask for, typed; what is to be told of them is added to `told`.
    pub(crate) fn read(
        &self,
        options: &ReadOptions,
        told: &mut Told,
    ) -> fnb::Result<fnb::columns::Frame> {
        match self {
            Self::Batches(batches) => batches.read(options, told),
            Self::Sparse(matrix) => matrix.read(options),
        }
    }

    /// Fails on columns that no type of ours can hold, unless they are left out.
    pub(crate) fn check_types(&self, left_out: &[String]) -> fnb::Result<()> {
        match self {
            Self::Batches(batches) => batches.check_types(left_out),
            Self::Sparse(_) => Ok(()),
        }
    }

    /// The type of a column.
    pub(crate) fn type_of(&self, name: &str) -> Option<&DataType> {
        match self {
            Self::Batches(batches) => {
                let field = batches.schema.field_with_name(name).ok()?;
                Some(field.data_type())
            }
            Self::Sparse(_) => Some(&DataType::Float64),
        }
    }
}
