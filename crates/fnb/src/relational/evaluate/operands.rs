//! The values of condition operands, for the construction.

use super::{Arithmetic, Evaluator, Plan};
use crate::Result;
use crate::columns::ColumnData;
use crate::relational::construct::{OperandColumn, OperandValues};
use crate::relational::expression::Expression;
use crate::relational::tables::Tables;
use std::sync::Arc;

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
        self.tables.root_rows()
    }

    fn values(
        &self,
        entity: &str,
        operands: &[Expression],
        at_most: Option<usize>,
    ) -> Result<Vec<Vec<OperandColumn>>> {
        let plan = Plan::of_entity(self.tables.schema(), entity, operands)?;
        let variables: Vec<usize> = (0..plan.len()).collect();
        let mut evaluator = Evaluator::new(&plan, self.tables, self.arithmetic)?;
        let columns = evaluator.columns(&variables)?;
        let tables = columns.len() / operands.len().max(1);
        let sampled = at_most.and_then(|at_most| self.tables.sampled(entity, at_most));
        let mut times = Vec::with_capacity(tables);
        if sampled.is_none() {
            for &variable in &variables[..tables] {
                let times_seen = self.tables.times_seen(evaluator.table_of(variable))?;
                times.push(times_seen.map(Arc::new));
            }
        }
        let column = |(variable, values): (usize, ColumnData)| {
            let place = variable % tables;
            // Values of views are there as often as they count.
            let is_of_views = evaluator.is_of_views(variable);
            match &sampled {
                Some(sampled) if is_of_views => values.take(&sampled[place].views).into(),
                Some(sampled) => values.take(&sampled[place].records).into(),
                None if is_of_views => values.into(),
                None => OperandColumn {
                    values,
                    times: times[place].clone(),
                },
            }
        };
        let columns: Vec<OperandColumn> = columns.into_iter().enumerate().map(column).collect();
        if tables == 0 {
            return Ok(vec![Vec::new(); operands.len()]);
        }
        Ok(columns.chunks(tables).map(<[_]>::to_vec).collect())
    }
}
