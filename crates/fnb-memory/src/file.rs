//! A file without a name, mapped as a whole. It has holes where nothing was written.

use crate::slots::{LEAST_SHIFT, MOST_SPAN_SHIFT, Slots};
use std::ffi::{CStr, CString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;

/// A file of the smallest span at least: a gigabyte.
const LEAST_SPAN_SHIFT: u32 = 30;

/// What `statfs` says of `ramfs`; `libc` has no name for it.
const RAMFS_MAGIC: libc::__fsword_t = 0x8584_58f6;

/// The file. It lives as long as the program.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mapped {
    descriptor: i32,
    pub(crate) base: usize,
    pub(crate) span_shift: u32,
    pub(crate) page: usize,
}

impl Mapped {
    /// Makes the file in a folder, whose path ends with a zero, and maps it.
    pub(crate) fn open(folder: &CStr) -> io::Result<Self> {
        let descriptor = nameless(folder)?;
        // SAFETY: it only asks.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        let page = usize::try_from(page).unwrap_or(4096);
        let free = free_room(folder)?;
        let wanted = free.max(1).next_power_of_two().trailing_zeros();
        let mut span_shift = wanted.clamp(LEAST_SPAN_SHIFT, MOST_SPAN_SHIFT);
        loop {
            match map(descriptor, Slots::total(span_shift)) {
                Ok(base) => {
                    let file = Self {
                        descriptor,
                        base,
                        span_shift,
                        page,
                    };
                    // Room must be kept before it is written to, and given back: tried before it is relied on.
                    file.keep(0, 1 << LEAST_SHIFT)?;
                    file.free(0, 1 << LEAST_SHIFT)?;
                    return Ok(file);
                }
                // Addresses are scarce under `ulimit -v`, large files are not known to all disks.
                Err(_) if span_shift > LEAST_SPAN_SHIFT => span_shift -= 1,
                Err(error) => return Err(error),
            }
        }
    }

    pub(crate) fn total(&self) -> usize {
        Slots::total(self.span_shift)
    }

    /// Takes room on the disk, so that writing to it later cannot fail.
    pub(crate) fn keep(&self, start: usize, length: usize) -> io::Result<()> {
        self.allocate(0, start, length)
    }

    /// Gives the room back; what is read there from now on is zero.
    pub(crate) fn free(&self, start: usize, length: usize) -> io::Result<()> {
        let hole = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
        self.allocate(hole, start, length)
    }

    fn allocate(&self, mode: i32, start: usize, length: usize) -> io::Result<()> {
        loop {
            // SAFETY: the descriptor is ours.
            let result =
                unsafe { libc::fallocate64(self.descriptor, mode, start as i64, length as i64) };
            if result == 0 {
                return Ok(());
            }
            let error = io::Error::last_os_error();
            if error.kind() != io::ErrorKind::Interrupted {
                return Err(error);
            }
        }
    }

    /// Takes pages out of the resident memory of the process. What was written there stays in the file.
    pub(crate) fn give_back(&self, start: usize, length: usize) {
        // SAFETY: the range is mapped, shared, and of a file: nothing is lost.
        unsafe {
            let address = ptr::with_exposed_provenance_mut(self.base + start);
            libc::madvise(address, length, libc::MADV_DONTNEED);
        }
    }
}

/// Bytes that can be written to the disk of a folder.
pub(crate) fn free_room(folder: &CStr) -> io::Result<u64> {
    // SAFETY: the path ends with a zero, and the result is read after success only.
    unsafe {
        let mut disk: libc::statvfs64 = std::mem::zeroed();
        match libc::statvfs64(folder.as_ptr(), &raw mut disk) {
            0 => Ok(disk.f_bavail.saturating_mul(disk.f_frsize)),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

/// Is the disk of a folder none?
pub(crate) fn is_in_memory(folder: &Path) -> bool {
    let Ok(path) = CString::new(folder.as_os_str().as_bytes()) else {
        return false;
    };
    // SAFETY: the path ends with a zero, and the result is read after success only.
    let kind = unsafe {
        let mut disk: libc::statfs64 = std::mem::zeroed();
        let result = libc::statfs64(path.as_ptr(), &raw mut disk);
        (result == 0).then_some(disk.f_type)
    };
    kind.is_some_and(|kind| kind == libc::TMPFS_MAGIC || kind == RAMFS_MAGIC)
}

/// A file that is gone when the program ends, however it ends.
fn nameless(folder: &CStr) -> io::Result<i32> {
    let flags = libc::O_RDWR | libc::O_CLOEXEC;
    // SAFETY: the paths end with a zero, and the copy fits where it is made.
    unsafe {
        let descriptor = libc::open(folder.as_ptr(), flags | libc::O_TMPFILE, 0o600);
        if descriptor >= 0 {
            return Ok(descriptor);
        }
        // Some disks want a name first.
        let name = b"/fnb-XXXXXX\0";
        let mut path = [0_u8; libc::PATH_MAX as usize];
        let folder = folder.to_bytes();
        if folder.len() + name.len() > path.len() {
            return Err(io::Error::from_raw_os_error(libc::ENAMETOOLONG));
        }
        path[..folder.len()].copy_from_slice(folder);
        path[folder.len()..][..name.len()].copy_from_slice(name);
        let descriptor = libc::mkostemp(path.as_mut_ptr().cast(), libc::O_CLOEXEC);
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        libc::unlink(path.as_ptr().cast());
        Ok(descriptor)
    }
}

fn map(descriptor: i32, length: usize) -> io::Result<usize> {
    // SAFETY: the descriptor is ours, and the system chooses the addresses.
    unsafe {
        if libc::ftruncate64(descriptor, length as i64) != 0 {
            return Err(io::Error::last_os_error());
        }
        let (how, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED);
        let address = libc::mmap(ptr::null_mut(), length, how, kind, descriptor, 0);
        if address == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(address.expose_provenance())
    }
}
