//! Which tables are looked at, and what each would bring now (docs/method.md §12.7).

use super::count::{Axis, Crossed, Crossing, Residuals};
use super::criterion::{AxisKind, Naming};
use super::grid::{Grid, best_grid};
use super::surface::{Basis, Functions};
use crate::columns::{Outcomes, VariableKind};
use crate::math::decimal::round_to_10_digits;
use crate::terms::surface::polynomials;
use crate::terms::{PartCodes, Parts};
use rayon::prelude::*;
use std::sync::Arc;

/// Pairs that are searched; of more, those of the largest residuals on few parts.
const MOST_PAIRS: usize = 300;
/// Above this number of pairs, only those of selected variables are looked at.
const MOST_SCREENED: usize = 200_000;
/// Parts of an axis while pairs are screened.
const COARSE: usize = 4;
/// Elementary parts that a smooth table needs.
const SMOOTH_PARTS: usize = 3;

/// A variable that may be in a table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Input<'a> {
    pub(crate) kind: VariableKind,
    /// Its elementary parts, and that of every row.
    pub(crate) parts: &'a Parts,
    pub(crate) codes: &'a PartCodes,
    /// Is it in the model on its own?
    pub(crate) selected: bool,
}

impl Input<'_> {
    fn axis(&self) -> Axis<'_> {
        Axis {
            codes: self.codes,
            parts: self.parts.len(),
        }
    }

    fn axis_kind(&self) -> AxisKind {
        match self.kind {
            VariableKind::Numerical => AxisKind::Ordered,
            VariableKind::Categorical => AxisKind::Free,
        }
    }
}

/// What a candidate table is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Over {
    Pair(usize, usize),
    Single(usize),
    /// A table of the model, by its place, and one more variable.
    Extension {
        table: usize,
        input: usize,
    },
}

/// The table that a candidate would be now.
#[derive(Debug, Clone)]
pub(super) struct Proposal {
    /// What it brings on new rows, all prices paid.
    pub(super) gain: f64,
    pub(super) form: Form,
}

#[derive(Debug, Clone)]
pub(super) enum Form {
    Hard(Grid),
    Smooth { agreement: f64 },
}

/// The cells of a table that may be extended.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extended<'a> {
    pub(super) codes: &'a PartCodes,
    pub(super) cells: usize,
}

/// What candidates are evaluated with.
#[derive(Debug)]
pub(super) struct Candidates<'a> {
    pub(super) inputs: &'a [Input<'a>],
    naming: Naming,
    /// Rows of every elementary part of the inputs, in units of their weights.
    rows: Vec<Vec<f64>>,
    /// Of the inputs that can be in smooth tables: alone, and as one of two.
    functions: Vec<Option<[Arc<Functions>; 2]>>,
}

impl<'a> Candidates<'a> {
    pub(super) fn new(inputs: &'a [Input<'a>], outcomes: &Outcomes) -> Self {
        let rows = rows_by_part(inputs, outcomes);
        let functions = inputs.par_iter().zip(&rows).map(|(input, rows)| {
            let is_smooth =
                input.kind == VariableKind::Numerical && input.parts.len() >= SMOOTH_PARTS;
            is_smooth.then(|| {
                let functions = |missing| Arc::new(Functions::new(polynomials(rows, missing)));
                let alone = functions(false);
                let of_two = if input.parts.has_missing() {
                    functions(true)
                } else {
                    Arc::clone(&alone)
                };
                [alone, of_two]
            })
        });
        Self {
            naming: Naming::of(inputs.len()),
            functions: functions.collect(),
            rows,
            inputs,
        }
    }

    /// The pairs and single variables to look at, in their order.
    pub(super) fn first(&self, residuals: &Residuals) -> Vec<Over> {
        let all: Vec<usize> = (0..self.inputs.len()).collect();
        let pairs = |inputs: usize| inputs * inputs.saturating_sub(1) / 2;
        let mut pool = all.clone();
        if pairs(pool.len()) > MOST_SCREENED {
            pool.retain(|&i| self.inputs[i].selected);
            while pairs(pool.len()) > MOST_SCREENED {
                pool.pop();
            }
        }
        let mut over: Vec<Over> = if pairs(pool.len()) > MOST_PAIRS {
            self.screened(&pool, residuals)
        } else {
            pairs_of(&pool).map(|(a, b)| Over::Pair(a, b)).collect()
        };
        over.extend(all.into_iter().map(Over::Single));
        over
    }

    /// The pairs of the largest residuals when every variable is cut into few parts.
    fn screened(&self, pool: &[usize], residuals: &Residuals) -> Vec<Over> {
        let coarse = |&i: &usize| coarse_codes(&self.inputs[i], &self.rows[i]);
        let coarse: Vec<(PartCodes, usize)> = pool.par_iter().map(coarse).collect();
        let axis = |place: usize| Axis {
            codes: &coarse[place].0,
            parts: coarse[place].1,
        };
        let places: Vec<usize> = (0..pool.len()).collect();
        let pairs: Vec<(usize, usize)> = pairs_of(&places).collect();
        let crossing = |&(a, b): &(usize, usize)| Crossing {
            first: axis(a),
            second: Some(axis(b)),
        };
        let crossings: Vec<Crossing> = pairs.iter().map(crossing).collect();
        let scores = residuals.count(&crossings, false, |_, crossed| {
            round_to_10_digits(crossed.distance())
        });
        let mut order: Vec<usize> = (0..pairs.len()).collect();
        order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
        order.truncate(MOST_PAIRS);
        order.sort_unstable();
        let pair = |place: usize| Over::Pair(pool[pairs[place].0], pool[pairs[place].1]);
        order.into_iter().map(pair).collect()
    }

    /// What some candidates would bring now, in parallel.
    pub(super) fn evaluate(
        &self,
        over: &[Over],
        tables: &[Extended],
        residuals: &Residuals,
    ) -> Vec<Proposal> {
        let crossings = over.iter().map(|&over| self.crossing(over, tables));
        let any_smooth = over.iter().any(|&over| self.basis(over).is_some());
        residuals.count(&crossings.collect::<Vec<_>>(), any_smooth, |i, crossed| {
            self.propose(over[i], &crossed)
        })
    }

    fn crossing<'t>(&'t self, over: Over, tables: &'t [Extended]) -> Crossing<'t> {
        match over {
            Over::Single(input) => Crossing {
                first: self.inputs[input].axis(),
                second: None,
            },
            Over::Pair(first, second) => Crossing {
                first: self.inputs[first].axis(),
                second: Some(self.inputs[second].axis()),
            },
            Over::Extension { table, input } => Crossing {
                first: Axis {
                    codes: tables[table].codes,
                    parts: tables[table].cells,
                },
                second: Some(self.inputs[input].axis()),
            },
        }
    }

    /// The better of the hard table and the smooth one.
    fn propose(&self, over: Over, crossed: &Crossed) -> Proposal {
        let kind = |input: usize| self.inputs[input].axis_kind();
        let (kinds, naming) = match over {
            Over::Pair(a, b) => ([kind(a), kind(b)], self.naming.hard(2)),
            Over::Single(a) => ([kind(a), AxisKind::Frozen], self.naming.hard(1)),
            Over::Extension { input, .. } => {
                ([AxisKind::Frozen, kind(input)], self.naming.extension())
            }
        };
        let grid = best_grid(crossed, kinds);
        let hard = Proposal {
            gain: round_to_10_digits(grid.gain - naming),
            form: Form::Hard(grid),
        };
        let Some(basis) = self.basis(over) else {
            return hard;
        };
        let variables = if matches!(over, Over::Single(_)) {
            1
        } else {
            2
        };
        let (gain, agreement) = basis.gain(crossed);
        let smooth = round_to_10_digits(gain - self.naming.smooth(variables));
        if smooth > hard.gain {
            Proposal {
                gain: smooth,
                form: Form::Smooth { agreement },
            }
        } else {
            hard
        }
    }

    /// The functions of the curve of an input, if it may have one.
    pub(super) fn curve(&self, input: usize) -> Option<Basis> {
        self.basis(Over::Single(input))
    }

    /// The functions of a smooth table, if it may be one.
    pub(super) fn basis(&self, over: Over) -> Option<Basis> {
        let functions = |input: usize| self.functions[input].clone();
        match over {
            Over::Pair(a, b) => {
                let ([_, a], [_, b]) = (functions(a)?, functions(b)?);
                Some(Basis::of_pair(a, b))
            }
            Over::Single(a) => functions(a).map(|[curve, _]| Basis::of_single(curve)),
            Over::Extension { .. } => None,
        }
    }
}

impl Crossed {
    /// `Σ G²/(V + 1)`.
    fn distance(&self) -> f64 {
        let cells = self.residuals.iter().zip(&self.variances);
        cells.map(|(g, v)| g * g / (v + 1.0)).sum()
    }
}

fn pairs_of(inputs: &[usize]) -> impl Iterator<Item = (usize, usize)> + '_ {
    let firsts = inputs.iter().enumerate();
    firsts.flat_map(|(i, &a)| inputs[i + 1..].iter().map(move |&b| (a, b)))
}

/// Rows of every elementary part of some inputs, in units of their weights.
fn rows_by_part(inputs: &[Input], outcomes: &Outcomes) -> Vec<Vec<f64>> {
    let sums = outcomes.all().sum(|| {
        let sums = inputs.par_iter().flat_map_iter(|input| {
            let mut sums = vec![0_u64; input.parts.len()];
            for row in 0..input.codes.len() {
                let weights = outcomes.weights();
                sums[input.codes.get(row)] += weights.map_or(1, |weights| weights.units()[row]);
            }
            sums
        });
        sums.collect()
    });
    let mut sums = sums.into_iter().map(|sum| sum as f64);
    let of_input = |input: &Input| sums.by_ref().take(input.parts.len()).collect();
    inputs.iter().map(of_input).collect()
}

/// Few parts of about equal frequency, or the most frequent categories and the rest.
fn coarse_codes(input: &Input, rows: &[f64]) -> (PartCodes, usize) {
    let total: f64 = rows.iter().sum();
    let part_of: Vec<u8> = match input.kind {
        VariableKind::Numerical => {
            let mut before = 0.0;
            let part = |rows: &f64| {
                let middle = (before + 0.5 * rows) / total.max(1e-300);
                before += rows;
                ((middle * COARSE as f64) as usize).min(COARSE - 1) as u8
            };
            rows.iter().map(part).collect()
        }
        // The frequent categories come first.
        VariableKind::Categorical => (0..rows.len()).map(|i| i.min(COARSE) as u8).collect(),
    };
    let codes = (0..input.codes.len()).map(|row| part_of[input.codes.get(row)]);
    (PartCodes::Narrow(codes.collect()), COARSE + 1)
}
