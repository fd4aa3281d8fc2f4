//! The orders in which a search visits the candidates.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Gives a fresh order of `0..n` at each call.
pub(crate) trait Order {
    fn shuffle(&mut self, n: usize) -> Vec<usize>;
}

/// The generator of Khiops (docs/method.md §7.6): each order starts from `0..n`.
#[derive(Debug)]
pub(crate) struct ReferenceOrder {
    state: u64,
}

impl ReferenceOrder {
    const MASK: u64 = 123_459_876;
    const MODULUS: u64 = 2_147_483_647;

    pub(crate) fn new() -> Self {
        Self { state: 1 }
    }

    /// A number strictly between 0 and 1.
    fn draw(&mut self) -> f64 {
        let product = 16_807 * (self.state ^ Self::MASK) % Self::MODULUS;
        self.state = product ^ Self::MASK;
        product as f64 / Self::MODULUS as f64
    }
}

impl Order for ReferenceOrder {
    fn shuffle(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        for i in 1..n {
            let j = ((i + 1) as f64 * self.draw()).floor() as usize;
            order.swap(i, j);
        }
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
    fn reference_draws_and_orders() {
        let mut order = ReferenceOrder::new();
        for expected in [
            0.242_586_125_3,
            0.145_007_362_7,
            0.138_744_172_2,
            0.873_302_822_4,
        ] {
            assert!((order.draw() - expected).abs() < 1e-10);
        }
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
