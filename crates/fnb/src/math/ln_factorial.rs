//! ln n!, the unit of account of every cost (docs/method.md §0.1).

use std::sync::LazyLock;

/// Beyond this, `lgamma` is called: costs of such counts are rare enough not to be tabulated.
const TABLE_SIZE: usize = 1 << 21;
/// Tables of ordinary data sets are short; the long one is built only for large counts.
const SHORT_SIZE: usize = 1 << 14;

static SHORT: LazyLock<Vec<f64>> = LazyLock::new(|| table(SHORT_SIZE));
static LONG: LazyLock<Vec<f64>> = LazyLock::new(|| table(TABLE_SIZE));

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
            table: if largest < SHORT_SIZE { &SHORT } else { &LONG },
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_lgamma_on_both_tables_and_beyond() {
        for n in [
            0,
            1,
            2,
            10,
            170,
            16_383,
            16_384,
            1_000_000,
            TABLE_SIZE - 1,
            TABLE_SIZE,
            10_000_000,
        ] {
            let expected = libm::lgamma(n as f64 + 1.0);
            for largest in [10, TABLE_SIZE] {
                let found = LnFactorial::up_to(largest).of(n);
                assert!(
                    (found - expected).abs() <= 1e-14 * expected.max(1.0),
                    "{n}: {found}"
                );
            }
        }
        assert_eq!(
            LnFactorial::up_to(TABLE_SIZE).of(1_000_000),
            12_815_518.384_658_169
        );
    }
}
