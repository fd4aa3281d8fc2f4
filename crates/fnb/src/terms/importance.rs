//! How much each term moves the predictions (docs/method.md §9).

use super::{Term, smoothing};

/// The mean distance of the log odds of a class against the rest from their mean, over the training rows and
/// the classes, for every term; as shares of their sum.
pub(crate) fn importance(terms: &[Term], class_counts: &[u64]) -> Vec<f64> {
    let means: Vec<f64> = terms
        .iter()
        .map(|term| mean_distance(term, class_counts))
        .collect();
    let total: f64 = means.iter().sum();
    if total > 0.0 {
        means.iter().map(|mean| mean / total).collect()
    } else {
        vec![1.0 / means.len() as f64; means.len()]
    }
}

fn mean_distance(term: &Term, class_counts: &[u64]) -> f64 {
    let classes = class_counts.len();
    let n = class_counts.iter().sum::<u64>() as f64;
    let own = log_odds_table(&term.own_counts(), class_counts);
    let mut table = term.by_cell(own, classes);
    for class in 0..classes {
        let lines = term.counts.iter().zip(table.chunks_exact(classes));
        let sum: f64 = lines.map(|(line, t)| size(line) * t[class]).sum();
        let mean = sum / n;
        for t in table[class..].iter_mut().step_by(classes) {
            *t = term.weight * (*t - mean);
        }
    }
    if let Some(logs) = term.correction_logs() {
        add_correction(&mut table, &logs, term, class_counts);
    }
    let lines = term.counts.iter().zip(table.chunks_exact(classes));
    let of_cell = |(line, values): (&Vec<u64>, &[f64])| -> f64 {
        let terms = class_counts.iter().zip(values);
        let sum: f64 = terms
            .map(|(&n_j, value)| n_j as f64 / n * value.abs())
            .sum();
        size(line) / n * sum
    };
    lines.map(of_cell).sum()
}

/// Adds the log odds of each class against the rest that a correction changes, less their mean.
fn add_correction(table: &mut [f64], logs: &[f64], term: &Term, class_counts: &[u64]) {
    let classes = class_counts.len();
    let n = class_counts.iter().sum::<u64>() as f64;
    let factors: Vec<f64> = logs.iter().map(|log| log.exp()).collect();
    for class in 0..classes {
        // The factor of the other classes together, each by its share of them.
        let rest = |factors: &[f64]| {
            let others = (0..classes).filter(|other| *other != class);
            let sum: f64 = others.map(|o| class_counts[o] as f64 * factors[o]).sum();
            sum / (n - class_counts[class] as f64)
        };
        let change = |(factors, logs): (&[f64], &[f64])| logs[class] - rest(factors).ln();
        let lines = factors
            .chunks_exact(classes)
            .zip(logs.chunks_exact(classes));
        let changes: Vec<f64> = match classes {
            0 | 1 => vec![0.0; term.counts.len()],
            _ => lines.map(change).collect(),
        };
        let sum: f64 = term
            .counts
            .iter()
            .zip(&changes)
            .map(|(line, t)| size(line) * t)
            .sum();
        for (t, change) in table[class..].iter_mut().step_by(classes).zip(&changes) {
            *t += change - sum / n;
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
