//! How the JSON text is laid out: one line per key and per variable, so that two models can be
//! compared line by line, and no line break inside.

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use std::io::{self, Write};

/// Objects and arrays nested deeper than this are written on one line.
const BROKEN_DEPTH: usize = 2;

/// The text of a value that serialises without error.
pub(super) fn to_text(value: &impl Serialize) -> String {
    let mut text = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut text, LineFormatter { depth: 0 });
    value
        .serialize(&mut serializer)
        .expect("a model has string keys and memory does not fail");
    text.push(b'\n');
    String::from_utf8(text).expect("JSON is UTF-8")
}

struct LineFormatter {
    depth: usize,
}

impl LineFormatter {
    fn separate<W: ?Sized + Write>(&self, writer: &mut W, first: bool) -> io::Result<()> {
        if !first {
            writer.write_all(b",")?;
        }
        self.line_break(writer)
    }

    fn line_break<W: ?Sized + Write>(&self, writer: &mut W) -> io::Result<()> {
        if self.depth <= BROKEN_DEPTH {
            writer.write_all(b"\n")?;
            for _ in 0..self.depth {
                writer.write_all(b" ")?;
            }
        }
        Ok(())
    }

    fn close<W: ?Sized + Write>(&mut self, writer: &mut W, bracket: u8) -> io::Result<()> {
        self.depth -= 1;
        if self.depth < BROKEN_DEPTH {
            self.line_break(writer)?;
        }
        writer.write_all(&[bracket])
    }
}

impl Formatter for LineFormatter {
    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth += 1;
        writer.write_all(b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer, b']')
    }

    fn begin_array_value<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.separate(writer, first)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth += 1;
        writer.write_all(b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer, b'}')
    }

    fn begin_object_key<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.separate(writer, first)
    }
}
