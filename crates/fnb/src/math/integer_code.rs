//! Length of a universal code for integers (docs/method.md §0.2).

use std::f64::consts::LN_2;
use std::sync::LazyLock;

/// Normalising constant of the unbounded code.
const UNBOUNDED: f64 = 2.86511;
/// Below this bound the normalising sum is exact, above it is continued by its integral.
const EXACT_BOUND: usize = 2000;

/// Σ of the positive terms of log2 n, log2 log2 n, …
fn log2_star(n: f64) -> f64 {
    let (mut sum, mut term) = (0.0, n.log2());
    while term > 0.0 {
        sum += term;
        term = term.log2();
    }
    sum
}

/// `C(m)` for `m` up to [`EXACT_BOUND`].
static EXACT_SUMS: LazyLock<Vec<f64>> = LazyLock::new(|| {
    let mut sums = vec![0.0; EXACT_BOUND + 1];
    for m in 1..=EXACT_BOUND {
        sums[m] = sums[m - 1] + (-log2_star(m as f64)).exp2();
    }
    sums
});

/// Normalising sum of the code bounded by `m`.
fn normaliser(m: usize) -> f64 {
    if m < EXACT_BOUND {
        return EXACT_SUMS[m];
    }
    let iterated = |x: f64, times: usize| (0..times).fold(x, |x, _| x.log2());
    let start = iterated(EXACT_BOUND as f64, 4);
    let exact = EXACT_SUMS[EXACT_BOUND];
    let m = m as f64;
    if m < 65536.0 {
        exact + LN_2.powi(4) * (iterated(m, 4) - start)
    } else {
        exact + LN_2.powi(4) * (1.0 - start) + LN_2.powi(5) * iterated(m, 5)
    }
}

/// `L*(n)`: cost in nats of an integer `n ≥ 1` without upper bound.
///
/// ```
/// assert!((fnb::math::integer_code::unbounded(10) - 5.105026048).abs() < 1e-9);
/// ```
pub fn unbounded(n: usize) -> f64 {
    debug_assert!(n >= 1, "0 is never coded");
    UNBOUNDED.ln() + LN_2 * log2_star(n as f64)
}

/// Sizes of the tables of `ln 2 · log2*(n)`; each is built when a data set first needs it, which costs
/// four logarithms per number.
const TABLE_SIZES: [usize; 4] = [1 << 14, 1 << 16, 1 << 18, 1 << 20];

static TABLES: [LazyLock<Vec<f64>>; 4] = [
    LazyLock::new(|| table(TABLE_SIZES[0])),
    LazyLock::new(|| table(TABLE_SIZES[1])),
    LazyLock::new(|| table(TABLE_SIZES[2])),
    LazyLock::new(|| table(TABLE_SIZES[3])),
];

fn table(size: usize) -> Vec<f64> {
    (0..size).map(|n| LN_2 * log2_star(n as f64)).collect()
}

/// The code of integers up to a bound, for many integers: a look-up each.
#[derive(Debug, Clone, Copy)]
pub struct BoundedCode {
    ln_normaliser: f64,
    table: &'static [f64],
}

impl BoundedCode {
    /// The code for integers from 1 to `m`.
    pub fn new(m: usize) -> Self {
        let tier = TABLE_SIZES.iter().position(|&size| m < size);
        let tier = tier.unwrap_or(TABLE_SIZES.len() - 1);
        Self {
            ln_normaliser: normaliser(m).ln(),
            table: &TABLES[tier],
        }
    }

    /// `Lb(n, m)`.
    #[inline]
    pub fn of(&self, n: usize) -> f64 {
        let length = self.table.get(n).copied();
        self.ln_normaliser + length.unwrap_or_else(|| beyond_tables(n))
    }
}

/// A call, lest the compiler computes logarithms ahead that are mostly not needed.
#[cold]
#[inline(never)]
fn beyond_tables(n: usize) -> f64 {
    LN_2 * log2_star(n as f64)
}

/// `Lb(n, m)`: cost in nats of an integer `1 ≤ n ≤ m`.
///
/// ```
/// assert!((fnb::math::integer_code::bounded(2, 10) - 1.412030367).abs() < 1e-9);
/// ```
pub fn bounded(n: usize, m: usize) -> f64 {
    debug_assert!((1..=m).contains(&n), "{n} is not in 1..={m}");
    normaliser(m).ln() + LN_2 * log2_star(n as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
    }

    #[test]
    fn tables_and_formula_agree() {
        for m in [20_000, 3_000_000] {
            for n in [1, 2, 16_383, 16_384, 20_000, 1_048_576, 2_000_000] {
                assert_close(
                    BoundedCode::new(m).of(n),
                    normaliser(m).ln() + LN_2 * log2_star(n as f64),
                );
            }
        }
    }

    #[test]
    fn published_vectors() {
        for (n, cost) in [
            (1, 1.052606744),
            (2, 1.745753924),
            (3, 2.611779781),
            (4, 3.132048286),
            (5, 3.699452701),
            (10, 5.105026048),
            (100, 8.928052874),
            (1000, 12.006622700),
        ] {
            assert_close(unbounded(n), cost);
        }
        for (m, sum) in [
            (1, 1.0),
            (2, 1.5),
            (3, 1.710309918),
            (5, 1.906184320),
            (8, 2.013700779),
            (10, 2.052140072),
            (100, 2.236764018),
            (1999, 2.306480873),
            (2000, 2.306488252),
            (4095, 2.316263682),
            (65535, 2.343680577),
            (69999, 2.344192363),
        ] {
            assert_close(normaliser(m), sum);
        }
        for (n, m, cost) in [
            (1, 1, 0.0),
            (2, 10, 1.412030367),
            (3, 8, 2.259147250),
            (5, 149, 3.458046647),
            (4, 4095, 2.919396947),
        ] {
            assert_close(bounded(n, m), cost);
            assert_close(BoundedCode::new(m).of(n), cost);
        }
    }
}
