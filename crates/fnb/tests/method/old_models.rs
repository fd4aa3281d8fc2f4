//! Files from before version 1.0 of the format are still read.
//!
//! The fixtures were written by version 0.1.0 of the program, before the format was called 1.0.

use fnb::Method;
use fnb::columns::Role;
use fnb::model::Model;
use fnb::relational::Arithmetic;
use fnb::terms::Origin;

fn read(name: &str) -> (String, Model) {
    let path = format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.contains("\"variables\":") && !text.contains("\"terms\":"));
    // The probabilities of its self test are verified on the way.
    let model = Model::from_json(text.as_bytes()).unwrap();
    (text, model)
}

#[test]
fn variables_become_terms() {
    let (_, model) = read("model-0.1-khiops.json");
    let names: Vec<&str> = model
        .terms()
        .iter()
        .map(|term| term.name.as_str())
        .collect();
    assert_eq!(names, ["plan", "age"]);
    assert_eq!(model.terms()[1].counts, [[5, 5], [0, 58], [88, 44]]);
    assert_eq!(model.terms()[1].axes[0].name, "age");
    assert!(model.self_test().len() == 3 && model.evaluation().train.is_some());
    // What is done with a column was written as its type.
    let id = &model.columns()[0];
    assert_eq!(
        (id.name.as_str(), id.ty, id.role),
        ("id", None, Role::Ignored)
    );
    // What the preset decided by its name is said by settings.
    let params = &model.training().params;
    assert_eq!(params.learn.method, Method::FnbKhiops);
    assert_eq!(params.construct.arithmetic, Arithmetic::Reference);
    assert!(params.construct.sampled);
}

#[test]
fn several_tables_and_dates() {
    let (_, model) = read("model-0.1-tables.json");
    let constructed = model.terms().iter().flat_map(|term| &term.axes);
    let constructed = constructed.filter(|axis| matches!(axis.from, Origin::Expression(_)));
    assert!(constructed.count() > 0);
    assert_eq!(model.tables().len(), 2);
}

#[test]
fn what_is_written_again_is_of_this_version() {
    for name in ["model-0.1-khiops.json", "model-0.1-tables.json"] {
        let (old, model) = read(name);
        let text = model.to_json();
        assert!(text.contains("\"terms\":") && !text.contains("\"variables\":"));
        let again = Model::from_json(text.as_bytes()).unwrap();
        assert_eq!(again, model, "{name}");
        assert_eq!(again.to_json(), text);
        // White space does not matter to old files either.
        let spread = old.replace('\n', "\n\n  ").replace("\":", "\" : ");
        assert_eq!(Model::from_json(spread.as_bytes()), Ok(model), "{name}");
    }
}

/// Nothing that is done to an old file makes the loader panic.
#[test]
fn damaged_old_files_are_refused() {
    let (old, _) = read("model-0.1-khiops.json");
    for (from, to) in [
        ("\"variables\":[", "\"variables\":[1,"),
        ("\"variables\":[", "\"variables\":[{},"),
        ("\"training\":{", "\"training\":[{"),
        ("\"params\":{", "\"params\":3,\"other\":{"),
        ("\"from\":{\"column\":\"age\"}", "\"from\":7"),
    ] {
        assert!(old.contains(from), "{from}");
        let changed = crate::relational_model::signed(&old.replacen(from, to, 1));
        assert!(Model::from_json(&changed).is_err(), "{to}");
    }
}
