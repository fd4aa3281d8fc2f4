//! The orders in which a search visits the candidates.

use crate::math::reference_random::ReferenceRandom;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Gives a fresh order of `0..n` at each call.
pub(crate) trait Order {
    fn shuffle(&mut self, n: usize) -> Vec<usize>;
}

/// The orders of Khiops (docs/method.md §7.6): each starts from `0..n`.
#[derive(Debug)]
pub(crate) struct ReferenceOrder(ReferenceRandom);

impl ReferenceOrder {
    pub(crate) fn new() -> Self {
        Self(ReferenceRandom::new(1))
    }
}

impl Order for ReferenceOrder {
    fn shuffle(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        self.0.shuffle(&mut order);
        order
    }
}

/// Uniform orders from a seed, the same everywhere and for ever.
#[derive(Debug)]
pub(crate) struct SeededOrder {
    generator: Xoshiro256PlusPlus,
}

impl SeededOrder {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            generator: Xoshiro256PlusPlus::seed_from_u64(seed),
        }
    }
}

impl Order for SeededOrder {
    fn shuffle(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            let scaled = u128::from(self.generator.next_u64()) * (i as u128 + 1);
            order.swap(i, (scaled >> 64) as usize);
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reference_orders() {
        let mut order = ReferenceOrder::new();
        assert_eq!(order.shuffle(10), [3, 6, 1, 8, 7, 2, 0, 9, 5, 4]);
        assert_eq!(order.shuffle(10), [2, 9, 4, 8, 0, 7, 6, 1, 5, 3]);
    }

    #[test]
    fn seeded_orders_are_permutations_and_differ() {
        let mut order = SeededOrder::new(7);
        let (first, second) = (order.shuffle(50), order.shuffle(50));
        assert_ne!(first, second);
        assert_eq!(SeededOrder::new(7).shuffle(50), first);
        assert_ne!(SeededOrder::new(8).shuffle(50), first);
        let mut sorted = second;
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..50));
    }
}
