//! Tests of the weights, by what they verify.

#[path = "weights/golden.rs"]
mod golden;
#[path = "weights/golden_sets.rs"]
mod golden_sets;
