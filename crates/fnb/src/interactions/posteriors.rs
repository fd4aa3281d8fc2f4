//! The posteriors of all rows under the current model, and steps of its tables.
//!
//! A step of a table multiplies the posteriors of a row by the factors of its cell. What is known of a row
//! depends on that row alone, and sums over rows are exact: the same bits come out for any order of the
//! rows and any number of threads (docs/method.md §7.7).

use crate::columns::Outcomes;
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

/// Numbers of a block of rows.
const BLOCK_NUMBERS: usize = 1 << 15;
/// Posteriors below this are none: multiplying them on and on would only cost time.
const NONE: f64 = 1e-280;

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
}

#[derive(Debug)]
struct Block {
    rows: Range<usize>,
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
        let largest = weights.iter().flatten().copied().fold(1.0, f64::max);
        let size = (BLOCK_NUMBERS / j).clamp(64, 1 << 14);
        let starts = (0..rows).step_by(size);
        let ranges: Vec<Range<usize>> = starts.map(|s| s..rows.min(s + size)).collect();
        let prior = outcomes.log_prior();
        let block = |rows: Range<usize>| {
            let mut now = prior.repeat(rows.len());
            for profile in profiles {
                for (scores, row) in now.chunks_exact_mut(j).zip(rows.clone()) {
                    let line = &profile.scores[profile.codes.get(row) * j..][..j];
                    for (score, term) in scores.iter_mut().zip(line) {
                        *score += term;
                    }
                    let label = outcomes.codes()[row] as usize;
                    scores[label] += profile.left_out[profile.codes.get(row) * j + label];
                }
            }
            soften(&mut now, j);
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
        }
    }

    pub(super) fn outcomes(&self) -> usize {
        self.outcomes.len()
    }

    pub(super) fn rows(&self) -> usize {
        self.outcomes.rows()
    }

    pub(super) fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    /// The log loss of the training rows.
    pub(super) fn log_loss(&self) -> f64 {
        let quantum = Quantum::of_terms_up_to(-NONE.ln() * self.largest_weight);
        let j = self.outcomes();
        let labels = self.outcomes.codes();
        let of_block = |block: &Block| {
            let rows = block.now.chunks_exact(j).zip(&labels[block.rows.clone()]);
            let own = rows.map(|(posteriors, &label)| posteriors[label as usize].max(NONE));
            let mut logs: Vec<f64> = own.collect();
            ln_in_place(&mut logs);
            let weights = self.weights.as_deref().map(|w| &w[block.rows.clone()]);
            sum_of_logs(&logs, weights, quantum)
        };
        -quantum.times(self.blocks.par_iter().map(of_block).sum())
    }

    /// Calls `f` with the posteriors, the outcome and the weight of every row.
    pub(super) fn for_each_row(&self, mut f: impl FnMut(&[f64], u32, f64)) {
        let j = self.outcomes();
        for block in &self.blocks {
            for (posteriors, row) in block.now.chunks_exact(j).zip(block.rows.clone()) {
                let weight = self.weights.as_ref().map_or(1.0, |weights| weights[row]);
                f(posteriors, self.outcomes.codes()[row], weight);
            }
        }
    }

    /// The rows of each outcome in every cell.
    pub(super) fn observed(&self, cells: Cells) -> Vec<f64> {
        let j = self.outcomes();
        let mut sums = vec![0_u64; cells.number * j];
        for (row, &label) in self.outcomes.codes().iter().enumerate() {
            let units = self
                .outcomes
                .weights()
                .map_or(1, |weights| weights.units()[row]);
            sums[cells.codes.get(row) * j + label as usize] += units;
        }
        let in_rows = |units: u64| match self.outcomes.weights() {
            Some(_) => units as f64 / crate::columns::row_weights::ONE as f64,
            None => units as f64,
        };
        sums.into_iter().map(in_rows).collect()
    }

    /// What the model expects in every cell of a table.
    pub(super) fn masses(&self, cells: Cells) -> Masses {
        let j = self.outcomes();
        let sums = self.blocks.par_iter().fold(
            || vec![0_i64; 2 * j * cells.number],
            |mut sums, block| {
                let rows = MassRows {
                    cells,
                    rows: block.rows.clone(),
                    weights: self.weights.as_deref().map(|w| &w[block.rows.clone()]),
                    quantum: self.quantum,
                };
                rows.add(&block.now, j, &mut sums);
                sums
            },
        );
        self.masses_of(sums.reduce_with(added), cells.number)
    }

    fn masses_of(&self, sums: Option<Vec<i64>>, cells: usize) -> Masses {
        let j = self.outcomes();
        let sums = sums.unwrap_or_else(|| vec![0; 2 * j * cells]);
        let number = |&multiples: &i64| self.quantum.times(multiples.into());
        let lines = || sums.chunks_exact(2 * j);
        Masses {
            expected: lines().flat_map(|line| &line[..j]).map(number).collect(),
            variances: lines().flat_map(|line| &line[j..]).map(number).collect(),
        }
    }

    /// Multiplies the posteriors by factors of the cells of a table, which [`accept`](Self::accept) then
    /// makes the current ones; with it, the masses of the table that is looked at next.
    pub(super) fn try_step(&mut self, cells: Cells, logs: &[f64], next: Option<Cells>) -> Tried {
        let j = self.outcomes();
        let mut factors = logs.to_vec();
        exp_in_place(&mut factors);
        let largest = logs.iter().fold(1e-3_f64, |most, log| most.max(log.abs()));
        let quantum = Quantum::of_terms_up_to(1.01 * largest * self.largest_weight);
        let mass_quantum = self.quantum;
        let weights = self.weights.as_deref();
        let lengths = next.map_or(0, |next| 2 * j * next.number);
        let parts = self.blocks.par_iter_mut().fold(
            || (0_i128, vec![0_i64; lengths], Vec::new()),
            |(mut log_sums, mut sums, mut norms), block| {
                let weights = weights.map(|w| &w[block.rows.clone()]);
                norms.clear();
                multiply(block, cells, &factors, j, &mut norms);
                ln_in_place(&mut norms);
                log_sums += sum_of_logs(&norms, weights, quantum);
                if let Some(cells) = next {
                    let rows = MassRows {
                        cells,
                        rows: block.rows.clone(),
                        weights,
                        quantum: mass_quantum,
                    };
                    rows.add(&block.tried, j, &mut sums);
                }
                (log_sums, sums, norms)
            },
        );
        let (log_sums, sums, _) = parts
            .reduce_with(|a, b| (a.0 + b.0, added(a.1, b.1), a.2))
            .unwrap_or_else(|| (0, vec![0; lengths], Vec::new()));
        Tried {
            log_sums: quantum.times(log_sums),
            masses: next.map(|next| self.masses_of(Some(sums), next.number)),
        }
    }

    /// Makes the step that was tried last.
    pub(super) fn accept(&mut self) {
        for block in &mut self.blocks {
            std::mem::swap(&mut block.now, &mut block.tried);
        }
    }
}

/// Scores → posteriors, row by row.
fn soften(scores: &mut [f64], outcomes: usize) {
    for row in scores.chunks_exact_mut(outcomes) {
        let largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        for score in &mut *row {
            *score -= largest;
        }
    }
    exp_in_place(scores);
    for row in scores.chunks_exact_mut(outcomes) {
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
fn multiply(
    block: &mut Block,
    cells: Cells,
    factors: &[f64],
    outcomes: usize,
    norms: &mut Vec<f64>,
) {
    let rows = block.rows.clone();
    let (now, tried) = (&block.now, &mut block.tried);
    match cells.codes {
        PartCodes::Narrow(codes) => {
            let codes = codes[rows].iter().map(|&code| usize::from(code));
            multiply_rows(now, tried, codes, factors, outcomes, norms);
        }
        PartCodes::Wide(codes) => {
            let codes = codes[rows].iter().map(|&code| code as usize);
            multiply_rows(now, tried, codes, factors, outcomes, norms);
        }
    }
}

#[inline]
fn multiply_rows(
    now: &[f64],
    tried: &mut [f64],
    codes: impl Iterator<Item = usize>,
    factors: &[f64],
    outcomes: usize,
    norms: &mut Vec<f64>,
) {
    if outcomes == 2 {
        let factors = factors.as_chunks::<2>().0;
        let rows = now
            .as_chunks::<2>()
            .0
            .iter()
            .zip(tried.as_chunks_mut::<2>().0);
        for ((now, tried), code) in rows.zip(codes) {
            let factors = factors[code];
            let products = [now[0] * factors[0], now[1] * factors[1]];
            let norm = products[0] + products[1];
            let scale = 1.0 / norm;
            *tried = products.map(|product| above_none(product * scale));
            norms.push(norm);
        }
        return;
    }
    let rows = now
        .chunks_exact(outcomes)
        .zip(tried.chunks_exact_mut(outcomes));
    for ((now, tried), code) in rows.zip(codes) {
        let factors = &factors[code * outcomes..][..outcomes];
        for ((tried, now), factor) in tried.iter_mut().zip(now).zip(factors) {
            *tried = now * factor;
        }
        let norm = tried.iter().sum::<f64>();
        let scale = 1.0 / norm;
        for tried in tried {
            *tried = above_none(*tried * scale);
        }
        norms.push(norm);
    }
}

#[inline]
fn above_none(posterior: f64) -> f64 {
    if posterior < NONE { 0.0 } else { posterior }
}

/// Rows whose posteriors are added up by cell.
struct MassRows<'a> {
    cells: Cells<'a>,
    rows: Range<usize>,
    weights: Option<&'a [f64]>,
    quantum: Quantum,
}

impl MassRows<'_> {
    fn add(&self, posteriors: &[f64], outcomes: usize, sums: &mut [i64]) {
        match self.cells.codes {
            PartCodes::Narrow(codes) => {
                let codes = codes[self.rows.clone()]
                    .iter()
                    .map(|&code| usize::from(code));
                self.add_cells(posteriors, codes, outcomes, sums);
            }
            PartCodes::Wide(codes) => {
                let codes = codes[self.rows.clone()].iter().map(|&code| code as usize);
                self.add_cells(posteriors, codes, outcomes, sums);
            }
        }
    }

    #[inline]
    fn add_cells(
        &self,
        posteriors: &[f64],
        codes: impl Iterator<Item = usize>,
        outcomes: usize,
        sums: &mut [i64],
    ) {
        let rounder = self.quantum.rounder();
        let multiple = |x: f64| self.quantum.multiple(x + rounder);
        let rows = posteriors.chunks_exact(outcomes).zip(codes).enumerate();
        for (row, (posteriors, code)) in rows {
            let weight = self.weights.map_or(1.0, |weights| weights[row]);
            let (expected, variances) =
                sums[code * 2 * outcomes..][..2 * outcomes].split_at_mut(outcomes);
            let sums = expected.iter_mut().zip(variances);
            for ((expected, variance), p) in sums.zip(posteriors) {
                *expected += multiple(weight * p);
                *variance += multiple(weight * p * (1.0 - p));
            }
        }
    }
}
