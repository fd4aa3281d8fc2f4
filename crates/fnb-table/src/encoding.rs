//! Text of any announced encoding to UTF-8.

use encoding_rs::{Decoder, DecoderResult, UTF_16BE, UTF_16LE};
use fnb::{Code, Error};
use std::io::{self, Cursor, Read};

/// A reader of the text in UTF-8, without byte order mark, and the name of the original encoding.
/// UTF-16 is recognised by its mark; without any mark the text is taken for UTF-8.
pub(crate) fn utf8(
    mut bytes: Box<dyn Read + Send>,
) -> io::Result<(Box<dyn Read + Send>, &'static str)> {
    let mut start = Vec::new();
    bytes.by_ref().take(3).read_to_end(&mut start)?;
    let (skip, encoding) = match start[..] {
        [0xef, 0xbb, 0xbf] => (3, None),
        [0xff, 0xfe, ..] => (2, Some(UTF_16LE)),
        [0xfe, 0xff, ..] => (2, Some(UTF_16BE)),
        _ => (0, None),
    };
    let rest = Cursor::new(start.split_off(skip)).chain(bytes);
    Ok(match encoding {
        None => (Box::new(rest), "UTF-8"),
        Some(encoding) => (
            Box::new(Utf16 {
                bytes: Box::new(rest),
                decoder: encoding.new_decoder_without_bom_handling(),
                encoded: vec![0; 1 << 16],
                decoded: vec![0; 4 << 16],
                ready: 0..0,
                line: 1,
                ended: false,
            }),
            encoding.name(),
        ),
    })
}

struct Utf16 {
    bytes: Box<dyn Read + Send>,
    decoder: Decoder,
    encoded: Vec<u8>,
    decoded: Vec<u8>,
    /// The part of `decoded` not handed over yet.
    ready: std::ops::Range<usize>,
    line: usize,
    ended: bool,
}

impl Utf16 {
    /// Decodes one more block.
    fn refill(&mut self) -> io::Result<()> {
        let length = self.bytes.read(&mut self.encoded)?;
        self.ended = length == 0;
        let (result, read, written) = self.decoder.decode_to_utf8_without_replacement(
            &self.encoded[..length],
            &mut self.decoded,
            self.ended,
        );
        self.line += memchr::memchr_iter(b'\n', &self.decoded[..written]).count();
        self.ready = 0..written;
        match result {
            DecoderResult::InputEmpty => Ok(()),
            DecoderResult::OutputFull => {
                debug_assert!(read < length, "the room for output is three times the need");
                Err(io::Error::other("decoding stopped early"))
            }
            DecoderResult::Malformed(..) => {
                let message = format!("line {} is not valid UTF-16", self.line);
                let error = Error::new(Code::InvalidUtf8, message);
                Err(io::Error::other(
                    error.help("write the file again as UTF-8"),
                ))
            }
        }
    }
}

impl Read for Utf16 {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.ready.is_empty() && !self.ended {
            self.refill()?;
        }
        let length = self.ready.len().min(buffer.len());
        buffer[..length]
            .copy_from_slice(&self.decoded[self.ready.start..self.ready.start + length]);
        self.ready.start += length;
        Ok(length)
    }
}
