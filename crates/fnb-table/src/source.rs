//! Where the bytes come from: files, patterns, directories, standard input, compressed or not.

use bytes::Bytes;
use fnb::{Code, Error, Result};
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};

/// What a file holds, told by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    /// Text, already decompressed.
    Text,
    /// Apache Parquet.
    Parquet,
    /// An Arrow IPC file.
    IpcFile,
    /// An Arrow IPC stream.
    IpcStream,
}

/// An input that can be opened.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    /// The name in messages.
    pub(crate) name: String,
    origin: Origin,
}

#[derive(Debug, Clone)]
enum Origin {
    File(PathBuf),
    /// Can be read only once.
    Pipe(PathBuf),
    Stdin,
    Memory(Bytes),
}

/// An open input.
pub(crate) struct Opened {
    pub(crate) content: Content,
    /// The bytes, from the start, decompressed.
    pub(crate) reader: Box<dyn Read + Send>,
    /// Are the bytes those of the file, so that its size tells how many are to come?
    pub(crate) plain: bool,
}

/// Bytes that can be read anywhere, as Parquet and Arrow files need.
pub(crate) enum RandomAccess {
    File { file: File, path: PathBuf },
    Memory(Bytes),
}

impl RandomAccess {
    /// The same bytes for another thread, with a position of its own.
    pub(crate) fn reopen(&self) -> Result<Self> {
        Ok(match self {
            RandomAccess::File { path, .. } => RandomAccess::File {
                file: open(path)?,
                path: path.clone(),
            },
            RandomAccess::Memory(bytes) => RandomAccess::Memory(bytes.clone()),
        })
    }
}

impl Source {
    fn new(path: &Path) -> Self {
        let name = path.display().to_string();
        let regular = path.metadata().is_ok_and(|m| m.is_file());
        let origin = if regular {
            Origin::File(path.into())
        } else {
            Origin::Pipe(path.into())
        };
        Self { name, origin }
    }

    fn bytes(&self) -> Result<Box<dyn Read + Send>> {
        Ok(match &self.origin {
            Origin::File(path) | Origin::Pipe(path) => Box::new(open(path)?),
            Origin::Stdin => Box::new(io::stdin()),
            Origin::Memory(bytes) => Box::new(Cursor::new(bytes.clone())),
        })
    }

    /// The same input, held in memory if it could be read only once.
    pub(crate) fn rereadable(self) -> Result<Self> {
        match self.origin {
            Origin::File(_) | Origin::Memory(_) => Ok(self),
            Origin::Pipe(_) | Origin::Stdin => {
                let mut bytes = Vec::new();
                self.bytes()?
                    .read_to_end(&mut bytes)
                    .map_err(|e| read_error(&self.name, e))?;
                Ok(Self {
                    name: self.name,
                    origin: Origin::Memory(bytes.into()),
                })
            }
        }
    }

    /// Fails if the input can be read only once (U01).
    pub(crate) fn check_rereadable(&self) -> Result<()> {
        match self.origin {
            Origin::File(_) | Origin::Memory(_) => Ok(()),
            Origin::Pipe(_) | Origin::Stdin => {
                let message = format!(
                    "{} can be read once only, but tables larger than memory are read several times",
                    self.name
                );
                Err(Error::new(Code::Usage, message)
                    .help("write it to a file first, and give the file"))
            }
        }
    }

    /// Number of bytes, where known.
    pub(crate) fn size(&self) -> Option<u64> {
        match &self.origin {
            Origin::File(path) => path.metadata().ok().map(|m| m.len()),
            Origin::Memory(bytes) => Some(bytes.len() as u64),
            Origin::Pipe(_) | Origin::Stdin => None,
        }
    }

    /// Opens the input and looks at its first bytes.
    pub(crate) fn open(&self) -> Result<Opened> {
        let mut bytes = self.bytes()?;
        let mut start = Vec::new();
        bytes
            .by_ref()
            .take(16)
            .read_to_end(&mut start)
            .map_err(|e| read_error(&self.name, e))?;
        if start.is_empty() {
            return Err(
                Error::new(Code::EmptyFile, format!("{} is empty", self.name))
                    .help("check how the file was made, and that it was copied whole"),
            );
        }
        let content = self.content(&start)?;
        let compression = [
            start.starts_with(&[0x1f, 0x8b]),
            start.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]),
        ];
        let whole = Cursor::new(start).chain(bytes);
        let reader: Box<dyn Read + Send> = match compression {
            [true, _] => Box::new(flate2::read::MultiGzDecoder::new(io::BufReader::new(whole))),
            [_, true] => {
                let decoder = zstd::stream::read::Decoder::new(whole);
                Box::new(decoder.map_err(|e| read_error(&self.name, e))?)
            }
            _ => Box::new(whole),
        };
        Ok(Opened {
            content,
            reader,
            plain: compression == [false, false],
        })
    }

    fn content(&self, start: &[u8]) -> Result<Content> {
        let damaged =
            |message: String, help: &str| Err(Error::new(Code::UnreadableFile, message).help(help));
        let extension = Path::new(&self.name).extension().and_then(|e| e.to_str());
        let extension = extension.unwrap_or_default().to_ascii_lowercase();
        let content = match start {
            [b'P', b'A', b'R', b'1', ..] => Content::Parquet,
            [b'A', b'R', b'R', b'O', b'W', b'1', ..] => Content::IpcFile,
            [0xff, 0xff, 0xff, 0xff, ..] => Content::IpcStream,
            [b'F', b'E', b'A', b'1', ..] => {
                let message = format!("{} has the old Feather format", self.name);
                return damaged(message, "write it again as Feather version 2 or Parquet");
            }
            _ => match foreign(start, &extension) {
                Some((what, help)) => return damaged(format!("{} is {what}", self.name), help),
                None => Content::Text,
            },
        };
        let announced = match extension.as_str() {
            "parquet" => Some("a Parquet"),
            "arrow" | "ipc" | "feather" | "arrows" => Some("an Arrow"),
            _ => None,
        };
        match announced {
            Some(format) if content == Content::Text => damaged(
                format!("{} is not {format} file", self.name),
                "check how it was written",
            ),
            _ => Ok(content),
        }
    }

    /// All bytes of an input that was opened, for formats that jump about.
    pub(crate) fn random_access(&self, mut opened: Opened) -> Result<RandomAccess> {
        match &self.origin {
            Origin::File(path) => Ok(RandomAccess::File {
                file: open(path)?,
                path: path.clone(),
            }),
            Origin::Memory(bytes) => Ok(RandomAccess::Memory(bytes.clone())),
            Origin::Pipe(_) | Origin::Stdin => {
                let mut bytes = Vec::new();
                let read = opened.reader.read_to_end(&mut bytes);
                read.map_err(|e| read_error(&self.name, e))?;
                Ok(RandomAccess::Memory(bytes.into()))
            }
        }
    }
}

fn open(path: &Path) -> Result<File> {
    File::open(path).map_err(|e| {
        let message = format!("cannot open {}: {e}", path.display());
        Error::new(Code::FileNotFound, message).help("check the name and the rights of the file")
    })
}

/// An error met while reading: our own, or damage.
pub(crate) fn read_error(name: &str, error: io::Error) -> Error {
    match error.downcast::<Error>() {
        Ok(own) => own.at(name),
        Err(error) => Error::new(
            Code::UnreadableFile,
            format!("{name} cannot be read: {error}"),
        )
        .help("the file is damaged or cut short; fetch it again"),
    }
}

/// The files behind paths, patterns, directories and `-`: those of a directory or a pattern sorted by
/// path, everything else in the given order.
pub(crate) fn resolve(inputs: &[String]) -> Result<Vec<Source>> {
    let mut sources = Vec::new();
    for input in inputs {
        if input == "-" {
            if inputs.iter().filter(|input| *input == "-").count() > 1 {
                return Err(Error::new(Code::Usage, "standard input is named twice")
                    .help("it can be read once"));
            }
            sources.push(Source {
                name: "standard input".into(),
                origin: Origin::Stdin,
            });
            continue;
        }
        sources.extend(files(input)?.iter().map(|path| Source::new(path)));
    }
    if sources.is_empty() {
        return Err(Error::new(Code::NoDataFile, "no data file was given"));
    }
    Ok(sources)
}

/// What a file is that is no table, by its first bytes, and what to do with it. Otherwise the bytes would be
/// taken for text, and the message be about a column or a line.
fn foreign(start: &[u8], extension: &str) -> Option<(&'static str, &'static str)> {
    let text = start.trim_ascii_start();
    let lower: Vec<u8> = text.iter().take(9).map(u8::to_ascii_lowercase).collect();
    Some(match start {
        [b'P', b'K', 3, 4, ..] => (
            "a zip archive or a spreadsheet",
            "unpack it, or save the sheet as CSV",
        ),
        [0xd0, 0xcf, 0x11, 0xe0, ..] => ("an old spreadsheet", "save the sheet as CSV"),
        [b'B', b'Z', b'h', ..] => ("compressed by bzip2", UNPACK),
        [0xfd, b'7', b'z', b'X', b'Z', ..] => ("compressed by xz", UNPACK),
        [b'7', b'z', 0xbc, 0xaf, ..] | [b'R', b'a', b'r', b'!', ..] => ("an archive", UNPACK),
        [b'%', b'P', b'D', b'F', ..] => ("a PDF document", "export the table as CSV"),
        [0x89, b'P', b'N', b'G', ..] | [0xff, 0xd8, 0xff, ..] => {
            ("a picture", "export the table as CSV")
        }
        _ if start.starts_with(b"SQLite format 3\0") => {
            ("a database", "export the table as CSV or Parquet")
        }
        _ if lower == b"<!doctype" || lower.starts_with(b"<html") => (
            "a page of the web",
            "fetch the data again: perhaps the address has changed, or asks for a login",
        ),
        _ if lower.starts_with(b"<?xml") => ("XML", "convert it to CSV or Parquet"),
        _ if matches!(extension, "json" | "jsonl" | "ndjson")
            && matches!(text.first(), Some(b'{' | b'[')) =>
        {
            ("JSON", "convert it to CSV or Parquet")
        }
        _ => return None,
    })
}

const UNPACK: &str = "unpack it, or compress it by gzip or zstd";

/// The files behind a path, a pattern or a directory.
pub(crate) fn files(input: &str) -> Result<Vec<PathBuf>> {
    let path = Path::new(input);
    if path.is_dir() {
        directory(path)
    } else if path.exists() {
        Ok(vec![path.to_owned()])
    } else if input.contains(['*', '?', '[']) {
        pattern(input)
    } else {
        Err(
            Error::new(Code::FileNotFound, format!("{input} does not exist"))
                .help("check the path; patterns with * and ? are understood"),
        )
    }
}

const DATA_EXTENSIONS: [&str; 10] = [
    "csv", "tsv", "tab", "txt", "data", "parquet", "arrow", "arrows", "ipc", "feather",
];

/// Is this a data file by its name, whatever its compression?
fn is_data(path: &Path) -> bool {
    let name = path
        .file_name()
        .and_then(|n| n.to_str())
        .unwrap_or_default()
        .to_ascii_lowercase();
    let name = name
        .strip_suffix(".gz")
        .or(name.strip_suffix(".zst"))
        .unwrap_or(&name);
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    !name.starts_with(['.', '_']) && extension.is_some_and(|e| DATA_EXTENSIONS.contains(&e))
}

fn directory(path: &Path) -> Result<Vec<PathBuf>> {
    let unreadable = |e: io::Error| {
        let message = format!("cannot list the directory {}: {e}", path.display());
        Error::new(Code::FileNotFound, message)
    };
    let mut files = Vec::new();
    for entry in path.read_dir().map_err(unreadable)? {
        let file = entry.map_err(unreadable)?.path();
        if is_data(&file) && file.is_file() {
            files.push(file);
        }
    }
    files.sort();
    if files.is_empty() {
        let message = format!("the directory {} holds no data file", path.display());
        return Err(Error::new(Code::NoDataFile, message).help(format!(
            "files ending in .{} are read, also with .gz or .zst",
            DATA_EXTENSIONS.join(", .")
        )));
    }
    Ok(files)
}

fn pattern(pattern: &str) -> Result<Vec<PathBuf>> {
    let invalid = |message: String| Error::new(Code::NoDataFile, message);
    let paths = glob::glob(pattern).map_err(|e| {
        let message = format!("{pattern} does not exist, and is no pattern: {}", e.msg);
        invalid(message).help("check the path; in a pattern, [[] stands for [")
    })?;
    let mut files: Vec<PathBuf> = paths
        .filter_map(|path| path.ok().filter(|p| p.is_file()))
        .collect();
    files.sort();
    if files.is_empty() {
        return Err(invalid(format!("no file matches {pattern}")).help("check the path"));
    }
    Ok(files)
}
