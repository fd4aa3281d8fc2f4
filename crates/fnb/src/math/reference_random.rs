//! The generator of random numbers of Khiops (docs/method.md §7.6).

/// Numbers that are the same as those of Khiops for the same seed.
#[derive(Debug)]
pub(crate) struct ReferenceRandom {
    state: u64,
}

impl ReferenceRandom {
    const MASK: u64 = 123_459_876;
    const MODULUS: u64 = 2_147_483_647;

    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// A number strictly between 0 and 1.
    pub(crate) fn draw(&mut self) -> f64 {
        let product = 16_807 * (self.state ^ Self::MASK) % Self::MODULUS;
        self.state = product ^ Self::MASK;
        product as f64 / Self::MODULUS as f64
    }

    /// A whole number from 0 to `most`.
    pub(crate) fn up_to(&mut self, most: usize) -> usize {
        ((most + 1) as f64 * self.draw()).floor() as usize
    }

    /// Another order.
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in 1..items.len() {
            let j = self.up_to(i);
            items.swap(i, j);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_draws() {
        let mut random = ReferenceRandom::new(1);
        for expected in [
            0.242_586_125_3,
            0.145_007_362_7,
            0.138_744_172_2,
            0.873_302_822_4,
        ] {
            assert!((random.draw() - expected).abs() < 1e-10);
        }
    }
}
