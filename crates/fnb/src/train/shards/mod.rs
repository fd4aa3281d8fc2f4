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
//!
//! # Example
//!
//! Two shards of fifty rows, all in this process:
//!
//! ```
//! use fnb::columns::{Column, ColumnData, Frame, NumericColumn, Target};
//! use fnb::shards::{Block, Counting, Encoder, Leader, Session, ShardRows, Survey, TableCounts};
//! use fnb::{Error, Result, Settings};
//! use std::ops::Range;
//! use std::sync::Arc;
//!
//! let column = |name: &str, data| Column { name: name.into(), data };
//! let frame = |rows: Range<u32>| {
//!     let values: Vec<f64> = rows.map(|row| f64::from(row % 50)).collect();
//!     let length = values.len();
//!     Frame::new(length, vec![column("x", ColumnData::Numeric(NumericColumn::new(values)))])
//! };
//! let class = |row: u32| Some(if row % 50 < 20 { "low" } else { "high" });
//! let target = |rows: Range<u32>| {
//!     column("class", ColumnData::Categorical(rows.map(class).collect()))
//! };
//! let shards = [0..50, 50..100];
//! let blocks = || shards.iter().map(|rows| (frame(rows.clone()), target(rows.clone())));
//!
//! // What is sent as bytes between processes is handed over here.
//! let mut survey = Survey::default();
//! for (_, target) in blocks() {
//!     survey.add(&target, None)?;
//! }
//! let settings = Settings::default();
//! let counting = Counting::new(&survey, &frame(0..0)?.into(), "class", &settings, None)?;
//! let plan = counting.to_bytes();
//! let mut counts = TableCounts::default();
//! for (frame, target) in blocks() {
//!     let block = Block { database: frame?.into(), target: &target, weights: None };
//!     Counting::count(&plan, &block, &mut counts)?;
//! }
//! let encoding = counting.prepare(counts, &())?;
//! let sent = encoding.to_bytes();
//! let encoder = Encoder::new(&sent)?;
//! let mut encoded = Vec::new();
//! for (frame, target) in blocks() {
//!     let mut rows = ShardRows::default();
//!     let block = Block { database: frame?.into(), target: &target, weights: None };
//!     encoder.encode(&block, &mut rows)?;
//!     encoded.push(rows);
//! }
//! let facts: Vec<Vec<u8>> = encoded.iter().map(ShardRows::facts).collect();
//! let start = encoding.start(&facts)?;
//! let session = |rows| Session::new(&sent, &start, rows);
//! let sessions = encoded.into_iter().map(session).collect::<Result<Vec<_>>>()?;
//! let ask = move |round: &[u8]| {
//!     let answers = sessions.iter().map(|session| Ok(session.answer(round)?.to_bytes()));
//!     answers.collect::<Result<Vec<_>>>()
//! };
//! let leader = Arc::new(Leader::new(Box::new(ask)));
//! let model = encoding.learn(&facts, leader, &())?.model;
//!
//! let here = fnb::train(frame(0..100)?, &Target::from_column(&target(0..100))?, &settings, &())?;
//! assert_eq!(model.to_json(), here.model.to_json());
//! # Ok::<(), Error>(())
//! ```

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
