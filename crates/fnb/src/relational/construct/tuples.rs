//! Draws among sets of operands and among tuples of their parts (docs/method.md §10.4).

use super::random::Jitter;
use super::splits::best;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Some of the alternatives, each with its probability and its draws.
pub(super) struct Tuple {
    /// Places of its members: operands in increasing order, or one part per operand.
    pub(super) members: Vec<usize>,
    pub(super) probability: f64,
    pub(super) draws: f64,
}

/// Places by decreasing probability, jitter included.
type Sorted = Vec<(f64, usize)>;

fn sorted(probabilities: &[f64], jitter: &mut Jitter) -> Sorted {
    let mut sorted: Sorted = probabilities
        .iter()
        .enumerate()
        .map(|(i, &p)| (jitter.of(p).clamp(0.0, 1.0), i))
        .collect();
    sorted.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
    sorted
}

/// The useful sets of `size` operands, among which order does not count, and their draws.
pub(super) fn subsets(draws: f64, size: usize, probabilities: &[f64]) -> Vec<Tuple> {
    if size > probabilities.len() {
        return Vec::new();
    }
    let sorted = sorted(probabilities, &mut Jitter::default());
    let mut search = Search::new(draws, size);
    search.top = search.completion(1.0, 1, |depth| depth as f64 * sorted[depth - 1].0);
    search.run(|search| search.subsets(&sorted, 0, 1, 1.0));
    search.finish(true)
}

/// The useful choices of one part per operand, and their draws.
pub(super) fn product(draws: f64, probabilities: &[Vec<f64>]) -> Vec<Tuple> {
    if probabilities.iter().any(Vec::is_empty) {
        return Vec::new();
    }
    let mut jitter = Jitter::default();
    let sorted: Vec<Sorted> = probabilities
        .iter()
        .map(|p| sorted(p, &mut jitter))
        .collect();
    let mut search = Search::new(draws, sorted.len());
    search.top = search.completion(1.0, 1, |depth| sorted[depth - 1][0].0);
    search.run(|search| search.product(&sorted, 1, 1.0));
    search.finish(false)
}

/// The most probable tuples found so far.
struct Search {
    draws: f64,
    size: usize,
    /// The probability of the most probable tuple.
    top: f64,
    members: Vec<usize>,
    /// Probabilities, the least on top (of equals, the last), each with the number of its tuple.
    found: BinaryHeap<(Reverse<u64>, usize)>,
    /// Members of all tuples that were ever found, `size` each.
    all_members: Vec<usize>,
}

impl Search {
    fn new(draws: f64, size: usize) -> Self {
        Self {
            draws,
            size,
            top: 0.0,
            members: Vec::with_capacity(size),
            found: BinaryHeap::new(),
            all_members: Vec::new(),
        }
    }

    fn run(&mut self, search: impl FnOnce(&mut Self)) {
        if self.top.is_normal() {
            search(self);
        }
    }

    /// Would a tuple of this probability get no draw?
    fn is_hopeless(&self, probability: f64) -> bool {
        probability * (self.draws + 2.0 - self.found.len() as f64) < self.top
    }

    fn is_full(&self) -> bool {
        self.found.len() as f64 >= self.draws
    }

    /// The probability of the best tuple that starts with members up to this depth, excluded.
    fn completion(&self, start: f64, depth: usize, factor: impl Fn(usize) -> f64) -> f64 {
        (depth..=self.size).fold(start, |product, depth| product * factor(depth))
    }

    fn insert(&mut self, probability: f64) {
        // Positive numbers sort as their bits.
        let number = self.all_members.len() / self.size;
        self.found.push((Reverse(probability.to_bits()), number));
        self.all_members.extend_from_slice(&self.members);
        if let Some(&(Reverse(least), _)) = self.found.peek()
            && self.is_hopeless(f64::from_bits(least))
        {
            self.found.pop();
        }
    }

    fn subsets(&mut self, sorted: &Sorted, start: usize, depth: usize, product: f64) {
        for place in start..sorted.len() {
            let running = product * (depth as f64 * sorted[place].0);
            if self.is_hopeless(running) {
                return;
            }
            self.members.push(sorted[place].1);
            if depth == self.size {
                self.insert(running);
            } else {
                // The best set that starts so has the next operands; without hope for it there is
                // none for the others, nor further on. (Without this, hopeless beginnings are all
                // tried.)
                let next = |deeper: usize| {
                    let member = sorted.get(place + deeper - depth);
                    deeper as f64 * member.map_or(0.0, |(p, _)| *p)
                };
                if self.is_hopeless(self.completion(running, depth + 1, next)) {
                    self.members.pop();
                    return;
                }
                self.subsets(sorted, place + 1, depth + 1, running);
            }
            self.members.pop();
            if self.is_full() {
                return;
            }
        }
    }

    fn product(&mut self, sorted: &[Sorted], depth: usize, product: f64) {
        for &(p, member) in &sorted[depth - 1] {
            let running = product * p;
            if self.is_hopeless(running) {
                return;
            }
            self.members.push(member);
            if depth == self.size {
                self.insert(running);
            } else {
                let next = |deeper: usize| sorted[deeper - 1][0].0;
                if self.is_hopeless(self.completion(running, depth + 1, next)) {
                    self.members.pop();
                    return;
                }
                self.product(sorted, depth + 1, running);
            }
            self.members.pop();
            if self.is_full() {
                return;
            }
        }
    }

    fn finish(self, sort_members: bool) -> Vec<Tuple> {
        let found: Vec<(f64, usize)> = self
            .found
            .into_sorted_vec()
            .into_iter()
            .map(|(Reverse(probability), number)| (f64::from_bits(probability), number))
            .collect();
        let probabilities: Vec<f64> = found.iter().map(|(p, _)| *p).collect();
        let shares = best(self.draws, &probabilities);
        let tuple = |((probability, number), draws): ((f64, usize), f64)| {
            let start = number * self.size;
            let mut members = self.all_members[start..start + self.size].to_vec();
            if sort_members {
                members.sort_unstable();
            }
            Tuple {
                members,
                probability,
                draws,
            }
        };
        found.into_iter().zip(shares).map(tuple).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::relational::construct::unit_vectors::{array, number, numbers, unit_vectors};
    use serde_json::Value as Json;

    fn assert_tuples(case: &Json, members: &str, found: &[Tuple]) {
        let expected: Vec<&Json> = array(&case["out"]).collect();
        assert_eq!(found.len(), expected.len(), "{case}");
        for (found, expected) in found.iter().zip(expected) {
            let places: Vec<f64> = found.members.iter().map(|&i| i as f64).collect();
            assert_eq!(places, numbers(&expected[members]), "{case}");
            assert!((found.probability - number(&expected["prob"])).abs() < 1e-15);
            assert_eq!(found.draws, number(&expected["n"]), "{case}");
        }
    }

    #[test]
    fn published_tuples() {
        let vectors = unit_vectors();
        for case in array(&vectors["subset_sample"]) {
            let size = number(&case["size"]) as usize;
            let found = subsets(number(&case["T"]), size, &numbers(&case["p"]));
            assert_tuples(case, "subset", &found);
        }
        for case in array(&vectors["product_sample"]) {
            let probabilities: Vec<Vec<f64>> = array(&case["p"]).map(numbers).collect();
            let found = product(number(&case["T"]), &probabilities);
            assert_tuples(case, "index", &found);
        }
    }
}
