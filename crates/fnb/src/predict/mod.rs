//! Model + columns → probabilities, and why.
//!
//! A [`Scorer`] is a model made ready: one table of numbers per variable. [`Scorer::bind`] finds
//! its columns in a frame, after which rows are scored in blocks.

mod batch;
mod bind;
mod explain;
mod nearest_name;
mod prior;
mod scorer;
mod shapley;

pub use bind::BoundScorer;
pub use explain::{Explainer, Explanation, Reason, Term};
pub use scorer::{Scorer, Value};
pub use shapley::Shapley;
