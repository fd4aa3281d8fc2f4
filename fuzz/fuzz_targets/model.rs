//! Model files. They are signed anew: otherwise the checksum would refuse all but the seeds.

#![no_main]

use fnb::model::Model;
use fnb::predict::{Explainer, Scorer};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use sha2::{Digest, Sha256};

fuzz_target!(|bytes: &[u8]| {
    let _ = Model::from_json(bytes);
    let Some(signed) = signed(bytes) else { return };
    let Ok(model) = Model::from_json(signed.as_bytes()) else { return };
    // What is accepted is written and read again as it is, and can be used.
    let json = model.to_json();
    assert_eq!(Model::from_json(json.as_bytes()).as_ref(), Ok(&model));
    let _ = (Scorer::new(&model), Explainer::new(&model));
});

/// The same model with the checksum that it should have.
fn signed(bytes: &[u8]) -> Option<String> {
    let Ok(Value::Object(mut model)) = serde_json::from_slice(bytes) else { return None };
    model.insert("checksum".into(), Value::String(String::new()));
    let text = Value::Object(model).to_string();
    let hash: String = Sha256::digest(&text).iter().map(|byte| format!("{byte:02x}")).collect();
    let place = text.rfind("\"checksum\":\"")? + "\"checksum\":\"".len();
    Some(format!("{}sha256:{hash}{}", &text[..place], &text[place..]))
}
