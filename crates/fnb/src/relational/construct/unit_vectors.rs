//! The published vectors of the building blocks.

use crate::data::golden;
use serde_json::Value as Json;

/// All vectors.
pub(super) fn unit_vectors() -> Json {
    let text = std::fs::read_to_string(golden("relational/unit_vectors.json")).expect("a file");
    serde_json::from_str(&text).expect("JSON")
}

pub(super) fn array(json: &Json) -> impl Iterator<Item = &Json> {
    json.as_array().expect("an array").iter()
}

pub(super) fn number(json: &Json) -> f64 {
    json.as_f64().expect("a number")
}

pub(super) fn numbers(json: &Json) -> Vec<f64> {
    array(json).map(number).collect()
}
