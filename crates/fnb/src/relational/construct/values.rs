//! What the construction asks of the data.

use crate::Result;
use crate::columns::ColumnData;
use crate::relational::Expression;
use std::sync::Arc;

/// The values of operands, for the parts that conditions are made of (docs/method.md §10.5).
pub trait OperandValues {
    /// Number of training rows: records of the root.
    fn root_rows(&self) -> usize;

    /// For each operand of records of an entity, its values in every record that training rows lead
    /// to: one column per data path of that entity. A record counts once for every row that sees it.
    /// The records of a look-up table are taken once, all of them. With `at_most`, those of the
    /// reference's sample of so many records (docs/method.md §10.5).
    fn values(
        &self,
        entity: &str,
        operands: &[Expression],
        at_most: Option<usize>,
    ) -> Result<Vec<Vec<OperandColumn>>>;
}

/// The values of an operand in the records of one data path.
#[derive(Debug, Clone)]
pub struct OperandColumn {
    /// The values.
    pub values: ColumnData,
    /// How often each of them counts; `None` is once.
    pub times: Option<Arc<Vec<u32>>>,
}

impl OperandColumn {
    /// How often a value counts.
    #[inline]
    pub(super) fn times(&self, row: usize) -> usize {
        self.times.as_ref().map_or(1, |times| times[row] as usize)
    }
}

impl From<ColumnData> for OperandColumn {
    fn from(values: ColumnData) -> Self {
        Self {
            values,
            times: None,
        }
    }
}
