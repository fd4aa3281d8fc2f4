//! The model file: what it promises, and every way to break it.

use super::file::checksum;
use super::*;
use crate::columns::{Column, Frame, NumericColumn, Target};
use crate::predict::Scorer;
use crate::prepare::{MissingNumbers, PreparedVariable};
use crate::{Code, Error};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

/// Six rows, a number with a part for missing values, two groups, and one column of each fate.
pub(super) fn small_model() -> Model {
    let numbers = |name: &str, values: &[f64]| Column {
        name: name.into(),
        data: ColumnData::Numeric(NumericColumn::new(values.to_vec())),
    };
    let colours = [
        Some("red"),
        Some("blue"),
        None,
        Some("red"),
        Some("red"),
        Some("blue"),
    ];
    let classes = [
        Some("no"),
        Some("no"),
        Some("no"),
        Some("yes"),
        Some("yes"),
        Some("yes"),
    ];
    let frame = Frame::new(
        6,
        vec![
            numbers("age", &[25.0, 31.0, f64::NAN, 47.0, 58.0, 26.0]),
            Column {
                name: "signup".into(),
                data: ColumnData::Unused(Unused::Date),
            },
            Column {
                name: "colour".into(),
                data: ColumnData::Categorical(colours.into_iter().collect()),
            },
            numbers("always 1", &[1.0; 6]),
            numbers("noise", &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
            numbers("age again", &[25.0, 31.0, f64::NAN, 47.0, 58.0, 26.0]),
        ],
    );
    let target = Column {
        name: "churn".into(),
        data: ColumnData::Categorical(classes.into_iter().collect()),
    };
    let intervals = Parts::Intervals {
        missing: MissingNumbers::Own,
        cuts: vec![39.0],
    };
    let value = |text: &str| Some(text.to_owned());
    let groups = Parts::Groups {
        groups: vec![vec![value("red")], vec![value("blue"), None]],
        default: 1,
    };
    let prepared = [
        (
            "age",
            VariableKind::Numerical,
            0.3,
            6,
            intervals.clone(),
            vec![vec![1, 0], vec![2, 1], vec![0, 2]],
        ),
        (
            "colour",
            VariableKind::Categorical,
            0.1,
            3,
            groups,
            vec![vec![1, 2], vec![2, 1]],
        ),
        (
            "always 1",
            VariableKind::Numerical,
            0.0,
            1,
            Parts::one_interval(),
            vec![vec![3, 3]],
        ),
        (
            "noise",
            VariableKind::Numerical,
            0.0,
            6,
            Parts::one_interval(),
            vec![vec![3, 3]],
        ),
        (
            "age again",
            VariableKind::Numerical,
            0.3,
            6,
            intervals,
            vec![vec![1, 0], vec![2, 1], vec![0, 2]],
        ),
    ]
    .map(
        |(name, kind, level, distinct, parts, counts)| PreparedVariable {
            name: name.into(),
            kind,
            distinct,
            missing: 0,
            level,
            cost: Cost {
                construction: 1.5,
                preparation: 4.25,
                data: 2.0,
            },
            parts,
            counts,
        },
    );
    Model::new(&Trained {
        frame: &frame.expect("same lengths"),
        target: &Target::from_column(&target).expect("categories"),
        prepared: &prepared,
        weights: &[0.75, 0.5, 0.0, 0.0, 0.0],
        settings: &Settings::default(),
        criterion: Criterion {
            total: 3.0,
            data: 2.0,
            prior: 4.0,
        },
        null_criterion: 4.5,
    })
    .expect("consistent")
}

/// The small model with evaluations, so that the file has every key.
fn complete_model() -> Model {
    let mut model = small_model();
    let probabilities = [0.9, 0.1, 0.6, 0.4, 0.8, 0.2, 0.3, 0.7, 0.1, 0.9, 0.55, 0.45];
    let evaluation = Evaluation::new(model.classes(), &probabilities, &[0, 0, 0, 1, 1, 1]);
    let evaluation = evaluation.expect("six rows");
    *model.evaluation_mut() = Evaluations {
        cv: Some(CrossValidation::new(&[
            evaluation.clone(),
            evaluation.clone(),
        ])),
        train: Some(evaluation.clone()),
        test: Some(evaluation),
    };
    model
}

/// The text with its checksum made right again.
fn sealed(text: &str) -> String {
    let key = "\"checksum\":";
    let Some(found) = text.rfind(key) else {
        return text.into();
    };
    let after = &text[found + key.len()..];
    let Some((space, rest)) = after.split_once('"') else {
        return text.into();
    };
    let Some((_, rest)) = rest.split_once('"') else {
        return text.into();
    };
    let before = &text[..found];
    let sum = checksum(text.as_bytes());
    format!("{before}{key}{space}\"{sum}\"{rest}")
}

/// The error of a file in which `from` was replaced by `to`, checksum made right.
fn broken(from: &str, to: &str) -> Error {
    let text = small_model().to_json();
    assert_eq!(
        text.matches(from).count(),
        1,
        "{from} occurs once in {text}"
    );
    Model::from_json(sealed(&text.replace(from, to)).as_bytes()).expect_err("broken on purpose")
}

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
    let expected = "format format_version producer task target training smoothing tables \
                    variables dropped evaluation self_test checksum";
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
fn unknown_keys_of_later_versions_are_ignored() {
    let text = complete_model().to_json();
    let newer = text
        .replace("\"1.0\"", "\"1.7\"")
        .replace("\"task\":", "\"news\":[{\"a\":null}],\"task\":");
    let read = Model::from_json(sealed(&newer).as_bytes()).expect("same major version");
    assert_eq!(read.variables(), complete_model().variables());
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
        let model = Model::new(&Trained {
            frame: &Frame::new(4, Vec::new()).expect("no column"),
            target: &target,
            prepared: &[],
            weights: &[],
            settings: &Settings::default(),
            criterion: Criterion {
                total: 0.0,
                data: 0.0,
                prior: 0.0,
            },
            null_criterion: 0.0,
        })
        .expect("consistent");
        let read = Model::from_json(model.to_json().as_bytes()).expect("just written");
        let probabilities = Scorer::new(&read).score_row(&[]).expect("no value needed");
        assert!((probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert_eq!(probabilities.len(), target.classes().len());
    }
}

#[test]
fn m01_not_a_model() {
    let text = small_model().to_json();
    for bytes in [
        &b""[..],
        b"a;b\n1;2\n",
        b"\xff\xfe\x00",
        b"{\"format\": \"fnb-model\"",
        b"[]",
        b"null",
    ] {
        let error = Model::from_json(bytes).expect_err("garbage");
        assert_eq!(error.code(), Code::NotAModel);
        assert!(error.message().contains("line "), "{error}");
    }
    let truncated = Model::from_json(&text.as_bytes()[..text.len() / 2]).expect_err("truncated");
    assert_eq!(truncated.code(), Code::NotAModel);
    assert_eq!(broken("\"fnb-model\"", "\"other\"").code(), Code::NotAModel);
}

#[test]
fn m02_other_major_version() {
    for version in ["2.0", "0.9", "", "one"] {
        let error = broken("\"1.0\"", &format!("{version:?}"));
        assert_eq!(error.code(), Code::ModelVersion, "{error}");
    }
}

#[test]
fn m03_altered() {
    let text = small_model().to_json();
    for (from, to) in [
        ("0.75", "0.7"),
        ("\"red\"", "\"r e d\""),
        ("sha256:", "sha256:0"),
        (",\n \"checksum\"", ",\"other\""),
    ] {
        let altered = text.replacen(from, to, 1);
        assert_ne!(altered, text);
        let error = Model::from_json(altered.as_bytes()).expect_err("altered");
        assert_eq!(error.code(), Code::ModelChecksum, "{from}");
        assert!(error.message().contains("altered after it was written"));
    }
}

#[test]
fn m04_inconsistent_content() {
    let cases = [
        (
            "\"cuts\":[39.0]",
            "\"cuts\":[40.0,39.0]",
            "the cut 39 comes after 40",
        ),
        (
            "\"cuts\":[39.0]",
            "\"cuts\":[39.0,39.0]",
            "the cut 39 comes after 39",
        ),
        ("\"cuts\":[39.0]", "\"cuts\":[1e999]", "number out of range"),
        ("\"cuts\":[39.0]", "\"cuts\":[null]", "line "),
        (
            "\"cuts\":[39.0]",
            "\"cuts\":[3.0,39.0]",
            "4 parts and 3 lines",
        ),
        (
            "[[1,2],[2,1]]",
            "[[1,2],[2,1,0]]",
            "part 1 has 3 counts for 2 classes",
        ),
        ("[[1,2],[2,1]]", "[[1,2],[3,1]]", "do not add up to 3"),
        (
            "[[1,2],[2,1]]",
            "[[18446744073709551615,2],[4,1]]",
            "do not add up to 3",
        ),
        ("[[1,2],[2,1]]", "[[-1,2],[4,1]]", "line "),
        (
            "\"classes\":[\"no\",\"yes\"]",
            "\"classes\":[\"yes\",\"no\"]",
            "sorted",
        ),
        (
            "\"classes\":[\"no\",\"yes\"]",
            "\"classes\":[\"no\",\"no\"]",
            "distinct",
        ),
        (
            "\"classes\":[\"no\",\"yes\"]",
            "\"classes\":[]",
            "0 classes",
        ),
        (
            "\"classes\":[\"no\",\"yes\"]",
            "\"classes\":[\"no\"]",
            "1 classes and 2 class counts",
        ),
        ("\"counts\":[3,3]", "\"counts\":[6,0]", "\"yes\" has no row"),
        ("\"counts\":[3,3]", "\"counts\":[3,4]", "add up to 6 rows"),
        (
            "\"counts\":[3,3]",
            "\"counts\":[18446744073709551615,7]",
            "add up to 6 rows",
        ),
        ("\"rows\":6", "\"rows\":7", "add up to 7 rows"),
        ("\"weight\":0.75", "\"weight\":0.0", "weight 0"),
        ("\"weight\":0.75", "\"weight\":1.5", "weight 1.5"),
        ("\"default\":1", "\"default\":2", "default group 2"),
        (
            "[\"blue\",null]",
            "[\"red\",null]",
            "\"red\" is listed twice",
        ),
        (
            "[\"blue\",null]",
            "[\"blue\",null,null]",
            "missing is listed twice",
        ),
        (
            "\"kind\":\"groups\"",
            "\"kind\":\"grid\"",
            "unknown variant `grid`",
        ),
        (
            "{\"column\":\"age\"}",
            "{\"column\":\"agee\"}",
            "no numerical column \"agee\"",
        ),
        (
            "{\"name\":\"age\",\"from\"",
            "{\"name\":\"colour\",\"from\"",
            "\"colour\": is listed twice",
        ),
        (
            "{\"name\":\"noise\",\"type\"",
            "{\"name\":\"age\",\"type\"",
            "\"age\" is listed twice",
        ),
        (
            "\"name\":\"colour\",\"type\":\"categorical\"",
            "\"name\":\"colour\",\"type\":\"numerical\"",
            "no categorical column",
        ),
        (
            "\"selected\":2",
            "\"selected\":3",
            "3 variables are announced, 2 are listed",
        ),
        ("\"p\":0.95", "\"p\":2.0", "p is 2"),
        ("\"lambda\":0.25", "\"lambda\":-1.0", "lambda is -1"),
        ("\"epsilon\":0.1", "\"epsilon\":0.2", "epsilon is 0.2"),
        ("{\"age\":78.0,", "{\"age\":\"old\",", "must be a number"),
    ];
    for (from, to, message) in cases {
        let error = broken(from, to);
        assert_eq!(error.code(), Code::ModelContent, "{to}: {error}");
        assert!(error.message().contains(message), "{to}: {error}");
    }
    let mut model = complete_model();
    let test = model.evaluation.test.as_mut().expect("evaluated");
    test.confusion.as_mut().expect("two classes").matrix.pop();
    let error = Model::from_json(model.to_json().as_bytes()).expect_err("not square");
    assert!(error.message().contains("confusion matrix"), "{error}");
}

#[test]
fn m05_self_test() {
    let proba = json!(small_model().self_test()[0].proba);
    let proba = format!("\"proba\":{proba}");
    for other in [
        "\"proba\":[0.5,0.5]",
        "\"proba\":[]",
        "\"proba\":[1.0,0.0,0.0]",
    ] {
        assert_eq!(broken(&proba, other).code(), Code::ModelSelfTest);
    }
}

#[test]
fn m06_limits() {
    let deep = format!("{}{}", "[".repeat(MAX_DEPTH + 1), "]".repeat(MAX_DEPTH + 1));
    let error = Model::from_json(deep.as_bytes()).expect_err("deep");
    assert_eq!(error.code(), Code::ModelLimits);
    let brackets_in_a_string = format!("{{\"format\": \"{}\"}}", "[".repeat(100));
    let error = Model::from_json(brackets_in_a_string.as_bytes()).expect_err("not a model");
    assert_eq!(error.code(), Code::NotAModel);
    let large = vec![b' '; MAX_FILE_BYTES + 1];
    assert_eq!(
        Model::from_json(&large).expect_err("large").code(),
        Code::ModelLimits
    );
}

#[test]
fn the_published_schema_is_up_to_date() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/schema/model-1.0.json"
    );
    let current = serde_json::to_string_pretty(&json_schema()).expect("a schema is JSON") + "\n";
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(path, &current).expect("docs/schema can be written");
    }
    let published = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        published == current,
        "docs/schema/model-1.0.json is stale: run UPDATE_SCHEMA=1 cargo test -p fnb schema"
    );
}

/// Values that break assumptions.
fn nasty() -> impl Strategy<Value = Json> {
    prop_oneof![
        Just(json!(null)),
        Just(json!(0)),
        Just(json!(-1)),
        Just(json!(u64::MAX)),
        Just(json!(1e308)),
        Just(json!(-0.0)),
        Just(json!(5e-324)),
        Just(json!("")),
        Just(json!("yes")),
        Just(json!([])),
        Just(json!([[]])),
        Just(json!({})),
        Just(json!(true)),
    ]
}

/// Replaces the `index`-th node of a tree, counted depth first.
fn replace_node(node: &mut Json, index: &mut usize, with: &Json) {
    if *index == 0 {
        *node = with.clone();
        *index = usize::MAX;
        return;
    }
    *index -= 1;
    let children: Vec<&mut Json> = match node {
        Json::Array(items) => items.iter_mut().collect(),
        Json::Object(map) => map.values_mut().collect(),
        _ => Vec::new(),
    };
    for child in children {
        if *index == usize::MAX {
            return;
        }
        replace_node(child, index, with);
    }
}

/// Whatever loads must also score and write.
fn load_and_use(bytes: &[u8]) {
    if let Ok(model) = Model::from_json(bytes) {
        let again = Model::from_json(model.to_json().as_bytes());
        assert_eq!(again.as_ref().map(Model::variables), Ok(model.variables()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_damage_to_the_bytes_panics(
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..3_u8, any::<u8>()), 1..4),
    ) {
        let mut bytes = complete_model().to_json().into_bytes();
        for (index, edit, byte) in edits {
            let at = index.index(bytes.len());
            match edit {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ => { bytes.remove(at); }
            }
        }
        load_and_use(&bytes);
        if let Ok(text) = String::from_utf8(bytes) {
            load_and_use(sealed(&text).as_bytes());
        }
    }

    #[test]
    fn no_nasty_value_panics(
        edits in prop::collection::vec((0..400_usize, nasty()), 1..3),
    ) {
        let mut tree: Json = serde_json::from_str(&complete_model().to_json()).expect("JSON");
        for (index, value) in edits {
            replace_node(&mut tree, &mut index.clone(), &value);
        }
        load_and_use(sealed(&tree.to_string()).as_bytes());
    }
}
