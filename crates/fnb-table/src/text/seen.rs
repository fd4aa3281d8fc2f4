//! What is found out about the fields of a column without keeping them.

use crate::dates::Formats;
use crate::few_values::FewValues;
use crate::infer::is_long;
use crate::moment_scan::MomentScan;
use crate::number::{Number, parse_number, truth_value};
use crate::options::DayOrder;
use fnb::columns::Temporal;

/// What is to be found out about a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Question {
    /// What it is.
    Type,
    /// Which fields are no numbers, though they should be.
    Numbers,
    /// Which are no dates, though they should be.
    Moments(Temporal, DayOrder),
    /// Only how many are missing.
    Missing,
}

/// A field worth telling about, its line counted from the start of a piece.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) line: usize,
    pub(super) text: String,
}

/// The answer, as far as fields were seen.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    pub(super) question: Question,
    pub(super) missing: usize,
    /// Are all fields numbers so far, or wanted as numbers?
    pub(super) numeric: bool,
    /// Was something else met than `0`, `1` and nothing?
    pub(super) not_binary: bool,
    /// Of fields that should be numbers, those that are none, and the first of them.
    pub(super) not_numbers: usize,
    pub(super) first_not_number: Option<Found>,
    /// The first number that is too large.
    pub(super) out_of_range: Option<Found>,
    /// The formats that all texts have.
    formats: Formats,
    pub(super) long: bool,
    pub(super) few: FewValues,
    pub(super) moments: MomentScan,
}

impl Seen {
    pub(super) fn new(question: Question) -> Self {
        Self {
            question,
            missing: 0,
            numeric: matches!(question, Question::Type | Question::Numbers),
            not_binary: false,
            not_numbers: 0,
            first_not_number: None,
            out_of_range: None,
            formats: Formats::ANY,
            long: false,
            few: FewValues::default(),
            moments: MomentScan::default(),
        }
    }

    /// Adds a plain decimal, written in the first `length` of `bytes`.
    #[inline]
    pub(super) fn plain(&mut self, bytes: &[u8], length: usize) {
        self.not_binary |= length > 1 || bytes[0] > b'1';
        self.few.number(bytes, length);
    }

    /// Adds a field that is not missing; `line` is counted from the start of its piece.
    #[inline]
    pub(super) fn field(&mut self, text: &str, line: usize) {
        match self.question {
            Question::Missing => {}
            Question::Moments(kind, order) => self.moments.add(text, 1, kind, order),
            Question::Type if !self.numeric => self.text(text),
            Question::Type | Question::Numbers => self.number(text, line),
        }
    }

    /// Adds a field of which all before it were numbers.
    fn number(&mut self, text: &str, line: usize) {
        let found = || {
            let text = text.to_owned();
            Found { line, text }
        };
        match parse_number(text) {
            Number::Value(_) => {}
            Number::OutOfRange => {
                self.out_of_range.get_or_insert_with(found);
            }
            Number::Not if self.question == Question::Numbers => {
                if truth_value(text).is_none() {
                    self.not_numbers += 1;
                    self.first_not_number.get_or_insert_with(found);
                }
                return;
            }
            Number::Not => {
                self.numeric = false;
                self.text(text);
                return;
            }
        }
        self.not_binary |= text != "0" && text != "1";
        if !self.is_long(text) {
            self.few.number(text.as_bytes(), text.len());
        }
    }

    /// Adds a field of a column that has texts.
    #[inline]
    fn text(&mut self, text: &str) {
        if self.formats.fits() {
            self.formats = self.formats.and(Formats::of(text));
        }
        if !self.is_long(text) {
            self.few.add(text);
        }
    }

    /// Is it a long text? Among those nobody looks for numbers, and they would be much to keep.
    fn is_long(&mut self, text: &str) -> bool {
        let long = is_long(text);
        if long {
            self.long = true;
            self.formats = Formats::NONE;
        }
        long
    }

    /// Adds what was seen of later rows. What has a place is taken out before.
    pub(super) fn append(&mut self, later: Self) {
        self.missing += later.missing;
        self.numeric &= later.numeric;
        self.not_binary |= later.not_binary;
        self.not_numbers += later.not_numbers;
        self.formats = self.formats.and(later.formats);
        self.long |= later.long;
        self.few.append(&later.few);
        self.moments.append(later.moments);
    }

    /// The formats that all fields have: a number is in none of them.
    pub(super) fn formats(&self) -> Formats {
        if self.few.has_numbers() {
            return Formats::NONE;
        }
        self.formats
    }
}
