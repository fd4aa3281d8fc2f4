//! Rows of a target of any number of classes: the posterior of each class.
//!
//! Changing a weight by `d` multiplies the posteriors of a row by `exp(d · ln p(part | class))` of its
//! part, and the normaliser by their sum. Rows are kept in [`tiles`].

use super::aligned::Aligned;
use super::block_weights::{BlockWeights, LogSum};
use super::kernels;
use super::look_up::LookUp;
use super::tiles::{self, Lanes, TILE};
use super::{
    Change, Derivatives, FEW_CANDIDATES, Likelihood, Pending, Rows, Scores, TABLES_AT_ONCE,
    block_rows, map_blocks, sum_of_lines, sum_over_blocks, sums_by_group,
};
use crate::columns::Outcomes;
use crate::math::exp::exp_in_place;
use crate::terms::PartCodes;
use crate::weights::Candidate;
use rayon::prelude::*;
use std::borrow::Cow;
use std::ops::Range;

/// Posteriors handled at a time: they stay in the first cache while several changes are evaluated.
const CHUNK_NUMBERS: usize = 2560;
/// Rows handled at a time, at most.
const LONGEST_CHUNK: usize = 256;

/// Consecutive rows.
#[derive(Debug)]
struct Block {
    rows: Range<usize>,
    posteriors: Aligned,
    /// Posterior of the class of each row; only the smoothed likelihood keeps it up to date.
    own: Vec<f64>,
    /// The normalisers that each of the changes evaluated last would give, kept because one of
    /// them may be made.
    mixes: Vec<f64>,
    weights: BlockWeights,
}

impl Block {
    /// The weight of a row, by its position among all.
    fn weight(&self, row: usize) -> f64 {
        let place = row - self.rows.start;
        let weights = self.weights.each(place..place + 1);
        weights.map_or(self.weights.factor(), |weights| weights[0])
    }
}

#[derive(Debug)]
struct Variable<'a> {
    codes: Cow<'a, PartCodes>,
    /// The scores as given: by cell, then class.
    logs: Cow<'a, [f64]>,
    /// `−Σ ln p(part | class)` of the rows: how the loss of their own class changes with the weight.
    slope: f64,
}

#[derive(Debug)]
pub(crate) struct ManyClasses<'a> {
    variables: Vec<Variable<'a>>,
    layout: Layout<'a>,
    blocks: Vec<Block>,
    /// `ln p(class)`.
    priors: Vec<f64>,
    pending: Pending,
    cost: f64,
}

/// What the loops over the rows of a block need to know.
#[derive(Debug, Clone, Copy)]
struct Layout<'a> {
    labels: &'a [u32],
    /// N.
    total: f64,
    sum_of_weights: f64,
    classes: usize,
    likelihood: Likelihood,
    /// Pseudo-count of each class in the smoothed likelihood (docs/method.md §7.1).
    pseudo_count: f64,
}

impl<'a> ManyClasses<'a> {
    pub(crate) fn new(
        candidates: &'a [Candidate<'a>],
        outcomes: &Outcomes<'a>,
        likelihood: Likelihood,
    ) -> Self {
        let (rows, classes) = (outcomes.rows(), outcomes.len());
        let labels = outcomes.codes();
        let total = outcomes.total() as f64;
        let priors = outcomes.counts().iter().map(|&n| (n as f64 / total).ln());
        let size = block_rows(classes);
        let block = |start: usize| {
            let rows = start..rows.min(start + size);
            Block {
                posteriors: Aligned::new(rows.len().next_multiple_of(TILE) * classes, 0.0),
                own: vec![0.0; rows.len()],
                mixes: Vec::new(),
                weights: BlockWeights::new(outcomes.weights(), rows.clone()),
                rows,
            }
        };
        let blocks: Vec<Block> = (0..rows).step_by(size).map(block).collect();
        let variable = |candidate: &'a Candidate| {
            let codes = Cow::Borrowed(candidate.codes.as_ref());
            let logs = Cow::Borrowed(candidate.scores.as_slice());
            Variable::new(codes, logs, labels, &blocks, classes)
        };
        Self {
            variables: candidates.par_iter().map(variable).collect(),
            layout: Layout {
                labels,
                total,
                sum_of_weights: outcomes.sums().iter().sum(),
                classes,
                likelihood,
                pseudo_count: 0.5 / classes as f64,
            },
            blocks,
            priors: priors.collect(),
            pending: Pending::default(),
            cost: 0.0,
        }
    }
}

impl Rows for ManyClasses<'_> {
    fn cost(&self) -> f64 {
        self.cost
    }

    /// Log-scores of all rows and classes, or, without the prior, how they change along a
    /// direction.
    fn scores(&self, weights: &[f64], prior: bool) -> Scores {
        let layout = &self.layout;
        let start = |block: &Block| {
            let mut scores = Aligned::new(block.posteriors.len(), 0.0);
            if prior {
                let priors = self.priors.iter().cycle();
                let (lanes, _) = scores.as_chunks_mut();
                for (lanes, prior) in lanes.iter_mut().zip(priors) {
                    *lanes = [*prior; TILE];
                }
            }
            scores
        };
        let mut scores: Vec<Aligned> = self.blocks.iter().map(start).collect();
        let mut rows: Vec<(&Block, &mut Aligned)> = self.blocks.iter().zip(&mut scores).collect();
        let selected = self.variables.iter().zip(weights);
        let selected: Vec<_> = selected.filter(|(_, w)| **w != 0.0).collect();
        for some in selected.chunks(TABLES_AT_ONCE) {
            let tables = some
                .iter()
                .map(|(variable, weight)| layout.look_up(variable, |log| **weight * log));
            let tables: Vec<LookUp> = tables.collect();
            map_blocks(&mut rows, |(block, scores)| {
                let size = layout.chunk_rows();
                let (scores, _) = scores.as_chunks_mut();
                let scores = scores.chunks_mut(size / TILE * layout.classes);
                for (first, scores) in (block.rows.start..).step_by(size).zip(scores) {
                    let rows = first..block.rows.end.min(first + size);
                    for table in &tables {
                        table.for_each(layout.classes, &rows, |place, codes, table| {
                            tiles::add(&mut scores[place.lanes], table, codes);
                        });
                    }
                }
            });
        }
        Scores(scores)
    }

    /// Takes new scores, see [`scores`](Self::scores).
    fn set_scores(&mut self, mut scores: Scores) {
        self.pending.forget();
        let layout = self.layout;
        let mut rows: Vec<_> = self.blocks.iter_mut().zip(&mut scores.0).collect();
        let partial = map_blocks(&mut rows, |(block, scores)| {
            let mut excess = 0.0;
            let labels = layout.labels[block.rows.clone()].chunks(TILE);
            let tiles = scores.chunks_exact_mut(layout.classes * TILE);
            let tiles = tiles.zip(block.own.chunks_mut(TILE)).zip(labels);
            for (first, ((tile, own), labels)) in (0..).step_by(TILE).zip(tiles) {
                let weights = block.weights.each(first..first + labels.len());
                excess += normalise(tile, labels, own, weights);
            }
            std::mem::swap(&mut block.posteriors, *scores);
            let cost = layout.cost_of_own(&block.own, &block.weights);
            let excess = block.weights.factor() * excess;
            match layout.likelihood {
                Likelihood::Plain => cost + excess,
                Likelihood::Smoothed => cost,
            }
        });
        self.cost = self.layout.constant() + partial.into_iter().sum::<f64>();
    }

    /// Derivative of the cost with respect to the length of a step from `scores` in a direction,
    /// that of the given changes of weights.
    fn slope(&self, from: &Scores, along: &Scores, changes: &[f64], step: f64) -> f64 {
        let layout = &self.layout;
        let width = layout.classes * TILE;
        let mut rows: Vec<_> = self
            .blocks
            .iter()
            .zip(from.0.iter().zip(&along.0))
            .collect();
        let slopes = map_blocks(&mut rows, |(block, (scores, direction))| {
            let mut moved = vec![0.0; width];
            let mut own = [0.0; TILE];
            let labels = layout.labels[block.rows.clone()].chunks(TILE);
            let tiles = scores
                .chunks_exact(width)
                .zip(direction.chunks_exact(width));
            let mut sum = 0.0;
            let tiles = (0..).step_by(TILE).zip(tiles.zip(labels));
            for (first, ((scores, direction), labels)) in tiles {
                moved.copy_from_slice(scores);
                kernels::add_scaled(&mut moved, direction, step);
                normalise(&mut moved, labels, &mut own, None);
                let weights = block.weights.each(first..first + labels.len());
                let products = moved
                    .as_chunks::<TILE>()
                    .0
                    .iter()
                    .zip(direction.as_chunks::<TILE>().0);
                for (posteriors, direction) in products {
                    let lanes = posteriors.iter().zip(direction).take(labels.len());
                    let products = lanes.map(|(p, d)| p * d);
                    sum += match weights {
                        None => products.sum::<f64>(),
                        Some(weights) => products.zip(weights).map(|(x, w)| x * w).sum(),
                    };
                }
            }
            block.weights.factor() * sum
        });
        let own = self.variables.iter().zip(changes);
        let own: f64 = own.map(|(variable, change)| change * variable.slope).sum();
        own + slopes.into_iter().sum::<f64>()
    }

    fn costs_after(&mut self, changes: &[Change]) -> Vec<f64> {
        let Self {
            variables,
            layout,
            blocks,
            pending,
            cost,
            ..
        } = self;
        let prepared = |change: &Change| layout.factors(&variables[change.candidate], change.by);
        let pending = pending
            .replace(changes)
            .map(|(i, change)| (i, prepared(&change)));
        let prepared: Vec<LookUp> = changes.iter().map(prepared).collect();
        let partial = map_blocks(blocks, |block| {
            let mut sums = vec![(LogSum::new(), LogSum::new()); prepared.len()];
            let mut mixes = std::mem::take(&mut block.mixes);
            let rows = block.rows.len();
            if mixes.len() < prepared.len() * rows {
                mixes.resize(prepared.len() * rows, 0.0);
            }
            let start = block.rows.start;
            for mut chunk in layout.chunks(block) {
                let local = chunk.rows.start - start..chunk.rows.end - start;
                let of_change = |i: usize| i * rows + local.start..i * rows + local.end;
                if let Some((i, factors)) = &pending {
                    layout.tilt(&mut chunk, factors, &mixes[of_change(*i)]);
                }
                for (i, factors) in prepared.iter().enumerate() {
                    let mixes = &mut mixes[of_change(i)];
                    layout.add_logs(&chunk, factors, mixes, &mut sums[i]);
                }
            }
            block.mixes = mixes;
            let factor = block.weights.factor();
            let sums = sums.iter();
            sums.map(|(mixes, own)| factor * (mixes.total() - own.total()))
                .collect::<Vec<f64>>()
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
    fn apply(&mut self, position: usize, cost: f64) {
        self.pending.make(position);
        self.cost = cost;
    }

    fn derivatives(&mut self, candidates: &[usize]) -> Vec<Derivatives> {
        let Self {
            variables,
            layout,
            blocks,
            pending,
            ..
        } = self;
        let pending = pending.replace(&[]).map(|(i, change)| {
            let factors = layout.factors(&variables[change.candidate], change.by);
            (i, factors)
        });
        let settle = |block: &mut Block| {
            if let Some((i, factors)) = &pending {
                layout.settle(block, *i, factors);
            }
        };
        let look_up = |k: usize| layout.look_up(&variables[k], |log| log);
        let mut sums = if candidates.len() <= FEW_CANDIDATES {
            let tables: Vec<LookUp> = candidates.iter().map(|&k| look_up(k)).collect();
            let partial = map_blocks(blocks, |block| {
                settle(block);
                layout.derivatives(block, &tables)
            });
            sum_over_blocks(candidates.len(), partial)
        } else {
            if pending.is_some() {
                map_blocks(blocks, settle);
            }
            sums_by_group(candidates, blocks, look_up, |block, tables| {
                layout.derivatives(block, tables)
            })
        };
        for (sums, &k) in sums.iter_mut().zip(candidates) {
            sums.gradient += variables[k].slope;
        }
        sums
    }

    fn masses(&mut self, codes: &PartCodes, cells: usize) -> Vec<f64> {
        self.settle();
        let classes = self.layout.classes;
        let partial = map_blocks(&mut self.blocks, |block| {
            let mut masses = vec![0.0; cells * classes];
            let tiles = block.posteriors.chunks_exact(classes * TILE);
            let rows = block.rows.clone();
            for (first, tile) in rows.clone().step_by(TILE).zip(tiles) {
                for row in first..rows.end.min(first + TILE) {
                    let lane = row - first;
                    let weight = block.weight(row);
                    let line = &mut masses[codes.get(row) * classes..][..classes];
                    for (mass, lanes) in line.iter_mut().zip(tile.chunks_exact(TILE)) {
                        *mass += weight * lanes[lane];
                    }
                }
            }
            masses
        });
        sum_of_lines(cells * classes, &partial)
    }

    fn push(&mut self, codes: PartCodes, scores: Vec<f64>) -> usize {
        let (codes, logs) = (Cow::Owned(codes), Cow::Owned(scores));
        let Layout {
            labels, classes, ..
        } = self.layout;
        let variable = Variable::new(codes, logs, labels, &self.blocks, classes);
        self.variables.push(variable);
        self.variables.len() - 1
    }
}

impl ManyClasses<'_> {
    /// Makes the change that is pending.
    fn settle(&mut self) {
        let Some((i, change)) = self.pending.replace(&[]) else {
            return;
        };
        let layout = self.layout;
        let factors = layout.factors(&self.variables[change.candidate], change.by);
        map_blocks(&mut self.blocks, |block| layout.settle(block, i, &factors));
    }
}

impl<'a> Variable<'a> {
    /// The codes and scores of a candidate, and what the rows say of them.
    fn new(
        codes: Cow<'a, PartCodes>,
        logs: Cow<'a, [f64]>,
        labels: &[u32],
        blocks: &[Block],
        classes: usize,
    ) -> Self {
        let mut sum = 0.0;
        for block in blocks {
            for row in block.rows.clone() {
                let own = logs[codes.get(row) * classes + labels[row] as usize];
                sum += block.weight(row) * own;
            }
        }
        Self {
            codes,
            logs,
            slope: -sum,
        }
    }
}

/// Some rows of a block.
struct Chunk<'a> {
    rows: Range<usize>,
    posteriors: &'a mut [Lanes],
    own: &'a mut [f64],
    /// Weights of the rows, if they differ.
    weights: Option<&'a [f64]>,
}

impl Layout<'_> {
    fn chunk_rows(&self) -> usize {
        let rows = (CHUNK_NUMBERS / self.classes).next_multiple_of(TILE);
        rows.clamp(TILE, LONGEST_CHUNK)
    }

    fn chunks<'b>(&self, block: &'b mut Block) -> impl Iterator<Item = Chunk<'b>> {
        let size = self.chunk_rows();
        let (posteriors, _) = block.posteriors.as_chunks_mut();
        let posteriors = posteriors.chunks_mut(size / TILE * self.classes);
        let starts = (block.rows.start..).step_by(size);
        let parts = posteriors.zip(block.own.chunks_mut(size)).zip(starts);
        let (first, weights) = (block.rows.start, &block.weights);
        parts.map(move |((posteriors, own), start)| Chunk {
            rows: start..start + own.len(),
            weights: weights.each(start - first..start - first + own.len()),
            posteriors,
            own,
        })
    }

    /// A function of the log-probabilities, tabulated.
    fn look_up<'b>(&self, variable: &'b Variable, value: impl Fn(f64) -> f64) -> LookUp<'b> {
        let values = variable.logs.iter().map(|&log| value(log)).collect();
        LookUp::new(&variable.codes, values, self.classes)
    }

    /// By what a change of weight multiplies the posteriors of each part, before normalisation.
    fn factors<'b>(&self, variable: &'b Variable, change: f64) -> LookUp<'b> {
        let mut factors: Vec<f64> = variable.logs.iter().map(|log| change * log).collect();
        exp_in_place(&mut factors);
        LookUp::new(&variable.codes, factors, self.classes)
    }

    /// Makes a change whose normalisers are known.
    fn settle(&self, block: &mut Block, position: usize, factors: &LookUp) {
        let mixes = std::mem::take(&mut block.mixes);
        let (start, rows) = (block.rows.start, block.rows.len());
        for mut chunk in self.chunks(block) {
            let first = position * rows + chunk.rows.start - start;
            let mixes = &mixes[first..first + chunk.rows.len()];
            self.tilt(&mut chunk, factors, mixes);
        }
        block.mixes = mixes;
    }

    /// Derivatives of the normalisers with respect to the weights of some variables.
    fn derivatives(&self, block: &Block, tables: &[LookUp]) -> Vec<Derivatives> {
        let mut sums = vec![Derivatives::default(); tables.len()];
        let (size, start) = (self.chunk_rows(), block.rows.start);
        let (posteriors, _) = block.posteriors.as_chunks();
        let chunks = posteriors.chunks(size / TILE * self.classes);
        for (first, posteriors) in (block.rows.start..).step_by(size).zip(chunks) {
            let rows = first..block.rows.end.min(first + size);
            for (sum, table) in sums.iter_mut().zip(tables) {
                let weights = block.weights.each(first - start..rows.end - start);
                table.for_each(self.classes, &rows, |place, codes, table| {
                    let weights = weights.map(|weights| &weights[place.rows]);
                    let posteriors = &posteriors[place.lanes];
                    let [mean, variance] = tiles::moments(posteriors, table, codes, weights);
                    sum.gradient += mean;
                    sum.curvature += variance;
                });
            }
        }
        let factor = block.weights.factor();
        for sum in &mut sums {
            sum.gradient *= factor;
            sum.curvature *= factor;
        }
        sums
    }

    /// Multiplies posteriors by the factors of their parts and divides by the normalisers.
    fn tilt(&self, chunk: &mut Chunk, factors: &LookUp, mixes: &[f64]) {
        if self.likelihood == Likelihood::Smoothed {
            let mut terms = [0.0; LONGEST_CHUNK];
            self.own_terms(chunk, factors, &mut terms);
            kernels::divide(&terms[..chunk.own.len()], mixes, chunk.own);
        }
        factors.for_each(self.classes, &chunk.rows, |place, codes, table| {
            let posteriors = &mut chunk.posteriors[place.lanes];
            tiles::tilt(posteriors, table, codes, &mixes[place.rows]);
        });
    }

    /// Finds the normalisers that the factors would give, and adds to two sums: their logarithms
    /// and, if the likelihood is smoothed, those of N times the posteriors of the own classes before
    /// normalisation plus the pseudo-count: −Σ ln((N·own·factor/mix + c)/(N + ½)) is the difference
    /// of the sums, up to a constant.
    fn add_logs(
        &self,
        chunk: &Chunk,
        factors: &LookUp,
        mixes: &mut [f64],
        sums: &mut (LogSum, LogSum),
    ) {
        factors.for_each(self.classes, &chunk.rows, |place, codes, table| {
            let posteriors = &chunk.posteriors[place.lanes];
            tiles::mix(posteriors, table, codes, &mut mixes[place.rows]);
        });
        sums.0.add(mixes, chunk.weights);
        if self.likelihood == Likelihood::Smoothed {
            let mut terms = [0.0; LONGEST_CHUNK];
            self.own_terms(chunk, factors, &mut terms);
            let terms = &mut terms[..chunk.own.len()];
            kernels::combine(terms, self.total, mixes, self.pseudo_count);
            sums.1.add(terms, chunk.weights);
        }
    }

    /// Posterior of the class of each row times its factor.
    fn own_terms(&self, chunk: &Chunk, factors: &LookUp, terms: &mut [f64; LONGEST_CHUNK]) {
        let labels = &self.labels[chunk.rows.clone()];
        let rows = chunk.own.iter().zip(labels).zip(chunk.rows.clone());
        for (term, ((own, &label), row)) in terms.iter_mut().zip(rows) {
            *term = own * factors.get(row, label as usize, self.classes);
        }
    }

    /// The cost of some rows, up to a constant, from the posteriors of their own classes.
    fn cost_of_own(&self, own: &[f64], weights: &BlockWeights) -> f64 {
        let mut sum = LogSum::new();
        let chunks = own.chunks(LONGEST_CHUNK);
        for (first, own) in (0..).step_by(LONGEST_CHUNK).zip(chunks) {
            let mut values = [0.0; LONGEST_CHUNK];
            for (value, own) in values.iter_mut().zip(own) {
                *value = match self.likelihood {
                    Likelihood::Plain => *own,
                    Likelihood::Smoothed => self.total * own + self.pseudo_count,
                };
            }
            let weights = weights.each(first..first + own.len());
            sum.add(&values[..own.len()], weights);
        }
        -weights.factor() * sum.total()
    }

    fn constant(&self) -> f64 {
        match self.likelihood {
            Likelihood::Plain => 0.0,
            Likelihood::Smoothed => self.sum_of_weights * (self.total + 0.5).ln(),
        }
    }
}

/// Scores of a tile to posteriors, and those of the own classes of its rows. Returns the loss of
/// these rows beyond that of the least posterior: that of rows that the model gets very wrong.
fn normalise(tile: &mut [f64], labels: &[u32], own: &mut [f64], weights: Option<&[f64]>) -> f64 {
    let (classes, _) = tile.as_chunks_mut::<TILE>();
    let mut largest = classes[0];
    for scores in &*classes {
        for (largest, score) in largest.iter_mut().zip(scores) {
            *largest = largest.max(*score);
        }
    }
    for scores in &mut *classes {
        for (score, largest) in scores.iter_mut().zip(largest) {
            *score -= largest;
        }
    }
    for (lane, (own, &label)) in own.iter_mut().zip(labels).enumerate() {
        *own = classes[label as usize][lane];
    }
    exp_in_place(tile);
    let (classes, _) = tile.as_chunks_mut::<TILE>();
    let mut sums = [0.0; TILE];
    for terms in &*classes {
        for (sum, term) in sums.iter_mut().zip(terms) {
            *sum += term;
        }
    }
    for terms in &mut *classes {
        for (term, sum) in terms.iter_mut().zip(sums) {
            *term = (*term / sum).max(kernels::FLOOR);
        }
    }
    let mut excess = 0.0;
    for (lane, (own, &label)) in own.iter_mut().zip(labels).enumerate() {
        let score = std::mem::replace(own, classes[label as usize][lane]);
        if *own <= kernels::FLOOR {
            let weight = weights.map_or(1.0, |weights| weights[lane]);
            excess += weight * (sums[lane].ln() - score + kernels::FLOOR.ln()).max(0.0);
        }
    }
    excess
}
