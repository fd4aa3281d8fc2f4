//! The best intervals of one side of a grid when the other one stays (docs/method.md §13.3 b).

use super::cells::{Table, line_cost};
use super::cost::MOST_PARTS;
use crate::math::TOLERANCE;
use crate::prepare::part_cost::PartCost;

/// The rows of a side added up from its first elementary part on.
struct Cumulated<'a> {
    part_cost: &'a PartCost,
    table: &'a Table,
    /// Line `i` holds the rows before elementary part `i`.
    counts: Vec<u32>,
}

impl<'a> Cumulated<'a> {
    fn new(part_cost: &'a PartCost, table: &'a Table) -> Self {
        let width = table.width();
        let mut counts = vec![0; (table.lines + 1) * width];
        for line in 0..table.lines {
            let (before, after) = counts[line * width..].split_at_mut(width);
            for ((sum, before), count) in after.iter_mut().zip(before).zip(table.line(line)) {
                *sum = *before + count;
            }
        }
        Self {
            part_cost,
            table,
            counts,
        }
    }

    /// What the elementary parts from `start` to `end`, exclusive, cost as one part.
    fn cost(&self, start: usize, end: usize) -> f64 {
        let width = self.table.width();
        let line = |i: usize| &self.counts[i * width..][..width];
        let counts = line(end).iter().zip(line(start)).map(|(b, a)| b - a);
        line_cost(self.part_cost, self.table.outcomes, counts)
    }
}

/// The cheapest intervals by dynamic programming over all ends: the interval of every elementary part.
/// `price` is that of a number of parts, `most` the largest number that has one.
pub(super) fn best_intervals(
    part_cost: &PartCost,
    table: &Table,
    price: impl Fn(usize) -> f64,
    most: usize,
) -> Vec<u32> {
    let (cumulated, m) = (Cumulated::new(part_cost, table), table.lines);
    let most = most.min(m);
    // costs[a][b]: elementary parts a to b, exclusive.
    let size = m + 1;
    let mut costs = vec![0.0; size * size];
    for a in 0..m {
        for b in a + 1..=m {
            costs[a * size + b] = cumulated.cost(a, b);
        }
    }
    // least[i][b]: the first b elementary parts in i + 1 intervals, and where the last of them starts.
    let mut least = vec![costs[..size].to_vec()];
    let mut starts = vec![vec![0; size]];
    for parts in 2..=most {
        let before = &least[parts - 2];
        let mut row = vec![f64::INFINITY; size];
        let mut start = vec![0; size];
        for b in parts..=m {
            for a in parts - 1..b {
                let cost = before[a] + costs[a * size + b];
                if cost < row[b] {
                    (row[b], start[b]) = (cost, a);
                }
            }
        }
        least.push(row);
        starts.push(start);
    }
    let mut best = (2, least[1][m] + price(2));
    for parts in 3..=most {
        let cost = least[parts - 1][m] + price(parts);
        if cost < best.1 - TOLERANCE {
            best = (parts, cost);
        }
    }
    let mut interval_of = vec![0; m];
    let (mut parts, mut end) = (best.0, m);
    while parts > 0 {
        let start = starts[parts - 1][end];
        interval_of[start..end].fill(parts as u32 - 1);
        (parts, end) = (parts - 1, start);
    }
    interval_of
}

/// Rounds of moves of cuts, at most.
const MOST_ROUNDS: usize = 8;

/// Moves each cut to its best place between its neighbours, until none moves: for sides of more
/// elementary parts than all ends of intervals can be tried of.
pub(super) fn shift_cuts(part_cost: &PartCost, table: &Table, interval_of: &mut [u32]) {
    let cumulated = Cumulated::new(part_cost, table);
    let m = table.lines;
    let changes = (1..m).filter(|&i| interval_of[i] != interval_of[i - 1]);
    let mut ends: Vec<usize> = [0].into_iter().chain(changes).chain([m]).collect();
    for _ in 0..MOST_ROUNDS {
        let mut moved = false;
        for cut in 1..ends.len() - 1 {
            let (start, end) = (ends[cut - 1], ends[cut + 1]);
            let cost = |at: usize| cumulated.cost(start, at) + cumulated.cost(at, end);
            let mut least = cost(ends[cut]) - TOLERANCE;
            for at in start + 1..end {
                let cost = cost(at);
                if cost < least {
                    (least, ends[cut], moved) = (cost, at, true);
                }
            }
        }
        if !moved {
            break;
        }
    }
    for (interval, range) in (0..).zip(ends.windows(2)) {
        interval_of[range[0]..range[1]].fill(interval);
    }
}

/// Can all ends be tried?
pub(super) fn are_few(elements: usize) -> bool {
    elements <= MOST_PARTS
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Every set of cuts of up to seven elementary parts.
        #[test]
        fn intervals_are_the_cheapest(
            counts in proptest::collection::vec(0..9_u32, 7 * 6),
            price in 0.0..4.0_f64,
        ) {
            let table = Table { lines: 7, columns: 3, outcomes: 2, counts };
            let part_cost = PartCost::new(400, 2);
            let price = |parts: usize| price * parts as f64;
            let found = best_intervals(&part_cost, &table, price, 7);
            let total = |interval_of: &[u32]| {
                let parts = *interval_of.last().expect("parts") as usize + 1;
                let merged = table.merged(interval_of, parts);
                line_cost(&part_cost, 2, merged.counts.iter().copied()) + price(parts)
            };
            let all = (1..1_u32 << 6).map(|cuts| {
                let mut interval = 0;
                let next = (1..7).map(|i| {
                    interval += cuts >> (i - 1) & 1;
                    interval
                });
                total(&[0].into_iter().chain(next).collect::<Vec<u32>>())
            });
            let least = all.fold(f64::INFINITY, f64::min);
            prop_assert!((total(&found) - least).abs() < 2.0 * TOLERANCE);

            let mut shifted = vec![0, 0, 0, 1, 1, 2, 2];
            let before = total(&shifted);
            shift_cuts(&part_cost, &table, &mut shifted);
            prop_assert!(total(&shifted) <= before + TOLERANCE);
        }
    }
}
