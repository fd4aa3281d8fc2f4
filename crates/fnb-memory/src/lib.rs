//! An allocator for work that needs more memory than there is.
//!
//! Until [`limit`] is called, and on systems other than Linux, [`Spilling`] is the allocator of the system. From
//! then on, large blocks are taken from memory as long as few are ([`held`]). All others are ranges of one file
//! that has no name, so that nothing is left of it however the program ends, and that is mapped: who uses a
//! block does not see the difference. A thread looks at the resident memory of the process, and when it comes
//! near the limit takes pages of the file out of it. They are not lost: the system writes them to the disk when
//! it needs their place, and brings them back where they are touched.
//!
//! What was tried and dropped: pages that are written out at once (`MADV_PAGEOUT`), for pages that are soon
//! needed again then wait for the disk; a file per block, which takes a descriptor and a mapping for each.
//!
//! Nothing in the allocator allocates. It is the one place of the project where memory is handled by hand.

#![allow(
    unsafe_code,
    reason = "an allocator and a mapped file are unsafe to write"
)]

#[cfg(target_os = "linux")]
mod file;
#[cfg(target_os = "linux")]
mod slots;
#[cfg(target_os = "linux")]
mod spill;
#[cfg(target_os = "linux")]
mod watch;

use std::alloc::{GlobalAlloc, Layout, System};
use std::io;
use std::path::Path;

/// The allocator: that of the system, and for large blocks a file once there is a [`limit`].
#[derive(Debug, Default, Clone, Copy)]
pub struct Spilling;

/// Bytes that are not in memory only.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Spilled {
    /// Of the blocks in the file now.
    pub now: u64,
    /// The most there were.
    pub most: u64,
}

/// What becomes of a block for which there is no room in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WithoutRoom {
    /// There is no such block: the allocator says that memory is out.
    Refuse,
    /// It is taken from memory, beyond the limit.
    TakeMemory,
}

/// From now on, resident memory is to stay below `bytes`; what does not fit goes to a file in `folder`, which is
/// made when it is first needed or, where blocks may be refused, at once. Returns how much room there is.
///
/// # Errors
///
/// The folder cannot hold such a file; or this system cannot, which is `Unsupported`.
pub fn limit(bytes: u64, folder: &Path, without_room: WithoutRoom) -> io::Result<u64> {
    #[cfg(target_os = "linux")]
    return spill::limit(bytes, folder, without_room);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (bytes, folder, without_room);
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Bytes of large blocks that are taken from memory below a limit: a third of it, or all but 2 GiB. The rest is for
/// what is small, and for the pages of the file that are in use.
#[must_use]
pub const fn held(limit: u64) -> u64 {
    let (third, most) = (limit / 3, limit.saturating_sub(2 << 30));
    if third > most { third } else { most }
}

/// Is a folder in memory itself, so that spilling to it frees none? False if that is not known.
#[must_use]
pub fn is_in_memory(folder: &Path) -> bool {
    #[cfg(target_os = "linux")]
    return file::is_in_memory(folder);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = folder;
        false
    }
}

/// How much is in the file.
#[must_use]
pub fn spilled() -> Spilled {
    #[cfg(target_os = "linux")]
    return spill::spilled();
    #[cfg(not(target_os = "linux"))]
    Spilled::default()
}

/// Blocks of fewer bytes are always those of the system.
#[cfg(target_os = "linux")]
const LARGE: usize = 1 << slots::LEAST_SHIFT;
#[cfg(not(target_os = "linux"))]
const LARGE: usize = usize::MAX;

// SAFETY: small blocks are handed on to the system, as all are without a limit. Large ones are of the system or
// of the file, told apart by their address; a block of the file never is smaller than `LARGE`.
unsafe impl GlobalAlloc for Spilling {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        #[cfg(target_os = "linux")]
        if layout.size() >= LARGE {
            // SAFETY: the caller keeps the promises that it makes to us.
            return unsafe { spill::alloc(layout, false) };
        }
        // SAFETY: as above.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        #[cfg(target_os = "linux")]
        if layout.size() >= LARGE {
            // SAFETY: as above.
            return unsafe { spill::alloc(layout, true) };
        }
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        #[cfg(target_os = "linux")]
        if layout.size() >= LARGE || size >= LARGE {
            // SAFETY: as above.
            return unsafe { spill::realloc(memory, layout, size) };
        }
        // SAFETY: as above.
        unsafe { System.realloc(memory, layout, size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        #[cfg(target_os = "linux")]
        if layout.size() >= LARGE {
            // SAFETY: as above.
            return unsafe { spill::dealloc(memory, layout) };
        }
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }
}
