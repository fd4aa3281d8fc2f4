//! The table of a term for people: few parts an axis, what is there and what the rest of the model expects.

use super::{Correction, Term};
use serde::Serialize;

/// A table of a term, its parts put together where they are too many to look at.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Blocks {
    /// The labels of the parts of each axis.
    pub labels: Vec<Vec<String>>,
    /// The first and the last part of the term that each of these parts is made of.
    #[serde(skip)]
    pub ranges: Vec<Vec<[usize; 2]>>,
    /// The cells, those of the last axis changing fastest.
    pub cells: Vec<Block>,
}

/// A cell of such a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Block {
    /// Training rows of each class.
    pub observed: Vec<u64>,
    /// Those that the rest of the model expects.
    pub expected: Vec<f64>,
    /// By how much each class is more frequent than that, as the model takes it.
    pub factors: Vec<f64>,
}

/// Rows that a surface is taken to agree with, where factors of several cells are averaged.
const AGREED: f64 = 1.0;

impl Term {
    /// Its cells with what the rest of the model expects there, at most `most` parts an axis; `None`
    /// without a correction.
    ///
    /// Neighbours are put together, about as many rows in each; parts in the middle of an axis of groups
    /// are neighbours as well.
    pub fn blocks(&self, most: usize) -> Option<Blocks> {
        let logs = self.correction_logs()?;
        let classes = self.counts.first().map_or(0, Vec::len);
        let alpha = match self.correction.as_ref()? {
            Correction::Cells { alpha, .. } => *alpha,
            Correction::Surface { .. } => AGREED,
        };
        let axes: Vec<Vec<usize>> = (0..self.axes.len()).map(|a| self.coarse(a, most)).collect();
        let sizes = axes
            .iter()
            .map(|part_of| part_of.last().map_or(1, |p| p + 1));
        let sizes: Vec<usize> = sizes.collect();
        let count: usize = sizes.iter().product();
        let mut cells = vec![
            Block {
                observed: vec![0; classes],
                expected: vec![0.0; classes],
                factors: vec![1.0; classes],
            };
            count
        ];
        let mut merged = vec![0; count];
        for cell in 0..self.cells() {
            let (mut rest, mut place, mut times) = (cell, 0, 1);
            for (axis, part_of) in axes.iter().enumerate().rev() {
                let parts = self.axes[axis].parts.len();
                place += times * part_of[rest % parts];
                times *= sizes[axis];
                rest /= parts;
            }
            merged[place] += 1;
            let block = &mut cells[place];
            for class in 0..classes {
                let (n, log) = (self.counts[cell][class], logs[cell * classes + class]);
                block.observed[class] += n;
                block.expected[class] += match self.correction {
                    Some(Correction::Cells { .. }) => (n as f64 + alpha) / log.exp() - alpha,
                    _ => n as f64 / log.exp(),
                };
                block.factors[class] = log.exp();
            }
        }
        for (block, merged) in cells.iter_mut().zip(merged) {
            for class in 0..classes {
                let expected = block.expected[class].max(0.0);
                block.expected[class] = expected;
                if merged > 1 {
                    let observed = block.observed[class] as f64;
                    block.factors[class] = (observed + alpha) / (expected + alpha);
                }
            }
        }
        let ranges: Vec<Vec<[usize; 2]>> = axes.iter().map(|part_of| ranges(part_of)).collect();
        let labels = self.axes.iter().zip(&ranges).map(|(axis, ranges)| {
            let label = |&[first, last]: &[usize; 2]| axis.parts.label_of_range(first, last);
            ranges.iter().map(label).collect()
        });
        Some(Blocks {
            labels: labels.collect(),
            ranges,
            cells,
        })
    }

    /// The part that each part of an axis belongs to when there must be few.
    fn coarse(&self, axis: usize, most: usize) -> Vec<usize> {
        let rows = self.rows_by_part(axis);
        if rows.len() <= most {
            return (0..rows.len()).collect();
        }
        let total: f64 = rows.iter().sum();
        let (mut before, mut part, mut last) = (0.0, 0, 0);
        let mut of = |(i, rows): (usize, &f64)| {
            let wanted = ((before + 0.5 * rows) / total.max(1.0) * most as f64) as usize;
            before += rows;
            if i > 0 && wanted > last {
                part += 1;
            }
            last = wanted.max(last);
            part
        };
        rows.iter().enumerate().map(&mut of).collect()
    }
}

/// The first and the last of the neighbours that are put together.
fn ranges(part_of: &[usize]) -> Vec<[usize; 2]> {
    let mut ranges: Vec<[usize; 2]> = Vec::new();
    for (i, &part) in part_of.iter().enumerate() {
        match ranges.get_mut(part) {
            Some([_, last]) => *last = i,
            None => ranges.push([i, i]),
        }
    }
    ranges
}
