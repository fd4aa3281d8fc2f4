//! The loops that count rows: the numbers of each are added to the sums of its cell, of up to four tables
//! at once. The next addition to a cell waits for the last one; those to other tables do not.

use super::kernels::{Chunk, LANES};
use multiversion::multiversion;
use std::ops::AddAssign;

/// Residuals are multiples of 2⁻¹⁸: the sums of a few thousand rows fit in 32 bits, and what is lost is
/// far below the noise of a count.
pub(super) const SCALE: f64 = (1 << 18) as f64;

/// An integer that residuals are counted in.
pub(super) trait Fixed: Copy + Default + AddAssign + Into<i64> + Send + Sync {
    fn of(value: f64) -> Self;
}

impl Fixed for i32 {
    /// One addition leaves the nearest multiple in the low bits of a double.
    fn of(value: f64) -> Self {
        const ROUNDER: f64 = 1.5 * (1_u64 << 52) as f64;
        ((value * SCALE + ROUNDER).to_bits() as u32).cast_signed()
    }
}

impl Fixed for i64 {
    fn of(value: f64) -> Self {
        (value * SCALE).round_ties_even() as Self
    }
}

/// Adds the first `chunks` of the `stride` chunks of every row to the sums of its cells, one or four;
/// `cells` has those of all rows of a table, then those of the next.
pub(super) fn add_rows<T: Fixed>(
    values: &[Chunk<T>],
    stride: usize,
    chunks: usize,
    cells: &[u32],
    sums: &mut [T],
) {
    let sums = sums.as_chunks_mut().0;
    match chunks {
        1 => add_tables::<T, 1>(values, stride, cells, sums),
        2 => add_tables::<T, 2>(values, stride, cells, sums),
        3 => add_tables::<T, 3>(values, stride, cells, sums),
        4 => add_tables::<T, 4>(values, stride, cells, sums),
        5 => add_tables::<T, 5>(values, stride, cells, sums),
        6 => add_tables::<T, 6>(values, stride, cells, sums),
        _ => {
            for cells in cells.chunks_exact(values.len() / stride) {
                add_long_rows(values, stride, chunks, cells, sums);
            }
        }
    }
}

fn add_tables<T: Fixed, const CHUNKS: usize>(
    values: &[Chunk<T>],
    stride: usize,
    cells: &[u32],
    sums: &mut [Chunk<T>],
) {
    let rows = values.len() / stride;
    let sums = sums.as_chunks_mut::<CHUNKS>().0;
    if cells.len() == 4 * rows {
        let (first, second) = cells.split_at(2 * rows);
        let ((a, b), (c, d)) = (first.split_at(rows), second.split_at(rows));
        return add_together::<T, CHUNKS, 4>(values, stride, [a, b, c, d], sums);
    }
    for cells in cells.chunks_exact(rows) {
        add_together::<T, CHUNKS, 1>(values, stride, [cells], sums);
    }
}

#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+fma",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
fn add_together<T: Fixed, const CHUNKS: usize, const TABLES: usize>(
    values: &[Chunk<T>],
    stride: usize,
    cells: [&[u32]; TABLES],
    sums: &mut [[Chunk<T>; CHUNKS]],
) {
    for (place, row) in values.chunks_exact(stride).enumerate() {
        let row = &row[..CHUNKS];
        for cells in cells {
            let sums = &mut sums[cells[place] as usize];
            for chunk in 0..CHUNKS {
                for lane in 0..LANES {
                    sums[chunk][lane] += row[chunk][lane];
                }
            }
        }
    }
}

#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+fma",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
fn add_long_rows<T: Fixed>(
    values: &[Chunk<T>],
    stride: usize,
    chunks: usize,
    cells: &[u32],
    sums: &mut [Chunk<T>],
) {
    for (row, &cell) in values.chunks_exact(stride).zip(cells) {
        let sums = &mut sums[cell as usize * chunks..][..chunks];
        for (sums, row) in sums.iter_mut().zip(row) {
            for lane in 0..LANES {
                sums[lane] += row[lane];
            }
        }
    }
}
