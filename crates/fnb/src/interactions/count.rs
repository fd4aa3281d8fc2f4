//! What the model misses in every cell of two crossed axes: sums over rows, taken as integers so that
//! neither the order of the rows nor the threads can show (docs/method.md §12.3).

use super::add_rows::{Fixed, SCALE, add_rows};
use super::kernels::LANES;
use super::posteriors::Posteriors;
use crate::columns::places::AllRows;
use crate::terms::PartCodes;
use rayon::prelude::*;
use std::ops::Range;

/// Sums over the rows of the cells of two crossed axes, by cell of the first axis, then part of the
/// second, then outcome.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Crossed {
    /// Number of parts of each axis.
    pub(super) parts: [usize; 2],
    pub(super) outcomes: usize,
    /// `G`: rows of the outcome less those expected.
    pub(super) residuals: Vec<f64>,
    /// `V`: the variance of what is expected.
    pub(super) variances: Vec<f64>,
    /// `C`: the squares of the residuals of the rows; nothing if they were not asked for.
    pub(super) squares: Vec<f64>,
}

impl Crossed {
    /// The same with elementary parts merged.
    pub(super) fn merged(&self, parts: &[Vec<u32>; 2]) -> Self {
        let count = |axis: usize| parts[axis].iter().max().map_or(0, |&p| p as usize + 1);
        let (counts, j) = ([count(0), count(1)], self.outcomes);
        let length = counts[0] * counts[1] * j;
        let mut merged = Self {
            parts: counts,
            outcomes: j,
            residuals: vec![0.0; length],
            variances: vec![0.0; length],
            squares: vec![0.0; if self.squares.is_empty() { 0 } else { length }],
        };
        for (i, &first) in parts[0].iter().enumerate() {
            for (k, &second) in parts[1].iter().enumerate() {
                let from = (i * self.parts[1] + k) * j;
                let to = (first as usize * counts[1] + second as usize) * j;
                for class in 0..j {
                    merged.residuals[to + class] += self.residuals[from + class];
                    merged.variances[to + class] += self.variances[from + class];
                }
                let squares = if self.squares.is_empty() { 0 } else { j };
                for class in 0..squares {
                    merged.squares[to + class] += self.squares[from + class];
                }
            }
        }
        merged
    }
}

/// An axis of a candidate table: the part of every row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Axis<'a> {
    pub(super) codes: &'a PartCodes,
    pub(super) parts: usize,
}

/// What is counted: the cells of one axis, or of two that are crossed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Crossing<'a> {
    pub(super) first: Axis<'a>,
    pub(super) second: Option<Axis<'a>>,
}

impl Crossing<'_> {
    pub(super) fn cells(&self) -> usize {
        self.first.parts * self.second.map_or(1, |axis| axis.parts)
    }

    /// The cells of some rows, the first of which has a given number.
    fn fill(&self, rows: Range<usize>, first_cell: u32, cells: &mut [u32]) {
        match self.first.codes {
            PartCodes::Narrow(codes) => fill(&codes[rows.clone()], cells),
            PartCodes::Wide(codes) => fill(&codes[rows.clone()], cells),
        }
        let Some(second) = self.second else {
            for cell in cells {
                *cell += first_cell;
            }
            return;
        };
        let parts = second.parts as u32;
        match second.codes {
            PartCodes::Narrow(codes) => cross(&codes[rows], parts, first_cell, cells),
            PartCodes::Wide(codes) => cross(&codes[rows], parts, first_cell, cells),
        }
    }
}

fn fill<C: Copy + Into<u32>>(codes: &[C], cells: &mut [u32]) {
    for (cell, &code) in cells.iter_mut().zip(codes) {
        *cell = code.into();
    }
}

fn cross<C: Copy + Into<u32>>(codes: &[C], parts: u32, first_cell: u32, cells: &mut [u32]) {
    for (cell, &code) in cells.iter_mut().zip(codes) {
        *cell = first_cell + *cell * parts + code.into();
    }
}

/// Rows whose sums fit in 32 bits.
const ROWS_THAT_FIT: usize = 1 << 12;
/// Numbers of the rows that are handled together, so that they stay in the cache.
const CACHED_NUMBERS: usize = 1 << 16;
/// Crossings whose rows are added at the same time.
const AT_A_TIME: usize = 4;

/// Sums of a batch of crossings: these are in memory at a time.
const BATCH_BYTES: usize = 64 << 20;
/// Crossings of a batch, at least.
const SMALLEST_BATCH: usize = 64;

/// The residuals of the rows that are here under the current model.
#[derive(Debug)]
pub(super) struct Residuals {
    outcomes: usize,
    values: Values,
    all: AllRows,
}

#[derive(Debug)]
enum Values {
    Plain(Lanes<i32>),
    /// Rows of any weight.
    Weighted(Lanes<i64>),
}

/// Numbers of the rows, in whole chunks. Two outcomes: residual, variance and square of the second one.
/// More: the residuals of all outcomes and their variances, then in chunks of their own the squares.
#[derive(Debug)]
struct Lanes<T> {
    /// Chunks of a row, and those without squares.
    all: usize,
    main: usize,
    values: Vec<T>,
}

impl Residuals {
    pub(super) fn of(posteriors: &Posteriors) -> Self {
        let values = if posteriors.weights().is_some() {
            Values::Weighted(Lanes::of(posteriors))
        } else {
            Values::Plain(Lanes::of(posteriors))
        };
        Self {
            outcomes: posteriors.outcomes(),
            values,
            all: posteriors.all().clone(),
        }
    }

    /// The sums of some crossings over all rows, with or without those of squares, and what is made of each.
    /// The rows are read once for a group of crossings.
    pub(super) fn count<T: Send>(
        &self,
        crossings: &[Crossing],
        squares: bool,
        result: impl Fn(usize, Crossed) -> T + Sync,
    ) -> Vec<T> {
        let cells = crossings.iter().map(Crossing::cells);
        let most = cells.max().unwrap_or(1).max(1);
        let bytes = most * self.numbers(squares) * size_of::<i64>();
        let batch = (BATCH_BYTES / bytes).max(SMALLEST_BATCH);
        let group = (CACHED_NUMBERS / (most * 4 * self.outcomes)).clamp(1, 4 * AT_A_TIME);
        let mut results = Vec::with_capacity(crossings.len());
        for batch in crossings.chunks(batch) {
            let totals = self.all.sum(|| {
                let groups = batch.par_chunks(group);
                groups
                    .flat_map_iter(|group| self.totals(group, squares))
                    .collect()
            });
            let mut rest = totals.as_slice();
            let totals = batch.iter().map(|crossing| {
                let (own, others) = rest.split_at(crossing.cells() * self.numbers(squares));
                rest = others;
                own
            });
            let (first, totals) = (results.len(), totals.collect::<Vec<_>>());
            results.par_extend(batch.par_iter().zip(totals).enumerate().map(
                |(i, (crossing, totals))| {
                    let crossed = crossed_of(crossing, self.outcomes, squares, totals);
                    result(first + i, crossed)
                },
            ));
        }
        results
    }

    fn totals(&self, crossings: &[Crossing], squares: bool) -> Vec<i64> {
        match &self.values {
            Values::Plain(lanes) => lanes.totals(crossings, squares),
            Values::Weighted(lanes) => lanes.totals(crossings, squares),
        }
    }

    /// Sums of a cell.
    fn numbers(&self, squares: bool) -> usize {
        match &self.values {
            Values::Plain(lanes) => lanes.chunks(squares) * LANES,
            Values::Weighted(lanes) => lanes.chunks(squares) * LANES,
        }
    }
}

impl<T: Fixed> Lanes<T> {
    fn of(posteriors: &Posteriors) -> Self {
        let j = posteriors.outcomes();
        if j == 2 {
            let values = posteriors.map_rows(LANES, |row, label, weight, lanes: &mut [T]| {
                let g = f64::from(label) - row[1];
                for (lane, x) in lanes.iter_mut().zip([g, row[0] * row[1], g * g]) {
                    *lane = T::of(weight * x);
                }
            });
            let (all, main) = (1, 1);
            return Self { all, main, values };
        }
        let main = (2 * j).div_ceil(LANES);
        let all = main + j.div_ceil(LANES);
        let values = posteriors.map_rows(all * LANES, |row, label, weight, lanes: &mut [T]| {
            let (main, squares) = lanes.split_at_mut(main * LANES);
            let (residuals, variances) = main.split_at_mut(j);
            for class in 0..j {
                let p = row[class];
                residuals[class] = T::of(weight * -p);
                variances[class] = T::of(weight * (p * (1.0 - p)));
                squares[class] = T::of(weight * (p * p));
            }
            let own = label as usize;
            let missed = 1.0 - row[own];
            residuals[own] = T::of(weight * missed);
            squares[own] = T::of(weight * (missed * missed));
        });
        Self { all, main, values }
    }

    fn chunks(&self, squares: bool) -> usize {
        if squares { self.all } else { self.main }
    }

    /// The sums of the cells of some crossings over the rows that are here.
    fn totals(&self, crossings: &[Crossing], squares: bool) -> Vec<i64> {
        let chunks = self.chunks(squares);
        let mut first_cells = Vec::with_capacity(crossings.len());
        let mut cells = 0;
        for crossing in crossings {
            first_cells.push(cells as u32);
            cells += crossing.cells();
        }
        let mut sums = vec![T::default(); cells * chunks * LANES];
        let mut totals = vec![0_i64; sums.len()];
        let values = self.values.as_chunks::<LANES>().0;
        let rows = values.len() / self.all;
        let block = (CACHED_NUMBERS / (self.all * LANES)).clamp(256, ROWS_THAT_FIT);
        let mut cell_of = vec![0_u32; AT_A_TIME * block];
        let mut held = 0;
        for start in (0..rows).step_by(block) {
            let range = start..rows.min(start + block);
            held += range.len();
            let values = &values[range.start * self.all..range.end * self.all];
            let together = crossings.chunks(AT_A_TIME);
            for (crossings, first_cells) in together.zip(first_cells.chunks(AT_A_TIME)) {
                let of_crossings = cell_of.chunks_exact_mut(range.len());
                for ((crossing, first), cells) in
                    crossings.iter().zip(first_cells).zip(of_crossings)
                {
                    crossing.fill(range.clone(), *first, cells);
                }
                let cells = &cell_of[..crossings.len() * range.len()];
                add_rows(values, self.all, chunks, cells, &mut sums);
            }
            if held + block > ROWS_THAT_FIT || range.end == rows {
                held = 0;
                for (sum, total) in sums.iter_mut().zip(&mut totals) {
                    *total += std::mem::take(sum).into();
                }
            }
        }
        totals
    }
}

fn crossed_of(crossing: &Crossing, outcomes: usize, squares: bool, totals: &[i64]) -> Crossed {
    let j = outcomes;
    let cells = crossing.cells();
    let number = |total: &i64| *total as f64 / SCALE;
    let mut crossed = Crossed {
        parts: [
            crossing.first.parts,
            crossing.second.map_or(1, |axis| axis.parts),
        ],
        outcomes: j,
        residuals: Vec::with_capacity(cells * j),
        variances: Vec::with_capacity(cells * j),
        squares: Vec::with_capacity(if squares { cells * j } else { 0 }),
    };
    for sums in totals.chunks_exact(totals.len() / cells.max(1)) {
        if j == 2 {
            let [g, v, c] = [0, 1, 2].map(|lane| number(&sums[lane]));
            crossed.residuals.extend([-g, g]);
            crossed.variances.extend([v, v]);
            if squares {
                crossed.squares.extend([c, c]);
            }
            continue;
        }
        crossed.residuals.extend(sums[..j].iter().map(number));
        crossed.variances.extend(sums[j..2 * j].iter().map(number));
        if squares {
            let first = (2 * j).next_multiple_of(LANES);
            let squares = &sums[first..first + j];
            crossed.squares.extend(squares.iter().map(number));
        }
    }
    crossed
}
