//! Many rows: blocks in parallel. A row's probabilities do not depend on the block it falls into.

use super::bind::{BoundColumn, BoundScorer};
use super::scorer::Scorer;
use crate::evaluate::BLOCK_ROWS;
use crate::prepare::PartCodes;
use rayon::prelude::*;
use std::ops::Range;

impl BoundScorer<'_> {
    /// The probabilities of the rows of `range`, row by row, the classes in class order. Each row
    /// gets the same bits whatever the range and the number of threads.
    pub fn probabilities(&self, range: Range<usize>) -> Vec<f64> {
        self.scorer.in_blocks(range, |scores, rows| {
            for (variable, column) in self.scorer.variables.iter().zip(&self.columns) {
                let table = &variable.table;
                match column {
                    BoundColumn::Numbers(data) => {
                        let codes = variable.index.encode(data, rows.clone());
                        let codes = codes.expect("binding checked the type of the column");
                        self.scorer.add_codes(scores, table, &codes, 0..rows.len());
                    }
                    BoundColumn::Categories { column, part_of } => {
                        let codes = &column.codes()[rows.clone()];
                        let parts = codes.iter().map(|&code| part_of[code as usize] as usize);
                        self.scorer.add(scores, table, parts);
                    }
                    BoundColumn::AllMissing { part } => {
                        let parts = std::iter::repeat_n(*part, rows.len());
                        self.scorer.add(scores, table, parts);
                    }
                }
            }
        })
    }
}

impl Scorer {
    /// The probabilities of the rows that the training already encoded: the codes of the model's
    /// variables, in their order. A model without variables needs the number of rows to be told.
    pub fn probabilities_from_codes(&self, codes: &[&PartCodes], rows: usize) -> Vec<f64> {
        assert_eq!(codes.len(), self.variables.len(), "codes for each variable");
        self.in_blocks(0..rows, |scores, rows| {
            for (variable, codes) in self.variables.iter().zip(codes) {
                self.add_codes(scores, &variable.table, codes, rows.clone());
            }
        })
    }

    /// Starts each block from the log prior, lets `add_terms` add the terms of its rows, and turns
    /// the sums into probabilities.
    fn in_blocks(
        &self,
        range: Range<usize>,
        add_terms: impl Fn(&mut [f64], Range<usize>) + Sync,
    ) -> Vec<f64> {
        let classes = self.classes.len();
        let mut probabilities = vec![0.0; range.len() * classes];
        let of_block = |(block, scores): (usize, &mut [f64])| {
            for row in scores.chunks_exact_mut(classes) {
                row.copy_from_slice(&self.log_prior);
            }
            let start = range.start + block * BLOCK_ROWS;
            add_terms(scores, start..start + scores.len() / classes);
            self.finish(scores);
        };
        if range.len() <= BLOCK_ROWS {
            // A few rows are scored before another thread would have woken up.
            of_block((0, &mut probabilities));
        } else {
            let blocks = probabilities.par_chunks_mut(BLOCK_ROWS * classes);
            blocks.enumerate().for_each(of_block);
        }
        probabilities
    }

    fn add_codes(&self, scores: &mut [f64], table: &[f64], codes: &PartCodes, rows: Range<usize>) {
        match codes {
            PartCodes::Narrow(codes) => {
                self.add(scores, table, codes[rows].iter().map(|&part| part.into()));
            }
            PartCodes::Wide(codes) => {
                self.add(scores, table, codes[rows].iter().map(|&part| part as usize));
            }
        }
    }

    /// Adds the line of each row's part to its scores.
    fn add(&self, scores: &mut [f64], table: &[f64], parts: impl Iterator<Item = usize>) {
        if let 2 = self.classes.len() {
            let (lines, _) = table.as_chunks::<2>();
            for (row, part) in scores.as_chunks_mut::<2>().0.iter_mut().zip(parts) {
                row[0] += lines[part][0];
                row[1] += lines[part][1];
            }
            return;
        }
        let classes = self.classes.len();
        for (row, part) in scores.chunks_exact_mut(classes).zip(parts) {
            for (score, term) in row.iter_mut().zip(&table[part * classes..]) {
                *score += term;
            }
        }
    }
}
