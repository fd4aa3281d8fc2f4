//! A stream of text cut into pieces of whole records.

use super::field::Dialect;
use crate::source::read_error;
use fnb::{Code, Error, Result};
use std::io::Read;

/// A record that has no end after that many bytes is a mistake: a quotation that nobody closes, or no
/// text at all. A small compressed file can hold any number of them.
pub(super) const LONGEST_RECORD: usize = 256 << 20;

/// Bytes of the first piece.
const FIRST_PIECE: usize = 256 << 10;

/// Cuts a stream. Memory holds only the pieces that were handed over and the start of a record.
pub(crate) struct Pieces {
    reader: Box<dyn Read + Send>,
    name: String,
    dialect: Dialect,
    size: usize,
    /// The size of the next piece: the first one is small, types are learnt from it.
    next_size: usize,
    /// What was read beyond the last piece.
    rest: Vec<u8>,
    ended: bool,
}

impl Pieces {
    /// `rest` was read already and starts with a record; pieces have about `size` bytes.
    pub(crate) fn new(
        reader: Box<dyn Read + Send>,
        name: &str,
        rest: Vec<u8>,
        dialect: Dialect,
        size: usize,
    ) -> Self {
        Self {
            reader,
            name: name.to_owned(),
            dialect,
            size,
            next_size: size.min(FIRST_PIECE),
            rest,
            ended: false,
        }
    }

    /// Up to `count` pieces; none at the end.
    pub(crate) fn wave(&mut self, count: usize) -> Result<Vec<Vec<u8>>> {
        let mut pieces = Vec::with_capacity(count);
        while pieces.len() < count {
            match self.next()? {
                Some(piece) => pieces.push(piece),
                None => break,
            }
        }
        Ok(pieces)
    }

    /// The next records, the last of which ends with a line feed.
    fn next(&mut self) -> Result<Option<Vec<u8>>> {
        let mut piece = std::mem::take(&mut self.rest);
        let mut goal = std::mem::replace(&mut self.next_size, self.size);
        loop {
            if piece.len() < goal && !self.ended {
                let missing = goal - piece.len();
                piece.reserve(missing + 1);
                let read = self
                    .reader
                    .by_ref()
                    .take(missing as u64)
                    .read_to_end(&mut piece);
                self.ended = read.map_err(|e| read_error(&self.name, e))? < missing;
            }
            // What was read ahead may be longer than a piece.
            let part = &piece[..piece.len().min(goal)];
            if self.ended && part.len() == piece.len() {
                if piece.is_empty() {
                    return Ok(None);
                }
                if piece.last() != Some(&b'\n') {
                    piece.push(b'\n');
                }
                return Ok(Some(piece));
            }
            if let Some(end) = self.dialect.last_record_end(part) {
                self.rest = Vec::with_capacity(self.size + 1);
                self.rest.extend_from_slice(&piece[end..]);
                piece.truncate(end);
                return Ok(Some(piece));
            }
            if piece.len() >= LONGEST_RECORD {
                // Lines end, but the record does not: a quotation is open, which parsing finds.
                if memchr::memchr(b'\n', &piece).is_none() {
                    return Err(endless_line(&self.name));
                }
                self.ended = true;
                piece.push(b'\n');
                return Ok(Some(piece));
            }
            goal *= 2;
        }
    }
}

/// D13: a line that is no line.
pub(super) fn endless_line(name: &str) -> Error {
    let longest = LONGEST_RECORD >> 20;
    Error::new(
        Code::UnreadableFile,
        format!("{name} has a line of more than {longest} MiB"),
    )
    .help("a table is text in lines, Parquet or Arrow; check how the file was made")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    #[test]
    fn a_line_without_end_is_not_read_to_its_end() {
        for quoting in [false, true] {
            let dialect = Dialect {
                separator: b',',
                quoting,
            };
            let endless = Box::new(io::repeat(b'a'));
            let mut pieces = Pieces::new(endless, "x.csv", b"1,2\n".to_vec(), dialect, 1 << 20);
            let error = pieces.wave(2).expect_err("no end");
            assert_eq!(error.code(), Code::UnreadableFile);
        }
    }
}
