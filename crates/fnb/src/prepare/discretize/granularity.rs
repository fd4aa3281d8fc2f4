//! Quantiles of a sorted column at each granularity (docs/method.md §2.2).

/// Exclusive ends, in distinct values, of the elementary parts at granularity `g`. `cumulated[v]`
/// is the number of rows up to value `v`. Equal values are never separated, empty quantiles vanish.
pub(crate) fn quantile_ends(cumulated: &[u32], g: u32) -> Vec<u32> {
    let rows = *cumulated.last().expect("a column has rows") as usize;
    let quantiles = 1_usize << g;
    if quantiles >= rows {
        return (1..=cumulated.len() as u32).collect();
    }
    let mut ends: Vec<u32> = Vec::with_capacity(quantiles.min(cumulated.len()));
    // Quantiles are a power of two: multiplying by their inverse is exact.
    let rows_per_quantile = rows as f64 / quantiles as f64;
    let mut reached = 0;
    for q in 0..quantiles {
        let shift = if q < quantiles / 2 { -1e-10 } else { 1e-10 };
        let target = rows_per_quantile * (q + 1) as f64 + shift;
        // Positive, so that the cast rounds down.
        let rank = (target + 0.5) as u32;
        reached = first_at_least(cumulated, reached, rank);
        let upper = nearest(cumulated, reached, target);
        if ends.last().is_none_or(|&end| upper as u32 + 1 > end) {
            ends.push(upper as u32 + 1);
        }
    }
    ends
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
