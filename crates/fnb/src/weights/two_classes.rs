//! Rows of a two-class target: per row, the odds of the class that is not its own.
//!
//! With odds `t` the loss of a row is `ln(1 + t)`, and changing a weight by `d` multiplies `t` by
//! `exp(±d · margin[part])`: one look-up, one product, and no cancellation however sure or wrong the
//! model is. Rows are sorted by class, so that the sign is the same all along a block.

use super::Candidate;
use super::kernels::{self, CHUNK, LogProduct};
use super::rows::{Codes, Likelihood, block_rows, sum_blocks};
use crate::columns::Target;
use crate::math::exp::exp_in_place;
use crate::prepare::PartCodes;
use rayon::prelude::*;
use std::ops::Range;

/// Pseudo-count of each class in the smoothed likelihood (docs/method.md §7.1).
const PSEUDO_COUNT: f64 = 0.25;

/// Log-odds of rows this sure, or this wrong, cannot matter; their exponential stays far from the
/// limits of a double.
const LARGEST_LOG_ODDS: f64 = 600.0;

/// Rows of one class.
#[derive(Debug)]
struct Block {
    class: usize,
    rows: Range<usize>,
}

#[derive(Debug)]
struct Variable {
    codes: PartCodes,
    /// `ln p(part | class 1) − ln p(part | class 0)`.
    margins: Vec<f64>,
}

#[derive(Debug)]
pub(super) struct TwoClasses {
    variables: Vec<Variable>,
    likelihood: Likelihood,
    /// Prior log-odds of class 1 against class 0.
    prior: f64,
    /// Number of rows of class 0, which come first.
    first_rows: usize,
    blocks: Vec<Block>,
    odds: Vec<f64>,
    pub(super) cost: f64,
}

impl TwoClasses {
    pub(super) fn new(candidates: &[Candidate], target: &Target, likelihood: Likelihood) -> Self {
        let rows = target.rows();
        let first_rows = target.counts()[0] as usize;
        let of_class =
            |class| (0..rows as u32).filter(move |&n| target.codes()[n as usize] == class);
        let order: Vec<u32> = of_class(0).chain(of_class(1)).collect();
        let variable = |candidate: &Candidate| Variable {
            codes: reorder(&candidate.codes, &order),
            margins: candidate
                .log_probabilities
                .chunks_exact(2)
                .map(|logs| logs[1] - logs[0])
                .collect(),
        };
        let mut blocks = Vec::new();
        for (class, section) in [0..first_rows, first_rows..rows].into_iter().enumerate() {
            blocks.extend(section.clone().step_by(block_rows(1)).map(|start| Block {
                class,
                rows: start..section.end.min(start + block_rows(1)),
            }));
        }
        Self {
            variables: candidates.par_iter().map(variable).collect(),
            likelihood,
            prior: (target.counts()[1] as f64 / target.counts()[0] as f64).ln(),
            first_rows,
            blocks,
            odds: vec![1.0; rows],
            cost: 0.0,
        }
    }

    pub(super) fn restart(&mut self, weights: &[f64]) {
        let Self {
            variables,
            prior,
            first_rows,
            odds,
            ..
        } = self;
        let prior = *prior;
        let fill = |class: usize, start: usize, odds: &mut [f64]| {
            let sign = sign(class);
            odds.fill(sign * prior);
            let mut terms = [0.0; CHUNK];
            for (variable, &weight) in variables.iter().zip(weights).filter(|(_, w)| **w > 0.0) {
                let table: Vec<f64> = variable.margins.iter().map(|m| sign * weight * m).collect();
                let table = Table::new(&table);
                for (i, odds) in odds.chunks_mut(CHUNK).enumerate() {
                    let terms = &mut terms[..odds.len()];
                    let begin = start + i * CHUNK;
                    table.look_up(&variable.codes, begin..begin + terms.len(), terms);
                    odds.iter_mut().zip(terms).for_each(|(o, t)| *o += *t);
                }
            }
            odds.iter_mut()
                .for_each(|o| *o = o.clamp(-LARGEST_LOG_ODDS, LARGEST_LOG_ODDS));
            exp_in_place(odds);
        };
        for_each_block(*first_rows, odds, fill);
        self.cost = self.cost_with(|_, _, ratios| ratios.fill(1.0));
    }

    pub(super) fn cost_after(&self, candidate: usize, change: f64) -> f64 {
        let variable = &self.variables[candidate];
        let tables = variable.ratio_tables(change);
        self.cost_with(|class, rows, ratios| {
            tables[class].look_up(&variable.codes, rows, ratios);
        })
    }

    /// The cost if the odds of each row were multiplied by the ratio that a function gives for some
    /// rows of a class.
    fn cost_with(&self, ratios_of: impl Fn(usize, Range<usize>, &mut [f64]) + Sync) -> f64 {
        let all = self.odds.len() as f64;
        let sums = sum_blocks(&self.blocks, |block| {
            let (mut product, mut smoothed) = (LogProduct::new(), LogProduct::new());
            let mut ratios = [0.0; CHUNK];
            for start in block.rows.clone().step_by(CHUNK) {
                let rows = start..block.rows.end.min(start + CHUNK);
                let ratios = &mut ratios[..rows.len()];
                ratios_of(block.class, rows.clone(), ratios);
                let odds = &self.odds[rows];
                match self.likelihood {
                    Likelihood::Plain => kernels::multiply_by_odds(odds, ratios, &mut product),
                    Likelihood::Smoothed => kernels::multiply_by_smoothed_odds(
                        odds,
                        ratios,
                        PSEUDO_COUNT / all,
                        &mut product,
                        &mut smoothed,
                    ),
                }
            }
            [product.ln(), smoothed.ln()]
        });
        match self.likelihood {
            Likelihood::Plain => sums[0],
            // −Σ ln((N/z + c)/(N + ½)) = Σ ln z − Σ ln(1 + cz/N) + N ln(1 + ½/N)
            Likelihood::Smoothed => sums[0] - sums[1] + all * (0.5 / all).ln_1p(),
        }
    }

    pub(super) fn apply(&mut self, candidate: usize, change: f64, cost: f64) {
        let variable = &self.variables[candidate];
        let tables = variable.ratio_tables(change);
        let scale = |class: usize, start: usize, odds: &mut [f64]| {
            let mut ratios = [0.0; CHUNK];
            for (i, odds) in odds.chunks_mut(CHUNK).enumerate() {
                let ratios = &mut ratios[..odds.len()];
                let begin = start + i * CHUNK;
                tables[class].look_up(&variable.codes, begin..begin + ratios.len(), ratios);
                kernels::scale_odds(odds, ratios);
            }
        };
        for_each_block(self.first_rows, &mut self.odds, scale);
        self.cost = cost;
    }

    pub(super) fn gradients(&self, candidates: &[usize]) -> Vec<f64> {
        let mut others = vec![0.0; self.odds.len()];
        kernels::probabilities_of_odds(&self.odds, &mut others);
        let gradient = |&candidate: &usize| {
            let variable = &self.variables[candidate];
            let table = Table::new(&variable.margins);
            let mut margins = [0.0; CHUNK];
            let mut sums = [0.0; 2];
            for block in &self.blocks {
                for start in block.rows.clone().step_by(CHUNK) {
                    let rows = start..block.rows.end.min(start + CHUNK);
                    let margins = &mut margins[..rows.len()];
                    table.look_up(&variable.codes, rows.clone(), margins);
                    sums[block.class] += kernels::dot(&others[rows], margins);
                }
            }
            sums[0] - sums[1]
        };
        candidates.par_iter().map(gradient).collect()
    }
}

/// The odds against a row grow with the margin if its class is 0.
fn sign(class: usize) -> f64 {
    if class == 0 { 1.0 } else { -1.0 }
}

impl Variable {
    /// By what the odds of each part are multiplied, for rows of class 0 and 1.
    fn ratio_tables(&self, change: f64) -> [Table; 2] {
        [0, 1].map(|class| {
            let mut ratios: Vec<f64> = self
                .margins
                .iter()
                .map(|margin| sign(class) * change * margin)
                .collect();
            exp_in_place(&mut ratios);
            Table::new(&ratios)
        })
    }
}

/// A number per part. Narrow codes index an array of 256, which needs no check.
struct Table {
    narrow: [f64; 256],
    wide: Vec<f64>,
}

impl Table {
    fn new(entries: &[f64]) -> Self {
        let mut narrow = [0.0; 256];
        let short = entries.len().min(256);
        narrow[..short].copy_from_slice(&entries[..short]);
        let wide = if entries.len() > 256 {
            entries.to_vec()
        } else {
            Vec::new()
        };
        Self { narrow, wide }
    }

    fn look_up(&self, codes: &PartCodes, rows: Range<usize>, values: &mut [f64]) {
        match Codes::new(codes, rows) {
            Codes::Narrow(codes) => {
                for (value, &code) in values.iter_mut().zip(codes) {
                    *value = self.narrow[usize::from(code)];
                }
            }
            Codes::Wide(codes) => {
                for (value, &code) in values.iter_mut().zip(codes) {
                    *value = self.wide[code as usize];
                }
            }
        }
    }
}

fn reorder(codes: &PartCodes, order: &[u32]) -> PartCodes {
    match codes {
        PartCodes::Narrow(codes) => {
            PartCodes::Narrow(order.iter().map(|&row| codes[row as usize]).collect())
        }
        PartCodes::Wide(codes) => {
            PartCodes::Wide(order.iter().map(|&row| codes[row as usize]).collect())
        }
    }
}

/// Calls a function with the class, the first row and the odds of every block.
fn for_each_block(
    first_rows: usize,
    odds: &mut [f64],
    work: impl Fn(usize, usize, &mut [f64]) + Sync,
) {
    let (first, second) = odds.split_at_mut(first_rows);
    for (class, start, section) in [(0, 0, first), (1, first_rows, second)] {
        let blocks = section.par_chunks_mut(block_rows(1)).enumerate();
        blocks.for_each(|(i, odds)| work(class, start + i * block_rows(1), odds));
    }
}
