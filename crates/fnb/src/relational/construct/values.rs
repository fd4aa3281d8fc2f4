//! What the construction asks of the data.

use crate::Result;
use crate::columns::ColumnData;
use crate::relational::Expression;

/// The values of operands, for the parts that conditions are made of (docs/method.md §10.5).
pub trait OperandValues {
    /// Number of training rows: records of the root.
    fn root_rows(&self) -> usize;

    /// For each operand of records of an entity, its values in every record that training rows lead
    /// to: one column per data path of that entity. The records of a look-up table are taken once,
    /// all of them. With `at_most`, those of the reference's sample of so many records (docs/method.md
    /// §10.5).
    fn values(
        &self,
        entity: &str,
        operands: &[Expression],
        at_most: Option<usize>,
    ) -> Result<Vec<Vec<ColumnData>>>;
}
