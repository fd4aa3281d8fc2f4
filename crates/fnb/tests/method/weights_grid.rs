//! Few variables: no point of a grid over all weights is better than what coordinate steps find.

use crate::weights_methods::optimise_set;
use crate::weights_synthetic::SyntheticSet;
use fnb::Method;
use fnb::weights::{LearnSettings, continuous_criterion};
use std::collections::BTreeMap;

/// The continuous criterion, quick to evaluate: rows that are equal in all variables are counted.
struct Grid {
    /// `ln p(part | class)` of each variable for the parts of some rows, and their classes.
    groups: Vec<(Vec<Vec<f64>>, Vec<f64>)>,
    priors: Vec<f64>,
    prior_costs: Vec<f64>,
    settings: LearnSettings,
}

impl Grid {
    fn new(set: &SyntheticSet, settings: &LearnSettings) -> Self {
        let (candidates, target) = (set.candidates(), &set.target);
        let classes = target.classes().len();
        let mut groups: BTreeMap<Vec<usize>, Vec<f64>> = BTreeMap::new();
        for (row, &label) in target.codes().iter().enumerate() {
            let codes = candidates.iter().map(|c| c.codes.get(row)).collect();
            groups.entry(codes).or_insert_with(|| vec![0.0; classes])[label as usize] += 1.0;
        }
        let lines = |codes: Vec<usize>| -> Vec<Vec<f64>> {
            let lines = codes.into_iter().zip(&candidates);
            lines
                .map(|(code, c)| c.scores[code * classes..][..classes].to_vec())
                .collect()
        };
        let share = |&count: &u64| (count as f64 / target.rows() as f64).ln();
        Self {
            groups: groups
                .into_iter()
                .map(|(codes, counts)| (lines(codes), counts))
                .collect(),
            priors: target.counts().iter().map(share).collect(),
            prior_costs: candidates.iter().map(|c| c.prior_cost).collect(),
            settings: settings.clone(),
        }
    }

    fn value(&self, weights: &[f64]) -> f64 {
        let mut data = 0.0;
        let mut scores = self.priors.clone();
        for (lines, counts) in &self.groups {
            scores.copy_from_slice(&self.priors);
            for (line, weight) in lines.iter().zip(weights) {
                for (score, log) in scores.iter_mut().zip(line) {
                    *score += weight * log;
                }
            }
            let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = scores.iter().map(|score| (score - largest).exp()).sum();
            let normaliser = largest + sum.ln();
            let losses = scores.iter().zip(counts);
            data += losses.map(|(s, n)| n * (normaliser - s)).sum::<f64>();
        }
        let LearnSettings {
            lambda, p, delta, ..
        } = self.settings;
        let shift = (1.0 - p) * delta.powf(p);
        let curve = |w: f64| {
            if w < delta {
                p * delta.powf(p - 1.0) * w / (1.0 - shift)
            } else {
                (w.powf(p) - shift) / (1.0 - shift)
            }
        };
        let reward = (1.0 + weights.iter().sum::<f64>()).ln();
        let costs = weights.iter().zip(&self.prior_costs);
        data + lambda
            * costs
                .map(|(&w, b)| (1.0 + b - reward) * curve(w))
                .sum::<f64>()
    }

    /// The best `most` points of a grid with the given values of each weight, the best first.
    fn best(&self, values: &[Vec<f64>], most: usize) -> Vec<(f64, Vec<f64>)> {
        let mut best: Vec<(f64, Vec<f64>)> = Vec::new();
        let points: usize = values.iter().map(Vec::len).product();
        for mut point in 0..points {
            let mut weights = Vec::with_capacity(values.len());
            for values in values {
                weights.push(values[point % values.len()]);
                point /= values.len();
            }
            let value = self.value(&weights);
            let position = best.partition_point(|(other, _)| *other <= value);
            if position < most {
                best.insert(position, (value, weights));
                best.truncate(most);
            }
        }
        best
    }

    /// The best point: a coarse grid, then finer and finer ones around its best points.
    fn minimum(&self) -> (f64, Vec<f64>) {
        let variables = self.prior_costs.len();
        let steps = [0, 200, 40, 20, 11, 7, 5][variables];
        let coarse: Vec<f64> = (0..=steps)
            .map(|i| f64::from(i) / f64::from(steps))
            .collect();
        let mut points = self.best(&vec![coarse; variables], 4);
        let mut spacing = 1.0 / f64::from(steps);
        while spacing > 2e-3 {
            spacing /= 2.0;
            let around = |weight: &f64| {
                let near = [-1.0, 0.0, 1.0].map(|i| (weight + i * spacing).clamp(0.0, 1.0));
                let mut near = near.to_vec();
                near.dedup();
                near
            };
            for (value, weights) in &mut points {
                // Again at the same scale as long as that helps.
                loop {
                    let values: Vec<Vec<f64>> = weights.iter().map(around).collect();
                    let best = self.best(&values, 1).remove(0);
                    if best.0 >= *value {
                        break;
                    }
                    (*value, *weights) = best;
                }
            }
        }
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points.remove(0)
    }
}

#[test]
fn no_point_of_a_grid_is_better() {
    let parts = [3, 2, 4, 3, 2, 5];
    let lambdas = [0.1, 0.5, 2.0, 0.2, 1.0];
    for seed in 0..25 {
        let (variables, classes) = (2 + seed % 5, 2 + seed % 2);
        let lambda = lambdas[(seed + seed / 5) % 5];
        let set = if seed % 3 == 0 {
            SyntheticSet::new(100, classes, &parts[..variables], seed as u64)
        } else {
            SyntheticSet::redundant(100, classes, 2, variables, seed as u64)
        };
        let settings = LearnSettings {
            method: Method::Coordinate,
            lambda,
            ..LearnSettings::default()
        };
        let grid = Grid::new(&set, &settings);
        let (least, weights) = grid.minimum();
        let exact = continuous_criterion(
            &set.candidates(),
            &set.target.outcomes(),
            &settings,
            &weights,
        );
        assert!((exact.total - least).abs() < 1e-9 * least);
        for continuation in [false, true] {
            let settings = LearnSettings {
                continuation,
                ..settings.clone()
            };
            let outcome = optimise_set(&set, &settings);
            let found = outcome.criterion.total;
            let what = format!(
                "seed {seed}, lambda {lambda}, continuation {continuation}: \
                 {found} at {:?}, grid {least} at {weights:?}",
                outcome.weights
            );
            assert!(found <= 1.001 * least, "{what}");
            // The grid is fine enough to say so.
            assert!(least <= 1.001 * found, "{what}");
        }
    }
}
