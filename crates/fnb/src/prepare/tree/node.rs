//! The rows of a node by value of an input and class.

use crate::columns::Outcomes;
use crate::columns::row_weights::RunningRows;
use crate::prepare::class_counts::ClassCounts;

/// The distinct values of an input in a node, in the order of their codes.
pub(super) struct NodeValues {
    /// The code of each value.
    pub(super) codes: Vec<u32>,
    /// Rows of each by class.
    pub(super) counts: ClassCounts,
    /// Rows of each class in the node.
    pub(super) totals: Vec<u32>,
}

impl NodeValues {
    /// Counts rows that come in the order of the codes of their values. Weights are added up in that
    /// order and rounded to whole rows (docs/method.md §1.6); values left without a row are not there.
    pub(super) fn new(rows: &[u32], code_of: &[u32], outcomes: &Outcomes) -> Self {
        let classes = outcomes.len();
        let mut values = Self {
            codes: Vec::new(),
            counts: ClassCounts::new(classes),
            totals: vec![0; classes],
        };
        let mut running = RunningRows::new(classes);
        let mut units = vec![0_u64; classes];
        let mut line = vec![0_u32; classes];
        for same in rows.chunk_by(|&a, &b| code_of[a as usize] == code_of[b as usize]) {
            match outcomes.weights() {
                None => {
                    for &row in same {
                        line[outcomes.codes()[row as usize] as usize] += 1;
                    }
                }
                Some(weights) => {
                    for &row in same {
                        let class = outcomes.codes()[row as usize] as usize;
                        units[class] += weights.units()[row as usize];
                    }
                    for (class, units) in units.iter_mut().enumerate() {
                        line[class] = running.add(class as u32, std::mem::take(units));
                    }
                }
            }
            if line.iter().any(|count| *count > 0) {
                values.codes.push(code_of[same[0] as usize]);
                values.counts.push_dense(&line);
                for (total, count) in values.totals.iter_mut().zip(&mut line) {
                    *total += std::mem::take(count);
                }
            }
        }
        values
    }

    /// Number of values.
    pub(super) fn len(&self) -> usize {
        self.codes.len()
    }

    /// Number of rows.
    pub(super) fn rows(&self) -> usize {
        self.totals.iter().sum::<u32>() as usize
    }

    /// Number of classes that have a row.
    pub(super) fn classes(&self) -> usize {
        self.totals.iter().filter(|total| **total > 0).count()
    }
}
