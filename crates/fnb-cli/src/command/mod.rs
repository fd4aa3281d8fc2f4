//! One file per command: its arguments, and what it does.

pub(crate) mod completions;
pub(crate) mod demo;
pub(crate) mod describe;
pub(crate) mod evaluate;
pub(crate) mod explain;
pub(crate) mod inspect;
pub(crate) mod predict;
pub(crate) mod schema;
pub(crate) mod train;
