//! Counts → probabilities of the cells given the class (docs/method.md §5), and scores of a term.

use super::Term;

impl Term {
    /// What the term adds to the score of every class, by cell, then class: its weighted log
    /// probabilities and its correction. `rows` is the number of rows of the training data.
    pub fn scores(&self, rows: u64) -> Vec<f64> {
        let corrected = self.correction_logs();
        if self.weight == 0.0 {
            return corrected.unwrap_or_default();
        }
        let classes = self.counts.first().map_or(0, Vec::len);
        let mut scores = self.by_cell(log_probabilities(&self.own_counts(), rows), classes);
        for score in &mut scores {
            *score *= self.weight;
        }
        for (score, by) in scores.iter_mut().zip(corrected.into_iter().flatten()) {
            *score += by;
        }
        scores
    }
}

/// `ln p(cell | class)` for a row of that cell and class that is not counted itself, less the logarithm
/// with it: what [`log_probabilities`] of all other rows would say. Entries without a row are 0.
pub(crate) fn left_out(counts: &[Vec<u64>], rows: u64) -> Vec<f64> {
    let classes = counts.first().map_or(0, Vec::len);
    let epsilon = smoothing(rows);
    let total = |class: usize| counts.iter().map(|cell| cell[class]).sum::<u64>() as f64;
    let totals: Vec<f64> = (0..classes)
        .map(|class| total(class) + counts.len() as f64 * epsilon)
        .collect();
    let of_entry = |(&n, total): (&u64, &f64)| {
        if n == 0 {
            return 0.0;
        }
        let n = n as f64 + epsilon;
        ((n - 1.0) / n * total / (total - 1.0)).ln()
    };
    let cells = counts.iter();
    cells
        .flat_map(|cell| cell.iter().zip(&totals).map(of_entry))
        .collect()
}

/// ε: what is added to every count, so that no probability is zero. `rows` is N, the number of rows
/// of the training data.
pub fn smoothing(rows: u64) -> f64 {
    1.0 / (rows as f64 + 1.0)
}

/// `ln p(cell | class)` for every cell and class, cells one after the other: entry
/// `cell · classes + class`. With ε of [`smoothing`], `p = (n + ε) / (N_class + cells · ε)`.
///
/// ```
/// use fnb::terms::log_probabilities;
/// let logs = log_probabilities(&[vec![50, 0], vec![0, 50]], 100);
/// let epsilon = 1.0_f64 / 101.0;
/// assert!((logs[0] - ((50.0 + epsilon) / (50.0 + 2.0 * epsilon)).ln()).abs() < 1e-15);
/// assert!((logs[1] - (epsilon / (50.0 + 2.0 * epsilon)).ln()).abs() < 1e-15);
/// ```
pub fn log_probabilities(counts: &[Vec<u64>], rows: u64) -> Vec<f64> {
    let classes = counts.first().map_or(0, Vec::len);
    let epsilon = smoothing(rows);
    let class_totals: Vec<f64> = (0..classes)
        .map(|class| {
            let total: u64 = counts.iter().map(|cell| cell[class]).sum();
            total as f64 + counts.len() as f64 * epsilon
        })
        .collect();
    let cell_logs = |cell: &Vec<u64>| {
        let pairs = cell.iter().zip(&class_totals);
        pairs
            .map(|(&n, total)| ((n as f64 + epsilon) / total).ln())
            .collect::<Vec<f64>>()
    };
    counts.iter().flat_map(cell_logs).collect()
}
