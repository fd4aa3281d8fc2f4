//! A piece of text to columns of values: the hot loop of reading.

use super::field::Dialect;
use super::seen::{Question, Seen};
use crate::dates::{Formats, Moment};
use crate::infer::is_long;
use crate::number::{Number, parse_number, plain_decimal, plain_length, truth_value};
use crate::sniff::blank_line;
use crate::unreadable::{Reading, Strays};
use fnb::columns::{CategoricalColumnBuilder, TemporalColumn};

/// What to do with the fields of a column. A slot is a place in the vectors of [`Parsed`].
#[derive(Debug, Clone, Copy)]
pub(super) enum Action {
    Skip,
    /// Read a number; `binary` if only `0` and `1` were met so far, `words` if truth values are numbers.
    Number {
        slot: u32,
        binary: bool,
        words: bool,
    },
    /// Read a category; `detect` if it may turn out to be a date or a text.
    Category {
        slot: u32,
        detect: bool,
    },
    /// Read a date, a time or a timestamp.
    Temporal {
        slot: u32,
        reading: Reading,
    },
    /// Find something out, and keep no value.
    Look {
        slot: u32,
        question: Question,
    },
    /// Keep the text, and do something else with it: see `Layout::kept`.
    Keep {
        index: u32,
    },
}

/// What to do with every field of a record.
pub(super) struct Layout<'a> {
    pub(super) dialect: Dialect,
    /// One per field of the record.
    pub(super) actions: Vec<Action>,
    /// For each field that is kept: what else is done with it, and where it is kept.
    pub(super) kept: Vec<(Action, Vec<usize>)>,
    pub(super) numbers: usize,
    pub(super) categories: usize,
    pub(super) temporals: usize,
    /// One per column that is only looked at.
    pub(super) questions: Vec<Question>,
    pub(super) keeps: usize,
    /// Texts that are missing, besides the empty one.
    pub(super) na: &'a [String],
    /// Is one of those written like a number?
    pub(super) numeric_na: bool,
}

/// A field that is not what it should be.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) slot: u32,
    /// Counted from the start of the piece.
    pub(super) line: usize,
    pub(super) text: String,
}

/// Categories of a piece, and what they might be instead.
#[derive(Debug, Clone)]
pub(super) struct Categories {
    pub(super) builder: CategoricalColumnBuilder,
    pub(super) formats: Formats,
    pub(super) long: bool,
}

/// Dates, times or timestamps of a piece.
#[derive(Debug, Clone)]
pub(super) struct Moments {
    pub(super) formats: Formats,
    pub(super) values: Vec<i64>,
    pub(super) strays: Strays,
}

/// What stops the reading of a file.
#[derive(Debug, Clone)]
pub(super) enum Fault {
    Nul,
    NotUtf8,
    Ragged { found: usize, expected: usize },
    OpenQuote,
}

/// The content of a piece.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) rows: usize,
    /// Number of line feeds.
    pub(super) lines: usize,
    /// The first fault and its line, counted from the start of the piece.
    pub(super) fault: Option<(usize, Fault)>,
    /// Row by row, `Layout::numbers` in each.
    pub(super) numbers: Vec<f64>,
    /// Per slot: was something else met than `0`, `1` and nothing?
    pub(super) not_binary: Vec<bool>,
    /// Per slot: how many fields are neither numbers nor missing.
    pub(super) not_numbers: Vec<u32>,
    /// The first of those in each slot.
    pub(super) first_not_number: Vec<Found>,
    /// The first number that is too large in each slot.
    pub(super) out_of_range: Vec<Found>,
    pub(super) categories: Vec<Categories>,
    pub(super) temporals: Vec<Moments>,
    pub(super) seen: Vec<Seen>,
    pub(super) keeps: Vec<CategoricalColumnBuilder>,
}

impl Parsed {
    fn new(layout: &Layout) -> Self {
        let categories = Categories {
            builder: CategoricalColumnBuilder::default(),
            formats: Formats::ANY,
            long: false,
        };
        Self {
            rows: 0,
            lines: 0,
            fault: None,
            numbers: Vec::new(),
            not_binary: vec![false; layout.numbers],
            not_numbers: vec![0; layout.numbers],
            first_not_number: Vec::new(),
            out_of_range: Vec::new(),
            categories: vec![categories; layout.categories],
            temporals: vec![
                Moments {
                    formats: Formats::ANY,
                    values: Vec::new(),
                    strays: Strays::default(),
                };
                layout.temporals
            ],
            seen: layout.questions.iter().copied().map(Seen::new).collect(),
            keeps: vec![CategoricalColumnBuilder::default(); layout.keeps],
        }
    }
}

/// Parses a piece, which holds whole records and ends with a line feed.
pub(super) fn parse(piece: &[u8], layout: &Layout) -> Parsed {
    let line_at = |at: usize| memchr::memchr_iter(b'\n', &piece[..at]).count();
    let mut parsed = Parsed::new(layout);
    let text = match std::str::from_utf8(piece) {
        Ok(text) => text,
        Err(e) => {
            parsed.fault = Some((line_at(e.valid_up_to()), Fault::NotUtf8));
            return parsed;
        }
    };
    if let Some(at) = memchr::memchr(0, piece) {
        parsed.fault = Some((line_at(at), Fault::Nul));
        return parsed;
    }
    let mut parser = Parser {
        text,
        layout,
        parsed,
        scratch: String::new(),
    };
    let fault = parser.records().err();
    parser.parsed.fault = fault.map(|fault| (parser.parsed.lines, fault));
    parser.parsed
}

struct Parser<'a> {
    text: &'a str,
    layout: &'a Layout<'a>,
    parsed: Parsed,
    scratch: String,
}

impl Parser<'_> {
    fn records(&mut self) -> Result<(), Fault> {
        let text = self.text;
        let bytes = text.as_bytes();
        let layout = self.layout;
        let last = layout.actions.len() - 1;
        let mut at = 0;
        while at < bytes.len() {
            if let Some(length) = blank_line(&bytes[at..]) {
                at += length;
                self.parsed.lines += 1;
                continue;
            }
            let record = at;
            let row = self.parsed.numbers.len();
            if self.parsed.rows == 0 {
                self.reserve(bytes);
            }
            self.parsed.numbers.resize(row + layout.numbers, f64::NAN);
            let mut inner_lines = 0;
            for (i, &action) in layout.actions.iter().enumerate() {
                let next = match action {
                    Action::Number {
                        slot,
                        binary,
                        words,
                    } => self.number(at, row, slot, binary, words, &mut inner_lines),
                    Action::Category { slot, detect } if !layout.dialect.is_quoted(bytes, at) => {
                        let next = layout.dialect.field_end(bytes, at);
                        self.category(&text[at..next], slot, detect);
                        next
                    }
                    Action::Look { slot, .. } => self.look(at, slot, &mut inner_lines),
                    other => self.other(at, row, other, &mut inner_lines),
                };
                let expected = if i == last {
                    b'\n'
                } else {
                    layout.dialect.separator
                };
                if bytes.get(next) != Some(&expected) {
                    return Err(self.fault(record));
                }
                at = next + 1;
            }
            self.parsed.rows += 1;
            self.parsed.lines += 1 + inner_lines;
        }
        Ok(())
    }

    /// Room for the numbers of all records, if they are as long as the first.
    fn reserve(&mut self, bytes: &[u8]) {
        let first = memchr::memchr(b'\n', bytes).unwrap_or(bytes.len()) + 1;
        let rows = bytes.len() / first + 1;
        self.parsed
            .numbers
            .reserve(self.layout.numbers * (rows + rows / 16));
    }

    /// Why the record cannot be read.
    #[cold]
    fn fault(&self, record: usize) -> Fault {
        let bytes = self.text.as_bytes();
        let mut found = 0;
        let mut at = record;
        loop {
            let field = self.layout.dialect.field(bytes, at);
            if field.open {
                return Fault::OpenQuote;
            }
            found += 1;
            if bytes.get(field.next) != Some(&self.layout.dialect.separator) {
                return Fault::Ragged {
                    found,
                    expected: self.layout.actions.len(),
                };
            }
            at = field.next + 1;
        }
    }

    /// Reads the number at `at`, returns where its field ends.
    #[inline]
    fn number(
        &mut self,
        at: usize,
        row: usize,
        slot: u32,
        binary: bool,
        words: bool,
        inner_lines: &mut usize,
    ) -> usize {
        let bytes = self.text.as_bytes();
        let separator = self.layout.dialect.separator;
        if !self.layout.numeric_na
            && let Some((value, length)) = plain_decimal(&bytes[at..], separator)
        {
            self.parsed.numbers[row + slot as usize] = value;
            if binary && !(length == 1 && value <= 1.0) {
                self.parsed.not_binary[slot as usize] = true;
            }
            return at + length;
        }
        if bytes[at] == separator || bytes[at] == b'\n' {
            return at;
        }
        let field = self.layout.dialect.field(bytes, at);
        *inner_lines += field.inner_lines(bytes);
        let mut scratch = std::mem::take(&mut self.scratch);
        let text = field.text(self.text, &mut scratch);
        self.number_text(text, row, slot, words, *inner_lines);
        self.scratch = scratch;
        field.next
    }

    /// The general way to read a number.
    fn number_text(&mut self, text: &str, row: usize, slot: u32, words: bool, inner_lines: usize) {
        let Some(text) = present(text, self.layout.na) else {
            return;
        };
        let parsed = &mut self.parsed;
        let found = || Found {
            slot,
            line: parsed.lines + inner_lines,
            text: text.to_owned(),
        };
        let slot = slot as usize;
        match parse_number(text) {
            Number::Value(value) => parsed.numbers[row + slot] = value,
            Number::OutOfRange => {
                if !parsed.out_of_range.iter().any(|f| f.slot as usize == slot) {
                    parsed.out_of_range.push(found());
                }
            }
            Number::Not if words && let Some(truth) = truth_value(text) => {
                parsed.numbers[row + slot] = truth;
            }
            Number::Not => {
                if parsed.not_numbers[slot] == 0 {
                    parsed.first_not_number.push(found());
                }
                parsed.not_numbers[slot] += 1;
            }
        }
        parsed.not_binary[slot] |= text != "0" && text != "1";
    }

    /// Looks at the field at `at`, returns where it ends.
    #[inline]
    fn look(&mut self, at: usize, slot: u32, inner_lines: &mut usize) -> usize {
        let bytes = self.text.as_bytes();
        let Layout {
            dialect,
            na,
            numeric_na,
            ..
        } = *self.layout;
        let seen = &mut self.parsed.seen[slot as usize];
        if seen.numeric
            && !numeric_na
            && let Some(length) = plain_length(&bytes[at..], dialect.separator)
        {
            seen.plain(&bytes[at..], length);
            return at + length;
        }
        let (next, text) = if dialect.is_quoted(bytes, at) {
            let field = dialect.field(bytes, at);
            *inner_lines += field.inner_lines(bytes);
            (field.next, field.text(self.text, &mut self.scratch))
        } else {
            let next = dialect.field_end(bytes, at);
            (next, &self.text[at..next])
        };
        match present(text, na) {
            Some(text) => seen.field(text, self.parsed.lines + *inner_lines),
            None => seen.missing += 1,
        }
        next
    }

    /// Reads a field that is not a number, returns where it ends.
    fn other(&mut self, at: usize, row: usize, action: Action, inner_lines: &mut usize) -> usize {
        let bytes = self.text.as_bytes();
        let field = self.layout.dialect.field(bytes, at);
        if let Action::Skip = action {
            *inner_lines += field.inner_lines(bytes);
            return field.next;
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        let text = field.text(self.text, &mut scratch);
        if let Action::Keep { index } = action {
            let (also, places) = &self.layout.kept[index as usize];
            for &place in places {
                self.parsed.keeps[place].push((!text.is_empty()).then_some(text));
            }
            self.value(text, row, *also, *inner_lines);
        } else {
            self.value(text, row, action, *inner_lines);
        }
        self.scratch = scratch;
        *inner_lines += field.inner_lines(bytes);
        field.next
    }

    #[inline]
    fn category(&mut self, text: &str, slot: u32, detect: bool) {
        let column = &mut self.parsed.categories[slot as usize];
        let value = present(text, self.layout.na);
        column.builder.push(value);
        if let (true, Some(value)) = (detect, value) {
            if column.formats.fits() {
                column.formats = column.formats.and(Formats::of(value));
            }
            column.long |= is_long(value);
        }
    }

    fn moment(&mut self, text: &str, slot: u32, reading: Reading) {
        let column = &mut self.parsed.temporals[slot as usize];
        let value = present(text, self.layout.na).map(|text| {
            let moment = Moment::read(text);
            let formats = moment.map_or(Formats::NONE, |moment| moment.formats);
            column.formats = column.formats.and(formats);
            reading.value_of(moment, text, 1, &mut column.strays)
        });
        column.values.push(value.unwrap_or(TemporalColumn::MISSING));
    }

    fn value(&mut self, text: &str, row: usize, action: Action, inner_lines: usize) {
        match action {
            Action::Skip | Action::Look { .. } | Action::Keep { .. } => {}
            Action::Number { slot, words, .. } => {
                self.number_text(text, row, slot, words, inner_lines);
            }
            Action::Category { slot, detect } => self.category(text, slot, detect),
            Action::Temporal { slot, reading } => self.moment(text, slot, reading),
        }
    }
}

/// The text without surrounding blanks, unless it means missing.
#[inline]
fn present<'a>(text: &'a str, na: &[String]) -> Option<&'a str> {
    let text = text.trim_ascii();
    (!text.is_empty() && !na.iter().any(|marker| marker == text)).then_some(text)
}
