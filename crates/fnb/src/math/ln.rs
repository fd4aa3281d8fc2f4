//! Logarithms of many numbers at once.

use multiversion::multiversion;
use std::f64::consts::SQRT_2;

/// ln 2 in two pieces: the first has few enough digits for its multiples to be exact.
const LN_2_HIGH: f64 = 0.693_147_180_369_123_8;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// 1/19, 1/17, … 1/3, 1: the series of artanh, exact to the last digit or two on ±0.1716.
const SERIES: [f64; 10] = [
    1.0 / 19.0,
    1.0 / 17.0,
    1.0 / 15.0,
    1.0 / 13.0,
    1.0 / 11.0,
    1.0 / 9.0,
    1.0 / 7.0,
    1.0 / 5.0,
    1.0 / 3.0,
    1.0,
];
/// A double whose low bits count: adding a small integer to its bits adds it to the number.
const COUNTER: f64 = 4_503_599_627_370_496.0;

/// Replaces every positive normal number by its logarithm, exact to 1e-15 of its size or of 1.
///
/// The same bits come out on every machine, whatever its vector instructions.
///
/// ```
/// let mut values = [1.0, 2.0, 1e-300];
/// fnb::math::ln::ln_in_place(&mut values);
/// assert_eq!(values[0], 0.0);
/// assert!((values[2] - 1e-300_f64.ln()).abs() < 1e-12);
/// ```
#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+fma",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
pub fn ln_in_place(values: &mut [f64]) {
    for value in values {
        let bits = value.to_bits();
        // x = 2^power · rest, with the rest between 1 and 2, then between √½ and √2.
        let exponent = f64::from_bits(COUNTER.to_bits() | (bits >> 52)) - COUNTER;
        let rest = f64::from_bits((bits & ((1 << 52) - 1)) | 1.0_f64.to_bits());
        let is_large = rest > SQRT_2;
        let power = exponent - if is_large { 1022.0 } else { 1023.0 };
        let rest = if is_large { 0.5 * rest } else { rest };
        // ln(rest) = 2 artanh(s).
        let s = (rest - 1.0) / (rest + 1.0);
        let square = s * s;
        let mut series = SERIES[0];
        for &term in &SERIES[1..] {
            series = series.mul_add(square, term);
        }
        *value = power.mul_add(LN_2_HIGH, (2.0 * s).mul_add(series, power * LN_2_LOW));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_standard_library() {
        let steps = (-70_000..=70_000).map(|i| (f64::from(i) * 0.01).exp());
        let near_one = (-5_000..=5_000).map(|i| 1.0 + f64::from(i) * 1e-4);
        let arguments: Vec<f64> = steps.chain(near_one).collect();
        let mut values = arguments.clone();
        ln_in_place(&mut values);
        for (x, found) in arguments.iter().zip(values) {
            let expected = x.ln();
            let error = (found - expected).abs() / expected.abs().max(1e-3);
            assert!(error < 1e-15, "ln({x}) = {found}, not {expected}");
        }
    }
}
