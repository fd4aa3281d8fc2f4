//! Predictions of models made of golden partitions and weights.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod golden;
mod golden_model;
mod scoring;
