//! Times of a cut-off that a table holds as texts, as files of text do.

use crate::dates::{Formats, from_texts};
use fnb::Result;
use fnb::columns::{Column, ColumnData, Frame, TemporalColumn};
use fnb::relational::Cutoff;
use std::collections::BTreeMap;

/// Makes dates or timestamps of the columns of texts that a cut-off names, and, in tables whose time is
/// neither given nor there, of those that hold nothing else.
///
/// ```
/// use fnb::columns::{Column, ColumnData, Frame};
/// use fnb::relational::Cutoff;
/// let day = ColumnData::Categorical([Some("2024-05-01"), None].into_iter().collect());
/// let orders = Frame::new(2, vec![Column { name: "day".into(), data: day }])?;
/// let mut frames = [("orders".to_owned(), orders)].into();
/// let cutoff = Cutoff { root: "asked".into(), ..Cutoff::default() };
/// fnb_table::read_times(&cutoff, &mut frames)?;
/// assert!(matches!(frames["orders"].columns()[0].data, ColumnData::Temporal(_)));
/// # Ok::<(), fnb::Error>(())
/// ```
pub fn read_times(cutoff: &Cutoff, frames: &mut BTreeMap<String, Frame>) -> Result<()> {
    for (path, frame) in frames {
        let given = match path.as_str() {
            "" => Some(&cutoff.root),
            path => cutoff.tables.get(path),
        };
        let columns = frame.columns().iter();
        let has_time = columns.clone().any(|column| match &column.data {
            ColumnData::Temporal(times) => times.kind().has_day(),
            _ => false,
        });
        if given.is_none() && (has_time || cutoff.timeless.contains(path)) {
            continue;
        }
        let wanted = columns.filter(|column| given.is_none_or(|name| *name == column.name));
        let read = wanted.filter_map(|column| Some((column.name.clone(), times(column)?)));
        for (name, times) in read.collect::<Vec<_>>() {
            frame.replace(&name, ColumnData::Temporal(times))?;
        }
    }
    Ok(())
}

/// The dates or timestamps of a column whose texts all are.
fn times(column: &Column) -> Option<TemporalColumn> {
    let (ColumnData::Categorical(texts) | ColumnData::Text(texts)) = &column.data else {
        return None;
    };
    let distinct = texts.values().iter().flatten();
    let formats = distinct.map(Formats::of).reduce(Formats::and)?;
    let kind = formats.kind().filter(|kind| kind.has_day())?;
    Some(from_texts(texts, kind, formats.first()))
}
