//! Outputs that are complete or absent: written beside their destination, then renamed.

use fnb::{Code, Error, Result};
use std::fs::{File, OpenOptions};
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
        if destination.exists() && !destination.is_file() {
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
        let name = destination
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let temporary =
            destination.with_file_name(format!(".{name}.{}.{count}.tmp", std::process::id()));
        // Known before it exists, so that no moment is left in which it could stay behind.
        pending().push(temporary.clone());
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&temporary);
        let output = |file| Self {
            file,
            destination: destination.clone(),
            temporary: Some(temporary.clone()),
        };
        match file {
            Ok(file) => Ok(output(Some(BufWriter::with_capacity(1 << 16, file)))),
            Err(e) => {
                drop(output(None));
                Err(output_error(&destination, &e))
            }
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
