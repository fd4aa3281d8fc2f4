//! What is sent between places, as bytes.

use crate::{Code, Error, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Numbers and texts, compactly.
pub(super) fn to_bytes(value: &impl Serialize) -> Vec<u8> {
    postcard::to_stdvec(value).expect("plain data in memory are always written")
}

/// The same read back; `what` names them in the message if they are damaged.
pub(super) fn from_bytes<T: DeserializeOwned>(bytes: &[u8], what: &str) -> Result<T> {
    postcard::from_bytes(bytes).map_err(|error| damaged(what, &error))
}

/// What was sent is not what was received.
pub(super) fn damaged(what: &str, error: &dyn std::fmt::Display) -> Error {
    Error::new(Code::UnreadableFile, format!("{what} are damaged: {error}"))
        .help("is the same version of fnb installed everywhere? then train again")
}
