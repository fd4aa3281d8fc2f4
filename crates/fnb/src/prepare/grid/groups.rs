//! Better groups of one side of a grid when the other one stays (docs/method.md §13.3 b).

use super::cells::{Table, add, line_cost};
use super::intervals::are_few;
use crate::math::TOLERANCE;
use crate::prepare::part_cost::PartCost;

/// Groups of the lines of a table.
#[derive(Debug, Clone)]
pub(super) struct Groups {
    /// The group of every line.
    pub(super) group_of: Vec<u32>,
    pub(super) count: usize,
    /// What they cost, their price and their cells.
    cost: f64,
}

/// The cheapest of what merging and moving values find from the given groups, and, of few values, from
/// each value alone.
pub(super) fn better_groups(
    part_cost: &PartCost,
    table: &Table,
    price: &dyn Fn(usize) -> f64,
    given: Vec<u32>,
    groups: usize,
) -> Groups {
    let search = Search {
        part_cost,
        table,
        price,
    };
    let mut best = search.descend(given, groups);
    if are_few(table.lines) {
        let singles = (0..table.lines as u32).collect();
        let found = search.descend(singles, table.lines);
        if found.cost < best.cost - TOLERANCE {
            best = found;
        }
    }
    best
}

struct Search<'a> {
    part_cost: &'a PartCost,
    table: &'a Table,
    price: &'a dyn Fn(usize) -> f64,
}

impl Search<'_> {
    fn line_cost(&self, counts: impl Iterator<Item = u32>) -> f64 {
        line_cost(self.part_cost, self.table.outcomes, counts)
    }

    /// Merges down to two groups, keeps the cheapest groups met, and moves values.
    fn descend(&self, group_of: Vec<u32>, groups: usize) -> Groups {
        let mut found = self.merge(group_of, groups);
        self.move_values(&mut found);
        found
    }

    fn merge(&self, mut group_of: Vec<u32>, groups: usize) -> Groups {
        let table = self.table.merged(&group_of, groups);
        let mut lines: Vec<Vec<u32>> = (0..groups).map(|i| table.line(i).to_vec()).collect();
        let cost = |line: &Vec<u32>| self.line_cost(line.iter().copied());
        let mut costs: Vec<f64> = lines.iter().map(cost).collect();
        let mut left: Vec<usize> = (0..groups).collect();
        let delta = |lines: &[Vec<u32>], costs: &[f64], a: usize, b: usize| {
            let both = lines[a].iter().zip(&lines[b]).map(|(x, y)| x + y);
            self.line_cost(both) - costs[a] - costs[b]
        };
        let mut deltas = vec![0.0; groups * groups];
        for a in 0..groups {
            for b in a + 1..groups {
                deltas[a * groups + b] = delta(&lines, &costs, a, b);
            }
        }
        let mut total = costs.iter().sum::<f64>() + (self.price)(groups);
        let mut best = (total, group_of.clone());
        while left.len() > 2 {
            let mut cheapest = (f64::INFINITY, 0, 0);
            for (i, &a) in left.iter().enumerate() {
                for &b in &left[i + 1..] {
                    if deltas[a * groups + b] < cheapest.0 {
                        cheapest = (deltas[a * groups + b], a, b);
                    }
                }
            }
            let (change, a, b) = cheapest;
            total += change + (self.price)(left.len() - 1) - (self.price)(left.len());
            let merged = std::mem::take(&mut lines[b]);
            add(&mut lines[a], &merged);
            costs[a] = cost(&lines[a]);
            left.retain(|&group| group != b);
            for group in &mut group_of {
                if *group == b as u32 {
                    *group = a as u32;
                }
            }
            for &c in left.iter().filter(|&&c| c != a) {
                deltas[a.min(c) * groups + a.max(c)] = delta(&lines, &costs, a.min(c), a.max(c));
            }
            if total <= best.0 {
                best = (total, group_of.clone());
            }
        }
        let (cost, mut group_of) = best;
        let mut numbers: Vec<u32> = group_of.clone();
        numbers.sort_unstable();
        numbers.dedup();
        for group in &mut group_of {
            *group = numbers.partition_point(|number| number < group) as u32;
        }
        Groups {
            group_of,
            count: numbers.len(),
            cost,
        }
    }

    /// Moves single values to the group where they cost least, as long as that pays.
    fn move_values(&self, found: &mut Groups) {
        let mut sums = self.table.merged(&found.group_of, found.count);
        let width = self.table.width();
        let mut members = vec![0; found.count];
        for &group in &found.group_of {
            members[group as usize] += 1;
        }
        let cost = |sums: &Table, group: usize| self.line_cost(sums.line(group).iter().copied());
        let mut costs: Vec<f64> = (0..found.count).map(|group| cost(&sums, group)).collect();
        loop {
            let mut moved = false;
            for value in 0..self.table.lines {
                let from = found.group_of[value] as usize;
                if members[from] == 1 {
                    continue;
                }
                let line = self.table.line(value);
                let rest = sums.line(from).iter().zip(line).map(|(x, y)| x - y);
                let left = self.line_cost(rest) - costs[from];
                let mut best = (-TOLERANCE, from);
                for to in (0..found.count).filter(|&to| to != from) {
                    let both = sums.line(to).iter().zip(line).map(|(x, y)| x + y);
                    let change = left + self.line_cost(both) - costs[to];
                    if change < best.0 {
                        best = (change, to);
                    }
                }
                let (change, to) = best;
                if to == from {
                    continue;
                }
                for (place, count) in line.iter().enumerate() {
                    sums.counts[from * width + place] -= count;
                    sums.counts[to * width + place] += count;
                }
                for group in [from, to] {
                    costs[group] = cost(&sums, group);
                }
                members[from] -= 1;
                members[to] += 1;
                found.group_of[value] = to as u32;
                found.cost += change;
                moved = true;
            }
            if !moved {
                break;
            }
        }
    }
}
