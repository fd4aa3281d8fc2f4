//! The loops over rows whose weights differ: a logarithm per row, where [`kernels`](super::kernels)
//! multiplies and takes one for many.

use super::kernels::{EXPONENT_SHIFT, FLOOR, LANES, MANTISSA, vectorised};
use multiversion::multiversion;
use std::f64::consts::LN_2;

/// Terms of the series of ln around 1: enough for all bits of a number from √½ to √2.
const LN_TERMS: usize = 11;

/// `ln x` of a positive normal number, to one or two units in the last place.
#[inline(always)]
fn ln(x: f64) -> f64 {
    // x = m · 2^e with m from √½ to √2, then ln m = 2 artanh((m − 1)/(m + 1)).
    const SQRT_HALF: u64 = std::f64::consts::FRAC_1_SQRT_2.to_bits();
    let shifted = x.to_bits().wrapping_sub(SQRT_HALF);
    let exponent = shifted.cast_signed() >> EXPONENT_SHIFT;
    let m = f64::from_bits((shifted & MANTISSA).wrapping_add(SQRT_HALF));
    let s = (m - 1.0) / (m + 1.0);
    let square = s * s;
    let mut sum = 0.0_f64;
    for i in (1..=LN_TERMS).rev() {
        sum = sum.mul_add(square, 1.0 / (2 * i + 1) as f64);
    }
    (exponent as f64).mul_add(LN_2, 2.0 * (sum * square).mul_add(s, s))
}

vectorised! {
    /// `Σ weight · ln value`.
    fn weighted_logs(values: &[f64], weights: &[f64]) -> f64 {
        let mut sums = [0.0; LANES];
        let (value_groups, value_rest) = values.as_chunks::<LANES>();
        let (weight_groups, weight_rest) = weights.as_chunks::<LANES>();
        for (values, weights) in value_groups.iter().zip(weight_groups) {
            for lane in 0..LANES {
                sums[lane] = weights[lane].mul_add(ln(values[lane]), sums[lane]);
            }
        }
        for (lane, (value, weight)) in value_rest.iter().zip(weight_rest).enumerate() {
            sums[lane] = weight.mul_add(ln(*value), sums[lane]);
        }
        sums.iter().sum()
    }
}

vectorised! {
    /// `z = 1 + odds · ratio`.
    fn normalisers_of_odds(odds: &[f64], ratios: &[f64], normalisers: &mut [f64]) {
        for ((z, odds), ratio) in normalisers.iter_mut().zip(odds).zip(ratios) {
            *z = odds.mul_add(*ratio, 1.0);
        }
    }
}

vectorised! {
    /// `value ← 1 + slope · value`.
    fn one_plus(slope: f64, values: &mut [f64]) {
        for value in values {
            *value = value.mul_add(slope, 1.0);
        }
    }
}

vectorised! {
    /// `value ← factor · value`.
    fn scale(values: &mut [f64], factors: &[f64]) {
        for (value, factor) in values.iter_mut().zip(factors) {
            *value *= factor;
        }
    }
}

vectorised! {
    /// Σ w·q·m and Σ w·q(1−q)·m².
    fn weighted_moments(probabilities: &[f64], margins: &[f64], weights: &[f64]) -> [f64; 2] {
        let (mut first, mut second) = ([0.0; LANES], [0.0; LANES]);
        let (p_groups, p_rest) = probabilities.as_chunks::<LANES>();
        let (m_groups, m_rest) = margins.as_chunks::<LANES>();
        let (w_groups, w_rest) = weights.as_chunks::<LANES>();
        for ((p, m), w) in p_groups.iter().zip(m_groups).zip(w_groups) {
            for lane in 0..LANES {
                let mean = p[lane] * m[lane];
                let weighted = w[lane] * mean;
                first[lane] += weighted;
                second[lane] = weighted.mul_add(m[lane] - mean, second[lane]);
            }
        }
        for (lane, ((p, m), w)) in p_rest.iter().zip(m_rest).zip(w_rest).enumerate() {
            let mean = p * m;
            first[lane] += w * mean;
            second[lane] = (w * mean).mul_add(m - mean, second[lane]);
        }
        [first.iter().sum(), second.iter().sum()]
    }
}

vectorised! {
    /// The weighted sum of what [`clamp_log_odds`] takes.
    fn weighted_excess(log_odds: &[f64], weights: &[f64]) -> f64 {
        let largest = -FLOOR.ln();
        let mut excess = 0.0;
        for (value, weight) in log_odds.iter().zip(weights) {
            excess += weight * (value - largest).max(0.0);
        }
        excess
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_exact_to_the_last_places() {
        let mut values: Vec<f64> = (0..2000).map(|i| 1e-120 * 1.32_f64.powi(i)).collect();
        values.retain(|value| *value < 1e240);
        values.extend((1..2000).map(|i| 1.0 + 1e-15 * f64::from(i * i)));
        values.extend((1..2000).map(|i| 1.0 - 1e-13 * f64::from(i * i)));
        values.extend((1..4000).map(|i| f64::from(i) / 1000.0));
        for value in values {
            let (found, expected) = (weighted_logs(&[value], &[1.0]), value.ln());
            let error = (found - expected).abs();
            assert!(
                error <= 4e-16 * expected.abs(),
                "ln {value}: {found}, not {expected}"
            );
        }
    }
}
