//! Many rows: blocks in parallel. A row's probabilities do not depend on the block it falls into.

use super::BLOCK_ROWS;
use super::bind::{BoundAxis, BoundScorer};
use super::scorer::{ScoredTerm, Scorer};
use crate::terms::PartCodes;
use rayon::prelude::*;
use std::ops::Range;

impl BoundScorer<'_> {
    /// The probabilities of the rows of `range`, row by row, the classes in class order. Each row
    /// gets the same bits whatever the range and the number of threads.
    pub fn probabilities(&self, range: Range<usize>) -> Vec<f64> {
        self.scorer.in_blocks(range, |scores, rows| {
            self.add_terms(scores, rows);
            self.scorer.finish(scores);
        })
    }

    /// The scores that probabilities are made of, `ln P(class) + Σ w · ln p(cell|class)`, in the same order.
    pub fn scores(&self, range: Range<usize>) -> Vec<f64> {
        self.scorer
            .in_blocks(range, |scores, rows| self.add_terms(scores, rows))
    }

    fn add_terms(&self, scores: &mut [f64], rows: Range<usize>) {
        for (term, axes) in self.scorer.terms.iter().zip(&self.terms) {
            match axes.as_slice() {
                [axis] => self.add_axis(scores, term, axis, rows.clone()),
                axes => self.add_cells(scores, term, axes, rows.clone()),
            }
        }
    }

    /// Adds a term of one variable.
    fn add_axis(
        &self,
        scores: &mut [f64],
        term: &ScoredTerm,
        axis: &BoundAxis,
        rows: Range<usize>,
    ) {
        let (scorer, table) = (self.scorer, &term.table);
        match axis {
            BoundAxis::Numbers(data) => {
                let codes = term.axes[0].index.encode(data, rows.clone());
                let codes = codes.expect("binding checked the type of the column");
                scorer.add_codes(scores, table, &codes, 0..rows.len());
            }
            BoundAxis::Categories {
                column, part_of, ..
            } => {
                let codes = &column.codes()[rows];
                let parts = codes.iter().map(|&code| part_of[code as usize] as usize);
                scorer.add(scores, table, parts);
            }
            BoundAxis::AllMissing { part } => {
                scorer.add(scores, table, std::iter::repeat_n(*part, rows.len()));
            }
        }
    }

    /// Adds a term of several variables: their parts make a cell.
    fn add_cells(
        &self,
        scores: &mut [f64],
        term: &ScoredTerm,
        axes: &[BoundAxis],
        rows: Range<usize>,
    ) {
        let mut cells = vec![0; rows.len()];
        for (axis, bound) in term.axes.iter().zip(axes) {
            let parts = axis.index.parts();
            let next = |cell: &mut usize, part: usize| *cell = *cell * parts + part;
            let cells = cells.iter_mut();
            match bound {
                BoundAxis::Numbers(data) => {
                    let codes = axis.index.encode(data, rows.clone());
                    let codes = codes.expect("binding checked the type of the column");
                    cells
                        .enumerate()
                        .for_each(|(row, cell)| next(cell, codes.get(row)));
                }
                BoundAxis::Categories {
                    column, part_of, ..
                } => {
                    let codes = &column.codes()[rows.clone()];
                    let codes = codes.iter().map(|&code| part_of[code as usize] as usize);
                    cells.zip(codes).for_each(|(cell, part)| next(cell, part));
                }
                BoundAxis::AllMissing { part } => cells.for_each(|cell| next(cell, *part)),
            }
        }
        self.scorer.add(scores, &term.table, cells.into_iter());
    }
}

impl Scorer {
    /// The probabilities of the rows that the training already encoded: the cells of the terms of the
    /// model, in their order. A model without terms needs the number of rows to be told.
    pub fn probabilities_from_codes(&self, codes: &[&PartCodes], rows: usize) -> Vec<f64> {
        assert_eq!(codes.len(), self.terms.len(), "codes for each term");
        self.in_blocks(0..rows, |scores, rows| {
            for (term, codes) in self.terms.iter().zip(codes) {
                self.add_codes(scores, &term.table, codes, rows.clone());
            }
            self.finish(scores);
        })
    }

    /// Starts each block from the log prior and lets `score` do the rest for its rows.
    fn in_blocks(
        &self,
        range: Range<usize>,
        score: impl Fn(&mut [f64], Range<usize>) + Sync,
    ) -> Vec<f64> {
        let classes = self.classes.len();
        let mut scores = vec![0.0; range.len() * classes];
        let of_block = |(block, scores): (usize, &mut [f64])| {
            for row in scores.chunks_exact_mut(classes) {
                row.copy_from_slice(&self.log_prior);
            }
            let start = range.start + block * BLOCK_ROWS;
            score(scores, start..start + scores.len() / classes);
        };
        if range.len() <= BLOCK_ROWS {
            // A few rows are scored before another thread would have woken up.
            of_block((0, &mut scores));
        } else {
            let blocks = scores.par_chunks_mut(BLOCK_ROWS * classes);
            blocks.enumerate().for_each(of_block);
        }
        scores
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

    /// Adds the line of each row's cell to its scores.
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
