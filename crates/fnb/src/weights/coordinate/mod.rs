//! Newton steps on one weight at a time (docs/method.md §7.10), and what they make cheap: smaller
//! models, re-optimised.

mod criterion;
mod search;
mod size;
#[cfg(test)]
mod tests;
mod transfer;

pub(crate) use criterion::Criterion;
pub(crate) use search::search;
pub(crate) use size::{at_most, size_path};
pub(crate) use transfer::transfer;
