//! Counts → probabilities of the parts given the class (docs/method.md §5).

/// `ln p(part | class)` for every part and class, parts one after the other: entry
/// `part · classes + class`. With `ε = 1/(N+1)`, `p = (n + ε) / (N_class + parts · ε)`, so that no
/// probability is zero. `rows` is N, the number of rows of the training data.
///
/// ```
/// use fnb::prepare::log_probabilities;
/// let logs = log_probabilities(&[vec![50, 0], vec![0, 50]], 100);
/// let epsilon = 1.0_f64 / 101.0;
/// assert!((logs[0] - ((50.0 + epsilon) / (50.0 + 2.0 * epsilon)).ln()).abs() < 1e-15);
/// assert!((logs[1] - (epsilon / (50.0 + 2.0 * epsilon)).ln()).abs() < 1e-15);
/// ```
pub fn log_probabilities(counts: &[Vec<u64>], rows: usize) -> Vec<f64> {
    let classes = counts.first().map_or(0, Vec::len);
    let epsilon = 1.0 / (rows as f64 + 1.0);
    let class_totals: Vec<f64> = (0..classes)
        .map(|class| {
            let total: u64 = counts.iter().map(|part| part[class]).sum();
            total as f64 + counts.len() as f64 * epsilon
        })
        .collect();
    let part_logs = |part: &Vec<u64>| {
        let pairs = part.iter().zip(&class_totals);
        pairs
            .map(|(&n, total)| ((n as f64 + epsilon) / total).ln())
            .collect::<Vec<f64>>()
    };
    counts.iter().flat_map(part_logs).collect()
}
