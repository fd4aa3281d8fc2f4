//! What damaged files do to the crates that read them: panics there are errors of the file.

use crate::arrow::damaged;
use fnb::Result;
use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// Is this thread inside a call that may panic?
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

static HOOK: Once = Once::new();

/// Calls into a crate that reads files: its errors and its panics are D13, and nothing is printed.
///
/// A panic of ours is still a bug that shows: only the calls of the crate are inside, never the work
/// on what they give, and other threads print as before.
pub(crate) fn guarded<T, E: std::error::Error>(
    name: &str,
    call: impl FnOnce() -> Result<T, E>,
) -> Result<T> {
    HOOK.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |panic| {
            if !QUIET.get() {
                before(panic);
            }
        }));
    });
    let before = QUIET.replace(true);
    // What was being read is not used after an error.
    let result = catch_unwind(AssertUnwindSafe(call));
    QUIET.set(before);
    match result {
        Ok(result) => result.map_err(|error| damaged(name, &error)),
        Err(panic) => Err(damaged(name, &words(&*panic))),
    }
}

/// What a panic says, on one line.
fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("it contradicts itself");
    text.lines().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fnb::Code;
    use rayon::prelude::*;

    #[test]
    fn panics_in_any_thread_are_errors_of_the_file() {
        let read = |i: usize| {
            guarded("x.parquet", || {
                assert!(i.is_multiple_of(2), "{i} is odd\nand more");
                Ok::<usize, std::fmt::Error>(i)
            })
        };
        let results: Vec<_> = (0..64).into_par_iter().map(read).collect();
        for (i, result) in results.into_iter().enumerate() {
            if i % 2 == 0 {
                assert_eq!(result, Ok(i));
                continue;
            }
            let error = result.expect_err("a panic");
            assert_eq!(error.code(), Code::UnreadableFile);
            assert_eq!(error.message(), format!("x.parquet is damaged: {i} is odd"));
        }
        assert!(!QUIET.get());
    }
}
