//! The target: classes as text, as in model files.

use crate::column::pieces;
use crate::error::exception;
use arrow::array::{Array, AsArray};
use arrow::compute::cast;
use arrow::datatypes::DataType;
use fnb::columns::{CategoricalColumnBuilder, Column, ColumnData};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::sync::Arc;

/// The class of every row.
#[pyclass(frozen, module = "fnb._fnb")]
pub(crate) struct Target {
    pub(crate) target: Arc<fnb::columns::Target>,
}

#[pymethods]
impl Target {
    /// `classes[codes[row]]` is the class of a row.
    #[new]
    fn new(
        py: Python<'_>,
        name: String,
        classes: Vec<String>,
        codes: PyReadonlyArray1<'_, i64>,
    ) -> PyResult<Self> {
        let codes = codes.as_array();
        let codes: Vec<i64> = codes.iter().copied().collect();
        if let Some(code) = codes.iter().find(|&&c| c < 0 || c as usize >= classes.len()) {
            return Err(PyValueError::new_err(format!("there is no class {code}")));
        }
        let target = py.detach(|| {
            let rows = codes.iter().map(|&code| Some(classes[code as usize].as_str()));
            let data = ColumnData::Categorical(rows.collect());
            fnb::columns::Target::from_column(&Column { name, data })
        });
        Ok(Self {
            target: Arc::new(target.map_err(|error| exception(&error))?),
        })
    }
}

/// The distinct texts of a column in order of appearance, and their code in every row; missing is -1.
#[pyfunction]
pub(crate) fn factorize<'py>(
    py: Python<'py>,
    column: &Bound<'py, PyAny>,
) -> PyResult<(Bound<'py, PyArray1<i64>>, Vec<String>)> {
    let pieces = pieces(column)?;
    let mut builder = CategoricalColumnBuilder::default();
    for array in &pieces.arrays {
        let nested = array.data_type().is_nested();
        let texts = cast(array, &DataType::LargeUtf8).ok().filter(|_| !nested);
        let texts = texts.ok_or_else(|| {
            PyTypeError::new_err(format!("{} is no type of a class", array.data_type()))
        })?;
        for text in texts.as_string::<i64>() {
            builder.push(text);
        }
    }
    let column = builder.finish();
    let values = column.values();
    let mut texts = Vec::new();
    let places = values.iter().map(|value| match value {
        None => -1,
        Some(text) => {
            texts.push(text.to_owned());
            texts.len() as i64 - 1
        }
    });
    let places: Vec<i64> = places.collect();
    let codes = column.codes().iter().map(|&code| places[code as usize]);
    Ok((PyArray1::from_iter(py, codes), texts))
}
