//! What the rows of each class count.

use super::row_weights::{RowWeights, SCALED_ALREADY};
use crate::{Code, Error, Result};

/// The largest sum of counts: all are exact as floating-point numbers.
const MAX_ROWS: f64 = (1_u64 << 52) as f64;

/// Factors of the weights of rows, by class (docs/method.md §1.6).
#[derive(Debug, Clone, PartialEq)]
pub enum ClassWeights {
    /// `N / (J · N_j)`: all classes then weigh the same, and their rows as much as before in all.
    Balanced,
    /// Given by name; 1 for classes that are not named. If they are not all whole numbers, they are scaled so that
    /// the rows weigh as much as before in all.
    Given(Vec<(String, f64)>),
}

impl ClassWeights {
    /// The factor of each class, given the sum of the weights of its rows.
    pub(crate) fn factors(&self, classes: &[String], sums: &[f64]) -> Result<Vec<f64>> {
        match self {
            Self::Balanced => {
                let total: f64 = sums.iter().sum();
                let factor = |sum: &f64| total / (classes.len() as f64 * sum);
                Ok(sums.iter().map(factor).collect())
            }
            Self::Given(given) => {
                let mut factors = vec![1.0; classes.len()];
                for (i, (name, weight)) in given.iter().enumerate() {
                    let class = classes.iter().position(|class| class == name);
                    let class = class.ok_or_else(|| unknown(name, classes))?;
                    let is_repeated = given[..i].iter().any(|(other, _)| other == name);
                    if is_repeated || !weight.is_finite() || *weight < 0.0 {
                        return Err(invalid(name, *weight, is_repeated));
                    }
                    factors[class] = *weight;
                }
                scale_fractions(&mut factors, sums);
                Ok(factors)
            }
        }
    }
}

/// Scales factors that are not all whole numbers, so that the sums keep their total; not those that keep it
/// already but for what writing them down lost.
fn scale_fractions(factors: &mut [f64], sums: &[f64]) {
    if factors.iter().all(|factor| factor.fract() == 0.0) {
        return;
    }
    let largest = factors.iter().copied().fold(0.0, f64::max);
    let products = factors
        .iter()
        .zip(sums)
        .map(|(factor, sum)| factor / largest * sum);
    let mean = products.sum::<f64>() / sums.iter().sum::<f64>() * largest;
    if (mean - 1.0).abs() > SCALED_ALREADY {
        for factor in factors {
            *factor /= mean;
        }
    }
}

/// Class weights that are part of the weights of rows.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ClassFactors {
    /// By class, also those of weight 0.
    pub(super) named: Vec<(String, f64)>,
    /// The weights of the rows without them; rows that are gone have none.
    pub(super) before: Option<RowWeights>,
}

impl ClassFactors {
    pub(super) fn take(&self, rows: &[usize]) -> Self {
        Self {
            named: self.named.clone(),
            before: self.before.as_ref().map(|before| before.take(rows)),
        }
    }

    /// Counts of some classes times their weights.
    pub(super) fn scaled_counts(&self, classes: &[String], counts: &[u64]) -> Vec<u64> {
        let weight = |class: &String| {
            let named = self.named.iter().find(|(name, _)| name == class);
            named.map_or(1.0, |(_, weight)| *weight)
        };
        let weights: Vec<f64> = classes.iter().map(weight).collect();
        scaled_by(&weights, counts)
    }
}

/// Counts of classes times their weights. Only their shares matter: the smallest weight is taken as 1, so
/// that no class is left with a few rows, and hence with poor probabilities.
pub(crate) fn scaled_by(weights: &[f64], counts: &[u64]) -> Vec<u64> {
    let smallest = weights.iter().copied().fold(f64::INFINITY, f64::min);
    let products = counts.iter().zip(weights);
    let products: Vec<f64> = products
        .map(|(&count, weight)| count as f64 * (weight / smallest))
        .collect();
    let excess = (products.iter().sum::<f64>() / MAX_ROWS).max(1.0);
    let scaled = products.iter().zip(counts);
    scaled
        .map(|(product, &count)| ((product / excess).round() as u64).max(count.min(1)))
        .collect()
}

/// Counts per part and class, in proportion to new counts of the classes; running sums are rounded.
pub(crate) fn scale_counts(counts: &mut [Vec<u64>], from: &[u64], to: &[u64]) {
    for (class, (&from, &to)) in from.iter().zip(to).enumerate() {
        let (from, to) = (u128::from(from.max(1)), u128::from(to));
        let scaled = |sum: u128| ((2 * sum * to + from) / (2 * from)) as u64;
        let mut sum = 0;
        for part in &mut *counts {
            let before = scaled(sum);
            sum += u128::from(part[class]);
            part[class] = scaled(sum) - before;
        }
    }
}

fn unknown(name: &str, classes: &[String]) -> Error {
    let shown: Vec<String> = classes.iter().take(12).map(|c| format!("{c:?}")).collect();
    let message = format!("a weight is given for {name:?}, which is no class");
    Error::new(Code::Usage, message).help(format!("the classes are {}", shown.join(", ")))
}

fn invalid(name: &str, weight: f64, is_repeated: bool) -> Error {
    let message = if is_repeated {
        format!("class {name:?} has two weights")
    } else {
        format!("the weight of class {name:?} is {weight}")
    };
    Error::new(Code::Usage, message).help("give each class one weight, 0 or more")
}
