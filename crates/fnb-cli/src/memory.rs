//! Memory that there is not: a message and an exit code, where the program would otherwise be aborted.
//!
//! The hook that the standard library has for it is not stable; what is left is to look at what the allocator
//! returns. It is a comparison with zero per allocation, and nothing else is done.

#![allow(
    unsafe_code,
    reason = "an allocator is unsafe to write; this one hands all calls on to another"
)]

use fnb::Code;
use fnb_memory::Spilling;
use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;
#[cfg(unix)]
use std::fs::File;
use std::io::{self, Write};
#[cfg(unix)]
use std::mem::ManuallyDrop;
#[cfg(unix)]
use std::os::fd::{AsRawFd, FromRawFd};
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};

#[global_allocator]
static ALLOCATOR: OrExit = OrExit;

/// The allocator that spills once there is a limit. Where it has no more memory, the program ends.
struct OrExit;

// SAFETY: all calls are handed on, and results are those of the allocator below.
unsafe impl GlobalAlloc for OrExit {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the promises that it makes to us.
        or_exit(unsafe { Spilling.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        or_exit(unsafe { Spilling.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        or_exit(unsafe { Spilling.realloc(memory, layout, size) }, size)
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { Spilling.dealloc(memory, layout) }
    }
}

fn or_exit(memory: *mut u8, bytes: usize) -> *mut u8 {
    if memory.is_null() {
        exit(bytes);
    }
    memory
}

thread_local! {
    /// Is this thread saying its last words?
    static ENDING: Cell<bool> = const { Cell::new(false) };
}

static SAID: AtomicBool = AtomicBool::new(false);

/// Says so, and ends. Nothing here allocates.
#[cold]
#[inline(never)]
fn exit(bytes: usize) -> ! {
    if ENDING.replace(true) {
        process::abort();
    }
    if SAID.swap(true, Ordering::SeqCst) {
        // Another thread is ending the program.
        loop {
            std::thread::park();
        }
    }
    let mut text = [0_u8; 320];
    let mut rest = text.as_mut_slice();
    let code = Code::OutOfMemory;
    // What is spilled goes to the disk, and there is memory beside: it is the disk that is full.
    let (message, help) = if fnb_memory::spilled().now > 0 {
        (
            "no room to spill",
            "free some room in the temporary folder, name another one with the variable TMPDIR, or give more \
             memory (--memory)",
        )
    } else {
        (
            "out of memory",
            "use fewer threads (--threads), fewer columns (--drop) or fewer rows, or more memory",
        )
    };
    let _ = write!(
        rest,
        "error[{}]: {message}: there are not {bytes} bytes more\n  help: {help}\n",
        code.as_str()
    );
    let left = rest.len();
    say(&text[..text.len() - left]);
    process::exit(code.exit_code().into());
}

/// Writes to standard error without its lock: a thread that waits above may hold it.
#[cfg(unix)]
fn say(text: &[u8]) {
    // SAFETY: the descriptor is that of the process, and is not closed.
    let file = unsafe { File::from_raw_fd(io::stderr().as_raw_fd()) };
    let _ = ManuallyDrop::new(file).write_all(text);
}

#[cfg(not(unix))]
fn say(text: &[u8]) {
    let _ = io::stderr().write_all(text);
}
