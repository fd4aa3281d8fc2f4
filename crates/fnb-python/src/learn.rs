//! From a table and a target to models and figures.

use crate::error::exception;
use crate::frame::{Frame, Table};
use crate::model::Model;
use crate::run::run;
use crate::tables::{Joined, Tables};
use crate::target::Target;
use fnb::columns::ColumnType;
use fnb::prepare::PreparedVariable;
use fnb::relational::RuleSet;
use fnb::{Code, Error, Labelled, Preset, Settings};
use fnb_table::{Expected, ReadOptions};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How a table is to be read: names of the columns that are categories, and of those left out.
#[derive(FromPyObject, Default)]
#[pyo3(from_item_all)]
pub(crate) struct Reading {
    categorical: Vec<String>,
    drop: Vec<String>,
}

impl Reading {
    /// The columns of a table, some of which are keys; a table beside the main one may have no row.
    pub(crate) fn read(
        self,
        table: &Table,
        keys: Vec<String>,
        may_be_empty: bool,
    ) -> fnb::Result<fnb::columns::Frame> {
        table.check_types(&self.drop)?;
        let categorical = self.categorical.into_iter();
        let categorical = categorical.map(|name| Expected::like(name, ColumnType::Categorical));
        let keys = keys.into_iter().map(Expected::key_if_any);
        table.read(&ReadOptions {
            columns: categorical.chain(keys).collect(),
            drop: self.drop,
            may_be_empty,
            ..ReadOptions::default()
        })
    }
}

/// The settings of a preset with those of a JSON object on top.
pub(crate) fn settings(json: &str) -> fnb::Result<Settings> {
    let invalid = |error: serde_json::Error| Error::new(Code::Usage, error.to_string());
    let given: Value = serde_json::from_str(json).map_err(invalid)?;
    if let Some(Value::String(rules)) = given.get("rules") {
        // An error of its own, with advice, before it is one of JSON.
        rules.parse::<RuleSet>()?;
    }
    let preset = match given.get("preset") {
        Some(preset) => serde_json::from_value(preset.clone()).map_err(invalid)?,
        None => Preset::default(),
    };
    let mut all = serde_json::to_value(Settings::preset(preset)).map_err(invalid)?;
    if let (Value::Object(all), Value::Object(given)) = (&mut all, given) {
        all.extend(given);
    }
    let settings: Settings = serde_json::from_value(all).map_err(invalid)?;
    settings.check()?;
    Ok(settings)
}

/// What a call hands over, away from the interpreter.
struct Given {
    table: Arc<Table>,
    target: Arc<fnb::columns::Target>,
    settings: Settings,
    reading: Reading,
}

impl Given {
    fn new(
        frame: &Frame,
        target: &Target,
        settings_json: &str,
        reading: Reading,
    ) -> PyResult<Self> {
        Ok(Self {
            table: Arc::clone(&frame.table),
            target: Arc::clone(&target.target),
            settings: settings(settings_json).map_err(|error| exception(&error))?,
            reading,
        })
    }

    /// One table with its target.
    fn read(self) -> fnb::Result<Labelled> {
        let frame = self.reading.read(&self.table, Vec::new(), false)?;
        Ok(Labelled::new(frame, self.target.as_ref().clone()))
    }
}

/// Learns a model from a table, or from several: those around the frame. Also tells what joining them
/// found.
#[pyfunction]
#[pyo3(signature = (frame, target, settings_json, reading, threads, callback, *, tables=None))]
#[expect(clippy::too_many_arguments, reason = "what Python hands over")]
pub(crate) fn train(
    py: Python<'_>,
    frame: &Frame,
    target: &Target,
    settings_json: &str,
    reading: Reading,
    threads: Option<usize>,
    callback: Option<&Bound<'_, PyAny>>,
    tables: Option<Tables>,
) -> PyResult<(Model, Vec<String>)> {
    let given = Given::new(frame, target, settings_json, reading)?;
    let others = Arc::clone(&frame.others);
    let (model, found) = run(py, threads, callback, move |link| {
        let settings = given.settings.clone();
        let (data, found) = match tables {
            None => (given.read()?, Vec::new()),
            Some(tables) => {
                let Joined { database, found } =
                    tables.join(given.reading, &given.table, &others)?;
                let target = given.target.as_ref().clone();
                (Labelled::new(database, target).once(), found)
            }
        };
        // The rows are freed before weights are learnt.
        let model = fnb::train(data.database, &data.target, &settings, link)?.model;
        Ok((model, found))
    })?;
    Ok((Model::new(model), found))
}

/// A model of all informative columns at weight 1, without looking for weights: what an encoder
/// needs.
#[pyfunction]
#[pyo3(signature = (frame, target, settings_json, reading, threads, callback))]
pub(crate) fn prepare(
    py: Python<'_>,
    frame: &Frame,
    target: &Target,
    settings_json: &str,
    reading: Reading,
    threads: Option<usize>,
    callback: Option<&Bound<'_, PyAny>>,
) -> PyResult<Model> {
    let given = Given::new(frame, target, settings_json, reading)?;
    let model = run(py, threads, callback, move |link| {
        let mut settings = given.settings.clone();
        // An encoder replaces columns: nothing is constructed beside them.
        settings.construct.features = 0;
        settings.construct.text_features = 0;
        given.read()?.prepare(&settings, link)?.all_informative()
    })?;
    Ok(Model::new(model))
}

/// What each variable tells about the target on its own, best first: lists of equal length by name;
/// and the columns that no variable is made of, with their types.
#[pyfunction]
pub(crate) fn describe<'py>(
    py: Python<'py>,
    frame: &Frame,
    target: &Target,
    settings_json: &str,
    reading: Reading,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyDict>> {
    let given = Given::new(frame, target, settings_json, reading)?;
    let (variables, unused) = run(py, threads, None, move |link| {
        let settings = given.settings.clone();
        let prepared = given.read()?.prepare(&settings, link)?;
        let unused = prepared.unused_columns().into_iter();
        let unused = unused.map(|(name, why)| (name.to_owned(), why));
        let variables: Vec<_> = prepared.by_level().into_iter().cloned().collect();
        Ok((variables, unused.collect::<Vec<_>>()))
    })?;
    let columns = PyDict::new(py);
    columns.set_item("variable", list(&variables, |v| v.name.clone()))?;
    columns.set_item("type", list(&variables, |v| v.kind.as_str()))?;
    columns.set_item("level", list(&variables, |v| v.level))?;
    columns.set_item("parts", list(&variables, |v| v.parts.len()))?;
    columns.set_item("distinct", list(&variables, |v| v.distinct))?;
    columns.set_item("missing", list(&variables, |v| v.missing))?;
    let result = PyDict::new(py);
    result.set_item("columns", columns)?;
    result.set_item("unused", unused)?;
    Ok(result)
}

fn list<T>(variables: &[PreparedVariable], value: impl Fn(&PreparedVariable) -> T) -> Vec<T> {
    variables.iter().map(value).collect()
}

/// Folds as Python gives them.
#[derive(FromPyObject)]
pub(crate) enum Folds {
    /// So many, stratified.
    Count(u32),
    /// The fold of every row.
    OfRows(Vec<u32>),
}

/// Fold, position of the settings, figures by name.
type Fit = (u32, usize, BTreeMap<&'static str, f64>);

/// Each of the settings on the same folds: fold, position of the settings, and figures by name.
#[pyfunction]
pub(crate) fn compare(
    py: Python<'_>,
    frame: &Frame,
    target: &Target,
    settings_json: Vec<String>,
    reading: Reading,
    folds: Folds,
    threads: Option<usize>,
) -> PyResult<Vec<Fit>> {
    let all = settings_json.iter().map(|json| settings(json));
    let all: fnb::Result<Vec<Settings>> = all.collect();
    let all = all.map_err(|error| exception(&error))?;
    let (table, target) = (Arc::clone(&frame.table), Arc::clone(&target.target));
    run(py, threads, None, move |link| {
        let frame = reading.read(&table, Vec::new(), false)?;
        let data = Labelled::new(frame, target.as_ref().clone());
        let folds = match folds {
            Folds::Count(count) => fnb::evaluate::folds(&target, count)?,
            Folds::OfRows(folds) => folds,
        };
        let mut fits = Vec::new();
        fnb::compare(&data, &folds, &all, &[], link, |fit| {
            let figures = fit.figures.iter();
            // What is not defined is NaN, as scikit-learn has it.
            let figures = figures.map(|(name, figure)| (name, figure.unwrap_or(f64::NAN)));
            fits.push((fit.fold, fit.settings, figures.collect()));
            Ok::<(), Error>(())
        })?;
        Ok(fits)
    })
}
