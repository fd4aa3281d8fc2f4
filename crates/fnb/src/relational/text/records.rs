//! From each root row to the records that a path of relations leads to.

use crate::Result;
use crate::relational::join::NONE;
use crate::relational::tables::{Link, Tables};

/// The records of one table that each root row reaches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Records {
    /// Position of the table.
    pub(super) table: usize,
    /// Those of root row `i` are `reached[starts[i]..starts[i + 1]]`.
    starts: Vec<usize>,
    reached: Vec<u32>,
}

impl Records {
    /// Follows relations from the root.
    pub(super) fn reached(tables: &Tables, relations: &[String]) -> Result<Self> {
        let rows = tables.root_rows();
        let mut reached = Self {
            table: 0,
            starts: (0..=rows).collect(),
            reached: (0..rows as u32).collect(),
        };
        for relation in relations {
            let link = tables.layout.link(reached.table, relation)?;
            let target = tables.layout.tables[reached.table].links[link].table;
            reached = reached.follow(&tables.joined[reached.table].links[link], target);
        }
        Ok(reached)
    }

    fn follow(&self, link: &Link, target: usize) -> Self {
        let mut starts = Vec::with_capacity(self.starts.len());
        let mut records = Vec::new();
        starts.push(0);
        for row in 0..self.rows() {
            for &record in self.of(row) {
                match link {
                    Link::Many { offsets } => {
                        let record = record as usize;
                        records.extend(offsets[record]..offsets[record + 1]);
                    }
                    Link::One { row_of } => {
                        records.extend(Some(row_of[record as usize]).filter(|&to| to != NONE));
                    }
                }
            }
            starts.push(records.len());
        }
        Self {
            table: target,
            starts,
            reached: records,
        }
    }

    /// Number of root rows.
    pub(super) fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// The records of a root row.
    pub(super) fn of(&self, row: usize) -> &[u32] {
        &self.reached[self.starts[row]..self.starts[row + 1]]
    }

    /// The records of all root rows; a record that several reach is there several times.
    pub(super) fn all(&self) -> &[u32] {
        &self.reached
    }
}
