//! Cost of one part: its class distribution, then the classes of its rows (docs/method.md §2.1).

use super::Cost;
use crate::math::ln_factorial::LnFactorial;
use std::f64::consts::LN_2;

/// Cost functions for a data set of a given number of rows and classes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PartCost {
    pub(crate) ln_factorial: LnFactorial,
    classes: usize,
    /// ln (J−1)!
    ln_factorial_classes: f64,
}

impl PartCost {
    pub(crate) fn new(rows: usize, classes: usize) -> Self {
        Self::with(LnFactorial::up_to(rows + classes), classes)
    }

    /// The same function with the rounding errors of the reference tool, for searches in which they decide
    /// between equal choices (docs/method.md §3.3).
    pub(crate) fn of_reference(rows: usize, classes: usize) -> Self {
        Self::with(LnFactorial::running_sums(rows + classes), classes)
    }

    fn with(ln_factorial: LnFactorial, classes: usize) -> Self {
        Self {
            ln_factorial,
            classes,
            ln_factorial_classes: ln_factorial.of(classes - 1),
        }
    }

    /// Cost of a part of `n` rows from the counts of all its classes, added up in the order of the reference
    /// tool.
    #[inline]
    pub(crate) fn in_order(&self, n: u32, counts: impl Iterator<Item = u32>) -> f64 {
        let classes: f64 = counts.map(|count| self.class_term(count as usize)).sum();
        self.ln_factorial.of(n as usize + self.classes - 1) - classes - self.ln_factorial_classes
    }

    /// `lf(n+J−1) − lf(J−1)`: the share of the part cost that depends on its size only. The whole
    /// part cost is this minus [`class_term`](Self::class_term) of every class.
    #[inline]
    pub(crate) fn size_term(&self, n: usize) -> f64 {
        self.ln_factorial.of(n + self.classes - 1) - self.ln_factorial_classes
    }

    /// `lf(n_j)`.
    #[inline]
    pub(crate) fn class_term(&self, n: usize) -> f64 {
        self.ln_factorial.of(n)
    }

    /// The part "model" cost: its class distribution.
    pub(crate) fn model(&self, n: usize) -> f64 {
        self.size_term(n) - self.ln_factorial.of(n)
    }

    /// The part "data" cost: the classes of its rows, given the distribution.
    pub(crate) fn data(&self, counts: &[u64]) -> f64 {
        let n: u64 = counts.iter().sum();
        let classes: f64 = counts
            .iter()
            .map(|&c| self.ln_factorial.of(c as usize))
            .sum();
        self.ln_factorial.of(n as usize) - classes
    }

    /// Cost of a variable (docs/method.md §4.2) from the counts of its parts, the cost of choosing
    /// it and the cost of its partition beyond these two.
    pub(crate) fn variable(&self, choice: f64, partition: f64, counts: &[Vec<u64>]) -> Cost {
        let size = |part: &Vec<u64>| part.iter().sum::<u64>() as usize;
        Cost {
            construction: LN_2 + choice,
            preparation: partition
                + counts
                    .iter()
                    .map(|part| self.model(size(part)))
                    .sum::<f64>(),
            data: counts.iter().map(|part| self.data(part)).sum(),
        }
    }

    /// Cost of the null model, a single part (docs/method.md §4.1). With a single class there is
    /// nothing to choose and nothing to pay.
    pub(crate) fn null(&self, class_counts: &[u64]) -> Cost {
        let choice = if self.classes == 1 { -LN_2 } else { 0.0 };
        self.variable(choice, 0.0, &[class_counts.to_vec()])
    }
}
