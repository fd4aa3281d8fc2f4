//! Which texts are dates, times of day or timestamps, and which columns are long text
//! (docs/method.md §1.1).

use crate::number::{Number, parse_number};
use fnb::columns::{CategoricalColumn, Unused};

/// Fields of this many characters or more make a column text.
pub(crate) const TEXT_LENGTH: usize = 100;

/// The formats that a text, or all texts of a column, may have: one bit per format. Nine bits for
/// dates (order of the parts × separator), the same nine for timestamps, one for times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Formats(u32);

const SEPARATORS: [u8; 3] = [b'-', b'/', b'.'];
const DATES: u32 = (1 << 9) - 1;
const TIMESTAMPS: u32 = DATES << 9;
const TIME: u32 = 1 << 18;

impl Formats {
    /// Before any text was seen, every format is possible.
    pub(crate) const ANY: Self = Self(DATES | TIMESTAMPS | TIME);
    /// No format fits.
    pub(crate) const NONE: Self = Self(0);

    /// The formats in which `text` is a date, a time or a timestamp.
    pub(crate) fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        // The shortest is 8:30, the longest has nanoseconds and a zone.
        if bytes.len() < 4 || bytes.len() > 40 || !bytes[0].is_ascii_digit() {
            return Self::NONE;
        }
        if let Some((dates, rest)) = date(bytes) {
            return Self(match rest {
                [] => dates,
                [b' ' | b'T', rest @ ..] if is_time(rest, true) => dates << 9,
                _ => 0,
            });
        }
        Self(if is_time(bytes, false) { TIME } else { 0 })
    }

    /// The formats that fit both.
    pub(crate) fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Does some format fit?
    pub(crate) fn fits(self) -> bool {
        self.0 != 0
    }

    /// What a column is whose texts all have these formats; `None` for categories.
    pub(crate) fn kind(self) -> Option<Unused> {
        if self.0 & DATES != 0 {
            Some(Unused::Date)
        } else if self.0 & TIMESTAMPS != 0 {
            Some(Unused::Timestamp)
        } else if self.0 & TIME != 0 {
            Some(Unused::Time)
        } else {
            None
        }
    }
}

/// A number of `min` to `max` digits at the start, and what follows.
fn digits(bytes: &[u8], min: usize, max: usize) -> Option<(u32, &[u8])> {
    let count = bytes
        .iter()
        .take(max)
        .take_while(|b| b.is_ascii_digit())
        .count();
    if count < min {
        return None;
    }
    let value = bytes[..count]
        .iter()
        .fold(0, |v, b| 10 * v + u32::from(b - b'0'));
    Some((value, &bytes[count..]))
}

/// The formats of a date at the start, and what follows it.
fn date(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let year_first = bytes.len() > 4 && bytes[..4].iter().all(u8::is_ascii_digit);
    let (first, rest) = digits(
        bytes,
        if year_first { 4 } else { 1 },
        if year_first { 4 } else { 2 },
    )?;
    let mark = *rest.first()?;
    let separator = SEPARATORS.iter().position(|&s| s == mark)?;
    let (second, rest) = digits(&rest[1..], 1, 2)?;
    let rest = rest.strip_prefix(&[mark])?;
    let (third, rest) = if year_first {
        digits(rest, 1, 2)?
    } else {
        digits(rest, 4, 4)?
    };
    let formats = if year_first {
        u32::from(is_date(first, second, third))
    } else {
        u32::from(is_date(third, second, first)) << 1
            | u32::from(is_date(third, first, second)) << 2
    };
    (formats != 0).then_some((formats << (3 * separator), rest))
}

fn is_date(year: u32, month: u32, day: u32) -> bool {
    let leap = year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    let last = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    (1..=12).contains(&month) && (1..=last).contains(&day)
}

/// `HH:MM[:SS[.fraction]]`, with a zone such as `Z` or `+01:00` where that is allowed.
fn is_time(bytes: &[u8], zone: bool) -> bool {
    let parse = || {
        let (hours, rest) = digits(bytes, 1, 2)?;
        let (minutes, mut rest) = digits(rest.strip_prefix(b":")?, 2, 2)?;
        let mut seconds = 0;
        if let Some(after) = rest.strip_prefix(b":") {
            (seconds, rest) = digits(after, 2, 2)?;
            if let Some(after) = rest.strip_prefix(b".") {
                (_, rest) = digits(after, 1, 9)?;
            }
        }
        // A leap second is written :60.
        let valid = hours < 24 && minutes < 60 && seconds <= 60;
        Some(valid && (rest.is_empty() || zone && is_zone(rest)))
    };
    parse().unwrap_or(false)
}

fn is_zone(bytes: &[u8]) -> bool {
    match bytes {
        b"Z" => true,
        [b' ', rest @ ..] => is_zone(rest),
        [b'+' | b'-', offset @ ..] => match offset {
            [h1, h2, rest @ ..] if h1.is_ascii_digit() && h2.is_ascii_digit() => {
                let minutes = rest.strip_prefix(b":").unwrap_or(rest);
                rest.is_empty() || minutes.len() == 2 && minutes.iter().all(u8::is_ascii_digit)
            }
            _ => false,
        },
        _ => false,
    }
}

/// Is a field so long that its column is text?
pub(crate) fn is_long(text: &str) -> bool {
    text.len() >= TEXT_LENGTH && text.chars().count() >= TEXT_LENGTH
}

/// A column with more texts among its numbers is a category.
const MOST_STRAY_TEXTS: usize = 3;
/// A column with fewer distinct values may well be meant as a category.
const LEAST_NUMBERS: usize = 10;

/// What to tell of a column that is read as categories for the sake of a few texts among its
/// numbers: they are probably somebody's way to write a missing value.
pub(crate) fn stray_texts_warning(name: &str, column: &CategoricalColumn) -> Option<String> {
    let is_text = |value: &&str| matches!(parse_number(value), Number::Not);
    let texts = column.values().iter().flatten().filter(is_text);
    let texts: Vec<&str> = texts.take(MOST_STRAY_TEXTS + 1).collect();
    if texts.is_empty()
        || texts.len() > MOST_STRAY_TEXTS
        || column.values().len() < texts.len() + LEAST_NUMBERS
    {
        return None;
    }
    let shown: Vec<String> = texts.iter().map(|text| format!("{text:?}")).collect();
    Some(format!(
        "column {name:?} holds numbers but for {}: it is read as categories; if that means missing, \
         declare it with --na {}",
        shown.join(", "),
        texts.join(",")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_a_few_texts_are_told() {
        let column = |texts: &[&str]| -> CategoricalColumn {
            let numbers: Vec<String> = (0..20).map(|n| n.to_string()).collect();
            let texts = texts
                .iter()
                .copied()
                .chain(numbers.iter().map(String::as_str));
            texts.map(Some).collect()
        };
        let warning = stray_texts_warning("age", &column(&["NA", "n/a"]));
        assert!(warning.is_some_and(|w| w.contains("--na NA,n/a")));
        assert_eq!(
            stray_texts_warning("age", &column(&["a", "b", "c", "d"])),
            None
        );
        assert_eq!(stray_texts_warning("age", &column(&[])), None);
    }

    fn kind(texts: &[&str]) -> Option<Unused> {
        texts
            .iter()
            .fold(Formats::ANY, |all, text| all.and(Formats::of(text)))
            .kind()
    }

    #[test]
    fn dates_times_and_timestamps() {
        for text in [
            "2025-11-30",
            "2025/1/3",
            "30/11/2025",
            "11/30/2025",
            "1.2.2024",
            "2024-02-29",
        ] {
            assert_eq!(kind(&[text]), Some(Unused::Date), "{text}");
        }
        for text in ["8:30", "08:30:00", "23:59:60", "12:00:00.123456"] {
            assert_eq!(kind(&[text]), Some(Unused::Time), "{text}");
        }
        for text in [
            "2025-11-30 08:30:00",
            "2025-11-30T08:30Z",
            "30/11/2025 8:30",
            "2025-11-30T08:30:00.5+01:00",
            "2025-11-30 08:30:00 -0500",
            "2025-11-30T08:30:00+01",
        ] {
            assert_eq!(kind(&[text]), Some(Unused::Timestamp), "{text}");
        }
        for text in [
            "",
            "2025-13-01",
            "2025-02-29",
            "25:00",
            "8:3",
            "2025-11",
            "12/2025",
            "1/2/24",
            "a",
            "2025-11-30x",
            "2025-11-30 ",
            "12:30Z",
            "2025-11/30",
            "192.168.0.1",
            "3:45 pm",
        ] {
            assert_eq!(kind(&[text]), None, "{text}");
        }
    }

    #[test]
    fn one_format_must_fit_every_row() {
        assert_eq!(kind(&["03/04/2025", "30/11/2025"]), Some(Unused::Date));
        assert_eq!(kind(&["30/11/2025", "11/30/2025"]), None);
        assert_eq!(kind(&["2025-11-30", "2025/11/30"]), None);
        assert_eq!(kind(&["2025-11-30", "2025-11-30 10:00"]), None);
    }
}
