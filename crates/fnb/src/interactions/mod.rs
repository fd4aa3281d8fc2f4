//! Selected variables → better profiles, and tables over several variables where they pay their price
//! (docs/method.md §12).
//!
//! The plain model stays as it is. Its profiles are estimated anew, all together, and tables over two or
//! three variables correct what the columns one by one do not explain. A table enters if what it is
//! expected to bring on new rows exceeds the price of naming it and its parts.

mod add_rows;
mod candidates;
mod count;
mod criterion;
mod curves;
mod estimate;
mod fold;
mod grid;
mod kernels;
mod posteriors;
mod search;
mod surface;
#[cfg(test)]
mod tests;

pub(crate) use candidates::Input;
pub(crate) use curves::KEPT;
pub(crate) use posteriors::Profile;
pub(crate) use search::{Corrections, FoundTable, FreeTable, correct};
