//! A model as a JSON file, and back: keys in a fixed order, a checksum, a self test.
//!
//! `docs/model-file.md` explains the format to somebody who writes a reader in another language.

mod checksum;
mod json;
mod layout;
mod self_test;
#[cfg(test)]
mod tests;
mod upgrade;
mod version;

pub use json::{MAX_DEPTH, MAX_FILE_BYTES, json_schema};
