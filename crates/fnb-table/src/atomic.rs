//! Outputs that are complete or absent: written beside their destination, then renamed. What is no
//! regular file, such as `/dev/null` or a pipe, is written directly.

use fnb::{Code, Error, Result};
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Files that are being written, to be removed if the program is interrupted.
static PENDING: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Tells apart the files of one process.
static COUNT: AtomicU64 = AtomicU64::new(0);

fn pending() -> std::sync::MutexGuard<'static, Vec<PathBuf>> {
    // The list is whole even if a thread panicked while it held the lock.
    PENDING
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Removes the unfinished outputs of this process; to be called before it ends early.
pub fn remove_pending_outputs() {
    for path in pending().drain(..) {
        // Nothing can be done about a file that cannot be removed.
        let _ = std::fs::remove_file(path);
    }
}

/// Is this name that of standard output: `-`, or one that the system has for it?
pub fn is_standard_output(path: &Path) -> bool {
    let names = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];
    names.iter().any(|name| path == Path::new(name))
}

/// Is this an open stream by its name, whatever it leads to? A file behind it has been opened by
/// somebody else and must stay the same file.
fn is_stream(path: &Path) -> bool {
    let folders = ["/dev", "/proc"];
    folders.iter().any(|folder| path.starts_with(folder))
}

/// Can this be written only as it is: a device, a pipe, an open stream? Then it is not replaced.
pub fn is_written_directly(path: &Path) -> bool {
    is_standard_output(path)
        || path.exists() && !path.is_dir() && (is_stream(path) || !path.is_file())
}

/// Writes a file so that it never exists in part.
///
/// ```
/// let path = std::env::temp_dir().join("fnb_table_atomic.json");
/// fnb_table::write_atomically(&path, b"{}")?;
/// assert_eq!(std::fs::read(&path)?, b"{}");
/// # std::fs::remove_file(path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut output = Output::create(path)?;
    let written = output.write_all(bytes);
    written.map_err(|e| output_error(path, &e))?;
    output.finish()
}

/// O01: an output cannot be written.
pub(crate) fn output_error(path: &Path, error: &io::Error) -> Error {
    let help = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "free some space, or write elsewhere"
        }
        io::ErrorKind::NotFound => "create the directory first",
        _ => "check the path and the rights of the directory",
    };
    Error::new(
        Code::Output,
        format!("cannot write {}: {error}", path.display()),
    )
    .help(help)
}

/// A new file, with the rights and the owner of the one that it is to replace, or else those that new
/// files have. It is locked as long as its writer lives.
fn create_like(path: &Path, like: Option<&Metadata>) -> io::Result<File> {
    let file = OpenOptions::new().write(true).create_new(true).open(path)?;
    // Some file systems have no locks: then no leftover is ever removed there.
    let _ = file.lock();
    if let Some(like) = like {
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt, fchown};
            let own = file.metadata()?;
            if (own.uid(), own.gid()) != (like.uid(), like.gid()) {
                // Not everybody may give a file away.
                let _ = fchown(&file, Some(like.uid()), Some(like.gid()));
            }
        }
        file.set_permissions(like.permissions())?;
    }
    Ok(file)
}

/// Removes what processes that ended early, by a power cut or `kill -9`, left of the same output. A file
/// is theirs if it bears the number of a process that is no more and nobody holds its lock: numbers are
/// used again, and other machines or containers that see the same folder have their own.
fn remove_leftovers(destination: &Path, name: &str) {
    let folder = match destination.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let Ok(entries) = folder.read_dir() else {
        return;
    };
    for entry in entries.flatten() {
        let file = entry.file_name();
        let numbers = file.to_str().and_then(|file| {
            let file = file
                .strip_prefix('.')?
                .strip_prefix(name)?
                .strip_prefix('.')?;
            let (process, count) = file.strip_suffix(".tmp")?.split_once('.')?;
            Some((process.parse::<u32>().ok()?, count.parse::<u64>().ok()?))
        });
        let path = destination.with_file_name(&file);
        if numbers.is_some_and(|(process, _)| is_abandoned(&path, process)) {
            let _ = std::fs::remove_file(path);
        }
    }
}

fn is_abandoned(path: &Path, process: u32) -> bool {
    let lives = if process == std::process::id() {
        pending().iter().any(|own| own == path)
    } else {
        // Where there is no such folder, the lock alone decides.
        Path::new("/proc").join(process.to_string()).exists()
    };
    !lives
        && OpenOptions::new()
            .write(true)
            .open(path)
            .is_ok_and(|file| file.try_lock().is_ok())
}

/// A file being written. Dropped before [`finish`](Output::finish), it leaves nothing behind.
pub(crate) struct Output {
    /// `None` once finished.
    file: Option<BufWriter<File>>,
    destination: PathBuf,
    /// Where the bytes go until then; `None` for devices and pipes, which are written directly.
    temporary: Option<PathBuf>,
}

impl Output {
    pub(crate) fn create(destination: &Path) -> Result<Self> {
        let failed = |e: io::Error| output_error(destination, &e);
        if destination.is_dir() {
            return Err(failed(io::Error::new(
                io::ErrorKind::IsADirectory,
                "it is a directory",
            )));
        }
        if is_written_directly(destination) {
            let file = OpenOptions::new()
                .write(true)
                .open(destination)
                .map_err(failed)?;
            let file = Some(BufWriter::with_capacity(1 << 16, file));
            return Ok(Self {
                file,
                destination: destination.into(),
                temporary: None,
            });
        }
        // A link stays a link: what it points to is replaced.
        let destination = destination
            .canonicalize()
            .unwrap_or_else(|_| destination.into());
        let failed = |e: io::Error| output_error(&destination, &e);
        let name = destination.file_name().unwrap_or_default();
        let name = name.to_string_lossy().into_owned();
        remove_leftovers(&destination, &name);
        let there = destination.metadata().ok();
        if there.is_some() {
            // A file that may not be written is not replaced either.
            let opened = OpenOptions::new().write(true).open(&destination);
            opened.map_err(failed)?;
        }
        loop {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let temporary =
                destination.with_file_name(format!(".{name}.{}.{count}.tmp", std::process::id()));
            // Known before it exists, so that no moment is left in which it could stay behind.
            pending().push(temporary.clone());
            let created = create_like(&temporary, there.as_ref());
            if let Err(error) = &created
                && error.kind() == io::ErrorKind::AlreadyExists
            {
                // Of another machine or container, where a process has the same number.
                pending().retain(|path| *path != temporary);
                continue;
            }
            let mut output = Self {
                file: None,
                destination: destination.clone(),
                temporary: Some(temporary),
            };
            let file = created.map_err(failed)?;
            output.file = Some(BufWriter::with_capacity(1 << 16, file));
            return Ok(output);
        }
    }

    /// Makes the file appear.
    pub(crate) fn finish(mut self) -> Result<()> {
        let failed = |e: io::Error| output_error(&self.destination, &e);
        let Some(file) = self.file.take() else {
            return Ok(());
        };
        let file = file.into_inner().map_err(|e| failed(e.into_error()))?;
        if let Some(temporary) = &self.temporary {
            // A full disk may show only now.
            file.sync_all().map_err(failed)?;
            drop(file);
            std::fs::rename(temporary, &self.destination).map_err(failed)?;
            pending().retain(|path| path != temporary);
            self.temporary = None;
        }
        Ok(())
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.as_mut().map_or(Ok(0), |file| file.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            let _ = std::fs::remove_file(temporary);
            pending().retain(|path| path != temporary);
        }
    }
}
