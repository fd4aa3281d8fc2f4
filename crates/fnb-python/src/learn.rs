//! From a table and a target to models and figures.

use crate::error::exception;
use crate::frame::{Frame, Others, Table};
use crate::model::Model;
use crate::run::run;
use crate::tables::{Joined, Tables};
use crate::target::Target;
use crate::told::Told;
use fnb::prepare::{PreparedAxis, PreparedVariable};
use fnb::relational::RuleSet;
use fnb::{Code, Error, Labelled, Preset, Settings};
use fnb_table::{Expected, ReadOptions};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How a table is to be read: the types of some columns in words, and the names of those left out.
#[derive(FromPyObject, Default)]
#[pyo3(from_item_all)]
pub(crate) struct Reading {
    types: Vec<(String, String)>,
    drop: Vec<String>,
}

impl Reading {
    /// The columns that are not used, whatever they hold.
    pub(crate) fn left_out(&self) -> Vec<String> {
        let ignored = self.types.iter().filter(|(_, word)| word == "ignore");
        let ignored = ignored.map(|(name, _)| name);
        self.drop.iter().chain(ignored).cloned().collect()
    }

    /// The columns of a table, some of which are keys; a table beside the main one may have no row.
    pub(crate) fn read(
        &self,
        table: &Table,
        keys: Vec<String>,
        may_be_empty: bool,
        told: &mut Told,
    ) -> fnb::Result<fnb::columns::Frame> {
        let keys = keys.into_iter().map(Expected::key_if_any);
        self.read_with(table, keys.collect(), may_be_empty, told)
    }

    /// The columns of a table, of some of which is known what they are.
    pub(crate) fn read_with(
        &self,
        table: &Table,
        known: Vec<Expected>,
        may_be_empty: bool,
        told: &mut Told,
    ) -> fnb::Result<fnb::columns::Frame> {
        table.check_types(&self.left_out())?;
        let mut options = self.options()?;
        options.columns.extend(known);
        options.may_be_empty = may_be_empty;
        table.read(&options, told)
    }

    /// Some columns as they would be read if they were no keys.
    pub(crate) fn read_naturally(
        &self,
        table: &Table,
        columns: &[String],
    ) -> fnb::Result<fnb::columns::Frame> {
        let options = ReadOptions {
            may_be_empty: true,
            ..self.options()?
        };
        // What there is to tell of them was told.
        table.read(&options.just(columns), &mut Told::default())
    }

    fn options(&self) -> fnb::Result<ReadOptions> {
        let said = self.types.iter();
        let said = said.map(|(name, word)| {
            let said = Expected::in_a_word(name, word);
            said.map_err(|message| Error::new(Code::Usage, message))
        });
        Ok(ReadOptions {
            columns: said.collect::<fnb::Result<_>>()?,
            drop: self.drop.clone(),
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
    others: Arc<Others>,
    target: Arc<fnb::columns::Target>,
    reading: Reading,
    tables: Option<Tables>,
}

impl Given {
    fn new(frame: &Frame, target: &Target, reading: Reading, tables: Option<Tables>) -> Self {
        Self {
            table: Arc::clone(&frame.table),
            others: Arc::clone(&frame.others),
            target: Arc::clone(&target.target),
            reading,
            tables,
        }
    }

    /// One table with its target, or several; and what joining them found.
    fn read(self, told: &mut Told) -> fnb::Result<(Labelled, Vec<String>)> {
        let target = self.target.as_ref().clone();
        let Some(tables) = self.tables else {
            let frame = self.reading.read(&self.table, Vec::new(), false, told)?;
            return Ok((Labelled::new(frame, target), Vec::new()));
        };
        let joined = tables.join(self.reading, &self.table, &self.others, told);
        let Joined { database, found } = joined?;
        database.check_target_is_apart(&target)?;
        Ok((Labelled::new(database, target), found))
    }
}

/// The settings of a call, or the exception about them.
fn settings_of(json: &str) -> PyResult<Settings> {
    settings(json).map_err(|error| exception(&error))
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
    let settings = settings_of(settings_json)?;
    let given = Given::new(frame, target, reading, tables);
    let (model, found, told) = run(py, threads, callback, move |link| {
        let mut told = Told::default();
        let (data, found) = given.read(&mut told)?;
        // The rows are freed before weights are learnt.
        let model = fnb::train(data.database, &data.target, &settings, link)?.model;
        Ok((model, found, told))
    })?;
    told.warn(py)?;
    Ok((Model::new(model.with_labels(target.labels)), found))
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
    let mut settings = settings_of(settings_json)?;
    let given = Given::new(frame, target, reading, None);
    let (model, told) = run(py, threads, callback, move |link| {
        let mut told = Told::default();
        // An encoder replaces columns: nothing is constructed beside them.
        settings.construct.features = 0;
        settings.construct.text_features = 0;
        let prepared = given.read(&mut told)?.0.prepare(&settings, link)?;
        Ok((prepared.all_informative()?, told))
    })?;
    told.warn(py)?;
    Ok(Model::new(model.with_labels(target.labels)))
}

/// What each variable tells about the target on its own, best first: lists of equal length by name;
/// the columns that no variable is made of, with their types; and what joining tables found.
#[pyfunction]
#[pyo3(signature = (frame, target, settings_json, reading, threads, *, tables=None))]
pub(crate) fn describe<'py>(
    py: Python<'py>,
    frame: &Frame,
    target: &Target,
    settings_json: &str,
    reading: Reading,
    threads: Option<usize>,
    tables: Option<Tables>,
) -> PyResult<Bound<'py, PyDict>> {
    let settings = settings_of(settings_json)?;
    let given = Given::new(frame, target, reading, tables);
    let (variables, unused, found, told) = run(py, threads, None, move |link| {
        let mut told = Told::default();
        let (data, found) = given.read(&mut told)?;
        let prepared = data.prepare(&settings, link)?;
        let unused = prepared.unused_columns().into_iter();
        let unused = unused.map(|(name, why)| (name.to_owned(), why.to_owned()));
        let variables: Vec<_> = prepared.by_level().into_iter().cloned().collect();
        Ok((variables, unused.collect::<Vec<_>>(), found, told))
    })?;
    told.warn(py)?;
    let columns = PyDict::new(py);
    columns.set_item("variable", list(&variables, |v| v.name.clone()))?;
    columns.set_item("type", list(&variables, PreparedVariable::kind))?;
    columns.set_item("level", list(&variables, |v| v.level))?;
    columns.set_item("parts", list(&variables, |v| v.counts.len()))?;
    columns.set_item("distinct", of_one(&variables, |axis| axis.distinct))?;
    columns.set_item("missing", of_one(&variables, |axis| axis.missing))?;
    let result = PyDict::new(py);
    result.set_item("columns", columns)?;
    result.set_item("unused", unused)?;
    result.set_item("found", found)?;
    Ok(result)
}

fn list<T>(variables: &[PreparedVariable], value: impl Fn(&PreparedVariable) -> T) -> Vec<T> {
    variables.iter().map(value).collect()
}

/// Numbers of values; those of a pair are told of its variables.
fn of_one(
    variables: &[PreparedVariable],
    number: impl Fn(&PreparedAxis) -> usize,
) -> Vec<Option<usize>> {
    list(variables, |v| match v.axes.as_slice() {
        [axis] => Some(number(axis)),
        _ => None,
    })
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

/// Each of the settings on the same folds: fold, position of the settings, and figures by name; and what
/// joining tables found.
#[pyfunction]
#[pyo3(signature = (frame, target, settings_json, reading, folds, threads, *, tables=None))]
#[expect(clippy::too_many_arguments, reason = "what Python hands over")]
pub(crate) fn compare(
    py: Python<'_>,
    frame: &Frame,
    target: &Target,
    settings_json: Vec<String>,
    reading: Reading,
    folds: Folds,
    threads: Option<usize>,
    tables: Option<Tables>,
) -> PyResult<(Vec<Fit>, Vec<String>)> {
    let all = settings_json.iter().map(|json| settings_of(json));
    let all: Vec<Settings> = all.collect::<PyResult<_>>()?;
    let given = Given::new(frame, target, reading, tables);
    let (fits, found, told) = run(py, threads, None, move |link| {
        let mut told = Told::default();
        let (data, found) = given.read(&mut told)?;
        let folds = match folds {
            Folds::Count(count) => fnb::evaluate::folds(&data.target, count)?,
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
        Ok((fits, found, told))
    })?;
    told.warn(py)?;
    Ok((fits, found))
}
