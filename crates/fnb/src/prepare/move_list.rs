//! Moves of a partition into intervals, the cheapest first, equal ones in the order of the reference
//! tool.

use super::merge_queue::rounded_key;

/// Moves of one kind by the end of what they cover. Among equals the first one stays first and a new
/// one comes second, as in the queue of merges (docs/method.md §2.4 b). There are few.
#[derive(Debug, Default)]
pub(crate) struct MoveList(Vec<(u64, usize)>);

impl MoveList {
    /// Adds the move that ends there.
    pub(crate) fn insert(&mut self, cost: f64, end: usize) {
        let key = rounded_key(cost);
        let first = self.0.partition_point(|&(other, _)| other < key);
        let equal = self.0.get(first).is_some_and(|&(other, _)| other == key);
        self.0.insert(first + usize::from(equal), (key, end));
    }

    /// Removes the move that ends there.
    pub(crate) fn remove(&mut self, end: usize) {
        let place = self.0.iter().position(|&(_, other)| other == end);
        self.0.remove(place.expect("a move that is known"));
    }

    /// Where the cheapest move ends.
    pub(crate) fn cheapest(&self) -> Option<usize> {
        self.0.first().map(|&(_, end)| end)
    }
}

/// The intervals whose moves are found again after `covered` ones became two, in the order of the
/// reference tool: the last intervals of the moves of `wide` ones, where the two start at `first`.
pub(crate) fn touched(
    first: usize,
    covered: usize,
    wide: usize,
    intervals: usize,
) -> impl Iterator<Item = usize> {
    let mut order = [first, first + 1, first + 2, first + 3];
    if wide > 1 && wide == covered {
        order.swap(0, 1);
    }
    let last = (first + wide).min(intervals - 1);
    order
        .into_iter()
        .filter(move |&end| end <= last && end + 1 >= wide)
}
