//! What the model misses in every cell of two crossed axes: sums over rows, taken as integers so that
//! neither the order of the rows nor the threads can show (docs/method.md §12.3).

use super::posteriors::Posteriors;
use crate::terms::PartCodes;
use std::ops::{AddAssign, Range};

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
    /// `C`: the squares of the residuals of the rows.
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
            squares: vec![0.0; length],
        };
        for (i, &first) in parts[0].iter().enumerate() {
            for (k, &second) in parts[1].iter().enumerate() {
                let from = (i * self.parts[1] + k) * j;
                let to = (first as usize * counts[1] + second as usize) * j;
                for class in 0..j {
                    merged.residuals[to + class] += self.residuals[from + class];
                    merged.variances[to + class] += self.variances[from + class];
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
    fn cells(&self) -> usize {
        self.first.parts * self.second.map_or(1, |axis| axis.parts)
    }
}

/// Residuals are multiples of 2⁻¹⁸: the sums of a few thousand rows fit in 32 bits, and what is lost is
/// far below the noise of a count.
const SCALE: f64 = (1 << 18) as f64;
/// Rows whose sums fit.
const ROWS_THAT_FIT: usize = 1 << 12;
/// Numbers of the rows that are handled together, so that they stay in the cache.
const CACHED_NUMBERS: usize = 1 << 16;

/// An integer that residuals are counted in.
trait Fixed: Copy + Default + AddAssign + Into<i64> + Send + Sync {
    fn of(value: f64) -> Self;
}

impl Fixed for i32 {
    fn of(value: f64) -> Self {
        (value * SCALE).round_ties_even() as Self
    }
}

/// Rows of any weight.
impl Fixed for i64 {
    fn of(value: f64) -> Self {
        (value * SCALE).round_ties_even() as Self
    }
}

/// The residuals of all rows under the current model.
#[derive(Debug)]
pub(super) struct Residuals {
    outcomes: usize,
    values: Values,
}

#[derive(Debug)]
enum Values {
    Plain(Lanes<i32>),
    Weighted(Lanes<i64>),
}

/// Two outcomes: residual, variance and square of the second one. More: the residuals of all outcomes,
/// then their variances; and the row and the posterior of its own outcome, from which squares follow.
#[derive(Debug)]
struct Lanes<T> {
    width: usize,
    values: Vec<T>,
    /// Outcome, weight and posterior of the outcome of each row, if there are more than two.
    own: Vec<(u32, T, T)>,
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
        }
    }

    /// The sums of some crossings, the rows being read once for all of them.
    pub(super) fn count(&self, crossings: &[Crossing]) -> Vec<Crossed> {
        match &self.values {
            Values::Plain(lanes) => lanes.count(crossings, self.outcomes),
            Values::Weighted(lanes) => lanes.count(crossings, self.outcomes),
        }
    }

    /// Crossings that are best counted together.
    pub(super) fn group(&self, cells: usize) -> usize {
        let numbers = cells * 4 * self.outcomes;
        (CACHED_NUMBERS / numbers.max(1)).clamp(1, 16)
    }
}

/// Numbers of a cell: those of a row, and the rows and posteriors of own outcomes.
fn cell_width(width: usize, outcomes: usize) -> usize {
    if outcomes == 2 {
        width
    } else {
        width + 2 * outcomes
    }
}

impl<T: Fixed> Lanes<T> {
    fn of(posteriors: &Posteriors) -> Self {
        let j = posteriors.outcomes();
        let rows = posteriors.rows();
        let width = if j == 2 { 4 } else { 2 * j };
        let mut values = Vec::with_capacity(rows * width);
        let mut own = Vec::with_capacity(if j == 2 { 0 } else { rows });
        posteriors.for_each_row(|row, label, weight| {
            if j == 2 {
                let g = f64::from(label) - row[1];
                let v = row[0] * row[1];
                values.extend([g, v, g * g, 0.0].map(|x| T::of(weight * x)));
            } else {
                let is_own = |class: usize| f64::from(u8::from(class == label as usize));
                let classes = row.iter().enumerate();
                values.extend(classes.map(|(class, p)| T::of(weight * (is_own(class) - p))));
                values.extend(row.iter().map(|p| T::of(weight * p * (1.0 - p))));
                own.push((label, T::of(weight), T::of(weight * row[label as usize])));
            }
        });
        Self { width, values, own }
    }

    fn rows(&self) -> usize {
        self.values.len() / self.width
    }

    fn count(&self, crossings: &[Crossing], outcomes: usize) -> Vec<Crossed> {
        let width = cell_width(self.width, outcomes);
        let lengths = crossings.iter().map(|crossing| crossing.cells() * width);
        let mut sums: Vec<Vec<T>> = lengths.clone().map(|n| vec![T::default(); n]).collect();
        let mut totals: Vec<Vec<i64>> = lengths.map(|n| vec![0; n]).collect();
        let rows = self.rows();
        let block = (CACHED_NUMBERS / self.width).clamp(256, ROWS_THAT_FIT);
        let mut held = 0;
        for start in (0..rows).step_by(block) {
            let range = start..rows.min(start + block);
            held += range.len();
            for (crossing, sums) in crossings.iter().zip(&mut sums) {
                self.add(crossing, range.clone(), outcomes, sums);
            }
            if held + block > ROWS_THAT_FIT || range.end == rows {
                held = 0;
                for (sums, totals) in sums.iter_mut().zip(&mut totals) {
                    for (sum, total) in sums.iter_mut().zip(totals) {
                        *total += std::mem::take(sum).into();
                    }
                }
            }
        }
        let crossed = crossings.iter().zip(totals);
        crossed
            .map(|(crossing, totals)| crossed_of(crossing, outcomes, &totals))
            .collect()
    }

    fn add(&self, crossing: &Crossing, rows: Range<usize>, outcomes: usize, sums: &mut [T]) {
        let values = &self.values[rows.start * self.width..rows.end * self.width];
        match (crossing.first.codes, crossing.second) {
            (PartCodes::Narrow(first), None) => {
                let cells = first[rows.clone()].iter().map(|&c| usize::from(c));
                self.add_cells(values, rows, cells, outcomes, sums);
            }
            (PartCodes::Wide(first), None) => {
                let cells = first[rows.clone()].iter().map(|&c| c as usize);
                self.add_cells(values, rows, cells, outcomes, sums);
            }
            (
                PartCodes::Narrow(first),
                Some(Axis {
                    codes: PartCodes::Narrow(second),
                    parts,
                }),
            ) => {
                let pairs = first[rows.clone()].iter().zip(&second[rows.clone()]);
                let cells = pairs.map(|(&a, &b)| usize::from(a) * parts + usize::from(b));
                self.add_cells(values, rows, cells, outcomes, sums);
            }
            (first, Some(Axis { codes, parts })) => {
                let cells = rows
                    .clone()
                    .map(|row| first.get(row) * parts + codes.get(row));
                self.add_cells(values, rows, cells, outcomes, sums);
            }
        }
    }

    #[inline]
    fn add_cells(
        &self,
        values: &[T],
        rows: Range<usize>,
        cells: impl Iterator<Item = usize>,
        outcomes: usize,
        sums: &mut [T],
    ) {
        if outcomes == 2 {
            add_rows_of_four(
                values.as_chunks::<4>().0,
                cells,
                sums.as_chunks_mut::<4>().0,
            );
            return;
        }
        let width = cell_width(self.width, outcomes);
        let own = &self.own[rows];
        for ((row, &(label, weight, posterior)), cell) in
            values.chunks_exact(self.width).zip(own).zip(cells)
        {
            let sums = &mut sums[cell * width..][..width];
            let (both, rest) = sums.split_at_mut(self.width);
            for (sum, value) in both.iter_mut().zip(row) {
                *sum += *value;
            }
            rest[label as usize] += weight;
            rest[outcomes + label as usize] += posterior;
        }
    }
}

#[inline]
fn add_rows_of_four<T: Fixed>(
    values: &[[T; 4]],
    cells: impl Iterator<Item = usize>,
    sums: &mut [[T; 4]],
) {
    for (row, cell) in values.iter().zip(cells) {
        let sums = &mut sums[cell];
        for lane in 0..4 {
            sums[lane] += row[lane];
        }
    }
}

fn crossed_of(crossing: &Crossing, outcomes: usize, totals: &[i64]) -> Crossed {
    let j = outcomes;
    let cells = crossing.cells();
    let number = |total: i64| total as f64 / SCALE;
    let mut crossed = Crossed {
        parts: [
            crossing.first.parts,
            crossing.second.map_or(1, |axis| axis.parts),
        ],
        outcomes: j,
        residuals: Vec::with_capacity(cells * j),
        variances: Vec::with_capacity(cells * j),
        squares: Vec::with_capacity(cells * j),
    };
    if j == 2 {
        for sums in totals.chunks_exact(4) {
            let [g, v, c] = [0, 1, 2].map(|lane| number(sums[lane]));
            crossed.residuals.extend([-g, g]);
            crossed.variances.extend([v, v]);
            crossed.squares.extend([c, c]);
        }
        return crossed;
    }
    for sums in totals.chunks_exact(4 * j) {
        let (g, v) = (&sums[..j], &sums[j..2 * j]);
        let (own, posterior) = (&sums[2 * j..3 * j], &sums[3 * j..]);
        crossed.residuals.extend(g.iter().map(|&g| number(g)));
        crossed.variances.extend(v.iter().map(|&v| number(v)));
        // Σ (y − π)² = Σ y(1 − 2π) + Σ π², and Σ π² = E − V.
        let square = |class: usize| {
            let expected = own[class] - g[class];
            number(own[class] - 2 * posterior[class] + expected - v[class]).max(0.0)
        };
        crossed.squares.extend((0..j).map(square));
    }
    crossed
}
