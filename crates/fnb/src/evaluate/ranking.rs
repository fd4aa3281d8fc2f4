//! The rows by the probability of a class: one sort for all that is read from their order.

use super::rows::{Rows, Units};
use crate::math::decimal::round_to_10_digits;

/// The rows of equal probability of a class, the lowest probability first.
pub(super) struct Ranking {
    pub(super) ties: Vec<Tie>,
    /// Units of the rows of the class.
    pub(super) positives: u64,
    /// Units of the others.
    pub(super) negatives: u64,
}

/// Rows of equal probability.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Tie {
    /// To 10 digits, so that rows that score the same but for rounding errors tie.
    pub(super) probability: f64,
    pub(super) positives: u64,
    pub(super) negatives: u64,
    /// Two classes may tie at one half: is the class the predicted one nevertheless?
    pub(super) wins_half: bool,
}

const OF_CLASS: u64 = 1;
const WINS_HALF: u64 = 2;
const FLAG_BITS: u32 = 2;

impl Ranking {
    /// All rows, some of which are here.
    pub(super) fn of_table<U: Units>(rows: &Rows<U>, class: usize) -> Self {
        if rows.all.are_here() {
            return Self::of(rows, class);
        }
        let told = rows.all.gather(|| {
            let ties = Self::of(rows, class).ties;
            ties.iter().flat_map(Tie::as_bytes).collect()
        });
        let ties = told.iter().flat_map(|bytes| bytes.as_chunks().0);
        let mut ties: Vec<Tie> = ties.map(Tie::from_bytes).collect();
        ties.sort_by_key(Tie::key);
        ties.dedup_by(|next, kept| {
            let is_same = next.key() == kept.key();
            if is_same {
                kept.positives += next.positives;
                kept.negatives += next.negatives;
            }
            is_same
        });
        Self {
            positives: ties.iter().map(|tie| tie.positives).sum(),
            negatives: ties.iter().map(|tie| tie.negatives).sum(),
            ties,
        }
    }

    pub(super) fn of<U: Units>(rows: &Rows<U>, class: usize) -> Self {
        let keys = rows
            .probabilities
            .chunks_exact(rows.classes)
            .zip(rows.actual);
        let keys = keys.map(|(row, &actual)| sort_key(row, class, actual as usize == class));
        if U::ONE == 1 {
            let mut keys: Vec<u64> = keys.collect();
            keys.sort_unstable();
            return Self::of_sorted(&keys, |&key| key, |_| 1);
        }
        let keys = keys.enumerate().map(|(row, key)| (key, rows.units.of(row)));
        let mut keys: Vec<(u64, u64)> = keys.filter(|(_, units)| *units > 0).collect();
        keys.sort_unstable_by_key(|(key, _)| *key);
        Self::of_sorted(&keys, |(key, _)| *key, |(_, units)| *units)
    }

    fn of_sorted<T>(rows: &[T], key: impl Fn(&T) -> u64, units: impl Fn(&T) -> u64) -> Self {
        let mut ranking = Self {
            ties: Vec::new(),
            positives: 0,
            negatives: 0,
        };
        for tie in rows.chunk_by(|a, b| key(a) >> 1 == key(b) >> 1) {
            let (others, of_class) =
                tie.split_at(tie.partition_point(|row| key(row) & OF_CLASS == 0));
            let sum = |rows: &[T]| rows.iter().map(&units).sum::<u64>();
            let (negatives, positives) = (sum(others), sum(of_class));
            ranking.positives += positives;
            ranking.negatives += negatives;
            ranking.ties.push(Tie {
                probability: f64::from_bits(key(&tie[0]) >> FLAG_BITS),
                positives,
                negatives,
                wins_half: key(&tie[0]) & WINS_HALF > 0,
            });
        }
        ranking
    }

    /// The share of pairs (row of the class, other row) in the right order, ties counting for a half;
    /// `None` without any pair. A sum of integers, so exact.
    pub(super) fn area(&self) -> Option<f64> {
        let (mut pairs, mut below) = (0_u128, 0_u64);
        for tie in self.ties.chunk_by(|a, b| a.probability == b.probability) {
            let negatives: u64 = tie.iter().map(|tie| tie.negatives).sum();
            let positives: u64 = tie.iter().map(|tie| tie.positives).sum();
            pairs += u128::from(positives) * (2 * u128::from(below) + u128::from(negatives));
            below += negatives;
        }
        let total = 2 * u128::from(self.positives) * u128::from(self.negatives);
        (total > 0).then(|| pairs as f64 / total as f64)
    }
}

/// A tie as it is told to another place.
const TIE_BYTES: usize = 24;

impl Tie {
    /// What rows must share to tie, in the order of ranks.
    fn key(&self) -> u64 {
        (self.probability.to_bits() << FLAG_BITS) | if self.wins_half { WINS_HALF } else { 0 }
    }

    fn as_bytes(&self) -> [u8; TIE_BYTES] {
        let mut bytes = [0; TIE_BYTES];
        let numbers = [self.key(), self.positives, self.negatives];
        for (bytes, number) in bytes.chunks_exact_mut(8).zip(numbers) {
            bytes.copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    fn from_bytes(bytes: &[u8; TIE_BYTES]) -> Self {
        let number = |i: usize| u64::from_le_bytes(bytes.as_chunks().0[i]);
        Self {
            probability: f64::from_bits(number(0) >> FLAG_BITS),
            positives: number(1),
            negatives: number(2),
            wins_half: number(0) & WINS_HALF > 0,
        }
    }
}

/// The probability, then the flags. The two high bits of a number from 0 to 1 are 0, so nothing is
/// lost, and such numbers sort like their bits.
#[inline]
fn sort_key(row: &[f64], class: usize, of_class: bool) -> u64 {
    let probability = round_to_10_digits(row[class]);
    let wins_half = match row {
        [first, second] if probability == 0.5 => (second > first) == (class == 1),
        _ => false,
    };
    (probability.to_bits() << FLAG_BITS) | (u64::from(wins_half) << 1) | u64::from(of_class)
}
