//! Draws shared among alternatives, as the most probable sample shares them (docs/method.md §10.4).

use super::random::{Jitter, Stream};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Beyond this number of draws, one more or less is lost in rounding.
fn is_huge(draws: f64) -> bool {
    draws * f64::EPSILON > 0.5
}

/// Draws among `n` equally probable alternatives; chance decides who gets what is left over.
pub(super) fn equal(draws: f64, n: usize, stream: &mut Stream) -> Vec<f64> {
    if n == 0 {
        return Vec::new();
    }
    let count = n as f64;
    if is_huge(draws) {
        return vec![(draws / count + 0.5).floor(); n];
    }
    let base = ((draws + 0.5) / count).floor();
    let left_over = (draws - base * count).clamp(0.0, count - 1.0) as usize;
    let mut shares = vec![base; n];
    if left_over == 0 {
        stream.skip_shuffle(n);
    } else {
        shares[..left_over].fill(base + 1.0);
        stream.shuffle(&mut shares);
    }
    shares
}

/// A positive number as an integer that sorts the same way, with the place that breaks ties.
type Key = (u64, usize);

fn key(value: f64, place: usize) -> Key {
    (value.to_bits(), place)
}

/// Draws among alternatives of the given probabilities, which need not add up to 1: the sample of
/// the greatest probability, found by rounding up, taking away, and moving draws while that pays.
pub(in crate::relational) fn best(draws: f64, probabilities: &[f64]) -> Vec<f64> {
    let sum: f64 = probabilities.iter().sum();
    if !(sum.is_finite() && sum > 0.0) {
        return vec![0.0; probabilities.len()];
    }
    if is_huge(draws) {
        let share = |p: &f64| (0.5 + draws * p / sum).floor();
        return probabilities.iter().map(share).collect();
    }
    let round_up = |p: &f64| (draws * p / sum).ceil();
    let mut shares: Vec<f64> = probabilities.iter().map(round_up).collect();
    let mut jitter = Jitter::default();
    take_away(draws, probabilities, &mut shares, &mut jitter);
    if draws > 0.0 {
        improve(probabilities, &mut shares, &mut jitter);
    }
    shares
}

/// Takes draws from those who have most for their probability until no more than `draws` are left.
fn take_away(draws: f64, p: &[f64], shares: &mut [f64], jitter: &mut Jitter) {
    let mut total: f64 = shares.iter().sum();
    if total <= draws {
        return;
    }
    let keys: Vec<Reverse<Key>> = (0..p.len())
        .filter(|&i| shares[i] > 0.0)
        .map(|i| Reverse(key(jitter.of(p[i] * total / shares[i]), i)))
        .collect();
    let mut least = BinaryHeap::from(keys);
    while total > draws
        && let Some(Reverse((_, i))) = least.pop()
    {
        shares[i] -= 1.0;
        total -= 1.0;
        if shares[i] > 0.0 {
            least.push(Reverse(key(jitter.of(p[i] * total / shares[i]), i)));
        }
    }
}

/// Moves draws to where they are more probable.
fn improve(p: &[f64], shares: &mut [f64], jitter: &mut Jitter) {
    let mut adds = Vec::with_capacity(p.len());
    let mut removes = Vec::with_capacity(p.len());
    for (i, (&p, &share)) in p.iter().zip(&*shares).enumerate() {
        adds.push(key(jitter.of(p / (share + 1.0)), i));
        if share > 0.0 {
            removes.push(Reverse(key(jitter.of(p / share), i)));
        }
    }
    let pays = |(add, j): Key, (remove, i): Key| {
        i != j && f64::from_bits(add) > f64::from_bits(remove) * (1.0 + 1e-5)
    };
    // Nearly always nothing is to be gained: heaps would be built for nothing.
    match (adds.iter().max(), removes.iter().max()) {
        (Some(&add), Some(&Reverse(remove))) if pays(add, remove) => {}
        _ => return,
    }
    let (mut adds, mut removes) = (BinaryHeap::from(adds), BinaryHeap::from(removes));
    while let (Some(&add), Some(&Reverse(remove))) = (adds.peek(), removes.peek())
        && pays(add, remove)
    {
        adds.pop();
        removes.pop();
        let (i, j) = (remove.1, add.1);
        shares[i] -= 1.0;
        shares[j] += 1.0;
        if shares[i] > 0.0 {
            removes.push(Reverse(key(jitter.of(p[i] / shares[i]), i)));
        }
        adds.push(key(jitter.of(p[j] / (shares[j] + 1.0)), j));
        if shares[j] == 1.0 {
            removes.push(Reverse(key(jitter.of(p[j]), j)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::relational::construct::unit_vectors::{array, number, numbers, unit_vectors};
    use proptest::prelude::*;

    #[test]
    fn published_splits() {
        let vectors = unit_vectors();
        for case in array(&vectors["best_sample"]) {
            let shares = best(number(&case["T"]), &numbers(&case["p"]));
            assert_eq!(shares, numbers(&case["out"]), "{case}");
        }
        for case in array(&vectors["equal_sample"]) {
            let n = number(&case["n"]) as usize;
            let shares = equal(number(&case["T"]), n, &mut Stream::new());
            assert_eq!(shares, numbers(&case["out_seed1"]), "{case}");
        }
    }

    /// ln of the probability of a multinomial sample, without what all samples share.
    fn likelihood(p: &[f64], shares: &[f64]) -> f64 {
        let term = |(p, &n): (&f64, &f64)| {
            n * p.ln() - (1..=n as u32).map(|i| f64::from(i).ln()).sum::<f64>()
        };
        p.iter().zip(shares).map(term).sum()
    }

    proptest! {
        #[test]
        fn no_move_of_a_draw_is_more_probable(
            p in proptest::collection::vec(0.001_f64..1.0, 1..12),
            draws in 0_u32..60,
        ) {
            let shares = best(f64::from(draws), &p);
            prop_assert_eq!(shares.iter().sum::<f64>(), f64::from(draws));
            let reached = likelihood(&p, &shares);
            for i in 0..p.len() {
                for j in 0..p.len() {
                    if shares[i] > 0.0 {
                        let mut moved = shares.clone();
                        moved[i] -= 1.0;
                        moved[j] += 1.0;
                        prop_assert!(likelihood(&p, &moved) <= reached + 1e-4);
                    }
                }
            }
        }
    }
}
