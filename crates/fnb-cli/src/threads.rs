//! Threads: as many as are wanted, or as the system lets start.

use crate::output::Output;
use anyhow::Result;
use fnb::{Code, Error};
use std::sync::{Arc, PoisonError, RwLock};
use std::thread;

/// Starts the threads of all work; 0 stands for one per processor. The result is the same for any
/// number, so fewer are told and are no error.
pub(crate) fn start(wanted: usize, output: &Output) -> Result<()> {
    let all = match wanted {
        0 => thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    };
    let found = that_start(all);
    let taken = if found == all {
        wanted
    } else {
        // Half of them: with all, their stacks would leave no memory to work in.
        let taken = (found / 2).max(1);
        output.warn(format_args!(
            "the system lets {found} of {all} threads start: {taken} work"
        ));
        taken
    };
    // This thread is one of them: to hand over a step takes longer than most steps do.
    let builder = rayon::ThreadPoolBuilder::new()
        .num_threads(taken)
        .use_current_thread();
    builder.build_global().map_err(|error| {
        Error::new(
            Code::Usage,
            format!("the threads cannot be started: {error}"),
        )
        .help("ask for fewer with --threads")
        .into()
    })
}

/// How many of `wanted` threads start. Tried out beforehand: rayon has one go at its threads, and panics
/// wherever they are needed if that fails.
fn that_start(wanted: usize) -> usize {
    let gate = Arc::new(RwLock::new(()));
    let closed = gate.write().unwrap_or_else(PoisonError::into_inner);
    let waiting = (0..wanted).map_while(|_| {
        let gate = Arc::clone(&gate);
        let wait = move || drop(gate.read());
        thread::Builder::new().spawn(wait).ok()
    });
    let waiting: Vec<thread::JoinHandle<()>> = waiting.collect();
    drop(closed);
    let started = waiting.len();
    for thread in waiting {
        // It does nothing that could fail.
        let _ = thread.join();
    }
    started
}
