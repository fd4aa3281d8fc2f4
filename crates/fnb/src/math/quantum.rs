//! Sums that are exact: terms are rounded to multiples of a quantum first, and multiples are added as
//! integers. Neither order nor grouping of the terms can show.

/// What terms of a known size are rounded to multiples of. One addition leaves the multiple in the low
/// bits of a double, so that many terms are rounded at a time (Demmel and Nguyen's pre-rounding).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Quantum {
    rounder: f64,
    size: f64,
}

impl Quantum {
    /// The finest one for terms of at most a given size: a 2⁵⁰th of it, or up to twice that.
    pub(crate) const fn of_terms_up_to(most: f64) -> Self {
        let exponent = most.max(1e-200).to_bits() >> 52;
        // Of doubles like 1.5·2^(e + 2), neighbours are 2^(e − 50) apart, and so are those that
        // adding or subtracting a term leads to.
        Self {
            rounder: f64::from_bits(((exponent + 2) << 52) | (1 << 51)),
            size: f64::from_bits((exponent - 50) << 52),
        }
    }

    /// What a term must be added to; see [`multiple`](Self::multiple).
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "it becomes part of each kernel")]
    pub(crate) fn rounder(self) -> f64 {
        self.rounder
    }

    /// The multiple of the quantum, given the sum of a term and the [`rounder`](Self::rounder).
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "it becomes part of each kernel")]
    pub(crate) fn multiple(self, rounded: f64) -> i64 {
        let multiple = rounded.to_bits().wrapping_sub(self.rounder.to_bits());
        multiple.cast_signed()
    }

    /// The sum of the multiples of some terms, given the wrapping sum of the bits of each term plus the
    /// [`rounder`](Self::rounder).
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "it becomes part of each kernel")]
    pub(crate) fn sum_of_multiples(self, sum_of_bits: u64, terms: usize) -> i64 {
        let excess = self.rounder.to_bits().wrapping_mul(terms as u64);
        sum_of_bits.wrapping_sub(excess).cast_signed()
    }

    /// What a number of multiples amounts to.
    pub(crate) fn times(self, multiples: i128) -> f64 {
        multiples as f64 * self.size
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn multiples_are_the_nearest(most in -40.0_f64..40.0, share in -1.0_f64..=1.0) {
            let most = most.exp();
            let quantum = Quantum::of_terms_up_to(most);
            for term in [most, -most, share * most] {
                let multiple = quantum.multiple(term + quantum.rounder());
                let error = (quantum.times(multiple.into()) - term).abs();
                prop_assert!(error <= most * 0.5_f64.powi(51), "{error} of {most}");
            }
        }

        #[test]
        fn bits_add_up(terms in prop::collection::vec(-7.0_f64..7.0, 0..300)) {
            let quantum = Quantum::of_terms_up_to(7.0);
            let rounded = terms.iter().map(|term| term + quantum.rounder());
            let one_by_one: i64 = rounded.clone().map(|term| quantum.multiple(term)).sum();
            let bits = rounded.fold(0_u64, |sum, term| sum.wrapping_add(term.to_bits()));
            prop_assert_eq!(quantum.sum_of_multiples(bits, terms.len()), one_by_one);
        }
    }
}
