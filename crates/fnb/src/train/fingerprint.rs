//! A short text that tells tables apart: results of one must not be mixed with those of another.

use super::Labelled;
use crate::columns::{ClassWeights, ColumnData, Frame};

impl Labelled {
    /// A short text of the columns, their values, the target, the weights and the fold of every row:
    /// another one for other rows, as good as always.
    ///
    /// ```
    /// # use fnb::columns::{Column, ColumnData, Frame, Target};
    /// # use fnb::Labelled;
    /// # let classes = ColumnData::Categorical(["a", "b"].map(Some).into_iter().collect());
    /// # let target = Target::from_column(&Column { name: "class".into(), data: classes })?;
    /// let data = Labelled::new(Frame::new(2, vec![])?, target);
    /// assert_ne!(data.fingerprint(&[0, 1]), data.fingerprint(&[1, 0]));
    /// # Ok::<(), fnb::Error>(())
    /// ```
    pub fn fingerprint(&self, fold_of_row: &[u32]) -> String {
        let mut hash = Hash(0);
        for (path, frame) in self.database.tables().frames() {
            hash.text(path);
            hash.frame(frame);
        }
        hash.text(self.target.name());
        for class in self.target.classes() {
            hash.text(class);
        }
        hash.codes(self.target.codes());
        if let Some(weights) = self.target.weights() {
            for row in 0..weights.len() {
                hash.word(weights.get(row).to_bits());
            }
        }
        match &self.class_weights {
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
