//! The posteriors of all rows under the current model, and steps of its tables.
//!
//! A step of a table multiplies the posteriors of a row by the factors of its cell. What is known of a row
//! depends on that row alone, and sums over rows are exact: the same bits come out for any order of the
//! rows and any number of threads (docs/method.md §7.7).

use super::kernels::{self, NONE, stride};
use crate::columns::Outcomes;
use crate::columns::places::AllRows;
use crate::math::exp::exp_in_place;
use crate::math::ln::ln_in_place;
use crate::math::quantum::Quantum;
use crate::terms::PartCodes;
use rayon::prelude::*;
use std::ops::Range;

/// What the selected variables say: the part of every row, and the weighted score of every part and outcome.
#[derive(Debug, Clone)]
pub(crate) struct Profile<'a> {
    pub(crate) codes: &'a PartCodes,
    pub(crate) scores: Vec<f64>,
    /// What becomes of the score of a part and outcome for a row that is not counted among them.
    pub(crate) left_out: Vec<f64>,
    /// The variable, by place among the inputs, if it is one of them.
    pub(crate) input: Option<usize>,
}

/// Numbers of a block of rows: what is read and written of them stays in the cache.
const BLOCK_NUMBERS: usize = 1 << 13;

/// The rows of the outcomes that a model expects in every cell, cells one after the other.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Masses {
    /// `E`.
    pub(super) expected: Vec<f64>,
    /// `V = Σ π(1 − π)`.
    pub(super) variances: Vec<f64>,
}

/// A table that rows look up.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cells<'a> {
    pub(super) codes: &'a PartCodes,
    pub(super) number: usize,
}

#[derive(Debug)]
pub(super) struct Posteriors<'a> {
    outcomes: &'a Outcomes<'a>,
    weights: Option<Vec<f64>>,
    blocks: Vec<Block>,
    /// What masses are rounded to.
    quantum: Quantum,
    largest_weight: f64,
    all: AllRows,
    /// The step that was tried last, if the rows have not seen it yet: the factors of its cells.
    unseen: Option<Vec<f64>>,
}

#[derive(Debug)]
struct Block {
    rows: Range<usize>,
    /// As [`kernels`] have them.
    now: Vec<f64>,
    /// After the step that was tried last.
    tried: Vec<f64>,
}

/// What trying a step found.
#[derive(Debug)]
pub(super) struct Tried {
    /// `Σ ln Σ_j π e^D` over the rows.
    pub(super) log_sums: f64,
    /// Masses of another table after the step.
    pub(super) masses: Option<Masses>,
}

impl<'a> Posteriors<'a> {
    /// The posteriors of the selected variables alone. Each row is judged by the others: what its own
    /// presence adds to the counts is left out.
    pub(super) fn new(profiles: &[Profile], outcomes: &'a Outcomes<'a>) -> Self {
        let (rows, j) = (outcomes.rows(), outcomes.len());
        let weights = outcomes.weights().map(|weights| {
            let weights = (0..rows).map(|row| weights.get(row));
            weights.collect::<Vec<f64>>()
        });
        let total = outcomes.sums().iter().sum::<f64>();
        let largest = outcomes.largest_weight();
        let size = (BLOCK_NUMBERS / stride(j)).max(64);
        let starts = (0..rows).step_by(size);
        let ranges: Vec<Range<usize>> = starts.map(|s| s..rows.min(s + size)).collect();
        let mut prior = outcomes.log_prior();
        prior.resize(stride(j), f64::NEG_INFINITY);
        let block = |rows: Range<usize>| {
            let mut now = prior.repeat(rows.len());
            for profile in profiles {
                for (scores, row) in now.chunks_exact_mut(prior.len()).zip(rows.clone()) {
                    let line = &profile.scores[profile.codes.get(row) * j..][..j];
                    for (score, term) in scores.iter_mut().zip(line) {
                        *score += term;
                    }
                    let label = outcomes.codes()[row] as usize;
                    scores[label] += profile.left_out[profile.codes.get(row) * j + label];
                }
            }
            soften(&mut now, prior.len());
            Block {
                tried: vec![0.0; now.len()],
                now,
                rows,
            }
        };
        Self {
            outcomes,
            weights,
            blocks: ranges.into_par_iter().map(block).collect(),
            quantum: Quantum::of_terms_up_to(largest.max(total / 2048.0)),
            largest_weight: largest,
            all: outcomes.all(),
            unseen: None,
        }
    }

    pub(super) fn outcomes(&self) -> usize {
        self.outcomes.len()
    }

    /// Sums over all rows.
    pub(super) fn all(&self) -> &AllRows {
        &self.all
    }

    /// Number of rows that are here.
    fn rows(&self) -> usize {
        self.outcomes.rows()
    }

    /// Number of rows of the table.
    pub(super) fn rows_of_table(&self) -> usize {
        self.outcomes.rows_of_table()
    }

    pub(super) fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    /// The log loss of the training rows.
    pub(super) fn log_loss(&self) -> f64 {
        let quantum = Quantum::of_terms_up_to(-NONE.ln() * self.largest_weight);
        let stride = stride(self.outcomes());
        let labels = self.outcomes.codes();
        let of_block = |block: &Block| {
            let rows = block.now.chunks_exact(stride);
            let rows = rows.zip(&labels[block.rows.clone()]);
            let own = rows.map(|(posteriors, &label)| posteriors[label as usize].max(NONE));
            let mut logs: Vec<f64> = own.collect();
            ln_in_place(&mut logs);
            let weights = self.weights.as_deref().map(|w| &w[block.rows.clone()]);
            sum_of_logs(&logs, weights, quantum)
        };
        let sum = || self.blocks.par_iter().map(of_block).sum::<i128>();
        -quantum.times(self.all.sum(|| vec![sum()])[0])
    }

    /// So many numbers of every row, from its posteriors, its outcome and its weight.
    pub(super) fn map_rows<T: Clone + Default + Send>(
        &self,
        width: usize,
        of_row: impl Fn(&[f64], u32, f64, &mut [T]) + Sync,
    ) -> Vec<T> {
        let j = self.outcomes();
        let mut numbers = vec![T::default(); width * self.rows()];
        let size = self.blocks.first().map_or(1, |block| block.rows.len());
        let blocks = numbers.par_chunks_mut(width * size).zip(&self.blocks);
        blocks.for_each(|(numbers, block)| {
            let rows = block.now.chunks_exact(stride(j)).zip(block.rows.clone());
            for ((posteriors, row), numbers) in rows.zip(numbers.chunks_exact_mut(width)) {
                let weight = self.weights.as_ref().map_or(1.0, |weights| weights[row]);
                of_row(
                    &posteriors[..j],
                    self.outcomes.codes()[row],
                    weight,
                    numbers,
                );
            }
        });
        numbers
    }

    /// The rows of each outcome in every cell.
    pub(super) fn observed(&self, cells: Cells) -> Vec<f64> {
        let j = self.outcomes();
        let sums = self.all.sum(|| {
            let mut sums = vec![0_u64; cells.number * j];
            for (row, &label) in self.outcomes.codes().iter().enumerate() {
                let units = self
                    .outcomes
                    .weights()
                    .map_or(1, |weights| weights.units()[row]);
                sums[cells.codes.get(row) * j + label as usize] += units;
            }
            sums
        });
        let in_rows = |units: u64| match self.outcomes.weights() {
            Some(_) => units as f64 / crate::columns::row_weights::ONE as f64,
            None => units as f64,
        };
        sums.into_iter().map(in_rows).collect()
    }

    /// What the model expects in every cell of a table.
    pub(super) fn masses(&self, cells: Cells) -> Masses {
        let sums = self.all.sum(|| {
            let sums = self.blocks.par_iter().fold(
                || self.no_sums(cells),
                |mut sums, block| {
                    self.add(cells, &block.rows, &block.now, &mut sums);
                    sums
                },
            );
            sums.reduce_with(added)
                .unwrap_or_else(|| self.no_sums(cells))
        });
        self.masses_of(&sums, cells)
    }

    fn no_sums(&self, cells: Cells) -> Vec<i64> {
        vec![0; 2 * stride(self.outcomes()) * cells.number]
    }

    /// Adds what some rows with these posteriors count for to the sums of their cells.
    fn add(&self, cells: Cells, rows: &Range<usize>, posteriors: &[f64], sums: &mut [i64]) {
        let weights = self.weights.as_deref().map(|w| &w[rows.clone()]);
        match cells.codes {
            PartCodes::Narrow(codes) => {
                let codes = &codes[rows.clone()];
                kernels::add_masses(posteriors, codes, weights, self.quantum, sums);
            }
            PartCodes::Wide(codes) => {
                let codes = &codes[rows.clone()];
                kernels::add_masses(posteriors, codes, weights, self.quantum, sums);
            }
        }
    }

    fn masses_of(&self, sums: &[i64], cells: Cells) -> Masses {
        let (j, stride) = (self.outcomes(), stride(self.outcomes()));
        debug_assert_eq!(sums.len(), 2 * stride * cells.number);
        let number = |&multiples: &i64| self.quantum.times(multiples.into());
        let lines = |from: usize| sums[from * stride..].chunks(2 * stride);
        let numbers = |from| {
            lines(from)
                .flat_map(|line| &line[..j])
                .map(number)
                .collect()
        };
        Masses {
            expected: numbers(0),
            variances: numbers(1),
        }
    }

    /// Multiplies the posteriors by factors of the cells of a table, which [`accept`](Self::accept) then
    /// makes the current ones; with it, the masses of the table that is looked at next.
    pub(super) fn try_step(&mut self, cells: Cells, logs: &[f64], next: Option<Cells>) -> Tried {
        let largest = logs.iter().fold(1e-3_f64, |most, log| most.max(log.abs()));
        let quantum = Quantum::of_terms_up_to(1.01 * largest * self.largest_weight);
        let factors = self.factors(logs);
        let mut blocks = std::mem::take(&mut self.blocks);
        let mut is_seen = false;
        // The sum of logarithms, then the masses.
        let sums = self.all.sum(|| {
            is_seen = true;
            let (log_sums, masses) = self.step(&mut blocks, cells, &factors, next, quantum);
            let masses = masses.into_iter().flatten().map(i128::from);
            std::iter::once(log_sums).chain(masses).collect()
        });
        self.blocks = blocks;
        self.unseen = (!is_seen).then_some(factors);
        Tried {
            log_sums: quantum.times(sums[0]),
            masses: next.map(|next| {
                let sums: Vec<i64> = sums[1..].iter().map(|&sum| sum as i64).collect();
                self.masses_of(&sums, next)
            }),
        }
    }

    /// Multiplies the posteriors of blocks; the sum of the logarithms of the norms, and what the masses of
    /// the table that is next are made of.
    fn step(
        &self,
        blocks: &mut [Block],
        cells: Cells,
        factors: &[f64],
        next: Option<Cells>,
        quantum: Quantum,
    ) -> (i128, Option<Vec<i64>>) {
        let nothing = || (0_i128, next.map(|next| self.no_sums(next)), Vec::new());
        let parts =
            blocks
                .par_iter_mut()
                .fold(nothing, |(mut log_sums, mut sums, mut norms), block| {
                    multiply(block, cells, factors, &mut norms);
                    ln_in_place(&mut norms);
                    let weights = self.weights.as_deref().map(|w| &w[block.rows.clone()]);
                    log_sums += sum_of_logs(&norms, weights, quantum);
                    if let (Some(next), Some(sums)) = (next, &mut sums) {
                        self.add(next, &block.rows, &block.tried, sums);
                    }
                    (log_sums, sums, norms)
                });
        let (log_sums, sums, _) = parts
            .reduce_with(|a, b| (a.0 + b.0, a.1.zip(b.1).map(|(a, b)| added(a, b)), a.2))
            .unwrap_or_else(nothing);
        (log_sums, sums)
    }

    /// The exponentials of the logarithms of cells, in rows as posteriors are.
    fn factors(&self, logs: &[f64]) -> Vec<f64> {
        let (j, stride) = (self.outcomes(), stride(self.outcomes()));
        let mut factors = vec![0.0; logs.len() / j * stride];
        for (line, logs) in factors.chunks_exact_mut(stride).zip(logs.chunks_exact(j)) {
            line[..j].copy_from_slice(logs);
        }
        exp_in_place(&mut factors);
        factors
    }

    /// Makes the step that was tried last, given the cells of its table.
    pub(super) fn accept(&mut self, cells: Cells) {
        if let Some(factors) = self.unseen.take() {
            let blocks = self.blocks.par_iter_mut();
            blocks.for_each_init(Vec::new, |norms, block| {
                multiply(block, cells, &factors, norms);
            });
        }
        for block in &mut self.blocks {
            std::mem::swap(&mut block.now, &mut block.tried);
        }
    }
}

/// Scores → posteriors, row by row.
fn soften(scores: &mut [f64], stride: usize) {
    for row in scores.chunks_exact_mut(stride) {
        let largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        for score in &mut *row {
            *score -= largest;
        }
    }
    exp_in_place(scores);
    for row in scores.chunks_exact_mut(stride) {
        let norm = 1.0 / row.iter().sum::<f64>();
        for posterior in row {
            *posterior *= norm;
            if *posterior < NONE {
                *posterior = 0.0;
            }
        }
    }
}

fn added(mut a: Vec<i64>, b: Vec<i64>) -> Vec<i64> {
    for (a, b) in a.iter_mut().zip(b) {
        *a += b;
    }
    a
}

fn sum_of_logs(logs: &[f64], weights: Option<&[f64]>, quantum: Quantum) -> i128 {
    let multiple = |term: f64| i128::from(quantum.multiple(term + quantum.rounder()));
    match weights {
        None => logs.iter().map(|&log| multiple(log)).sum(),
        Some(weights) => logs
            .iter()
            .zip(weights)
            .map(|(log, w)| multiple(w * log))
            .sum(),
    }
}

/// Posteriors times factors of their cells, normalised; the norms are kept.
fn multiply(block: &mut Block, cells: Cells, factors: &[f64], norms: &mut Vec<f64>) {
    let (now, tried, rows) = (&block.now, &mut block.tried, block.rows.clone());
    norms.resize(rows.len(), 0.0);
    match cells.codes {
        PartCodes::Narrow(codes) => kernels::multiply(now, tried, &codes[rows], factors, norms),
        PartCodes::Wide(codes) => kernels::multiply(now, tried, &codes[rows], factors, norms),
    }
}
