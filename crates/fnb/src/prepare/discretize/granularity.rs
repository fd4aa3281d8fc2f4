//! Quantiles of a sorted column at each granularity (docs/method.md §2.2).

/// Exclusive ends, in distinct values, of the elementary parts at granularity `g`. `cumulated[v]`
/// is the number of rows up to value `v`. Equal values are never separated, empty quantiles vanish.
pub(crate) fn quantile_ends(cumulated: &[u32], g: u32) -> Vec<u32> {
    let rows = *cumulated.last().expect("a column has rows") as usize;
    let quantiles = 1_usize << g;
    if quantiles >= rows {
        return (1..=cumulated.len() as u32).collect();
    }
    let targets = Targets {
        // Quantiles are a power of two: multiplying by their inverse is exact.
        rows_per_quantile: rows as f64 / quantiles as f64,
        quantiles,
    };
    if cumulated.len() < quantiles / 4 {
        return ends_by_value(cumulated, &targets);
    }
    let mut ends: Vec<u32> = Vec::with_capacity(quantiles.min(cumulated.len()));
    let mut reached = 0;
    for q in 0..quantiles {
        let target = targets.of(q);
        reached = first_at_least(cumulated, reached, rank(target));
        let upper = nearest(cumulated, reached, target);
        if ends.last().is_none_or(|&end| upper as u32 + 1 > end) {
            ends.push(upper as u32 + 1);
        }
    }
    ends
}

/// The same for few values: each is an end if it is the nearest to one of the two quantiles around it.
fn ends_by_value(cumulated: &[u32], targets: &Targets) -> Vec<u32> {
    let is_nearest = |value: usize, q: usize| {
        let target = targets.of(q);
        let rank = rank(target);
        let before = value.checked_sub(1).map_or(0, |before| cumulated[before]);
        // The first value that reaches the quantile is this one, or the next.
        let reached = match cumulated.get(value + 1) {
            _ if before < rank && rank <= cumulated[value] => value,
            Some(&next) if cumulated[value] < rank && rank <= next => value + 1,
            _ => return false,
        };
        nearest(cumulated, reached, target) == value
    };
    let is_end = |&value: &usize| {
        // Quantiles are numbered from 0: `above` is the first whose target is beyond the value.
        let above = (f64::from(cumulated[value]) / targets.rows_per_quantile) as usize;
        let around = above.saturating_sub(2)..(above + 2).min(targets.quantiles);
        around.into_iter().any(|q| is_nearest(value, q))
    };
    let values = 0..cumulated.len();
    values
        .filter(is_end)
        .map(|value| value as u32 + 1)
        .collect()
}

/// The number of rows that each quantile should reach.
struct Targets {
    rows_per_quantile: f64,
    quantiles: usize,
}

impl Targets {
    #[inline]
    fn of(&self, q: usize) -> f64 {
        let shift = if q < self.quantiles / 2 {
            -1e-10
        } else {
            1e-10
        };
        self.rows_per_quantile * (q + 1) as f64 + shift
    }
}

/// The number of rows nearest to a target, which is positive so that the cast rounds down.
#[inline]
fn rank(target: f64) -> u32 {
    (target + 0.5) as u32
}

/// The value before `reached` if its cumulated frequency is at least as near to the target.
fn nearest(cumulated: &[u32], reached: usize, target: f64) -> usize {
    match reached.checked_sub(1) {
        Some(before)
            if (target - f64::from(cumulated[before])).abs()
                <= (f64::from(cumulated[reached]) - target).abs() =>
        {
            before
        }
        _ => reached,
    }
}

/// First index from `start` on whose cumulated frequency is at least `rank`: a few steps, then
/// doubling ones and a bisection, so that coarse granularities do not read every value.
#[inline]
fn first_at_least(cumulated: &[u32], start: usize, rank: u32) -> usize {
    let last = cumulated.len() - 1;
    for (i, &c) in cumulated[start..].iter().take(4).enumerate() {
        if c >= rank {
            return start + i;
        }
    }
    let (mut low, mut step) = ((start + 3).min(last), 1);
    while low < last && cumulated[(low + step).min(last)] < rank {
        low = (low + step).min(last);
        step *= 2;
    }
    let high = (low + step).min(last) + 1;
    (low + cumulated[low..high].partition_point(|&c| c < rank)).min(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ends(frequencies: &[u32], g: u32) -> Vec<u32> {
        let cumulated: Vec<u32> = frequencies
            .iter()
            .scan(0, |sum, f| {
                *sum += f;
                Some(*sum)
            })
            .collect();
        quantile_ends(&cumulated, g)
            .into_iter()
            .map(|end| end - 1)
            .collect()
    }

    #[test]
    fn published_examples() {
        assert_eq!(ends(&[1; 10], 2), [1, 4, 7, 9]);
        assert_eq!(ends(&[3, 3, 3, 1], 2), [0, 1, 2, 3]);
        assert_eq!(ends(&[9, 1], 2), [0, 1]);
        assert_eq!(ends(&[1, 9], 2), [0, 1]);
        assert_eq!(ends(&[1, 9], 5), [0, 1]);
    }

    /// Every quantile, one after the other.
    fn plain_ends(cumulated: &[u32], g: u32) -> Vec<u32> {
        let quantiles = 1_usize << g;
        let rows = cumulated[cumulated.len() - 1];
        let targets = Targets {
            rows_per_quantile: f64::from(rows) / quantiles as f64,
            quantiles,
        };
        let end = |q| {
            let rank = rank(targets.of(q));
            let reached = cumulated.partition_point(|&c| c < rank);
            let reached = reached.min(cumulated.len() - 1);
            nearest(cumulated, reached, targets.of(q)) as u32 + 1
        };
        let mut ends: Vec<u32> = (0..quantiles).map(end).collect();
        ends.dedup();
        ends
    }

    proptest! {
        #[test]
        fn few_values_and_many_quantiles(
            frequencies in proptest::collection::vec((1..6_u32, 0..3_u32), 1..40),
        ) {
            let mut cumulated: Vec<u32> = Vec::new();
            let mut rows = 0;
            for (frequency, power) in frequencies {
                rows += frequency * 17_u32.pow(power);
                cumulated.push(rows);
            }
            for g in 1..32 - rows.leading_zeros() {
                if 1 << g < rows {
                    prop_assert_eq!(quantile_ends(&cumulated, g), plain_ends(&cumulated, g));
                }
            }
        }
    }

    #[test]
    fn search_agrees_with_a_plain_scan() {
        let cumulated: Vec<u32> = (1..200).map(|i| i * i).collect();
        for start in [0, 3, 150, 198] {
            for rank in cumulated[start]..=199 * 199 {
                let plain = cumulated
                    .iter()
                    .position(|&c| c >= rank)
                    .unwrap_or(198)
                    .max(start);
                assert_eq!(first_at_least(&cumulated, start, rank), plain);
            }
        }
    }
}
