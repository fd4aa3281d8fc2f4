//! The thread that keeps resident memory below the limit.

use crate::slots::Slot;
use crate::spill::{file, next_slot, the_limit};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Thread};
use std::time::Duration;

/// What is given back at a time.
const STRIDE: usize = 4 << 20;

/// A look at resident memory takes some microseconds; memory is filled by some gigabytes per second.
const OFTEN: Duration = Duration::from_millis(1);
const FAR: Duration = Duration::from_millis(5);

/// What threads fill before they are noticed, as measured with two.
const MARGIN: usize = 96 << 20;

static WATCHER: OnceLock<Thread> = OnceLock::new();
static IS_AWAKE: AtomicBool = AtomicBool::new(false);

/// Starts the thread, which sleeps until there is something to give back.
pub(crate) fn start() -> io::Result<()> {
    if WATCHER.get().is_some() {
        return Ok(());
    }
    let resident = Resident::new()?;
    let watcher = thread::Builder::new().name("memory".into());
    let watcher = watcher.spawn(move || watch(&resident))?;
    WATCHER.get_or_init(|| watcher.thread().clone());
    Ok(())
}

/// There is a block in the file.
pub(crate) fn wake() {
    if !IS_AWAKE.swap(true, Ordering::Relaxed)
        && let Some(watcher) = WATCHER.get()
    {
        watcher.unpark();
    }
}

fn watch(resident: &Resident) {
    while !IS_AWAKE.load(Ordering::Relaxed) {
        thread::park();
    }
    be_quick();
    let (mut hand, mut margin) = (Hand::default(), MARGIN);
    loop {
        let limit = the_limit();
        let now = resident.bytes();
        // Threads go on while pages are given back: what they may fill until the next look is kept free.
        let high = limit - margin.clamp(limit / 4, limit / 2);
        if now > high {
            // On a busy machine a look comes late: then more is kept free.
            margin = margin.max(now - high + (now - high) / 4);
            hand.give_back(resident, high - limit / 10);
        }
        thread::sleep(if now > limit / 2 { OFTEN } else { FAR });
    }
}

/// Asks the system to run this thread soon after it wakes: it does little, and late it is of no use. Where all
/// processors were busy with twelve others, it was seen to wait for 300 ms, in which 400 MiB were filled.
fn be_quick() {
    /// As the system has it; `libc` does not on all platforms.
    #[repr(C)]
    #[derive(Default)]
    struct Attributes {
        size: u32,
        policy: u32,
        flags: u64,
        nice: i32,
        priority: u32,
        /// Nanoseconds at a time: short ones are given sooner.
        runtime: u64,
        deadline: u64,
        period: u64,
    }
    // Who may not be preferred is at least given short times; who gets neither goes on as before.
    for nice in [-10, 0] {
        let attributes = Attributes {
            size: size_of::<Attributes>() as u32,
            nice,
            runtime: 100_000,
            ..Attributes::default()
        };
        // SAFETY: it is about this thread, and the attributes are as large as they say.
        let result = unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) };
        if result == 0 {
            break;
        }
    }
}

/// Where the last round has stopped: pages that were given back longest ago are the next.
#[derive(Default)]
struct Hand {
    slot: Option<Slot>,
    /// Bytes of the slot that were given back.
    done: usize,
}

impl Hand {
    /// Gives pages back until resident memory is small enough, or all were given back.
    fn give_back(&mut self, resident: &Resident, enough: usize) {
        let Some(file) = file() else { return };
        let mut ends = 0;
        while ends < 2 {
            let slot = match self.slot.take() {
                Some(slot) if self.done < slot.length => Some(slot),
                slot => {
                    self.done = 0;
                    next_slot(slot)
                }
            };
            self.slot = slot;
            let Some(slot) = slot else {
                ends += 1;
                continue;
            };
            let length = STRIDE.min(slot.length - self.done);
            file.give_back(slot.start + self.done, length);
            self.done += length;
            if resident.bytes() <= enough {
                return;
            }
        }
    }
}

/// The resident memory of the process.
struct Resident {
    statm: File,
    page: usize,
}

impl Resident {
    fn new() -> io::Result<Self> {
        // SAFETY: it only asks.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        Ok(Self {
            statm: File::open("/proc/self/statm")?,
            page: usize::try_from(page).unwrap_or(4096),
        })
    }

    /// 0 if it is not known.
    fn bytes(&self) -> usize {
        let mut text = [0; 128];
        let length = self.statm.read_at(&mut text, 0).unwrap_or(0);
        let text = str::from_utf8(&text[..length]).unwrap_or_default();
        let pages = text.split(' ').nth(1).and_then(|pages| pages.parse().ok());
        pages.map_or(0, |pages: usize| pages * self.page)
    }
}
