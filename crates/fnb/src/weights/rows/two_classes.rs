//! Rows of a two-class target: per row, the odds of the class that is not its own.
//!
//! With odds `t` the loss of a row is `ln(1 + t)`, and changing a weight by `d` multiplies `t` by
//! `exp(±d · margin[part])`: one look-up, one product, and no cancellation however sure or wrong the
//! model is. Rows are sorted by class, so that the sign is the same all along a block.

use super::aligned::Aligned;
use super::beyond::Beyond;
use super::block_weights::{BlockWeights, in_rows, times, weighted};
use super::kernels::{self, CHUNK, FLOOR, LARGEST_LOG};
use super::packed_codes::{PackedCodes, Table};
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
use std::ops::Range;

/// Pseudo-count of each class in the smoothed likelihood (docs/method.md §7.1).
const PSEUDO_COUNT: f64 = 0.25;

/// Logarithms of normalisers are sums of multiples of this. Odds are within their range, and a part
/// changes their logarithm by less than that of the number of rows.
const QUANTUM_OF_LOGS: Quantum = Quantum::of_terms_up_to(500.0);

/// Consecutive rows of one class.
#[derive(Debug)]
struct Block {
    class: usize,
    /// Position among the rows of the class.
    rows: Range<usize>,
    /// From [`FLOOR`] to its inverse, which stand for what is beyond them.
    odds: Aligned,
    /// Log-odds beyond that range.
    beyond: Beyond,
    /// The loss of rows that the model gets very wrong, beyond what their odds tell.
    excess: OrderFreeSum,
    weights: BlockWeights,
}

#[derive(Debug)]
struct Variable {
    /// Codes of the rows of each class.
    codes: [PackedCodes; 2],
    /// `ln p(part | class 1) − ln p(part | class 0)`.
    margins: Vec<f64>,
}

#[derive(Debug)]
pub(crate) struct TwoClasses {
    variables: Vec<Variable>,
    /// The rows of each class.
    sections: [Vec<u32>; 2],
    likelihood: Likelihood,
    /// N.
    rows: f64,
    sum_of_weights: f64,
    /// Prior log-odds of class 1 against class 0.
    prior: f64,
    blocks: Vec<Block>,
    pending: Pending,
    cost: f64,
    all: AllRows,
}

impl TwoClasses {
    pub(crate) fn new(
        candidates: &[Candidate],
        outcomes: &Outcomes,
        likelihood: Likelihood,
        block_rows: usize,
    ) -> Self {
        let sections = [0, 1].map(|class| {
            let rows = 0..outcomes.rows() as u32;
            let of_class = rows.filter(|&row| outcomes.codes()[row as usize] == class);
            of_class.collect::<Vec<u32>>()
        });
        let variable =
            |candidate: &Candidate| Variable::new(&candidate.codes, &candidate.scores, &sections);
        let variables = candidates.par_iter().map(variable).collect();
        let mut blocks = Vec::new();
        for (class, section) in sections.iter().enumerate() {
            let starts = (0..section.len()).step_by(block_rows);
            blocks.extend(starts.map(|start| {
                let rows = start..section.len().min(start + block_rows);
                let positions = section[rows.clone()].iter().map(|&row| row as usize);
                Block {
                    class,
                    odds: Aligned::new(rows.len(), 1.0),
                    beyond: Beyond::default(),
                    excess: OrderFreeSum::default(),
                    weights: BlockWeights::new(outcomes.weights(), positions),
                    rows,
                }
            }));
        }
        Self {
            variables,
            sections,
            likelihood,
            rows: outcomes.total() as f64,
            sum_of_weights: outcomes.sums().iter().sum(),
            prior: (outcomes.counts()[1] as f64 / outcomes.counts()[0] as f64).ln(),
            blocks,
            pending: Pending::default(),
            cost: 0.0,
            all: outcomes.all(),
        }
    }
}

impl Rows for TwoClasses {
    fn cost(&self) -> f64 {
        self.cost
    }

    /// Log-odds of all rows against their own class, or, without the prior, how they change along
    /// a direction.
    fn scores(&self, weights: &[f64], prior: bool) -> Scores {
        let prior = if prior { self.prior } else { 0.0 };
        let start = |block: &Block| Aligned::new(block.odds.len(), sign(block.class) * prior);
        let mut scores: Vec<Aligned> = self.blocks.iter().map(start).collect();
        let mut rows: Vec<(&Block, &mut Aligned)> = self.blocks.iter().zip(&mut scores).collect();
        let selected = self.variables.iter().zip(weights);
        let selected: Vec<_> = selected.filter(|(_, w)| **w != 0.0).collect();
        for some in selected.chunks(TABLES_AT_ONCE) {
            let tables = some.iter().map(|(variable, weight)| {
                let tables = variable.tables(|class, margin| sign(class) * **weight * margin);
                (*variable, tables)
            });
            let tables: Vec<(&Variable, [Table; 2])> = tables.collect();
            map_sections(self.rows, &mut rows, |(block, scores)| {
                for (variable, tables) in &tables {
                    block.for_each_chunk(variable, tables, scores, kernels::add);
                }
            });
        }
        Scores(scores)
    }

    /// Takes new log-odds, see [`scores`](Self::scores).
    fn set_scores(&mut self, scores: Scores) {
        self.pending.forget();
        for (block, scores) in self.blocks.iter_mut().zip(scores.0) {
            block.odds = scores;
        }
        map_sections(self.rows, &mut self.blocks, |block| {
            block.beyond.clear();
            let [least, most] = kernels::extremes(&block.odds);
            let largest = most.max(-least);
            block.beyond.set_largest(largest);
            if largest > LARGEST_LOG {
                for (i, log) in block.odds.iter_mut().enumerate() {
                    if log.abs() > LARGEST_LOG {
                        block.beyond.push(i, *log);
                        *log = LARGEST_LOG.copysign(*log);
                    }
                }
            }
            exp_in_place(&mut block.odds);
            block.sum_excess();
        });
        let unchanged = Change {
            candidate: 0,
            by: 0.0,
        };
        self.cost = self.costs_after(&[unchanged])[0];
    }

    /// Derivative of the cost with respect to the length of a step from `scores` in a direction.
    fn slope(&self, from: &Scores, along: &Scores, changes: &[f64], step: f64) -> f64 {
        let margins = self.variables.iter().map(|variable| &variable.margins[..]);
        let quantum = quantum_of_slopes(margins, changes);
        let rows = from.0.iter().zip(&along.0).zip(&self.blocks);
        let mut rows: Vec<_> = rows.collect();
        let slope = |((scores, direction), block): &mut ((&Aligned, &Aligned), &Block)| {
            let (mut moved, mut others) = ([0.0; CHUNK], [0.0; CHUNK]);
            let (mut multiples, mut sum) = ([0; CHUNK], 0);
            let chunks = scores.chunks(CHUNK).zip(direction.chunks(CHUNK));
            for (start, (scores, direction)) in (0..).step_by(CHUNK).zip(chunks) {
                let rows = start..start + scores.len();
                let (moved, others) = (&mut moved[..rows.len()], &mut others[..rows.len()]);
                moved.copy_from_slice(scores);
                kernels::add_scaled(moved, direction, step);
                exp_in_place(moved);
                kernels::probabilities_of_odds(moved, others);
                let multiples = &mut multiples[..rows.len()];
                kernels::products(others, direction, quantum, multiples);
                sum += block.weights.sum(rows, multiples);
            }
            sum
        };
        let mut slopes = || map_sections(self.rows, &mut rows, slope).into_iter().sum();
        in_rows(quantum.times(self.all.sum(|| vec![slopes()])[0]))
    }

    fn costs_after(&mut self, changes: &[Change]) -> Vec<f64> {
        let Self {
            variables,
            likelihood,
            rows,
            sum_of_weights,
            blocks,
            pending,
            all,
            ..
        } = self;
        let pending = pending.replace(changes);
        let pending = pending.map(|(_, change)| Scaling::new(variables, change));
        let scaling = |change: &Change| Scaling::new(variables, *change);
        let changes: Vec<Scaling> = changes.iter().map(scaling).collect();
        // −Σ ln((N/z + c)/(N + ½)) = Σ ln(z/(1 + cz/N)) + N ln(1 + ½/N)
        let slope = match likelihood {
            Likelihood::Plain => None,
            Likelihood::Smoothed => Some(PSEUDO_COUNT / *rows),
        };
        let mut is_settled = pending.is_none();
        let settle = |block: &mut Block| {
            if let Some(pending) = &pending {
                block.scale(pending);
            }
        };
        // The sum of each change, then that of the excesses.
        let mut sums = all.sum(|| {
            is_settled = true;
            let partial = map_sections(*rows, blocks, |block| {
                settle(block);
                let sums = changes
                    .iter()
                    .map(|change| block.sum_of_logs(change, slope));
                sums.collect::<Vec<i128>>()
            });
            let mut sums = added(vec![0; changes.len()], partial);
            let excess: OrderFreeSum = blocks.iter().map(|block| block.excess).sum();
            sums.push(excess.multiples());
            sums
        });
        if !is_settled {
            map_sections(*rows, blocks, settle);
        }
        let excess = OrderFreeSum::of_multiples(sums.pop().expect("it comes last"));
        let constant = match likelihood {
            Likelihood::Plain => in_rows(excess.total()),
            Likelihood::Smoothed => *sum_of_weights * (0.5 / *rows).ln_1p(),
        };
        let cost = |sum: i128| constant + in_rows(QUANTUM_OF_LOGS.times(sum));
        sums.into_iter().map(cost).collect()
    }

    /// Makes the change of the given position among those evaluated last.
    fn apply(&mut self, position: usize, cost: f64) {
        self.pending.make(position);
        self.cost = cost;
    }

    fn derivatives(&mut self, candidates: &[usize]) -> Vec<Derivatives> {
        let Self {
            variables,
            blocks,
            pending,
            rows,
            all,
            ..
        } = self;
        let pending = pending.replace(&[]);
        let pending = pending.map(|(_, change)| Scaling::new(variables, change));
        let mut is_settled = pending.is_none();
        let settle = |block: &mut Block| {
            if let Some(pending) = &pending {
                block.scale(pending);
            }
        };
        let margins = |k: usize| Margins::new(&variables[k]);
        let sums = all.sum(|| {
            is_settled = true;
            if candidates.len() <= FEW_CANDIDATES {
                let margins: Vec<Margins> = candidates.iter().map(|&k| margins(k)).collect();
                let partial = map_sections(*rows, blocks, |block| {
                    settle(block);
                    block.derivatives(&block.others(), &margins)
                });
                return sum_over_blocks(margins.len(), partial);
            }
            if pending.is_some() {
                map_sections(*rows, blocks, settle);
            }
            let blocks: Vec<(&Block, Aligned)> = blocks
                .par_iter()
                .map(|block| (block, block.others()))
                .collect();
            sums_by_group(candidates, &blocks, margins, |(block, others), margins| {
                block.derivatives(others, margins)
            })
        });
        if !is_settled {
            map_sections(*rows, blocks, settle);
        }
        let scores = candidates.iter().map(|&k| &variables[k].margins[..]);
        derivatives_of(sums, scores)
    }

    fn masses(&mut self, codes: &PartCodes, cells: usize) -> Vec<f64> {
        self.settle();
        let (sections, blocks) = (&self.sections, &mut self.blocks);
        let masses = |block: &mut Block| {
            let (own, other) = (block.class, 1 - block.class);
            let rows = &sections[block.class][block.rows.clone()];
            let mut masses = vec![OrderFreeSum::default(); 2 * cells];
            for (i, (&row, posterior)) in rows.iter().zip(block.others().iter()).enumerate() {
                let line = &mut masses[2 * codes.get(row as usize)..][..2];
                let units = block.weights.of(i);
                line[other].add_times(*posterior, units);
                line[own].add_times(1.0 - posterior, units);
            }
            masses
        };
        let rows = self.rows;
        let masses = || masses_of_blocks(2 * cells, map_sections(rows, blocks, masses));
        in_rows_each(self.all.sum(masses))
    }
}

impl TwoClasses {
    /// Makes the change that is pending.
    fn settle(&mut self) {
        if let Some((_, change)) = self.pending.replace(&[]) {
            let scaling = Scaling::new(&self.variables, change);
            map_sections(self.rows, &mut self.blocks, |block| block.scale(&scaling));
        }
    }
}

/// Every class has blocks of its own. Those of fewer rows in all are not worth a second thread: it
/// takes longer to wake up.
const ROWS_FOR_THREADS: f64 = 32_768.0;

/// The results of some work on every block, in the order of the blocks; there are so many rows in all.
fn map_sections<B: Send, T: Send>(
    rows: f64,
    blocks: &mut [B],
    work: impl Fn(&mut B) -> T + Sync + Send,
) -> Vec<T> {
    if rows < ROWS_FOR_THREADS {
        blocks.iter_mut().map(work).collect()
    } else {
        map_blocks(blocks, work)
    }
}

/// The odds against a row grow with the margin if its class is 0.
fn sign(class: usize) -> f64 {
    if class == 0 { 1.0 } else { -1.0 }
}

impl Variable {
    /// The codes and scores of a candidate, given the rows of each class.
    fn new(codes: &PartCodes, scores: &[f64], sections: &[Vec<u32>; 2]) -> Self {
        let margins: Vec<f64> = scores
            .chunks_exact(2)
            .map(|logs| logs[1] - logs[0])
            .collect();
        let packed = |rows: &Vec<u32>| PackedCodes::new(codes, margins.len(), rows);
        Self {
            codes: sections.each_ref().map(packed),
            margins,
        }
    }

    /// A function of the class and the margin of each part, tabulated.
    fn tables(&self, value: impl Fn(usize, f64) -> f64) -> [Table; 2] {
        [0, 1].map(|class| {
            let values: Vec<f64> = self.margins.iter().map(|&m| value(class, m)).collect();
            self.codes[class].table(&values)
        })
    }
}

/// What the rows of each class say of the derivatives with respect to a weight.
struct Margins<'v> {
    variable: &'v Variable,
    tables: [Table; 2],
    quanta: [Quantum; 2],
}

impl<'v> Margins<'v> {
    fn new(variable: &'v Variable) -> Self {
        Self {
            variable,
            tables: variable.tables(|class, margin| sign(class) * margin),
            quanta: quanta_of_derivatives(&variable.margins),
        }
    }
}

/// By what a change of weight multiplies the odds of the rows of each class.
struct Scaling<'v> {
    variable: &'v Variable,
    change: f64,
    ratios: [Table; 2],
    /// No logarithm of a ratio is larger, nor that of its inverse.
    reach: f64,
}

impl<'v> Scaling<'v> {
    fn new(variables: &'v [Variable], change: Change) -> Self {
        let variable = &variables[change.candidate];
        let ratios = [0, 1].map(|class| {
            let exponent = |margin: &f64| sign(class) * change.by * margin;
            let mut ratios: Vec<f64> = variable.margins.iter().map(exponent).collect();
            exp_in_place(&mut ratios);
            variable.codes[class].table(&ratios)
        });
        Self {
            variable,
            change: change.by,
            reach: change.by.abs() * largest(&variable.margins),
            ratios,
        }
    }
}

impl Block {
    /// Calls a function with some values of a chunk of rows and what the table says of their parts.
    fn for_each_chunk(
        &self,
        variable: &Variable,
        tables: &[Table; 2],
        numbers: &mut [f64],
        mut work: impl FnMut(&mut [f64], &[f64]),
    ) {
        let (codes, table) = (&variable.codes[self.class], &tables[self.class]);
        let mut values = [0.0; CHUNK];
        let starts = (self.rows.start..).step_by(CHUNK);
        for (start, numbers) in starts.zip(numbers.chunks_mut(CHUNK)) {
            codes.look_up(table, start..start + numbers.len(), &mut values);
            let values = &values[..numbers.len()];
            work(numbers, values);
        }
    }

    /// The sum of the logarithms of the normalisers after a change, or of what `slope` makes of them.
    fn sum_of_logs(&self, change: &Scaling, slope: Option<f64>) -> i128 {
        let codes = &change.variable.codes[self.class];
        let (mut values, mut sum) = ([0.0; CHUNK], 0);
        for (start, odds) in (0..).step_by(CHUNK).zip(self.odds.chunks(CHUNK)) {
            let first = self.rows.start + start;
            let table = &change.ratios[self.class];
            codes.look_up(table, first..first + odds.len(), &mut values);
            let values = &mut values[..odds.len()];
            if let (BlockWeights::Same(units), None) = (&self.weights, slope) {
                let logs = kernels::sum_of_logs_of_odds(odds, values, QUANTUM_OF_LOGS);
                sum += times(logs, *units);
                continue;
            }
            kernels::normalisers_of_odds(odds, values);
            if let Some(slope) = slope {
                kernels::smooth(slope, values);
            }
            let rows = start..start + odds.len();
            sum += self.weights.sum_of_logs(rows, values, QUANTUM_OF_LOGS);
        }
        sum
    }

    /// Multiplies the odds by the ratios of a change.
    fn scale(&mut self, change: &Scaling) {
        let mut odds = std::mem::take(&mut self.odds);
        let variable = change.variable;
        self.for_each_chunk(variable, &change.ratios, &mut odds, kernels::multiply);
        self.odds = odds;
        if self.beyond.may_pass(change.reach) {
            self.settle_beyond(change);
        }
    }

    /// Puts back into range what a change has brought there, and keeps the logarithm of what it has
    /// brought out of it.
    fn settle_beyond(&mut self, change: &Scaling) {
        let (codes, odds) = (&change.variable.codes[self.class], &mut self.odds);
        self.beyond.retain(|i, log| {
            let margin = change.variable.margins[codes.get(self.rows.start + i)];
            *log += sign(self.class) * change.change * margin;
            let is_beyond = log.abs() > LARGEST_LOG;
            odds[i] = match (is_beyond, *log > 0.0) {
                (false, _) => log.exp(),
                (true, false) => FLOOR,
                (true, true) => 1.0 / FLOOR,
            };
            is_beyond
        });
        for (i, odds) in odds.iter_mut().enumerate() {
            let within = odds.clamp(FLOOR, 1.0 / FLOOR);
            if *odds != within {
                self.beyond.push(i, odds.ln());
                *odds = within;
            }
        }
        let [least, most] = kernels::extremes(&self.odds);
        self.beyond.set_largest(most.ln().max(-least.ln()));
        self.sum_excess();
    }

    fn sum_excess(&mut self) {
        self.excess = OrderFreeSum::default();
        for (i, log) in self.beyond.iter() {
            let excess = (log - LARGEST_LOG).max(0.0);
            self.excess.add_times(excess, self.weights.of(i));
        }
    }

    /// Probabilities of the class that is not that of the rows.
    fn others(&self) -> Aligned {
        let mut others = Aligned::new(self.odds.len(), 0.0);
        kernels::probabilities_of_odds(&self.odds, &mut others);
        others
    }

    /// Derivatives with respect to the weights of some variables, given their margins.
    fn derivatives(&self, others: &[f64], margins: &[Margins]) -> Vec<DerivativeSums> {
        let mut sums = vec![[0, 0]; margins.len()];
        let mut values = [0.0; CHUNK];
        for (start, others) in (0..).step_by(CHUNK).zip(others.chunks(CHUNK)) {
            for (sum, margins) in sums.iter_mut().zip(margins) {
                let first = self.rows.start + start;
                let codes = &margins.variable.codes[self.class];
                let table = &margins.tables[self.class];
                codes.look_up(table, first..first + others.len(), &mut values);
                let values = &values[..others.len()];
                let moments = self.sums_of_moments(start, others, values, margins.quanta);
                sum[0] += moments[0];
                sum[1] += moments[1];
            }
        }
        sums
    }

    /// First and second derivatives summed over the rows from a given one on.
    fn sums_of_moments(
        &self,
        start: usize,
        others: &[f64],
        margins: &[f64],
        quanta: [Quantum; 2],
    ) -> DerivativeSums {
        match &self.weights {
            BlockWeights::Same(units) => kernels::sums_of_moments(others, margins, quanta)
                .map(|multiples| times(multiples, *units)),
            BlockWeights::Each(units) => {
                let (mut means, mut variances) = ([0; CHUNK], [0; CHUNK]);
                kernels::moments(others, margins, quanta, &mut means, &mut variances);
                let units = &units[start..start + others.len()];
                [weighted(&means, units), weighted(&variances, units)]
            }
        }
    }
}
