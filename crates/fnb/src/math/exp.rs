//! Exponentials of many numbers at once.

use multiversion::multiversion;
use std::f64::consts::LOG2_E;

/// Arguments beyond this, on either side, are taken for it: the result is then a normal number.
pub const LARGEST_ARGUMENT: f64 = 708.0;

/// Adding it to a number of moderate size leaves the nearest integer in the low bits of the sum.
const ROUNDER: f64 = 6_755_399_441_055_744.0;
/// ln 2 in two pieces: the first has few enough digits for its multiples to be exact.
const LN_2_HIGH: f64 = 0.693_147_180_369_123_8;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// 1/13!, 1/12!, … 1/2!, 1, 1: the Taylor series, exact to the last digit on ±(ln 2)/2.
const SERIES: [f64; 14] = [
    1.605_904_383_682_161_5e-10,
    2.087_675_698_786_81e-9,
    2.505_210_838_544_172e-8,
    2.755_731_922_398_589_3e-7,
    2.755_731_922_398_589e-6,
    2.480_158_730_158_73e-5,
    1.984_126_984_126_984e-4,
    1.388_888_888_888_889e-3,
    8.333_333_333_333_333e-3,
    4.166_666_666_666_666_4e-2,
    0.166_666_666_666_666_66,
    0.5,
    1.0,
    1.0,
];

/// Replaces every number by its exponential, exact to 1e-15 of its size.
///
/// The same bits come out on every machine, whatever its vector instructions.
///
/// ```
/// let mut values = [0.0, 1.0, -2.5];
/// fnb::math::exp::exp_in_place(&mut values);
/// assert_eq!(values[0], 1.0);
/// assert!((values[2] - (-2.5_f64).exp()).abs() < 1e-15);
/// ```
#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+fma",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
pub fn exp_in_place(values: &mut [f64]) {
    for value in values {
        let x = value.clamp(-LARGEST_ARGUMENT, LARGEST_ARGUMENT);
        let rounded = x.mul_add(LOG2_E, ROUNDER);
        let power = rounded - ROUNDER;
        let rest = power.mul_add(-LN_2_LOW, power.mul_add(-LN_2_HIGH, x));
        let mut series = SERIES[0];
        for &term in &SERIES[1..] {
            series = series.mul_add(rest, term);
        }
        // Multiplies by 2^power: the low bits of `rounded` become an exponent.
        *value = f64::from_bits(series.to_bits().wrapping_add(rounded.to_bits() << 52));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_standard_library() {
        let arguments: Vec<f64> = (-70_800..=70_800).map(|i| f64::from(i) * 0.01).collect();
        let mut values = arguments.clone();
        exp_in_place(&mut values);
        for (x, found) in arguments.iter().zip(values) {
            let expected = x.exp();
            let error = (found - expected).abs() / expected;
            assert!(error < 1e-15, "exp({x}) = {found}, not {expected}");
        }
    }

    #[test]
    fn extremes_stay_normal() {
        let mut values = [1e300, -1e300, f64::INFINITY, f64::NEG_INFINITY];
        exp_in_place(&mut values);
        assert!(values.iter().all(|v| v.is_normal()), "{values:?}");
    }
}
