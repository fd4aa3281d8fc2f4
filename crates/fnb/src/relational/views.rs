//! Records as the rows that ask for them see them: one record may be seen by many rows, each at its
//! own time, and is there once.

use super::join::NONE;
use super::schema::Cardinality;
use super::tables::{Link, Table, Tables};
use crate::{Code, Error, Result};
use std::ops::Range;

/// The times of records that some of the rows sharing them see and others do not.
#[derive(Debug, Clone)]
pub(super) struct Times {
    /// A record is seen by rows with a greater time.
    pub(super) moments: Vec<i64>,
    /// The records of each owner by time, those of the same time in their order.
    pub(super) by_time: Vec<u32>,
}

impl Times {
    /// Records of owner `i` go from `offsets[i]` to `offsets[i + 1]`.
    pub(super) fn new(moments: Vec<i64>, offsets: &[u32]) -> Self {
        let mut by_time: Vec<u32> = (0..moments.len() as u32).collect();
        for owner in offsets.windows(2) {
            by_time[owner[0] as usize..owner[1] as usize]
                .sort_unstable_by_key(|&record| (moments[record as usize], record));
        }
        Self { moments, by_time }
    }
}

/// Records of a table, each as a row of the root sees it; a record that several rows reach is there
/// several times, by its number.
#[derive(Debug)]
pub(super) struct Views {
    /// The records, or [`NONE`].
    pub(super) records: Vec<u32>,
    /// The times of the rows that see them; empty if they do not matter.
    pub(super) now: Vec<i64>,
    /// Those reached from view `i` of another table go from `offsets[i]` to `offsets[i + 1]`.
    pub(super) offsets: Vec<u32>,
}

impl Views {
    pub(super) fn len(&self) -> usize {
        self.records.len()
    }

    fn now(&self, view: usize) -> Option<i64> {
        self.now.get(view).copied()
    }
}

impl Table {
    /// Where the records that a record owns lie, seen or not.
    pub(super) fn owned(&self, offsets: &[u32], record: u32) -> Range<u32> {
        let Some(keeper) = self.keeper(record) else {
            return 0..0;
        };
        offsets[keeper as usize]..offsets[keeper as usize + 1]
    }

    /// The record that stands for the key of a record.
    pub(super) fn keeper(&self, record: u32) -> Option<u32> {
        if record == NONE {
            return None;
        }
        let keepers = self.keepers.as_ref();
        Some(keepers.map_or(record, |keepers| keepers[record as usize]))
    }

    /// Is a record seen at a time?
    fn is_seen(&self, record: u32, now: i64) -> bool {
        let times = self.times.as_ref();
        times.is_none_or(|times| times.moments[record as usize] < now)
    }
}

impl Tables {
    /// Do rows that share records see different ones?
    pub(super) fn vary(&self) -> bool {
        self.joined.iter().any(|table| table.times.is_some())
    }

    /// Every record of the root, at its time, or every record of a look-up table, at the latest time of
    /// any row.
    pub(super) fn starting_views(&self, table: usize) -> Views {
        let records = self.joined[table].frame.rows();
        let now = match (table, self.now.iter().max()) {
            (0, _) => self.now.clone(),
            (_, None) => Vec::new(),
            (_, Some(&latest)) => vec![latest; records],
        };
        Views {
            records: (0..records as u32).collect(),
            now,
            offsets: Vec::new(),
        }
    }

    /// What a relation of a table leads to from views of its records: a view each if it leads to at
    /// most one record, otherwise one per record.
    pub(super) fn follow(&self, views: &Views, table: usize, link: usize) -> Result<Views> {
        let layout = &self.layout.tables[table].links[link];
        let mut found = Views {
            records: Vec::with_capacity(views.len()),
            now: Vec::new(),
            offsets: Vec::new(),
        };
        if layout.cardinality == Cardinality::One {
            for (view, &record) in views.records.iter().enumerate() {
                let mut seen = self.seen_records(table, link, record, views.now(view));
                found.records.push(seen.next().unwrap_or(NONE));
            }
            found.now.clone_from(&views.now);
            return Ok(found);
        }
        found.offsets.reserve(views.len() + 1);
        found.offsets.push(0);
        for (view, &record) in views.records.iter().enumerate() {
            let now = views.now(view);
            found
                .records
                .extend(self.seen_records(table, link, record, now));
            if let Some(now) = now {
                found.now.resize(found.len(), now);
            }
            if found.len() >= NONE as usize {
                return Err(too_many(&layout.name));
            }
            found.offsets.push(found.len() as u32);
        }
        Ok(found)
    }

    /// The records that a relation of a record leads to, as seen at a time.
    pub(super) fn seen_records(
        &self,
        table: usize,
        link: usize,
        record: u32,
        now: Option<i64>,
    ) -> impl Iterator<Item = u32> {
        let here = &self.joined[table];
        let layout = &self.layout.tables[table].links[link];
        let there = &self.joined[layout.table];
        let (records, at_most) = match &here.links[link] {
            Link::One { row_of } => match row_of.get(record as usize) {
                None | Some(&NONE) => (0..0, 0),
                Some(&record) => (record..record + 1, 1),
            },
            Link::Many { offsets } => match layout.cardinality {
                Cardinality::One => (here.owned(offsets, record), 1),
                Cardinality::Many => (here.owned(offsets, record), usize::MAX),
            },
        };
        let now = now.unwrap_or(i64::MIN);
        records
            .filter(move |&record| there.is_seen(record, now))
            .take(at_most)
    }

    /// The records of a table as the root, or the look-up table that owns them, sees them.
    pub(super) fn views(&self, table: usize) -> Result<Views> {
        match &self.layout.tables[table].owner {
            None => Ok(self.starting_views(table)),
            Some(owner) => self.follow(&self.views(owner.table)?, owner.table, owner.link),
        }
    }

    /// How many such views each record has; `None` if it is one.
    pub(super) fn times_seen(&self, table: usize) -> Result<Option<Vec<u32>>> {
        let Some(owner) = &self.layout.tables[table].owner else {
            return Ok(None);
        };
        let here = &self.joined[table];
        let owners = &self.joined[owner.table];
        let Link::Many { offsets } = &owners.links[owner.link] else {
            // A record that is shared, of a 0-1 relation: each row sees it.
            let shared = self.is_shared(table);
            return shared
                .then(|| self.views(table).map(|v| v.count(here)))
                .transpose();
        };
        if let Some(times) = &here.times {
            let cardinality = self.layout.tables[owner.table].links[owner.link].cardinality;
            if cardinality == Cardinality::One {
                return Ok(Some(self.views(table)?.count(here)));
            }
            let askers = Askers::new(&self.views(owner.table)?, owners);
            return Ok(Some(askers.times_seen(times, offsets)));
        }
        let of_owners = self.times_seen(owner.table)?;
        if of_owners.is_none() && owners.keepers.is_none() {
            return Ok(None);
        }
        let mut of_keys = vec![0; owners.frame.rows()];
        for record in 0..owners.frame.rows() as u32 {
            let times = of_owners.as_ref().map_or(1, |times| times[record as usize]);
            let keeper = owners.keeper(record).expect("a record");
            of_keys[keeper as usize] = times.saturating_add(of_keys[keeper as usize]);
        }
        let mut times = Vec::with_capacity(here.frame.rows());
        for (keeper, range) in offsets.windows(2).enumerate() {
            times.resize(
                times.len() + (range[1] - range[0]) as usize,
                of_keys[keeper],
            );
        }
        Ok(Some(times))
    }

    /// Are records of a table, or of those that own them, shared?
    pub(super) fn is_shared(&self, table: usize) -> bool {
        let owner = self.layout.tables[table].owner.as_ref();
        self.joined[table].times.is_some()
            || owner.is_some_and(|owner| {
                self.joined[owner.table].keepers.is_some() || self.is_shared(owner.table)
            })
    }
}

impl Views {
    /// The number of views of each record.
    fn count(&self, table: &Table) -> Vec<u32> {
        let mut times = vec![0; table.frame.rows()];
        for &record in self.records.iter().filter(|&&record| record != NONE) {
            times[record as usize] += 1;
        }
        times
    }
}

fn too_many(relation: &str) -> Error {
    let message = format!("rows lead to more than 4 billion records by relation {relation:?}");
    Error::new(Code::UnusableData, message).help("split the main table")
}

/// Views in the order of those that own what they ask for, then of their times.
pub(super) struct Askers {
    /// The record that stands for the key, or [`NONE`]; the time; the view.
    pub(super) sorted: Vec<(u32, i64, u32)>,
}

impl Askers {
    /// Views of the records of a table.
    pub(super) fn new(views: &Views, table: &Table) -> Self {
        let asker = |(view, &record): (usize, &u32)| {
            let keeper = table.keeper(record).unwrap_or(NONE);
            (keeper, views.now(view).unwrap_or(i64::MIN), view as u32)
        };
        let mut sorted: Vec<_> = views.records.iter().enumerate().map(asker).collect();
        sorted.sort_unstable();
        Self { sorted }
    }

    /// How many of them see each record of a relation.
    fn times_seen(&self, times: &Times, offsets: &[u32]) -> Vec<u32> {
        let mut seen = vec![0; times.moments.len()];
        for askers in self.sorted.chunk_by(|a, b| a.0 == b.0) {
            let keeper = askers[0].0 as usize;
            if askers[0].0 == NONE {
                continue;
            }
            let records = offsets[keeper] as usize..offsets[keeper + 1] as usize;
            let moments = &times.moments[records.clone()];
            for (seen, &moment) in seen[records].iter_mut().zip(moments) {
                *seen = (askers.len() - askers.partition_point(|a| a.1 <= moment)) as u32;
            }
        }
        seen
    }
}
