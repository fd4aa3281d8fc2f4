//! ln of the number of ways to put n values into at most k groups (docs/method.md §0.3).

use super::ln_factorial::LnFactorial;
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

/// Terms this much below the largest, in logs, are lost in its rounding.
const NEGLIGIBLE: f64 = -42.0;

/// `B(n,k) = Σ_{i=1..k} (i^n / i!) · d(k−i)`, `d(m) = Σ_{t≤m} (−1)^t/t!`, in logs around the
/// largest term. The terms rise to a single peak then fall, so that the sum spreads from there
/// both ways and stops when they no longer count.
fn ln_partitions_of_many(n: usize, k: usize) -> f64 {
    let ln_factorial = LnFactorial::up_to(n);
    let ln_term = |i: usize| n as f64 * (i as f64).ln() - ln_factorial.of(i);
    let top = k.min(peak(n));
    let largest = ln_term(top);
    let counts = |&i: &usize| ln_term(i) - largest > NEGLIGIBLE;
    let term = |i: usize| (ln_term(i) - largest).exp() * derangements(k - i);
    let below: f64 = (1..=top).rev().take_while(counts).map(term).sum();
    let above: f64 = (top + 1..=k).take_while(counts).map(term).sum();
    largest + (below + above).ln()
}

/// The `i` of the largest `i^n / i!`.
fn peak(n: usize) -> usize {
    let rises = |i: usize| n as f64 * (1.0 / i as f64).ln_1p() > ((i + 1) as f64).ln();
    let (mut low, mut high) = (1, n);
    while low < high {
        let middle = usize::midpoint(low, high);
        if rises(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// `d(m)`, the share of permutations of `m` things that leave none in place.
fn derangements(m: usize) -> f64 {
    static SHARES: LazyLock<[f64; 20]> = LazyLock::new(|| {
        let (mut share, mut term) = (0.0, 1.0);
        std::array::from_fn(|m| {
            share += term;
            term /= -(m as f64 + 1.0);
            share
        })
    });
    SHARES[m.min(SHARES.len() - 1)]
}

/// A number of groups beyond which more groups do not change `ln_partitions(n, k)`.
pub(crate) fn saturation(n: usize) -> usize {
    if n < EXACT_VALUES {
        return n;
    }
    let peak = peak(n) as f64;
    // Terms fall at least as fast as a Gauss curve of this width; 42 is (9.2)² / 2.
    let width = peak / (n as f64 + peak).sqrt();
    // Some room for the difference between the curve and its approximation at the peak.
    n.min((peak + 14.0 * width) as usize + 30)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_vectors() {
        for (n, k, expected) in [
            (2, 2, std::f64::consts::LN_2),
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

    #[test]
    fn saturated_counts_no_longer_change() {
        for n in [10, 99, 100, 101, 150, 1000, 30_000] {
            let enough = saturation(n);
            let all = ln_partitions(n, n);
            for k in [enough, usize::midpoint(enough, n)] {
                assert!(
                    (ln_partitions(n, k) - all).abs() <= 1e-12 * all,
                    "B({n},{k})"
                );
            }
        }
    }
}
