//! Numbers with 10 significant decimal digits (docs/method.md §0.4).

/// Powers of ten that are exact in double precision.
const EXACT_POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// `value · 10^exponent` when both factors are exact, so that the result is correctly rounded.
fn scale(value: f64, exponent: i32) -> Option<f64> {
    let power = EXACT_POWERS.get(exponent.unsigned_abs() as usize)?;
    Some(if exponent >= 0 {
        value * power
    } else {
        value / power
    })
}

/// Exponent `e` with `10^e ≤ |value| < 10^(e+1)`, perhaps one too small or too large next to a
/// power of ten.
fn decimal_exponent(value: f64) -> i32 {
    let binary = ((value.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    // log10(2) as a fraction; the mantissa adds less than one decade.
    (binary * 78_913) >> 18
}

/// The number nearest to `value` that is written with 10 significant digits, halves away from zero.
/// NaN and infinities are unchanged, `-0.0` becomes `0.0`.
///
/// ```
/// use fnb::math::decimal::round_to_10_digits;
/// assert_eq!(round_to_10_digits(0.1 + 0.2), 0.3);
/// assert_eq!(round_to_10_digits(12345678901.0), 12345678900.0);
/// assert_eq!(round_to_10_digits(-2.5), -2.5);
/// ```
#[inline]
pub fn round_to_10_digits(value: f64) -> f64 {
    if small_integer(value).is_some() {
        return value + 0.0;
    }
    if !value.is_finite() {
        return value;
    }
    fast_round(value).unwrap_or_else(|| slow_round(value))
}

/// Integers of up to ten digits are the commonest numbers of all.
#[inline]
fn small_integer(value: f64) -> Option<i64> {
    // There and back in two instructions; `trunc` is a call on processors without SSE 4.1.
    let integer = value as i64;
    (value.abs() < 1e10 && integer as f64 == value).then_some(integer)
}

/// The nearest integer, halves to even, of a number below 2^51; for the same reason not a call.
#[inline]
fn nearest_integer(value: f64) -> f64 {
    const NO_FRACTIONS: f64 = 6_755_399_441_055_744.0; // 1.5 · 2^52
    (value + NO_FRACTIONS) - NO_FRACTIONS
}

/// Scales to a ten-digit integer, rounds, scales back. Gives up when the scaling is not exact
/// enough to tell on which side of a tie the value lies.
fn fast_round(value: f64) -> Option<f64> {
    let mut shift = 9 - decimal_exponent(value);
    let mut scaled = scale(value, shift)?;
    if scaled.abs() >= 1e10 {
        shift -= 1;
        scaled = scale(value, shift)?;
    }
    let rounded = nearest_integer(scaled);
    if ((scaled - rounded).abs() - 0.5).abs() < 1e-5 || scaled.abs() < 1e9 {
        return None;
    }
    scale(rounded, -shift)
}

/// On the shortest decimal that reads back as the value, what a text file would hold: halves go
/// away from zero, as in the reference, whatever the binary representation of the decimal.
#[cold]
fn slow_round(value: f64) -> f64 {
    let text = format!("{value:e}");
    let (decimal, exponent) = text
        .split_once('e')
        .expect("scientific notation has an exponent");
    let mut digits = decimal
        .bytes()
        .filter(u8::is_ascii_digit)
        .map(|digit| u64::from(digit - b'0'));
    let mantissa = (0..10).fold(0, |mantissa, _| 10 * mantissa + digits.next().unwrap_or(0));
    let round_up = u64::from(digits.next().unwrap_or(0) >= 5);
    let exponent: i32 = exponent.parse().expect("the exponent is an integer");
    from_digits(mantissa + round_up, exponent - 9).copysign(value)
}

/// A number of at most 10 significant digits as `mantissa / 10^shift`; `None` where powers of ten are
/// not exact.
pub(crate) fn ten_digits(value: f64) -> Option<(i64, i32)> {
    if let Some(integer) = small_integer(value) {
        return Some((integer, 0));
    }
    let shift = 9 - decimal_exponent(value);
    let mantissa = scale(value, shift)?;
    Some((nearest_integer(mantissa) as i64, shift))
}

/// A number of at most 10 significant digits as an integer over `power`, a power of ten: `None` if it
/// is none, or one of 15 digits or more.
#[inline]
pub(crate) fn over_power(value: f64, power: f64) -> Option<i64> {
    let scaled = value * power;
    let integer = nearest_integer(scaled);
    // No two decimals of 15 digits have the same nearest double: equal doubles, equal decimals.
    (scaled.abs() < 1e15 && integer / power == value).then_some(integer as i64)
}

/// `10^exponent` as the nearest double.
pub(crate) fn power_of_ten(exponent: i32) -> f64 {
    scale(1.0, exponent).unwrap_or_else(|| from_digits(1, exponent))
}

/// The number of 10 digits that the reference makes of a double (docs/method.md §0.4): the same but
/// for halves, and for numbers outside of its range.
pub(crate) fn round_as_reference(value: f64) -> f64 {
    if small_integer(value).is_some() || value.is_nan() {
        return value + 0.0;
    }
    let (mantissa, exponent) = reference_digits(value.abs());
    from_digits(mantissa as u64, exponent).copysign(value) + 0.0
}

/// The double that the reference holds for a number of 10 digits: its mantissa times a power of ten,
/// which is not always the double nearest to the decimal, not even to an integer.
pub(crate) fn reference_double(value: f64) -> f64 {
    if value.is_nan() {
        return value;
    }
    let (mantissa, exponent) = reference_digits(value.abs());
    (mantissa * power_of_ten(exponent)).copysign(value) + 0.0
}

/// A mantissa of 10 digits, an integer, and an exponent as the reference finds them: it multiplies by
/// the double of a power of ten, adds a half and drops what is behind the point. Dividing by a power,
/// scaling in two steps, the exact decimal and the shortest one were tried: each gives other digits
/// than the reference for some halves.
fn reference_digits(size: f64) -> (f64, i32) {
    const LEAST: f64 = 1e-100;
    const LARGEST: f64 = 1e100;
    if size < LEAST {
        return (0.0, 0);
    }
    let size = size.min(LARGEST);
    let mut exponent = decimal_exponent(size);
    if size >= power_of_ten(exponent + 1) {
        exponent += 1;
    }
    let mantissa = size * power_of_ten(9 - exponent) + 0.5;
    // Not `floor`, for the same reason as in `small_integer`.
    (mantissa as i64 as f64, exponent - 9)
}

/// The decimal `mantissa · 10^exponent` with a mantissa of exactly 10 digits, for a positive value.
pub(crate) fn digits(value: f64) -> (u64, i32) {
    let text = format!("{value:.9e}");
    let (mantissa, exponent) = text
        .split_once('e')
        .expect("scientific notation has an exponent");
    let mantissa = mantissa.bytes().filter(u8::is_ascii_digit);
    let mantissa = mantissa.fold(0, |m, digit| 10 * m + u64::from(digit - b'0'));
    (
        mantissa,
        exponent.parse::<i32>().expect("the exponent is an integer") - 9,
    )
}

/// `mantissa · 10^exponent` as the nearest double.
pub(crate) fn from_digits(mantissa: u64, exponent: i32) -> f64 {
    scale(mantissa as f64, exponent).unwrap_or_else(|| {
        format!("{mantissa}e{exponent}")
            .parse()
            .expect("a decimal parses")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::order_key::{key_of, value_of};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn fast_and_slow_rounding_agree(value in proptest::num::f64::NORMAL) {
            prop_assert_eq!(round_to_10_digits(value), slow_round(value));
        }

        #[test]
        fn the_reference_rounds_as_others_but_for_halves(value in -1e20..1e20, exponent in -30..10) {
            let value = value * 10_f64.powi(exponent);
            let (found, rounded) = (round_as_reference(value), round_to_10_digits(value));
            let is_half = fast_round(value).is_none();
            prop_assert!(found == rounded || is_half, "{found} {rounded}");
            prop_assert_eq!(round_as_reference(reference_double(rounded)), rounded);
        }

        #[test]
        fn short_decimals_are_kept(mantissa in -9_999_999_999_i64..=9_999_999_999, exponent in -30..30) {
            let value: f64 = format!("{mantissa}e{exponent}").parse().expect("number");
            prop_assert_eq!(round_to_10_digits(value), value);
            prop_assert_eq!(round_to_10_digits(value_of(key_of(value))), value);
        }

        #[test]
        fn integers_over_a_power(mantissa in -9_999_999_999_i64..=9_999_999_999, digits in 0..18_i32, more in -4..5_i32) {
            let value: f64 = format!("{mantissa}e-{digits}").parse().expect("number");
            let wanted = digits + more;
            prop_assume!(wanted >= 0);
            let exact = if more >= 0 {
                Some(mantissa * 10_i64.pow(more as u32))
            } else {
                let power = 10_i64.pow(more.unsigned_abs());
                (mantissa % power == 0).then_some(mantissa / power)
            };
            let exact = exact.filter(|integer| integer.abs() < 1_000_000_000_000_000);
            prop_assert_eq!(over_power(value, power_of_ten(wanted)), exact);
        }

        #[test]
        fn nearest_integers(value in -1e15..1e15) {
            prop_assert_eq!(nearest_integer(value), value.round_ties_even());
            prop_assert_eq!(nearest_integer(value.trunc() + 0.5), (value.trunc() + 0.5).round_ties_even());
        }

        #[test]
        fn keys_sort_as_the_numbers(a in proptest::num::f64::NORMAL, b in proptest::num::f64::NORMAL) {
            let (a, b) = (round_to_10_digits(a), round_to_10_digits(b));
            prop_assert_eq!(a.partial_cmp(&b), Some(key_of(a).cmp(&key_of(b))));
        }
    }

    #[test]
    fn doubles_of_the_reference() {
        // From its published unit vectors.
        assert_eq!(reference_double(0.3333333333), 0.33333333330000003);
        assert_eq!(reference_double(2022.469698), 2022.4696979999999);
        assert_eq!(reference_double(1234567.891), 1234567.891);
        assert_eq!(reference_double(-0.0001234567891), -0.0001234567891);
        assert_eq!(reference_double(142857142900000.0), 142857142900000.0);
        // As it computes with them: less their largest integer they are not 0.
        assert_eq!(reference_double(11118.0), 11118.0);
        assert_eq!(reference_double(11119.0), 11119.0 + 1.818989404e-12);
        assert_eq!(reference_double(7.5), 7.5 + 8.881784197e-16);
    }

    #[test]
    fn halves_as_the_reference_rounds_them() {
        // What it gives for half of the sum of two numbers.
        for (a, b, rounded) in [
            (466.4843848, 466.5850957, 466.5347403),
            (0.001302595366, 0.001304415857, 0.001303505612),
            (17192795.14, 17198147.41, 17195471.27),
            (0.002007773001, 0.002009294412, 0.002008533706),
            (-37289.45332, -37295.55229, -37292.5028),
        ] {
            let sum = reference_double(a) + reference_double(b);
            assert_eq!(round_as_reference(sum / 2.0), rounded);
        }
        // Beyond what it can hold.
        for (value, rounded) in [
            (9.999_999_999_9e-101, 0.0),
            (1e-100, 1e-100),
            (-1e-101, 0.0),
            (1e101, 1e100),
            (f64::NEG_INFINITY, -1e100),
        ] {
            assert_eq!(round_as_reference(value).to_bits(), f64::to_bits(rounded));
        }
        assert!(round_as_reference(f64::NAN).is_nan());
    }

    #[test]
    fn digits_and_back() {
        assert_eq!(digits(2.45), (2_450_000_000, -9));
        assert_eq!(from_digits(245, -2), 2.45);
        assert_eq!(round_to_10_digits(9_999_999_999.6), 1e10);
        // Halves of the decimal, not of its binary approximation.
        assert_eq!(round_to_10_digits(1.000_000_000_5), 1.000_000_001);
        assert_eq!(round_to_10_digits(-2.000_000_000_5), -2.000_000_001);
        assert_eq!(round_to_10_digits(1.000_000_000_499), 1.0);
    }
}
