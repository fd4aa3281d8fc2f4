//! Merges of any two groups, the cheapest first, equal ones in the order of the reference tool
//! (docs/method.md §3.3).

use std::cmp::Ordering;
use std::collections::BTreeMap;

/// No pair.
const NONE: u32 = u32::MAX;

/// Pairs of groups by the cost of their merge. Pairs of equal cost, to the last bit, are a *tie*: its
/// first one stays first, a new one comes second, and the **last** one is the next merge.
#[derive(Debug, Default)]
pub(crate) struct PairList {
    /// The ties by cost; each has at least one pair.
    ties: BTreeMap<Cost, Tie>,
    /// The neighbours of every pair in its tie.
    links: Vec<Link>,
}

#[derive(Debug, Clone, Copy)]
struct Tie {
    first: u32,
    last: u32,
}

#[derive(Debug, Clone, Copy)]
struct Link {
    cost: Cost,
    previous: u32,
    next: u32,
}

/// A cost that sorts.
#[derive(Debug, Clone, Copy)]
struct Cost(f64);

impl PartialEq for Cost {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Cost {}

impl PartialOrd for Cost {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Cost {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PairList {
    /// Room for the pairs of that many groups; none is there yet.
    pub(crate) fn new(groups: usize) -> Self {
        let absent = Link {
            cost: Cost(0.0),
            previous: NONE,
            next: NONE,
        };
        Self {
            ties: BTreeMap::new(),
            links: vec![absent; groups * groups.saturating_sub(1) / 2],
        }
    }

    /// Adds the merge of two groups.
    pub(crate) fn insert(&mut self, a: usize, b: usize, cost: f64) {
        let pair = pair_of(a, b);
        // The two zeros are equal.
        let cost = Cost(cost + 0.0);
        let alone = Tie {
            first: pair,
            last: pair,
        };
        let tie = self.ties.entry(cost).or_insert(alone);
        let mut link = Link {
            cost,
            previous: NONE,
            next: NONE,
        };
        if tie.first != pair {
            link.previous = tie.first;
            link.next = std::mem::replace(&mut self.links[tie.first as usize].next, pair);
            match link.next {
                NONE => tie.last = pair,
                next => self.links[next as usize].previous = pair,
            }
        }
        self.links[pair as usize] = link;
    }

    /// Removes the merge of two groups.
    pub(crate) fn remove(&mut self, a: usize, b: usize) {
        let link = self.links[pair_of(a, b) as usize];
        if link.previous == NONE && link.next == NONE {
            self.ties.remove(&link.cost);
            return;
        }
        match link.previous {
            NONE => self.tie(link.cost).first = link.next,
            previous => self.links[previous as usize].next = link.next,
        }
        match link.next {
            NONE => self.tie(link.cost).last = link.previous,
            next => self.links[next as usize].previous = link.previous,
        }
    }

    fn tie(&mut self, cost: Cost) -> &mut Tie {
        self.ties.get_mut(&cost).expect("a pair is in its tie")
    }

    /// The groups of the next merge, the smaller number first.
    pub(crate) fn cheapest(&self) -> Option<(usize, usize)> {
        let (_, tie) = self.ties.first_key_value()?;
        Some(groups_of(tie.last))
    }
}

/// The number of a pair of groups.
fn pair_of(a: usize, b: usize) -> u32 {
    let (low, high) = (a.min(b), a.max(b));
    (high * (high - 1) / 2 + low) as u32
}

/// The groups of a pair.
fn groups_of(pair: u32) -> (usize, usize) {
    let pair = pair as usize;
    let high = (1 + 8 * pair).isqrt().div_ceil(2);
    (pair - high * (high - 1) / 2, high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn gives_the_last_of_the_cheapest_as_one_plain_list_would(
            changes in proptest::collection::vec((0..9_usize, 0..9_usize, 0..4_u8), 1..120),
        ) {
            let mut list = PairList::new(9);
            // Costs fall from left to right; among equals the first one stays first, a new one comes second.
            let mut plain: Vec<(u8, (usize, usize))> = Vec::new();
            for (a, b, cost) in changes.into_iter().filter(|(a, b, _)| a != b) {
                let pair = (a.min(b), a.max(b));
                if let Some(place) = plain.iter().position(|&(_, other)| other == pair) {
                    plain.remove(place);
                    list.remove(a, b);
                } else {
                    let first = plain.partition_point(|&(other, _)| other > cost);
                    let equal = plain.get(first).is_some_and(|&(other, _)| other == cost);
                    plain.insert(first + usize::from(equal), (cost, pair));
                    list.insert(a, b, f64::from(cost) - 1.5);
                }
                prop_assert_eq!(list.cheapest(), plain.last().map(|&(_, pair)| pair));
            }
        }

        #[test]
        fn pairs_are_numbered_without_gaps(high in 1..3000_usize, low in 0..3000_usize) {
            prop_assume!(low < high);
            prop_assert_eq!(groups_of(pair_of(high, low)), (low, high));
        }
    }
}
