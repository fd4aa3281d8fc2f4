//! Rows of a table that are in several places: what is counted of them is summed over all.
//!
//! Learning sees rows through sums alone, and these are exact (docs/method.md §14.2). So the same program may
//! run in every place on the rows that are there, each sum being taken over all places, and every place does
//! what it would do if all rows were in one: all decide alike, and the number of places cannot show.

use crate::math::order_free_sum::OrderFreeSum;
use std::fmt::Debug;
use std::sync::Arc;

/// The places that the rows of a table are in, as one of them sees them. All call the same methods in the
/// same order.
pub trait Places: Debug + Send + Sync {
    /// The sum over all places of the numbers that each counts. `own` counts those of this place; it is not
    /// called if the sum is known already: a place that has lost what it knew catches up that way.
    fn sum(&self, own: &mut dyn FnMut() -> Vec<i128>) -> Vec<i128>;

    /// What every place has to say, told to the one that builds the model; the others are told nothing, and
    /// must not decide anything by it.
    fn gather(&self, own: &mut dyn FnMut() -> Vec<u8>) -> Vec<Vec<u8>>;
}

/// What is known of all rows where only some of them, or none, are here.
#[derive(Debug, Clone)]
pub struct WholeTable {
    /// Where the rows are.
    pub places: Arc<dyn Places>,
    /// Number of rows to learn from.
    pub rows: usize,
    /// The sum of the weights of the rows of each outcome.
    pub sums: Vec<f64>,
    /// The largest weight of a row, if they are not all 1.
    pub largest_weight: Option<f64>,
}

/// Sums over all rows, wherever they are.
#[derive(Debug, Clone, Default)]
pub(crate) struct AllRows(Option<Arc<dyn Places>>);

impl AllRows {
    pub(super) fn of(whole: Option<&WholeTable>) -> Self {
        Self(whole.map(|whole| Arc::clone(&whole.places)))
    }

    /// Are all rows here?
    pub(crate) fn are_here(&self) -> bool {
        self.0.is_none()
    }

    /// The sums over all rows of what `own` counts of those that are here; it may not be called.
    pub(crate) fn sum<T: Term>(&self, own: impl FnOnce() -> Vec<T>) -> Vec<T> {
        let Some(places) = &self.0 else {
            return own();
        };
        let mut own = Some(own);
        let sums = places.sum(&mut || {
            let own = own.take().expect("rows are counted once");
            let mut words = Vec::new();
            for term in own() {
                term.write(&mut words);
            }
            words
        });
        sums.chunks_exact(T::WORDS).map(T::read).collect()
    }

    /// What the rows of other places have to say, besides those that are here.
    pub(crate) fn gather(&self, own: impl FnOnce() -> Vec<u8>) -> Vec<Vec<u8>> {
        let Some(places) = &self.0 else {
            return Vec::new();
        };
        let mut own = Some(own);
        places.gather(&mut || own.take().expect("rows are told once")())
    }
}

/// Something that is added up, as integers.
pub(crate) trait Term {
    /// So many of them.
    const WORDS: usize;

    fn write(self, words: &mut Vec<i128>);

    fn read(words: &[i128]) -> Self;
}

impl Term for i128 {
    const WORDS: usize = 1;

    fn write(self, words: &mut Vec<i128>) {
        words.push(self);
    }

    fn read(words: &[i128]) -> Self {
        words[0]
    }
}

impl Term for i64 {
    const WORDS: usize = 1;

    fn write(self, words: &mut Vec<i128>) {
        words.push(self.into());
    }

    fn read(words: &[i128]) -> Self {
        words[0] as Self
    }
}

impl Term for u64 {
    const WORDS: usize = 1;

    fn write(self, words: &mut Vec<i128>) {
        words.push(self.into());
    }

    fn read(words: &[i128]) -> Self {
        words[0] as Self
    }
}

impl Term for OrderFreeSum {
    const WORDS: usize = 1;

    fn write(self, words: &mut Vec<i128>) {
        words.push(self.multiples());
    }

    fn read(words: &[i128]) -> Self {
        Self::of_multiples(words[0])
    }
}

impl<T: Term + Copy + Default, const N: usize> Term for [T; N] {
    const WORDS: usize = N * T::WORDS;

    fn write(self, words: &mut Vec<i128>) {
        for term in self {
            term.write(words);
        }
    }

    fn read(words: &[i128]) -> Self {
        let mut terms = [T::default(); N];
        for (term, words) in terms.iter_mut().zip(words.chunks_exact(T::WORDS)) {
            *term = T::read(words);
        }
        terms
    }
}
