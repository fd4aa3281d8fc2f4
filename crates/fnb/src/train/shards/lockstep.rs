//! The same program in every place, round by round: a round is a sum over all rows.
//!
//! A [`Session`] runs the program on the rows of a shard, in a thread of its own that stops at every sum until
//! it is told the result. The [`Leader`] runs it where there are no rows: it asks all shards for what they
//! count, adds it up and goes on. A session knows nothing that the sums so far and its rows do not tell: one
//! that was lost, with its process, is started again and told them.

use super::bytes::{from_bytes, to_bytes};
use super::encoding::prepared_in_shard;
use super::rows::ShardRows;
use crate::columns::Places;
use crate::{Code, Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// What the driver asks of every shard: its part of one more sum.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// The number of sums before the first of `sums`.
    known: usize,
    /// The sums that follow.
    sums: Vec<Arc<Vec<i128>>>,
}

/// What a shard answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Its part of the sum.
    Part(Vec<u8>),
    /// It knows only so many of the sums before: it is to be told more of them.
    Behind(usize),
}

/// What was counted in a place: its part of a sum, or what it has to say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Told {
    Terms(Vec<i128>),
    Bytes(Vec<u8>),
}

impl Round {
    /// What is sent.
    pub fn to_bytes(&self) -> Vec<u8> {
        to_bytes(self)
    }
}

impl Answer {
    /// What is sent.
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::Part(bytes) => [&[0], bytes.as_slice()].concat(),
            Self::Behind(known) => [&[1], known.to_le_bytes().as_slice()].concat(),
        }
    }

    /// What was received.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let number = |bytes: &[u8]| bytes.try_into().ok().map(usize::from_le_bytes);
        match bytes.split_first() {
            Some((0, bytes)) => Some(Self::Part(bytes.to_vec())),
            Some((1, bytes)) => number(bytes).map(Self::Behind),
            _ => None,
        }
        .ok_or_else(|| super::bytes::damaged("the answers of a shard", &"they are cut short"))
    }
}

/// What the thread of a session and those who ask it share.
#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Sums that the program has not asked for yet, the first being number `asked`.
    known: std::collections::VecDeque<Arc<Vec<i128>>>,
    /// Sums that the program has asked for and was told.
    asked: usize,
    /// Its part of the next one.
    told: Option<Vec<u8>>,
    /// Nobody wants more of it.
    is_over: bool,
    failed: Option<Error>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'s>(&self, state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        let state = self.changed.wait(state);
        state.unwrap_or_else(PoisonError::into_inner)
    }

    /// The next sum; the part of this place is told if it is not known yet.
    fn next(&self, own: impl FnOnce() -> Told) -> Arc<Vec<i128>> {
        let mut state = self.state();
        if state.known.is_empty() && !state.is_over {
            drop(state);
            let told = to_bytes(&own());
            state = self.state();
            state.told = Some(told);
            self.changed.notify_all();
        }
        loop {
            if state.is_over {
                drop(state);
                // Nobody waits for the result: the thread ends here.
                resume_unwind(Box::new(Over));
            }
            if let Some(sum) = state.known.pop_front() {
                state.asked += 1;
                state.told = None;
                return sum;
            }
            state = self.wait(state);
        }
    }
}

/// Ends the thread of a session that nobody needs any more.
struct Over;

impl Places for Shared {
    fn sum(&self, own: &mut dyn FnMut() -> Vec<i128>) -> Vec<i128> {
        let sum = self.next(|| Told::Terms(own()));
        Arc::unwrap_or_clone(sum)
    }

    fn gather(&self, own: &mut dyn FnMut() -> Vec<u8>) -> Vec<Vec<u8>> {
        self.next(|| Told::Bytes(own()));
        Vec::new()
    }
}

/// The program that learns on the rows of a shard.
///
/// It is driven by [`answer`](Self::answer), in whatever process the rows are.
#[derive(Debug)]
pub struct Session {
    shared: Arc<Shared>,
}

impl Session {
    /// Starts the program, given what was sent of an [`Encoding`](super::Encoding) and of the
    /// [start](super::Encoding::start).
    pub fn new(encoding: &[u8], start: &[u8], rows: ShardRows) -> Result<Self> {
        let shared = Arc::new(Shared::default());
        let places: Arc<dyn Places> = Arc::clone(&shared) as _;
        let (prepared, settings) = prepared_in_shard(encoding, start, rows, places)?;
        let threads = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let pool = threads.map_err(|error| failed(&error.to_string()))?;
        let inside = Arc::clone(&shared);
        pool.spawn(move || {
            let program = || prepared.learn(&settings.learn, &());
            let ended = catch_unwind(AssertUnwindSafe(program));
            let mut state = inside.state();
            state.failed = match ended {
                Ok(Ok(_)) => None,
                Ok(Err(error)) => Some(error),
                Err(panic) if panic.is::<Over>() => None,
                Err(_) => Some(failed("learning stopped")),
            };
            state.is_over = true;
            inside.changed.notify_all();
        });
        Ok(Self { shared })
    }

    /// Its part of the sum that is asked for. A round may be asked for again.
    pub fn answer(&self, round: &[u8]) -> Result<Answer> {
        let round: Round = from_bytes(round, "the sums of a round")?;
        let mut state = self.shared.state();
        let known = state.asked + state.known.len();
        if known < round.known {
            return Ok(Answer::Behind(known));
        }
        let wanted = round.known + round.sums.len();
        if known > wanted {
            // It was asked by somebody who is late, and is ahead of him.
            return Err(failed("a shard was asked for a sum that is past"));
        }
        let news = round.sums.into_iter().skip(known - round.known);
        state.known.extend(news);
        self.shared.changed.notify_all();
        loop {
            if let Some(error) = state.failed.take() {
                return Err(error);
            }
            if state.asked == wanted
                && let Some(told) = &state.told
            {
                return Ok(Answer::Part(told.clone()));
            }
            if state.is_over {
                return Err(failed("learning is over in a shard, but not elsewhere"));
            }
            state = self.shared.wait(state);
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.shared.state().is_over = true;
        self.shared.changed.notify_all();
    }
}

fn failed(message: &str) -> Error {
    Error::new(Code::Internal, message).help("train again; if it happens again, report it")
}

/// The sums that a round is told besides those that all shards know: a worker that missed some of the last
/// rounds needs not be told everything.
const WINDOW_BYTES: usize = 1 << 18;

/// Asks all shards: the same question for all, an answer from each, in their order.
pub type Ask = dyn Fn(&[u8]) -> Result<Vec<Vec<u8>>> + Send + Sync;

/// The place that has no rows and adds up what all others count.
pub struct Leader {
    ask: Box<Ask>,
    sums: Mutex<Vec<Arc<Vec<i128>>>>,
}

impl fmt::Debug for Leader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Leader").finish_non_exhaustive()
    }
}

impl Leader {
    /// `ask` sends the bytes of a round to every shard; its error ends the learning.
    pub fn new(ask: Box<Ask>) -> Self {
        Self {
            ask,
            sums: Mutex::default(),
        }
    }

    /// Number of rounds so far.
    pub fn rounds(&self) -> usize {
        self.sums().len()
    }

    fn sums(&self) -> MutexGuard<'_, Vec<Arc<Vec<i128>>>> {
        self.sums.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What every shard tells of the next sum.
    fn parts(&self) -> Result<Vec<Told>> {
        let sums = self.sums().clone();
        let mut bytes = 0;
        let is_recent = |sum: &&Arc<Vec<i128>>| {
            bytes += sum.len() * size_of::<i64>();
            bytes <= WINDOW_BYTES
        };
        let recent = sums.iter().rev().take_while(is_recent).count();
        // The last one is new to all.
        let mut known = sums.len() - recent.max(1).min(sums.len());
        loop {
            let round = Round {
                known,
                sums: sums[known..].to_vec(),
            };
            let answers = (self.ask)(&round.to_bytes())?;
            let answers = answers.iter().map(|bytes| Answer::from_bytes(bytes));
            let answers = answers.collect::<Result<Vec<Answer>>>()?;
            let behind = answers.iter().filter_map(|answer| match answer {
                Answer::Behind(known) => Some(*known),
                Answer::Part(_) => None,
            });
            if let Some(least) = behind.min() {
                known = least.min(known);
                continue;
            }
            let parts = answers.iter().filter_map(|answer| match answer {
                Answer::Part(bytes) => Some(from_bytes(bytes, "the sums of a shard")),
                Answer::Behind(_) => None,
            });
            return parts.collect();
        }
    }

    /// One more sum, or the end of the search: there is no going on without it.
    fn next<T>(&self, result: impl FnOnce(Vec<Told>) -> Option<(Vec<i128>, T)>) -> T {
        let error = || failed("the shards do not do the same");
        match self
            .parts()
            .and_then(|parts| result(parts).ok_or_else(error))
        {
            Ok((sum, result)) => {
                self.sums().push(Arc::new(sum));
                result
            }
            Err(error) => resume_unwind(Box::new(error)),
        }
    }
}

/// Runs a program that needs sums over all rows: if one is not to be had, its error is that of the program.
pub(super) fn run<T>(program: impl FnOnce() -> Result<T>) -> Result<T> {
    match catch_unwind(AssertUnwindSafe(program)) {
        Ok(result) => result,
        Err(panic) => match panic.downcast::<Error>() {
            Ok(error) => Err(*error),
            Err(panic) => resume_unwind(panic),
        },
    }
}

impl Places for Leader {
    fn sum(&self, own: &mut dyn FnMut() -> Vec<i128>) -> Vec<i128> {
        let mut sum = own();
        self.next(|parts| {
            for part in parts {
                let Told::Terms(terms) = part else {
                    return None;
                };
                if terms.len() != sum.len() {
                    return None;
                }
                for (sum, term) in sum.iter_mut().zip(terms) {
                    *sum += term;
                }
            }
            Some((sum.clone(), sum))
        })
    }

    fn gather(&self, own: &mut dyn FnMut() -> Vec<u8>) -> Vec<Vec<u8>> {
        let own = own();
        self.next(|parts| {
            let parts = parts.into_iter().map(|part| match part {
                Told::Bytes(bytes) => Some(bytes),
                Told::Terms(_) => None,
            });
            let mut parts = parts.collect::<Option<Vec<_>>>()?;
            parts.push(own);
            Some((Vec::new(), parts))
        })
    }
}
