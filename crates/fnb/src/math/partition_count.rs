//! ln of the number of ways to put n values into at most k groups (docs/method.md §0.3).

use std::sync::LazyLock;

/// Below this number of values the Stirling numbers fit in doubles and are summed exactly.
const EXACT_VALUES: usize = 100;

/// `EXACT[n][k]` = ln B(n, k), for n < [`EXACT_VALUES`].
static EXACT: LazyLock<Vec<Vec<f64>>> = LazyLock::new(|| {
    let mut stirling = vec![0.0_f64; EXACT_VALUES + 1];
    stirling[0] = 1.0;
    let mut table = vec![vec![0.0]];
    for n in 1..EXACT_VALUES {
        for g in (1..=n).rev() {
            stirling[g] = stirling[g - 1] + g as f64 * stirling[g];
        }
        stirling[0] = 0.0;
        let mut sum = 0.0;
        let row = (0..=n).map(|k| {
            sum += stirling[k];
            sum.ln()
        });
        table.push(row.collect());
    }
    table
});

/// ln B(n, k), the number of partitions of `n ≥ 1` values into at most `k ≥ 1` groups.
///
/// ```
/// use fnb::math::partition_count::ln_partitions;
/// // {a,b,c} | {a},{b,c} | {b},{a,c} | {c},{a,b}
/// assert!((ln_partitions(3, 2) - 4_f64.ln()).abs() < 1e-12);
/// ```
pub fn ln_partitions(n: usize, k: usize) -> f64 {
    let k = k.min(n);
    if n < EXACT_VALUES {
        EXACT[n][k]
    } else {
        ln_partitions_of_many(n, k)
    }
}

/// `B(n,k) = Σ_{i=1..k} (i^n / i!) · d(k−i)`, `d(m) = Σ_{t≤m} (−1)^t/t!`, in logs around the
/// largest term; terms too small to matter are dropped.
fn ln_partitions_of_many(n: usize, k: usize) -> f64 {
    let negligible = (1e-6 / k as f64).ln() - 30.0;
    let ln_term = |i: usize, ln_factorial: f64| n as f64 * (i as f64).ln() - ln_factorial;
    let mut ln_terms = Vec::with_capacity(k);
    let (mut ln_factorial, mut largest) = (0.0, f64::NEG_INFINITY);
    for i in 1..=k {
        ln_factorial += (i as f64).ln();
        let term = ln_term(i, ln_factorial);
        largest = f64::max(largest, term);
        ln_terms.push(term);
    }
    let (mut derangement, mut inverse_factorial) = (0.0, 1.0);
    let mut sum = 0.0;
    for (t, &term) in ln_terms.iter().rev().enumerate() {
        derangement += inverse_factorial;
        inverse_factorial /= -(t as f64 + 1.0);
        if term - largest > negligible {
            sum += (term - largest).exp() * derangement;
        }
    }
    largest + f64::ln(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_vectors() {
        for (n, k, expected) in [
            (2, 2, 0.693147181),
            (3, 2, 1.386294361),
            (5, 3, 3.713572067),
            (9, 4, 9.310276201),
            (20, 6, 29.260476972),
            (100, 5, 156.156299501),
            (165, 6, 289.061061211),
        ] {
            let found = ln_partitions(n, k);
            assert!((found - expected).abs() < 1e-9, "B({n},{k}): {found}");
        }
    }

    #[test]
    fn both_branches_agree() {
        for n in 20..EXACT_VALUES {
            for k in 1..=n {
                let (exact, found) = (EXACT[n][k], ln_partitions_of_many(n, k));
                assert!(
                    (found - exact).abs() < 1e-9 * exact.max(1.0),
                    "B({n},{k}): {found} {exact}"
                );
            }
        }
    }
}
