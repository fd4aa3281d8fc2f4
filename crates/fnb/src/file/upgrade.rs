//! Files written before the format was called 1.0, brought to what it is now.
//!
//! They announce version 1.0 too, and are told apart by their list of `variables`, which are `terms`
//! now.

use crate::{Advice, Code, Error, Result};
use serde_json::{Map, Value, json};

/// The content of such a file in the present form.
pub(super) fn upgraded(bytes: &[u8]) -> Result<Value> {
    let invalid = |message: &str| Error::new(Code::ModelContent, message).help(Advice::TrainAgain);
    let mut file: Map<String, Value> =
        serde_json::from_slice(bytes).map_err(|error| invalid(&error.to_string()))?;
    let Some(Value::Array(variables)) = file.remove("variables") else {
        return Err(invalid("the variables are not a list"));
    };
    let terms: Option<Vec<Value>> = variables.into_iter().map(term).collect();
    let terms = terms.ok_or_else(|| invalid("a variable has no name, origin or parts"))?;
    file.insert("terms".into(), Value::Array(terms));
    let tables = file.get_mut("tables").and_then(Value::as_array_mut);
    for table in tables.into_iter().flatten() {
        let columns = table.get_mut("columns").and_then(Value::as_array_mut);
        columns.into_iter().flatten().for_each(column);
    }
    if let Some(Value::Object(target)) = file.get_mut("target") {
        target.insert("task".into(), json!("classification"));
    }
    if let Some(Value::Object(evaluations)) = file.get_mut("evaluation") {
        for evaluation in evaluations.values_mut().filter_map(Value::as_object_mut) {
            evaluation.insert("task".into(), json!("classification"));
        }
    }
    if let Some(Value::Object(training)) = file.get_mut("training") {
        criteria(training);
        if let Some(Value::Object(params)) = training.get_mut("params") {
            settings(params);
        }
    }
    Ok(Value::Object(file))
}

/// A variable as a term of one axis.
fn term(variable: Value) -> Option<Value> {
    let Value::Object(mut term) = variable else {
        return None;
    };
    let mut axis = Map::new();
    let from = match term.remove("from")? {
        Value::Object(from) if from.contains_key("column") => json!("column"),
        from => from,
    };
    axis.insert("name".into(), term.get("name")?.clone());
    axis.insert("from".into(), from);
    axis.insert("type".into(), term.remove("type")?);
    axis.insert("parts".into(), term.remove("parts")?);
    term.insert("axes".into(), json!([axis]));
    Some(Value::Object(term))
}

/// What is done with a column was written as its type.
fn column(column: &mut Value) {
    let Value::Object(column) = column else {
        return;
    };
    let role = column.get("type").and_then(Value::as_str);
    let Some(role) = role.filter(|ty| ["key", "ignored"].contains(ty)) else {
        return;
    };
    let role = role.to_owned();
    match role.as_str() {
        "key" => column.insert("type".into(), json!("categorical")),
        _ => column.remove("type"),
    };
    column.insert("role".into(), json!(role));
}

/// The criterion was that of the method, and the one that all methods share stood beside it. What the model
/// without variables costs by the latter is not known for the methods that have one of their own; it is
/// close to what it costs by that.
fn criteria(training: &mut Map<String, Value>) {
    let Some(shared) = training.remove("continuous_criterion") else {
        return;
    };
    let own = training.insert("criterion".into(), shared.clone());
    let null = training.get("null_criterion").cloned();
    if let (Some(Value::Object(mut own)), Some(null)) = (own, null)
        && Value::Object(own.clone()) != shared
    {
        own.insert("null".into(), null);
        training.insert("search_criterion".into(), Value::Object(own));
    }
}

/// What the preset `khiops` decided by its name is said by settings of their own.
fn settings(params: &mut Map<String, Value>) {
    let says = |params: &Map<String, Value>, key: &str, value: &str| {
        params.get(key).and_then(Value::as_str) == Some(value)
    };
    params.insert("price".into(), json!("full"));
    params.insert("sparser".into(), json!(0.0));
    params.insert("rare_calendar".into(), json!(false));
    if says(params, "preset", "khiops") {
        params.insert("arithmetic".into(), json!("reference"));
        params.insert("sampled".into(), json!(true));
        if says(params, "method", "fnb") {
            params.insert("method".into(), json!("fnb-khiops"));
        }
    }
}
