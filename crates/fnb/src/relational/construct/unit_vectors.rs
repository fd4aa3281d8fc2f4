//! The published vectors of the building blocks.

use serde_json::Value as Json;
use std::path::Path;

/// All vectors, unless the shared data are absent.
#[expect(clippy::print_stdout, reason = "a skipped test says so")]
pub(super) fn unit_vectors() -> Option<Json> {
    let file = Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/golden/relational/unit_vectors.json"
    ));
    let Ok(text) = std::fs::read_to_string(file) else {
        println!("skipped: no shared data");
        return None;
    };
    Some(serde_json::from_str(&text).expect("JSON"))
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
