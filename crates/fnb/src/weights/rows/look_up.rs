//! What a table says of the rows of a variable of many classes, however many parts it has.

use super::tiles::{MEDIUM, TILE, Table};
use crate::terms::PartCodes;
use std::ops::Range;

/// The codes of a tile whose table has a part for each row.
const ROWS_OF_TILE: [u8; TILE] = [0, 1, 2, 3, 4, 5, 6, 7];

/// What a function of the log-probabilities is for the parts of the rows of a variable.
pub(crate) enum LookUp<'a> {
    Narrow {
        codes: &'a [u8],
        table: Table,
    },
    /// Too many parts for the registers: values by part, then class.
    Wide {
        codes: &'a PartCodes,
        values: Vec<f64>,
    },
}

/// Where some rows are in a chunk.
pub(crate) struct Place {
    pub(crate) rows: Range<usize>,
    pub(crate) lanes: Range<usize>,
}

impl<'a> LookUp<'a> {
    /// From values by part, then class.
    pub(crate) fn new(codes: &'a PartCodes, values: Vec<f64>, classes: usize) -> Self {
        let parts = values.len() / classes;
        match codes {
            PartCodes::Narrow(codes) if parts <= MEDIUM => {
                let mut table = Table::new(classes, parts);
                for (class, column) in table.classes().enumerate() {
                    for (part, value) in column.iter_mut().enumerate().take(parts) {
                        *value = values[part * classes + class];
                    }
                }
                Self::Narrow { codes, table }
            }
            codes => Self::Wide { codes, values },
        }
    }

    /// Calls a function with codes and a table of registers for some rows of a chunk, at once or
    /// tile by tile.
    pub(crate) fn for_each(
        &self,
        classes: usize,
        rows: &Range<usize>,
        mut work: impl FnMut(Place, &[u8], &Table),
    ) {
        match self {
            Self::Narrow { codes, table } => {
                let place = Place {
                    rows: 0..rows.len(),
                    lanes: 0..rows.len().div_ceil(TILE) * classes,
                };
                work(place, &codes[rows.clone()], table);
            }
            Self::Wide { codes, values } => {
                let mut table = Table::new(classes, TILE);
                for first in (0..rows.len()).step_by(TILE) {
                    let used = TILE.min(rows.len() - first);
                    for lane in 0..used {
                        let line = codes.get(rows.start + first + lane) * classes;
                        let values = &values[line..line + classes];
                        for (class, value) in table.classes().zip(values) {
                            class[lane] = *value;
                        }
                    }
                    let start = first / TILE * classes;
                    let place = Place {
                        rows: first..first + used,
                        lanes: start..start + classes,
                    };
                    work(place, &ROWS_OF_TILE[..used], &table);
                }
            }
        }
    }

    /// The value of a row and class.
    pub(crate) fn get(&self, row: usize, class: usize, classes: usize) -> f64 {
        match self {
            Self::Narrow { codes, table } => table.get(class, codes[row]),
            Self::Wide { codes, values } => values[codes.get(row) * classes + class],
        }
    }
}
