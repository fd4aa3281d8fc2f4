//! The program `fnb`, run as users run it; and what the project says of itself.

#![allow(clippy::unwrap_used, reason = "a test that panics fails, as it should")]

mod bad_corpus;
mod bad_input;
#[cfg(target_os = "linux")]
mod beyond_memory;
mod commands;
mod compare;
#[path = "../../../../tests/data.rs"]
mod data;
#[cfg(unix)]
mod documents;
mod findings;
mod golden;
mod interactions;
mod invariance;
#[cfg(target_os = "linux")]
mod memory;
mod methods;
mod module_graph;
mod odd_tables;
mod outputs;
mod project;
mod relational_bad_input;
mod relational_commands;
mod relational_golden;
mod relational_invariance;
mod relational_lookups;
mod relational_options;
mod relational_sample;
mod relational_shared;
mod report;
mod scratch;
mod shop;
mod sparse;
mod sparse_with_tables;
#[cfg(target_os = "linux")]
mod streams;
mod terminal;
mod text;
mod together;
mod values;
mod weights;
mod zones;
