//! Tables in files and in memory: read, typed, streamed, written.

mod arrow;
mod damaged;
#[path = "../../../../tests/data.rs"]
mod data;
mod errors;
mod files;
mod golden;
mod interrupted;
mod properties;
mod scan;
mod scoring;
mod scratch;
mod types;
mod writing;
