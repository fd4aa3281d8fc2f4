//! A short text that tells tables apart: results of one must not be mixed with those of another.

use fnb::Labelled;
use fnb::columns::{ClassWeights, ColumnData, Frame};

/// Of the columns, their values, the target, the weights and the fold of every row.
pub(crate) fn fingerprint(data: &Labelled, fold_of_row: &[u32]) -> String {
    let mut hash = Hash(0);
    for (path, frame) in data.database.tables().frames() {
        hash.text(path);
        hash.frame(frame);
    }
    hash.text(data.target.name());
    for class in data.target.classes() {
        hash.text(class);
    }
    hash.codes(data.target.codes());
    if let Some(weights) = data.target.weights() {
        for row in 0..weights.len() {
            hash.word(weights.get(row).to_bits());
        }
    }
    match &data.class_weights {
        None => {}
        Some(ClassWeights::Balanced) => hash.text("balanced"),
        Some(ClassWeights::Given(given)) => {
            for (class, weight) in given {
                hash.text(class);
                hash.word(weight.to_bits());
            }
        }
    }
    hash.codes(fold_of_row);
    format!("{:016x}", hash.0)
}

/// Multiplies and rotates; differences by accident are found, ill will is not expected.
struct Hash(u64);

impl Hash {
    fn frame(&mut self, frame: &Frame) {
        for column in frame.columns() {
            self.text(&column.name);
            self.column(&column.data);
        }
    }

    fn column(&mut self, data: &ColumnData) {
        let hash = self;
        match data {
            ColumnData::Numeric(column) => {
                for x in column.values() {
                    hash.word(x.to_bits());
                }
            }
            ColumnData::Sparse(column) => {
                for (row, x) in column.entries() {
                    hash.word(row.into());
                    hash.word(x.to_bits());
                }
            }
            ColumnData::Categorical(column) | ColumnData::Text(column) => {
                for value in column.values().iter() {
                    hash.word(value.is_some().into());
                    hash.text(value.unwrap_or_default());
                }
                hash.codes(column.codes());
            }
            ColumnData::Temporal(column) => {
                for value in column.values() {
                    hash.word(value.cast_unsigned());
                }
            }
            ColumnData::Unused(_) => {}
        }
    }

    fn word(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn codes(&mut self, codes: &[u32]) {
        for &code in codes {
            self.word(code.into());
        }
    }

    fn text(&mut self, text: &str) {
        self.word(text.len() as u64);
        for byte in text.bytes() {
            self.word(byte.into());
        }
    }
}
