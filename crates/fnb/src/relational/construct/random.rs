//! Numbers that decide between equals: the same ones in every run (docs/method.md §10.4).

/// Modulus and multiplier of the stream.
const MODULUS: u64 = (1 << 31) - 1;
const MULTIPLIER: u64 = 16807;
/// Xor of every seed, so that small seeds do not give small numbers.
const MASK: u64 = 123_459_876;

/// A multiplicative congruential generator.
#[derive(Debug, Clone)]
pub(super) struct Stream {
    state: u64,
}

impl Stream {
    /// The stream of seed 1.
    pub(super) fn new() -> Self {
        Self { state: 1 ^ MASK }
    }

    /// The next number in (0, 1).
    pub(super) fn uniform(&mut self) -> f64 {
        self.state = MULTIPLIER * self.state % MODULUS;
        self.state as f64 / MODULUS as f64
    }

    /// An integer from 0 to `max`.
    fn integer(&mut self, max: usize) -> usize {
        let integer = ((max + 1) as f64 * self.uniform()).floor() as usize;
        integer.min(max)
    }

    /// Puts items in a random order.
    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in 1..items.len() {
            let j = self.integer(i);
            items.swap(i, j);
        }
    }

    /// What a shuffle of so many equal items does: nothing but take its numbers. The state after `n`
    /// numbers is a power of the multiplier times the state.
    pub(super) fn skip_shuffle(&mut self, items: usize) {
        let (mut power, mut left) = (MULTIPLIER, items.saturating_sub(1));
        while left > 0 {
            if left % 2 == 1 {
                self.state = self.state * power % MODULUS;
            }
            power = power * power % MODULUS;
            left /= 2;
        }
    }
}

/// The number in [0, 1] of a rank, without a state.
pub(in crate::relational) fn ranked(rank: u64) -> f64 {
    let mut v = 3_935_559_000_370_003_845_u64
        .wrapping_mul(rank)
        .wrapping_add(2_691_343_689_449_507_681);
    v ^= v >> 21;
    v ^= v << 37;
    v ^= v >> 4;
    v = v.wrapping_mul(4_768_777_513_237_032_717);
    v ^= v << 20;
    v ^= v >> 41;
    v ^= v << 5;
    v as f64 * 5.421_010_862_427_522e-20
}

/// Moves probabilities by a tiny part of themselves, so that no two are equal: each split has its
/// own sequence.
#[derive(Debug, Default)]
pub(super) struct Jitter {
    count: u64,
}

impl Jitter {
    pub(super) fn of(&mut self, value: f64) -> f64 {
        self.count += 1;
        value + value * 1e-10 * (ranked(self.count) - 0.5)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::relational::construct::unit_vectors::{array, number, unit_vectors};

    #[test]
    fn published_numbers() {
        let vectors = unit_vectors();
        let mut stream = Stream::new();
        for expected in array(&vectors["uniform_seed1_first10"]) {
            assert!((stream.uniform() - number(expected)).abs() < 1e-15);
        }
        let mut stream = Stream::new();
        for pair in array(&vectors["int_seed1"]) {
            let (max, expected) = (number(&pair[0]), number(&pair[1]));
            assert_eq!(stream.integer(max as usize) as f64, expected);
        }
        let mut items: Vec<f64> = (0..10).map(f64::from).collect();
        Stream::new().shuffle(&mut items);
        let expected: Vec<f64> = array(&vectors["shuffle_seed1_0to9"]).map(number).collect();
        assert_eq!(items, expected);
        for (rank, expected) in vectors["ranked_uniform"].as_object().expect("a map") {
            let rank = rank.parse().expect("a rank");
            assert!((ranked(rank) - number(expected)).abs() < 1e-15);
        }
    }

    #[test]
    fn skipping_is_shuffling_equals() {
        for n in [0, 1, 2, 3, 10, 1000] {
            let (mut shuffled, mut skipped) = (Stream::new(), Stream::new());
            shuffled.shuffle(&mut vec![0; n]);
            skipped.skip_shuffle(n);
            assert_eq!(shuffled.state, skipped.state);
        }
    }
}
