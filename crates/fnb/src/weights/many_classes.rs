//! Rows of a target of any number of classes: the posterior of each class.
//!
//! A row is a run of quads of classes, and so is a line of a table: changing a weight by `d`
//! multiplies the posteriors of a row by the line `exp(d · ln p(part | class))` of its part, and the
//! normaliser by their dot product.

use super::Candidate;
use super::kernels::{self, CHUNK, LogProduct, Quad};
use super::rows::{Codes, Likelihood, block_rows, sum_blocks};
use crate::columns::Target;
use crate::math::exp::exp_in_place;
use crate::prepare::PartCodes;
use rayon::prelude::*;
use std::ops::Range;

/// Rows of wide codes handled at a time: their lines are copied into a table of that many.
const WIDE_CHUNK: usize = 256;
/// The code of each line of such a table.
const EVERY_CODE: [u8; WIDE_CHUNK] = {
    let mut codes = [0; WIDE_CHUNK];
    let mut i = 0;
    while i < WIDE_CHUNK {
        codes[i] = i as u8;
        i += 1;
    }
    codes
};

#[derive(Debug)]
struct Variable<'a> {
    codes: &'a PartCodes,
    /// `ln p(part | class)`, a line of quads per part.
    logs: Vec<Quad>,
    /// `−Σ ln p(part | class)` of the rows: how their own class changes with the weight.
    slope: f64,
}

#[derive(Debug)]
pub(super) struct ManyClasses<'a> {
    variables: Vec<Variable<'a>>,
    labels: &'a [u32],
    likelihood: Likelihood,
    /// Pseudo-count of each class in the smoothed likelihood (docs/method.md §7.1).
    pseudo_count: f64,
    quads: usize,
    /// `ln p(class)`; impossible for the classes that fill the last quad.
    priors: Vec<Quad>,
    blocks: Vec<Range<usize>>,
    posteriors: Vec<Quad>,
    /// Posterior of the class of each row; only the smoothed likelihood keeps it up to date.
    own: Vec<f64>,
    pub(super) cost: f64,
}

impl<'a> ManyClasses<'a> {
    pub(super) fn new(
        candidates: &'a [Candidate<'a>],
        target: &'a Target,
        likelihood: Likelihood,
    ) -> Self {
        let (rows, classes) = (target.rows(), target.classes().len());
        let quads = classes.div_ceil(4);
        let labels = target.codes();
        let variable = |candidate: &'a Candidate| {
            let logs = &candidate.log_probabilities;
            let own = |(n, &label): (usize, &u32)| {
                logs[candidate.codes.get(n) * classes + label as usize]
            };
            Variable {
                codes: &candidate.codes,
                logs: logs
                    .chunks_exact(classes)
                    .flat_map(|line| padded(line, 0.0))
                    .collect(),
                slope: -labels.iter().enumerate().map(own).sum::<f64>(),
            }
        };
        let priors: Vec<f64> = target
            .counts()
            .iter()
            .map(|&count| (count as f64 / rows as f64).ln())
            .collect();
        let size = block_rows(4 * quads);
        let blocks = (0..rows)
            .step_by(size)
            .map(|start| start..rows.min(start + size));
        Self {
            variables: candidates.par_iter().map(variable).collect(),
            labels,
            likelihood,
            pseudo_count: 0.5 / classes as f64,
            quads,
            priors: padded(&priors, f64::NEG_INFINITY).collect(),
            blocks: blocks.collect(),
            posteriors: vec![[0.0; 4]; rows * quads],
            own: vec![0.0; rows],
            cost: 0.0,
        }
    }

    pub(super) fn restart(&mut self, weights: &[f64]) {
        let Self {
            variables,
            labels,
            quads,
            priors,
            posteriors,
            own,
            ..
        } = self;
        let quads = *quads;
        let size = block_rows(4 * quads);
        let fill = |block: usize, scores: &mut [Quad], own: &mut [f64]| {
            let start = block * size;
            for row in scores.chunks_exact_mut(quads) {
                row.copy_from_slice(priors);
            }
            for (variable, &weight) in variables.iter().zip(weights).filter(|(_, w)| **w > 0.0) {
                for (i, row) in scores.chunks_exact_mut(quads).enumerate() {
                    let line = &variable.logs[variable.codes.get(start + i) * quads..];
                    for (score, log) in row.as_flattened_mut().iter_mut().zip(line.as_flattened()) {
                        *score = log.mul_add(weight, *score);
                    }
                }
            }
            for (i, row) in scores.chunks_exact_mut(quads).enumerate() {
                own[i] = normalise(row.as_flattened_mut(), labels[start + i] as usize);
            }
        };
        posteriors
            .par_chunks_mut(size * quads)
            .zip(own.par_chunks_mut(size))
            .enumerate()
            .for_each(|(block, (scores, own))| fill(block, scores, own));
        self.cost = self.cost_of_own();
    }

    /// The cost from the posteriors of the own classes.
    fn cost_of_own(&self) -> f64 {
        let all = self.own.len() as f64;
        let sums = sum_blocks(&self.blocks, |block| {
            let mut product = LogProduct::new();
            let mut values = [0.0; CHUNK];
            for own in self.own[block.clone()].chunks(CHUNK) {
                let values = &mut values[..own.len()];
                match self.likelihood {
                    Likelihood::Plain => values.copy_from_slice(own),
                    Likelihood::Smoothed => {
                        let terms = own.iter().map(|own| all * own + self.pseudo_count);
                        values.iter_mut().zip(terms).for_each(|(v, term)| *v = term);
                    }
                }
                kernels::multiply(values, &mut product);
            }
            [product.ln(), 0.0]
        });
        match self.likelihood {
            Likelihood::Plain => -sums[0],
            Likelihood::Smoothed => all * (all + 0.5).ln() - sums[0],
        }
    }

    pub(super) fn cost_after(&self, candidate: usize, change: f64) -> f64 {
        let variable = &self.variables[candidate];
        let factors = variable.factors(change);
        let all = self.own.len() as f64;
        let sums = sum_blocks(&self.blocks, |block| {
            let (mut product, mut smoothed) = (LogProduct::new(), LogProduct::new());
            let (mut mixes, mut terms) = ([0.0; CHUNK], [0.0; CHUNK]);
            variable.for_each_chunk(
                &factors,
                self.quads,
                block.clone(),
                |rows, codes, factors| {
                    let mixes = &mut mixes[..rows.len()];
                    let posteriors =
                        &self.posteriors[rows.start * self.quads..rows.end * self.quads];
                    kernels::mix_rows(self.quads, posteriors, factors, codes, mixes);
                    kernels::multiply(mixes, &mut product);
                    if self.likelihood == Likelihood::Smoothed {
                        let terms = &mut terms[..rows.len()];
                        let labels = &self.labels[rows.clone()];
                        own_terms(&self.own[rows], labels, codes, factors, self.quads, terms);
                        kernels::combine(terms, all, mixes, self.pseudo_count);
                        kernels::multiply(terms, &mut smoothed);
                    }
                },
            );
            [product.ln(), smoothed.ln()]
        });
        match self.likelihood {
            Likelihood::Plain => change.mul_add(variable.slope, self.cost + sums[0]),
            // −Σ ln((N·own·factor/mix + c)/(N + ½))
            Likelihood::Smoothed => sums[0] - sums[1] + all * (all + 0.5).ln(),
        }
    }

    pub(super) fn apply(&mut self, candidate: usize, change: f64, cost: f64) {
        let variable = &self.variables[candidate];
        let factors = variable.factors(change);
        let (quads, labels, likelihood) = (self.quads, self.labels, self.likelihood);
        let size = block_rows(4 * quads);
        let tilt = |block: usize, posteriors: &mut [Quad], own: &mut [f64]| {
            let start = block * size;
            let (mut mixes, mut terms) = ([0.0; CHUNK], [0.0; CHUNK]);
            let range = start..start + own.len();
            variable.for_each_chunk(&factors, quads, range, |rows, codes, factors| {
                let (mixes, terms) = (&mut mixes[..rows.len()], &mut terms[..rows.len()]);
                let local = rows.start - start..rows.end - start;
                let posteriors = &mut posteriors[local.start * quads..local.end * quads];
                let own = &mut own[local];
                kernels::mix_rows(quads, posteriors, factors, codes, mixes);
                kernels::tilt_rows(quads, posteriors, factors, codes, mixes);
                if likelihood == Likelihood::Smoothed {
                    own_terms(own, &labels[rows], codes, factors, quads, terms);
                    kernels::divide(terms, mixes, own);
                }
            });
        };
        self.posteriors
            .par_chunks_mut(size * quads)
            .zip(self.own.par_chunks_mut(size))
            .enumerate()
            .for_each(|(block, (posteriors, own))| tilt(block, posteriors, own));
        self.cost = cost;
    }

    pub(super) fn gradients(&self, candidates: &[usize]) -> Vec<f64> {
        let gradient = |&candidate: &usize| {
            let variable = &self.variables[candidate];
            let mut mixes = [0.0; CHUNK];
            let mut sum = variable.slope;
            let all = 0..self.labels.len();
            variable.for_each_chunk(&variable.logs, self.quads, all, |rows, codes, logs| {
                let mixes = &mut mixes[..rows.len()];
                let posteriors = &self.posteriors[rows.start * self.quads..rows.end * self.quads];
                kernels::mix_rows(self.quads, posteriors, logs, codes, mixes);
                sum += mixes.iter().sum::<f64>();
            });
            sum
        };
        candidates.par_iter().map(gradient).collect()
    }
}

impl Variable<'_> {
    /// By what the posteriors of each part are multiplied before they are normalised.
    fn factors(&self, change: f64) -> Vec<Quad> {
        let mut factors: Vec<Quad> = self
            .logs
            .iter()
            .map(|logs| logs.map(|l| l * change))
            .collect();
        exp_in_place(factors.as_flattened_mut());
        factors
    }

    /// Calls a function with some rows, their narrow codes and the table these codes index.
    fn for_each_chunk(
        &self,
        table: &[Quad],
        quads: usize,
        rows: Range<usize>,
        mut work: impl FnMut(Range<usize>, &[u8], &[Quad]),
    ) {
        match Codes::new(self.codes, rows.clone()) {
            Codes::Narrow(codes) => {
                for (i, codes) in codes.chunks(CHUNK).enumerate() {
                    let start = rows.start + i * CHUNK;
                    work(start..start + codes.len(), codes, table);
                }
            }
            Codes::Wide(codes) => {
                let mut lines = Vec::with_capacity(WIDE_CHUNK * quads);
                for (i, codes) in codes.chunks(WIDE_CHUNK).enumerate() {
                    let start = rows.start + i * WIDE_CHUNK;
                    lines.clear();
                    for &code in codes {
                        lines.extend_from_slice(&table[code as usize * quads..][..quads]);
                    }
                    work(
                        start..start + codes.len(),
                        &EVERY_CODE[..codes.len()],
                        &lines,
                    );
                }
            }
        }
    }
}

/// `terms[row] = own[row] · factors[code][label]`.
fn own_terms(
    own: &[f64],
    labels: &[u32],
    codes: &[u8],
    factors: &[Quad],
    quads: usize,
    terms: &mut [f64],
) {
    let factors = factors.as_flattened();
    for (((term, own), &label), &code) in terms.iter_mut().zip(own).zip(labels).zip(codes) {
        *term = own * factors[usize::from(code) * 4 * quads + label as usize];
    }
}

/// Scores to posteriors; returns that of the given class.
fn normalise(scores: &mut [f64], own: usize) -> f64 {
    let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    scores.iter_mut().for_each(|score| *score -= largest);
    exp_in_place(scores);
    let sum: f64 = scores.iter().sum();
    scores
        .iter_mut()
        .for_each(|score| *score = (*score / sum).max(kernels::FLOOR));
    scores[own]
}

/// Values in quads, the last one filled up.
fn padded(values: &[f64], filler: f64) -> impl Iterator<Item = Quad> {
    values.chunks(4).map(move |values| {
        let mut quad = [filler; 4];
        quad[..values.len()].copy_from_slice(values);
        quad
    })
}
