//! Rows in the order of those that own them, and where each owner finds its own.

use super::cutoff::AsOf;
use super::join::NONE;
use super::layout::{Layout, Owner};
use super::schema::Cardinality;
use super::tables::{Joined, KeyReport, Link};
use super::views::Times;

/// A new order of rows, without those left out; none if all stay where they are.
pub(super) type Order = Option<Vec<usize>>;

/// Where the rows of a table go.
#[derive(Default)]
pub(super) struct Arranged {
    pub(super) order: Order,
    /// Its links to owned records: those to look-up tables are `None`.
    pub(super) links: Vec<Option<Link>>,
    /// By row in the new order, as in [`Table`](super::tables::Table).
    pub(super) keepers: Option<Vec<u32>>,
    pub(super) times: Option<Times>,
}

/// Finds the order of every table.
pub(super) fn arrange(
    layout: &Layout,
    joined: &Joined,
    as_of: Option<&AsOf>,
    reports: &mut [KeyReport],
) -> Vec<Arranged> {
    let spans = as_of.map(|as_of| Spans::new(as_of, joined));
    let mut root_of: Vec<Vec<u32>> = vec![Vec::new(); layout.tables.len()];
    let mut arranged: Vec<Arranged> = Vec::with_capacity(layout.tables.len());
    // Owners come before what they own.
    for (t, table) in layout.tables.iter().enumerate() {
        let mut here = Arranged {
            links: vec![None; table.links.len()],
            ..Arranged::default()
        };
        let Some(Owner { table: owner, link }) = table.owner else {
            here.keepers.clone_from(&joined.keepers[t]);
            arranged.push(here);
            continue;
        };
        let owners = &joined.owners[t];
        let places = arranged[owner].places(joined.keepers[owner].as_deref(), reports[owner].rows);
        if as_of.is_some() && !table.path.starts_with('/') {
            let above = &root_of[owner];
            let root = |&row: &u32| above.get(row as usize).copied().unwrap_or(row);
            root_of[t] = owners.iter().map(root).collect();
        }
        let moments = as_of.and_then(|as_of| as_of.moments[t].as_deref());
        let span = |row: usize| spans.as_ref().map(|spans| spans.of(root_of[t].get(row)));
        // Nobody sees a record that no root row with its key sees.
        let is_seen = |row: usize| match (moments, span(row)) {
            (Some(moments), Some(span)) => moments[row] < span.latest,
            _ => true,
        };
        let place = |(row, &owner): (usize, &u32)| {
            let place = places.get(owner as usize).copied().unwrap_or(owner);
            if place != NONE && is_seen(row) {
                place
            } else {
                NONE
            }
        };
        let parent_of: Vec<u32> = owners.iter().enumerate().map(place).collect();
        let kept = parent_of.iter().filter(|&&parent| parent != NONE).count();
        reports[t].hidden = owners.iter().filter(|&&owner| owner != NONE).count() - kept;
        // Does each record have the same answer for all root rows with its key?
        let varies = |(row, &parent): (usize, &u32)| match (moments, span(row)) {
            (Some(moments), Some(span)) => parent != NONE && moments[row] >= span.earliest,
            _ => false,
        };
        let varies = parent_of.iter().enumerate().any(varies);
        let parents = &arranged[owner];
        let number = parents.order.as_ref().map_or(reports[owner].rows, Vec::len);
        let link_to_here = match layout.tables[owner].links[link].cardinality {
            Cardinality::One if !varies => {
                let (order, mut row_of) = first(&parent_of, number);
                reports[t].repeated = kept - order.len();
                if let Some(keepers) = &parents.keepers {
                    row_of = keepers.iter().map(|&row| row_of[row as usize]).collect();
                }
                let stays = order.len() == parent_of.len() && order.is_sorted();
                here.order = (!stays).then_some(order);
                Link::One { row_of }
            }
            // Which one is the first depends on the row that asks.
            Cardinality::One | Cardinality::Many => {
                let (order, offsets) = all(&parent_of, number);
                here.order = order;
                if let (true, Some(moments)) = (varies, moments) {
                    let moments = match &here.order {
                        Some(order) => order.iter().map(|&row| moments[row]).collect(),
                        None => moments.to_vec(),
                    };
                    here.times = Some(Times::new(moments, &offsets));
                }
                Link::Many { offsets }
            }
        };
        here.keepers = here.new_keepers(joined.keepers[t].as_deref(), reports[t].rows);
        arranged[owner].links[link] = Some(link_to_here);
        arranged.push(here);
    }
    arranged
}

impl Arranged {
    /// Where the row is now that stands for the key of each row that is the first to have it, given
    /// those of all rows; empty if all are where they were.
    fn places(&self, keepers: Option<&[u32]>, rows: usize) -> Vec<u32> {
        let Some(order) = &self.order else {
            return Vec::new();
        };
        let mut places = vec![NONE; rows];
        for (new, &old) in order.iter().enumerate() {
            let place = &mut places[keepers.map_or(old, |keepers| keepers[old] as usize)];
            if *place == NONE {
                *place = new as u32;
            }
        }
        places
    }

    /// The rows that stand for the keys of rows in the new order, given those in the old one.
    fn new_keepers(&self, keepers: Option<&[u32]>, rows: usize) -> Option<Vec<u32>> {
        let keepers = keepers?;
        let Some(order) = &self.order else {
            return Some(keepers.to_vec());
        };
        let places = self.places(Some(keepers), rows);
        let new = order.iter().map(|&old| places[keepers[old] as usize]);
        Some(new.collect())
    }
}

/// The earliest and the latest time of some root rows.
#[derive(Clone, Copy)]
struct Span {
    earliest: i64,
    latest: i64,
}

impl Span {
    const NOTHING: Self = Self {
        earliest: i64::MAX,
        latest: i64::MIN,
    };

    fn add(&mut self, now: i64) {
        self.earliest = self.earliest.min(now);
        self.latest = self.latest.max(now);
    }
}

/// Those of the root rows that share records.
struct Spans {
    /// By the first row with a key.
    of_keys: Vec<Span>,
    /// The records of look-up tables are shared by all.
    of_all: Span,
}

impl Spans {
    fn new(as_of: &AsOf, joined: &Joined) -> Self {
        let mut spans = Self {
            of_keys: vec![Span::NOTHING; as_of.now.len()],
            of_all: Span::NOTHING,
        };
        for (row, &now) in as_of.now.iter().enumerate() {
            let keepers = joined.keepers[0].as_ref();
            let keeper = keepers.map_or(row, |keepers| keepers[row] as usize);
            spans.of_keys[keeper].add(now);
            spans.of_all.add(now);
        }
        spans
    }

    /// That of the rows with a key, given by the first of them; none for records of a look-up table.
    fn of(&self, root: Option<&u32>) -> Span {
        match root {
            None => self.of_all,
            Some(&root) => self
                .of_keys
                .get(root as usize)
                .copied()
                .unwrap_or(Span::NOTHING),
        }
    }
}

/// Counting sort by owner: the rows of one owner stay in the order of the file. Where those of each
/// owner start.
fn all(parent_of: &[u32], parents: usize) -> (Order, Vec<u32>) {
    let mut offsets = vec![0_u32; parents + 1];
    for &parent in parent_of.iter().filter(|&&parent| parent != NONE) {
        offsets[parent as usize + 1] += 1;
    }
    for parent in 0..parents {
        offsets[parent + 1] += offsets[parent];
    }
    // Tables often come in the order of their owners.
    if offsets[parents] as usize == parent_of.len() && parent_of.is_sorted() {
        return (None, offsets);
    }
    let mut next = offsets.clone();
    let mut order = vec![0; offsets[parents] as usize];
    for (row, &parent) in parent_of.iter().enumerate() {
        if parent != NONE {
            let place = &mut next[parent as usize];
            order[*place as usize] = row;
            *place += 1;
        }
    }
    (Some(order), offsets)
}

/// The first row of each owner, in the order of the owners, and where it is there.
fn first(parent_of: &[u32], parents: usize) -> (Vec<usize>, Vec<u32>) {
    let mut row_of = vec![NONE; parents];
    for (row, &parent) in parent_of.iter().enumerate() {
        if parent != NONE && row_of[parent as usize] == NONE {
            row_of[parent as usize] = row as u32;
        }
    }
    let mut order = Vec::new();
    for row in row_of.iter_mut().filter(|row| **row != NONE) {
        order.push(*row as usize);
        *row = order.len() as u32 - 1;
    }
    (order, row_of)
}
