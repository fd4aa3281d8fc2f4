//! Rows of a target of any number of classes: the posterior of each class.
//!
//! A row is a run of quads of classes, and so is a line of a table: changing a weight by `d`
//! multiplies the posteriors of a row by the line `exp(d · ln p(part | class))` of its part, and the
//! normaliser by their dot product.

use super::Candidate;
use super::kernels::{self, LogProduct, Quad};
use super::rows::{Change, Likelihood, block_rows, map_blocks};
use crate::columns::Target;
use crate::math::exp::exp_in_place;
use crate::prepare::PartCodes;
use rayon::prelude::*;
use std::ops::Range;

/// Quads of posteriors handled at a time: they stay in the first cache while several changes are
/// evaluated.
const CHUNK_QUADS: usize = 768;
/// Rows handled at a time, at most: wide codes are replaced by the position of the row.
const LONGEST_CHUNK: usize = 256;
/// These positions.
const EVERY_CODE: [u8; LONGEST_CHUNK] = {
    let mut codes = [0; LONGEST_CHUNK];
    let mut i = 0;
    while i < LONGEST_CHUNK {
        codes[i] = i as u8;
        i += 1;
    }
    codes
};

/// Consecutive rows.
#[derive(Debug)]
struct Block {
    rows: Range<usize>,
    posteriors: Vec<Quad>,
    /// Posterior of the class of each row; only the smoothed likelihood keeps it up to date.
    own: Vec<f64>,
    /// The normalisers that each of the changes evaluated last would give, kept because one of
    /// them may be made.
    mixes: Vec<f64>,
}

#[derive(Debug)]
struct Variable<'a> {
    codes: &'a PartCodes,
    parts: usize,
    /// `ln p(part | class)`, a line of quads per part.
    logs: Vec<Quad>,
    /// `−Σ ln p(part | class)` of the rows: how the loss of their own class changes with the weight.
    slope: f64,
}

#[derive(Debug)]
pub(super) struct ManyClasses<'a> {
    variables: Vec<Variable<'a>>,
    layout: Layout<'a>,
    blocks: Vec<Block>,
    /// `ln p(class)`; impossible for the classes that fill the last quad.
    priors: Vec<Quad>,
    /// The changes evaluated last.
    evaluated: Vec<Change>,
    /// The one of them that was made, though the posteriors do not show it yet.
    pending: Option<usize>,
    pub(super) cost: f64,
}

/// What the loops over the rows of a block need to know.
#[derive(Debug, Clone, Copy)]
struct Layout<'a> {
    labels: &'a [u32],
    quads: usize,
    likelihood: Likelihood,
    /// Pseudo-count of each class in the smoothed likelihood (docs/method.md §7.1).
    pseudo_count: f64,
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
            let own = |(row, &label): (usize, &u32)| {
                logs[candidate.codes.get(row) * classes + label as usize]
            };
            Variable {
                codes: &candidate.codes,
                parts: logs.len() / classes,
                logs: logs
                    .chunks_exact(classes)
                    .flat_map(|line| padded(line, 0.0))
                    .collect(),
                slope: -labels.iter().enumerate().map(own).sum::<f64>(),
            }
        };
        let priors = target
            .counts()
            .iter()
            .map(|&n| (n as f64 / rows as f64).ln());
        let size = block_rows(4 * quads);
        let block = |start: usize| {
            let rows = start..rows.min(start + size);
            Block {
                posteriors: vec![[0.0; 4]; rows.len() * quads],
                own: vec![0.0; rows.len()],
                mixes: Vec::new(),
                rows,
            }
        };
        Self {
            variables: candidates.par_iter().map(variable).collect(),
            layout: Layout {
                labels,
                quads,
                likelihood,
                pseudo_count: 0.5 / classes as f64,
            },
            blocks: (0..rows).step_by(size).map(block).collect(),
            priors: padded(&priors.collect::<Vec<f64>>(), f64::NEG_INFINITY).collect(),
            evaluated: Vec::new(),
            pending: None,
            cost: 0.0,
        }
    }

    pub(super) fn restart(&mut self, weights: &[f64]) {
        self.pending = None;
        let Self {
            variables,
            layout,
            blocks,
            priors,
            ..
        } = self;
        let quads = layout.quads;
        let selected = variables.iter().zip(weights).filter(|(_, w)| **w > 0.0);
        let selected: Vec<(&Variable, Vec<Quad>)> = selected
            .map(|(variable, &weight)| (variable, variable.scaled_logs(weight)))
            .collect();
        let partial = map_blocks(blocks, |block| {
            for row in block.posteriors.chunks_exact_mut(quads) {
                row.copy_from_slice(priors);
            }
            let mut lines = Vec::new();
            for chunk in layout.chunks(block) {
                for (variable, logs) in &selected {
                    let (codes, logs) = variable.lines(logs, &chunk.rows, &mut lines);
                    kernels::add_lines(quads, chunk.posteriors, logs, codes);
                }
                let labels = &layout.labels[chunk.rows];
                let rows = chunk.posteriors.chunks_exact_mut(quads);
                for ((scores, own), &label) in rows.zip(chunk.own).zip(labels) {
                    *own = normalise(scores.as_flattened_mut(), label as usize);
                }
            }
            layout.cost_of_own(&block.own)
        });
        self.cost = self.layout.constant() + partial.into_iter().sum::<f64>();
    }

    pub(super) fn costs_after(&mut self, changes: &[Change]) -> Vec<f64> {
        let Self {
            variables,
            layout,
            blocks,
            evaluated,
            pending,
            cost,
            ..
        } = self;
        let prepared = |change: &Change| {
            let variable = &variables[change.candidate];
            (variable, variable.factors(change.by))
        };
        let pending = pending.take().map(|i| (i, prepared(&evaluated[i])));
        let prepared: Vec<(&Variable, Vec<Quad>)> = changes.iter().map(prepared).collect();
        let partial = map_blocks(blocks, |block| {
            let mut products = vec![(LogProduct::new(), LogProduct::new()); prepared.len()];
            let mut lines = Vec::new();
            let mut mixes = std::mem::take(&mut block.mixes);
            let rows = block.rows.len();
            if mixes.len() < prepared.len() * rows {
                mixes.resize(prepared.len() * rows, 0.0);
            }
            let start = block.rows.start;
            for mut chunk in layout.chunks(block) {
                let local = chunk.rows.start - start..chunk.rows.end - start;
                let of_change = |i: usize| i * rows + local.start..i * rows + local.end;
                if let Some((i, (variable, factors))) = &pending {
                    let (codes, factors) = variable.lines(factors, &chunk.rows, &mut lines);
                    layout.tilt(&mut chunk, codes, factors, &mixes[of_change(*i)]);
                }
                for (i, (variable, factors)) in prepared.iter().enumerate() {
                    let (codes, factors) = variable.lines(factors, &chunk.rows, &mut lines);
                    let mixes = &mut mixes[of_change(i)];
                    layout.multiply(&chunk, codes, factors, mixes, &mut products[i]);
                }
            }
            block.mixes = mixes;
            let sums = products.iter().map(|(mixes, own)| mixes.ln() - own.ln());
            sums.collect::<Vec<f64>>()
        });
        let total = |(i, change): (usize, &Change)| {
            let sum = partial.iter().map(|sums| sums[i]).sum::<f64>();
            match layout.likelihood {
                Likelihood::Plain => *cost + change.by * variables[change.candidate].slope + sum,
                Likelihood::Smoothed => layout.constant() + sum,
            }
        };
        let costs = changes.iter().enumerate().map(total).collect();
        *evaluated = changes.to_vec();
        costs
    }

    /// Makes the change of the given position among those evaluated last.
    pub(super) fn apply(&mut self, position: usize, cost: f64) {
        self.pending = Some(position);
        self.cost = cost;
    }

    /// Makes the pending change.
    fn settle(&mut self) {
        if self.pending.is_some() {
            self.costs_after(&[]);
        }
    }

    pub(super) fn gradients(&mut self, candidates: &[usize]) -> Vec<f64> {
        self.settle();
        let layout = self.layout;
        let gradient = |&candidate: &usize| {
            let variable = &self.variables[candidate];
            let mut mixes = [0.0; LONGEST_CHUNK];
            let mut lines = Vec::new();
            let mut sum = variable.slope;
            for block in &self.blocks {
                let size = layout.chunk_rows();
                let posteriors = block.posteriors.chunks(size * layout.quads);
                for (start, posteriors) in (block.rows.start..).step_by(size).zip(posteriors) {
                    let rows = start..start + posteriors.len() / layout.quads;
                    let mixes = &mut mixes[..rows.len()];
                    let (codes, logs) = variable.lines(&variable.logs, &rows, &mut lines);
                    kernels::mix_rows(layout.quads, posteriors, logs, codes, mixes);
                    sum += mixes.iter().sum::<f64>();
                }
            }
            sum
        };
        candidates.par_iter().map(gradient).collect()
    }
}

/// Some rows of a block.
struct Chunk<'a> {
    rows: Range<usize>,
    posteriors: &'a mut [Quad],
    own: &'a mut [f64],
}

impl Layout<'_> {
    fn chunk_rows(&self) -> usize {
        (CHUNK_QUADS / self.quads).clamp(16, LONGEST_CHUNK)
    }

    fn chunks<'b>(&self, block: &'b mut Block) -> impl Iterator<Item = Chunk<'b>> {
        let size = self.chunk_rows();
        let posteriors = block.posteriors.chunks_mut(size * self.quads);
        let starts = (block.rows.start..).step_by(size);
        let parts = posteriors.zip(block.own.chunks_mut(size)).zip(starts);
        parts.map(|((posteriors, own), start)| Chunk {
            rows: start..start + own.len(),
            posteriors,
            own,
        })
    }

    /// Multiplies posteriors by the factors of their parts and divides by the normalisers.
    fn tilt(&self, chunk: &mut Chunk, codes: &[u8], factors: &[Quad], mixes: &[f64]) {
        kernels::tilt_rows(self.quads, chunk.posteriors, factors, codes, mixes);
        if self.likelihood == Likelihood::Smoothed {
            let mut terms = [0.0; LONGEST_CHUNK];
            self.own_terms(chunk, codes, factors, &mut terms);
            kernels::divide(&terms[..codes.len()], mixes, chunk.own);
        }
    }

    /// Finds the normalisers, and multiplies two products by the normalisers that the factors would give and, if the
    /// likelihood is smoothed, by N times the posteriors of the own classes before normalisation
    /// plus the pseudo-count: −Σ ln((N·own·factor/mix + c)/(N + ½)) is the logarithm of their
    /// ratio, up to a constant.
    fn multiply(
        &self,
        chunk: &Chunk,
        codes: &[u8],
        factors: &[Quad],
        mixes: &mut [f64],
        products: &mut (LogProduct, LogProduct),
    ) {
        kernels::mix_rows(self.quads, chunk.posteriors, factors, codes, mixes);
        kernels::multiply(mixes, &mut products.0);
        if self.likelihood == Likelihood::Smoothed {
            let mut terms = [0.0; LONGEST_CHUNK];
            self.own_terms(chunk, codes, factors, &mut terms);
            let terms = &mut terms[..codes.len()];
            kernels::combine(terms, self.labels.len() as f64, mixes, self.pseudo_count);
            kernels::multiply(terms, &mut products.1);
        }
    }

    /// Posterior of the class of each row times its factor.
    fn own_terms(
        &self,
        chunk: &Chunk,
        codes: &[u8],
        factors: &[Quad],
        terms: &mut [f64; LONGEST_CHUNK],
    ) {
        let factors = factors.as_flattened();
        let labels = &self.labels[chunk.rows.clone()];
        let rows = chunk.own.iter().zip(labels).zip(codes);
        for (term, ((own, &label), &code)) in terms.iter_mut().zip(rows) {
            *term = own * factors[usize::from(code) * 4 * self.quads + label as usize];
        }
    }

    /// The cost of some rows, up to a constant, from the posteriors of their own classes.
    fn cost_of_own(&self, own: &[f64]) -> f64 {
        let rows = self.labels.len() as f64;
        let mut product = LogProduct::new();
        for own in own.chunks(LONGEST_CHUNK) {
            let mut values = [0.0; LONGEST_CHUNK];
            for (value, own) in values.iter_mut().zip(own) {
                *value = match self.likelihood {
                    Likelihood::Plain => *own,
                    Likelihood::Smoothed => rows * own + self.pseudo_count,
                };
            }
            kernels::multiply(&values[..own.len()], &mut product);
        }
        -product.ln()
    }

    fn constant(&self) -> f64 {
        let rows = self.labels.len() as f64;
        match self.likelihood {
            Likelihood::Plain => 0.0,
            Likelihood::Smoothed => rows * (rows + 0.5).ln(),
        }
    }
}

impl Variable<'_> {
    fn scaled_logs(&self, weight: f64) -> Vec<Quad> {
        self.logs
            .iter()
            .map(|logs| logs.map(|log| log * weight))
            .collect()
    }

    /// By what a change of weight multiplies the posteriors of each part, before normalisation.
    fn factors(&self, change: f64) -> Vec<Quad> {
        let mut factors = self.scaled_logs(change);
        exp_in_place(factors.as_flattened_mut());
        factors
    }

    /// Codes of one byte for some rows, and the table they index: the lines of the rows, in
    /// `copies`, if the variable has more parts than that.
    fn lines<'b>(
        &'b self,
        table: &'b [Quad],
        rows: &Range<usize>,
        copies: &'b mut Vec<Quad>,
    ) -> (&'b [u8], &'b [Quad]) {
        match self.codes {
            PartCodes::Narrow(codes) => (&codes[rows.clone()], table),
            PartCodes::Wide(codes) => {
                let quads = table.len() / self.parts;
                copies.clear();
                for &code in &codes[rows.clone()] {
                    copies.extend_from_slice(&table[code as usize * quads..][..quads]);
                }
                (&EVERY_CODE[..rows.len()], copies)
            }
        }
    }
}

/// Scores to posteriors; returns that of the given class.
fn normalise(scores: &mut [f64], own: usize) -> f64 {
    let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    for score in &mut *scores {
        *score -= largest;
    }
    exp_in_place(scores);
    let sum: f64 = scores.iter().sum();
    for score in &mut *scores {
        *score = (*score / sum).max(kernels::FLOOR);
    }
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
