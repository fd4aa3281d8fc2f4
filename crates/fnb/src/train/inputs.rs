//! Columns and constructed variables → prepared variables with the part of every row. Constructed ones
//! are evaluated block by block, and only the parts of the informative ones kept
//! (docs/method.md §10.6).

use crate::Result;
use crate::columns::{Column, ColumnData, Unlisted};
use crate::prepare::{Input, PreparedInput, Preparer, WithElements};
use crate::progress::check_not_cancelled;
use crate::relational::{
    Arithmetic, ConstructedText, ConstructedVariable, Database, Evaluator, Expression, Plan,
    TextFeature, text_columns,
};
use crate::terms::Origin;
use std::borrow::Cow;

/// Values of a block of variables take about this many bytes.
const BLOCK_BYTES: usize = 64 << 20;

/// Above this number of columns, only informative ones may be in tables over several variables.
pub(super) const MOST_PAIRED: usize = 600;

/// Prepares columns as they are, each at the same price.
pub(super) fn prepare_columns(
    columns: Vec<&Column>,
    database: &Database,
    price: f64,
    elements: WithElements,
    preparer: &Preparer,
) -> Vec<PreparedInput> {
    let root = database.root();
    let is_feature = |column: &Column| root.sparse_table_of(&column.name).is_some();
    let own = columns.iter().filter(|column| !is_feature(column)).count();
    let inputs = columns.into_iter().map(|column| Input {
        name: column.name.clone(),
        from: Origin::Column,
        price,
        data: Cow::Borrowed(&column.data),
        elements: match elements {
            WithElements::Always if own > MOST_PAIRED || is_feature(column) => {
                WithElements::IfInformative
            }
            elements => elements,
        },
        unlisted: matches!(column.data, ColumnData::Sparse(_)).then_some(Unlisted::Zero),
    });
    preparer.prepare(inputs.collect())
}

/// Evaluates and prepares constructed variables.
pub(super) fn prepare_constructed(
    database: &Database,
    variables: &[ConstructedVariable],
    arithmetic: Arithmetic,
    elements: WithElements,
    preparer: &Preparer,
) -> Result<Vec<PreparedInput>> {
    if variables.is_empty() {
        return Ok(Vec::new());
    }
    let expressions: Vec<Expression> = variables.iter().map(|v| v.expression.clone()).collect();
    let plan = Plan::new(database.schema(), &expressions)?;
    let mut evaluator = Evaluator::new(&plan, database.tables(), arithmetic)?;
    let mut prepared: Vec<Option<PreparedInput>> = variables.iter().map(|_| None).collect();
    for block in evaluator.blocks(BLOCK_BYTES) {
        check_not_cancelled(preparer.progress)?;
        let values = evaluator.columns(&block)?.into_iter();
        let input = |(&i, data): (&usize, ColumnData)| Input {
            name: variables[i].name.clone(),
            from: Origin::Expression(variables[i].expression.clone()),
            price: variables[i].cost,
            data: Cow::Owned(data),
            elements,
            unlisted: variables[i].unlisted,
        };
        let inputs: Vec<Input> = block.iter().zip(values).map(input).collect();
        for (i, found) in block.into_iter().zip(preparer.prepare(inputs)) {
            prepared[i] = Some(found);
        }
    }
    let all = prepared.into_iter();
    Ok(all
        .map(|v| v.expect("blocks hold every variable"))
        .collect())
}

/// Counts the tokens of texts, and prepares them.
pub(super) fn prepare_texts(
    database: &Database,
    texts: Vec<ConstructedText>,
    elements: WithElements,
    preparer: &Preparer,
) -> Result<Vec<PreparedInput>> {
    let features: Vec<TextFeature> = texts.iter().map(|text| text.feature.clone()).collect();
    let counts = text_columns(database.tables(), &features)?;
    let input = |(text, counts): (ConstructedText, _)| Input {
        name: text.name,
        from: Origin::Text(text.feature),
        price: text.cost,
        data: Cow::Owned(ColumnData::Sparse(counts)),
        elements,
        unlisted: Some(Unlisted::Zero),
    };
    Ok(preparer.prepare(texts.into_iter().zip(counts).map(input).collect()))
}
