//! Searches that add and drop variables, or shares of their weights, one at a time
//! (docs/method.md §7.3 to §7.7).

mod criterion;
mod fnb;
mod fnb_ordered;
mod listed;
mod order;
mod penalty;
mod snb;

pub(crate) use criterion::{Criterion, Definition};
pub(crate) use fnb::{khiops, published};
pub(crate) use fnb_ordered::search as ordered;
pub(crate) use snb::{Selection, search as select};
