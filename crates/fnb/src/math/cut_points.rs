//! The value written for a cut: the roundest number near the middle (docs/method.md §2.6).

use crate::math::decimal::{digits, from_digits, round_to_10_digits};

/// Bound between the largest value `x1` of an interval and the smallest value `x2` of the next.
/// Values equal to the bound are on its left.
pub(crate) fn cut_between(x1: f64, x2: f64) -> f64 {
    if x1 == f64::NEG_INFINITY {
        // A bound must be finite; any number below the next value will do.
        return if x2 > -1e307 { -1e307 } else { f64::MIN };
    }
    let low = (11.0 * x1 + 9.0 * x2) / 20.0;
    let high = (9.0 * x1 + 11.0 * x2) / 20.0;
    if !(low.is_finite() && high.is_finite()) {
        return x1;
    }
    let (low, high) = (low.clamp(x1, x2), high.clamp(x1, x2));
    let centre = f64::midpoint(low, high);
    if centre == 0.0 {
        return 0.0;
    }
    let rounded = roundest(centre.abs(), (high - low) / 2.0).copysign(centre);
    let cut = round_to_10_digits(rounded.clamp(low, high));
    if cut <= x1 || cut >= x2 { x1 } else { cut }
}

/// The number with the fewest digits, by truncation, within `tolerance` of `centre`.
fn roundest(centre: f64, tolerance: f64) -> f64 {
    let (mut mantissa, mut exponent) = digits(centre);
    let mut accepted = centre;
    loop {
        let candidate = from_digits(mantissa, exponent);
        if (centre - candidate).abs() >= tolerance {
            return accepted;
        }
        accepted = candidate;
        if mantissa == 0 {
            return accepted;
        }
        mantissa /= 10;
        exponent += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_examples() {
        for (x1, x2, cut) in [
            (1.9, 3.0, 2.4),
            (4.7, 4.8, 4.75),
            (0.6, 1.0, 0.8),
            (27.0, 28.0, 27.5),
            (4934.0, 5178.0, 5050.0),
            (-3.1, -2.95, -3.02),
            (-0.5, 0.7, 0.1),
            (-0.5, 0.52, 0.0),
            (1_234_567.0, 1_234_890.0, 1_234_720.0),
        ] {
            assert_eq!(cut_between(x1, x2), cut);
        }
    }

    #[test]
    fn extreme_values_keep_a_finite_cut_between_them() {
        let extremes = [
            f64::NEG_INFINITY,
            -1e300,
            -1.0,
            0.0,
            1e-300,
            1.0,
            1e300,
            f64::INFINITY,
        ];
        for pair in extremes.windows(2) {
            let cut = cut_between(pair[0], pair[1]);
            assert!(
                cut.is_finite() && pair[0] <= cut && cut < pair[1],
                "{pair:?}: {cut}"
            );
        }
    }
}
