//! Constructed variables, block by block: evaluated, prepared, and only the parts of the informative
//! ones kept (docs/method.md §10.6).

use crate::Result;
use crate::columns::{Column, ColumnData};
use crate::prepare::{PartCodes, PartIndex, PreparedVariable, Preparer};
use crate::progress::check_not_cancelled;
use crate::relational::{
    Arithmetic, ConstructedText, ConstructedVariable, Database, Evaluator, Expression, Plan,
    TextFeature, text_columns,
};
use rayon::prelude::*;

/// Values of a block of variables take about this many bytes.
const BLOCK_BYTES: usize = 64 << 20;

/// Prepared variables, with the part of every row for the informative ones.
pub(crate) type WithCodes = Vec<(PreparedVariable, Option<PartCodes>)>;

/// Evaluates and prepares constructed variables.
pub(crate) fn prepare_constructed(
    database: &Database,
    variables: &[ConstructedVariable],
    arithmetic: Arithmetic,
    preparer: &Preparer,
) -> Result<WithCodes> {
    let expressions: Vec<Expression> = variables.iter().map(|v| v.expression.clone()).collect();
    let plan = Plan::new(database.schema(), &expressions)?;
    let mut evaluator = Evaluator::new(&plan, database.tables(), arithmetic)?;
    let mut prepared: Vec<Option<(PreparedVariable, Option<PartCodes>)>> =
        variables.iter().map(|_| None).collect();
    for block in evaluator.blocks(BLOCK_BYTES) {
        check_not_cancelled(preparer.progress)?;
        let values = evaluator.columns(&block)?.into_iter();
        let column = |(&i, data): (&usize, ColumnData)| {
            let name = variables[i].name.clone();
            (Column { name, data }, variables[i].cost)
        };
        let columns: Vec<(Column, f64)> = block.iter().zip(values).map(column).collect();
        let found = prepare_priced(columns, preparer);
        for (i, found) in block.into_iter().zip(found) {
            prepared[i] = Some(found);
        }
    }
    let all = prepared.into_iter();
    Ok(all
        .map(|v| v.expect("blocks hold every variable"))
        .collect())
}

/// Counts the tokens of texts, and prepares them.
pub(crate) fn prepare_texts(
    database: &Database,
    texts: &[ConstructedText],
    preparer: &Preparer,
) -> Result<WithCodes> {
    let features: Vec<TextFeature> = texts.iter().map(|text| text.feature.clone()).collect();
    let counts = text_columns(database.tables(), &features)?;
    let column = |(text, counts): (&ConstructedText, _)| {
        let (name, data) = (text.name.clone(), ColumnData::Sparse(counts));
        (Column { name, data }, text.cost)
    };
    Ok(prepare_priced(
        texts.iter().zip(counts).map(column).collect(),
        preparer,
    ))
}

/// Prepares columns, each with the cost of choosing it.
pub(crate) fn prepare_priced(columns: Vec<(Column, f64)>, preparer: &Preparer) -> WithCodes {
    let priced: Vec<(&Column, f64)> = columns.iter().map(|(c, cost)| (c, *cost)).collect();
    let prepared = preparer.prepare(&priced).into_par_iter().zip(columns);
    let with_codes = prepared.map(|(variable, (column, _))| {
        let codes = codes(&variable, &column);
        (variable, codes)
    });
    with_codes.collect()
}

/// The part of every row, if the variable tells something.
pub(crate) fn codes(variable: &PreparedVariable, column: &Column) -> Option<PartCodes> {
    let rows = match &column.data {
        ColumnData::Numeric(column) => column.len(),
        ColumnData::Sparse(column) => column.len(),
        ColumnData::Categorical(column) => column.len(),
        _ => 0,
    };
    let codes = || PartIndex::new(&variable.parts).encode(&column.data, 0..rows);
    let codes = (variable.level > 0.0).then(codes)?;
    Some(codes.expect("parts are of the kind of their column"))
}
