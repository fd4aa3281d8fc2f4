//! What each term contributes to a prediction, exactly (docs/method.md §9).

use super::{Term, smoothing};

/// Shapley values of every cell of every term, and the base value they start from.
///
/// For class j, the log odds of the class against the rest are
/// `base(j) + Σ_k value(k, cell of k, j)`, and each term's values average to 0 over the training
/// rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Contributions {
    classes: usize,
    /// φ, one line of classes per cell; one table per term.
    tables: Vec<Vec<f64>>,
    base: Vec<f64>,
}

impl Contributions {
    /// Tabulates the values of the terms of a model.
    pub fn new(terms: &[Term], class_counts: &[u64]) -> Self {
        let classes = class_counts.len();
        let n: u64 = class_counts.iter().sum();
        let log_odds = |&n_j: &u64| match n - n_j {
            0 => 0.0,
            others => (n_j as f64 / others as f64).ln(),
        };
        let mut base: Vec<f64> = class_counts.iter().map(log_odds).collect();
        let mut tables = Vec::with_capacity(terms.len());
        for term in terms {
            let mut table = log_odds_table(&term.counts, class_counts);
            for (class, base) in base.iter_mut().enumerate() {
                let lines = term.counts.iter().zip(table.chunks_exact(classes));
                let sum: f64 = lines.map(|(line, t)| size(line) * t[class]).sum();
                let mean = sum / n as f64;
                *base += term.weight * mean;
                for t in table[class..].iter_mut().step_by(classes) {
                    *t = term.weight * (*t - mean);
                }
            }
            tables.push(table);
        }
        Self {
            classes,
            tables,
            base,
        }
    }

    /// φ: what it adds to the log odds of a class that a row falls into a cell of a term.
    #[inline]
    pub fn value(&self, term: usize, cell: usize, class: usize) -> f64 {
        self.tables[term][cell * self.classes + class]
    }

    /// The mean log odds of a class against the rest over the training rows.
    pub fn base(&self, class: usize) -> f64 {
        self.base[class]
    }

    /// Mean absolute value per term over training rows and classes, as shares of their sum.
    pub fn importance(&self, terms: &[Term], class_counts: &[u64]) -> Vec<f64> {
        let n: u64 = class_counts.iter().sum();
        let n = n as f64;
        let mean = |(term, table): (&Term, &Vec<f64>)| -> f64 {
            let lines = term.counts.iter().zip(table.chunks_exact(self.classes));
            let part = |(line, values): (&Vec<u64>, &[f64])| -> f64 {
                let terms = class_counts.iter().zip(values);
                let sum: f64 = terms
                    .map(|(&n_j, value)| n_j as f64 / n * value.abs())
                    .sum();
                size(line) / n * sum
            };
            lines.map(part).sum()
        };
        let means: Vec<f64> = terms.iter().zip(&self.tables).map(mean).collect();
        let total: f64 = means.iter().sum();
        if total > 0.0 {
            means.iter().map(|mean| mean / total).collect()
        } else {
            vec![1.0 / means.len() as f64; means.len()]
        }
    }
}

/// Number of rows of a cell.
fn size(line: &[u64]) -> f64 {
    line.iter().sum::<u64>() as f64
}

/// `t_sj = ln(p(cell|class) / p(cell|other classes))`, cell by cell.
fn log_odds_table(counts: &[Vec<u64>], class_counts: &[u64]) -> Vec<f64> {
    let n: u64 = class_counts.iter().sum();
    let epsilon = smoothing(n);
    let cells = counts.len() as f64;
    let others = class_counts.len() as f64 - 1.0;
    let mut table = Vec::with_capacity(counts.len() * class_counts.len());
    for line in counts {
        let n_s: u64 = line.iter().sum();
        table.extend(line.iter().zip(class_counts).map(|(&n_sj, &n_j)| {
            if others == 0.0 {
                return 0.0;
            }
            let one = (n_sj as f64 + epsilon) / (n_j as f64 + cells * epsilon);
            let other = ((n_s - n_sj) as f64 + others * epsilon)
                / ((n - n_j) as f64 + cells * others * epsilon);
            (one / other).ln()
        }));
    }
    table
}
