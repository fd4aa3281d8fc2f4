//! Ctrl-C: what a command still says, and the end of the program.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Exit code after Ctrl-C, as shells expect it.
const INTERRUPTED: i32 = 130;

type Words = Box<dyn FnOnce() + Send>;

static LAST_WORDS: Mutex<Option<Words>> = Mutex::new(None);

fn last_words() -> MutexGuard<'static, Option<Words>> {
    LAST_WORDS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What to say from now on if the command is interrupted.
pub(crate) fn set_last_words(words: impl FnOnce() + Send + 'static) {
    *last_words() = Some(Box::new(words));
}

/// The command has come to its end: there is nothing more to say.
pub(crate) fn forget_last_words() {
    *last_words() = None;
}

/// Ends the program from another thread. Nothing is kept half written: outputs appear under their
/// name only when they are complete.
pub(crate) fn exit() {
    // Kept to the end, so that a command that finishes at this moment says nothing twice.
    let mut last_words = last_words();
    if let Some(words) = last_words.take() {
        words();
    }
    fnb_table::remove_pending_outputs();
    std::process::exit(INTERRUPTED);
}
