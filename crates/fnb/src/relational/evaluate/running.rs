//! Aggregates for rows that share records and see those before their own time: records and rows are
//! taken in the order of time, and each row reads the totals so far. So a record is added once,
//! whatever the number of rows that see it.

use super::aggregate::{
    Aggregate, BLOCK_ROWS, HUGE_BLOCK_ROWS, Operand, Output, RowTest, Selection, Slot, slots,
};
use super::numbers::{Arithmetic, Decimals, Numbers, Unit};
use super::statistics::{Buffers, of_doubles, wide};
use crate::relational::join::NONE;
use crate::relational::rule::Rule;
use crate::relational::views::{Askers, Times};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

/// Rows that ask for the records of a relation.
pub(super) struct Running<'a> {
    askers: Askers,
    /// The records of a key go from `offsets[i]` to `offsets[i + 1]`.
    offsets: &'a [u32],
    times: &'a Times,
}

impl<'a> Running<'a> {
    pub(super) fn new(askers: Askers, offsets: &'a [u32], times: &'a Times) -> Self {
        Self {
            askers,
            offsets,
            times,
        }
    }

    /// One output per aggregate, selection by selection, with the values of all that ask.
    pub(super) fn run(&self, tests: &[RowTest<'_>], selections: &[Selection<'_>]) -> Vec<Output> {
        let sorted = &self.askers.sorted;
        let mut outputs = Output::of(selections, sorted.len());
        let blocks = self.blocks();
        let slots = slots(&mut outputs, &blocks);
        let work = blocks.into_par_iter().zip(slots);
        work.for_each_init(Scratch::default, |scratch, (block, mut slots)| {
            self.run_block(&block, tests, selections, &mut slots, scratch);
        });
        // From the order of time to that of the rows.
        let mut place = vec![0; sorted.len()];
        for (sorted, &(_, _, asker)) in (0_u32..).zip(sorted) {
            place[asker as usize] = sorted;
        }
        for output in &mut outputs {
            match output {
                Output::Numbers(values) => *values = taken(values, &place),
                Output::Ranks(ranks) => *ranks = taken(ranks, &place),
            }
        }
        outputs
    }

    /// Rows of one key stay together.
    fn blocks(&self) -> Vec<Range<usize>> {
        let mut blocks = Vec::new();
        let (mut start, mut end, mut size) = (0, 0, 0);
        for key in self.askers.sorted.chunk_by(|a, b| a.0 == b.0) {
            end += key.len();
            size += key.len() + self.records(key[0].0).len();
            if size >= BLOCK_ROWS {
                blocks.push(start..end);
                (start, size) = (end, 0);
            }
        }
        if start < end {
            blocks.push(start..end);
        }
        blocks
    }

    /// The records of a key.
    fn records(&self, keeper: u32) -> Range<usize> {
        if keeper == NONE {
            return 0..0;
        }
        self.offsets[keeper as usize] as usize..self.offsets[keeper as usize + 1] as usize
    }

    fn run_block(
        &self,
        block: &Range<usize>,
        tests: &[RowTest<'_>],
        selections: &[Selection<'_>],
        slots: &mut [Slot<'_>],
        scratch: &mut Scratch,
    ) {
        let mut done = 0;
        for key in self.askers.sorted[block.clone()].chunk_by(|a, b| a.0 == b.0) {
            let records = &self.times.by_time[self.records(key[0].0)];
            // How many records each row sees: both are in the order of time.
            scratch.seen.clear();
            let mut seen = 0;
            for &(_, now, _) in key {
                let later = records[seen..].iter();
                seen += later
                    .take_while(|&&record| self.times.moments[record as usize] < now)
                    .count();
                scratch.seen.push(seen as u32);
            }
            let rows = done..done + key.len();
            done = rows.end;
            let mut work = Vec::with_capacity(selections.len());
            let mut rest = &mut *slots;
            for selection in selections {
                let (own, others) = rest.split_at_mut(selection.aggregates.len());
                work.push((selection, own));
                rest = others;
            }
            let seen = &scratch.seen;
            let run =
                |totals: &mut Totals, (selection, slots): (&Selection<'_>, &mut [Slot<'_>])| {
                    totals.select(selection, tests, records, seen);
                    for (aggregate, slot) in selection.aggregates.iter().zip(slots) {
                        totals.aggregate(aggregate, slot, rows.clone());
                    }
                };
            if records.len() + key.len() > HUGE_BLOCK_ROWS {
                work.into_par_iter().for_each_init(Totals::default, run);
            } else {
                for work in work {
                    run(&mut scratch.totals, work);
                }
            }
        }
    }
}

fn taken<T: Copy>(values: &[T], rows: &[u32]) -> Vec<T> {
    rows.iter().map(|&row| values[row as usize]).collect()
}

/// Buffers of a thread.
#[derive(Default)]
struct Scratch {
    /// Records that each row of a key sees.
    seen: Vec<u32>,
    totals: Totals,
}

/// The records of a selection in the order of time.
#[derive(Default)]
struct Totals {
    rows: Vec<u32>,
    /// How many of them each row sees.
    ends: Vec<u32>,
    in_order: Vec<u32>,
    doubles: Vec<f64>,
    buffers: Buffers,
}

impl Totals {
    /// Takes the records that pass the tests of a selection.
    fn select(
        &mut self,
        selection: &Selection<'_>,
        tests: &[RowTest<'_>],
        records: &[u32],
        seen: &[u32],
    ) {
        self.rows.clear();
        self.ends.clear();
        let is_selected = |record: &u32| {
            let mut of_selection = selection.tests.iter();
            of_selection.all(|&test| tests[test].passes(*record))
        };
        let mut start = 0;
        for &end in seen {
            let new = records[start as usize..end as usize].iter().copied();
            self.rows.extend(new.filter(is_selected));
            self.ends.push(self.rows.len() as u32);
            start = end;
        }
    }

    /// Fills the part of a slot that belongs to these rows.
    fn aggregate(&mut self, aggregate: &Aggregate<'_>, slot: &mut Slot<'_>, rows: Range<usize>) {
        let rule = aggregate.rule;
        match (&aggregate.operand, slot) {
            (Operand::Records, Slot::Numbers(out)) => {
                for (out, &end) in out[rows].iter_mut().zip(&self.ends) {
                    *out = f64::from(end);
                }
            }
            (Operand::Numbers(column), Slot::Numbers(out)) => match column {
                Numbers::Short(column) => self.of_decimals(rule, column, &mut out[rows]),
                Numbers::Long(column) => self.of_decimals(rule, column, &mut out[rows]),
                Numbers::Doubles { values, arithmetic } => {
                    self.of_doubles(rule, values, *arithmetic, &mut out[rows]);
                }
            },
            (Operand::Texts(ranks, distinct), Slot::Numbers(out)) => {
                self.count_distinct(ranks, *distinct, &mut out[rows]);
            }
            (Operand::Texts(ranks, distinct), Slot::Ranks(out)) => {
                self.mode(ranks, *distinct, &mut out[rows]);
            }
            _ => unreachable!("only texts have a mode"),
        }
    }

    fn of_decimals<U: Unit>(&mut self, rule: Rule, column: &Decimals<U>, out: &mut [f64]) {
        let (rows, ends) = (&self.rows, &self.ends);
        let units = |record: u32| {
            let units = column.units[record as usize];
            (units != U::MISSING).then_some(units)
        };
        let one = |units: U| column.value(wide(units), 1, 1);
        match rule {
            Rule::TableSum | Rule::TableMean => {
                let add = |(n, sum): &mut (usize, u128), record| {
                    if let Some(units) = units(record) {
                        *n += 1;
                        *sum += wide(units);
                    }
                };
                each((0, 0), rows, ends, out, add, |&mut (n, sum), _| match n {
                    0 => f64::NAN,
                    n => column.value(sum, n, if rule == Rule::TableSum { 1 } else { n }),
                });
            }
            Rule::TableMin | Rule::TableMax => {
                let better = |a: U, b: U| match rule {
                    Rule::TableMin => a.min(b),
                    _ => a.max(b),
                };
                let add = |best: &mut Option<U>, record| {
                    if let Some(units) = units(record) {
                        *best = Some(best.map_or(units, |best| better(best, units)));
                    }
                };
                each(None, rows, ends, out, add, |best, _| {
                    best.map_or(f64::NAN, one)
                });
            }
            Rule::TableStdDev => {
                let add = |(n, sum, squares): &mut (usize, u128, u128), record| {
                    if let Some(units) = units(record).map(wide) {
                        *n += 1;
                        *sum += units;
                        // Too large only where the doubles below are used instead.
                        *squares = units.wrapping_mul(units).wrapping_add(*squares);
                    }
                };
                let doubles = &mut self.doubles;
                each((0, 0, 0), rows, ends, out, add, |total, end| match *total {
                    (0, ..) => f64::NAN,
                    (n, sum, squares) if column.squares_fit(n) => column.deviation(n, sum, squares),
                    _ => {
                        doubles.clear();
                        let values = rows[..end].iter().filter_map(|&record| units(record));
                        doubles.extend(values.map(one));
                        of_doubles(rule, doubles, Arithmetic::Exact)
                    }
                });
            }
            Rule::TableMedian => {
                let add = |middle: &mut Middle<U>, record| {
                    if let Some(units) = units(record) {
                        middle.add(units);
                    }
                };
                each(Middle::new(), rows, ends, out, add, |middle, _| {
                    match (middle.below.peek(), middle.above.peek()) {
                        (None, _) => f64::NAN,
                        (Some(&below), Some(&Reverse(above))) if middle.is_even() => {
                            column.value(wide(below) + wide(above), 2, 2)
                        }
                        (Some(&below), _) => one(below),
                    }
                });
            }
            _ => unreachable!("{} does not aggregate numbers", rule.as_str()),
        }
    }

    /// Doubles are added in the order of the records, or of their values: there are no totals so far.
    fn of_doubles(&mut self, rule: Rule, values: &[f64], arithmetic: Arithmetic, out: &mut [f64]) {
        let (rows, ends) = (&self.rows, &self.ends);
        let (in_order, doubles) = (&mut self.in_order, &mut self.doubles);
        each(
            (),
            rows,
            ends,
            out,
            |(), _| (),
            |(), end| {
                in_order.clear();
                in_order.extend_from_slice(&rows[..end]);
                in_order.sort_unstable();
                doubles.clear();
                let values = in_order.iter().map(|&record| values[record as usize]);
                doubles.extend(values.filter(|value| !value.is_nan()));
                of_doubles(rule, doubles, arithmetic)
            },
        );
    }

    fn count_distinct(&mut self, ranks: &[u32], distinct: usize, out: &mut [f64]) {
        let (rows, ends) = (&self.rows, &self.ends);
        let counts = self.buffers.counts(distinct);
        let add = |found: &mut u32, record: u32| {
            let count = &mut counts[ranks[record as usize] as usize];
            *found += 1 - *count;
            *count = 1;
        };
        each(0, rows, ends, out, add, |found, _| f64::from(*found));
        clear(counts, rows, ranks);
    }

    fn mode(&mut self, ranks: &[u32], distinct: usize, out: &mut [u32]) {
        let (rows, ends) = (&self.rows, &self.ends);
        let counts = self.buffers.counts(distinct);
        let add = |(best, most): &mut (u32, u32), record: u32| {
            let rank = ranks[record as usize];
            let count = &mut counts[rank as usize];
            *count += 1;
            if *count > *most || *count == *most && rank < *best {
                (*best, *most) = (rank, *count);
            }
        };
        each((0, 0), rows, ends, out, add, |(best, _), _| *best);
        clear(counts, rows, ranks);
    }
}

/// Adds the records that each row sees beyond those of the row before, and reads the total.
fn each<S, T: Copy>(
    mut total: S,
    records: &[u32],
    ends: &[u32],
    out: &mut [T],
    mut add: impl FnMut(&mut S, u32),
    mut read: impl FnMut(&mut S, usize) -> T,
) {
    let mut start = 0;
    let mut value = read(&mut total, start);
    for (out, &end) in out.iter_mut().zip(ends) {
        let end = end as usize;
        if end > start {
            for &record in &records[start..end] {
                add(&mut total, record);
            }
            value = read(&mut total, end);
            start = end;
        }
        *out = value;
    }
}

fn clear(counts: &mut [u32], rows: &[u32], ranks: &[u32]) {
    for &record in rows {
        counts[ranks[record as usize] as usize] = 0;
    }
}

/// Numbers so far in two halves, the lower having one more if they are odd.
struct Middle<U> {
    below: BinaryHeap<U>,
    above: BinaryHeap<Reverse<U>>,
}

impl<U: Unit> Middle<U> {
    fn new() -> Self {
        Self {
            below: BinaryHeap::new(),
            above: BinaryHeap::new(),
        }
    }

    fn is_even(&self) -> bool {
        self.below.len() == self.above.len()
    }

    fn add(&mut self, units: U) {
        if self.is_even() {
            self.above.push(Reverse(units));
            self.below
                .extend(self.above.pop().map(|Reverse(units)| units));
        } else {
            self.below.push(units);
            self.above.extend(self.below.pop().map(Reverse));
        }
    }
}
