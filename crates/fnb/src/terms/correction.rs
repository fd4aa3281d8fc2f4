//! What the rows of a cell tell beyond the rest of the model (docs/method.md §12).

use super::Term;
use super::surface::{NO_AXIS, Polynomials, degrees, polynomials, surface};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
    pub(crate) fn of_logs(logs: &[f64], counts: &[Vec<u64>], alpha: f64) -> Self {
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
        }
    }
}

impl Term {
    /// The logarithms of the factors of its correction, by cell, then class; `None` without one.
    pub(crate) fn correction_logs(&self) -> Option<Vec<f64>> {
        let classes = self.counts.first().map_or(0, Vec::len);
        match self.correction.as_ref()? {
            Correction::Cells { alpha, expected } => {
                let lines = self.counts.iter().zip(expected);
                let logs = lines.flat_map(|(counts, expected)| {
                    let cells = counts.iter().zip(expected);
                    cells.map(|(&n, e)| ((n as f64 + alpha) / (e + alpha)).ln())
                });
                Some(logs.collect())
            }
            Correction::Surface { coefficients } => {
                let axes: Vec<Vec<Polynomials>> = (0..self.axes.len())
                    .map(|axis| polynomials(&self.rows_by_part(axis)))
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
