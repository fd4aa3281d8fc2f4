//! The model as text: JSON with keys in a fixed order, a checksum and a self test.
//!
//! A model file is untrusted input: size and depth are limited before anything is built from it,
//! and everything that scoring relies on is checked.

use super::layout::to_text;
use super::{FORMAT, FORMAT_VERSION, Model};
use crate::{Code, Error, Result};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::fmt::Write;

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
        let mut model: Self = serde_json::from_slice(bytes).map_err(|error| {
            Error::new(Code::ModelContent, error.to_string()).help("train the model anew")
        })?;
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
/// let schema = fnb::model::json_schema();
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
        let message = format!(
            "the file has {} bytes, a model at most {MAX_FILE_BYTES}",
            bytes.len()
        );
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

fn check_version(version: &str) -> Result<()> {
    let major = |version: &str| {
        version
            .split('.')
            .next()
            .and_then(|v| v.parse::<u32>().ok())
    };
    if major(version) == major(FORMAT_VERSION) {
        return Ok(());
    }
    let message = format!(
        "the model is in format {version:?}, this program reads {FORMAT_VERSION:?} and its successors of the same major version"
    );
    Err(Error::new(Code::ModelVersion, message).help("use a newer version of this program"))
}

/// Hash of the text without white space between tokens, the value of the last top-level key
/// `checksum` left empty. Keys are not reordered: their order is part of the format.
pub(super) fn checksum(bytes: &[u8]) -> String {
    let mut compact = Vec::with_capacity(bytes.len());
    for_each_byte(bytes, |byte, in_string| {
        if in_string || !byte.is_ascii_whitespace() {
            compact.push(byte);
        }
    });
    let key = b"\"checksum\":\"";
    let found = compact.windows(key.len()).rposition(|window| window == key);
    let (content, rest) = match found {
        Some(position) => compact.split_at(position + key.len()),
        None => (&compact[..], &[][..]),
    };
    let value = rest.iter().position(|&byte| byte == b'"').unwrap_or(0);
    let mut hash = Sha256::new();
    hash.update(content);
    hash.update(&rest[value..]);
    let mut text = String::from("sha256:");
    for byte in hash.finalize() {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// Visits every byte with whether it belongs to a string, quotes included.
fn for_each_byte(bytes: &[u8], mut visit: impl FnMut(u8, bool)) {
    let (mut in_string, mut escaped) = (false, false);
    for &byte in bytes {
        if in_string {
            visit(byte, true);
            if escaped {
                escaped = false;
            } else if byte == b'\\' {
                escaped = true;
            } else if byte == b'"' {
                in_string = false;
            }
        } else {
            in_string = byte == b'"';
            visit(byte, in_string);
        }
    }
}
