//! Texts that are dates, times of day or timestamps: in which formats, and which moment they name
//! (docs/method.md §1.1).

use crate::options::DayOrder;
use crate::unreadable::{Reading, Strays};
use fnb::columns::{CategoricalColumn, Temporal, TemporalColumn};

/// The formats that a text, or all texts of a column, may have: one bit per format. Nine bits for
/// dates (order of the parts × separator), the same nine for timestamps with a zone and for all
/// timestamps, one for times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Formats(u32);

const SEPARATORS: [u8; 3] = [b'-', b'/', b'.'];
const DATES: u32 = (1 << 9) - 1;
const ZONED: u32 = DATES << 9;
const TIMESTAMPS: u32 = DATES << 18;
const TIME: u32 = 1 << 27;
/// The orders of the parts, whatever the separator, of dates and of timestamps.
const YEAR_FIRST: u32 = 0o111_111_111;
const DAY_FIRST: u32 = YEAR_FIRST << 1;
const MONTH_FIRST: u32 = YEAR_FIRST << 2;

const SECOND: i64 = 1_000_000;
const DAY: i64 = 86_400 * SECOND;

impl Formats {
    /// Before any text was seen, every format is possible.
    pub(crate) const ANY: Self = Self(DATES | ZONED | TIMESTAMPS | TIME);
    /// No format fits.
    pub(crate) const NONE: Self = Self(0);

    /// The formats in which `text` is a date, a time or a timestamp.
    pub(crate) fn of(text: &str) -> Self {
        Moment::read(text).map_or(Self::NONE, |moment| moment.formats)
    }

    /// Those in which a column of that kind may be written, given the order of day and month. A date may
    /// stand for the timestamp of its midnight, a timestamp for its date. Without a known order, dates that
    /// can be read in one way only are read.
    pub(crate) fn given(kind: Temporal, order: DayOrder) -> Self {
        let year_last = match order {
            DayOrder::DayFirst => DAY_FIRST,
            DayOrder::MonthFirst => MONTH_FIRST,
            DayOrder::Unknown | DayOrder::Detect => DAY_FIRST | MONTH_FIRST,
        };
        Self(match kind {
            Temporal::Time => TIME,
            _ => YEAR_FIRST | year_last,
        })
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
    pub(crate) fn kind(self) -> Option<Temporal> {
        if self.0 & DATES != 0 {
            Some(Temporal::Date)
        } else if self.0 & ZONED != 0 {
            Some(Temporal::TimestampTz)
        } else if self.0 & TIMESTAMPS != 0 {
            Some(Temporal::Timestamp)
        } else if self.0 & TIME != 0 {
            Some(Temporal::Time)
        } else {
            None
        }
    }

    /// The one format to read with: where nothing tells the day from the month, the day is first.
    pub(crate) fn first(self) -> Self {
        Self(self.0 & self.0.wrapping_neg())
    }

    /// Where the year is last, is the month written before the day? `None` if that may be so or not, or if
    /// the year is never last.
    pub(crate) fn month_first(self) -> Option<bool> {
        match (self.0 & DAY_FIRST != 0, self.0 & MONTH_FIRST != 0) {
            (true, false) => Some(false),
            (false, true) => Some(true),
            _ => None,
        }
    }

    /// May the day be the month and the month the day?
    pub(crate) fn is_ambiguous(self) -> bool {
        self.0 & DAY_FIRST != 0 && self.0 & MONTH_FIRST != 0 && self.0 & YEAR_FIRST == 0
    }
}

/// A text taken apart.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    pub(crate) formats: Formats,
    /// The three numbers of a date, in the order of the text.
    date: [u32; 3],
    /// Microseconds since midnight; of UTC if there is a zone, and then perhaps of a day before or after.
    time: i64,
    /// How far the clocks of the zone are ahead of UTC.
    ahead: i64,
}

impl Moment {
    /// `None` if it is neither a date, nor a time, nor a timestamp.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        // The shortest is 8:30, the longest has nanoseconds and a zone.
        if bytes.len() < 4 || bytes.len() > 40 || !bytes[0].is_ascii_digit() {
            return None;
        }
        let Some((dates, date, rest)) = date(bytes) else {
            let formats = Formats(TIME);
            let (time, rest) = time(bytes)?;
            if !rest.is_empty() {
                return None;
            }
            let date = [0; 3];
            return Some(Self {
                formats,
                date,
                time,
                ahead: 0,
            });
        };
        let (formats, time, ahead) = match rest {
            [] => (dates, 0, 0),
            [b' ' | b'T', rest @ ..] => {
                let (time, rest) = time(rest)?;
                let zoned = if rest.is_empty() { 0 } else { dates << 9 };
                (dates << 18 | zoned, time, zone(rest)?)
            }
            _ => return None,
        };
        Some(Self {
            formats: Formats(formats),
            date,
            time: time - ahead,
            ahead,
        })
    }

    /// May it be one day or another in the given formats?
    pub(crate) fn is_doubtful(&self, given: Formats) -> bool {
        self.formats.and(given).is_ambiguous() && self.date[0] != self.date[1]
    }

    /// The value of a column of that kind, written in one of the given formats.
    pub(crate) fn value(&self, kind: Temporal, given: Formats) -> Option<i64> {
        let format = self.formats.and(given).first();
        if !format.fits() {
            return None;
        }
        let [a, b, c] = self.date;
        let days = || match format.0 {
            f if f & YEAR_FIRST != 0 => days_from_civil(a, b, c),
            f if f & DAY_FIRST != 0 => days_from_civil(c, b, a),
            _ => days_from_civil(c, a, b),
        };
        Some(match kind {
            Temporal::Date => days() + self.time.div_euclid(DAY),
            Temporal::Time => self.time,
            Temporal::Timestamp => days() * DAY + self.time,
            Temporal::TimestampTz => TemporalColumn::zoned(days() * DAY + self.time, self.ahead),
        })
    }
}

/// A column of texts as moments, and the texts that are none: each distinct text is read once. Blanks are
/// missing.
pub(crate) fn from_texts(column: &CategoricalColumn, reading: Reading) -> (TemporalColumn, Strays) {
    let mut strays = Strays::default();
    let texts = column.values().iter().zip(rows_of(column));
    let value = |(text, rows): (Option<&str>, usize)| match text.map(str::trim_ascii) {
        None | Some("") => TemporalColumn::MISSING,
        Some(text) => reading.value(text, rows, &mut strays),
    };
    let values: Vec<i64> = texts.map(value).collect();
    let codes = column.codes().iter();
    let values = codes.map(|&code| values[code as usize]).collect();
    let moments = TemporalColumn::new(reading.kind, values);
    let moments = moments.with_month_first(reading.given.month_first());
    (moments, strays)
}

/// In how many rows each value stands.
pub(crate) fn rows_of(column: &CategoricalColumn) -> Vec<usize> {
    let mut rows = vec![0; column.values().len()];
    for &code in column.codes() {
        rows[code as usize] += 1;
    }
    rows
}

/// The formats that all texts of a column have, blanks aside; any if it has no text.
pub(crate) fn common_formats(column: &CategoricalColumn) -> Formats {
    let mut formats = Formats::ANY;
    for text in column.values().iter().flatten().map(str::trim_ascii) {
        if !text.is_empty() {
            formats = formats.and(Formats::of(text));
        }
        if !formats.fits() {
            break;
        }
    }
    formats
}

/// How to read texts that are said to be of a kind: in the order of day and month that is known, else in
/// the one that more rows have, the day first if that does not tell.
pub(crate) fn reading_of(column: &CategoricalColumn, kind: Temporal, order: DayOrder) -> Reading {
    let order = match order {
        DayOrder::Detect => likely_order(column),
        known => known,
    };
    Reading::new(kind, order)
}

fn likely_order(column: &CategoricalColumn) -> DayOrder {
    let mut orders = Orders::default();
    for (text, rows) in column.values().iter().zip(rows_of(column)) {
        orders.add(Formats::of(text.unwrap_or_default().trim_ascii()), rows);
    }
    orders.likely()
}

/// How many texts may have the day, and how many the month, before the other. They are counted row by row:
/// distinct ones could not be counted without keeping them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Orders {
    days: usize,
    months: usize,
}

impl Orders {
    /// Adds a text that has these formats in some rows.
    pub(crate) fn add(&mut self, formats: Formats, rows: usize) {
        self.days += rows * usize::from(formats.0 & DAY_FIRST != 0);
        self.months += rows * usize::from(formats.0 & MONTH_FIRST != 0);
    }

    /// Adds those of other rows.
    pub(crate) fn append(&mut self, other: Self) {
        self.days += other.days;
        self.months += other.months;
    }

    /// The order that more texts have; the day first if that does not tell.
    pub(crate) fn likely(self) -> DayOrder {
        match (self.days, self.months) {
            (0, 0) => DayOrder::Unknown,
            (days, months) if months > days => DayOrder::MonthFirst,
            _ => DayOrder::DayFirst,
        }
    }
}

/// Days since 1970-01-01 of a date of the Gregorian calendar. Years start in March, so that the leap
/// day is their last, and 400 of them have 146 097 days.
fn days_from_civil(year: u32, month: u32, day: u32) -> i64 {
    let year = i64::from(year) - i64::from(month <= 2);
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * ((i64::from(month) + 9) % 12) + 2) / 5 + i64::from(day) - 1;
    let day_of_era = 365 * year_of_era + year_of_era / 4 - year_of_era / 100 + day_of_year;
    146_097 * era + day_of_era - 719_468
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

/// The formats of a date at the start, its numbers, and what follows it.
fn date(bytes: &[u8]) -> Option<(u32, [u32; 3], &[u8])> {
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
    (formats != 0).then_some((formats << (3 * separator), [first, second, third], rest))
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

/// Microseconds of `HH:MM[:SS[.fraction]]` at the start, and what follows.
fn time(bytes: &[u8]) -> Option<(i64, &[u8])> {
    let (hours, rest) = digits(bytes, 1, 2)?;
    let (minutes, mut rest) = digits(rest.strip_prefix(b":")?, 2, 2)?;
    let (mut seconds, mut micros) = (0, 0);
    if let Some(after) = rest.strip_prefix(b":") {
        (seconds, rest) = digits(after, 2, 2)?;
        if let Some(after) = rest.strip_prefix(b".") {
            let (_, next) = digits(after, 1, 9)?;
            let fraction = &after[..after.len() - next.len()];
            micros = (0..6).fold(0, |v, i| {
                10 * v + fraction.get(i).map_or(0, |b| i64::from(b - b'0'))
            });
            rest = next;
        }
    }
    // A leap second is written :60.
    if hours >= 24 || minutes >= 60 || seconds > 60 {
        return None;
    }
    let seconds = 3600 * hours + 60 * minutes + seconds.min(59);
    Some((i64::from(seconds) * SECOND + micros, rest))
}

/// How far a zone such as `Z`, `+01:00`, `-0500` or `+01` is ahead of UTC, in microseconds; nothing is
/// UTC. `None` for anything else.
fn zone(bytes: &[u8]) -> Option<i64> {
    let (sign, offset) = match bytes {
        [] | b"Z" => return Some(0),
        [b' ', rest @ ..] if !rest.is_empty() => return zone(rest),
        [b'+', offset @ ..] => (1, offset),
        [b'-', offset @ ..] => (-1, offset),
        _ => return None,
    };
    let (hours, rest) = digits(offset, 2, 2)?;
    let (minutes, rest) = match rest.strip_prefix(b":").unwrap_or(rest) {
        [] if rest.is_empty() => (0, rest),
        minutes => digits(minutes, 2, 2)?,
    };
    let is_offset = rest.is_empty() && hours < 24 && minutes < 60;
    is_offset.then_some(sign * i64::from(60 * hours + minutes) * 60 * SECOND)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn common(texts: &[&str]) -> Formats {
        let texts = texts.iter().map(|text| Formats::of(text));
        texts.fold(Formats::ANY, Formats::and)
    }

    fn kind(texts: &[&str]) -> Option<Temporal> {
        common(texts).kind()
    }

    fn value(text: &str, kind: Temporal, given: Formats) -> i64 {
        Reading { kind, given }.value(text, 1, &mut Strays::default())
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
            assert_eq!(kind(&[text]), Some(Temporal::Date), "{text}");
        }
        for text in ["8:30", "08:30:00", "23:59:60", "12:00:00.123456"] {
            assert_eq!(kind(&[text]), Some(Temporal::Time), "{text}");
        }
        for text in [
            "2025-11-30T08:30Z",
            "2025-11-30T08:30:00.5+01:00",
            "2025-11-30 08:30:00 -0500",
            "2025-11-30T08:30:00+01",
        ] {
            assert_eq!(kind(&[text]), Some(Temporal::TimestampTz), "{text}");
            // With others that have no zone, it is read by the clock of UTC.
            let mixed = [text, "2025-11-30 08:30:00"];
            assert_eq!(kind(&mixed), Some(Temporal::Timestamp), "{text}");
        }
        for text in ["2025-11-30 08:30:00", "30/11/2025 8:30"] {
            assert_eq!(kind(&[text]), Some(Temporal::Timestamp), "{text}");
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
        assert_eq!(kind(&["03/04/2025", "30/11/2025"]), Some(Temporal::Date));
        assert_eq!(kind(&["30/11/2025", "11/30/2025"]), None);
        assert_eq!(kind(&["2025-11-30", "2025/11/30"]), None);
        assert_eq!(kind(&["2025-11-30", "2025-11-30 10:00"]), None);
    }

    #[test]
    fn values() {
        let value = |text: &str| {
            let formats = Formats::of(text);
            let kind = formats.kind().expect("a moment");
            value(text, kind, formats.first())
        };
        assert_eq!(value("1970-01-01"), 0);
        assert_eq!(value("2000-03-01"), 11_017);
        assert_eq!(value("1969-12-31"), -1);
        assert_eq!(value("0001-01-01"), -719_162);
        assert_eq!(value("29.2.2024"), value("2024/2/29"));
        assert_eq!(
            value("03/04/2024"),
            value("2024-04-03"),
            "day first in doubt"
        );
        assert_eq!(value("12/31/2024"), value("2024-12-31"));
        assert_eq!(value("1970-01-02 00:00:01.5"), DAY + 3 * SECOND / 2);
        let moment = |text| TemporalColumn::moment(value(text));
        assert_eq!(moment("1970-01-02T00:00:01.5Z"), DAY + 3 * SECOND / 2);
        assert_eq!(moment("1969-12-31T23:59:59.999999Z"), -1);
        assert_eq!(value("07:42:33"), (7 * 3600 + 42 * 60 + 33) * SECOND);
        assert_eq!(value("23:59:60"), DAY - SECOND);
        assert_eq!(value("0:00:00.123456789"), 123_456);
    }

    /// The same moment, whatever the clock that tells it.
    #[test]
    fn a_zone_is_converted_to_utc() {
        let given = Formats::given(Temporal::Timestamp, DayOrder::DayFirst);
        let moment = |text| value(text, Temporal::Timestamp, given);
        let expected = moment("2024-03-01 01:30:00");
        assert_ne!(expected, TemporalColumn::MISSING);
        for text in [
            "2024-03-01T01:30:00Z",
            "2024-03-01T03:30:00+02:00",
            "2024-03-01 03:30 +0200",
            "2024-02-29T20:30:00-05",
            "2024-02-29T16:00:00.000-09:30",
            "1/3/2024 02:30:00+01",
        ] {
            assert_eq!(
                Formats::of(text).kind(),
                Some(Temporal::TimestampTz),
                "{text}"
            );
            assert_eq!(moment(text), expected, "{text}");
            let zoned = value(text, Temporal::TimestampTz, given);
            assert_eq!(TemporalColumn::moment(zoned), expected, "{text}");
            // The first sixteen characters are what the clocks show.
            let clock = if text.starts_with("1/") {
                "1/3/2024 02:30"
            } else {
                &text[..16]
            };
            assert_eq!(TemporalColumn::local(zoned), moment(clock), "{text}");
        }
        let day = |text| value(text, Temporal::Date, given);
        assert_eq!(day("2024-02-29T20:30:00-05"), day("2024-03-01"));
        assert_eq!(day("2024-03-01T00:30:00+02:00"), day("2024-02-29"));
        for text in [
            "+2", "+24:00", "+02:60", "+02:", "+02:0", "+020", "z", "CET", " ",
        ] {
            let text = format!("2024-03-01T01:30:00{text}");
            assert_eq!(Formats::of(&text).kind(), None, "{text}");
        }
    }

    #[test]
    fn a_kind_is_given() {
        let given = Formats::given(Temporal::Timestamp, DayOrder::MonthFirst);
        let read = |text| value(text, Temporal::Timestamp, given);
        assert_eq!(read("1970-01-02"), DAY);
        assert_eq!(read("02/01/1970 00:00"), 31 * DAY);
        assert_eq!(read("31/12/1970 00:00"), TemporalColumn::MISSING);
        assert_eq!(read("noon"), TemporalColumn::MISSING);
        let likely = |texts: &[&str]| {
            let column = texts.iter().map(|text| Some(*text)).collect();
            reading_of(&column, Temporal::Date, DayOrder::Detect)
                .given
                .month_first()
        };
        assert_eq!(likely(&["3/4/2024", "13/4/2024", "nothing"]), Some(false));
        assert_eq!(likely(&["3/4/2024", "4/13/2024", "2024-01-01"]), Some(true));
        assert_eq!(likely(&["3/4/2024"]), Some(false));
        assert_eq!(likely(&["2024-01-01", "nothing"]), None);
        // Rows count, not distinct texts.
        let rows = ["4/13/2024", "4/14/2024", "13/4/2024", "13/4/2024"];
        assert_eq!(likely(&[&rows[..], &rows[3..]].concat()), Some(false));
    }

    #[test]
    fn in_doubt() {
        assert!(common(&["3/4/2024", "5/5/2024"]).is_ambiguous());
        assert!(!common(&["3/4/2024", "13/5/2024"]).is_ambiguous());
        assert!(!common(&["2024-01-01"]).is_ambiguous());
        assert!(!Formats::ANY.is_ambiguous());
        assert_eq!(common(&["12/31/2024"]).first().month_first(), Some(true));
        assert_eq!(common(&["1/2/2024"]).first().month_first(), Some(false));
        assert_eq!(common(&["2024-01-02"]).first().month_first(), None);
        assert_eq!(common(&["10:30"]).first().month_first(), None);
    }

    #[test]
    fn without_an_order_only_what_is_certain_is_read() {
        let given = Formats::given(Temporal::Date, DayOrder::Unknown);
        for (text, certain) in [
            ("2024-04-03", Some("2024-04-03")),
            ("13/04/2024", Some("2024-04-13")),
            ("4/13/2024", Some("2024-04-13")),
            ("4.4.2024", Some("2024-04-04")),
            ("3/4/2024", None),
            ("03/04/2024 10:00", None),
            ("12-11-2024", None),
        ] {
            let moment = Moment::read(text).expect("a date");
            assert_eq!(moment.is_doubtful(given), certain.is_none(), "{text}");
            if let Some(certain) = certain {
                let same = value(certain, Temporal::Date, given);
                assert_eq!(value(text, Temporal::Date, given), same, "{text}");
            }
            let known = Formats::given(Temporal::Date, DayOrder::DayFirst);
            assert!(!moment.is_doubtful(known), "{text}");
        }
    }

    #[test]
    fn days_follow_each_other() {
        let mut days = days_from_civil(1899, 12, 31);
        for year in 1900..2101 {
            for month in 1..13 {
                for day in (1..32).filter(|&day| is_date(year, month, day)) {
                    days += 1;
                    assert_eq!(days_from_civil(year, month, day), days);
                }
            }
        }
    }
}
