//! Work away from the interpreter: threads of our own compute, the caller's thread listens to Ctrl-C
//! and tells how far the work has come.

use crate::error::exception;
use crate::pool;
use fnb::{Code, Error, Progress, Stage};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Between two looks at signals and progress.
const TICK: Duration = Duration::from_millis(20);
/// Time given to cancelled work to end; it is left alone after that, and ends when it notices.
const PATIENCE: Duration = Duration::from_millis(80);

/// What the two sides tell each other.
#[derive(Default)]
pub(crate) struct Link {
    cancelled: AtomicBool,
    /// Steps done and to do, 32 bits each, of every stage.
    steps: [AtomicU64; 3],
}

const STAGES: [&str; 3] = ["prepare", "weights", "interactions"];

impl Progress for Link {
    fn report(&self, stage: Stage, done: usize, total: usize) {
        let place = match stage {
            Stage::Prepare => 0,
            Stage::Weights => 1,
            Stage::Interactions => 2,
        };
        let packed = (total as u64) << 32 | done as u64;
        if place == 0 {
            // Several threads report in any order; the total is the same for all.
            self.steps[place].fetch_max(packed, Ordering::Relaxed);
        } else {
            self.steps[place].store(packed, Ordering::Relaxed);
        }
    }

    fn cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

/// Does the work in a pool of `threads`, detached from the interpreter. `callback(stage, done, total)`
/// is called from here, and ends the work by returning `False` or raising.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    threads: Option<usize>,
    callback: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Link) -> fnb::Result<T> + Send + 'static,
) -> PyResult<T> {
    let pool = pool::take(py, threads)?;
    let link = Arc::new(Link::default());
    let (sender, receiver) = channel();
    // Only this thread receives, but it does so while it is detached.
    let receiver = Mutex::new(receiver);
    let shared = Arc::clone(&link);
    pool.spawn(move || {
        let result = catch_unwind(AssertUnwindSafe(|| work(&shared)));
        // Nobody listens any more after an interruption.
        let _ = sender.send(result.unwrap_or_else(|panic| Err(bug(&*panic))));
    });
    let mut shown = [0; 2];
    let result = loop {
        let received = py.detach(|| wait(&receiver, TICK));
        match received {
            Ok(result) => {
                pool::give_back(py, pool);
                break result;
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("a thread of fnb has vanished"));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        let listened = py.check_signals();
        let listened = listened.and_then(|()| tell(callback, &link, &mut shown));
        if let Err(error) = listened {
            link.cancelled.store(true, Ordering::Relaxed);
            let _ = py.detach(|| wait(&receiver, PATIENCE));
            return Err(error);
        }
    };
    let result = result.map_err(|error| exception(&error))?;
    tell(callback, &link, &mut shown)?;
    Ok(result)
}

fn wait<T>(receiver: &Mutex<Receiver<T>>, time: Duration) -> Result<T, RecvTimeoutError> {
    let receiver = receiver.lock().unwrap_or_else(PoisonError::into_inner);
    receiver.recv_timeout(time)
}

/// Calls the callback for each stage that has gone on.
fn tell(callback: Option<&Bound<'_, PyAny>>, link: &Link, shown: &mut [u64; 2]) -> PyResult<()> {
    let Some(callback) = callback else {
        return Ok(());
    };
    for ((stage, steps), shown) in STAGES.iter().zip(&link.steps).zip(shown) {
        let packed = steps.load(Ordering::Relaxed);
        if packed != *shown {
            *shown = packed;
            let answer = callback.call1((*stage, packed & 0xffff_ffff, packed >> 32))?;
            if answer.extract().is_ok_and(|go_on: bool| !go_on) {
                let message = "training was ended by the callback";
                return Err(exception(&Error::new(Code::Interrupted, message)));
            }
        }
    }
    Ok(())
}

/// A panic as an error: it must not reach the interpreter.
fn bug(panic: &(dyn std::any::Any + Send)) -> Error {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("panic");
    Error::new(Code::Internal, format!("a bug in fnb: {text}"))
        .help("please report it with the data that provoke it")
}

/// Short work, in this thread and without interruption; panics become errors all the same.
pub(crate) fn run_here<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> fnb::Result<T> + Send,
) -> PyResult<T> {
    let result = py.detach(|| catch_unwind(AssertUnwindSafe(work)));
    let result = result.unwrap_or_else(|panic| Err(bug(&*panic)));
    result.map_err(|error| exception(&error))
}
