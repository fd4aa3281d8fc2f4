//! One field of a text file, quoted or not (RFC 4180).

use memchr::{memchr, memchr2};

/// How fields are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dialect {
    pub(crate) separator: u8,
    /// Is a quote at the start of a field a quotation? Otherwise it is an ordinary character.
    pub(crate) quoting: bool,
}

/// Where a field is in the text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field {
    /// The content, without quotes and without the end of line.
    start: usize,
    end: usize,
    /// Where the separator or the line feed after the field is; the length of the text when there is
    /// none.
    pub(crate) next: usize,
    /// For a quoted field, the place of the closing quote.
    close: Option<usize>,
    /// Does the content hold doubled quotes?
    doubled: bool,
    /// Is a quotation left open?
    pub(crate) open: bool,
}

impl Dialect {
    /// Does a quotation start at `at`, the start of a field?
    #[inline]
    pub(crate) fn is_quoted(self, bytes: &[u8], at: usize) -> bool {
        self.quoting && bytes.get(at) == Some(&b'"')
    }

    /// The field that starts at `at`.
    #[inline]
    pub(crate) fn field(self, bytes: &[u8], at: usize) -> Field {
        if self.is_quoted(bytes, at) {
            return self.quoted(bytes, at);
        }
        let next = self.field_end(bytes, at);
        let end = without_return(bytes, at, next);
        Field {
            start: at,
            end,
            next,
            close: None,
            doubled: false,
            open: false,
        }
    }

    /// Where the separator or line feed after an unquoted field is.
    #[inline]
    pub(crate) fn field_end(self, bytes: &[u8], at: usize) -> usize {
        let ends = |&b: &u8| b == self.separator || b == b'\n';
        // Most fields are too short for the set-up of a vector search.
        let short = &bytes[at..bytes.len().min(at + 16)];
        if let Some(length) = short.iter().position(ends) {
            return at + length;
        }
        let from = at + short.len();
        memchr2(self.separator, b'\n', &bytes[from..]).map_or(bytes.len(), |length| from + length)
    }

    fn quoted(self, bytes: &[u8], at: usize) -> Field {
        let mut doubled = false;
        let mut from = at + 1;
        loop {
            let Some(length) = memchr(b'"', &bytes[from..]) else {
                let (start, end, next) = (at + 1, bytes.len(), bytes.len());
                return Field {
                    start,
                    end,
                    next,
                    close: None,
                    doubled,
                    open: true,
                };
            };
            let close = from + length;
            if bytes.get(close + 1) == Some(&b'"') {
                doubled = true;
                from = close + 2;
                continue;
            }
            let next = self.field_end(bytes, close + 1);
            let end = without_return(bytes, close + 1, next);
            return Field {
                start: at + 1,
                end,
                next,
                close: Some(close),
                doubled,
                open: false,
            };
        }
    }

    /// The end of the last whole record of a text that starts at the start of a record: just after
    /// its line feed. Line feeds inside quotations end nothing.
    pub(crate) fn last_record_end(self, bytes: &[u8]) -> Option<usize> {
        let mut last = None;
        // `at` is outside quotations.
        let mut at = 0;
        let next_quote = |at: usize| memchr(b'"', &bytes[at..]).map(|length| at + length);
        while let (true, Some(quote)) = (self.quoting, next_quote(at)) {
            if let Some(length) = memchr::memrchr(b'\n', &bytes[at..quote]) {
                last = Some(at + length + 1);
            }
            let starts_field =
                quote == 0 || bytes[quote - 1] == self.separator || bytes[quote - 1] == b'\n';
            at = quote + 1;
            if starts_field {
                match self.quoted(bytes, quote).close {
                    Some(close) => at = close + 1,
                    None => return last,
                }
            }
        }
        memchr::memrchr(b'\n', &bytes[at..])
            .map(|length| at + length + 1)
            .or(last)
    }
}

/// The end of a content that may be followed by a carriage return before the line feed.
fn without_return(bytes: &[u8], start: usize, next: usize) -> usize {
    let carriage_return = next > start && bytes[next - 1] == b'\r';
    let end_of_line = bytes.get(next).is_none_or(|&b| b == b'\n');
    next - usize::from(carriage_return && end_of_line)
}

impl Field {
    /// The content; quotes inside are undone in `scratch`.
    #[inline]
    pub(crate) fn text<'a>(&self, text: &'a str, scratch: &'a mut String) -> &'a str {
        match self.close {
            None => &text[self.start..self.end],
            Some(close) if !self.doubled && close + 1 == self.end => &text[self.start..close],
            Some(close) => {
                scratch.clear();
                scratch.push_str(&text[self.start..close].replace("\"\"", "\""));
                // What follows the closing quote by mistake belongs to the field.
                scratch.push_str(&text[close + 1..self.end]);
                scratch
            }
        }
    }

    /// Is the field quoted, and is there nothing between the closing quote and its end?
    pub(crate) fn well_quoted(&self) -> Option<bool> {
        if self.open {
            return Some(false);
        }
        self.close.map(|close| close + 1 == self.end)
    }

    /// Number of line feeds inside the field.
    pub(crate) fn inner_lines(&self, bytes: &[u8]) -> usize {
        match self.close {
            Some(close) => memchr::memchr_iter(b'\n', &bytes[self.start..close]).count(),
            None => 0,
        }
    }
}
