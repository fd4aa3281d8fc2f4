//! The published results of Khiops 11 with their tables, when they are there.

use fnb::columns::{Column, ColumnData, Frame, NumericColumn, Target};
use serde_json::Value;
use std::path::PathBuf;

/// One golden set: what the reference found, and the table it found it in.
pub struct Golden {
    pub name: String,
    pub expected: Value,
    pub frame: Frame,
    pub target: Target,
}

/// All golden sets, none when the shared data is absent.
pub fn all() -> Vec<Golden> {
    let folder = PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/golden"
    ));
    let Ok(files) = std::fs::read_dir(&folder) else {
        println!("skipped: no shared data");
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = files.map(|f| f.expect("readable folder").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "json"));
    paths.sort();
    paths.iter().map(|path| load(path)).collect()
}

fn load(path: &std::path::Path) -> Golden {
    let expected: Value =
        serde_json::from_slice(&std::fs::read(path).expect("golden file")).expect("JSON");
    let text = std::fs::read_to_string(path.with_extension("tsv")).expect("golden table");
    let mut lines = text
        .lines()
        .map(|line| line.split('\t').collect::<Vec<_>>());
    let header = lines.next().expect("header");
    let rows: Vec<Vec<&str>> = lines.collect();
    let variables = expected["variables"].as_array().expect("variables");
    let mut columns: Vec<Column> = Vec::new();
    for (i, name) in header.iter().enumerate() {
        let fields = rows.iter().map(|row| row[i].trim());
        let numerical = variables
            .iter()
            .any(|v| v["name"] == **name && v["type"] == "Numerical");
        let data = if numerical {
            let number = |field: &str| field.parse().unwrap_or(f64::NAN);
            ColumnData::Numeric(NumericColumn::new(fields.map(number).collect()))
        } else {
            let value = |field| if field == "" { None } else { Some(field) };
            ColumnData::Categorical(fields.map(value).collect())
        };
        columns.push(Column {
            name: (*name).to_owned(),
            data,
        });
    }
    let target = columns.pop().expect("the target is last");
    Golden {
        name: path
            .file_stem()
            .expect("name")
            .to_string_lossy()
            .into_owned(),
        expected,
        frame: Frame::new(rows.len(), columns).expect("valid table"),
        target: Target::from_column(&target).expect("valid target"),
    }
}

/// Relative closeness.
pub fn close(found: f64, expected: f64, tolerance: f64) -> bool {
    (found - expected).abs() <= tolerance * expected.abs().max(1.0)
}
