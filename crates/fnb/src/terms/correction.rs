//! What the rows of a cell tell beyond the rest of the model (docs/method.md §12).

use super::Term;
use super::surface::{NO_AXIS, Polynomials, degrees, polynomials, surface};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Factors by which each class is more or less frequent in a cell than the rest of the model says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Correction {
    /// A factor per cell and class, `(count + alpha) / (expected + alpha)`.
    Cells {
        /// Imaginary rows of every class in every cell that agree with the rest of the model.
        alpha: f64,
        /// By cell, then class: the rows that the rest of the model expects. It may be a little below 0,
        /// by less than `alpha`, where tables of the same variables were put together.
        expected: Vec<Vec<f64>>,
        /// By cell, the part that the variable has on its own and whose weighted counts are its score, if
        /// cells are finer than these parts.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        within: Vec<usize>,
    },
    /// Logarithms of factors that are a surface over the ranks of the parts: products of polynomials.
    Surface {
        /// By function, then class. The functions of two axes are the products of the Legendre
        /// polynomials of degrees 1 to 3 of both, those of the first axis changing slowest; of one axis,
        /// those of degrees 1 to 6.
        coefficients: Vec<Vec<f64>>,
    },
}

impl Correction {
    /// The correction that multiplies by given factors, in logarithms by cell, then class.
    pub(crate) fn of_logs(
        logs: &[f64],
        counts: &[Vec<u64>],
        alpha: f64,
        within: Vec<usize>,
    ) -> Self {
        let classes = counts.first().map_or(1, Vec::len);
        let line = |(counts, logs): (&Vec<u64>, &[f64])| {
            let cells = counts.iter().zip(logs);
            cells
                .map(|(&n, log)| (n as f64 + alpha) / log.exp() - alpha)
                .collect()
        };
        let lines = counts.iter().zip(logs.chunks_exact(classes));
        Self::Cells {
            alpha,
            expected: lines.map(line).collect(),
            within,
        }
    }
}

impl Term {
    /// The logarithms of the factors of its correction, by cell, then class; `None` without one.
    pub(crate) fn correction_logs(&self) -> Option<Vec<f64>> {
        let classes = self.counts.first().map_or(0, Vec::len);
        match self.correction.as_ref()? {
            Correction::Cells {
                alpha, expected, ..
            } => {
                let lines = self.counts.iter().zip(expected);
                let logs = lines.flat_map(|(counts, expected)| {
                    let cells = counts.iter().zip(expected);
                    cells.map(|(&n, e)| ((n as f64 + alpha) / (e + alpha)).ln())
                });
                Some(logs.collect())
            }
            Correction::Surface { coefficients } => {
                let axes: Vec<Vec<Polynomials>> = (0..self.axes.len())
                    .map(|axis| {
                        let missing = self.axes.len() > 1 && self.axes[axis].parts.has_missing();
                        polynomials(&self.rows_by_part(axis), missing)
                    })
                    .collect();
                let second = axes.get(1).map_or(&NO_AXIS[..], Vec::as_slice);
                let coefficients: Vec<f64> = coefficients.iter().flatten().copied().collect();
                let degrees = degrees(axes.len());
                Some(surface(
                    [&axes[0], second],
                    &degrees,
                    &coefficients,
                    classes,
                ))
            }
        }
    }

    /// The part that the variable has on its own of every cell, if cells are finer than these.
    pub(crate) fn within(&self) -> Option<&[usize]> {
        match &self.correction {
            Some(Correction::Cells { within, .. }) if !within.is_empty() => Some(within),
            _ => None,
        }
    }

    /// The training rows by class of the parts that the variable has on its own, which the weight is for: those
    /// of the cells, unless a curve makes cells finer.
    pub fn own_counts(&self) -> Cow<'_, [Vec<u64>]> {
        let Some(within) = self.within() else {
            return Cow::Borrowed(&self.counts);
        };
        let parts = within.last().map_or(0, |part| part + 1);
        let mut merged = vec![vec![0; self.counts.first().map_or(0, Vec::len)]; parts];
        for (line, &part) in self.counts.iter().zip(within) {
            for (sum, n) in merged[part].iter_mut().zip(line) {
                *sum += n;
            }
        }
        Cow::Owned(merged)
    }

    /// Values of the parts that the weight is for, so many each → those of the cells.
    pub(super) fn by_cell(&self, by_part: Vec<f64>, each: usize) -> Vec<f64> {
        let Some(within) = self.within() else {
            return by_part;
        };
        let lines = within.iter().map(|part| &by_part[part * each..][..each]);
        lines.flatten().copied().collect()
    }

    /// The term as it is at a weight without a correction, in the parts that it has on its own.
    #[must_use]
    pub fn uncorrected(&self, weight: f64) -> Self {
        let mut term = Self {
            weight,
            correction: None,
            counts: self.own_counts().into_owned(),
            ..self.clone()
        };
        if let Some(within) = self.within() {
            let part_of: Vec<u32> = within.iter().map(|&part| part as u32).collect();
            term.axes[0].parts = term.axes[0].parts.merged(&part_of);
        }
        term
    }

    /// Training rows of every part of an axis.
    pub(super) fn rows_by_part(&self, axis: usize) -> Vec<f64> {
        let after: usize = self.axes[axis + 1..]
            .iter()
            .map(|a| a.parts.len())
            .product();
        let parts = self.axes[axis].parts.len();
        let mut rows = vec![0_u64; parts];
        for cell in 0..self.cells() {
            rows[cell / after % parts] += self.rows_of(cell);
        }
        rows.into_iter().map(|rows| rows as f64).collect()
    }
}
