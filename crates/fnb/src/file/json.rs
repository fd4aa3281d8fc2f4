//! The model as text: JSON with keys in a fixed order, a checksum and a self test.
//!
//! A model file is untrusted input: size and depth are limited before anything is built from it,
//! and everything that scoring relies on is checked.

use super::checksum::{checksum, for_each_byte};
use super::layout::to_text;
use super::upgrade::upgraded;
use super::version::check_version;
use crate::model::{FORMAT, Model};
use crate::{Advice, Code, Error, Result};
use serde::Deserialize;
use serde::de::IgnoredAny;

/// The largest file that is read: 256 MiB.
pub const MAX_FILE_BYTES: usize = 256 << 20;
/// The deepest nesting of lists and objects that is read.
pub const MAX_DEPTH: usize = 64;

/// What every version of the format has.
#[derive(Deserialize)]
struct Header {
    format: String,
    format_version: String,
    checksum: Option<String>,
    /// Only files from before 1.0 have them.
    variables: Option<IgnoredAny>,
}

impl Model {
    /// The text of the model file: equal models give equal bytes.
    pub fn to_json(&self) -> String {
        let text = to_text(self);
        let checksum = checksum(text.as_bytes());
        let empty = text
            .rfind("\"\"")
            .expect("the checksum is the last value and empty");
        let (before, after) = text.split_at(empty + 1);
        format!("{before}{checksum}{after}")
    }

    /// Reads a model file and verifies it.
    ///
    /// ```
    /// use fnb::{Code, model::Model};
    /// let error = Model::from_json(b"customer;age").unwrap_err();
    /// assert_eq!(error.code(), Code::NotAModel);
    /// ```
    pub fn from_json(bytes: &[u8]) -> Result<Self> {
        check_limits(bytes)?;
        let header: Header = serde_json::from_slice(bytes).map_err(|error| not_a_model(&error))?;
        if header.format != FORMAT {
            let message = format!("the format is {:?}, not {FORMAT:?}", header.format);
            return Err(Error::new(Code::NotAModel, message)
                .help("a model is the JSON file that training writes"));
        }
        check_version(&header.format_version)?;
        if header.checksum != Some(checksum(bytes)) {
            let message = "the model was altered after it was written: its checksum does not match";
            return Err(Error::new(Code::ModelChecksum, message)
                .help("fetch the original file again, or train the model anew"));
        }
        let content = |error: serde_json::Error| {
            Error::new(Code::ModelContent, error.to_string()).help(Advice::TrainAgain)
        };
        let mut model: Self = match header.variables {
            Some(_) => serde_json::from_value(upgraded(bytes)?),
            None => serde_json::from_slice(bytes),
        }
        .map_err(content)?;
        model.checksum.clear();
        model.check()?;
        model.verify_self_test()?;
        Ok(model)
    }

    /// `sha256:` and the hash of the model; equal models have equal checksums.
    pub fn checksum(&self) -> String {
        checksum(to_text(self).as_bytes())
    }
}

/// The JSON Schema of model files.
///
/// ```
/// let schema = fnb::file::json_schema();
/// assert_eq!(schema["title"], "fnb model");
/// ```
pub fn json_schema() -> serde_json::Value {
    schemars::schema_for!(Model).to_value()
}

fn not_a_model(error: &serde_json::Error) -> Error {
    let message = format!("this is not a model file: {error}");
    Error::new(Code::NotAModel, message).help("a model is the JSON file that training writes")
}

fn check_limits(bytes: &[u8]) -> Result<()> {
    if bytes.len() > MAX_FILE_BYTES {
        let message = format!("the file has more than {MAX_FILE_BYTES} bytes, no model has");
        return Err(too_much(message));
    }
    let mut depth = 0_usize;
    let mut deepest = 0;
    for_each_byte(bytes, |byte, in_string| {
        match byte {
            b'[' | b'{' if !in_string => depth += 1,
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    });
    if deepest > MAX_DEPTH {
        let message = format!("lists are nested {deepest} deep, in a model at most {MAX_DEPTH}");
        return Err(too_much(message));
    }
    Ok(())
}

fn too_much(message: String) -> Error {
    Error::new(Code::ModelLimits, message).help("a model is the JSON file that training writes")
}
