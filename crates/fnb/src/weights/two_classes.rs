//! Rows of a two-class target: per row, the odds of the class that is not its own.
//!
//! With odds `t` the loss of a row is `ln(1 + t)`, and changing a weight by `d` multiplies `t` by
//! `exp(±d · margin[part])`: one look-up, one product, and no cancellation however sure or wrong the
//! model is. Rows are sorted by class, so that the sign is the same all along a block.

use super::Candidate;
use super::kernels::{self, CHUNK, LogProduct};
use super::packed_codes::{PackedCodes, Table};
use super::rows::{Change, Likelihood, block_rows, map_blocks};
use crate::columns::Target;
use crate::math::exp::exp_in_place;
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
    odds: Vec<f64>,
}

#[derive(Debug)]
struct Variable {
    /// Codes of the rows of each class.
    codes: [PackedCodes; 2],
    /// `ln p(part | class 1) − ln p(part | class 0)`.
    margins: Vec<f64>,
}

#[derive(Debug)]
pub(super) struct TwoClasses {
    variables: Vec<Variable>,
    likelihood: Likelihood,
    rows: usize,
    /// Prior log-odds of class 1 against class 0.
    prior: f64,
    blocks: Vec<Block>,
    /// The changes evaluated last.
    evaluated: Vec<Change>,
    /// The one of them that was made, though the odds do not show it yet.
    pending: Option<usize>,
    pub(super) cost: f64,
}

impl TwoClasses {
    pub(super) fn new(candidates: &[Candidate], target: &Target, likelihood: Likelihood) -> Self {
        let sections = [0, 1].map(|class| {
            let rows = 0..target.rows() as u32;
            let of_class = rows.filter(|&row| target.codes()[row as usize] == class);
            of_class.collect::<Vec<u32>>()
        });
        let variable = |candidate: &Candidate| {
            let logs = candidate.log_probabilities.chunks_exact(2);
            let margins: Vec<f64> = logs.map(|logs| logs[1] - logs[0]).collect();
            let codes = |rows: &Vec<u32>| PackedCodes::new(&candidate.codes, margins.len(), rows);
            Variable {
                codes: sections.each_ref().map(codes),
                margins,
            }
        };
        let mut blocks = Vec::new();
        for (class, section) in sections.iter().enumerate() {
            let starts = (0..section.len()).step_by(block_rows(1));
            blocks.extend(starts.map(|start| {
                let rows = start..section.len().min(start + block_rows(1));
                Block {
                    class,
                    odds: vec![1.0; rows.len()],
                    rows,
                }
            }));
        }
        Self {
            variables: candidates.par_iter().map(variable).collect(),
            likelihood,
            rows: target.rows(),
            prior: (target.counts()[1] as f64 / target.counts()[0] as f64).ln(),
            blocks,
            evaluated: Vec::new(),
            pending: None,
            cost: 0.0,
        }
    }

    pub(super) fn restart(&mut self, weights: &[f64]) {
        self.pending = None;
        let Self {
            variables,
            prior,
            blocks,
            ..
        } = self;
        let selected = variables.iter().zip(weights).filter(|(_, w)| **w > 0.0);
        let tables: Vec<(&Variable, [Table; 2])> = selected
            .map(|(variable, &weight)| {
                (
                    variable,
                    variable.tables(|class, m| sign(class) * weight * m),
                )
            })
            .collect();
        map_blocks(blocks, |block| {
            block.odds.fill(sign(block.class) * *prior);
            for (variable, tables) in &tables {
                block.for_each_chunk(variable, tables, kernels::add);
            }
            kernels::clamp_log_odds(&mut block.odds);
            exp_in_place(&mut block.odds);
        });
        let unchanged = Change {
            candidate: 0,
            by: 0.0,
        };
        self.cost = self.costs_after(&[unchanged])[0];
    }

    pub(super) fn costs_after(&mut self, changes: &[Change]) -> Vec<f64> {
        let Self {
            variables,
            likelihood,
            rows,
            blocks,
            evaluated,
            pending,
            ..
        } = self;
        let prepared = |change: &Change| {
            let variable = &variables[change.candidate];
            (variable, variable.ratio_tables(change.by))
        };
        let pending = pending.take().map(|i| prepared(&evaluated[i]));
        *evaluated = changes.to_vec();
        let changes: Vec<(&Variable, [Table; 2])> = changes.iter().map(prepared).collect();
        let all = *rows as f64;
        let slope = PSEUDO_COUNT / all;
        let partial = map_blocks(blocks, |block| {
            if let Some((variable, tables)) = &pending {
                block.for_each_chunk(variable, tables, kernels::scale_odds);
            }
            let sums = changes.iter().map(|(variable, tables)| {
                let (mut product, mut smoothed) = (LogProduct::new(), LogProduct::new());
                block.for_each_chunk(variable, tables, |odds, ratios| match likelihood {
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
                product.ln() - smoothed.ln()
            });
            sums.collect::<Vec<f64>>()
        });
        let constant = match likelihood {
            Likelihood::Plain => 0.0,
            Likelihood::Smoothed => all * (0.5 / all).ln_1p(),
        };
        let total = |i: usize| constant + partial.iter().map(|sums| sums[i]).sum::<f64>();
        (0..changes.len()).map(total).collect()
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
        if candidates.is_empty() {
            return Vec::new();
        }
        self.settle();
        let mut others = Vec::new();
        for block in &self.blocks {
            let mut probabilities = vec![0.0; block.odds.len()];
            kernels::probabilities_of_odds(&block.odds, &mut probabilities);
            others.push(probabilities);
        }
        let gradient = |&candidate: &usize| {
            let variable = &self.variables[candidate];
            let tables = variable.tables(|class, margin| sign(class) * margin);
            let mut sum = 0.0;
            let mut margins = [0.0; CHUNK];
            for (block, others) in self.blocks.iter().zip(&others) {
                for (start, others) in (block.rows.start..)
                    .step_by(CHUNK)
                    .zip(others.chunks(CHUNK))
                {
                    let rows = start..start + others.len();
                    variable.codes[block.class].look_up(&tables[block.class], rows, &mut margins);
                    sum += kernels::dot(others, &margins[..others.len()]);
                }
            }
            sum
        };
        candidates.par_iter().map(gradient).collect()
    }
}

/// The odds against a row grow with the margin if its class is 0.
fn sign(class: usize) -> f64 {
    if class == 0 { 1.0 } else { -1.0 }
}

impl Variable {
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
    /// Calls a function with the odds of some rows and what the table says of their parts.
    fn for_each_chunk(
        &mut self,
        variable: &Variable,
        tables: &[Table; 2],
        mut work: impl FnMut(&mut [f64], &[f64]),
    ) {
        let (codes, table) = (&variable.codes[self.class], &tables[self.class]);
        let mut values = [0.0; CHUNK];
        let starts = (self.rows.start..).step_by(CHUNK);
        for (start, odds) in starts.zip(self.odds.chunks_mut(CHUNK)) {
            codes.look_up(table, start..start + odds.len(), &mut values);
            let values = &values[..odds.len()];
            work(odds, values);
        }
    }
}
