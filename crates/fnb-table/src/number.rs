//! Text to numbers, with the 10 significant digits every number carries (docs/method.md §0.4).

use fnb::math::decimal::round_to_10_digits;

/// Powers of ten that are exact in double precision.
const EXACT_POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// What a field that should be a number holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Number {
    /// A number, rounded to 10 digits.
    Value(f64),
    /// Written as a number, but larger than any double.
    OutOfRange,
    /// Something else.
    Not,
}

/// The number of a truth value: where numbers are wanted, `true` is 1 and `false` is 0.
pub(crate) fn truth_value(text: &str) -> Option<f64> {
    if text.eq_ignore_ascii_case("true") {
        return Some(1.0);
    }
    text.eq_ignore_ascii_case("false").then_some(0.0)
}

/// A plain decimal at the start of `bytes` that ends before `separator` or a line feed: its value
/// and its length. `None` when the general way has to be taken: blanks, exponents, decimal commas,
/// very long numbers, and everything that is no number.
#[inline]
pub(crate) fn plain_decimal(bytes: &[u8], separator: u8) -> Option<(f64, usize)> {
    let (digits, negative) = plain_digits(bytes, separator)?;
    // Signed integers are converted in one instruction, unsigned ones are not.
    let mut value = digits.mantissa as i64 as f64;
    if digits.decimals > 0 {
        value /= EXACT_POWERS[digits.decimals];
    }
    if digits.mantissa >= 10_000_000_000 {
        value = round_to_10_digits(value);
    }
    // Adding zero turns -0 into 0.
    let value = if negative { -value } else { value } + 0.0;
    Some((value, usize::from(negative) + digits.length))
}

/// The length of a plain decimal, where its value is of no interest.
#[inline]
pub(crate) fn plain_length(bytes: &[u8], separator: u8) -> Option<usize> {
    let (digits, negative) = plain_digits(bytes, separator)?;
    Some(usize::from(negative) + digits.length)
}

/// The digits of a plain decimal, and whether a minus is before them.
#[inline]
fn plain_digits(bytes: &[u8], separator: u8) -> Option<(Digits, bool)> {
    let negative = *bytes.first()? == b'-';
    let unsigned = &bytes[usize::from(negative)..];
    let short = unsigned.first_chunk().and_then(|word| short_digits(*word));
    let digits = match short {
        Some(digits) => digits,
        None => any_digits(unsigned)?,
    };
    let end = unsigned[digits.length];
    (end == separator || end == b'\n').then_some((digits, negative))
}

/// The digits of an unsigned decimal: `mantissa / 10^decimals`, written in `length` bytes.
struct Digits {
    mantissa: u64,
    decimals: usize,
    length: usize,
}

/// The same byte eight times.
const fn eight(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// Digits that end within eight bytes, handled together: a loop over bytes would be mispredicted at
/// the end of nearly every number.
#[inline]
fn short_digits(bytes: [u8; 8]) -> Option<Digits> {
    let word = u64::from_le_bytes(bytes);
    let values = word ^ eight(b'0');
    // The high bit of every byte that is not a digit, that is, above 9.
    let others = (((values & eight(0x7f)) + eight(0x76)) | values) & eight(0x80);
    if others == 0 {
        return None;
    }
    let first = others.trailing_zeros() as usize / 8;
    let (digits, count, decimals, length) = if bytes[first] == b'.' {
        let others = others & (others - 1);
        if others == 0 {
            return None;
        }
        let end = others.trailing_zeros() as usize / 8;
        let before = (1_u64 << (8 * first)) - 1;
        (
            (values & before) | ((values >> 8) & !before),
            end - 1,
            end - first - 1,
            end,
        )
    } else {
        (values, first, 0, first)
    };
    if count == 0 {
        return None;
    }
    // Zeros in front, then pairs, quadruples and all eight digits are joined.
    let digits = digits << (8 * (8 - count));
    let pairs = (digits * 10 + (digits >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs * 100 + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    let mantissa = (fours * 10_000 + (fours >> 32)) & 0xffff_ffff;
    Some(Digits {
        mantissa,
        decimals,
        length,
    })
}

/// Up to 15 digits, so that they are below 2^53 and both factors of the quotient are exact.
fn any_digits(bytes: &[u8]) -> Option<Digits> {
    let mut mantissa = 0_u64;
    let mut point = None;
    for (at, &byte) in bytes.iter().enumerate().take(17) {
        match byte {
            b'0'..=b'9' => mantissa = mantissa * 10 + u64::from(byte - b'0'),
            b'.' if point.is_none() => point = Some(at),
            _ => {
                let count = at - usize::from(point.is_some());
                let decimals = point.map_or(0, |point| at - point - 1);
                return (1..=15).contains(&count).then_some(Digits {
                    mantissa,
                    decimals,
                    length: at,
                });
            }
        }
    }
    None
}

/// The number written in a whole field (docs/method.md §1.1): optional sign, digits with `.` or `,`
/// as decimal mark, optional exponent. Blanks around it do not count.
pub(crate) fn parse_number(text: &str) -> Number {
    let bytes = text.as_bytes().trim_ascii();
    if !is_written_as_number(bytes) {
        return Number::Not;
    }
    let unsigned = bytes.strip_prefix(b"+").unwrap_or(bytes);
    let value = match memchr::memchr(b',', bytes) {
        None => fast_float2::parse::<f64, _>(unsigned),
        Some(at) => {
            let mut pointed = bytes.to_vec();
            pointed[at] = b'.';
            fast_float2::parse::<f64, _>(pointed.strip_prefix(b"+").unwrap_or(&pointed))
        }
    };
    match value {
        Ok(value) if value.is_finite() => Number::Value(round_to_10_digits(value) + 0.0),
        Ok(_) => Number::OutOfRange,
        Err(_) => Number::Not,
    }
}

/// Sign, digits with at most one decimal mark, exponent?
fn is_written_as_number(bytes: &[u8]) -> bool {
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let sign = |at: usize| at + usize::from(matches!(bytes.get(at), Some(b'+' | b'-')));
    let start = sign(0);
    let mut at = digits(start);
    let mut count = at - start;
    if let Some(b'.' | b',') = bytes.get(at) {
        let end = digits(at + 1);
        count += end - at - 1;
        at = end;
    }
    if count == 0 {
        return false;
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        let first = sign(at + 1);
        at = digits(first);
        if at == first {
            return false;
        }
    }
    at == bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_a_number() {
        let value = |text| match parse_number(text) {
            Number::Value(value) => value,
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(value(".5"), 0.5);
        assert_eq!(value("5."), 5.0);
        assert_eq!(value("1e3"), 1000.0);
        assert_eq!(value("-2.5E-2"), -0.025);
        assert_eq!(value("1,5"), 1.5);
        assert_eq!(value("+1,5e+1"), 15.0);
        assert_eq!(value(" 7 "), 7.0);
        assert_eq!(value("0.30000000000000004"), 0.3);
        assert_eq!(value("1e-999"), 0.0);
        assert!(value("-0.0").is_sign_positive());
        for text in [
            "", "NA", "nan", "inf", "-", "+", ".", ",", "e5", "1e", "1e+", "1,2,3", "1.2.3",
            "0x10", "1 2", "--1", "+-1", "1_000", "infinity", "１",
        ] {
            assert_eq!(parse_number(text), Number::Not, "{text:?}");
        }
        assert_eq!(parse_number("1e999"), Number::OutOfRange);
        assert_eq!(parse_number("-1e999"), Number::OutOfRange);
    }

    proptest! {
        #[test]
        fn the_plain_way_agrees_with_the_standard_library(text in "-?[0-9]{0,12}(\\.[0-9]{0,12})?") {
            let expected = text.parse::<f64>().map(|v| round_to_10_digits(v) + 0.0);
            let general = parse_number(&text);
            prop_assert_eq!(general, expected.clone().map_or(Number::Not, Number::Value));
            if let Some((value, length)) = plain_decimal(format!("{text}\tx").as_bytes(), b'\t') {
                prop_assert_eq!(Ok(value), expected);
                prop_assert!(value.is_sign_positive() == (value >= 0.0));
                prop_assert_eq!(length, text.len());
            }
        }

        #[test]
        fn the_general_way_agrees_with_the_standard_library(value in proptest::num::f64::NORMAL) {
            let expected = Number::Value(round_to_10_digits(value));
            prop_assert_eq!(parse_number(&value.to_string()), expected);
            prop_assert_eq!(parse_number(&format!("{value:e}")), expected);
            prop_assert_eq!(parse_number(&value.to_string().replace('.', ",")), expected);
        }
    }

    #[test]
    fn the_plain_way_stops_at_the_field_end() {
        assert_eq!(plain_decimal(b"12,x", b','), Some((12.0, 2)));
        assert_eq!(plain_decimal(b"-1.5\nx", b','), Some((-1.5, 4)));
        assert_eq!(plain_decimal(b"12;x", b','), None);
        assert_eq!(plain_decimal(b"-,", b','), None);
        assert_eq!(plain_decimal(b".,", b','), None);
        assert_eq!(plain_decimal(b"12", b','), None);
    }
}
