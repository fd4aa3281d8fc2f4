//! The cheapest merge first: a tournament among the places where two neighbours could merge.

use super::interval_search::Merges;
use crate::prepare::merge_queue::rounded_key;

/// Bits of a key that hold the insertion number; 2²³ insertions are enough for [`MAX_PLACES`].
const STAMP_BITS: u32 = 23;
const STAMP_MASK: u64 = (1 << STAMP_BITS) - 1;
/// Every place is inserted once, and at most twice again per merge.
pub(crate) const MAX_PLACES: usize = (1 << STAMP_BITS) / 3;
const NEVER: u64 = u64::MAX;

/// Places keyed by the cost of the merge there, rounded to about 10 digits so that equal merges
/// compare equal whatever the rounding errors (docs/method.md §0.4). Among equals the last inserted
/// wins, which takes two thirds of the time of the order of the reference tool
/// ([`crate::prepare::merge_queue`]).
///
/// A tournament among groups of eight: after changes the matches of their groups are played again,
/// level by level, until the winners stay the same. Cost and insertion number share one integer, so that a
/// match is a minimum; a group is a cache line, and there are few levels.
#[derive(Debug, Default)]
pub(crate) struct QuickQueue {
    /// Keys of the places, then the winners of each group of eight, and so on up to one group.
    keys: Vec<u64>,
    /// Where each level starts in `keys`.
    levels: Vec<usize>,
    place_of_stamp: Vec<u32>,
}

/// Keys that are compared together.
const GROUP: usize = 8;

impl Merges for QuickQueue {
    /// That takes time, and brings nothing by itself.
    const REFILLED: bool = false;

    fn fill(&mut self, costs: impl ExactSizeIterator<Item = f64>) {
        let places = costs.len();
        assert!(
            places <= MAX_PLACES,
            "{places} places do not fit in the queue"
        );
        self.keys.clear();
        self.levels.clear();
        self.place_of_stamp.clear();
        self.place_of_stamp.reserve(3 * places);
        self.keys.reserve(places + places / 4 + 4 * GROUP);
        for (place, cost) in costs.enumerate() {
            let key = self.stamp(place, cost);
            self.keys.push(key);
        }
        let mut start = 0;
        loop {
            self.levels.push(start);
            let end = self.keys.len().next_multiple_of(GROUP);
            self.keys.resize(end, NEVER);
            if end - start <= GROUP {
                return;
            }
            for group in (start..end).step_by(GROUP) {
                self.keys.push(self.winner(group));
            }
            start = end;
        }
    }

    fn cheapest(&mut self) -> Option<usize> {
        match self.winner(*self.levels.last()?) {
            NEVER => None,
            key => Some(self.place_of_stamp[(STAMP_MASK - (key & STAMP_MASK)) as usize] as usize),
        }
    }

    fn refill(&mut self) {}

    #[inline]
    fn insert(&mut self, place: usize, cost: f64) {
        let key = self.stamp(place, cost);
        self.keys[place] = key;
    }

    #[inline]
    fn remove(&mut self, place: usize) {
        self.keys[place] = NEVER;
    }

    #[inline]
    fn withdraw(&mut self, _: usize) {}

    /// Neighbours are mostly in one group, whose match is played once.
    #[inline]
    fn replay(&mut self, places: [usize; 3]) {
        let mut groups = [places[0] / GROUP, 0, 0];
        let mut count = 1;
        for place in &places[1..] {
            if place / GROUP != groups[count - 1] {
                groups[count] = place / GROUP;
                count += 1;
            }
        }
        for level in 1..self.levels.len() {
            let (below, start) = (self.levels[level - 1], self.levels[level]);
            let mut changed = 0;
            for i in 0..count {
                let group = groups[i];
                let winner = self.winner(below + group * GROUP);
                if self.keys[start + group] == winner {
                    continue;
                }
                self.keys[start + group] = winner;
                if changed == 0 || groups[changed - 1] != group / GROUP {
                    groups[changed] = group / GROUP;
                    changed += 1;
                }
            }
            if changed == 0 {
                return;
            }
            count = changed;
        }
    }
}

impl QuickQueue {
    fn stamp(&mut self, place: usize, cost: f64) -> u64 {
        let stamp = self.place_of_stamp.len() as u64;
        self.place_of_stamp.push(place as u32);
        rounded_key(cost) | (STAMP_MASK - stamp)
    }

    /// The smallest key of the group that starts there.
    #[inline]
    fn winner(&self, group: usize) -> u64 {
        let group: &[u64; GROUP] = self.keys[group..]
            .first_chunk()
            .expect("levels are made of whole groups");
        let quarters: [u64; 4] = std::array::from_fn(|i| group[i].min(group[i + 4]));
        quarters[0]
            .min(quarters[2])
            .min(quarters[1].min(quarters[3]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn gives_the_smallest_cost_and_the_newest_of_equals(
            costs in proptest::collection::vec(-3..3_i32, 1..40),
            changes in proptest::collection::vec((0..40_usize, proptest::option::of(-3..3_i32)), 0..60),
        ) {
            let mut queue = QuickQueue::default();
            queue.fill(costs.iter().map(|&cost| f64::from(cost)));
            // Oracle: (cost, age) of every place.
            let mut plain: Vec<Option<(i32, i32)>> = costs.iter().copied().zip((-1000..=0).rev()).map(Some).collect();
            for (age, (place, cost)) in (0..).zip(changes) {
                let place = place % plain.len();
                plain[place] = cost.map(|cost| (cost, -1000 - age));
                match cost {
                    Some(cost) => queue.insert(place, f64::from(cost)),
                    None => queue.remove(place),
                }
                queue.replay([place; 3]);
                let expected = (0..plain.len()).filter(|&p| plain[p].is_some()).min_by_key(|&p| plain[p]);
                prop_assert_eq!(queue.cheapest(), expected);
            }
        }
    }
}
