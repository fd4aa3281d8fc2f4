//! From each root row to the records that a path of relations leads to.

use crate::Result;
use crate::relational::join::NONE;
use crate::relational::tables::Tables;
use crate::relational::views::Views;

/// The records of one table that each root row reaches. Many rows may share many records: the last
/// step is made when they are asked for.
#[derive(Debug)]
pub(super) struct Records<'a> {
    tables: &'a Tables,
    /// Position of the table.
    pub(super) table: usize,
    /// What is reached before the last relation: by root row `i` the views from `starts[i]` to
    /// `starts[i + 1]`.
    before: Views,
    starts: Vec<usize>,
    /// The last relation, of which table.
    last: Option<(usize, usize)>,
}

impl<'a> Records<'a> {
    /// Follows relations from the root.
    pub(super) fn reached(tables: &'a Tables, relations: &[String]) -> Result<Self> {
        let views = tables.starting_views(0);
        let mut reached = Self {
            tables,
            table: 0,
            starts: (0..=views.len()).collect(),
            before: views,
            last: None,
        };
        for relation in relations {
            reached.make_last_step()?;
            let link = tables.layout.link(reached.table, relation)?;
            reached.last = Some((reached.table, link));
            reached.table = tables.layout.tables[reached.table].links[link].table;
        }
        Ok(reached)
    }

    fn make_last_step(&mut self) -> Result<()> {
        let Some((table, link)) = self.last else {
            return Ok(());
        };
        self.before = self.tables.follow(&self.before, table, link)?;
        // A relation that leads to one record leaves rows as they are.
        if !self.before.offsets.is_empty() {
            for start in &mut self.starts {
                *start = self.before.offsets[*start] as usize;
            }
        }
        Ok(())
    }

    /// Number of root rows.
    pub(super) fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// Calls with the records of a root row.
    pub(super) fn each_of(&self, row: usize, mut call: impl FnMut(u32)) {
        for view in self.starts[row]..self.starts[row + 1] {
            let record = self.before.records[view];
            match self.last {
                Some((table, link)) => {
                    let now = self.before.now.get(view).copied();
                    let seen = self.tables.seen_records(table, link, record, now);
                    seen.for_each(&mut call);
                }
                None if record != NONE => call(record),
                None => {}
            }
        }
    }

    /// Calls with the records of all root rows; a record that several reach is there several times.
    pub(super) fn each(&self, mut call: impl FnMut(u32)) {
        for row in 0..self.rows() {
            self.each_of(row, &mut call);
        }
    }
}
