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
#![expect(
    clippy::needless_range_loop,
    reason = "a lane is an index into several arrays at once"
)]

use multiversion::multiversion;
use std::f64::consts::LN_2;

/// Rows handled at a time: buffers of that length stay in the first cache.
pub(crate) const CHUNK: usize = 1024;
/// Numbers multiplied or added side by side.
pub(crate) const LANES: usize = 8;
/// Posteriors and odds that underflow are held here, odds that overflow at its inverse: rows that
/// sure, or that wrong, cannot matter, and the product of two such numbers is still normal.
pub(crate) const FLOOR: f64 = 1e-120;

pub(crate) const EXPONENT_SHIFT: u32 = 52;
const EXPONENT_BIAS: f64 = 1023.0;
pub(crate) const MANTISSA: u64 = (1 << EXPONENT_SHIFT) - 1;
const ONE: u64 = 1023 << EXPONENT_SHIFT;

/// The logarithm of a product of many positive normal numbers, without a logarithm per factor:
/// mantissas are multiplied and exponents added (docs/method.md §7.7).
#[derive(Debug, Clone, Copy)]
pub(crate) struct LogProduct {
    mantissas: [f64; LANES],
    exponents: [u64; LANES],
    factors: usize,
}

impl LogProduct {
    pub(crate) fn new() -> Self {
        Self {
            mantissas: [1.0; LANES],
            exponents: [0; LANES],
            factors: 0,
        }
    }

    #[inline(always)]
    fn multiply_lane(&mut self, lane: usize, factor: f64) {
        let bits = factor.to_bits();
        self.exponents[lane] += bits >> EXPONENT_SHIFT;
        self.mantissas[lane] *= f64::from_bits((bits & MANTISSA) | ONE);
    }

    /// Takes the exponents out of the running mantissas; after each chunk at the latest, since a
    /// mantissa is below 2 and a chunk gives each lane 128 of them.
    #[inline(always)]
    fn normalise(&mut self) {
        for lane in 0..LANES {
            let bits = self.mantissas[lane].to_bits();
            self.exponents[lane] += (bits >> EXPONENT_SHIFT) - (ONE >> EXPONENT_SHIFT);
            self.mantissas[lane] = f64::from_bits((bits & MANTISSA) | ONE);
        }
    }

    pub(crate) fn ln(&self) -> f64 {
        let exponents: u64 = self.exponents.iter().sum();
        let mantissas: f64 = self.mantissas.iter().map(|m| m.ln()).sum();
        (exponents as f64 - EXPONENT_BIAS * self.factors as f64) * LN_2 + mantissas
    }
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
pub(crate) use vectorised;

vectorised! {
    /// Multiplies the product by at most [`CHUNK`] values.
    fn multiply(values: &[f64], product: &mut LogProduct) {
        let mut local = *product;
        let (groups, rest) = values.as_chunks::<LANES>();
        for group in groups {
            for lane in 0..LANES {
                local.multiply_lane(lane, group[lane]);
            }
        }
        for (lane, &value) in rest.iter().enumerate() {
            local.multiply_lane(lane, value);
        }
        local.normalise();
        local.factors += values.len();
        *product = local;
    }
}

vectorised! {
    /// Multiplies the product by `z = 1 + odds · ratio` for at most [`CHUNK`] rows. Two factors at a
    /// time are multiplied before their exponents are taken out.
    fn multiply_by_odds(odds: &[f64], ratios: &[f64], product: &mut LogProduct) {
        let mut local = *product;
        let (odds_groups, odds_rest) = odds.as_chunks::<{ 2 * LANES }>();
        let (ratio_groups, ratio_rest) = ratios.as_chunks::<{ 2 * LANES }>();
        for (odds, ratios) in odds_groups.iter().zip(ratio_groups) {
            for lane in 0..LANES {
                let other = lane + LANES;
                let z = odds[lane].mul_add(ratios[lane], 1.0);
                let z = z * odds[other].mul_add(ratios[other], 1.0);
                local.multiply_lane(lane, z);
            }
        }
        for (i, (odds, ratio)) in odds_rest.iter().zip(ratio_rest).enumerate() {
            local.multiply_lane(i % LANES, odds.mul_add(*ratio, 1.0));
        }
        local.normalise();
        local.factors += odds_groups.len() * LANES + odds_rest.len();
        *product = local;
    }
}

vectorised! {
    /// As [`multiply_by_odds`], and multiplies a second product by `1 + slope · z`.
    fn multiply_by_smoothed_odds(
        odds: &[f64],
        ratios: &[f64],
        slope: f64,
        product: &mut LogProduct,
        smoothed: &mut LogProduct,
    ) {
        let (mut plain, mut second) = (*product, *smoothed);
        let (odds_groups, odds_rest) = odds.as_chunks::<{ 2 * LANES }>();
        let (ratio_groups, ratio_rest) = ratios.as_chunks::<{ 2 * LANES }>();
        for (odds, ratios) in odds_groups.iter().zip(ratio_groups) {
            for lane in 0..LANES {
                let other = lane + LANES;
                let z = odds[lane].mul_add(ratios[lane], 1.0);
                let y = odds[other].mul_add(ratios[other], 1.0);
                plain.multiply_lane(lane, z * y);
                second.multiply_lane(lane, z.mul_add(slope, 1.0) * y.mul_add(slope, 1.0));
            }
        }
        for (i, (odds, ratio)) in odds_rest.iter().zip(ratio_rest).enumerate() {
            let z = odds.mul_add(*ratio, 1.0);
            plain.multiply_lane(i % LANES, z);
            second.multiply_lane(i % LANES, z.mul_add(slope, 1.0));
        }
        for product in [&mut plain, &mut second] {
            product.normalise();
            product.factors += odds_groups.len() * LANES + odds_rest.len();
        }
        (*product, *smoothed) = (plain, second);
    }
}

vectorised! {
    /// Multiplies odds by ratios, within the range of normal numbers.
    fn scale_odds(odds: &mut [f64], ratios: &[f64]) {
        for (odds, ratio) in odds.iter_mut().zip(ratios) {
            *odds = (*odds * ratio).clamp(FLOOR, 1.0 / FLOOR);
        }
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

vectorised! {
    /// Keeps log-odds in the range that [`scale_odds`] keeps odds in; returns the sum of what is
    /// taken from those above it.
    fn clamp_log_odds(log_odds: &mut [f64]) -> f64 {
        let largest = -FLOOR.ln();
        let mut excess = [0.0; LANES];
        let (groups, rest) = log_odds.as_chunks_mut::<LANES>();
        for group in groups {
            for lane in 0..LANES {
                excess[lane] += (group[lane] - largest).max(0.0);
                group[lane] = group[lane].clamp(-largest, largest);
            }
        }
        for (lane, value) in rest.iter_mut().enumerate() {
            excess[lane] += (*value - largest).max(0.0);
            *value = value.clamp(-largest, largest);
        }
        excess.iter().sum()
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
    /// Σ a·b.
    fn dot(a: &[f64], b: &[f64]) -> f64 {
        let mut sums = [0.0; LANES];
        let (a_groups, a_rest) = a.as_chunks::<LANES>();
        let (b_groups, b_rest) = b.as_chunks::<LANES>();
        for (a, b) in a_groups.iter().zip(b_groups) {
            for lane in 0..LANES {
                sums[lane] = a[lane].mul_add(b[lane], sums[lane]);
            }
        }
        for (lane, (a, b)) in a_rest.iter().zip(b_rest).enumerate() {
            sums[lane] = a.mul_add(*b, sums[lane]);
        }
        sums.iter().sum()
    }
}

vectorised! {
    /// Σ q·m and Σ q(1−q)·m².
    fn moments(probabilities: &[f64], margins: &[f64]) -> [f64; 2] {
        let (mut first, mut second) = ([0.0; LANES], [0.0; LANES]);
        let (p_groups, p_rest) = probabilities.as_chunks::<LANES>();
        let (m_groups, m_rest) = margins.as_chunks::<LANES>();
        for (p, m) in p_groups.iter().zip(m_groups) {
            for lane in 0..LANES {
                let mean = p[lane] * m[lane];
                first[lane] += mean;
                second[lane] = mean.mul_add(m[lane] - mean, second[lane]);
            }
        }
        for (lane, (p, m)) in p_rest.iter().zip(m_rest).enumerate() {
            let mean = p * m;
            first[lane] += mean;
            second[lane] = mean.mul_add(m - mean, second[lane]);
        }
        [first.iter().sum(), second.iter().sum()]
    }
}

vectorised! {
    /// `true_terms ← scale · true_terms + weight · mixes`.
    fn combine(true_terms: &mut [f64], scale: f64, mixes: &[f64], weight: f64) {
        for (term, mix) in true_terms.iter_mut().zip(mixes) {
            *term = term.mul_add(scale, mix * weight);
        }
    }
}

vectorised! {
    /// `quotients = a / b`, above the floor.
    fn divide(a: &[f64], b: &[f64], quotients: &mut [f64]) {
        for ((quotient, a), b) in quotients.iter_mut().zip(a).zip(b) {
            *quotient = (a / b).max(FLOOR);
        }
    }
}
