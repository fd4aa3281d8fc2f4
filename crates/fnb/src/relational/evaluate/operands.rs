//! The values of condition operands, for the construction.

use super::{Arithmetic, Evaluator, Plan};
use crate::Result;
use crate::columns::ColumnData;
use crate::relational::construct::OperandValues;
use crate::relational::expression::Expression;
use crate::relational::tables::Tables;

impl OperandValues for Tables {
    fn root_rows(&self) -> usize {
        Tables::root_rows(self) - self.repeated_roots().len()
    }

    fn values(
        &self,
        entity: &str,
        operands: &[Expression],
        at_most: Option<usize>,
    ) -> Result<Vec<Vec<ColumnData>>> {
        let plan = Plan::of_entity(self.schema(), entity, operands)?;
        let variables: Vec<usize> = (0..plan.len()).collect();
        let columns = Evaluator::new(&plan, self, Arithmetic::Exact)?.columns(&variables)?;
        let tables = columns.len() / operands.len().max(1);
        let kept = at_most.and_then(|at_most| self.sampled(entity, at_most));
        let mut columns = columns.into_iter();
        let operand = |_| {
            let of_tables = columns.by_ref().take(tables);
            match &kept {
                None => of_tables.collect(),
                Some(kept) => of_tables.zip(kept).map(|(c, rows)| c.take(rows)).collect(),
            }
        };
        Ok(operands.iter().map(operand).collect())
    }
}
