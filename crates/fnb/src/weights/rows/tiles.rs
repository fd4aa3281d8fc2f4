//! The loops over rows of many classes. A tile is eight rows: eight posteriors of the first class,
//! eight of the second, and so on. What a table says of the parts of eight rows is a permutation of
//! registers where processors have it.
//!
//! As in [`kernels`](super::kernels), all versions return the same bits.

use super::aligned::Aligned;
use crate::math::quantum::Quantum;
use multiversion::multiversion;
use multiversion::target::match_target;

/// Rows of a tile.
pub(crate) const TILE: usize = 8;
/// Parts of tables that a few registers hold, and of those that twice as many do.
pub(crate) const NARROW: usize = 16;
pub(crate) const MEDIUM: usize = 32;

/// One number for each row of a tile.
pub(crate) type Lanes = [f64; TILE];

/// Values by class, then part; filled up to [`NARROW`] or [`MEDIUM`] parts.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    width: usize,
    values: Aligned,
}

impl Table {
    /// A table of zeros for at most [`MEDIUM`] parts.
    pub(crate) fn new(classes: usize, parts: usize) -> Self {
        let width = if parts <= NARROW { NARROW } else { MEDIUM };
        Self {
            width,
            values: Aligned::new(classes * width, 0.0),
        }
    }

    pub(crate) fn get(&self, class: usize, code: u8) -> f64 {
        self.values[class * self.width + usize::from(code)]
    }

    /// The values of each class.
    pub(crate) fn classes(&mut self) -> impl Iterator<Item = &mut [f64]> {
        self.values.chunks_exact_mut(self.width)
    }
}

/// Calls a kernel for the width of its table.
macro_rules! by_width {
    ($kernel:ident($table:ident; $($argument:expr),*)) => {
        if $table.width == NARROW {
            $kernel::<NARROW>($table.values.as_chunks().0, $($argument),*)
        } else {
            $kernel::<MEDIUM>($table.values.as_chunks().0, $($argument),*)
        }
    };
}

/// `mixes[row] = Σ_class posterior · value`.
pub(crate) fn mix(posteriors: &[Lanes], table: &Table, codes: &[u8], mixes: &mut [f64]) {
    by_width!(mix_rows(table; posteriors, codes, mixes));
}

/// The mean of the values of each row and their variance, as multiples of quanta.
pub(crate) fn moments(
    posteriors: &[Lanes],
    table: &Table,
    codes: &[u8],
    quanta: [Quantum; 2],
    means: &mut [i64],
    variances: &mut [i64],
) {
    by_width!(moments_of_rows(table; posteriors, codes, quanta, means, variances));
}

/// Adds the values to scores.
pub(crate) fn add(scores: &mut [Lanes], table: &Table, codes: &[u8]) {
    by_width!(add_rows(table; scores, codes));
}

/// Multiplies posteriors by the values and divides them by `mixes`.
pub(crate) fn tilt(posteriors: &mut [Lanes], table: &Table, codes: &[u8], mixes: &[f64]) {
    by_width!(tilt_rows(table; posteriors, codes, mixes));
}

/// Are there permutations of registers? If not, several codes to a byte serve two classes better.
pub(crate) fn has_permutations() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx512vbmi2");
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}

#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+fma",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
pub(crate) fn look_up(values: &[f64; NARROW], codes: &[u8], looked_up: &mut [f64]) {
    for (codes, looked_up) in tiles(codes).zip(looked_up.chunks_mut(TILE)) {
        let lanes: Lanes = match_target! {
            "x86_64+avx512f" => permutation::look_up(values, permutation::index(codes)),
            _ => pick(values, codes),
        };
        write(looked_up, lanes);
    }
}

#[cfg(target_arch = "x86_64")]
mod permutation {
    use super::{Lanes, NARROW, TILE};
    use std::arch::x86_64::{
        __m512d, __m512i, _mm_set_epi64x, _mm512_cmplt_epu64_mask, _mm512_cvtepu8_epi64,
        _mm512_mask_blend_pd, _mm512_permutex2var_pd, _mm512_set1_epi64,
    };

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn index(codes: [u8; TILE]) -> __m512i {
        _mm512_cvtepu8_epi64(_mm_set_epi64x(0, i64::from_le_bytes(codes)))
    }

    /// The values of the parts that the index gives; of its bits only those that count are used.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn look_up<const WIDTH: usize>(values: &[f64; WIDTH], index: __m512i) -> Lanes {
        let (registers, _) = values.as_chunks::<TILE>();
        let register = |i: usize| -> __m512d { bytemuck::cast(registers[i]) };
        let low = _mm512_permutex2var_pd(register(0), index, register(1));
        if WIDTH == NARROW {
            return bytemuck::cast(low);
        }
        let high = _mm512_permutex2var_pd(register(2), index, register(3));
        let is_low = _mm512_cmplt_epu64_mask(index, _mm512_set1_epi64(NARROW as i64));
        bytemuck::cast(_mm512_mask_blend_pd(is_low, high, low))
    }
}

/// The same without permutations.
#[inline(always)]
#[expect(clippy::inline_always, reason = "it becomes part of each kernel")]
fn pick<const WIDTH: usize>(values: &[f64; WIDTH], codes: [u8; TILE]) -> Lanes {
    codes.map(|code| values[usize::from(code) % WIDTH])
}

/// The codes of each tile, the last one filled up.
#[inline(always)]
#[expect(clippy::inline_always, reason = "it becomes part of each kernel")]
fn tiles(codes: &[u8]) -> impl Iterator<Item = [u8; TILE]> {
    let (full, rest) = codes.as_chunks();
    let mut last = [0; TILE];
    last[..rest.len()].copy_from_slice(rest);
    let last = (!rest.is_empty()).then_some(last);
    full.iter().copied().chain(last)
}

/// Writes the numbers of the rows of a tile; the last one may have fewer.
#[inline(always)]
#[expect(clippy::inline_always, reason = "it becomes part of each kernel")]
fn write<T: Copy>(rows: &mut [T], lanes: [T; TILE]) {
    if let Some(rows) = rows.first_chunk_mut() {
        *rows = lanes;
    } else {
        rows.copy_from_slice(&lanes[..rows.len()]);
    }
}

/// Sums that are kept apart, so that none waits for the one before.
const SUMS: usize = 4;

#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+fma",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
fn mix_rows<const WIDTH: usize>(
    table: &[[f64; WIDTH]],
    posteriors: &[Lanes],
    codes: &[u8],
    mixes: &mut [f64],
) {
    let (table_groups, table_rest) = table.as_chunks::<SUMS>();
    let rows = posteriors.chunks_exact(table.len());
    for ((codes, posteriors), mixes) in tiles(codes).zip(rows).zip(mixes.chunks_mut(TILE)) {
        let mut sums = [[0.0; TILE]; SUMS];
        let index = match_target! {
            "x86_64+avx512f" => permutation::index(codes),
            _ => codes,
        };
        let (groups, rest) = posteriors.as_chunks::<SUMS>();
        for (table, posteriors) in table_groups.iter().zip(groups) {
            for i in 0..SUMS {
                let values: Lanes = match_target! {
                    "x86_64+avx512f" => permutation::look_up(&table[i], index),
                    _ => pick(&table[i], index),
                };
                for lane in 0..TILE {
                    sums[i][lane] = posteriors[i][lane].mul_add(values[lane], sums[i][lane]);
                }
            }
        }
        for (line, posteriors) in table_rest.iter().zip(rest) {
            let values: Lanes = match_target! {
                "x86_64+avx512f" => permutation::look_up(line, index),
                _ => pick(line, index),
            };
            for lane in 0..TILE {
                sums[0][lane] = posteriors[lane].mul_add(values[lane], sums[0][lane]);
            }
        }
        let total: Lanes = std::array::from_fn(|lane| {
            (sums[0][lane] + sums[1][lane]) + (sums[2][lane] + sums[3][lane])
        });
        write(mixes, total);
    }
}

#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+fma",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
fn moments_of_rows<const WIDTH: usize>(
    table: &[[f64; WIDTH]],
    posteriors: &[Lanes],
    codes: &[u8],
    quanta: [Quantum; 2],
    means_of_rows: &mut [i64],
    variances_of_rows: &mut [i64],
) {
    let (table_groups, table_rest) = table.as_chunks::<SUMS>();
    let rows = means_of_rows.chunks_mut(TILE);
    let rows = rows.zip(variances_of_rows.chunks_mut(TILE));
    let tiles = tiles(codes).zip(posteriors.chunks_exact(table.len()));
    for ((codes, posteriors), (means_of_rows, variances_of_rows)) in tiles.zip(rows) {
        let index = match_target! {
            "x86_64+avx512f" => permutation::index(codes),
            _ => codes,
        };
        let (mut means, mut squares) = ([[0.0; TILE]; SUMS], [[0.0; TILE]; SUMS]);
        let (groups, rest) = posteriors.as_chunks::<SUMS>();
        for (table, posteriors) in table_groups.iter().zip(groups) {
            for i in 0..SUMS {
                let values: Lanes = match_target! {
                    "x86_64+avx512f" => permutation::look_up(&table[i], index),
                    _ => pick(&table[i], index),
                };
                for lane in 0..TILE {
                    let term = posteriors[i][lane] * values[lane];
                    means[i][lane] += term;
                    squares[i][lane] = term.mul_add(values[lane], squares[i][lane]);
                }
            }
        }
        for (line, posteriors) in table_rest.iter().zip(rest) {
            let values: Lanes = match_target! {
                "x86_64+avx512f" => permutation::look_up(line, index),
                _ => pick(line, index),
            };
            for lane in 0..TILE {
                let term = posteriors[lane] * values[lane];
                means[0][lane] += term;
                squares[0][lane] = term.mul_add(values[lane], squares[0][lane]);
            }
        }
        let sum = |sums: &[Lanes; SUMS]| -> Lanes {
            std::array::from_fn(|lane| {
                (sums[0][lane] + sums[1][lane]) + (sums[2][lane] + sums[3][lane])
            })
        };
        let (mean, square) = (sum(&means), sum(&squares));
        let first = mean.map(|mean| quanta[0].multiple(mean + quanta[0].rounder()));
        let second = std::array::from_fn(|lane| {
            let variance = (-mean[lane]).mul_add(mean[lane], square[lane]);
            quanta[1].multiple(variance + quanta[1].rounder())
        });
        write(means_of_rows, first);
        write(variances_of_rows, second);
    }
}

#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+fma",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
fn add_rows<const WIDTH: usize>(table: &[[f64; WIDTH]], scores: &mut [Lanes], codes: &[u8]) {
    for (codes, scores) in tiles(codes).zip(scores.chunks_exact_mut(table.len())) {
        let index = match_target! {
            "x86_64+avx512f" => permutation::index(codes),
            _ => codes,
        };
        for class in 0..table.len() {
            let values: Lanes = match_target! {
                "x86_64+avx512f" => permutation::look_up(&table[class], index),
                _ => pick(&table[class], index),
            };
            for lane in 0..TILE {
                scores[class][lane] += values[lane];
            }
        }
    }
}

#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+fma",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
fn tilt_rows<const WIDTH: usize>(
    table: &[[f64; WIDTH]],
    posteriors: &mut [Lanes],
    codes: &[u8],
    mixes: &[f64],
) {
    let rows = posteriors.chunks_exact_mut(table.len());
    for ((codes, posteriors), mixes) in tiles(codes).zip(rows).zip(mixes.chunks(TILE)) {
        let mut scales = [1.0; TILE];
        for (scale, mix) in scales.iter_mut().zip(mixes) {
            *scale = 1.0 / mix;
        }
        let index = match_target! {
            "x86_64+avx512f" => permutation::index(codes),
            _ => codes,
        };
        for class in 0..table.len() {
            let values: Lanes = match_target! {
                "x86_64+avx512f" => permutation::look_up(&table[class], index),
                _ => pick(&table[class], index),
            };
            for lane in 0..TILE {
                posteriors[class][lane] *= values[lane] * scales[lane];
            }
        }
    }
}
