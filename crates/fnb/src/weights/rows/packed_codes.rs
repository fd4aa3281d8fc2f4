//! Part codes of two-class rows, several to a byte, so that one look-up serves several rows.

use super::kernels::{self, CHUNK};
use super::tiles::{self, NARROW};
use crate::terms::PartCodes;
use std::ops::Range;

/// Below this number of rows, building the longer tables costs more than they save.
const ROWS_WORTH_PACKING: usize = 16_384;
/// Number of bytes, hence of lines of a table.
const BYTES: usize = 256;

/// The codes of some rows.
#[derive(Debug)]
pub(crate) enum PackedCodes {
    /// `per_byte` codes in each byte, the first in its low bits.
    Packed { per_byte: usize, bytes: Vec<u8> },
    /// At most sixteen parts, looked up by permutations of registers.
    Permuted(Vec<u8>),
    /// More than 256 parts.
    Wide(Vec<u32>),
}

/// What a look-up gives for each part, laid out for the codes it is used with.
#[derive(Debug)]
pub(crate) struct Table {
    /// For packed codes: a line of `per_byte` numbers for each byte.
    lines: Vec<f64>,
}

impl PackedCodes {
    /// The codes of the given rows, in that order.
    pub(crate) fn new(codes: &PartCodes, parts: usize, rows: &[u32]) -> Self {
        let codes = match codes {
            PartCodes::Narrow(codes) => codes,
            PartCodes::Wide(codes) => {
                return Self::Wide(rows.iter().map(|&row| codes[row as usize]).collect());
            }
        };
        if parts <= NARROW && tiles::has_permutations() {
            return Self::Permuted(rows.iter().map(|&row| codes[row as usize]).collect());
        }
        let per_byte = match parts {
            _ if rows.len() < ROWS_WORTH_PACKING => 1,
            0..=2 => 8,
            3..=4 => 4,
            5..=16 => 2,
            _ => 1,
        };
        let bits = 8 / per_byte;
        let pack = |rows: &[u32]| {
            let codes = rows.iter().map(|&row| codes[row as usize]).enumerate();
            codes.fold(0, |byte, (i, code)| byte | (code << (i * bits)))
        };
        let bytes = rows.chunks(per_byte).map(pack).collect();
        Self::Packed { per_byte, bytes }
    }

    /// The code of a row.
    pub(crate) fn get(&self, row: usize) -> usize {
        match self {
            Self::Packed { per_byte, bytes } => {
                let bits = 8 / per_byte;
                let byte = usize::from(bytes[row / per_byte]);
                (byte >> (row % per_byte * bits)) & ((1 << bits) - 1)
            }
            Self::Permuted(codes) => codes[row].into(),
            Self::Wide(codes) => codes[row] as usize,
        }
    }

    /// The table of one number per part.
    pub(crate) fn table(&self, values: &[f64]) -> Table {
        let per_byte = match self {
            Self::Packed { per_byte, .. } => *per_byte,
            Self::Permuted(_) => {
                let mut lines = values.to_vec();
                lines.resize(NARROW, 0.0);
                return Table { lines };
            }
            Self::Wide(_) => {
                return Table {
                    lines: values.to_vec(),
                };
            }
        };
        if per_byte == 1 {
            let mut lines = values.to_vec();
            lines.resize(BYTES, 0.0);
            return Table { lines };
        }
        let bits = 8 / per_byte;
        let value = |byte: usize, i: usize| {
            let code = (byte >> (i * bits)) & ((1 << bits) - 1);
            // No row has a code beyond the last part.
            values.get(code).copied().unwrap_or(0.0)
        };
        let lines = (0..BYTES).flat_map(|byte| (0..per_byte).map(move |i| value(byte, i)));
        Table {
            lines: lines.collect(),
        }
    }

    /// The numbers of at most [`CHUNK`] rows, the first of which must be a multiple of 8; values
    /// beyond the last row are arbitrary.
    pub(crate) fn look_up(&self, table: &Table, rows: Range<usize>, values: &mut [f64; CHUNK]) {
        match self {
            Self::Packed { per_byte, bytes } => {
                let bytes = &bytes[rows.start / per_byte..rows.end.div_ceil(*per_byte)];
                match per_byte {
                    8 => kernels::look_up_octets(lines_of(table), bytes, values),
                    4 => kernels::look_up_quads(lines_of(table), bytes, values),
                    2 => kernels::look_up_pairs(lines_of(table), bytes, values),
                    _ => kernels::look_up(lines_of(table), bytes, values),
                }
            }
            Self::Permuted(codes) => {
                let table = table.lines.first_chunk().expect("filled up");
                let values = &mut values[..rows.len()];
                tiles::look_up(table, &codes[rows], values);
            }
            Self::Wide(codes) => {
                for (value, &code) in values.iter_mut().zip(&codes[rows]) {
                    *value = table.lines[code as usize];
                }
            }
        }
    }
}

fn lines_of<const N: usize>(table: &Table) -> &[[f64; N]; BYTES] {
    let lines = table.lines.as_chunks::<N>().0;
    lines
        .first_chunk()
        .expect("a table has a line for each byte")
}
