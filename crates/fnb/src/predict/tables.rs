//! Counts → conditional probabilities.

/// ε of docs/method.md §5, for a number of training rows.
pub(crate) fn epsilon(rows: u64) -> f64 {
    1.0 / (rows as f64 + 1.0)
}

/// `w · ln p(part|class)` with `p = (n_sj + ε) / (N_j + S·ε)`, part by part (docs/method.md §5).
pub(super) fn weighted_log_probabilities(
    counts: &[Vec<u64>],
    class_counts: &[u64],
    weight: f64,
) -> Vec<f64> {
    let epsilon = epsilon(class_counts.iter().sum());
    let parts = counts.len() as f64;
    let term = |(&n_sj, &n_j): (&u64, &u64)| {
        weight * ((n_sj as f64 + epsilon) / (n_j as f64 + parts * epsilon)).ln()
    };
    let lines = counts.iter().flat_map(|line| line.iter().zip(class_counts));
    lines.map(term).collect()
}
