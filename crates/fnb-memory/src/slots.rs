//! Where blocks lie in the file: a span of addresses for each power of two, cut into slots of that size.
//!
//! Half of a slot may be of no use, which costs nothing: of a file with holes only what is written takes room.
//! So a block that grows mostly stays where it is, and there is nothing to be joined when blocks are freed.

/// Slots of this many bits are the smallest: 64 KiB. What learning holds in blocks of rows is that large; with
/// 256 KiB as the least, 32 bytes per row stayed in memory.
pub(crate) const LEAST_SHIFT: u32 = 16;
/// A span is 256 GiB at most.
pub(crate) const MOST_SPAN_SHIFT: u32 = 38;
const CLASSES: usize = (MOST_SPAN_SHIFT - LEAST_SHIFT) as usize + 1;
const WORDS: usize = 1 << (CLASSES - 6);

/// A range of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slot {
    pub(crate) start: usize,
    pub(crate) length: usize,
}

/// Which slots are taken. A class of 2^n slots has the bits from 2^n to 2^(n+1): no two classes share one.
#[derive(Debug)]
pub(crate) struct Slots {
    taken: [u64; WORDS],
    /// No word of a class before this one has a free slot.
    first: [usize; CLASSES],
    span_shift: u32,
}

impl Slots {
    /// Without any span.
    #[allow(
        clippy::large_stack_arrays,
        reason = "it is made when the program is compiled"
    )]
    pub(crate) const fn new() -> Self {
        Self {
            taken: [0; WORDS],
            first: [0; CLASSES],
            span_shift: 0,
        }
    }

    /// Spans of 2^shift bytes; no slot may be taken.
    pub(crate) fn start(&mut self, span_shift: u32) {
        self.span_shift = span_shift;
    }

    /// Bytes of all spans.
    pub(crate) fn total(span_shift: u32) -> usize {
        ((span_shift - LEAST_SHIFT + 1) as usize) << span_shift
    }

    /// A free slot for that many bytes.
    pub(crate) fn take(&mut self, bytes: usize) -> Option<Slot> {
        let shift = bytes.next_power_of_two().trailing_zeros().max(LEAST_SHIFT);
        let class = self.span_shift.checked_sub(shift)?;
        let (from, to) = (1_usize << class, 2_usize << class);
        let begin = self.first[class as usize].max(from / 64);
        for word in begin..to.div_ceil(64) {
            // Classes of fewer slots than a word has bits share it.
            let own = if to - from >= 64 {
                u64::MAX
            } else {
                ((1 << (to - from)) - 1) << from
            };
            let free = !self.taken[word] & own;
            if free != 0 {
                let bit = free.trailing_zeros() as usize;
                self.taken[word] |= 1 << bit;
                self.first[class as usize] = word;
                return Some(self.slot(word * 64 + bit));
            }
        }
        None
    }

    /// The slot that holds a place of the file.
    pub(crate) fn at(&self, place: usize) -> Slot {
        let shift = LEAST_SHIFT + (place >> self.span_shift) as u32;
        Slot {
            start: place >> shift << shift,
            length: 1 << shift,
        }
    }

    /// Frees a slot.
    pub(crate) fn give(&mut self, slot: Slot) {
        let bit = self.bit(slot);
        self.taken[bit / 64] &= !(1 << (bit % 64));
        let class = bit.ilog2() as usize;
        self.first[class] = self.first[class].min(bit / 64);
    }

    /// The next slot that is taken after another, or the first one, in a fixed order.
    pub(crate) fn after(&self, slot: Option<Slot>) -> Option<Slot> {
        let from = 1 + slot.map_or(0, |slot| self.bit(slot));
        let mut mask = u64::MAX << (from % 64);
        for (word, taken) in self.taken.iter().enumerate().skip(from / 64) {
            let found = taken & mask;
            if found != 0 {
                return Some(self.slot(word * 64 + found.trailing_zeros() as usize));
            }
            mask = u64::MAX;
        }
        None
    }

    fn slot(&self, bit: usize) -> Slot {
        let class = bit.ilog2();
        let shift = self.span_shift - class;
        let span = ((shift - LEAST_SHIFT) as usize) << self.span_shift;
        Slot {
            start: span + ((bit - (1 << class)) << shift),
            length: 1 << shift,
        }
    }

    fn bit(&self, slot: Slot) -> usize {
        let shift = slot.length.trailing_zeros();
        let within = slot.start & ((1 << self.span_shift) - 1);
        (1 << (self.span_shift - shift)) + (within >> shift)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slots() -> Box<Slots> {
        let mut slots = Box::new(Slots::new());
        slots.start(24);
        slots
    }

    #[test]
    fn slots_do_not_overlap() {
        let mut slots = slots();
        let mut taken = Vec::new();
        for shift in 10..=24 {
            while let Some(slot) = slots.take(1 << shift) {
                assert!(slot.length >= 1 << shift);
                assert_eq!(slots.at(slot.start + slot.length - 1), slot);
                taken.push(slot);
            }
        }
        taken.sort_by_key(|slot| slot.start);
        let total: usize = taken.iter().map(|slot| slot.length).sum();
        assert_eq!(total, Slots::total(24));
        for pair in taken.windows(2) {
            assert_eq!(pair[0].start + pair[0].length, pair[1].start);
        }
    }

    #[test]
    fn freed_slots_are_taken_again() {
        let mut slots = slots();
        let all: Vec<Slot> = std::iter::from_fn(|| slots.take(300_000)).collect();
        assert_eq!(all.len(), 1 << (24 - 19));
        slots.give(all[7]);
        slots.give(all[3]);
        assert_eq!(slots.take(300_000), Some(all[3]));
        assert_eq!(slots.take(500_000), Some(all[7]));
        assert_eq!(slots.take(500_000), None);
        assert_eq!(slots.take(1 << 25), None);
    }

    #[test]
    fn the_round_meets_each_slot_once() {
        let mut slots = slots();
        let sizes = [1 << 18, 1 << 20, 1 << 18, 1 << 24];
        let mut taken: Vec<Slot> = sizes.iter().filter_map(|&size| slots.take(size)).collect();
        let mut met: Vec<Slot> = Vec::new();
        while let Some(slot) = slots.after(met.last().copied()) {
            met.push(slot);
        }
        let by_place = |slot: &Slot| (slot.start, slot.length);
        taken.sort_by_key(by_place);
        met.sort_by_key(by_place);
        assert_eq!(met, taken);
        assert_eq!(Slots::new().after(None), None);
    }
}
