//! A stream of text cut into pieces of whole records.

use super::field::Dialect;
use crate::source::read_error;
use fnb::Result;
use std::io::Read;

/// A quotation that is still open after that many bytes is a mistake, not a field.
const LONGEST_QUOTATION: usize = 256 << 20;

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
            if self.dialect.quoting && piece.len() > LONGEST_QUOTATION {
                self.ended = true;
                piece.push(b'\n');
                return Ok(Some(piece));
            }
            goal *= 2;
        }
    }
}
