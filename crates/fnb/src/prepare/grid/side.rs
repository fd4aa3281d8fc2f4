//! One side of a grid: an input by distinct value, and its elementary parts at each granularity.

use crate::columns::{ColumnData, Outcomes, VariableKind};
use crate::prepare::counts::Counted;
use crate::prepare::discretize::{intervals, quantile_ends};
use crate::prepare::group::{Labels, Listing, values_told_apart};
use crate::terms::Parts;

/// An input of grids.
pub(crate) struct Side<'a> {
    counted: Counted<'a>,
    /// The distinct value of every row, in the order of the searches.
    pub(crate) codes: Vec<u32>,
}

impl<'a> Side<'a> {
    pub(crate) fn new(data: &'a ColumnData, outcomes: &Outcomes, scratch: &mut Vec<u64>) -> Self {
        let counted = Counted::of(data, outcomes, scratch);
        let codes = match (&counted, data) {
            (Counted::Numbers(values), ColumnData::Numeric(column)) => {
                let position = |&value: &f64| values.position(value) as u32;
                column.values().iter().map(position).collect()
            }
            (Counted::Numbers(values), ColumnData::Sparse(column)) => {
                let mut codes = vec![values.position(0.0) as u32; outcomes.rows()];
                for (row, value) in column.entries() {
                    codes[row as usize] = values.position(value) as u32;
                }
                codes
            }
            (Counted::Categories { values, counts }, ColumnData::Categorical(column)) => {
                // Values seen once, and those that rounding weights has left no row, are the last one.
                let last = counts.codes.len().saturating_sub(1) as u32;
                let mut entry_of = vec![last; values.len()];
                for (entry, &code) in counts.codes.iter().enumerate() {
                    entry_of[code as usize] = entry as u32;
                }
                let entry = |&code: &u32| entry_of[code as usize];
                column.codes().iter().map(entry).collect()
            }
            _ => unreachable!("counts are of the kind of their column"),
        };
        Self { counted, codes }
    }

    /// Its values, in the order of their codes.
    pub(crate) fn counted(&self) -> &Counted<'a> {
        &self.counted
    }

    pub(crate) fn kind(&self) -> VariableKind {
        match self.counted {
            Counted::Numbers(_) => VariableKind::Numerical,
            Counted::Categories { .. } => VariableKind::Categorical,
        }
    }

    /// Number of values that can be told apart.
    pub(super) fn len(&self) -> usize {
        match &self.counted {
            Counted::Numbers(values) => values.len(),
            Counted::Categories { counts, .. } => counts.codes.len(),
        }
    }

    /// Exclusive ends, in distinct values, of the elementary parts at a granularity: quantiles, or
    /// frequent values and all others as one.
    pub(super) fn ends(&self, g: u32, rows: usize) -> Vec<u32> {
        match &self.counted {
            Counted::Numbers(values) => quantile_ends(&values.cumulated, g),
            Counted::Categories { counts, .. } => {
                let apart = values_told_apart(counts, g as usize, rows) as u32;
                (1..apart).chain([self.len() as u32]).collect()
            }
        }
    }

    /// The parts of a division as they are shown, and the order in which they are.
    pub(super) fn parts(&self, division: &Division) -> (Parts, Vec<usize>) {
        match &self.counted {
            Counted::Numbers(values) => {
                let parts = intervals(values, &division.part_ends());
                (parts, (0..division.parts).collect())
            }
            Counted::Categories { values, counts } => {
                let labels = Labels {
                    group_of: division.part_of.clone(),
                    groups: division.parts,
                    garbage: 0,
                    cost: 0.0,
                };
                let Listing { parts, order, .. } = Listing::new(values, counts, &labels);
                (parts, order)
            }
        }
    }
}

/// The parts of a side.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Division {
    /// Exclusive ends of the elementary parts, in distinct values.
    pub(super) ends: Vec<u32>,
    /// The part of each of them.
    pub(super) part_of: Vec<u32>,
    /// Number of parts, all with an elementary part.
    pub(super) parts: usize,
}

impl Division {
    /// Every elementary part alone.
    pub(super) fn finest(ends: Vec<u32>) -> Self {
        let parts = ends.len();
        Self {
            part_of: (0..parts as u32).collect(),
            ends,
            parts,
        }
    }

    /// The same parts as nearly as other elementary parts allow: each goes where its last value was.
    pub(super) fn moved_to(&self, ends: Vec<u32>) -> Self {
        let at = |end: &u32| self.part_of[self.ends.partition_point(|e| e < end)];
        let mut division = Self {
            part_of: ends.iter().map(at).collect(),
            ends,
            parts: self.parts,
        };
        division.renumber();
        division
    }

    /// Other parts of the same elementary parts, numbered in order without a gap.
    pub(super) fn set(&mut self, part_of: Vec<u32>) {
        self.parts = part_of.iter().max().map_or(0, |&last| last as usize + 1);
        self.part_of = part_of;
    }

    /// Is each of other elementary parts within one part?
    pub(super) fn exists_at(&self, ends: &[u32]) -> bool {
        let part_of_value = self.by_value(|element| self.part_of[element]);
        let mut start = 0;
        ends.iter().all(|&end| {
            let values = &part_of_value[start..end as usize];
            start = end as usize;
            values.iter().all(|part| *part == values[0])
        })
    }

    /// Leaves out parts without elementary parts; numbers stay in order.
    fn renumber(&mut self) {
        let mut numbers = vec![0; self.parts];
        for &part in &self.part_of {
            numbers[part as usize] = 1;
        }
        let mut next = 0;
        for number in &mut numbers {
            next += std::mem::replace(number, next);
        }
        for part in &mut self.part_of {
            *part = numbers[*part as usize];
        }
        self.parts = next as usize;
    }

    /// For every distinct value, `of` its elementary part.
    pub(super) fn by_value<T: Copy>(&self, of: impl Fn(usize) -> T) -> Vec<T> {
        let mut values = Vec::new();
        for (element, &end) in self.ends.iter().enumerate() {
            values.resize(end as usize, of(element));
        }
        values
    }

    /// Exclusive ends of intervals, in distinct values.
    pub(super) fn part_ends(&self) -> Vec<u32> {
        let next = self.part_of.iter().skip(1).map(Some).chain([None]);
        let elements = self.ends.iter().zip(&self.part_of).zip(next);
        let ends = elements.filter(|((_, part), next)| Some(*part) != *next);
        ends.map(|((end, _), _)| *end).collect()
    }
}
