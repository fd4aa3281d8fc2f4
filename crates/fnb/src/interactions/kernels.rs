//! The loops over the posteriors of rows, four numbers at a time.
//!
//! A row of two outcomes is two numbers; one of more is filled up with zeros to whole chunks. Sums over a
//! row are taken chunk by chunk, so that all versions return the same bits. Nothing here goes through
//! `array::map`: what it is given would not become part of the kernel.

use crate::math::quantum::Quantum;
use multiversion::multiversion;

/// Numbers that are handled together.
pub(super) const LANES: usize = 4;
pub(super) type Chunk<T> = [T; LANES];

/// Posteriors below this are none: multiplying them on and on would only cost time.
pub(super) const NONE: f64 = 1e-280;

/// Numbers of a row.
pub(super) fn stride(outcomes: usize) -> usize {
    if outcomes == 2 {
        2
    } else {
        outcomes.next_multiple_of(LANES)
    }
}

/// The cell of a row.
pub(super) trait Code: Copy + Sync {
    fn cell(self) -> usize;
}

impl Code for u8 {
    fn cell(self) -> usize {
        usize::from(self)
    }
}

impl Code for u32 {
    fn cell(self) -> usize {
        self as usize
    }
}

/// Posteriors times the factors of their cells, normalised; the norms are kept. `factors` has a row for
/// every cell, and ones where rows are filled up.
pub(super) fn multiply<C: Code>(
    now: &[f64],
    tried: &mut [f64],
    codes: &[C],
    factors: &[f64],
    norms: &mut [f64],
) {
    let stride = now.len() / codes.len().max(1);
    if stride == 2 {
        let (now, tried) = (now.as_chunks().0, tried.as_chunks_mut().0);
        return multiply_pairs(now, tried, codes, factors.as_chunks().0, norms);
    }
    let (now, tried) = (now.as_chunks().0, tried.as_chunks_mut().0);
    let factors = factors.as_chunks().0;
    match stride / LANES {
        1 => multiply_chunks::<C, 1>(now, tried, codes, factors, norms),
        2 => multiply_chunks::<C, 2>(now, tried, codes, factors, norms),
        3 => multiply_chunks::<C, 3>(now, tried, codes, factors, norms),
        4 => multiply_chunks::<C, 4>(now, tried, codes, factors, norms),
        5 => multiply_chunks::<C, 5>(now, tried, codes, factors, norms),
        6 => multiply_chunks::<C, 6>(now, tried, codes, factors, norms),
        7 => multiply_chunks::<C, 7>(now, tried, codes, factors, norms),
        chunks => multiply_many(chunks, now, tried, codes, factors, norms),
    }
}

/// Adds `p` and `p(1 − p)` of rows to the sums of their cells, as multiples of a quantum: all that is
/// expected in a cell, then the variances. Rows count once each if there are no weights.
pub(super) fn add_masses<C: Code>(
    posteriors: &[f64],
    codes: &[C],
    weights: Option<&[f64]>,
    quantum: Quantum,
    sums: &mut [i64],
) {
    let stride = posteriors.len() / codes.len().max(1);
    if stride == 2 {
        let (rows, sums) = (posteriors.as_chunks().0, sums.as_chunks_mut().0);
        return add_pairs(rows, codes, weights, quantum, sums);
    }
    let (rows, sums) = (posteriors.as_chunks().0, sums.as_chunks_mut().0);
    match stride / LANES {
        1 => add_chunks::<C, 1>(rows, codes, weights, quantum, sums),
        2 => add_chunks::<C, 2>(rows, codes, weights, quantum, sums),
        3 => add_chunks::<C, 3>(rows, codes, weights, quantum, sums),
        4 => add_chunks::<C, 4>(rows, codes, weights, quantum, sums),
        // Unrolled, more chunks take twice the time.
        chunks => add_many(chunks, rows, codes, weights, quantum, sums),
    }
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "it becomes part of each kernel")]
fn above_none(posterior: f64) -> f64 {
    if posterior < NONE { 0.0 } else { posterior }
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "it becomes part of each kernel")]
fn total(sums: Chunk<f64>) -> f64 {
    (sums[0] + sums[2]) + (sums[1] + sums[3])
}

#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+fma",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
fn multiply_pairs<C: Code>(
    now: &[[f64; 2]],
    tried: &mut [[f64; 2]],
    codes: &[C],
    factors: &[[f64; 2]],
    norms: &mut [f64],
) {
    let rows = now.iter().zip(tried).zip(codes).zip(norms);
    for (((now, tried), code), norm) in rows {
        let factors = factors[code.cell()];
        let products = [now[0] * factors[0], now[1] * factors[1]];
        *norm = products[0] + products[1];
        let scale = 1.0 / *norm;
        *tried = [
            above_none(products[0] * scale),
            above_none(products[1] * scale),
        ];
    }
}

#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+fma",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
fn multiply_chunks<C: Code, const CHUNKS: usize>(
    now: &[Chunk<f64>],
    tried: &mut [Chunk<f64>],
    codes: &[C],
    factors: &[Chunk<f64>],
    norms: &mut [f64],
) {
    let factors = factors.as_chunks::<CHUNKS>().0;
    let now = now.as_chunks::<CHUNKS>().0;
    let tried = tried.as_chunks_mut::<CHUNKS>().0;
    let rows = now.iter().zip(tried).zip(codes).zip(norms);
    for (((now, tried), code), norm) in rows {
        let factors = &factors[code.cell()];
        let mut products = [[0.0; LANES]; CHUNKS];
        let mut sums = [0.0; LANES];
        for chunk in 0..CHUNKS {
            for lane in 0..LANES {
                products[chunk][lane] = now[chunk][lane] * factors[chunk][lane];
                sums[lane] += products[chunk][lane];
            }
        }
        *norm = total(sums);
        let scale = 1.0 / *norm;
        for chunk in 0..CHUNKS {
            for lane in 0..LANES {
                tried[chunk][lane] = above_none(products[chunk][lane] * scale);
            }
        }
    }
}

#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+fma",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
fn multiply_many<C: Code>(
    chunks: usize,
    now: &[Chunk<f64>],
    tried: &mut [Chunk<f64>],
    codes: &[C],
    factors: &[Chunk<f64>],
    norms: &mut [f64],
) {
    let rows = now.chunks_exact(chunks).zip(tried.chunks_exact_mut(chunks));
    for (((now, tried), code), norm) in rows.zip(codes).zip(norms) {
        let factors = &factors[code.cell() * chunks..][..chunks];
        let mut sums = [0.0; LANES];
        for ((tried, now), factors) in tried.iter_mut().zip(now).zip(factors) {
            for lane in 0..LANES {
                tried[lane] = now[lane] * factors[lane];
                sums[lane] += tried[lane];
            }
        }
        *norm = total(sums);
        let scale = 1.0 / *norm;
        for tried in tried {
            for product in tried {
                *product = above_none(*product * scale);
            }
        }
    }
}

#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+fma",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
fn add_pairs<C: Code>(
    rows: &[[f64; 2]],
    codes: &[C],
    weights: Option<&[f64]>,
    quantum: Quantum,
    sums: &mut [[i64; 4]],
) {
    for (row, (posteriors, code)) in rows.iter().zip(codes).enumerate() {
        let weight = weights.map_or(1.0, |weights| weights[row]);
        let [p, q] = *posteriors;
        let terms = [p, q, p * (1.0 - p), q * (1.0 - q)];
        let sums = &mut sums[code.cell()];
        for lane in 0..4 {
            sums[lane] += quantum.multiple(weight * terms[lane] + quantum.rounder());
        }
    }
}

#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+fma",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
fn add_chunks<C: Code, const CHUNKS: usize>(
    rows: &[Chunk<f64>],
    codes: &[C],
    weights: Option<&[f64]>,
    quantum: Quantum,
    sums: &mut [Chunk<i64>],
) {
    let rows = rows.as_chunks::<CHUNKS>().0;
    let (sums, _) = sums.as_chunks_mut::<CHUNKS>();
    let (sums, _) = sums.as_chunks_mut::<2>();
    for (row, (posteriors, code)) in rows.iter().zip(codes).enumerate() {
        let weight = weights.map_or(1.0, |weights| weights[row]);
        let [expected, variances] = &mut sums[code.cell()];
        for chunk in 0..CHUNKS {
            for lane in 0..LANES {
                let p = posteriors[chunk][lane];
                let multiple = |x: f64| quantum.multiple(weight * x + quantum.rounder());
                expected[chunk][lane] += multiple(p);
                variances[chunk][lane] += multiple(p * (1.0 - p));
            }
        }
    }
}

#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+fma",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
fn add_many<C: Code>(
    chunks: usize,
    rows: &[Chunk<f64>],
    codes: &[C],
    weights: Option<&[f64]>,
    quantum: Quantum,
    sums: &mut [Chunk<i64>],
) {
    for (row, (posteriors, code)) in rows.chunks_exact(chunks).zip(codes).enumerate() {
        let weight = weights.map_or(1.0, |weights| weights[row]);
        let sums = &mut sums[code.cell() * 2 * chunks..][..2 * chunks];
        let (expected, variances) = sums.split_at_mut(chunks);
        for ((posteriors, expected), variances) in posteriors.iter().zip(expected).zip(variances) {
            for lane in 0..LANES {
                let p = posteriors[lane];
                let multiple = |x: f64| quantum.multiple(weight * x + quantum.rounder());
                expected[lane] += multiple(p);
                variances[lane] += multiple(p * (1.0 - p));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Row by row, as the formulas say it.
        #[test]
        fn rows_are_multiplied_and_added(
            outcomes in 2_usize..30,
            rows in prop::collection::vec((0_u8..3, 0.0_f64..1.0, 0.5_f64..3.0), 1..40),
            weighted: bool,
        ) {
            let stride = stride(outcomes);
            let value = |seed: f64, j: usize| 0.01 + (seed * (j + 1) as f64 * 7.3).fract();
            let mut now = vec![0.0; rows.len() * stride];
            for (row, (_, seed, _)) in now.chunks_exact_mut(stride).zip(&rows) {
                let sum: f64 = (0..outcomes).map(|j| value(*seed, j)).sum();
                for (j, p) in row[..outcomes].iter_mut().enumerate() {
                    *p = value(*seed, j) / sum;
                }
            }
            let mut factors = vec![1.0; 3 * stride];
            for (cell, line) in factors.chunks_exact_mut(stride).enumerate() {
                for (j, factor) in line[..outcomes].iter_mut().enumerate() {
                    *factor = 0.2 + value(0.37 * (cell + 1) as f64, j);
                }
            }
            let codes: Vec<u8> = rows.iter().map(|row| row.0).collect();
            let mut tried = vec![f64::NAN; now.len()];
            let mut norms = vec![0.0; rows.len()];
            multiply(&now, &mut tried, &codes, &factors, &mut norms);
            let quantum = Quantum::of_terms_up_to(3.0);
            let weights: Vec<f64> = rows.iter().map(|row| row.2).collect();
            let weights = weighted.then_some(weights.as_slice());
            let mut sums = vec![0_i64; 3 * 2 * stride];
            add_masses(&tried, &codes, weights, quantum, &mut sums);
            let wide: Vec<u32> = codes.iter().map(|&code| code.into()).collect();
            let mut again = vec![0_i64; sums.len()];
            add_masses(&tried, &wide, weights, quantum, &mut again);
            prop_assert_eq!(&sums, &again);

            let mut expected = vec![0.0; sums.len()];
            for (row, &cell) in codes.iter().enumerate() {
                let cell = usize::from(cell);
                let line = |of: &[f64], at: usize| of[at * stride..][..outcomes].to_vec();
                let products: Vec<f64> = line(&now, row)
                    .iter()
                    .zip(line(&factors, cell))
                    .map(|(p, f)| p * f)
                    .collect();
                let norm: f64 = products.iter().sum();
                prop_assert!((norms[row] - norm).abs() < 1e-12);
                for (j, product) in products.iter().enumerate() {
                    let p = product / norm;
                    prop_assert!((tried[row * stride + j] - p).abs() < 1e-12);
                    let weight = weights.map_or(1.0, |weights| weights[row]);
                    expected[2 * cell * stride + j] += weight * p;
                    expected[(2 * cell + 1) * stride + j] += weight * p * (1.0 - p);
                }
                prop_assert!(tried[row * stride + outcomes..][..stride - outcomes].iter().all(|&p| p == 0.0));
            }
            for (sum, expected) in sums.iter().zip(expected) {
                prop_assert!((quantum.times((*sum).into()) - expected).abs() < 1e-10);
            }
        }
    }
}
