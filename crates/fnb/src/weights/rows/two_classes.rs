//! Rows of a two-class target: per row, the odds of the class that is not its own.
//!
//! With odds `t` the loss of a row is `ln(1 + t)`, and changing a weight by `d` multiplies `t` by
//! `exp(±d · margin[part])`: one look-up, one product, and no cancellation however sure or wrong the
//! model is. Rows are sorted by class, so that the sign is the same all along a block.

use super::aligned::Aligned;
use super::block_weights::BlockWeights;
use super::kernels::{self, CHUNK, LogProduct};
use super::packed_codes::{PackedCodes, Table};
use super::weighted_kernels;
use super::{
    Change, Derivatives, FEW_CANDIDATES, Likelihood, Pending, Rows, Scores, TABLES_AT_ONCE,
    block_rows, map_blocks, sum_of_lines, sum_over_blocks, sums_by_group,
};
use crate::columns::Outcomes;
use crate::math::exp::exp_in_place;
use crate::terms::PartCodes;
use crate::weights::Candidate;
use rayon::prelude::*;
use std::ops::Range;

/// Pseudo-count of each class in the smoothed likelihood (docs/method.md §7.1).
const PSEUDO_COUNT: f64 = 0.25;

/// Consecutive rows of one class.
#[derive(Debug)]
struct Block {
    class: usize,
    /// Position among the rows of the class.
    rows: Range<usize>,
    odds: Aligned,
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
    /// The loss of rows that the model gets very wrong, beyond what their odds can tell; as it was
    /// when the scores were set.
    excess: f64,
    cost: f64,
}

impl TwoClasses {
    pub(crate) fn new(
        candidates: &[Candidate],
        outcomes: &Outcomes,
        likelihood: Likelihood,
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
            let starts = (0..section.len()).step_by(block_rows(1));
            blocks.extend(starts.map(|start| {
                let rows = start..section.len().min(start + block_rows(1));
                let positions = section[rows.clone()].iter().map(|&row| row as usize);
                Block {
                    class,
                    odds: Aligned::new(rows.len(), 1.0),
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
            excess: 0.0,
            cost: 0.0,
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
        let excess = map_sections(self.rows, &mut self.blocks, |block| {
            let excess = match &block.weights {
                BlockWeights::Same(weight) => weight * kernels::clamp_log_odds(&mut block.odds),
                BlockWeights::Each(weights) => {
                    let excess = weighted_kernels::weighted_excess(&block.odds, weights);
                    kernels::clamp_log_odds(&mut block.odds);
                    excess
                }
            };
            exp_in_place(&mut block.odds);
            excess
        });
        let unchanged = Change {
            candidate: 0,
            by: 0.0,
        };
        self.excess = match self.likelihood {
            Likelihood::Plain => excess.into_iter().sum(),
            Likelihood::Smoothed => 0.0,
        };
        self.cost = self.costs_after(&[unchanged])[0];
    }

    /// Derivative of the cost with respect to the length of a step from `scores` in a direction.
    fn slope(&self, from: &Scores, along: &Scores, _changes: &[f64], step: f64) -> f64 {
        let rows = from.0.iter().zip(&along.0).zip(&self.blocks);
        let mut rows: Vec<_> = rows.collect();
        let slopes = map_sections(self.rows, &mut rows, |((scores, direction), block)| {
            let (mut sum, mut moved, mut others) = (0.0, [0.0; CHUNK], [0.0; CHUNK]);
            let chunks = scores.chunks(CHUNK).zip(direction.chunks(CHUNK));
            for (start, (scores, direction)) in (0..).step_by(CHUNK).zip(chunks) {
                let (moved, others) = (&mut moved[..scores.len()], &mut others[..scores.len()]);
                moved.copy_from_slice(scores);
                kernels::add_scaled(moved, direction, step);
                kernels::clamp_log_odds(moved);
                exp_in_place(moved);
                kernels::probabilities_of_odds(moved, others);
                if let Some(weights) = block.weights.each(start..start + others.len()) {
                    weighted_kernels::scale(others, weights);
                }
                sum += kernels::dot(others, direction);
            }
            block.weights.factor() * sum
        });
        slopes.into_iter().sum()
    }

    fn costs_after(&mut self, changes: &[Change]) -> Vec<f64> {
        let Self {
            variables,
            likelihood,
            rows,
            sum_of_weights,
            blocks,
            pending,
            excess,
            ..
        } = self;
        let prepared = |change: &Change| {
            let variable = &variables[change.candidate];
            (variable, variable.ratio_tables(change.by))
        };
        let pending = pending
            .replace(changes)
            .map(|(_, change)| prepared(&change));
        let changes: Vec<(&Variable, [Table; 2])> = changes.iter().map(prepared).collect();
        let slope = PSEUDO_COUNT / *rows;
        let partial = map_sections(*rows, blocks, |block| {
            if let Some((variable, tables)) = &pending {
                block.scale(variable, tables);
            }
            let sums = changes.iter().map(|(variable, tables)| {
                if let BlockWeights::Each(weights) = &block.weights {
                    return block.weighted_cost(variable, tables, weights, *likelihood, slope);
                }
                let (mut product, mut smoothed) = (LogProduct::new(), LogProduct::new());
                block.for_each_look_up(variable, tables, |odds, ratios| match likelihood {
                    Likelihood::Plain => kernels::multiply_by_odds(odds, ratios, &mut product),
                    Likelihood::Smoothed => kernels::multiply_by_smoothed_odds(
                        odds,
                        ratios,
                        slope,
                        &mut product,
                        &mut smoothed,
                    ),
                });
                // −Σ ln((N/z + c)/(N + ½)) = Σ ln z − Σ ln(1 + cz/N) + N ln(1 + ½/N)
                block.weights.factor() * (product.ln() - smoothed.ln())
            });
            sums.collect::<Vec<f64>>()
        });
        let constant = match likelihood {
            Likelihood::Plain => *excess,
            Likelihood::Smoothed => *sum_of_weights * (0.5 / *rows).ln_1p(),
        };
        let total = |i: usize| constant + partial.iter().map(|sums| sums[i]).sum::<f64>();
        (0..changes.len()).map(total).collect()
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
            ..
        } = self;
        let pending = pending.replace(&[]).map(|(_, change)| {
            let variable = &variables[change.candidate];
            (variable, variable.ratio_tables(change.by))
        });
        let settle = |block: &mut Block| {
            if let Some((variable, tables)) = &pending {
                block.scale(variable, tables);
            }
        };
        let margins = |k: usize| {
            let tables = variables[k].tables(|class, margin| sign(class) * margin);
            (&variables[k], tables)
        };
        if candidates.len() <= FEW_CANDIDATES {
            let margins: Vec<(&Variable, [Table; 2])> =
                candidates.iter().map(|&k| margins(k)).collect();
            let partial = map_sections(*rows, blocks, |block| {
                settle(block);
                block.derivatives(&block.others(), &margins)
            });
            return sum_over_blocks(candidates.len(), partial);
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
    }

    fn masses(&mut self, codes: &PartCodes, cells: usize) -> Vec<f64> {
        self.settle();
        let sections = &self.sections;
        let partial = map_sections(self.rows, &mut self.blocks, |block| {
            let (own, other) = (block.class, 1 - block.class);
            let rows = &sections[block.class][block.rows.clone()];
            let weights = block.weights.each(0..rows.len());
            let mut masses = vec![0.0; 2 * cells];
            for (i, (&row, posterior)) in rows.iter().zip(block.others().iter()).enumerate() {
                let line = &mut masses[2 * codes.get(row as usize)..][..2];
                let weight = weights.map_or(block.weights.factor(), |weights| weights[i]);
                line[other] += weight * posterior;
                line[own] += weight * (1.0 - posterior);
            }
            masses
        });
        sum_of_lines(2 * cells, &partial)
    }

    fn push(&mut self, codes: PartCodes, scores: Vec<f64>) -> usize {
        let variable = Variable::new(&codes, &scores, &self.sections);
        self.variables.push(variable);
        self.variables.len() - 1
    }
}

impl TwoClasses {
    /// Makes the change that is pending.
    fn settle(&mut self) {
        if let Some((_, change)) = self.pending.replace(&[]) {
            let variable = &self.variables[change.candidate];
            let tables = variable.ratio_tables(change.by);
            map_sections(self.rows, &mut self.blocks, |block| {
                block.scale(variable, &tables);
            });
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

    /// By what a change of weight multiplies the odds of the rows of each class.
    fn ratio_tables(&self, change: f64) -> [Table; 2] {
        [0, 1].map(|class| {
            let exponents = self
                .margins
                .iter()
                .map(|margin| sign(class) * change * margin);
            let mut ratios: Vec<f64> = exponents.collect();
            exp_in_place(&mut ratios);
            self.codes[class].table(&ratios)
        })
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

    /// The same with the odds, unchanged.
    fn for_each_look_up(
        &self,
        variable: &Variable,
        tables: &[Table; 2],
        mut work: impl FnMut(&[f64], &[f64]),
    ) {
        let (codes, table) = (&variable.codes[self.class], &tables[self.class]);
        let mut values = [0.0; CHUNK];
        let starts = (self.rows.start..).step_by(CHUNK);
        for (start, odds) in starts.zip(self.odds.chunks(CHUNK)) {
            codes.look_up(table, start..start + odds.len(), &mut values);
            work(odds, &values[..odds.len()]);
        }
    }

    /// The cost of the rows after a change, when their weights differ: the same sums, a logarithm
    /// per row.
    fn weighted_cost(
        &self,
        variable: &Variable,
        tables: &[Table; 2],
        weights: &[f64],
        likelihood: Likelihood,
        slope: f64,
    ) -> f64 {
        let (mut sum, mut normalisers) = (0.0, [0.0; CHUNK]);
        let mut weights = weights.chunks(CHUNK);
        self.for_each_look_up(variable, tables, |odds, ratios| {
            let weights = weights.next().expect("a weight per row");
            let normalisers = &mut normalisers[..odds.len()];
            weighted_kernels::normalisers_of_odds(odds, ratios, normalisers);
            sum += weighted_kernels::weighted_logs(normalisers, weights);
            if likelihood == Likelihood::Smoothed {
                weighted_kernels::one_plus(slope, normalisers);
                sum -= weighted_kernels::weighted_logs(normalisers, weights);
            }
        });
        sum
    }

    /// Multiplies the odds by the ratios of a change.
    fn scale(&mut self, variable: &Variable, tables: &[Table; 2]) {
        let mut odds = std::mem::take(&mut self.odds);
        self.for_each_chunk(variable, tables, &mut odds, kernels::scale_odds);
        self.odds = odds;
    }

    /// Probabilities of the class that is not that of the rows.
    fn others(&self) -> Aligned {
        let mut others = Aligned::new(self.odds.len(), 0.0);
        kernels::probabilities_of_odds(&self.odds, &mut others);
        others
    }

    /// Derivatives with respect to the weights of some variables, given their margins.
    fn derivatives(&self, others: &[f64], margins: &[(&Variable, [Table; 2])]) -> Vec<Derivatives> {
        let mut sums = vec![Derivatives::default(); margins.len()];
        let mut values = [0.0; CHUNK];
        let starts = (self.rows.start..).step_by(CHUNK);
        for (start, others) in starts.zip(others.chunks(CHUNK)) {
            for (sum, (variable, tables)) in sums.iter_mut().zip(margins) {
                let codes = &variable.codes[self.class];
                let rows = start..start + others.len();
                codes.look_up(&tables[self.class], rows, &mut values);
                let first = start - self.rows.start;
                let values = &values[..others.len()];
                let [gradient, curvature] = match self.weights.each(first..first + others.len()) {
                    None => kernels::moments(others, values),
                    Some(weights) => weighted_kernels::weighted_moments(others, values, weights),
                };
                sum.gradient += gradient;
                sum.curvature += curvature;
            }
        }
        let factor = self.weights.factor();
        for sum in &mut sums {
            sum.gradient *= factor;
            sum.curvature *= factor;
        }
        sums
    }
}
