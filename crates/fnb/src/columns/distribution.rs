//! How the values of a column lie, in a few numbers: enough for a small picture, no value of a single row.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Bins between the 1 % and the 99 % point.
const BINS: usize = 24;

/// The most frequent categories that are kept, each with so many characters.
const TOP: usize = 10;
const TOP_CHARACTERS: usize = 80;

/// How the values of a column lie, missing ones left out (docs/method.md §1.7). The p % point is the least value
/// that at least p % of the rows do not exceed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Distribution {
    /// Of numbers.
    Numbers {
        /// Are all of them whole?
        whole: bool,
        /// The 1 %, 50 % and 99 % points.
        points: [f64; 3],
        /// Width of a bin; the first starts at the 1 % point. That of whole numbers is whole.
        width: f64,
        /// Rows in each bin, up to the 99 % point. What is equal to the end of a bin is in the next one, but for
        /// the last.
        bins: Vec<u64>,
    },
    /// Of dates, times of day or timestamps.
    Moments {
        /// The 1 %, 50 % and 99 % points, as people write them.
        points: [String; 3],
        /// Rows in each of some bins of equal width between the first point and the last.
        bins: Vec<u64>,
    },
    /// Of categories.
    Categories {
        /// The most frequent ones with their rows, those of a single row left out. Long ones are cut off
        /// with `…`.
        top: Vec<(String, u64)>,
    },
}

/// Distinct values in increasing order, with the rows up to each.
pub(crate) struct Ordered<V, R> {
    /// How many there are.
    pub(crate) len: usize,
    /// The value at a position.
    pub(crate) value: V,
    /// Rows up to a position, itself included.
    pub(crate) rows_up_to: R,
}

impl<T: Copy + PartialOrd, V: Fn(usize) -> T, R: Fn(usize) -> u64> Ordered<V, R> {
    /// The 1 %, 50 % and 99 % points; there is at least one value.
    fn points(&self) -> [T; 3] {
        let rows = u128::from((self.rows_up_to)(self.len - 1));
        [1, 50, 99].map(|per_cent| {
            let reaches = |i| 100 * u128::from((self.rows_up_to)(i)) >= per_cent * rows;
            (self.value)(self.first(reaches).min(self.len - 1))
        })
    }

    /// The first position for which something holds that holds for all that follow.
    fn first(&self, holds: impl Fn(usize) -> bool) -> usize {
        let (mut low, mut high) = (0, self.len);
        while low < high {
            let middle = low + (high - low) / 2;
            if holds(middle) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    }

    fn rows_before(&self, position: usize) -> u64 {
        match position {
            0 => 0,
            i => (self.rows_up_to)(i - 1),
        }
    }

    /// Rows from `low` to `high` between edges, of which the first is not named and the last is `high`.
    fn bins(&self, low: T, high: T, edges: impl Iterator<Item = T>) -> Vec<u64> {
        let mut before = self.rows_before(self.first(|i| (self.value)(i) >= low));
        let up_to = self.rows_before(self.first(|i| (self.value)(i) > high));
        let ends = edges.map(|edge| self.rows_before(self.first(|i| (self.value)(i) >= edge)));
        let mut bins = Vec::with_capacity(BINS);
        for end in ends.chain([up_to]) {
            bins.push(end - before);
            before = end;
        }
        bins
    }
}

impl Distribution {
    /// Of numbers; `None` if there are none, or if they are too large for a bin to have a width.
    pub(crate) fn of_numbers(
        numbers: &Ordered<impl Fn(usize) -> f64, impl Fn(usize) -> u64>,
    ) -> Option<Self> {
        if numbers.len == 0 {
            return None;
        }
        let points @ [low, _, high] = numbers.points();
        let range = high - low;
        if !range.is_finite() || !low.is_finite() {
            return None;
        }
        let whole = (0..numbers.len).all(|i| (numbers.value)(i).fract() == 0.0);
        let (width, count) = if whole {
            // A bin of one number and a half would hold one, then two.
            let width = ((range + 1.0) / BINS as f64).ceil().max(1.0);
            (
                width,
                (((range + 1.0) / width).ceil() as usize).clamp(1, BINS),
            )
        } else if range > 0.0 {
            (range / BINS as f64, BINS)
        } else {
            (0.0, 1)
        };
        let edges = (1..count).map(|k| low + k as f64 * width);
        Some(Self::Numbers {
            whole,
            points,
            width,
            bins: numbers.bins(low, high, edges),
        })
    }

    /// Of moments, as numbers that sort as they do.
    pub(crate) fn of_moments(
        moments: &Ordered<impl Fn(usize) -> i64, impl Fn(usize) -> u64>,
        shown: impl Fn(i64) -> String,
    ) -> Option<Self> {
        if moments.len == 0 {
            return None;
        }
        let points @ [low, _, high] = moments.points();
        let range = i128::from(high) - i128::from(low) + 1;
        let count = range.min(BINS as i128);
        let edges = (1..count).map(|k| (i128::from(low) + k * range / count) as i64);
        Some(Self::Moments {
            points: points.map(shown),
            bins: moments.bins(low, high, edges),
        })
    }

    /// Of categories with their rows, the frequent ones first.
    pub(crate) fn of_categories<'a>(categories: impl Iterator<Item = (&'a str, u64)>) -> Self {
        let repeated = categories.filter(|(_, rows)| *rows > 1).take(TOP);
        let cut = |value: &str| match value.char_indices().nth(TOP_CHARACTERS) {
            Some((end, _)) => format!("{}…", &value[..end]),
            None => value.to_owned(),
        };
        Self::Categories {
            top: repeated.map(|(value, rows)| (cut(value), rows)).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[f64]) -> Option<Distribution> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let mut distinct = sorted.clone();
        distinct.dedup();
        let up_to = |i: usize| sorted.iter().filter(|v| **v <= distinct[i]).count() as u64;
        Distribution::of_numbers(&Ordered {
            len: distinct.len(),
            value: |i| distinct[i],
            rows_up_to: up_to,
        })
    }

    #[test]
    fn whole_numbers_have_whole_bins() {
        let found = of(&[3.0, 1.0, 2.0, 2.0, 5.0]);
        let expected = Distribution::Numbers {
            whole: true,
            points: [1.0, 2.0, 5.0],
            width: 1.0,
            bins: vec![1, 2, 1, 0, 1],
        };
        assert_eq!(found, Some(expected));
        let hundred: Vec<f64> = (0..100).map(f64::from).collect();
        let Some(Distribution::Numbers {
            points,
            width,
            bins,
            ..
        }) = of(&hundred)
        else {
            panic!("numbers");
        };
        // 0 to 98: five numbers in each bin, the last one short of one.
        assert_eq!((points, width, bins.len()), ([0.0, 49.0, 98.0], 5.0, 20));
        assert!(bins[..19].iter().all(|&rows| rows == 5) && bins[19] == 4);
    }

    #[test]
    fn bins_hold_the_rows_between_the_outer_points() {
        let values: Vec<f64> = (0..1000).map(|i| f64::from(i * i) / 7.0).collect();
        let Some(Distribution::Numbers {
            whole,
            points,
            width,
            bins,
        }) = of(&values)
        else {
            panic!("numbers");
        };
        assert!(!whole && bins.len() == 24);
        assert_eq!(points, [9_i32, 499, 989].map(|i| f64::from(i * i) / 7.0));
        for (k, &rows) in bins.iter().enumerate() {
            let (low, high) = (
                points[0] + k as f64 * width,
                points[0] + (k + 1) as f64 * width,
            );
            let is_in = |v: &&f64| **v >= low && (**v < high || k == 23 && **v <= points[2]);
            assert_eq!(rows, values.iter().filter(is_in).count() as u64);
        }
        assert_eq!(bins.iter().sum::<u64>(), 981);
    }

    #[test]
    fn what_has_no_width() {
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[f64::MAX, -f64::MAX]), None);
        assert_eq!(of(&[f64::INFINITY]), None);
        let expected = Distribution::Numbers {
            whole: false,
            points: [0.5; 3],
            width: 0.0,
            bins: vec![2],
        };
        assert_eq!(of(&[0.5, 0.5]), Some(expected));
    }

    #[test]
    fn categories_of_one_row_are_not_kept() {
        let long = "é".repeat(100);
        let values = [("a", 7), (long.as_str(), 2), ("b", 1)];
        let Distribution::Categories { top } = Distribution::of_categories(values.into_iter())
        else {
            panic!("categories");
        };
        assert_eq!(top, [("a".to_owned(), 7), ("é".repeat(80) + "…", 2)]);
    }
}
