//! Rows of a target of any number of classes: the posterior of each class.
//!
//! A row is a run of quads of classes, and so is a line of a table: changing a weight by `d`
//! multiplies the posteriors of a row by the line `exp(d · ln p(part | class))` of its part, and the
//! normaliser by their dot product.

use super::kernels::{self, LogProduct, Quad};
use super::{
    Change, Derivatives, FEW_CANDIDATES, Likelihood, Pending, TABLES_AT_ONCE, Wanted, block_rows,
    map_blocks, sum_over_blocks, sums_by_group,
};
use crate::columns::Target;
use crate::math::exp::exp_in_place;
use crate::prepare::PartCodes;
use crate::weights::Candidate;
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
    /// Their squares.
    squares: Vec<Quad>,
    /// `−Σ ln p(part | class)` of the rows: how the loss of their own class changes with the weight.
    slope: f64,
}

#[derive(Debug)]
pub(crate) struct ManyClasses<'a> {
    variables: Vec<Variable<'a>>,
    layout: Layout<'a>,
    blocks: Vec<Block>,
    /// `ln p(class)`; impossible for the classes that fill the last quad.
    priors: Vec<Quad>,
    pending: Pending,
    pub(crate) cost: f64,
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
    pub(crate) fn new(
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
            let lines = logs.chunks_exact(classes);
            let padded: Vec<Quad> = lines.flat_map(|line| padded(line, 0.0)).collect();
            Variable {
                codes: &candidate.codes,
                parts: logs.len() / classes,
                squares: padded
                    .iter()
                    .map(|logs| logs.map(|log| log * log))
                    .collect(),
                logs: padded,
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
            pending: Pending::default(),
            cost: 0.0,
        }
    }

    /// Log-scores of all rows and classes, or, without the prior, how they change along a
    /// direction.
    pub(crate) fn scores(&self, weights: &[f64], prior: bool) -> Vec<Vec<f64>> {
        let (layout, quads) = (&self.layout, self.layout.quads);
        let prior = if prior {
            &self.priors
        } else {
            &vec![[0.0; 4]; quads]
        };
        let start = |block: &Block| prior.as_flattened().repeat(block.rows.len());
        let mut scores: Vec<Vec<f64>> = self.blocks.iter().map(start).collect();
        let mut rows: Vec<(&Block, &mut Vec<f64>)> = self.blocks.iter().zip(&mut scores).collect();
        let selected = self.variables.iter().zip(weights);
        let selected: Vec<_> = selected.filter(|(_, w)| **w != 0.0).collect();
        for some in selected.chunks(TABLES_AT_ONCE) {
            let tables = some.iter().map(|(v, weight)| (*v, v.scaled_logs(**weight)));
            let tables: Vec<(&Variable, Vec<Quad>)> = tables.collect();
            map_blocks(&mut rows, |(block, scores)| {
                let mut lines = Vec::new();
                let size = layout.chunk_rows();
                let scores = scores.as_chunks_mut().0.chunks_mut(size * quads);
                for (start, scores) in (block.rows.start..).step_by(size).zip(scores) {
                    let rows = start..start + scores.len() / quads;
                    for (variable, logs) in &tables {
                        let (codes, logs) = variable.lines(logs, &rows, &mut lines);
                        kernels::add_lines(quads, scores, logs, codes);
                    }
                }
            });
        }
        scores
    }

    /// Takes new scores, see [`scores`](Self::scores).
    pub(crate) fn set_scores(&mut self, mut scores: Vec<Vec<f64>>) {
        self.pending.forget();
        let layout = self.layout;
        let mut rows: Vec<_> = self.blocks.iter_mut().zip(&mut scores).collect();
        let partial = map_blocks(&mut rows, |(block, scores)| {
            let mut excess = 0.0;
            let labels = &layout.labels[block.rows.clone()];
            let lines = scores.chunks_exact_mut(4 * layout.quads);
            for ((scores, own), &label) in lines.zip(&mut block.own).zip(labels) {
                excess += normalise(scores, label as usize);
                *own = scores[label as usize];
            }
            block.posteriors.copy_from_slice(scores.as_chunks().0);
            match layout.likelihood {
                Likelihood::Plain => layout.cost_of_own(&block.own) + excess,
                Likelihood::Smoothed => layout.cost_of_own(&block.own),
            }
        });
        self.cost = self.layout.constant() + partial.into_iter().sum::<f64>();
    }

    /// Derivative of the cost with respect to the length of a step from `scores` in a direction,
    /// without the constant that comes from the own classes of the rows.
    fn slope_of_normalisers(&self, scores: &[Vec<f64>], direction: &[Vec<f64>], step: f64) -> f64 {
        let width = 4 * self.layout.quads;
        let mut rows: Vec<_> = scores.iter().zip(direction).collect();
        let slopes = map_blocks(&mut rows, |(scores, direction)| {
            let mut moved = vec![0.0; width];
            let rows = scores
                .chunks_exact(width)
                .zip(direction.chunks_exact(width));
            let slope = |(scores, direction): (&[f64], &[f64])| {
                moved.copy_from_slice(scores);
                kernels::add_scaled(&mut moved, direction, step);
                normalise(&mut moved, 0);
                kernels::dot(&moved, direction)
            };
            rows.map(slope).sum::<f64>()
        });
        slopes.into_iter().sum()
    }

    pub(crate) fn slope(
        &self,
        scores: &[Vec<f64>],
        direction: &[Vec<f64>],
        step: f64,
        changes: &[f64],
    ) -> f64 {
        let slopes = self.variables.iter().zip(changes);
        let own: f64 = slopes
            .map(|(variable, change)| change * variable.slope)
            .sum();
        own + self.slope_of_normalisers(scores, direction, step)
    }

    pub(crate) fn costs_after(&mut self, changes: &[Change]) -> Vec<f64> {
        let Self {
            variables,
            layout,
            blocks,
            pending,
            cost,
            ..
        } = self;
        let prepared = |change: &Change| {
            let variable = &variables[change.candidate];
            (variable, variable.factors(change.by))
        };
        let pending = pending
            .replace(changes)
            .map(|(i, change)| (i, prepared(&change)));
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
        changes.iter().enumerate().map(total).collect()
    }

    /// Makes the change of the given position among those evaluated last.
    pub(crate) fn apply(&mut self, position: usize, cost: f64) {
        self.pending.make(position);
        self.cost = cost;
    }

    pub(crate) fn derivatives(&mut self, candidates: &[usize], wanted: Wanted) -> Vec<Derivatives> {
        let Self {
            variables,
            layout,
            blocks,
            pending,
            ..
        } = self;
        let pending = pending.replace(&[]).map(|(i, change)| {
            let variable = &variables[change.candidate];
            (i, variable, variable.factors(change.by))
        });
        let settle = |block: &mut Block| {
            if let Some((i, variable, factors)) = &pending {
                layout.settle(block, *i, variable, factors);
            }
        };
        let mut sums = if candidates.len() <= FEW_CANDIDATES {
            let partial = map_blocks(blocks, |block| {
                settle(block);
                let of_candidate = |&k: &usize| layout.derivatives(block, &variables[k], wanted);
                candidates.iter().map(of_candidate).collect()
            });
            sum_over_blocks(candidates.len(), partial)
        } else {
            if pending.is_some() {
                map_blocks(blocks, settle);
            }
            sums_by_group(candidates, blocks, |block, k| {
                layout.derivatives(block, &variables[k], wanted)
            })
        };
        for (sums, &k) in sums.iter_mut().zip(candidates) {
            sums.gradient += variables[k].slope;
        }
        sums
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

    /// Makes a change whose normalisers are known.
    fn settle(&self, block: &mut Block, position: usize, variable: &Variable, factors: &[Quad]) {
        let mixes = std::mem::take(&mut block.mixes);
        let (start, rows) = (block.rows.start, block.rows.len());
        let mut lines = Vec::new();
        for mut chunk in self.chunks(block) {
            let first = position * rows + chunk.rows.start - start;
            let (codes, factors) = variable.lines(factors, &chunk.rows, &mut lines);
            let mixes = &mixes[first..first + chunk.rows.len()];
            self.tilt(&mut chunk, codes, factors, mixes);
        }
        block.mixes = mixes;
    }

    fn derivatives(&self, block: &Block, variable: &Variable, wanted: Wanted) -> Derivatives {
        let mut sums = Derivatives::default();
        let (mut means, mut squares) = ([0.0; LONGEST_CHUNK], [0.0; LONGEST_CHUNK]);
        let mut lines = Vec::new();
        let size = self.chunk_rows();
        let posteriors = block.posteriors.chunks(size * self.quads);
        for (start, posteriors) in (block.rows.start..).step_by(size).zip(posteriors) {
            let rows = start..start + posteriors.len() / self.quads;
            let means = &mut means[..rows.len()];
            let (codes, logs) = variable.lines(&variable.logs, &rows, &mut lines);
            kernels::mix_rows(self.quads, posteriors, logs, codes, means);
            sums.gradient += means.iter().sum::<f64>();
            if wanted == Wanted::Curvature {
                let squares = &mut squares[..rows.len()];
                let (codes, table) = variable.lines(&variable.squares, &rows, &mut lines);
                kernels::mix_rows(self.quads, posteriors, table, codes, squares);
                sums.curvature += squares.iter().sum::<f64>() - kernels::dot(means, means);
            }
        }
        sums
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

/// Scores to posteriors. Returns the loss of the given class beyond that of the least posterior.
fn normalise(scores: &mut [f64], own: usize) -> f64 {
    let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    for score in &mut *scores {
        *score -= largest;
    }
    let own_score = scores[own];
    exp_in_place(scores);
    let sum: f64 = scores.iter().sum();
    for score in &mut *scores {
        *score = (*score / sum).max(kernels::FLOOR);
    }
    if scores[own] > kernels::FLOOR {
        0.0
    } else {
        (sum.ln() - own_score + kernels::FLOOR.ln()).max(0.0)
    }
}

/// Values in quads, the last one filled up.
fn padded(values: &[f64], filler: f64) -> impl Iterator<Item = Quad> {
    values.chunks(4).map(move |values| {
        let mut quad = [filler; 4];
        quad[..values.len()].copy_from_slice(values);
        quad
    })
}
