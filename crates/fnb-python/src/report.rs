//! Models as a page.

use crate::model::Model;
use crate::run::run;
use fnb::columns::RowWeights;
use fnb::evaluate::Evaluation;
use fnb_report::{NamedModel, Options, page};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Probabilities, the actual class of every row, by position and beyond the classes of the model for others,
/// and what the rows weigh.
type Measured<'py> = (
    PyReadonlyArray2<'py, f64>,
    PyReadonlyArray1<'py, i64>,
    Option<PyReadonlyArray1<'py, f64>>,
);

/// The text of the page of a model; `measured` are rows to measure it on.
#[pyfunction]
#[pyo3(signature = (model, name, measured, title, main_class))]
pub(crate) fn report(
    py: Python<'_>,
    model: &Model,
    name: String,
    measured: Option<Measured<'_>>,
    title: Option<String>,
    main_class: Option<String>,
) -> PyResult<String> {
    let ready = model.ready();
    let measured = match measured {
        None => None,
        Some((probabilities, actual, weights)) => {
            let probabilities: Vec<f64> = probabilities.as_array().iter().copied().collect();
            let actual: Vec<u32> = actual.as_array().iter().map(|&code| code as u32).collect();
            if probabilities.len() != actual.len() * ready.model.classes().len() {
                return Err(PyValueError::new_err(
                    "a probability per row and class is needed",
                ));
            }
            let weights: Option<Vec<f64>> = weights.map(|w| w.as_array().iter().copied().collect());
            Some((probabilities, actual, weights))
        }
    };
    let options = Options { title, main_class };
    run(py, None, None, move |_| {
        let model = &ready.model;
        let measured = measured.map(|(probabilities, actual, weights)| {
            let weights = weights
                .map(|weights| RowWeights::new(&weights))
                .transpose()?;
            Evaluation::weighted(model.classes(), &probabilities, &actual, weights.as_ref())
        });
        let measured = measured.transpose()?;
        let named = NamedModel {
            name: &name,
            model,
            measured: measured.as_ref(),
            changed: &[],
        };
        page(&[named], &options)
    })
}
