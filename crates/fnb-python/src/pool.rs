//! Pools of threads: one per running call, so that calls do not wait for each other, and none taken
//! over from the process that this one was forked from.

use crate::error::exception;
use fnb::{Code, Error};
use pyo3::{PyResult, Python};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::{Mutex, PoisonError};

/// Pools kept for the next call.
const KEPT: usize = 4;

/// Pools that no call uses.
struct Idle {
    /// The process whose threads these are.
    process: u32,
    pools: Vec<ThreadPool>,
}

/// Locked only by threads attached to the interpreter: Python forks while attached, so that no child
/// finds it locked.
static IDLE: Mutex<Idle> = Mutex::new(Idle {
    process: 0,
    pools: Vec::new(),
});

fn with_idle<T>(_: Python<'_>, act: impl FnOnce(&mut Vec<ThreadPool>) -> T) -> T {
    let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if idle.process != process {
        // A fork has the pools, but not their threads: ending them would wait for ever.
        std::mem::forget(std::mem::take(&mut idle.pools));
        idle.process = process;
    }
    act(&mut idle.pools)
}

/// A pool of so many threads, for this call alone; as many as there are processors by default.
pub(crate) fn take(py: Python<'_>, threads: Option<usize>) -> PyResult<ThreadPool> {
    let threads = threads.unwrap_or_else(default_threads);
    let known = with_idle(py, |pools| {
        let place = pools
            .iter()
            .position(|pool| pool.current_num_threads() == threads);
        place.map(|place| pools.swap_remove(place))
    });
    if let Some(pool) = known {
        return Ok(pool);
    }
    let builder = ThreadPoolBuilder::new().num_threads(threads);
    let pool = builder.thread_name(|i| format!("fnb-{i}")).build();
    pool.map_err(|error| {
        let message = format!("{threads} threads cannot be started: {error}");
        exception(&Error::new(Code::Usage, message).help("lower n_jobs"))
    })
}

/// Keeps a pool whose work is done.
pub(crate) fn give_back(py: Python<'_>, pool: ThreadPool) {
    with_idle(py, |pools| {
        if pools.len() == KEPT {
            pools.remove(0);
        }
        pools.push(pool);
    });
}

fn default_threads() -> usize {
    let given = std::env::var("RAYON_NUM_THREADS").ok();
    let given = given.and_then(|threads| threads.parse().ok());
    given
        .filter(|threads| *threads > 0)
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get))
}
