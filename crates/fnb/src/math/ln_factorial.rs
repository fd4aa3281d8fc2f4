//! ln n!, the unit of account of every cost (docs/method.md §0.1).

use std::sync::LazyLock;

/// Sizes of the tables; each is built when a data set first needs it. Beyond the last one `lgamma`
/// is called: such counts are too rare to be tabulated.
const SIZES: [usize; 3] = [1 << 14, 1 << 17, 1 << 21];

static TABLES: [LazyLock<Vec<f64>>; 3] = [
    LazyLock::new(|| table(SIZES[0])),
    LazyLock::new(|| table(SIZES[1])),
    LazyLock::new(|| table(SIZES[2])),
];

static RUNNING_SUMS: [LazyLock<Vec<f64>>; 3] = [
    LazyLock::new(|| running_sums(SIZES[0])),
    LazyLock::new(|| running_sums(SIZES[1])),
    LazyLock::new(|| running_sums(SIZES[2])),
];

/// Running sum of logarithms with its rounding errors, as the reference tool has it.
fn running_sums(size: usize) -> Vec<f64> {
    let mut sum = 0.0;
    let terms = (1..size).map(|n| {
        sum += (n as f64).ln();
        sum
    });
    std::iter::once(0.0).chain(terms).collect()
}

/// Running sum of logarithms, compensated (Neumaier): exact to the last digits of a double.
fn table(size: usize) -> Vec<f64> {
    let (mut sum, mut lost) = (0.0_f64, 0.0_f64);
    let mut values = Vec::with_capacity(size);
    values.push(0.0);
    for n in 1..size {
        let term = (n as f64).ln();
        let next = sum + term;
        lost += (sum - next) + term;
        sum = next;
        values.push(sum + lost);
    }
    values
}

/// A view of ln n! that holds the table for counts up to a known bound, so that a look-up is one
/// load.
#[derive(Debug, Clone, Copy)]
pub struct LnFactorial {
    table: &'static [f64],
}

impl LnFactorial {
    /// Ready for arguments up to `largest`, and correct, only slower, beyond.
    pub fn up_to(largest: usize) -> Self {
        Self {
            table: &TABLES[tier(largest)],
        }
    }

    /// The same with the rounding errors of the reference tool, which decide between equal choices of some of
    /// its searches (docs/method.md §3.3).
    pub(crate) fn running_sums(largest: usize) -> Self {
        Self {
            table: &RUNNING_SUMS[tier(largest)],
        }
    }

    /// ln n!
    ///
    /// ```
    /// use fnb::math::ln_factorial::LnFactorial;
    /// let ln_factorial = LnFactorial::up_to(10);
    /// assert!((ln_factorial.of(5) - 120_f64.ln()).abs() < 1e-14);
    /// ```
    #[inline]
    pub fn of(self, n: usize) -> f64 {
        match self.table.get(n) {
            Some(&value) => value,
            None => libm::lgamma(n as f64 + 1.0),
        }
    }
}

/// The smallest table that holds an argument, or the largest there is.
fn tier(largest: usize) -> usize {
    let tier = SIZES.iter().position(|&size| largest < size);
    tier.unwrap_or(SIZES.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_lgamma_on_all_tables_and_beyond() {
        for n in [
            0, 1, 2, 10, 170, 16_383, 16_384, 1_000_000, 2_097_151, 2_097_152, 10_000_000,
        ] {
            let expected = libm::lgamma(n as f64 + 1.0);
            for largest in [10, 100_000, 5_000_000] {
                let found = LnFactorial::up_to(largest).of(n);
                assert!(
                    (found - expected).abs() <= 1e-14 * expected.max(1.0),
                    "{n}: {found}"
                );
            }
        }
        assert_eq!(
            LnFactorial::up_to(1_000_000).of(1_000_000),
            12_815_518.384_658_169
        );
    }
}
