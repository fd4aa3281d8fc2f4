//! Several tables on the command line: options, reading, what joining found.

mod args;
mod by_options;
mod by_schema;
mod read;
mod score;
mod several;

pub(crate) use args::TableArgs;
pub(crate) use read::{read_data, read_several};
pub(crate) use score::{OtherTables, to_score};
