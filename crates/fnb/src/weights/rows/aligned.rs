//! Numbers that start at the beginning of a cache line: a vector register is then one line, not the
//! halves of two.

use std::ops::{Deref, DerefMut};

const CACHE_LINE: usize = 64;

/// A vector of fixed length, aligned to cache lines.
#[derive(Debug, Default)]
pub(crate) struct Aligned {
    numbers: Vec<f64>,
    start: usize,
}

impl Aligned {
    /// `len` numbers, all equal.
    pub(crate) fn new(len: usize, value: f64) -> Self {
        let spare = CACHE_LINE / size_of::<f64>() - 1;
        let numbers = vec![value; len + spare];
        // Not being able to tell is allowed, and costs time only.
        let start = numbers.as_ptr().align_offset(CACHE_LINE).min(spare);
        let mut aligned = Self { numbers, start };
        aligned.numbers.truncate(start + len);
        aligned
    }
}

impl Deref for Aligned {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        &self.numbers[self.start..]
    }
}

impl DerefMut for Aligned {
    fn deref_mut(&mut self) -> &mut [f64] {
        &mut self.numbers[self.start..]
    }
}

impl Clone for Aligned {
    fn clone(&self) -> Self {
        let mut copy = Self::new(self.len(), 0.0);
        copy.copy_from_slice(self);
        copy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_start_a_cache_line() {
        for len in [0, 1, 8, 1000] {
            let mut numbers = Aligned::new(len, 0.5);
            assert_eq!(numbers.len(), len);
            if let Some(last) = numbers.last_mut() {
                *last = 2.0;
            }
            let copy = numbers.clone();
            assert_eq!(*copy, *numbers);
            assert_eq!(copy.as_ptr() as usize % CACHE_LINE, 0);
        }
    }
}
