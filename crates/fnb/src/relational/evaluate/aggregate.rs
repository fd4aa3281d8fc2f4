//! All aggregates over one relation in one pass: block of parents by block of parents, the records
//! of a block staying in cache while every selection and every aggregate takes what it needs.

use super::numbers::Numbers;
use super::statistics::{self, Buffers, Selected};
use crate::relational::rule::Rule;
use rayon::prelude::*;
use std::ops::Range;

/// Records of a block, about: the columns of a block should fit in the cache of a core.
pub(super) const BLOCK_ROWS: usize = 4096;
/// Parents of a block at most.
const BLOCK_PARENTS: usize = 4096;
/// In blocks with more records, which have one parent, selections are worked on in parallel.
pub(super) const HUGE_BLOCK_ROWS: usize = 1 << 16;

/// What there is to compute over the records of a relation.
pub(super) struct Pass<'a> {
    /// The records of parent `i` go from `offsets[i]` to `offsets[i + 1]`.
    pub(super) offsets: &'a [u32],
    pub(super) tests: Vec<RowTest<'a>>,
    pub(super) selections: Vec<Selection<'a>>,
}

/// A condition on the records.
pub(super) struct RowTest<'a> {
    pub(super) codes: &'a [u32],
    /// Per code.
    pub(super) accepts: &'a [bool],
}

/// Records that pass the same tests, and what is asked of them.
pub(super) struct Selection<'a> {
    /// Positions in [`Pass::tests`].
    pub(super) tests: Vec<usize>,
    pub(super) aggregates: Vec<Aggregate<'a>>,
}

/// An aggregate over the records of a selection.
pub(super) struct Aggregate<'a> {
    pub(super) rule: Rule,
    pub(super) operand: Operand<'a>,
}

/// What is aggregated.
pub(super) enum Operand<'a> {
    /// The records themselves.
    Records,
    Numbers(&'a Numbers),
    /// Ranks and how many there are.
    Texts(&'a [u32], usize),
}

/// One value per parent.
pub(super) enum Output {
    Numbers(Vec<f64>),
    Ranks(Vec<u32>),
}

impl Output {
    /// One per aggregate, selection by selection.
    pub(super) fn of(selections: &[Selection<'_>], parents: usize) -> Vec<Self> {
        let aggregates = selections.iter().flat_map(|s| &s.aggregates);
        let output = |aggregate: &Aggregate<'_>| match aggregate.rule {
            Rule::TableMode => Self::Ranks(vec![0; parents]),
            _ => Self::Numbers(vec![0.0; parents]),
        };
        aggregates.map(output).collect()
    }

    /// Gives each parent the value of another, which has the same records.
    pub(super) fn share(&mut self, keepers: &[u32]) {
        match self {
            Self::Numbers(values) => share(values, keepers),
            Self::Ranks(ranks) => share(ranks, keepers),
        }
    }
}

fn share<T: Copy>(values: &mut [T], keepers: &[u32]) {
    for (parent, &keeper) in keepers.iter().enumerate() {
        // Those who keep records keep their own.
        values[parent] = values[keeper as usize];
    }
}

/// The values of the parents of a block.
pub(super) enum Slot<'a> {
    Numbers(&'a mut [f64]),
    Ranks(&'a mut [u32]),
}

impl Pass<'_> {
    /// One output per aggregate, selection by selection. Each value is computed by one thread alone,
    /// from the records in their order.
    pub(super) fn run(&self) -> Vec<Output> {
        let parents = self.offsets.len() - 1;
        let mut outputs = Output::of(&self.selections, parents);
        let blocks = self.blocks();
        let slots = slots(&mut outputs, &blocks);
        let work = blocks.into_par_iter().zip(slots);
        work.for_each_init(Scratch::default, |scratch, (block, mut slots)| {
            self.run_block(&block, &mut slots, scratch);
        });
        outputs
    }

    /// Consecutive parents with about the same number of records.
    fn blocks(&self) -> Vec<Range<usize>> {
        let mut blocks = Vec::new();
        let parents = self.offsets.len() - 1;
        let mut start = 0;
        while start < parents {
            let rows_end = self.offsets[start] as usize + BLOCK_ROWS;
            let within = self.offsets[start..].partition_point(|&row| row as usize <= rows_end);
            let length = (within - 1).clamp(1, BLOCK_PARENTS);
            let end = (start + length).min(parents);
            blocks.push(start..end);
            start = end;
        }
        blocks
    }

    fn run_block(&self, block: &Range<usize>, slots: &mut [Slot<'_>], scratch: &mut Scratch) {
        let offsets = &self.offsets[block.start..=block.end];
        let rows = offsets[0] as usize..offsets[offsets.len() - 1] as usize;
        let words = rows.len().div_ceil(64);
        scratch.bits.clear();
        for test in &self.tests {
            test.append_bits(rows.clone(), &mut scratch.bits);
        }
        let bits = &scratch.bits;
        let mut work = Vec::with_capacity(self.selections.len());
        let mut rest = slots;
        for selection in &self.selections {
            let (own, others) = rest.split_at_mut(selection.aggregates.len());
            work.push((selection, own));
            rest = others;
        }
        let run = |picked: &mut Picked, selection: &Selection<'_>, slots: &mut [Slot<'_>]| {
            let tests = selection.tests.iter();
            let tests = tests.map(|&test| &bits[test * words..(test + 1) * words]);
            let counts_only = selection.counts_only();
            picked.select(rows.len(), tests, offsets, counts_only);
            picked.aggregate(selection, rows.start, slots);
        };
        if rows.len() > HUGE_BLOCK_ROWS {
            work.into_par_iter()
                .for_each_init(Picked::default, |picked, (selection, slots)| {
                    run(picked, selection, slots);
                });
        } else {
            for (selection, slots) in work {
                run(&mut scratch.picked, selection, slots);
            }
        }
    }
}

/// The values of each block, one slot per output.
pub(super) fn slots<'a>(outputs: &'a mut [Output], blocks: &[Range<usize>]) -> Vec<Vec<Slot<'a>>> {
    let room = |_| Vec::with_capacity(outputs.len());
    let mut slots: Vec<Vec<Slot<'_>>> = blocks.iter().map(room).collect();
    for output in outputs {
        match output {
            Output::Numbers(values) => split(values, blocks, &mut slots, Slot::Numbers),
            Output::Ranks(ranks) => split(ranks, blocks, &mut slots, Slot::Ranks),
        }
    }
    slots
}

/// Cuts a column into the values of each block.
fn split<'a, T>(
    mut values: &'a mut [T],
    blocks: &[Range<usize>],
    slots: &mut [Vec<Slot<'a>>],
    slot: impl Fn(&'a mut [T]) -> Slot<'a>,
) {
    for (block, slots) in blocks.iter().zip(slots) {
        let (own, others) = values.split_at_mut(block.len());
        slots.push(slot(own));
        values = others;
    }
}

impl RowTest<'_> {
    /// A bit per record.
    fn append_bits(&self, rows: Range<usize>, bits: &mut Vec<u64>) {
        let chunks = self.codes[rows].chunks(64);
        match self.run() {
            // Intervals and single texts: compared many at a time, twice as fast as look-ups.
            Some((first, last)) => bits.extend(chunks.map(|codes| {
                let mut inside = [0_u8; 64];
                for (inside, &code) in inside.iter_mut().zip(codes) {
                    *inside = u8::from(code.wrapping_sub(first) <= last - first);
                }
                word(&inside)
            })),
            None => bits.extend(chunks.map(|codes| {
                let mut inside = [0_u8; 64];
                for (inside, &code) in inside.iter_mut().zip(codes) {
                    *inside = u8::from(self.accepts[code as usize]);
                }
                word(&inside)
            })),
        }
    }

    /// The first and the last code that it accepts, if it accepts all between.
    fn run(&self) -> Option<(u32, u32)> {
        let first = self.accepts.iter().position(|&accepted| accepted)?;
        let last = self.accepts.iter().rposition(|&accepted| accepted)?;
        let all = self.accepts[first..=last].iter().all(|&accepted| accepted);
        all.then_some((first as u32, last as u32))
    }
}

/// Bytes that are 0 or 1 as bits.
fn word(bytes: &[u8; 64]) -> u64 {
    // The product moves bit 0 of byte i to bit 56 + i; no two terms of it meet.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let eight = bytes.as_chunks().0.iter().map(|&eight| {
        let bits = u64::from_le_bytes(eight).wrapping_mul(GATHER) >> 56;
        bits as u8
    });
    let mut word = [0; 8];
    for (byte, bits) in word.iter_mut().zip(eight) {
        *byte = bits;
    }
    u64::from_le_bytes(word)
}

impl RowTest<'_> {
    /// Does a record pass?
    pub(super) fn passes(&self, record: u32) -> bool {
        self.accepts[self.codes[record as usize] as usize]
    }
}

impl Selection<'_> {
    /// Is the number of records all that is asked?
    fn counts_only(&self) -> bool {
        let mut operands = self.aggregates.iter().map(|aggregate| &aggregate.operand);
        operands.all(|operand| matches!(operand, Operand::Records))
    }
}

/// Buffers of a thread.
#[derive(Default)]
struct Scratch {
    /// Of all tests, one after the other.
    bits: Vec<u64>,
    picked: Picked,
}

/// The records of a selection in a block.
#[derive(Default)]
struct Picked {
    bits: Vec<u64>,
    rows: Vec<u32>,
    ends: Vec<u32>,
    buffers: Buffers,
}

impl Picked {
    /// The records whose bits are set in all tests; only where they end if they are only counted.
    fn select<'a>(
        &mut self,
        rows: usize,
        mut tests: impl Iterator<Item = &'a [u64]>,
        offsets: &[u32],
        counts_only: bool,
    ) {
        self.rows.clear();
        self.ends.clear();
        let ends = offsets[1..].iter().map(|&end| end - offsets[0]);
        let Some(first) = tests.next() else {
            self.rows.extend(0..rows as u32);
            self.ends.extend(ends);
            return;
        };
        self.bits.clear();
        self.bits.extend_from_slice(first);
        for test in tests {
            for (word, other) in self.bits.iter_mut().zip(test) {
                *word &= other;
            }
        }
        // Records before the end of a parent: those of whole words, and some of the last one.
        let (mut word, mut before) = (0, 0);
        for end in ends {
            while word < end as usize / 64 {
                before += self.bits[word].count_ones();
                word += 1;
            }
            let inside = (1_u64 << (end % 64)) - 1;
            let last = self.bits.get(word).map_or(0, |bits| bits & inside);
            self.ends.push(before + last.count_ones());
        }
        if counts_only {
            return;
        }
        for (word, &bits) in self.bits.iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                self.rows.push((64 * word) as u32 + bits.trailing_zeros());
                bits &= bits - 1;
            }
        }
    }

    /// Fills the slots of a selection; `start` is the first record of the block.
    fn aggregate(&mut self, selection: &Selection<'_>, start: usize, slots: &mut [Slot<'_>]) {
        let selected = Selected {
            rows: &self.rows,
            ends: &self.ends,
        };
        let buffers = &mut self.buffers;
        for (aggregate, slot) in selection.aggregates.iter().zip(slots) {
            match (&aggregate.operand, slot) {
                (Operand::Records, Slot::Numbers(out)) => statistics::count(&self.ends, out),
                (Operand::Numbers(column), Slot::Numbers(out)) => {
                    statistics::of_numbers(aggregate.rule, selected, column, start, out, buffers);
                }
                (Operand::Texts(ranks, distinct), Slot::Numbers(out)) => {
                    statistics::count_distinct(selected, &ranks[start..], *distinct, out, buffers);
                }
                (Operand::Texts(ranks, distinct), Slot::Ranks(out)) => {
                    statistics::mode(selected, &ranks[start..], *distinct, out, buffers);
                }
                _ => unreachable!("only texts have a mode"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bits_are_the_codes_that_are_accepted(
            codes in prop::collection::vec(0_u32..5, 0..200),
            accepts in prop::collection::vec(any::<bool>(), 5),
        ) {
            let test = RowTest { codes: &codes, accepts: &accepts };
            let mut bits = vec![7];
            test.append_bits(3.min(codes.len())..codes.len(), &mut bits);
            let codes = codes.get(3..).unwrap_or_default();
            prop_assert_eq!(bits.len(), 1 + codes.len().div_ceil(64));
            for place in 0..64 * (bits.len() - 1) {
                let expected = codes.get(place).is_some_and(|&code| accepts[code as usize]);
                prop_assert_eq!(bits[1 + place / 64] >> (place % 64) & 1 == 1, expected);
            }
        }
    }
}
