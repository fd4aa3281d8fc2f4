//! Nothing that is done to a file makes the loader panic.

use super::{complete_model, sealed};
use crate::model::Model;
use proptest::prelude::*;
use serde_json::{Value as Json, json};

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
        assert_eq!(again.as_ref().map(Model::terms), Ok(model.terms()));
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
