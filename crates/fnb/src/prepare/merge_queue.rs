//! The cheapest merge first, equal merges in the order of the reference tool.

/// Bits of a key that hold the number of a tie.
const TIE_BITS: u32 = 23;
const TIE_MASK: u64 = (1 << TIE_BITS) - 1;
/// There is room for twice as many ties as places.
pub(crate) const MAX_PLACES: usize = (1 << (TIE_BITS - 1)) - GROUP;
const NEVER: u64 = u64::MAX;
const NONE: u32 = u32::MAX;

/// Places keyed by the cost of the merge there, rounded to about 10 digits so that equal merges
/// compare equal whatever the rounding errors (docs/method.md §0.4). Places of equal cost are a *tie*:
/// its first one stays first, and a new one comes second (docs/method.md §2.4 b).
///
/// A tournament among ties, in groups of eight: where one is new, the matches of its group are played
/// again, level by level, until the winners stay the same. Cost and number of the tie share one
/// integer, so that a match is a minimum; a group is a cache line, and there are few levels. A place
/// that joins or leaves a tie changes no match: a tie that is left without places plays on until it wins;
/// then it rests until its cost comes again.
#[derive(Debug, Default)]
pub(crate) struct MergeQueue {
    /// Keys of the ties, then the winners of each group of eight, and so on up to one group.
    keys: Vec<u64>,
    /// Where each level starts in `keys`.
    levels: Vec<usize>,
    places: usize,
    /// The costs of the ties, as keys without the number of a tie: those of the ones that rest too.
    costs: Vec<u64>,
    /// Number of ties, and how many of them have played.
    ties: usize,
    played: usize,
    /// Places, then ties. Each tie is a ring of itself and its places in order.
    rings: Vec<Neighbours>,
    /// The number of the tie of a key: a hash table at most half full.
    numbers: Vec<u32>,
    /// Number of bits that a hash loses to become an index of `numbers`.
    shift: u32,
}

#[derive(Debug, Clone, Copy)]
struct Neighbours {
    next: u32,
    previous: u32,
}

/// Keys that are compared together.
const GROUP: usize = 8;

impl MergeQueue {
    /// Restarts with one merge per place.
    pub(crate) fn fill(&mut self, costs: impl ExactSizeIterator<Item = f64>) {
        self.places = costs.len();
        assert!(
            self.places <= MAX_PLACES,
            "{} places do not fit in the queue",
            self.places
        );
        self.restart();
        for (place, cost) in costs.enumerate() {
            self.join(place, rounded_key(cost));
        }
        self.play_all();
    }

    /// Inserts again all merges that are left, from left to right.
    pub(crate) fn refill(&mut self) {
        let mut left = self.left();
        left.sort_unstable();
        self.restart();
        for (place, key) in left {
            self.join(place, key);
        }
        self.play_all();
    }

    /// The places that have a merge, and its key, tie by tie and in order there.
    fn left(&self) -> Vec<(usize, u64)> {
        let mut left = Vec::with_capacity(self.places);
        for tie in 0..self.ties {
            let ring = self.places + tie;
            let mut place = self.rings[ring].next as usize;
            while place != ring {
                left.push((place, self.costs[tie]));
                place = self.rings[place].next as usize;
            }
        }
        left
    }

    fn restart(&mut self) {
        let room = 2 * self.places + GROUP;
        let alone = Neighbours {
            next: NONE,
            previous: NONE,
        };
        self.rings.clear();
        self.rings.resize(self.places + room, alone);
        let numbers = (2 * room).next_power_of_two();
        self.shift = 64 - numbers.trailing_zeros();
        self.numbers.clear();
        self.numbers.resize(numbers, NONE);
        self.keys.clear();
        self.keys.resize(room, NEVER);
        self.costs.clear();
        self.ties = 0;
    }

    /// Plays the matches of all ties.
    fn play_all(&mut self) {
        self.played = self.ties;
        self.levels.clear();
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

    /// The place of the cheapest merge.
    pub(crate) fn cheapest(&mut self) -> Option<usize> {
        loop {
            let key = self.winner(*self.levels.last()?);
            if key == NEVER {
                return None;
            }
            let tie = (key & TIE_MASK) as usize;
            let place = self.rings[self.places + tie].next as usize;
            if place < self.places {
                return Some(place);
            }
            self.keys[tie] = NEVER;
            self.play(tie / GROUP);
        }
    }

    /// Inserts the merge of a place that has none. [`replay`](Self::replay) must follow.
    #[inline]
    pub(crate) fn insert(&mut self, place: usize, cost: f64) {
        self.join(place, rounded_key(cost));
    }

    /// Puts a place into the tie of its key: second there, or first of an empty one.
    #[inline]
    fn join(&mut self, place: usize, key: u64) {
        let ring = (self.places + self.tie_of(key)) as u32;
        // Of an empty ring this is the tie itself.
        let first = self.rings[ring as usize].next;
        let second = std::mem::replace(&mut self.rings[first as usize].next, place as u32);
        self.rings[second as usize].previous = place as u32;
        self.rings[place] = Neighbours {
            next: second,
            previous: first,
        };
    }

    /// The tie of a key, a new one if need be.
    #[inline]
    fn tie_of(&mut self, key: u64) -> usize {
        let mut room = self.home(key);
        loop {
            match self.numbers[room] {
                NONE => return self.new_tie(key, room),
                tie if self.costs[tie as usize] == key => {
                    let tie = tie as usize;
                    if self.keys[tie] == NEVER {
                        self.keys[tie] = key | tie as u64;
                        self.play(tie / GROUP);
                    }
                    return tie;
                }
                _ => room = (room + 1) & (self.numbers.len() - 1),
            }
        }
    }

    /// Where the search for a key starts; the golden ratio spreads neighbours.
    #[inline]
    fn home(&self, key: u64) -> usize {
        ((key >> TIE_BITS).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> self.shift) as usize
    }

    #[inline]
    fn new_tie(&mut self, key: u64, room: usize) -> usize {
        if self.ties == 2 * self.places + GROUP {
            self.drop_empty_ties();
            return self.tie_of(key);
        }
        let tie = self.ties;
        self.ties += 1;
        self.numbers[room] = tie as u32;
        self.keys[tie] = key | tie as u64;
        self.costs.push(key);
        let ring = (self.places + tie) as u32;
        self.rings[ring as usize] = Neighbours {
            next: ring,
            previous: ring,
        };
        tie
    }

    /// Makes room. The order within ties stays.
    #[cold]
    fn drop_empty_ties(&mut self) {
        let left = self.left();
        self.restart();
        // The first of a tie comes first; the others from the last on, since a new one comes second.
        for tie in left.chunk_by(|a, b| a.1 == b.1) {
            let (first, others) = (tie[0], &tie[1..]);
            for (place, key) in [first].into_iter().chain(others.iter().rev().copied()) {
                self.join(place, key);
            }
        }
        self.play_all();
    }

    /// No merge is possible at a place any more.
    #[inline]
    pub(crate) fn remove(&mut self, place: usize) {
        let Neighbours { next, previous } = self.rings[place];
        self.rings[next as usize].previous = previous;
        self.rings[previous as usize].next = next;
    }

    /// Plays the matches of new ties. They are mostly in one group, whose match is played once.
    #[inline]
    pub(crate) fn replay(&mut self) {
        while self.played < self.ties {
            let group = self.played / GROUP;
            self.played = self.ties.min((group + 1) * GROUP);
            self.play(group);
        }
    }

    /// Plays the match of a group of ties, and those above as long as winners change.
    #[inline]
    fn play(&mut self, mut group: usize) {
        for level in 1..self.levels.len() {
            let winner = self.winner(self.levels[level - 1] + group * GROUP);
            let place = &mut self.keys[self.levels[level] + group];
            if *place == winner {
                return;
            }
            *place = winner;
            group /= GROUP;
        }
    }

    /// The smallest key of the group that starts at an index.
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

/// Costs of smaller size are taken as zero; exponents then fit in 7 bits.
const SMALLEST_EXPONENT: u64 = 1023 - 40;
const SIGN: u64 = 1 << 63;

/// Order-preserving integer of a cost: sign, 7 bits of exponent, 33 bits of mantissa, zeros.
#[inline]
pub(crate) fn rounded_key(cost: f64) -> u64 {
    // 33 bits of mantissa, rounded: 10 digits.
    let bits = (cost.abs().to_bits() + (1 << 18)) & !((1 << 19) - 1);
    let magnitude = bits.saturating_sub(SMALLEST_EXPONENT << 52);
    // The 7 exponent bits and 33 mantissa bits end at bit 19: move them above the tie.
    let magnitude = magnitude << 4;
    let key = if cost < 0.0 {
        SIGN - magnitude
    } else {
        SIGN + magnitude
    };
    debug_assert_eq!(key & TIE_MASK, 0);
    key
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The order of the queue as one list: a place goes behind all that are cheaper, and behind the
    /// first of those that are equal.
    #[derive(Default)]
    struct PlainList(Vec<(i32, usize)>);

    impl PlainList {
        fn insert(&mut self, place: usize, cost: i32) {
            let first = self.0.partition_point(|&(other, _)| other < cost);
            let equal = self.0.get(first).is_some_and(|&(other, _)| other == cost);
            self.0.insert(first + usize::from(equal), (cost, place));
        }

        fn remove(&mut self, place: usize) {
            self.0.retain(|&(_, other)| other != place);
        }
    }

    proptest! {
        #[test]
        fn keys_sort_as_the_costs(a in -1e9..1e9_f64, b in -1e9..1e9_f64) {
            prop_assume!((a - b).abs() > 1e-9 * a.abs().max(b.abs()));
            prop_assert_eq!(a < b, rounded_key(a) < rounded_key(b));
        }

        #[test]
        fn gives_the_smallest_cost_and_equals_in_the_order_of_the_list(
            costs in proptest::collection::vec(-3..3_i32, 1..40),
            changes in proptest::collection::vec((0..40_usize, proptest::option::of(-30..30_i32)), 0..90),
            refill in 0..90_usize,
            // Large: many ties among few costs. Small: so many costs that room must be made for ties.
            coarse in 1..9_i32,
        ) {
            let mut queue = MergeQueue::default();
            queue.fill(costs.iter().map(|&cost| f64::from(cost)));
            let mut plain = PlainList::default();
            let mut current: Vec<Option<i32>> = costs.iter().copied().map(Some).collect();
            for (place, &cost) in costs.iter().enumerate() {
                plain.insert(place, cost);
            }
            for (step, (place, cost)) in changes.into_iter().enumerate() {
                if step == refill {
                    queue.refill();
                    plain = PlainList::default();
                    for (place, cost) in current.iter().enumerate() {
                        if let &Some(cost) = cost {
                            plain.insert(place, cost);
                        }
                    }
                }
                let place = place % costs.len();
                let cost = cost.map(|cost| cost / coarse);
                if current[place].is_some() {
                    queue.remove(place);
                    plain.remove(place);
                }
                if let Some(cost) = cost {
                    queue.insert(place, f64::from(cost));
                    plain.insert(place, cost);
                }
                current[place] = cost;
                queue.replay();
                prop_assert_eq!(queue.cheapest(), plain.0.first().map(|&(_, place)| place));
            }
        }
    }
}
