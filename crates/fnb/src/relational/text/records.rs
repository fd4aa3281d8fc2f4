//! From each root row to the records that a path of relations leads to.

use crate::Result;
use crate::relational::join::NONE;
use crate::relational::tables::Tables;

/// The records of one table that each root row reaches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Records {
    /// Position of the table.
    pub(super) table: usize,
    /// Those of root row `i` are `reached[starts[i]..starts[i + 1]]`.
    starts: Vec<usize>,
    /// Records, or [`NONE`].
    reached: Vec<u32>,
}

impl Records {
    /// Follows relations from the root.
    pub(super) fn reached(tables: &Tables, relations: &[String]) -> Result<Self> {
        let mut table = 0;
        let mut views = tables.starting_views(table);
        let mut starts: Vec<usize> = (0..=views.len()).collect();
        for relation in relations {
            let link = tables.layout.link(table, relation)?;
            views = tables.follow(&views, table, link)?;
            // A relation that leads to one record leaves rows as they are.
            if let [_, ..] = views.offsets.as_slice() {
                for start in &mut starts {
                    *start = views.offsets[*start] as usize;
                }
            }
            table = tables.layout.tables[table].links[link].table;
        }
        Ok(Self {
            table,
            starts,
            reached: views.records,
        })
    }

    /// Number of root rows.
    pub(super) fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// The records of a root row.
    pub(super) fn of(&self, row: usize) -> impl Iterator<Item = u32> {
        present(&self.reached[self.starts[row]..self.starts[row + 1]])
    }

    /// The records of all root rows; a record that several reach is there several times.
    pub(super) fn all(&self) -> impl Iterator<Item = u32> {
        present(&self.reached)
    }
}

/// A relation that leads to at most one record may lead to none.
fn present(records: &[u32]) -> impl Iterator<Item = u32> {
    records.iter().copied().filter(|&record| record != NONE)
}
