//! The cheapest merge first: a tournament among the places where two neighbours could merge.

/// Bits of a key that hold the insertion number; 2²³ insertions are enough for [`MAX_PLACES`].
const STAMP_BITS: u32 = 23;
const STAMP_MASK: u64 = (1 << STAMP_BITS) - 1;
/// Every place is inserted once, and at most twice again per merge.
pub(crate) const MAX_PLACES: usize = (1 << STAMP_BITS) / 3;
const NEVER: u64 = u64::MAX;

/// Places keyed by the cost of the merge there, rounded to about 10 digits so that equal merges
/// compare equal whatever the rounding errors (docs/method.md §0.4); among equals the last
/// inserted wins.
///
/// A tournament tree: changing a key replays its matches upwards, until a result stays the same.
/// Cost and insertion number share one integer, so that a match is one comparison.
#[derive(Debug, Default)]
pub(crate) struct MergeQueue {
    /// `tree[1]` is the winner; the matches of node `i` are `2i` and `2i + 1`; places come last.
    tree: Vec<u64>,
    first_leaf: usize,
    place_of_stamp: Vec<u32>,
}

impl MergeQueue {
    /// Restarts with one merge per place.
    pub(crate) fn fill(&mut self, costs: impl ExactSizeIterator<Item = f64>) {
        let places = costs.len();
        assert!(
            places <= MAX_PLACES,
            "{places} places do not fit in the queue"
        );
        self.first_leaf = places.next_power_of_two();
        self.tree.clear();
        self.tree.resize(2 * self.first_leaf, NEVER);
        self.place_of_stamp.clear();
        for (place, cost) in costs.enumerate() {
            self.tree[self.first_leaf + place] = self.stamp(place, cost);
        }
        for node in (1..self.first_leaf).rev() {
            self.tree[node] = self.tree[2 * node].min(self.tree[2 * node + 1]);
        }
    }

    /// The place of the cheapest merge.
    pub(crate) fn cheapest(&self) -> Option<usize> {
        match self.tree[1] {
            NEVER => None,
            key => Some(self.place_of_stamp[(STAMP_MASK - (key & STAMP_MASK)) as usize] as usize),
        }
    }

    /// A new cost for a place; it counts as inserted last.
    pub(crate) fn set(&mut self, place: usize, cost: f64) {
        let key = self.stamp(place, cost);
        self.replay(place, key);
    }

    /// No merge is possible at a place any more.
    pub(crate) fn remove(&mut self, place: usize) {
        self.replay(place, NEVER);
    }

    fn stamp(&mut self, place: usize, cost: f64) -> u64 {
        let stamp = self.place_of_stamp.len() as u64;
        self.place_of_stamp.push(place as u32);
        rounded_key(cost) | (STAMP_MASK - stamp)
    }

    #[inline]
    fn replay(&mut self, place: usize, key: u64) {
        let mut node = self.first_leaf + place;
        self.tree[node] = key;
        while node > 1 {
            let winner = self.tree[node].min(self.tree[node ^ 1]);
            node /= 2;
            if self.tree[node] == winner {
                return;
            }
            self.tree[node] = winner;
        }
    }
}

/// Costs of smaller size are taken as zero; exponents then fit in 7 bits.
const SMALLEST_EXPONENT: u64 = 1023 - 40;
const SIGN: u64 = 1 << 63;

/// Order-preserving integer of a cost: sign, 7 bits of exponent, 33 bits of mantissa, zeros.
#[inline]
fn rounded_key(cost: f64) -> u64 {
    // 33 bits of mantissa, rounded: 10 digits.
    let bits = (cost.abs().to_bits() + (1 << 18)) & !((1 << 19) - 1);
    let magnitude = bits.saturating_sub(SMALLEST_EXPONENT << 52);
    // The 7 exponent bits and 33 mantissa bits end at bit 19: move them above the stamp.
    let magnitude = magnitude << 4;
    let key = if cost < 0.0 {
        SIGN - magnitude
    } else {
        SIGN + magnitude
    };
    debug_assert_eq!(key & STAMP_MASK, 0);
    key
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keys_sort_as_the_costs(a in -1e9..1e9_f64, b in -1e9..1e9_f64) {
            prop_assume!((a - b).abs() > 1e-9 * a.abs().max(b.abs()));
            prop_assert_eq!(a < b, rounded_key(a) < rounded_key(b));
        }

        #[test]
        fn gives_the_smallest_cost_and_the_newest_of_equals(
            costs in proptest::collection::vec(-3..3_i32, 1..40),
            changes in proptest::collection::vec((0..40_usize, proptest::option::of(-3..3_i32)), 0..60),
        ) {
            let mut queue = MergeQueue::default();
            queue.fill(costs.iter().map(|&cost| f64::from(cost)));
            // Oracle: (cost, age) of every place.
            let mut plain: Vec<Option<(i32, i32)>> = costs.iter().copied().zip((-1000..=0).rev()).map(Some).collect();
            for (age, (place, cost)) in (0..).zip(changes) {
                let place = place % plain.len();
                plain[place] = cost.map(|cost| (cost, -1000 - age));
                match cost {
                    Some(cost) => queue.set(place, f64::from(cost)),
                    None => queue.remove(place),
                }
                let expected = (0..plain.len()).filter(|&p| plain[p].is_some()).min_by_key(|&p| plain[p]);
                prop_assert_eq!(queue.cheapest(), expected);
            }
        }
    }
}
