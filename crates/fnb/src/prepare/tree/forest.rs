//! Which inputs each tree may use (docs/method.md §13.8).

use crate::math::reference_random::ReferenceRandom;

/// Seed of the draws of inputs.
const SEED: u64 = 1972;

/// The inputs of each tree, as ranks: `informative` ones come first, best first, then those that say
/// nothing alone.
pub(super) fn subsets(informative: usize, uninformative: usize, trees: usize) -> Vec<Vec<usize>> {
    let all = informative + uninformative;
    let mut random = ReferenceRandom::new(SEED);
    let mut nulls: Vec<usize> = (informative..all).collect();
    let mut subset = |_| {
        let limit = 25 + random.up_to(75);
        let share_of_nulls = 0.2 * random.draw();
        let usual = (all as f64 * ((all + 58) as f64).log2()).sqrt().floor() as usize;
        let size = if all <= 6 { all } else { limit.min(usual) };
        let wanted = (size as f64 * (1.0 - share_of_nulls)).floor() as usize;
        let chosen = informative.min(wanted.max(1));
        let others = uninformative.min(size - chosen);
        let among = chosen + random.up_to(informative - chosen);
        let mut best: Vec<usize> = (0..among).collect();
        random.shuffle(&mut best);
        random.shuffle(&mut nulls);
        best.truncate(chosen);
        best.extend(&nulls[..others]);
        best
    };
    (0..trees).map(&mut subset).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Published vectors, as ranks from 1.
    #[test]
    fn published_subsets() {
        let ranks = |informative, uninformative, trees| -> Vec<Vec<usize>> {
            let subsets = subsets(informative, uninformative, trees).into_iter();
            subsets
                .map(|subset| subset.into_iter().map(|i| i + 1).collect())
                .collect()
        };
        assert_eq!(
            ranks(4, 0, 5),
            [[2, 3, 1], [1, 3, 2], [3, 4, 2], [4, 1, 2], [1, 3, 4]]
        );
        assert_eq!(
            ranks(16, 3, 3),
            [
                [6, 3, 9, 8, 4, 2, 7, 5, 17, 18],
                [6, 7, 3, 4, 2, 5, 9, 12, 10, 17],
                [10, 6, 8, 11, 7, 1, 12, 5, 2, 17]
            ]
        );
    }
}
