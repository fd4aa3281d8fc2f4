//! The negative log-likelihood of given weights, from scratch and whatever the weights
//! (docs/method.md §7.1). Searches keep it up to date instead, see [`rows`](super::rows).

use super::Candidate;
use super::rows::{Likelihood, block_rows, map_blocks};
use crate::columns::Target;
use crate::math::exp::exp_in_place;

pub(super) fn data_cost(
    candidates: &[Candidate],
    target: &Target,
    likelihood: Likelihood,
    weights: &[f64],
) -> f64 {
    let (rows, classes) = (target.rows(), target.classes().len());
    let all = rows as f64;
    let pseudo_count = 0.5 / classes as f64;
    let priors: Vec<f64> = target
        .counts()
        .iter()
        .map(|&n| (n as f64 / all).ln())
        .collect();
    let size = block_rows(classes);
    let mut starts: Vec<usize> = (0..rows).step_by(size).collect();
    let costs = map_blocks(&mut starts, |start| {
        let block = *start..rows.min(*start + size);
        let mut scores = priors.repeat(block.len());
        for (candidate, &weight) in candidates.iter().zip(weights).filter(|(_, w)| **w > 0.0) {
            for (scores, row) in scores.chunks_exact_mut(classes).zip(block.clone()) {
                let logs = &candidate.log_probabilities[candidate.codes.get(row) * classes..];
                scores
                    .iter_mut()
                    .zip(logs)
                    .for_each(|(s, log)| *s += weight * log);
            }
        }
        let mut cost = 0.0;
        for (scores, row) in scores.chunks_exact_mut(classes).zip(block) {
            let own = scores[target.codes()[row] as usize];
            let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            for score in &mut *scores {
                *score -= largest;
            }
            exp_in_place(scores);
            let loss = scores.iter().sum::<f64>().ln() + (largest - own);
            cost += match likelihood {
                Likelihood::Plain => loss,
                Likelihood::Smoothed => ((all + 0.5) / (all * (-loss).exp() + pseudo_count)).ln(),
            };
        }
        cost
    });
    costs.into_iter().sum()
}
