//! Tests of the weights, by what they verify.
#![allow(clippy::unwrap_used, reason = "a test that panics fails, as it should")]

#[path = "weights/golden.rs"]
mod golden;
#[path = "weights/golden_sets.rs"]
mod golden_sets;
#[path = "weights/invariants.rs"]
mod invariants;
#[path = "weights/synthetic.rs"]
mod synthetic;
