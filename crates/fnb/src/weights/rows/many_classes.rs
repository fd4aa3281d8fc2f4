//! Rows of a target of any number of classes: the posterior of each class.
//!
//! Changing a weight by `d` multiplies the posteriors of a row by `exp(d · ln p(part | class))` of its
//! part, and the normaliser by their sum. Rows are kept in [`tiles`].

use super::aligned::Aligned;
use super::beyond::Beyond;
use super::block_weights::{BlockWeights, in_rows};
use super::kernels::{self, FLOOR, LARGEST_LOG};
use super::look_up::LookUp;
use super::tiles::{self, Lanes, TILE};
use super::{
    Change, DerivativeSums, Derivatives, FEW_CANDIDATES, Likelihood, Pending, Rows, Scores,
    TABLES_AT_ONCE, added, derivatives_of, in_rows_each, largest, map_blocks, masses_of_blocks,
    quanta_of_derivatives, quantum_of_slopes, sum_over_blocks, sums_by_group,
};
use crate::columns::Outcomes;
use crate::columns::places::AllRows;
use crate::math::exp::exp_in_place;
use crate::math::order_free_sum::OrderFreeSum;
use crate::math::quantum::Quantum;
use crate::terms::PartCodes;
use crate::weights::Candidate;
use rayon::prelude::*;
use std::borrow::Cow;
use std::ops::Range;

/// Posteriors handled at a time: they stay in the first cache while several changes are evaluated.
const CHUNK_NUMBERS: usize = 2560;
/// Rows handled at a time, at most.
const LONGEST_CHUNK: usize = kernels::CHUNK;

/// Logarithms of smoothed posteriors are those of shares of rows, and of numbers of classes.
const SMOOTHED: Quantum = Quantum::of_terms_up_to(64.0);

/// Consecutive rows.
#[derive(Debug)]
struct Block {
    rows: Range<usize>,
    /// Those below [`FLOOR`] are 0.
    posteriors: Aligned,
    /// Their logarithms.
    beyond: Beyond,
    /// The normalisers that each of the changes evaluated last would give, kept because one of
    /// them may be made.
    mixes: Vec<f64>,
    weights: BlockWeights,
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
    /// Do the blocks know the normalisers of the changes evaluated last?
    is_mixed: bool,
    cost: f64,
    all: AllRows,
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
        block_rows: usize,
    ) -> Self {
        let (rows, classes) = (outcomes.rows(), outcomes.len());
        let labels = outcomes.codes();
        let total = outcomes.total() as f64;
        let priors = outcomes.counts().iter().map(|&n| (n as f64 / total).ln());
        let block = |start: usize| {
            let rows = start..rows.min(start + block_rows);
            Block {
                posteriors: Aligned::new(rows.len().next_multiple_of(TILE) * classes, 0.0),
                beyond: Beyond::default(),
                mixes: Vec::new(),
                weights: BlockWeights::new(outcomes.weights(), rows.clone()),
                rows,
            }
        };
        let blocks: Vec<Block> = (0..rows).step_by(block_rows).map(block).collect();
        let variable = |candidate: &'a Candidate| {
            let codes = Cow::Borrowed(candidate.codes.as_ref());
            let logs = Cow::Borrowed(candidate.scores.as_slice());
            Variable {
                codes,
                logs,
                slope: 0.0,
            }
        };
        let mut variables: Vec<Variable> = candidates.iter().map(variable).collect();
        let all = outcomes.all();
        let slopes = all.sum(|| {
            let variables = variables.par_iter();
            let slope = |variable: &Variable| variable.sum_of_slopes(labels, &blocks, classes);
            variables.map(slope).collect()
        });
        for (variable, slope) in variables.iter_mut().zip(in_rows_each(slopes)) {
            variable.slope = slope;
        }
        Self {
            variables,
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
            is_mixed: true,
            cost: 0.0,
            all,
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
    fn set_scores(&mut self, scores: Scores) {
        self.pending.forget();
        let layout = self.layout;
        let mut rows: Vec<_> = self.blocks.iter_mut().zip(&scores.0).collect();
        let losses = map_blocks(&mut rows, |(block, scores)| layout.set(block, scores));
        let loss = self
            .all
            .sum(|| vec![losses.into_iter().sum::<OrderFreeSum>()]);
        self.cost = in_rows(loss[0].total());
    }

    /// Derivative of the cost with respect to the length of a step from `scores` in a direction,
    /// that of the given changes of weights.
    fn slope(&self, from: &Scores, along: &Scores, changes: &[f64], step: f64) -> f64 {
        let width = self.layout.classes * TILE;
        let logs = self.variables.iter().map(|variable| &variable.logs[..]);
        let quantum = quantum_of_slopes(logs, changes);
        let mut rows: Vec<_> = self
            .blocks
            .iter()
            .zip(from.0.iter().zip(&along.0))
            .collect();
        let slope = |(block, (scores, direction)): &mut (&Block, (&Aligned, &Aligned))| {
            let (mut moved, mut posteriors) = (vec![0.0; width], vec![0.0; width]);
            let mut sum = 0;
            let tiles = scores
                .chunks_exact(width)
                .zip(direction.chunks_exact(width));
            for (first, (scores, direction)) in (0..).step_by(TILE).zip(tiles) {
                moved.copy_from_slice(scores);
                kernels::add_scaled(&mut moved, direction, step);
                normalise(&moved, &mut posteriors);
                let mut means = [0.0; TILE];
                let lanes = posteriors
                    .chunks_exact(TILE)
                    .zip(direction.chunks_exact(TILE));
                for (posteriors, direction) in lanes {
                    kernels::add_products(&mut means, posteriors, direction);
                }
                let mut multiples = [0; TILE];
                kernels::products(&means, &[1.0; TILE], quantum, &mut multiples);
                let rows = first..block.rows.len().min(first + TILE);
                let multiples = &multiples[..rows.len()];
                sum += block.weights.sum(rows, multiples);
            }
            sum
        };
        let mut slopes = || map_blocks(&mut rows, slope).into_iter().sum();
        let slope = quantum.times(self.all.sum(|| vec![slopes()])[0]);
        let own = self.variables.iter().zip(changes);
        let own: f64 = own.map(|(variable, change)| change * variable.slope).sum();
        own + in_rows(slope)
    }

    fn costs_after(&mut self, changes: &[Change]) -> Vec<f64> {
        let made = self.pending.replace(changes);
        let all = self.all.clone();
        self.is_mixed = false;
        let evaluated: Vec<(usize, Change)> = changes.iter().copied().enumerate().collect();
        let sums = all.sum(|| {
            self.is_mixed = true;
            self.evaluate(made, &evaluated)
        });
        if !self.is_mixed {
            self.make(made);
        }
        let total = |(change, sum): (&Change, i128)| {
            let variable = &self.variables[change.candidate];
            let quantum = self.layout.quantum_of_logs(&variable.logs, change.by);
            let sum = in_rows(quantum.times(sum));
            match self.layout.likelihood {
                Likelihood::Plain => self.cost + change.by * variable.slope + sum,
                Likelihood::Smoothed => self.layout.constant() + sum,
            }
        };
        changes.iter().zip(sums).map(total).collect()
    }

    /// Makes the change of the given position among those evaluated last.
    fn apply(&mut self, position: usize, cost: f64) {
        if !self.is_mixed {
            let change = self.pending.evaluated[position];
            self.evaluate(None, &[(position, change)]);
            self.is_mixed = true;
        }
        self.pending.make(position);
        self.cost = cost;
    }

    fn derivatives(&mut self, candidates: &[usize]) -> Vec<Derivatives> {
        let Self {
            variables,
            layout,
            blocks,
            pending,
            all,
            ..
        } = self;
        let pending = pending.replace(&[]);
        let pending = pending.map(|(i, change)| (i, Tilting::new(layout, variables, change)));
        let mut is_settled = pending.is_none();
        let settle = |block: &mut Block| {
            if let Some((i, tilting)) = &pending {
                layout.settle(block, *i, tilting);
            }
        };
        let look_up = |k: usize| {
            let table = layout.look_up(&variables[k], |log| log);
            (table, quanta_of_derivatives(&variables[k].logs))
        };
        let sums = all.sum(|| {
            is_settled = true;
            if candidates.len() <= FEW_CANDIDATES {
                let tables: Vec<_> = candidates.iter().map(|&k| look_up(k)).collect();
                let partial = map_blocks(blocks, |block| {
                    settle(block);
                    layout.derivatives(block, &tables)
                });
                return sum_over_blocks(tables.len(), partial);
            }
            if pending.is_some() {
                map_blocks(blocks, settle);
            }
            sums_by_group(candidates, blocks, look_up, |block, tables| {
                layout.derivatives(block, tables)
            })
        });
        if !is_settled {
            map_blocks(blocks, settle);
        }
        let scores = candidates.iter().map(|&k| &variables[k].logs[..]);
        let mut derivatives = derivatives_of(sums, scores);
        for (derivatives, &k) in derivatives.iter_mut().zip(candidates) {
            derivatives.gradient += variables[k].slope;
        }
        derivatives
    }

    fn masses(&mut self, codes: &PartCodes, cells: usize) -> Vec<f64> {
        self.settle();
        let classes = self.layout.classes;
        let blocks = &mut self.blocks;
        let masses = |block: &mut Block| {
            let mut masses = vec![OrderFreeSum::default(); cells * classes];
            let tiles = block.posteriors.chunks_exact(classes * TILE);
            let rows = block.rows.clone();
            for (first, tile) in rows.clone().step_by(TILE).zip(tiles) {
                for row in first..rows.end.min(first + TILE) {
                    let lane = row - first;
                    let units = block.weights.of(row - rows.start);
                    let line = &mut masses[codes.get(row) * classes..][..classes];
                    for (mass, lanes) in line.iter_mut().zip(tile.chunks_exact(TILE)) {
                        mass.add_times(lanes[lane], units);
                    }
                }
            }
            masses
        };
        let masses = || masses_of_blocks(cells * classes, map_blocks(blocks, masses));
        in_rows_each(self.all.sum(masses))
    }
}

impl ManyClasses<'_> {
    /// Makes the change that is pending.
    fn settle(&mut self) {
        let made = self.pending.replace(&[]);
        self.make(made);
    }

    /// Makes a change whose normalisers the blocks know, given its position among those evaluated with it.
    fn make(&mut self, made: Option<(usize, Change)>) {
        let Some((i, change)) = made else {
            return;
        };
        let layout = self.layout;
        let tilting = Tilting::new(&layout, &self.variables, change);
        map_blocks(&mut self.blocks, |block| layout.settle(block, i, &tilting));
    }

    /// Makes a change, then finds the normalisers that some others would give, which the blocks keep by
    /// position; returns the sums of their logarithms.
    fn evaluate(
        &mut self,
        made: Option<(usize, Change)>,
        changes: &[(usize, Change)],
    ) -> Vec<i128> {
        let Self {
            variables,
            layout,
            blocks,
            ..
        } = self;
        let tilting = |(i, change): (usize, Change)| (i, Tilting::new(layout, variables, change));
        let made = made.map(tilting);
        let prepared: Vec<(usize, Tilting)> = changes.iter().copied().map(tilting).collect();
        let kept = changes.iter().map(|(i, _)| i + 1).max().unwrap_or(0);
        let partial = map_blocks(blocks, |block| {
            let mut sums = vec![0; prepared.len()];
            let mut mixes = std::mem::take(&mut block.mixes);
            let rows = block.rows.len();
            if mixes.len() < kept * rows {
                mixes.resize(kept * rows, 0.0);
            }
            let mut watch = made.as_ref().map(|(i, tilting)| {
                let mixes = &mixes[i * rows..][..rows];
                layout.recall(block, tilting, mixes)
            });
            let Block {
                beyond, weights, ..
            } = block;
            for mut chunk in layout.chunks(&mut block.posteriors, &block.rows) {
                let place = chunk.place.clone();
                if let (Some((i, tilting)), Some(watch)) = (&made, &mut watch) {
                    let mixes = &mixes[i * rows..][place.clone()];
                    layout.tilt(&mut chunk, tilting, mixes, watch, beyond);
                }
                for (sum, (i, tilting)) in sums.iter_mut().zip(&prepared) {
                    let mixes = &mut mixes[i * rows..][place.clone()];
                    *sum += layout.sum_of_logs(&chunk, tilting, mixes, weights);
                }
            }
            block.mixes = mixes;
            if let Some(watch) = watch {
                watch.end(beyond);
            }
            sums
        });
        added(vec![0; changes.len()], partial)
    }
}

impl Variable<'_> {
    /// `−Σ ln p(part | class)` of the own classes of the rows.
    fn sum_of_slopes(&self, labels: &[u32], blocks: &[Block], classes: usize) -> OrderFreeSum {
        let mut sum = OrderFreeSum::default();
        for block in blocks {
            for (place, row) in block.rows.clone().enumerate() {
                let own = self.logs[self.codes.get(row) * classes + labels[row] as usize];
                sum.add_times(-own, block.weights.of(place));
            }
        }
        sum
    }
}

/// What a change of weight does to posteriors.
struct Tilting<'v> {
    variable: &'v Variable<'v>,
    by: f64,
    /// How much their logarithms fall at most: the classes of a part differ by no more.
    fall: f64,
    /// What it multiplies them by, before normalisation.
    factors: LookUp<'v>,
    /// What the logarithms of its normalisers are rounded to.
    quantum: Quantum,
}

impl<'v> Tilting<'v> {
    fn new(layout: &Layout, variables: &'v [Variable], change: Change) -> Self {
        let variable = &variables[change.candidate];
        let mut factors: Vec<f64> = variable.logs.iter().map(|log| change.by * log).collect();
        exp_in_place(&mut factors);
        Self {
            variable,
            by: change.by,
            fall: 2.0 * change.by.abs() * largest(&variable.logs),
            quantum: layout.quantum_of_logs(&variable.logs, change.by),
            factors: LookUp::new(&variable.codes, factors, layout.classes),
        }
    }
}

/// What is looked after while a change is made: posteriors that leave the range, if some may.
#[derive(Clone, Copy)]
struct Watch {
    needed: bool,
    /// The least posterior in range so far.
    least: f64,
}

impl Watch {
    fn end(self, beyond: &mut Beyond) {
        if self.needed {
            beyond.set_largest(-self.least.ln());
        }
    }
}

/// Some rows of a block.
struct Chunk<'a> {
    rows: Range<usize>,
    /// The same, from the first row of the block.
    place: Range<usize>,
    posteriors: &'a mut [Lanes],
}

impl Layout<'_> {
    /// What the logarithms of the normalisers of a change are rounded to, given the scores of its variable.
    fn quantum_of_logs(&self, logs: &[f64], by: f64) -> Quantum {
        match self.likelihood {
            Likelihood::Plain => {
                // Rounding may take a term a little beyond.
                let most = 1.001 * by.abs() * largest(logs);
                Quantum::of_terms_up_to(most.max(1e-9))
            }
            Likelihood::Smoothed => SMOOTHED,
        }
    }

    fn chunk_rows(&self) -> usize {
        let rows = (CHUNK_NUMBERS / self.classes).next_multiple_of(TILE);
        rows.clamp(TILE, LONGEST_CHUNK)
    }

    /// The rows of a block, given their posteriors and their positions.
    fn chunks<'b>(
        &self,
        posteriors: &'b mut Aligned,
        rows: &Range<usize>,
    ) -> impl Iterator<Item = Chunk<'b>> {
        let (size, rows) = (self.chunk_rows(), rows.clone());
        let (lanes, _) = posteriors.as_chunks_mut();
        let lanes = lanes.chunks_mut(size / TILE * self.classes);
        lanes
            .zip((0..).step_by(size))
            .map(move |(posteriors, start)| {
                let place = start..rows.len().min(start + size);
                Chunk {
                    rows: rows.start + place.start..rows.start + place.end,
                    place,
                    posteriors,
                }
            })
    }

    /// A function of the log-probabilities, tabulated.
    fn look_up<'b>(&self, variable: &'b Variable, value: impl Fn(f64) -> f64) -> LookUp<'b> {
        let values = variable.logs.iter().map(|&log| value(log)).collect();
        LookUp::new(&variable.codes, values, self.classes)
    }

    /// Gives a block new scores; returns its loss.
    fn set(&self, block: &mut Block, scores: &[f64]) -> OrderFreeSum {
        block.beyond.clear();
        let mut least = f64::INFINITY;
        let mut losses = OrderFreeSum::default();
        let width = self.classes * TILE;
        let posteriors = block.posteriors.chunks_exact_mut(width);
        let tiles = scores.chunks_exact(width).zip(posteriors);
        for (first, (scores, posteriors)) in (0..).step_by(TILE).zip(tiles) {
            let (largest, sums) = normalise(scores, posteriors);
            let log_sums = sums.map(f64::ln);
            let log = |i: usize| scores[i] - largest[i % TILE] - log_sums[i % TILE];
            if kernels::least_above_zero(posteriors) < FLOOR {
                for (i, posterior) in posteriors.iter_mut().enumerate() {
                    if *posterior < FLOOR {
                        *posterior = 0.0;
                        // The last tile may have fewer rows.
                        if first + i % TILE < block.rows.len() {
                            block.beyond.push(first * self.classes + i, log(i));
                        }
                    }
                }
            }
            least = least.min(kernels::least_above_zero(posteriors));
            for place in first..block.rows.len().min(first + TILE) {
                let label = self.labels[block.rows.start + place] as usize;
                let own = label * TILE + place - first;
                let loss = match self.likelihood {
                    Likelihood::Plain => -log(own),
                    Likelihood::Smoothed => {
                        let own = self.total * posteriors[own];
                        ((self.total + 0.5) / (own + self.pseudo_count)).ln()
                    }
                };
                losses.add_times(loss, block.weights.of(place));
            }
        }
        block.beyond.set_largest(-least.ln());
        losses
    }

    /// Makes a change whose normalisers are known.
    fn settle(&self, block: &mut Block, position: usize, tilting: &Tilting) {
        let mixes = std::mem::take(&mut block.mixes);
        let of_change = &mixes[position * block.rows.len()..][..block.rows.len()];
        let mut watch = self.recall(block, tilting, of_change);
        for mut chunk in self.chunks(&mut block.posteriors, &block.rows) {
            let mixes = &of_change[chunk.place.clone()];
            self.tilt(&mut chunk, tilting, mixes, &mut watch, &mut block.beyond);
        }
        watch.end(&mut block.beyond);
        block.mixes = mixes;
    }

    /// Before a change is made: changes the logarithms of posteriors that are out of range, and puts
    /// back those that the change will bring into it. Tells what must be looked after.
    fn recall(&self, block: &mut Block, tilting: &Tilting, mixes: &[f64]) -> Watch {
        let watch = Watch {
            needed: block.beyond.may_pass(tilting.fall),
            least: f64::INFINITY,
        };
        if block.beyond.is_empty() {
            return watch;
        }
        let log_mixes: Vec<f64> = mixes.iter().map(|mix| mix.ln()).collect();
        let (start, classes, posteriors) = (block.rows.start, self.classes, &mut block.posteriors);
        let Variable { codes, logs, .. } = tilting.variable;
        block.beyond.retain(|position, log| {
            let (line, lane) = (position / TILE, position % TILE);
            let (place, class) = (line / classes * TILE + lane, line % classes);
            let part = codes.get(start + place);
            let changed = *log + tilting.by * logs[part * classes + class] - log_mixes[place];
            if changed >= -LARGEST_LOG {
                posteriors[position] = log.exp();
                return false;
            }
            *log = changed;
            true
        });
        watch
    }

    /// Derivatives of the normalisers with respect to the weights of some variables.
    fn derivatives(&self, block: &Block, tables: &[(LookUp, [Quantum; 2])]) -> Vec<DerivativeSums> {
        let mut sums = vec![[0, 0]; tables.len()];
        let (size, start) = (self.chunk_rows(), block.rows.start);
        let (posteriors, _) = block.posteriors.as_chunks();
        let chunks = posteriors.chunks(size / TILE * self.classes);
        let (mut means, mut variances) = ([0; LONGEST_CHUNK], [0; LONGEST_CHUNK]);
        for (first, posteriors) in (start..).step_by(size).zip(chunks) {
            let rows = first..block.rows.end.min(first + size);
            for (sum, (table, quanta)) in sums.iter_mut().zip(tables) {
                table.for_each(self.classes, &rows, |place, codes, table| {
                    let posteriors = &posteriors[place.lanes];
                    let means = &mut means[place.rows.clone()];
                    let variances = &mut variances[place.rows];
                    tiles::moments(posteriors, table, codes, *quanta, means, variances);
                });
                let rows = rows.start - start..rows.end - start;
                sum[0] += block.weights.sum(rows.clone(), &means[..rows.len()]);
                sum[1] += block.weights.sum(rows.clone(), &variances[..rows.len()]);
            }
        }
        sums
    }

    /// Multiplies posteriors by the factors of their parts and divides by the normalisers.
    fn tilt(
        &self,
        chunk: &mut Chunk,
        tilting: &Tilting,
        mixes: &[f64],
        watch: &mut Watch,
        beyond: &mut Beyond,
    ) {
        let (factors, rows) = (&tilting.factors, &chunk.rows);
        factors.for_each(self.classes, rows, |place, codes, table| {
            let posteriors = &mut chunk.posteriors[place.lanes];
            tiles::tilt(posteriors, table, codes, &mixes[place.rows]);
        });
        if watch.needed {
            if kernels::least_above_zero(chunk.posteriors.as_flattened()) < FLOOR {
                self.hide(chunk, beyond);
            }
            let least = kernels::least_above_zero(chunk.posteriors.as_flattened());
            watch.least = watch.least.min(least);
        }
    }

    /// Keeps the logarithms of posteriors that are out of range.
    fn hide(&self, chunk: &mut Chunk, beyond: &mut Beyond) {
        let first = chunk.place.start * self.classes;
        let posteriors = chunk.posteriors.as_flattened_mut().iter_mut();
        for (i, posterior) in posteriors.enumerate() {
            if *posterior < FLOOR && *posterior > 0.0 {
                let row = i / (self.classes * TILE) * TILE + i % TILE;
                // The last tile may have fewer rows.
                if row < chunk.rows.len() {
                    beyond.push(first + i, posterior.ln());
                }
                *posterior = 0.0;
            }
        }
    }

    /// Finds the normalisers that a change would give, and sums up their logarithms. If the
    /// likelihood is smoothed, they are divided by N times the posteriors of the own classes before
    /// normalisation plus the pseudo-count: −Σ ln((N·own·factor/mix + c)/(N + ½)) is the sum, up to a
    /// constant.
    fn sum_of_logs(
        &self,
        chunk: &Chunk,
        tilting: &Tilting,
        mixes: &mut [f64],
        weights: &BlockWeights,
    ) -> i128 {
        let factors = &tilting.factors;
        factors.for_each(self.classes, &chunk.rows, |place, codes, table| {
            let posteriors = &chunk.posteriors[place.lanes];
            tiles::mix(posteriors, table, codes, &mut mixes[place.rows]);
        });
        let mut values = [0.0; LONGEST_CHUNK];
        let values = match self.likelihood {
            Likelihood::Plain => mixes,
            Likelihood::Smoothed => {
                let values = &mut values[..mixes.len()];
                self.own_terms(chunk, factors, values);
                kernels::smooth_mixes(mixes, values, self.total, self.pseudo_count);
                values
            }
        };
        weights.sum_of_logs(chunk.place.clone(), values, tilting.quantum)
    }

    /// Posterior of the class of each row times its factor.
    fn own_terms(&self, chunk: &Chunk, factors: &LookUp, terms: &mut [f64]) {
        let labels = &self.labels[chunk.rows.clone()];
        let rows = labels.iter().zip(chunk.rows.clone()).enumerate();
        for (term, (i, (&label, row))) in terms.iter_mut().zip(rows) {
            let class = label as usize;
            let posterior = chunk.posteriors[i / TILE * self.classes + class][i % TILE];
            *term = posterior * factors.get(row, class, self.classes);
        }
    }

    /// What the smoothed likelihood adds to the sum of logarithms.
    fn constant(&self) -> f64 {
        self.sum_of_weights * (self.total + 0.5).ln()
    }
}

/// Posteriors of the rows of a tile from their scores. Returns, for each row, the largest score and
/// the sum of the exponentials of all, relative to it.
fn normalise(scores: &[f64], posteriors: &mut [f64]) -> (Lanes, Lanes) {
    let classes = scores.as_chunks::<TILE>().0;
    let mut largest = classes[0];
    for scores in classes {
        for (largest, score) in largest.iter_mut().zip(scores) {
            *largest = largest.max(*score);
        }
    }
    let (relative, _) = posteriors.as_chunks_mut::<TILE>();
    for (relative, scores) in relative.iter_mut().zip(classes) {
        for (lane, relative) in relative.iter_mut().enumerate() {
            *relative = scores[lane] - largest[lane];
        }
    }
    exp_in_place(posteriors);
    let (terms, _) = posteriors.as_chunks_mut::<TILE>();
    let mut sums = [0.0; TILE];
    for terms in &*terms {
        for (sum, term) in sums.iter_mut().zip(terms) {
            *sum += term;
        }
    }
    for terms in terms {
        for (term, sum) in terms.iter_mut().zip(sums) {
            *term /= sum;
        }
    }
    (largest, sums)
}
