//! The target: classes as text, as in model files.

use crate::column::pieces;
use crate::error::{exception, within};
use arrow::array::{Array, AsArray};
use arrow::compute::cast;
use arrow::datatypes::DataType;
use fnb::columns::{CategoricalColumnBuilder, ClassWeights, Column, ColumnData};
use fnb::model::LabelType;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::sync::Arc;

/// The class of every row.
#[pyclass(frozen, module = "fnb._fnb")]
pub(crate) struct Target {
    pub(crate) target: Arc<fnb::columns::Target>,
    /// What the classes were before they were texts, if these do not tell.
    pub(crate) labels: Option<LabelType>,
}

#[pymethods]
impl Target {
    /// The classes that have rows, as text.
    #[getter]
    fn classes(&self) -> Vec<String> {
        self.target.classes().to_vec()
    }

    /// `classes[codes[row]]` is the class of a row, `weights` the number of rows that each stands
    /// for; they are multiplied by `class_weights`, of some classes or "balanced". `labels` is "text" or
    /// "float" if the classes were that, and do not look so.
    #[new]
    #[pyo3(signature = (name, classes, codes, weights=None, class_weights=None, labels=None))]
    fn new(
        py: Python<'_>,
        name: String,
        classes: Vec<String>,
        codes: PyReadonlyArray1<'_, i64>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        class_weights: Option<GivenWeights>,
        labels: Option<&str>,
    ) -> PyResult<Self> {
        let labels = match labels {
            None => None,
            Some("text") => Some(LabelType::Text),
            Some("float") => Some(LabelType::Float),
            Some(other) => {
                return Err(PyValueError::new_err(format!("no labels are {other:?}")));
            }
        };
        let codes: Vec<i64> = codes.as_array().iter().copied().collect();
        let weights = weights.map(|weights| weights.as_array().to_vec());
        if let Some(code) = codes
            .iter()
            .find(|&&c| c < 0 || c as usize >= classes.len())
        {
            return Err(PyValueError::new_err(format!("there is no class {code}")));
        }
        let target = py.detach(|| {
            let rows = codes
                .iter()
                .map(|&code| Some(classes[code as usize].as_str()));
            let data = ColumnData::Categorical(rows.collect());
            let mut target = fnb::columns::Target::from_column(&Column { name, data })?;
            if let Some(weights) = weights {
                target = target.with_weights(&weights)?;
            }
            if let Some(mut weights) = class_weights {
                // Rows of weight 0 have no class.
                if let GivenWeights::Given(given) = &mut weights {
                    given.retain(|(class, _)| target.classes().contains(class));
                }
                target = target.with_class_weights(&weights.into())?;
            }
            without_faint_classes(target)
        });
        Ok(Self {
            target: Arc::new(target.map_err(|error| exception(&error))?),
            labels,
        })
    }
}

/// Class weights as Python gives them.
#[derive(FromPyObject)]
pub(crate) enum GivenWeights {
    Given(Vec<(String, f64)>),
    #[expect(dead_code, reason = "the only text there is")]
    Balanced(String),
}

impl From<GivenWeights> for ClassWeights {
    fn from(weights: GivenWeights) -> Self {
        match weights {
            GivenWeights::Given(weights) => ClassWeights::Given(weights),
            GivenWeights::Balanced(_) => ClassWeights::Balanced,
        }
    }
}

/// Rows of classes that weigh less than half a row are left out: scikit-learn wants a model whatever
/// the weights.
fn without_faint_classes(target: fnb::columns::Target) -> fnb::Result<fnb::columns::Target> {
    let counts = target.counts();
    if counts.iter().all(|count| *count > 0) || counts.iter().all(|count| *count == 0) {
        return Ok(target);
    }
    let kept = |&code: &u32| if counts[code as usize] > 0 { 1.0 } else { 0.0 };
    let kept: Vec<f64> = target.codes().iter().map(kept).collect();
    target.with_weights(&kept)
}

/// The distinct texts of a column in order of appearance, and their code in every row; missing is -1.
#[pyfunction]
pub(crate) fn factorize<'py>(
    py: Python<'py>,
    column: &Bound<'py, PyAny>,
) -> PyResult<(Bound<'py, PyArray1<i64>>, Vec<String>)> {
    let pieces = pieces(column).map_err(|error| within(py, "y", error))?;
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
