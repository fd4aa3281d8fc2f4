//! A trained model, held ready for scoring.

use crate::error::exception;
use crate::frame::Frame;
use crate::run::{run, run_here};
use crate::score::{self, Explained, Ready, RowsByClass};
use crate::told::Told;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;

/// Rows that are scored in the caller's thread: that takes less than waking up another one. No step
/// of theirs may ask for threads: those of a process do not survive a fork.
const FEW_ROWS: usize = 4096;

/// A trained classifier.
#[pyclass(frozen, module = "fnb._fnb")]
pub(crate) struct Model {
    ready: Arc<Ready>,
}

impl Model {
    pub(crate) fn new(model: fnb::model::Model) -> Self {
        Self {
            ready: Arc::new(Ready::new(model)),
        }
    }

    /// What scores its rows, with the model.
    pub(crate) fn ready(&self) -> Arc<Ready> {
        Arc::clone(&self.ready)
    }

    /// Does the work on a table: here if it is short.
    fn on<T: Send + 'static>(
        &self,
        py: Python<'_>,
        frame: &Frame,
        threads: Option<usize>,
        work: impl FnOnce(&Ready, &fnb::columns::Frame, &mut Told) -> fnb::Result<T> + Send + 'static,
    ) -> PyResult<T> {
        let (ready, table) = (Arc::clone(&self.ready), Arc::clone(&frame.table));
        let others = Arc::clone(&frame.others);
        let is_short = table.rows() <= FEW_ROWS && !ready.computes();
        let work = move || {
            let mut told = Told::default();
            let frame = ready.read(&table, &others, &mut told)?;
            Ok((work(&ready, &frame, &mut told)?, told))
        };
        let (result, told) = if is_short {
            run_here(py, work)?
        } else {
            run(py, threads, None, move |_| work())?
        };
        told.warn(py)?;
        Ok(result)
    }

    /// What is made of every row, by class.
    fn scored<'py>(
        &self,
        py: Python<'py>,
        frame: &Frame,
        prior: Option<Vec<f64>>,
        threads: Option<usize>,
        of: RowsByClass,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let rows = frame.table.rows();
        let values = self.on(py, frame, threads, move |ready, frame, told| {
            ready.scored(frame, prior.as_deref(), told, of)
        })?;
        shaped(py, values, rows, self.ready.model.classes().len())
    }
}

#[pymethods]
impl Model {
    /// Reads the text of a model file.
    #[staticmethod]
    fn from_json(py: Python<'_>, json: &str) -> PyResult<Self> {
        let model = run_here(py, || fnb::model::Model::from_json(json.as_bytes()))?;
        Ok(Self::new(model))
    }

    /// The text of the model file.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        run_here(py, || Ok(self.ready.model.to_json()))
    }

    /// The classes as text, in the order of the probabilities.
    #[getter]
    fn classes(&self) -> Vec<String> {
        self.ready.model.classes().to_vec()
    }

    /// The columns that scoring needs.
    #[getter]
    fn inputs(&self) -> Vec<String> {
        self.ready.inputs()
    }

    /// The tables that scoring needs besides the main one, by data path.
    #[getter]
    fn tables(&self) -> Vec<String> {
        let others = self.ready.model.tables().iter().skip(1);
        others.map(|table| table.name.clone()).collect()
    }

    /// What each variable is in plain words; `None` for a column.
    fn sentences(&self) -> Vec<Option<String>> {
        let terms = self.ready.model.terms().iter();
        terms.map(fnb::terms::Term::describe).collect()
    }

    /// Is every variable a column of numbers as it is?
    #[getter]
    fn of_numbers(&self) -> bool {
        self.ready.is_of_numbers()
    }

    /// A probability per row and class.
    #[pyo3(signature = (frame, prior, threads))]
    fn probabilities<'py>(
        &self,
        py: Python<'py>,
        frame: &Frame,
        prior: Option<Vec<f64>>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.scored(py, frame, prior, threads, RowsByClass::Probabilities)
    }

    /// The scores that probabilities are made of: what parts add up to.
    #[pyo3(signature = (frame, prior, threads))]
    fn scores<'py>(
        &self,
        py: Python<'py>,
        frame: &Frame,
        prior: Option<Vec<f64>>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.scored(py, frame, prior, threads, RowsByClass::Scores)
    }

    /// The probabilities of a matrix of numbers; `places` are the columns of the inputs in it.
    #[pyo3(signature = (matrix, places, prior))]
    fn probabilities_of_matrix<'py>(
        &self,
        py: Python<'py>,
        matrix: PyReadonlyArray2<'py, f64>,
        places: Vec<usize>,
        prior: Option<Vec<f64>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let matrix = matrix.as_array();
        let rows = matrix.nrows();
        if places.iter().any(|&place| place >= matrix.ncols()) {
            return Err(PyValueError::new_err("the matrix has too few columns"));
        }
        let columns = places.iter().map(|&place| matrix.column(place).to_vec());
        let columns: Vec<Vec<f64>> = columns.collect();
        let ready = &self.ready;
        let values = run_here(py, move || {
            // Numbers are never news.
            let frame = ready.numbers(rows, columns)?;
            let (prior, mut told) = (prior.as_deref(), Told::default());
            ready.scored(&frame, prior, &mut told, RowsByClass::Probabilities)
        })?;
        shaped(py, values, rows, self.ready.model.classes().len())
    }

    /// The part of every row and variable of the model.
    fn parts<'py>(
        &self,
        py: Python<'py>,
        frame: &Frame,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray2<i32>>> {
        let rows = frame.table.rows();
        let values = self.on(py, frame, threads, score::parts)?;
        shaped(py, values, rows, self.ready.model.terms().len())
    }

    /// The parts of every variable in words.
    fn labels(&self) -> Vec<Vec<String>> {
        let terms = self.ready.model.terms().iter();
        let labels = |term: &fnb::terms::Term| {
            let cells = 0..term.cells();
            cells.map(|cell| term.label(cell)).collect()
        };
        terms.map(labels).collect()
    }

    /// The cells of a table as JSON, at most so many parts an axis.
    fn blocks(&self, term: usize, most: usize) -> PyResult<String> {
        let term = self.ready.model.terms().get(term);
        let blocks = term.and_then(|term| term.blocks(most));
        let blocks = blocks.ok_or_else(|| PyValueError::new_err("the term is no table"))?;
        serde_json::to_string(&blocks).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// What each part adds to the score of each class, by variable; what the scores start from.
    fn evidence(&self) -> (Vec<Vec<Vec<f64>>>, Vec<f64>) {
        self.ready.evidence()
    }

    /// The largest contributions of each row to the log odds of the class given for it.
    fn explain(
        &self,
        py: Python<'_>,
        frame: &Frame,
        classes: PyReadonlyArray1<'_, i64>,
        top: usize,
        threads: Option<usize>,
    ) -> PyResult<Explained> {
        let classes: Vec<u32> = classes.as_array().iter().map(|&c| c as u32).collect();
        let known = self.ready.model.classes().len();
        if classes.len() != frame.table.rows() || classes.iter().any(|&c| c as usize >= known) {
            return Err(PyValueError::new_err(
                "a known class is needed for every row",
            ));
        }
        self.on(py, frame, threads, move |ready, frame, told| {
            score::explain(ready, frame, &classes, top, told)
        })
    }

    /// The largest model of the size path with at most that many variables.
    fn prune(&self, size: usize) -> PyResult<Self> {
        let model = self.ready.model.prune(size);
        Ok(Self::new(model.map_err(|error| exception(&error))?))
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let make = slf.get_type().getattr("from_json")?;
        Ok((make, (slf.get().to_json(py)?,)))
    }
}

fn shaped<T: numpy::Element>(
    py: Python<'_>,
    values: Vec<T>,
    rows: usize,
    columns: usize,
) -> PyResult<Bound<'_, PyArray2<T>>> {
    PyArray1::from_vec(py, values).reshape([rows, columns])
}
