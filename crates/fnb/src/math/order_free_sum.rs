//! A sum that does not depend on the order of its terms.

/// Terms are taken as multiples of 2⁻⁴⁴, about 6e-14, and added as integers: the rows of a table in
/// any order, cut into any blocks, give the same bits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OrderFreeSum {
    multiples: i128,
}

const SCALE: f64 = (1_u64 << 44) as f64;

impl OrderFreeSum {
    /// Adds a term of size below 2¹⁹.
    ///
    /// ```
    /// use fnb::math::order_free_sum::OrderFreeSum;
    /// let sum = |terms: [f64; 3]| {
    ///     let mut sum = OrderFreeSum::default();
    ///     terms.into_iter().for_each(|term| sum.add(term));
    ///     sum.total()
    /// };
    /// assert_ne!(0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1);
    /// assert_eq!(sum([0.1, 0.2, 0.3]), sum([0.3, 0.2, 0.1]));
    /// ```
    #[inline]
    pub fn add(&mut self, term: f64) {
        debug_assert!(term.abs() < f64::from(1 << 19), "{term} is too large");
        self.multiples += i128::from((term * SCALE) as i64);
    }

    /// Adds a term of size below 2¹⁹ a number of times.
    #[inline]
    pub fn add_times(&mut self, term: f64, times: u64) {
        debug_assert!(term.abs() < f64::from(1 << 19), "{term} is too large");
        self.multiples += i128::from((term * SCALE) as i64) * i128::from(times);
    }

    /// Adds the terms of another sum.
    pub fn merge(&mut self, other: Self) {
        self.multiples += other.multiples;
    }

    /// The sum as multiples of 2⁻⁴⁴.
    pub(crate) fn multiples(self) -> i128 {
        self.multiples
    }

    /// The sum that is so many multiples of 2⁻⁴⁴.
    pub(crate) fn of_multiples(multiples: i128) -> Self {
        Self { multiples }
    }

    /// The sum.
    pub fn total(self) -> f64 {
        self.multiples as f64 / SCALE
    }
}

impl std::iter::Sum for OrderFreeSum {
    fn sum<I: Iterator<Item = Self>>(sums: I) -> Self {
        sums.fold(Self::default(), |mut total, sum| {
            total.merge(sum);
            total
        })
    }
}
