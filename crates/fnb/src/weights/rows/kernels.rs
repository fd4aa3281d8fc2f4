//! The loops over rows. Nothing else in this crate is vectorised by hand.
//!
//! Each is a plain loop compiled for several instruction sets, the best being chosen when the
//! program runs. Lanes are explicit and products fused explicitly, so that all versions return the
//! same bits. Table look-ups are kept apart in loops without vector instructions: processors load
//! scattered numbers no faster with them, and many much slower.

#![expect(
    clippy::inline_always,
    reason = "a helper must become part of each version of its kernel"
)]

use crate::math::quantum::Quantum;
use multiversion::multiversion;
use std::f64::consts::LN_2;

/// Rows handled at a time: buffers of that length stay in the first cache.
pub(crate) const CHUNK: usize = 256;
/// Numbers multiplied or added side by side.
pub(crate) const LANES: usize = 8;
/// The range of posteriors and odds goes from here to its inverse; what is beyond is kept as a
/// logarithm (see [`Beyond`](super::beyond::Beyond)).
pub(crate) const FLOOR: f64 = 1e-120;
/// `−ln FLOOR`.
pub(crate) const LARGEST_LOG: f64 = 276.310_211_159_285_5;

const EXPONENT_SHIFT: u32 = 52;
const MANTISSA: u64 = (1 << EXPONENT_SHIFT) - 1;
const SQRT_HALF: u64 = std::f64::consts::FRAC_1_SQRT_2.to_bits();
/// Makes exponents positive.
const BIAS: u64 = 1024;
/// An integer in the low bits of this double is added to it.
const TWO_TO_52: f64 = 4_503_599_627_370_496.0;
/// `(artanh(s)/s − 1)/s²` as a polynomial of s², the highest power first: exact to 3e-16 of the
/// logarithm (interpolated at the Chebyshev nodes of the numbers from √½ to √2).
const ARTANH: [f64; 6] = [
    0.083_109_085_764_294_64,
    0.090_700_969_014_329_96,
    0.111_114_311_400_543_58,
    0.142_857_120_691_620_8,
    0.200_000_000_056_032_52,
    0.333_333_333_333_310_4,
];

/// `ln x` of a positive normal number, exact to 9e-16 of it, or of 1 if it is beyond √½ and √2.
#[inline(always)]
fn ln(x: f64) -> f64 {
    // x = m · 2^e with m from √½ to √2, then ln m = 2 artanh((m − 1)/(m + 1)).
    let shifted = x.to_bits().wrapping_sub(SQRT_HALF);
    let exponent = shifted.wrapping_add(BIAS << EXPONENT_SHIFT) >> EXPONENT_SHIFT;
    let exponent = f64::from_bits(exponent | TWO_TO_52.to_bits()) - (TWO_TO_52 + BIAS as f64);
    let m = f64::from_bits((shifted & MANTISSA).wrapping_add(SQRT_HALF));
    let s = (m - 1.0) / (m + 1.0);
    let square = s * s;
    let mut series = ARTANH[0];
    for coefficient in &ARTANH[1..] {
        series = series.mul_add(square, *coefficient);
    }
    let twice = s + s;
    let ln_m = (series * square).mul_add(twice, twice);
    exponent.mul_add(LN_2, ln_m)
}

/// One instruction each, unlike `f64::min` and `f64::max`, which know what to do with NaN.
#[inline(always)]
fn smaller(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

#[inline(always)]
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// A function compiled for each instruction set.
macro_rules! vectorised {
    ($(#[$doc:meta])* fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)? $body:block) => {
        $(#[$doc])*
        #[multiversion(targets(
            "x86_64+avx512f+avx512dq+avx512vl+avx512bw+fma",
            "x86_64+avx2+fma",
            "aarch64+neon"
        ))]
        pub(crate) fn $name($($argument: $type),*) $(-> $result)? $body
    };
}

vectorised! {
    /// The logarithms of positive numbers, as multiples of a quantum.
    fn logs(values: &[f64], quantum: Quantum, multiples: &mut [i64]) {
        for (multiple, &value) in multiples.iter_mut().zip(values) {
            *multiple = quantum.multiple(ln(value) + quantum.rounder());
        }
    }
}

vectorised! {
    /// The sum of [`logs`]. Sums of integers may be taken in any order, so the compiler finds the lanes.
    fn sum_of_logs(values: &[f64], quantum: Quantum) -> i64 {
        let mut bits = 0_u64;
        for &value in values {
            bits = bits.wrapping_add((ln(value) + quantum.rounder()).to_bits());
        }
        quantum.sum_of_multiples(bits, values.len())
    }
}

vectorised! {
    /// The sum of `ln(1 + odds · ratio)`, as multiples of a quantum.
    fn sum_of_logs_of_odds(odds: &[f64], ratios: &[f64], quantum: Quantum) -> i64 {
        let mut bits = 0_u64;
        for (odds, ratio) in odds.iter().zip(ratios) {
            let log = ln(odds.mul_add(*ratio, 1.0));
            bits = bits.wrapping_add((log + quantum.rounder()).to_bits());
        }
        quantum.sum_of_multiples(bits, odds.len())
    }
}

vectorised! {
    /// `ratio ← 1 + odds · ratio`.
    fn normalisers_of_odds(odds: &[f64], ratios: &mut [f64]) {
        for (ratio, odds) in ratios.iter_mut().zip(odds) {
            *ratio = odds.mul_add(*ratio, 1.0);
        }
    }
}

vectorised! {
    /// `z ← z / (1 + slope · z)`.
    fn smooth(slope: f64, normalisers: &mut [f64]) {
        for z in normalisers {
            *z /= z.mul_add(slope, 1.0);
        }
    }
}

vectorised! {
    /// Multiplies numbers by others.
    fn multiply(numbers: &mut [f64], by: &[f64]) {
        for (number, by) in numbers.iter_mut().zip(by) {
            *number *= by;
        }
    }
}

vectorised! {
    /// The least and the largest of some numbers, of which there may be none.
    fn extremes(numbers: &[f64]) -> [f64; 2] {
        let (mut least, mut most) = ([f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES]);
        let (groups, rest) = numbers.as_chunks::<LANES>();
        for group in groups {
            for lane in 0..LANES {
                least[lane] = smaller(group[lane], least[lane]);
                most[lane] = larger(group[lane], most[lane]);
            }
        }
        for (lane, &number) in rest.iter().enumerate() {
            least[lane] = smaller(number, least[lane]);
            most[lane] = larger(number, most[lane]);
        }
        [least.into_iter().fold(f64::INFINITY, smaller), most.into_iter().fold(f64::NEG_INFINITY, larger)]
    }
}

vectorised! {
    /// The least of some numbers that are not below 0, without those that are 0.
    fn least_above_zero(numbers: &[f64]) -> f64 {
        let mut least = [f64::INFINITY; LANES];
        let (groups, rest) = numbers.as_chunks::<LANES>();
        for group in groups {
            for lane in 0..LANES {
                let number = if group[lane] > 0.0 { group[lane] } else { f64::INFINITY };
                least[lane] = smaller(number, least[lane]);
            }
        }
        let rest = rest.iter().copied().filter(|number| *number > 0.0);
        least.into_iter().chain(rest).fold(f64::INFINITY, smaller)
    }
}

vectorised! {
    /// Adds terms to sums.
    fn add(sums: &mut [f64], terms: &[f64]) {
        for (sum, term) in sums.iter_mut().zip(terms) {
            *sum += term;
        }
    }
}

vectorised! {
    /// Adds terms times a factor to sums.
    fn add_scaled(sums: &mut [f64], terms: &[f64], factor: f64) {
        for (sum, term) in sums.iter_mut().zip(terms) {
            *sum = term.mul_add(factor, *sum);
        }
    }
}

/// `values[row] = table[code of the row]`.
pub(crate) fn look_up(table: &[[f64; 1]; 256], codes: &[u8], values: &mut [f64]) {
    for (value, &code) in values.iter_mut().zip(codes) {
        *value = table[usize::from(code)][0];
    }
}

vectorised! {
    /// Look-ups of two rows at a time.
    fn look_up_pairs(table: &[[f64; 2]; 256], codes: &[u8], values: &mut [f64]) {
        for (values, &code) in values.as_chunks_mut().0.iter_mut().zip(codes) {
            *values = table[usize::from(code)];
        }
    }
}

vectorised! {
    /// Look-ups of four rows at a time.
    fn look_up_quads(table: &[[f64; 4]; 256], codes: &[u8], values: &mut [f64]) {
        for (values, &code) in values.as_chunks_mut().0.iter_mut().zip(codes) {
            *values = table[usize::from(code)];
        }
    }
}

vectorised! {
    /// Look-ups of eight rows at a time.
    fn look_up_octets(table: &[[f64; 8]; 256], codes: &[u8], values: &mut [f64]) {
        for (values, &code) in values.as_chunks_mut().0.iter_mut().zip(codes) {
            *values = table[usize::from(code)];
        }
    }
}

vectorised! {
    /// Odds to probabilities.
    fn probabilities_of_odds(odds: &[f64], probabilities: &mut [f64]) {
        for (probability, odds) in probabilities.iter_mut().zip(odds) {
            *probability = odds / (1.0 + odds);
        }
    }
}

vectorised! {
    /// Adds products to sums.
    fn add_products(sums: &mut [f64], a: &[f64], b: &[f64]) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum = a.mul_add(*b, *sum);
        }
    }
}

vectorised! {
    /// `a · b`, as multiples of a quantum.
    fn products(a: &[f64], b: &[f64], quantum: Quantum, multiples: &mut [i64]) {
        let rounder = quantum.rounder();
        for ((multiple, a), b) in multiples.iter_mut().zip(a).zip(b) {
            *multiple = quantum.multiple(a.mul_add(*b, rounder));
        }
    }
}

vectorised! {
    /// `q·m` and `q(1−q)·m²`, as multiples of quanta.
    fn moments(
        probabilities: &[f64],
        margins: &[f64],
        quanta: [Quantum; 2],
        first: &mut [i64],
        second: &mut [i64],
    ) {
        let rounders = quanta.map(Quantum::rounder);
        let rows = probabilities.iter().zip(margins);
        for ((first, second), (p, m)) in first.iter_mut().zip(second).zip(rows) {
            let mean = p * m;
            *first = quanta[0].multiple(mean + rounders[0]);
            *second = quanta[1].multiple(mean.mul_add(m - mean, rounders[1]));
        }
    }
}

vectorised! {
    /// The sums of [`moments`].
    fn sums_of_moments(probabilities: &[f64], margins: &[f64], quanta: [Quantum; 2]) -> [i64; 2] {
        let (mut first, mut second) = (0_u64, 0_u64);
        for (p, m) in probabilities.iter().zip(margins) {
            let mean = p * m;
            let variance = mean.mul_add(m - mean, quanta[1].rounder());
            first = first.wrapping_add((mean + quanta[0].rounder()).to_bits());
            second = second.wrapping_add(variance.to_bits());
        }
        let terms = probabilities.len();
        [
            quanta[0].sum_of_multiples(first, terms),
            quanta[1].sum_of_multiples(second, terms),
        ]
    }
}

vectorised! {
    /// `own ← mix / (scale · own + weight · mix)`.
    fn smooth_mixes(mixes: &[f64], own: &mut [f64], scale: f64, weight: f64) {
        for (own, mix) in own.iter_mut().zip(mixes) {
            *own = mix / own.mul_add(scale, mix * weight);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_exact() {
        let mut values: Vec<f64> = (0..2000).map(|i| 1e-200 * 1.32_f64.powi(i)).collect();
        values.retain(|value| *value < 1e200);
        values.extend((1..2000).map(|i| 1.0 + 1e-15 * f64::from(i * i)));
        values.extend((1..2000).map(|i| 1.0 - 1e-13 * f64::from(i * i)));
        values.extend((1..4000).map(|i| f64::from(i) / 1000.0));
        for value in values {
            let (found, expected) = (ln(value), value.ln());
            let error = (found - expected).abs();
            let size = expected.abs();
            // Elsewhere a multiple of ln 2 is added to a logarithm of up to half its size.
            let near_one = (0.71..1.41).contains(&value);
            let size = if near_one { size } else { size.max(1.0) };
            assert!(
                error <= 4.0 * f64::EPSILON * size,
                "ln {value}: {found}, not {expected}"
            );
        }
    }
}
