//! The negative log-likelihood of given weights, from scratch and whatever the weights
//! (docs/method.md §7.1). Searches keep it up to date instead, see [`rows`](super::rows).

use super::kernels::CHUNK;
use super::{Likelihood, map_blocks};
use crate::columns::Outcomes;
use crate::columns::row_weights::ONE;
use crate::math::exp::exp_in_place;
use crate::math::order_free_sum::OrderFreeSum;
use crate::weights::Candidate;
use std::ops::Range;

/// Numbers of one piece of work.
const BLOCK_NUMBERS: usize = 1 << 16;

pub(crate) fn data_cost(
    candidates: &[Candidate],
    outcomes: &Outcomes,
    likelihood: Likelihood,
    weights: &[f64],
) -> f64 {
    let (rows, classes) = (outcomes.rows(), outcomes.len());
    let selected = candidates.iter().zip(weights.iter().copied());
    let selected: Vec<(&Candidate, f64)> = selected.filter(|(_, w)| *w > 0.0).collect();
    if selected.is_empty() {
        return null_data_cost(outcomes, likelihood);
    }
    let costs = || {
        let size = (BLOCK_NUMBERS / classes).clamp(1, CHUNK);
        let starts = (0..rows).step_by(size);
        let mut blocks: Vec<Range<usize>> = starts.map(|s| s..rows.min(s + size)).collect();
        map_blocks(&mut blocks, |block| {
            block_cost(&selected, outcomes, likelihood, block.clone())
        })
    };
    let total = outcomes
        .all()
        .sum(|| vec![costs().into_iter().sum::<OrderFreeSum>()])[0];
    match outcomes.weights() {
        Some(_) => total.total() / ONE as f64,
        None => total.total(),
    }
}

/// All rows of a class have the same posterior, its share of the rows.
fn null_data_cost(outcomes: &Outcomes, likelihood: Likelihood) -> f64 {
    let rows = outcomes.total() as f64;
    let pseudo_count = 0.5 / outcomes.len() as f64;
    let cost = |(sum, &count): (f64, &u64)| {
        let count = count as f64;
        sum * match likelihood {
            Likelihood::Plain => (rows / count).ln(),
            Likelihood::Smoothed => ((rows + 0.5) / (count + pseudo_count)).ln(),
        }
    };
    let classes = outcomes.sums().into_iter().zip(outcomes.counts());
    classes.map(cost).sum()
}

fn block_cost(
    selected: &[(&Candidate, f64)],
    outcomes: &Outcomes,
    likelihood: Likelihood,
    block: Range<usize>,
) -> OrderFreeSum {
    let classes = outcomes.len();
    let rows = outcomes.total() as f64;
    let pseudo_count = 0.5 / classes as f64;
    let labels = &outcomes.codes()[block.clone()];
    let priors = outcomes.counts().iter().map(|&n| (n as f64 / rows).ln());
    let mut scores = priors.collect::<Vec<f64>>().repeat(block.len());
    for (candidate, weight) in selected {
        for (scores, row) in scores.chunks_exact_mut(classes).zip(block.clone()) {
            let line = &candidate.scores[candidate.codes.get(row) * classes..];
            for (score, log) in scores.iter_mut().zip(line) {
                *score += weight * log;
            }
        }
    }
    // Scores relative to the largest; the loss of a row is ln Σ exp(score) − score of its class.
    let mut own_scores = Vec::with_capacity(block.len());
    for (scores, &label) in scores.chunks_exact_mut(classes).zip(labels) {
        let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        for score in &mut *scores {
            *score -= largest;
        }
        own_scores.push(scores[label as usize]);
    }
    exp_in_place(&mut scores);
    let mut cost = OrderFreeSum::default();
    let units = outcomes
        .weights()
        .map(|weights| &weights.units()[block.clone()]);
    let terms = scores.chunks_exact(classes).zip(labels);
    for (row, ((terms, &label), own)) in terms.zip(own_scores).enumerate() {
        let sum: f64 = terms.iter().sum();
        let loss = match likelihood {
            Likelihood::Plain => sum.ln() - own,
            Likelihood::Smoothed => {
                let share = rows * terms[label as usize] / sum;
                ((rows + 0.5) / (share + pseudo_count)).ln()
            }
        };
        match units {
            Some(units) => cost.add_times(loss, units[row]),
            None => cost.add(loss),
        }
    }
    cost
}
