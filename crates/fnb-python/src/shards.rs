//! Rows in shards: what a worker does with record batches of its rows, and what the driver makes of the bytes
//! that workers send. Which engine carries them is decided in `python/fnb/distributed`.

use crate::error::Interrupted;
use crate::frame::Frame;
use crate::learn::{Reading, settings};
use crate::model::Model;
use crate::run::{run, run_here};
use crate::target::GivenWeights;
use crate::told::Told;
use fnb::columns::{Column, ColumnData, ColumnType, Frame as Columns};
use fnb::relational::Database;
use fnb::shards::{
    Block, Counting, Encoder, Encoding, Leader, Session, ShardRows, Survey, TableCounts,
};
use fnb::{Code, Error, Result};
use fnb_table::{Expected, type_of_texts};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How the rows of a table are read: the target, the weight, the types of columns, those left out.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Source {
    target: String,
    weight: Option<String>,
    reading: Reading,
}

/// Rows that were read.
struct Rows {
    columns: Columns,
    target: Column,
    weights: Option<Vec<f64>>,
}

impl Source {
    /// The rows of a frame, which may be none.
    fn read(&self, frame: &Frame) -> Result<Rows> {
        let mut told = Told::default();
        let mut also = vec![Expected::target(&self.target)];
        let weight = self.weight.as_ref();
        also.extend(weight.map(|weight| Expected::typed(weight, ColumnType::Numerical)));
        let mut columns = self
            .reading
            .read_with(&frame.table, also, true, &mut told)?;
        let mut take = |name: &str| {
            let absent = || Error::new(Code::UnknownColumn, format!("there is no column {name:?}"));
            columns.remove(name).ok_or_else(absent)
        };
        let target = take(&self.target)?;
        let weights = match weight.map(|weight| take(weight)).transpose()? {
            None => None,
            Some(Column {
                data: ColumnData::Numeric(numbers),
                ..
            }) => Some(numbers.values().to_vec()),
            Some(column) => {
                let message = format!("the weight {:?} is not a column of numbers", column.name);
                return Err(Error::new(Code::UnsupportedType, message)
                    .help("name a column that says how many rows each row stands for"));
            }
        };
        Ok(Rows {
            columns,
            target,
            weights,
        })
    }

    /// Does some work on the rows of a frame.
    fn with<T>(&self, frame: &Frame, work: impl FnOnce(&Block) -> Result<T>) -> Result<T> {
        let rows = self.read(frame)?;
        work(&Block {
            database: rows.columns.into(),
            target: &rows.target,
            weights: rows.weights.as_deref(),
        })
    }
}

fn bytes_of(sent: &[PyBackedBytes]) -> Vec<Vec<u8>> {
    sent.iter().map(|bytes| bytes.to_vec()).collect()
}

fn locked<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The first look of a worker at its rows.
#[pyclass(frozen, module = "fnb._fnb")]
pub(crate) struct ShardSurvey {
    source: Source,
    survey: Mutex<Survey>,
}

#[pymethods]
impl ShardSurvey {
    /// `again` is what [`again`](Self::again) gave.
    #[new]
    #[pyo3(signature = (source, again=None))]
    fn new(py: Python<'_>, source: Source, again: Option<PyBackedBytes>) -> PyResult<Self> {
        let survey = again.map(|bytes| run_here(py, || Survey::from_bytes(&bytes)));
        Ok(Self {
            source,
            survey: Mutex::new(survey.transpose()?.unwrap_or_default()),
        })
    }

    /// Adds rows.
    fn add(&self, py: Python<'_>, frame: &Frame) -> PyResult<()> {
        run_here(py, || {
            self.source.with(frame, |block| {
                locked(&self.survey).add(block.target, block.weights)
            })
        })
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &locked(&self.survey).to_bytes())
    }

    /// What all workers have to look at once more, if they have to.
    #[staticmethod]
    fn again<'py>(
        py: Python<'py>,
        surveys: Vec<PyBackedBytes>,
        target: &str,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let merged = run_here(py, || merged(&surveys, target))?;
        Ok(merged
            .again()
            .map(|again| PyBytes::new(py, &again.to_bytes())))
    }
}

fn merged(surveys: &[PyBackedBytes], target: &str) -> Result<Survey> {
    let mut all = Survey::default();
    for (i, bytes) in surveys.iter().enumerate() {
        let survey = Survey::from_bytes(bytes)?;
        if i == 0 {
            all = survey;
        } else {
            all.merge(survey, target)?;
        }
    }
    Ok(all)
}

/// The counts of the rows of a worker.
#[pyclass(frozen, module = "fnb._fnb")]
pub(crate) struct ShardCounts {
    source: Source,
    plan: PyBackedBytes,
    counts: Mutex<TableCounts>,
}

#[pymethods]
impl ShardCounts {
    #[new]
    fn new(source: Source, plan: PyBackedBytes) -> Self {
        Self {
            source,
            plan,
            counts: Mutex::default(),
        }
    }

    /// Adds rows.
    fn add(&self, py: Python<'_>, frame: &Frame) -> PyResult<()> {
        run_here(py, || {
            self.source.with(frame, |block| {
                Counting::count(&self.plan, block, &mut locked(&self.counts))
            })
        })
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let bytes = py.detach(|| locked(&self.counts).to_bytes());
        PyBytes::new(py, &bytes)
    }
}

/// The encoded rows of a worker.
#[pyclass(frozen, module = "fnb._fnb")]
pub(crate) struct ShardEncoder {
    source: Source,
    encoder: Encoder,
    rows: Mutex<ShardRows>,
}

#[pymethods]
impl ShardEncoder {
    #[new]
    fn new(py: Python<'_>, source: Source, encoding: PyBackedBytes) -> PyResult<Self> {
        Ok(Self {
            source,
            encoder: run_here(py, || Encoder::new(&encoding))?,
            rows: Mutex::default(),
        })
    }

    /// Adds rows.
    fn add(&self, py: Python<'_>, frame: &Frame) -> PyResult<()> {
        run_here(py, || {
            self.source.with(frame, |block| {
                self.encoder.encode(block, &mut locked(&self.rows))
            })
        })
    }

    /// Number of rows.
    #[getter]
    fn rows(&self) -> usize {
        locked(&self.rows).len()
    }

    /// What the driver must know of them.
    fn facts<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &locked(&self.rows).facts())
    }

    /// The content of a shard file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let bytes = py.detach(|| locked(&self.rows).to_bytes());
        PyBytes::new(py, &bytes)
    }
}

/// The program that learns, on the rows of a shard file.
#[pyclass(frozen, module = "fnb._fnb")]
pub(crate) struct ShardSession {
    session: Session,
}

#[pymethods]
impl ShardSession {
    #[new]
    fn new(
        py: Python<'_>,
        encoding: &Bound<'_, PyBytes>,
        start: &Bound<'_, PyBytes>,
        rows: &Bound<'_, PyBytes>,
    ) -> PyResult<Self> {
        let (encoding, start, rows) = (encoding.as_bytes(), start.as_bytes(), rows.as_bytes());
        let session = run_here(py, || {
            Session::new(encoding, start, ShardRows::from_bytes(rows)?)
        })?;
        Ok(Self { session })
    }

    /// Its part of the sum of a round.
    fn answer<'py>(
        &self,
        py: Python<'py>,
        round: &Bound<'_, PyBytes>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let round = round.as_bytes();
        let answer = run_here(py, || Ok(self.session.answer(round)?.to_bytes()))?;
        Ok(PyBytes::new(py, &answer))
    }
}

/// What is counted, as the driver knows it.
#[pyclass(frozen, module = "fnb._fnb")]
pub(crate) struct ShardPlan {
    counting: Arc<Counting>,
}

#[pymethods]
impl ShardPlan {
    /// `empty` has the columns of the table and no row.
    #[new]
    #[pyo3(signature = (source, surveys, empty, settings_json, class_weights=None))]
    fn new(
        py: Python<'_>,
        source: Source,
        surveys: Vec<PyBackedBytes>,
        empty: &Frame,
        settings_json: &str,
        class_weights: Option<GivenWeights>,
    ) -> PyResult<Self> {
        let counting = run_here(py, || {
            let survey = merged(&surveys, &source.target)?;
            let database: Database = source.read(empty)?.columns.into();
            let class_weights = class_weights.map(Into::into);
            let settings = settings(settings_json)?;
            Counting::new(&survey, &database, &source.target, &settings, class_weights)
        })?;
        Ok(Self {
            counting: Arc::new(counting),
        })
    }

    /// Number of rows of the table.
    #[getter]
    fn rows(&self) -> u64 {
        self.counting.rows()
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.counting.to_bytes())
    }

    /// Prepares the variables from the counts of all workers, which are taken one by one. `texts` are the
    /// columns of which nobody has said what they are.
    #[pyo3(signature = (counts, texts, threads, callback))]
    fn prepare(
        &self,
        py: Python<'_>,
        counts: Vec<PyBackedBytes>,
        texts: Vec<String>,
        threads: Option<usize>,
        callback: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<ShardEncoding> {
        let counting = Arc::clone(&self.counting);
        let mut all = TableCounts::default();
        for bytes in counts {
            run_here(py, || all.merge(TableCounts::from_bytes(&bytes)?))?;
        }
        let encoding = run(py, threads, callback, move |link| {
            check_texts(&counting, &all, &texts)?;
            counting.prepare(all, link)
        })?;
        Ok(ShardEncoding {
            encoding: Arc::new(encoding),
        })
    }
}

/// Fails on texts that would not be categories if all rows were in one place. Workers cannot know: it takes
/// all values to tell.
fn check_texts(counting: &Counting, counts: &TableCounts, texts: &[String]) -> Result<()> {
    for (name, categories) in counting.categories(counts) {
        if !texts.iter().any(|text| text == name) {
            continue;
        }
        let (what, help) = match type_of_texts(categories) {
            ColumnType::Categorical => continue,
            ColumnType::Text => ("long text", "leave it out: drop_features"),
            _ => (
                "dates or times written as texts",
                "convert it in a query, to_date for instance",
            ),
        };
        let message = format!("column {name:?} holds {what}");
        return Err(Error::new(Code::UnsupportedType, message).help(format!(
            "{help}; or say that it is categories: feature_types={{{name:?}: \"categorical\"}}"
        )));
    }
    Ok(())
}

/// Prepared variables, as the driver knows them.
#[pyclass(frozen, module = "fnb._fnb")]
pub(crate) struct ShardEncoding {
    encoding: Arc<Encoding>,
}

#[pymethods]
impl ShardEncoding {
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.encoding.to_bytes())
    }

    /// What is told to every session when it starts.
    fn start<'py>(
        &self,
        py: Python<'py>,
        facts: Vec<PyBackedBytes>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let start = run_here(py, || self.encoding.start(&bytes_of(&facts)))?;
        Ok(PyBytes::new(py, &start))
    }

    /// Number of informative variables.
    #[getter]
    fn informative(&self) -> usize {
        let variables = self.encoding.variables().iter();
        variables.filter(|variable| variable.level > 0.0).count()
    }

    /// Learns the model. `ask` is called with the bytes of a round and returns the answers of all shards;
    /// returns the number of rounds too.
    #[pyo3(signature = (facts, ask, threads, callback))]
    fn learn(
        &self,
        py: Python<'_>,
        facts: Vec<PyBackedBytes>,
        ask: Py<PyAny>,
        threads: Option<usize>,
        callback: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(Model, usize)> {
        let encoding = Arc::clone(&self.encoding);
        // What `ask` raises is raised, not the error that it becomes on its way through the search.
        let raised = Arc::new(Mutex::new(None));
        let inside = Arc::clone(&raised);
        let asked = move |round: &[u8]| {
            Python::attach(|py| {
                let answers = ask.call1(py, (PyBytes::new(py, round),));
                let answers = answers.and_then(|answers| {
                    let answers = answers.extract::<Vec<PyBackedBytes>>(py)?;
                    Ok(answers.iter().map(|bytes| bytes.to_vec()).collect())
                });
                answers.map_err(|error: PyErr| {
                    let message = error.to_string();
                    *locked(&inside) = Some(error);
                    Error::new(Code::Interrupted, message)
                })
            })
        };
        let result = run(py, threads, callback, move |link| {
            let leader = Arc::new(Leader::new(Box::new(asked)));
            let training = encoding.learn(&bytes_of(&facts), Arc::clone(&leader) as _, link)?;
            Ok((training.model, leader.rounds()))
        });
        let result = result.map_err(|error| match locked(&raised).take() {
            // Not if something else has ended it, such as Ctrl-C.
            Some(raised) if error.is_instance_of::<Interrupted>(py) => raised,
            _ => error,
        });
        result.map(|(model, rounds)| (Model::new(model), rounds))
    }
}
