//! Tables whose rows are in several shards: the same model as if they were in one place.
//!
//! The rows of a shard are read block by block, three times or four, and never leave it. What the driver
//! is sent are counts and sums, what it sends are plans and sums:
//!
//! 1. [`Survey`]: the classes of the target and the weights of the rows.
//! 2. [`Counting`]: the rows of every column by value and class. From them the driver prepares all variables.
//! 3. [`Encoding`]: the part of every row, a byte for each variable: the [`ShardRows`], all that learning needs.
//! 4. [`Session`]: the program that learns, run on the rows of a shard. It stops wherever it needs a sum over
//!    all rows, tells what its own rows count, and goes on when it is told the sum. The driver runs the same
//!    program without any row ([`Encoding::learn`]): it adds up what the shards tell, and in the end has the
//!    model.
//!
//! All that is sent can be merged in any order and any grouping, and sums are exact (docs/method.md §14): the
//! number of shards cannot show. A session that was lost is run again from the start; the sums that are known
//! are not counted once more, so that it catches up quickly.

mod bytes;
mod counting;
mod encoding;
mod lockstep;
mod rows;
mod survey;

pub use counting::{Block, Counting, TableCounts};
pub use encoding::{Encoder, Encoding};
pub use lockstep::{Answer, Ask, Leader, Round, Session};
pub use rows::ShardRows;
pub use survey::Survey;
