//! Blocks of rows put together: a table that can be read only once, with columns to keep.

use crate::Batch;
use crate::unreadable::Unreadable;
use fnb::Result;
use fnb::columns::{
    CategoricalColumn, CategoricalColumnBuilder, Column, ColumnData, Frame, NumericColumn,
    TemporalColumn,
};

/// All blocks as one; `None` without any.
pub(crate) fn concat(batches: impl Iterator<Item = Result<Batch>>) -> Result<Option<Batch>> {
    let batches = batches.collect::<Result<Vec<Batch>>>()?;
    let Some(first) = batches.first() else {
        return Ok(None);
    };
    let rows = batches.iter().map(|batch| batch.frame.rows()).sum();
    let columns = first.frame.columns().iter().enumerate().map(|(i, column)| {
        let parts = batches.iter().map(|batch| &batch.frame.columns()[i].data);
        Column {
            name: column.name.clone(),
            data: concat_data(&column.data, parts),
        }
    });
    let frame = Frame::new(rows, columns.collect())?;
    let kept = (0..first.kept.len()).map(|i| texts(batches.iter().map(|batch| &batch.kept[i])));
    let kept = kept.collect();
    // Told by the stream that the blocks come from.
    let unreadable = Unreadable::default();
    Ok(Some(Batch {
        frame,
        kept,
        unreadable,
    }))
}

/// Columns of one type, one after the other.
fn concat_data<'a>(
    first: &ColumnData,
    parts: impl Iterator<Item = &'a ColumnData> + Clone,
) -> ColumnData {
    let categories = parts.clone().filter_map(|data| match data {
        ColumnData::Categorical(column) | ColumnData::Text(column) => Some(column),
        _ => None,
    });
    match first {
        ColumnData::Numeric(_) => {
            let numbers = parts.filter_map(|data| match data {
                ColumnData::Numeric(column) => Some(column.values()),
                _ => None,
            });
            let numbers = numbers.flatten().copied().collect();
            ColumnData::Numeric(NumericColumn::from_rounded(numbers))
        }
        ColumnData::Categorical(_) => ColumnData::Categorical(texts(categories)),
        ColumnData::Text(_) => ColumnData::Text(texts(categories)),
        ColumnData::Temporal(column) => {
            let moments = parts.filter_map(|data| match data {
                ColumnData::Temporal(column) => Some(column.values()),
                _ => None,
            });
            let moments = moments.flatten().copied().collect();
            let moments = TemporalColumn::new(column.kind(), moments);
            ColumnData::Temporal(moments.with_month_first(column.month_first()))
        }
        // No file is read into one.
        ColumnData::Sparse(column) => ColumnData::Sparse(column.clone()),
        ColumnData::Unused(kind) => ColumnData::Unused(*kind),
    }
}

fn texts<'a>(parts: impl Iterator<Item = &'a CategoricalColumn>) -> CategoricalColumn {
    let mut builder = CategoricalColumnBuilder::default();
    for part in parts {
        builder.append(part);
    }
    builder.finish()
}
