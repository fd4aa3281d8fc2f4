//! What a model file promises.

use super::{complete_model, sealed, small_model};
use crate::Settings;
use crate::columns::{Column, ColumnData, Frame, Role, Target};
use crate::file::json_schema;
use crate::model::{Model, TableColumn};
use crate::predict::Scorer;
use crate::train::{Corrected, Learning, TableFacts, Trained};
use serde_json::{Value as Json, json};

#[test]
fn a_file_gives_the_same_model_and_the_same_bytes() {
    let model = complete_model();
    let text = model.to_json();
    assert_eq!(text, model.to_json());
    let read = Model::from_json(text.as_bytes()).expect("just written");
    assert_eq!(read, model);
    assert_eq!(read.to_json(), text);
    assert!(text.contains(&model.checksum()));
}

#[test]
fn the_layout_is_that_of_the_format() {
    let text = complete_model().to_json();
    let keys: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix(" \"")?.split('"').next())
        .collect();
    let expected = "format format_version producer target training smoothing tables \
                    terms dropped values evaluation self_test checksum";
    assert_eq!(keys, expected.split_whitespace().collect::<Vec<_>>());
    let line = text.lines().find(|line| line.contains("\"weight\":0.75"));
    assert!(
        line.is_some_and(|l| l.contains("\"counts\":[[1,0],[2,1],[0,2]]")),
        "{text}"
    );
}

#[test]
fn white_space_may_change() {
    let model = complete_model();
    let text = model
        .to_json()
        .replace('\n', "\r\n\t ")
        .replace("\":", "\" : ");
    assert_eq!(Model::from_json(text.as_bytes()), Ok(model));
}

#[test]
fn unknown_keys_are_ignored() {
    let text = complete_model().to_json();
    let more = text.replace("\"target\":", "\"news\":[{\"a\":null}],\"target\":");
    let read = Model::from_json(sealed(&more).as_bytes()).expect("the same version");
    assert_eq!(read.terms(), complete_model().terms());
}

#[test]
fn dropped_columns_say_why() {
    let model = small_model();
    let dropped: Vec<_> = model
        .dropped()
        .iter()
        .map(|d| (d.name.as_str(), d.reason.as_str(), d.level))
        .collect();
    assert_eq!(
        dropped,
        [
            ("signup", "not used: date", 0.0),
            ("always 1", "constant", 0.0),
            ("noise", "uninformative", 0.0),
            ("age again", "not selected", 0.3),
        ]
    );
}

#[test]
fn columns_have_a_type_and_if_they_are_no_input_a_role() {
    let written = |data: ColumnData| {
        let name = "x".to_owned();
        json!(TableColumn::from(&Column { name, data }))
    };
    let categories = ColumnData::Categorical([Some("a")].into_iter().collect());
    assert_eq!(
        written(categories),
        json!({"name": "x", "type": "categorical"})
    );
    assert_eq!(
        written(ColumnData::Unused(Role::Key)),
        json!({"name": "x", "type": "categorical", "role": "key"})
    );
    // It was not looked at, so that nobody knows its type.
    assert_eq!(
        written(ColumnData::Unused(Role::Ignored)),
        json!({"name": "x", "role": "ignored"})
    );
}

#[test]
fn self_test_rows_are_made_from_the_parts() {
    let model = small_model();
    let rows: Vec<Json> = model.self_test().iter().map(|t| json!(t.row)).collect();
    assert_eq!(
        rows,
        [
            json!({"age": null, "colour": "red"}),
            json!({"age": 78.0, "colour": "blue"}),
            json!({"age": null, "colour": null}),
        ]
    );
}

#[test]
fn a_model_without_variables_or_with_one_class_scores() {
    for classes in [
        vec![Some("a"); 4],
        vec![Some("a"), Some("a"), Some("a"), Some("b")],
    ] {
        let data = ColumnData::Categorical(classes.into_iter().collect());
        let target = Target::from_column(&Column {
            name: "y".into(),
            data,
        })
        .expect("categories");
        let frame = Frame::new(4, Vec::new()).expect("no column");
        let model = Trained {
            facts: &TableFacts::of(&frame.into(), None),
            target: &target,
            row_weights: None,
            prepared: &[],
            weights: &[],
            settings: Settings::default(),
            findings: &[],
            learning: Learning::default(),
            corrected: &Corrected::default(),
        }
        .model()
        .expect("consistent");
        let read = Model::from_json(model.to_json().as_bytes()).expect("just written");
        let probabilities = Scorer::new(&read).score_row(&[]).expect("no value needed");
        assert!((probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert_eq!(probabilities.len(), target.classes().len());
    }
}

#[test]
fn the_published_schema_is_up_to_date() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/schema/model-1.1.json"
    );
    let current = serde_json::to_string_pretty(&json_schema()).expect("a schema is JSON") + "\n";
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(path, &current).expect("docs/schema can be written");
    }
    let published = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        published == current,
        "docs/schema/model-1.1.json is stale: run UPDATE_SCHEMA=1 cargo test -p fnb schema"
    );
}
