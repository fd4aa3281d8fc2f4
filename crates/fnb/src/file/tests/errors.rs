//! Every error of the loader.

use super::{complete_model, sealed, small_model};
use crate::file::{MAX_DEPTH, MAX_FILE_BYTES};
use crate::model::Model;
use crate::{Code, Error};
use serde_json::json;

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

/// Text of the small model, what replaces it, and part of the message that follows.
const INCONSISTENT: [(&str, &str, &str); 32] = [
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
        "4 cells and 3 lines",
    ),
    (
        "[[1,2],[2,1]]",
        "[[1,2],[2,1,0]]",
        "cell 1 has 3 counts for 2 classes",
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
        "{\"name\":\"age\",\"from\"",
        "{\"name\":\"agee\",\"from\"",
        "no numerical column \"agee\"",
    ),
    (
        "{\"name\":\"age\",\"axes\"",
        "{\"name\":\"colour\",\"axes\"",
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
    ("\"lambda\":0.2", "\"lambda\":-1.0", "lambda is -1"),
    ("\"epsilon\":0.1", "\"epsilon\":0.2", "epsilon is 0.2"),
    ("{\"age\":78.0,", "{\"age\":\"old\",", "must be a number"),
];

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
fn m02_other_version() {
    for version in ["2.0", "1.7", "0.9", "", "one", "1"] {
        let error = broken("\"1.0\"", &format!("{version:?}"));
        assert_eq!(error.code(), Code::ModelVersion, "{error}");
        let advice = error.to_string();
        let is_newer = ["2.0", "1.7"].contains(&version);
        assert_eq!(advice.contains("newer"), is_newer, "{version}: {advice}");
    }
    // Whatever a newer file holds that is not known here, the version is what is reported.
    let text = small_model().to_json().replace("\"1.0\"", "\"1.2\"");
    let text = text.replace("\"kind\":\"groups\"", "\"kind\":\"grid\"");
    let error = Model::from_json(sealed(&text).as_bytes()).expect_err("a newer version");
    assert_eq!(error.code(), Code::ModelVersion, "{error}");
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
    for (from, to, message) in INCONSISTENT {
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
