//! Large blocks: of the system up to a share of the limit, then of the file.

use crate::file::{Mapped, free_room};
use crate::slots::{LEAST_SHIFT, Slot, Slots};
use crate::{LARGE, Spilled, WithoutRoom, held, watch};
use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::{CStr, CString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// 0 without a limit.
static LIMIT: AtomicUsize = AtomicUsize::new(0);
static REFUSES: AtomicBool = AtomicBool::new(false);
/// Bytes of large blocks of the system.
static IN_MEMORY: AtomicUsize = AtomicUsize::new(0);
static IN_FILE: AtomicUsize = AtomicUsize::new(0);
static MOST_IN_FILE: AtomicUsize = AtomicUsize::new(0);
/// Once there is a file, its addresses.
static FROM: AtomicUsize = AtomicUsize::new(0);
static TO: AtomicUsize = AtomicUsize::new(0);

static FOLDER: OnceLock<CString> = OnceLock::new();
/// Nothing of it allocates, its lock neither: a number that threads wait on.
static STATE: Mutex<State> = Mutex::new(State {
    file: None,
    failed: false,
    slots: Slots::new(),
});

struct State {
    file: Option<Mapped>,
    /// It could not be made, and is not tried again.
    failed: bool,
    slots: Slots,
}

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn limit(bytes: u64, folder: &Path, without_room: WithoutRoom) -> io::Result<u64> {
    let path = CString::new(folder.as_os_str().as_bytes())?;
    let path = FOLDER.get_or_init(|| path);
    let room = free_room(path)?;
    REFUSES.store(without_room == WithoutRoom::Refuse, SeqCst);
    watch::start()?;
    LIMIT.store(usize::try_from(bytes).unwrap_or(usize::MAX), SeqCst);
    if without_room == WithoutRoom::Refuse {
        state().open(path)?;
    }
    Ok(room)
}

pub(crate) fn spilled() -> Spilled {
    Spilled {
        now: IN_FILE.load(Relaxed) as u64,
        most: MOST_IN_FILE.load(Relaxed) as u64,
    }
}

/// The limit; 0 without one.
pub(crate) fn the_limit() -> usize {
    LIMIT.load(Relaxed)
}

impl State {
    fn open(&mut self, folder: &CStr) -> io::Result<Mapped> {
        if let Some(file) = self.file {
            return Ok(file);
        }
        if self.failed {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let file = Mapped::open(folder).inspect_err(|_| self.failed = true)?;
        self.slots.start(file.span_shift);
        self.file = Some(file);
        TO.store(file.base + file.total(), SeqCst);
        FROM.store(file.base, SeqCst);
        Ok(file)
    }
}

/// The file.
pub(crate) fn file() -> Option<Mapped> {
    state().file
}

/// The next block of the file after another, or the first one.
pub(crate) fn next_slot(after: Option<Slot>) -> Option<Slot> {
    state().slots.after(after)
}

/// Is a block of the file? Those are `LARGE` or larger.
fn is_in_file(memory: *mut u8) -> bool {
    let from = FROM.load(Relaxed);
    from != 0 && (from..TO.load(Relaxed)).contains(&memory.addr())
}

/// Would so many bytes more of the system be too many?
fn is_too_much(bytes: usize) -> bool {
    let limit = LIMIT.load(Relaxed);
    limit != 0 && IN_MEMORY.load(Relaxed).saturating_add(bytes) as u64 > held(limit as u64)
}

fn add_in_file(bytes: usize) {
    let now = IN_FILE.fetch_add(bytes, Relaxed) + bytes;
    MOST_IN_FILE.fetch_max(now, Relaxed);
}

/// A block of the file, which reads as zeros.
fn take(bytes: usize) -> Option<*mut u8> {
    let (file, slot) = {
        let mut state = state();
        let file = state.open(FOLDER.get()?).ok()?;
        (file, state.slots.take(bytes)?)
    };
    watch::wake();
    if file
        .keep(slot.start, bytes.next_multiple_of(file.page))
        .is_err()
    {
        state().slots.give(slot);
        return None;
    }
    add_in_file(bytes);
    Some(ptr::with_exposed_provenance_mut(file.base + slot.start))
}

/// Frees a block of the file.
fn give(memory: *mut u8, bytes: usize) {
    let (file, slot) = {
        let state = state();
        let Some(file) = state.file else { return };
        (file, state.slots.at(memory.addr() - file.base))
    };
    IN_FILE.fetch_sub(bytes, Relaxed);
    // Outside of the lock: it takes a while. A slot that cannot be emptied is not used again.
    if file
        .free(slot.start, bytes.next_multiple_of(file.page))
        .is_ok()
    {
        state().slots.give(slot);
    }
}

/// Makes a block of the file larger or smaller where it is, if it can.
fn resize(memory: *mut u8, from: usize, to: usize) -> bool {
    let (file, slot) = {
        let state = state();
        let Some(file) = state.file else { return false };
        (file, state.slots.at(memory.addr() - file.base))
    };
    // A slot much larger than its block is left to others.
    if to > slot.length || to < slot.length / 4 || to < 1 << LEAST_SHIFT {
        return false;
    }
    let [old, new] = [from, to].map(|bytes| bytes.next_multiple_of(file.page));
    if new > old {
        if file.keep(slot.start + old, new - old).is_err() {
            return false;
        }
    } else if new < old && file.free(slot.start + new, old - new).is_err() {
        return false;
    }
    add_in_file(to);
    IN_FILE.fetch_sub(from, Relaxed);
    true
}

/// A large block.
///
/// # Safety
///
/// As [`GlobalAlloc::alloc`].
pub(crate) unsafe fn alloc(layout: Layout, zeroed: bool) -> *mut u8 {
    // Blocks of the file start at the start of a page.
    if is_too_much(layout.size()) && layout.align() <= 4096 {
        match take(layout.size()) {
            Some(memory) => return memory,
            None if REFUSES.load(Relaxed) => return ptr::null_mut(),
            None => {}
        }
    }
    // SAFETY: the caller keeps the promises that it makes to us.
    let memory = unsafe {
        if zeroed {
            System.alloc_zeroed(layout)
        } else {
            System.alloc(layout)
        }
    };
    if !memory.is_null() {
        IN_MEMORY.fetch_add(layout.size(), Relaxed);
    }
    memory
}

/// Frees a large block.
///
/// # Safety
///
/// As [`GlobalAlloc::dealloc`].
pub(crate) unsafe fn dealloc(memory: *mut u8, layout: Layout) {
    if is_in_file(memory) {
        give(memory, layout.size());
        return;
    }
    IN_MEMORY.fetch_sub(layout.size(), Relaxed);
    // SAFETY: the block is of the system.
    unsafe { System.dealloc(memory, layout) }
}

/// A block that is large, or becomes so.
///
/// # Safety
///
/// As [`GlobalAlloc::realloc`].
pub(crate) unsafe fn realloc(memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
    let old = layout.size();
    let of_file = old >= LARGE && is_in_file(memory);
    if of_file && resize(memory, old, size) {
        return memory;
    }
    let counted = |size: usize| if size >= LARGE { size } else { 0 };
    // The old block is there until the new one is filled, unless the system moves pages.
    let stays = !of_file && (size <= old || !is_too_much(size - counted(old)));
    if stays {
        // SAFETY: the block is of the system.
        let memory = unsafe { System.realloc(memory, layout, size) };
        if !memory.is_null() {
            IN_MEMORY.fetch_add(counted(size), Relaxed);
            IN_MEMORY.fetch_sub(counted(old), Relaxed);
        }
        return memory;
    }
    // SAFETY: the alignment is that of a layout, and the caller has checked the size. Blocks do not overlap.
    unsafe {
        let layout_then = Layout::from_size_align_unchecked(size, layout.align());
        let moved = if size >= LARGE {
            alloc(layout_then, false)
        } else {
            System.alloc(layout_then)
        };
        if !moved.is_null() {
            ptr::copy_nonoverlapping(memory, moved, old.min(size));
            if old >= LARGE {
                dealloc(memory, layout);
            } else {
                System.dealloc(memory, layout);
            }
        }
        moved
    }
}
