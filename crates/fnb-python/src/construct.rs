//! Variables constructed from several tables, and their values.

use crate::error::exception;
use crate::frame::Frame;
use crate::learn::{Reading, settings};
use crate::run::run;
use crate::tables::{Joined, Tables, read_other};
use crate::told::Told;
use fnb::columns::ColumnData;
use fnb::model::Table;
use fnb::relational::{Cutoff, DataPath, Database, Expression, Schema};
use fnb::{Code, Error, Settings};
use fnb_table::{ReadOptions, SchemaOfTables};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyList;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The variables that the tables around a frame give, as JSON, and what joining them found.
#[pyfunction]
pub(crate) fn construct(
    py: Python<'_>,
    frame: &Frame,
    tables: Tables,
    settings_json: &str,
    reading: Reading,
    threads: Option<usize>,
) -> PyResult<(String, Vec<String>)> {
    let settings = settings(settings_json).map_err(|error| exception(&error))?;
    let (table, others) = (Arc::clone(&frame.table), Arc::clone(&frame.others));
    let (features, found, told) = run(py, threads, None, move |_| {
        let mut told = Told::default();
        let Joined { database, found } = tables.join(reading, &table, &others, &mut told)?;
        let variables = database.construct(&settings.construct, 0)?.variables;
        let variables = variables.iter().map(|variable| {
            json!({
                "name": variable.name,
                "type": variable.kind,
                "formula": variable.expression,
                "cost": variable.cost,
                "sentence": variable.expression.describe(),
            })
        });
        let schema = database.schema();
        let known = database.tables().frames();
        let known = known.map(|(path, frame)| Table::of(path, frame, schema));
        let features = json!({
            "schema": schema,
            "tables": known.collect::<Vec<_>>(),
            "cutoff": database.cutoff(),
            "settings": settings,
            "variables": variables.collect::<Vec<_>>(),
        });
        Ok((features.to_string(), found, told))
    })?;
    told.warn(py)?;
    Ok((features, found))
}

/// The values of constructed variables: numbers, or lists of texts.
#[pyfunction]
pub(crate) fn values<'py>(
    py: Python<'py>,
    features_json: &str,
    frame: &Frame,
    threads: Option<usize>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let features: Features = parse(features_json).map_err(|error| exception(&error))?;
    let (table, others) = (Arc::clone(&frame.table), Arc::clone(&frame.others));
    let (columns, told) = run(py, threads, None, move |_| {
        let mut told = Told::default();
        let schema = &features.schema;
        let mut frames = BTreeMap::new();
        for DataPath { path, entity } in schema.data_paths() {
            // Read as they were when the variables were constructed.
            let known = features.tables.iter().find(|table| table.name == path);
            let known = known.map_or(&[][..], |table| &table.columns);
            let expected = SchemaOfTables::expected(schema.entity(&entity)).into_iter();
            let expected = expected.map(|column| column.as_in(known));
            let options = ReadOptions {
                may_be_empty: !path.is_empty(),
                ..ReadOptions::only(expected.collect())
            };
            let frame = match path.as_str() {
                "" => table.read(&options, &mut told)?,
                path => read_other(&others, path, &options, &mut told)?,
            };
            frames.insert(path, frame);
        }
        let database = Database::new(schema, None, frames, features.cutoff)?;
        let arithmetic = features.settings.construct.arithmetic;
        Ok((database.values(&features.expressions, arithmetic)?, told))
    })?;
    told.warn(py)?;
    let python = |data: ColumnData| match data {
        ColumnData::Numeric(column) => Ok(PyArray1::from_slice(py, column.values()).into_any()),
        ColumnData::Categorical(column) => {
            let values = column.values();
            let texts: Vec<Option<&str>> = values.iter().collect();
            let rows = column.codes().iter().map(|&code| texts[code as usize]);
            Ok(PyList::new(py, rows)?.into_any())
        }
        _ => {
            let error = Error::new(Code::Internal, "a variable is neither number nor category");
            Err(exception(&error))
        }
    };
    columns.into_iter().map(python).collect()
}

struct Features {
    schema: Schema,
    tables: Vec<Table>,
    cutoff: Option<Cutoff>,
    settings: Settings,
    expressions: Vec<Expression>,
}

fn parse(json: &str) -> fnb::Result<Features> {
    let invalid = |error: serde_json::Error| Error::new(Code::Usage, error.to_string());
    let mut all: Value = serde_json::from_str(json).map_err(invalid)?;
    let variables = all["variables"].as_array_mut();
    let formulas = variables.into_iter().flatten().map(|v| v["formula"].take());
    let expressions = formulas.map(from_value).collect::<fnb::Result<_>>()?;
    Ok(Features {
        schema: from_value(all["schema"].take())?,
        tables: from_value(all["tables"].take())?,
        cutoff: from_value(all["cutoff"].take())?,
        settings: from_value(all["settings"].take())?,
        expressions,
    })
}

fn from_value<T: DeserializeOwned>(value: Value) -> fnb::Result<T> {
    serde_json::from_value(value).map_err(|error| Error::new(Code::Usage, error.to_string()))
}
