//! The values of condition operands, for the construction.

use super::{Arithmetic, Evaluator, Plan};
use crate::Result;
use crate::columns::ColumnData;
use crate::relational::construct::OperandValues;
use crate::relational::expression::Expression;
use crate::relational::tables::Tables;

/// Operands of conditions, computed from tables.
#[derive(Debug, Clone, Copy)]
pub struct Operands<'a> {
    tables: &'a Tables,
    arithmetic: Arithmetic,
}

impl Tables {
    /// What conditions are about, for [`construct`](crate::relational::construct): with the arithmetic
    /// that variables are computed with, since bounds lie between values.
    pub fn operands(&self, arithmetic: Arithmetic) -> Operands<'_> {
        Operands {
            tables: self,
            arithmetic,
        }
    }
}

impl OperandValues for Operands<'_> {
    fn root_rows(&self) -> usize {
        self.tables.root_rows() - self.tables.repeated_roots().len()
    }

    fn values(
        &self,
        entity: &str,
        operands: &[Expression],
        at_most: Option<usize>,
    ) -> Result<Vec<Vec<ColumnData>>> {
        let plan = Plan::of_entity(self.tables.schema(), entity, operands)?;
        let variables: Vec<usize> = (0..plan.len()).collect();
        let mut evaluator = Evaluator::new(&plan, self.tables, self.arithmetic)?;
        let columns = evaluator.columns(&variables)?;
        let tables = columns.len() / operands.len().max(1);
        let kept = at_most.and_then(|at_most| self.tables.sampled(entity, at_most));
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
