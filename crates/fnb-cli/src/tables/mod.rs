//! Several tables on the command line: options, reading, what joining found.

mod args;
mod keys;
mod read;
mod score;

pub(crate) use args::{ScoreTableArgs, TableArgs};
pub(crate) use keys::guess_key;
pub(crate) use read::{Several, own_options, read_several, report};
pub(crate) use score::read_to_score;
