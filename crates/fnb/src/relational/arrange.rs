//! Rows in the order of those that own them, and where each owner finds its own.

use super::cutoff::Seen;
use super::join::NONE;
use super::layout::Layout;
use super::schema::Cardinality;
use super::tables::{KeyReport, Link};

/// A new order of rows, without those left out; none if all stay where they are.
pub(super) type Order = Option<Vec<usize>>;

/// The new order of every table, and its links to owned records: those to look-up tables are `None`.
pub(super) fn arrange(
    layout: &Layout,
    owners: &[Vec<u32>],
    seen: &Seen,
    reports: &mut [KeyReport],
) -> (Vec<Order>, Vec<Vec<Option<Link>>>) {
    let mut orders: Vec<Order> = vec![None; layout.tables.len()];
    let mut links: Vec<Vec<Option<Link>>> = (layout.tables.iter())
        .map(|table| vec![None; table.links.len()])
        .collect();
    for (t, table) in layout.tables.iter().enumerate() {
        let Some(owner) = &table.owner else { continue };
        let new_place = places(&orders[owner.table], reports[owner.table].rows);
        let parents = orders[owner.table].as_ref();
        let parents = parents.map_or(reports[owner.table].rows, Vec::len);
        let place = |(row, &parent): (usize, &u32)| {
            if seen.takes_part(t, row) {
                new_place.get(parent as usize).copied().unwrap_or(parent)
            } else {
                NONE
            }
        };
        let parent_of: Vec<u32> = owners[t].iter().enumerate().map(place).collect();
        let (order, link) = match layout.tables[owner.table].links[owner.link].cardinality {
            Cardinality::Many => all(&parent_of, parents),
            Cardinality::One => {
                let (order, link) = first(&parent_of, parents);
                let kept = parent_of.iter().filter(|&&parent| parent != NONE).count();
                reports[t].repeated = kept - order.len();
                let stays = order.len() == parent_of.len() && order.is_sorted();
                ((!stays).then_some(order), link)
            }
        };
        reports[t].hidden = seen.hidden[t];
        links[owner.table][owner.link] = Some(link);
        orders[t] = order;
    }
    (orders, links)
}

/// Where each row of a reordered table is now; empty if they are where they were.
fn places(order: &Order, rows: usize) -> Vec<u32> {
    let Some(order) = order else {
        return Vec::new();
    };
    let mut places = vec![NONE; rows];
    for (new, &old) in order.iter().enumerate() {
        places[old] = new as u32;
    }
    places
}

/// Counting sort by owner: the rows of one owner stay in the order of the file.
fn all(parent_of: &[u32], parents: usize) -> (Order, Link) {
    let mut offsets = vec![0_u32; parents + 1];
    for &parent in parent_of.iter().filter(|&&parent| parent != NONE) {
        offsets[parent as usize + 1] += 1;
    }
    for parent in 0..parents {
        offsets[parent + 1] += offsets[parent];
    }
    // Tables often come in the order of their owners.
    if offsets[parents] as usize == parent_of.len() && parent_of.is_sorted() {
        return (None, Link::Many { offsets });
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
    (Some(order), Link::Many { offsets })
}

/// The first row of each owner, in the order of the owners.
fn first(parent_of: &[u32], parents: usize) -> (Vec<usize>, Link) {
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
    (order, Link::One { row_of })
}
