//! A numerical column as its distinct values in increasing order, with their classes.

use super::cumulated::TwoClassParts;
use super::interval_search::ElementaryParts;
use crate::columns::row_weights::RunningRows;
use crate::columns::{NumericColumn, Outcomes, RowWeights, SparseColumn};
use crate::math::decimal::round_to_10_digits;
use crate::math::order_key::{KEY_BITS, key_of, value_of};
use crate::prepare::class_counts::{ClassCount, ClassCounts};

/// Low bits of a sort key that hold the class; `columns::MAX_CLASSES` fits in them.
const CLASS_BITS: u32 = 64 - KEY_BITS;
const CLASS_MASK: u64 = (1 << CLASS_BITS) - 1;

/// A number and an outcome as one integer: sorting it sorts by number, then outcome.
pub(crate) fn number_and_outcome(value: f64, outcome: u32) -> u64 {
    key_of(value) << CLASS_BITS | u64::from(outcome)
}

/// Distinct values in increasing order, a missing one first (docs/method.md §1.2).
#[derive(Debug)]
pub(crate) struct SortedValues {
    /// Order keys of the values.
    keys: Vec<u64>,
    /// Number of rows up to each value, itself included.
    pub(crate) cumulated: Vec<u32>,
    classes: ValueClasses,
}

/// Rows of each value by class.
#[derive(Debug)]
enum ValueClasses {
    /// With two classes, the rows of the second one up to each value, itself included.
    Two(Vec<u32>),
    Many(ClassCounts),
}

impl SortedValues {
    /// Sorts the column. A key and its class share one integer: rows need not be carried along,
    /// and a sort of plain integers is several times faster than one of pairs.
    pub(crate) fn new(column: &NumericColumn, outcomes: &Outcomes, scratch: &mut Vec<u64>) -> Self {
        if let Some(weights) = outcomes.weights() {
            let rows = column.values().iter().zip(outcomes.codes());
            let keys = rows.map(|(&value, &class)| number_and_outcome(value, class));
            let rows = keys.zip(weights.units().iter().copied()).collect();
            return Self::weighted(rows, outcomes.len());
        }
        scratch.clear();
        let rows = column.values().iter().zip(outcomes.codes());
        scratch.extend(rows.map(|(&value, &class)| number_and_outcome(value, class)));
        scratch.sort_unstable();

        let differs = |pair: &[u64]| usize::from(pair[0] >> CLASS_BITS != pair[1] >> CLASS_BITS);
        let distinct = 1 + scratch.windows(2).map(differs).sum::<usize>();
        let mut values = Self::with_capacity(outcomes.len(), distinct);
        values.push_sorted(scratch);
        values
    }

    /// Sorts the rows that are not 0 and puts all others, by class, at their place among them.
    pub(crate) fn of_sparse(
        column: &SparseColumn,
        outcomes: &Outcomes,
        scratch: &mut Vec<u64>,
    ) -> Self {
        if let Some(weights) = outcomes.weights() {
            return Self::weighted(weighted_rows(column, outcomes, weights), outcomes.len());
        }
        let mut zeros: Vec<u32> = outcomes
            .counts()
            .iter()
            .map(|&count| count as u32)
            .collect();
        scratch.clear();
        let zero = key_of(0.0);
        scratch.extend(column.entries().filter_map(|(row, value)| {
            let (class, key) = (outcomes.codes()[row as usize], key_of(value));
            // The smallest numbers of all have the key of 0.
            (key != zero).then(|| {
                zeros[class as usize] -= 1;
                key << CLASS_BITS | u64::from(class)
            })
        }));
        scratch.sort_unstable();
        let (below, above) =
            scratch.split_at(scratch.partition_point(|key| key >> CLASS_BITS < zero));
        let mut values = Self::with_capacity(outcomes.len(), 2);
        values.push_sorted(below);
        if scratch.len() < column.len() {
            values.push_counts(zero, &zeros);
        }
        values.push_sorted(above);
        values
    }

    /// Rows with weights, as keys that carry the class and units of weight. The weights of each class
    /// are added up in the order of the values and rounded to whole rows (docs/method.md §1.6). Values
    /// that are left without a row are not there.
    pub(crate) fn weighted(mut rows: Vec<(u64, u64)>, classes: usize) -> Self {
        rows.retain(|(_, units)| *units > 0);
        rows.sort_unstable_by_key(|(key, _)| *key);

        let mut sorted = Self::with_capacity(classes, 0);
        let mut running = RunningRows::new(classes);
        let (mut total, mut second_class, mut line) = (0, 0, Vec::new());
        for value in rows.chunk_by(|a, b| a.0 >> CLASS_BITS == b.0 >> CLASS_BITS) {
            line.clear();
            for rows in value.chunk_by(|a, b| a.0 == b.0) {
                let class = (rows[0].0 & CLASS_MASK) as u32;
                let count = running.add(class, rows.iter().map(|(_, units)| units).sum());
                line.push(ClassCount { class, count });
            }
            line.retain(|entry| entry.count > 0);
            if line.is_empty() {
                continue;
            }
            total += line.iter().map(|entry| entry.count).sum::<u32>();
            sorted.keys.push(value[0].0 >> CLASS_BITS);
            sorted.cumulated.push(total);
            match &mut sorted.classes {
                ValueClasses::Two(cumulated) => {
                    let second = line.iter().filter(|entry| entry.class == 1);
                    second_class += second.map(|entry| entry.count).sum::<u32>();
                    cumulated.push(second_class);
                }
                ValueClasses::Many(counts) => {
                    for entry in &line {
                        counts.add(entry.class, entry.count);
                    }
                    counts.end_line();
                }
            }
        }
        sorted
    }

    fn with_capacity(classes: usize, distinct: usize) -> Self {
        Self {
            keys: Vec::with_capacity(distinct),
            cumulated: Vec::with_capacity(distinct),
            classes: match classes {
                2 => ValueClasses::Two(Vec::with_capacity(distinct)),
                classes => ValueClasses::Many(ClassCounts::with_capacity(classes, distinct)),
            },
        }
    }

    /// Adds rows whose values are all above those so far, as sorted keys that carry the class.
    fn push_sorted(&mut self, sorted: &[u64]) {
        let mut rows = self.cumulated.last().copied().unwrap_or(0);
        let mut second_class = self.second_class();
        for value in sorted.chunk_by(|a, b| a >> CLASS_BITS == b >> CLASS_BITS) {
            rows += value.len() as u32;
            self.keys.push(value[0] >> CLASS_BITS);
            self.cumulated.push(rows);
            match &mut self.classes {
                ValueClasses::Two(cumulated) => {
                    second_class += value.iter().map(|key| (key & 1) as u32).sum::<u32>();
                    cumulated.push(second_class);
                }
                ValueClasses::Many(counts) => {
                    for class in value.chunk_by(|a, b| a == b) {
                        counts.add((class[0] & CLASS_MASK) as u32, class.len() as u32);
                    }
                    counts.end_line();
                }
            }
        }
    }

    /// Adds one value above those so far, by its rows of each class.
    fn push_counts(&mut self, key: u64, class_counts: &[u32]) {
        let rows = self.cumulated.last().copied().unwrap_or(0);
        let second_class = self.second_class();
        self.keys.push(key);
        self.cumulated.push(rows + class_counts.iter().sum::<u32>());
        match &mut self.classes {
            ValueClasses::Two(cumulated) => cumulated.push(second_class + class_counts[1]),
            ValueClasses::Many(counts) => counts.push_dense(class_counts),
        }
    }

    /// Rows of the second of two classes so far.
    fn second_class(&self) -> u32 {
        match &self.classes {
            ValueClasses::Two(cumulated) => cumulated.last().copied().unwrap_or(0),
            ValueClasses::Many(_) => 0,
        }
    }

    /// The rows by class of consecutive ranges of values; `ends` are their exclusive ends.
    pub(crate) fn table(&self, ends: &[u32]) -> ClassCounts {
        match &self.classes {
            ValueClasses::Two(second_class) => {
                let mut table = ClassCounts::with_capacity(2, ends.len());
                self.for_each_range(second_class, ends, |_, counts| table.push_dense(&counts));
                table
            }
            ValueClasses::Many(counts) => counts.merge_ranges(ends.iter().map(|&end| end as usize)),
        }
    }

    /// The same with pure neighbours of one class fused, but for the first one, and the ends of what is
    /// left.
    pub(crate) fn fused_parts(&self, ends: &[u32]) -> (ElementaryParts, Vec<u32>) {
        let ValueClasses::Two(second_class) = &self.classes else {
            let (fused, lines) = self.table(ends).fuse_pure();
            let ends = lines.into_iter().map(|line| ends[line - 1]).collect();
            return (ElementaryParts::Many(fused), ends);
        };
        let mut fused = TwoClassParts::with_capacity(ends.len());
        let mut fused_ends = Vec::with_capacity(ends.len());
        let (mut part, mut part_end) = ([0, 0], 0);
        self.for_each_range(second_class, ends, |end, [first, second]| {
            let same_class = (first == 0 && part[0] == 0) || (second == 0 && part[1] == 0);
            let alone = fused_ends.is_empty();
            if part_end > 0 && (alone || !same_class) {
                fused.push(part);
                fused_ends.push(part_end);
                part = [0, 0];
            }
            part = [part[0] + first, part[1] + second];
            part_end = end;
        });
        fused.push(part);
        fused_ends.push(part_end);
        (ElementaryParts::Two(fused), fused_ends)
    }

    /// Calls `f` with the end of each range and its rows of the two classes: differences of
    /// cumulated counts, so that few ranges are as cheap as their number.
    #[inline]
    fn for_each_range(&self, second_class: &[u32], ends: &[u32], mut f: impl FnMut(u32, [u32; 2])) {
        let mut before = [0, 0];
        for &end in ends {
            let last = end as usize - 1;
            let second = second_class[last];
            let reached = [self.cumulated[last] - second, second];
            f(end, [reached[0] - before[0], reached[1] - before[1]]);
            before = reached;
        }
    }

    /// Number of distinct values, missing counted as one.
    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// A value; NaN is the missing one. Its 10 digits are those of the column.
    pub(crate) fn value(&self, i: usize) -> f64 {
        round_to_10_digits(value_of(self.keys[i]))
    }

    /// The position of a value, or of the one that has its rows if rounding weights has left it none.
    pub(crate) fn position(&self, value: f64) -> usize {
        let key = key_of(value);
        let position = self.keys.partition_point(|&other| other < key);
        position.min(self.keys.len() - 1)
    }

    /// Number of missing rows.
    pub(crate) fn missing(&self) -> usize {
        match self.keys.first() {
            Some(0) => self.cumulated[0] as usize,
            _ => 0,
        }
    }
}

/// The rows of a sparse column with their units of weight; those that are 0 are one row per class.
fn weighted_rows(
    column: &SparseColumn,
    outcomes: &Outcomes,
    weights: &RowWeights,
) -> Vec<(u64, u64)> {
    let with_class = |key: u64, class: u32| key << CLASS_BITS | u64::from(class);
    let mut zeros = vec![0; outcomes.len()];
    for (&class, &units) in outcomes.codes().iter().zip(weights.units()) {
        zeros[class as usize] += units;
    }
    let mut rows = Vec::with_capacity(column.entries().len() + zeros.len());
    for (row, value) in column.entries() {
        let (class, units) = (
            outcomes.codes()[row as usize],
            weights.units()[row as usize],
        );
        zeros[class as usize] -= units;
        rows.push((with_class(key_of(value), class), units));
    }
    let zeros = (0..).zip(zeros);
    rows.extend(zeros.map(|(class, units)| (with_class(key_of(0.0), class), units)));
    rows
}
