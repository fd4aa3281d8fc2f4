//! A numerical column as its distinct values in increasing order, with their classes.

use crate::columns::{NumericColumn, Target};
use crate::math::decimal::round_to_10_digits;
use crate::math::order_key::{KEY_BITS, key_of, value_of};
use crate::prepare::class_counts::ClassCounts;

/// Low bits of a sort key that hold the class; `columns::MAX_CLASSES` fits in them.
const CLASS_BITS: u32 = 64 - KEY_BITS;
const CLASS_MASK: u64 = (1 << CLASS_BITS) - 1;

/// Distinct values in increasing order, a missing one first (docs/method.md §1.2).
#[derive(Debug)]
pub(crate) struct SortedValues {
    /// Order keys of the values.
    keys: Vec<u64>,
    /// Number of rows up to each value, itself included.
    pub(crate) cumulated: Vec<u32>,
    /// Rows of each value by class.
    pub(crate) counts: ClassCounts,
    /// Rows of the second class up to each value, itself included; empty unless there are two.
    second_class: Vec<u32>,
}

impl SortedValues {
    /// Sorts the column. A key and its class share one integer: rows need not be carried along,
    /// and a sort of plain integers is several times faster than one of pairs.
    pub(crate) fn new(column: &NumericColumn, target: &Target, scratch: &mut Vec<u64>) -> Self {
        scratch.clear();
        let rows = column.values().iter().zip(target.codes());
        scratch.extend(rows.map(|(&value, &class)| key_of(value) << CLASS_BITS | u64::from(class)));
        scratch.sort_unstable();

        let mut sorted = Self {
            keys: Vec::new(),
            cumulated: Vec::new(),
            counts: ClassCounts::new(target.classes().len()),
            second_class: Vec::new(),
        };
        let two_classes = target.classes().len() == 2;
        let (mut rows, mut second_class) = (0, 0);
        for value in scratch.chunk_by(|a, b| a >> CLASS_BITS == b >> CLASS_BITS) {
            for class in value.chunk_by(|a, b| a == b) {
                sorted
                    .counts
                    .add((class[0] & CLASS_MASK) as u32, class.len() as u32);
            }
            sorted.counts.end_line();
            rows += value.len() as u32;
            sorted.keys.push(value[0] >> CLASS_BITS);
            sorted.cumulated.push(rows);
            if two_classes {
                let first = value.partition_point(|key| key & CLASS_MASK == 0);
                second_class += (value.len() - first) as u32;
                sorted.second_class.push(second_class);
            }
        }
        sorted
    }

    /// The rows of consecutive ranges of values by class; `ends` are their exclusive ends. With two
    /// classes, differences of cumulated counts: few ranges are as cheap as their number.
    pub(crate) fn table(&self, ends: &[u32]) -> ClassCounts {
        if self.second_class.is_empty() {
            return self
                .counts
                .merge_ranges(ends.iter().map(|&end| end as usize));
        }
        let mut table = ClassCounts::new(2);
        let mut before = [0, 0];
        for &end in ends {
            let last = end as usize - 1;
            let second = self.second_class[last];
            let reached = [self.cumulated[last] - second, second];
            table.push_dense(&[reached[0] - before[0], reached[1] - before[1]]);
            before = reached;
        }
        table
    }

    /// Number of distinct values, missing counted as one.
    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// A value; NaN is the missing one. Its 10 digits are those of the column.
    pub(crate) fn value(&self, i: usize) -> f64 {
        round_to_10_digits(value_of(self.keys[i]))
    }

    /// Number of missing rows.
    pub(crate) fn missing(&self) -> usize {
        match self.keys.first() {
            Some(0) => self.cumulated[0] as usize,
            _ => 0,
        }
    }
}
