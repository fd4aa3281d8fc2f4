//! Grouping for any number of classes, second half: moving items between groups, and merging
//! groups even where that does not pay at once (docs/method.md §3.3).

use super::items::Items;
use super::merge::DenseGroups;
use super::sorted::Partition;
use crate::math::TOLERANCE;
use crate::prepare::part_cost::PartCost;

/// How many merges that do not pay are tried in a row.
const FORCED_MERGES: usize = 3;

/// A partition of items.
#[derive(Debug, Clone)]
pub(crate) struct Labels {
    /// The group of every item.
    pub(crate) group_of: Vec<u32>,
    /// Number of groups, all with at least one item.
    pub(crate) groups: usize,
    /// Number of values of the garbage group, 0 if there is none.
    pub(crate) garbage: usize,
    /// Partition and parts.
    pub(crate) cost: f64,
}

/// What the descent may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Garbage {
    /// No garbage group.
    None,
    /// The group of most values is a garbage group. As many other groups as `others` at least must
    /// be there for items to move.
    Largest {
        /// Two are enough for a sound partition; the reference tool wants three.
        others: usize,
    },
}

/// Improves a labelling of items by moves, then by forced merges each followed by moves.
pub(crate) fn improve(
    part_cost: &PartCost,
    items: &Items,
    group_of: Vec<u32>,
    garbage: Garbage,
    partition: &mut Partition,
) -> Labels {
    let singles = DenseGroups::new(part_cost, items);
    let groups = group_of.iter().max().map_or(0, |&last| last as usize + 1);
    let mut state = Descent {
        part_cost,
        items,
        singles: &singles,
        groups: DenseGroups::of_items(part_cost, items, &group_of, groups),
        group_of,
        garbage,
    };
    state.move_items(partition);
    let mut best = state.labels(partition);
    let fewest = match garbage {
        Garbage::None => 1,
        Garbage::Largest { .. } => 3,
    };
    let mut failures = 0;
    while state.groups.len() > fewest && failures < FORCED_MERGES {
        state.force_merge(partition);
        state.move_items(partition);
        let found = state.labels(partition);
        failures += 1;
        if found.cost < best.cost + TOLERANCE {
            best = found;
            failures = 0;
        }
    }
    best
}

struct Descent<'a> {
    part_cost: &'a PartCost,
    items: &'a Items,
    singles: &'a DenseGroups<'a>,
    groups: DenseGroups<'a>,
    group_of: Vec<u32>,
    garbage: Garbage,
}

impl Descent<'_> {
    /// Values of the two largest groups, and which is the largest.
    fn largest(&self) -> (usize, [usize; 2]) {
        let (mut place, mut values) = (0, [0; 2]);
        for group in 0..self.groups.len() {
            let count = self.groups.values(group);
            if count > values[0] {
                (place, values) = (group, [count, values[0]]);
            } else if count > values[1] {
                values[1] = count;
            }
        }
        (place, values)
    }

    fn garbage_values(&self) -> usize {
        match self.garbage {
            Garbage::None => 0,
            Garbage::Largest { .. } => self.largest().1[0],
        }
    }

    fn labels(&self, partition: &mut Partition) -> Labels {
        let garbage = self.garbage_values();
        Labels {
            group_of: self.group_of.clone(),
            groups: self.groups.len(),
            garbage,
            cost: self.groups.total_cost() + partition(self.groups.len(), garbage),
        }
    }

    /// Moves single items as long as that lowers the cost, the best move first.
    fn move_items(&mut self, partition: &mut Partition) {
        let count = self.groups.len();
        let others = match self.garbage {
            Garbage::None => 1,
            Garbage::Largest { others } => others,
        };
        if count <= others {
            return;
        }
        let mut table = MoveTable::new(self);
        let mut left = count;
        while let Some((item, to)) = self.best_move(&table, left, partition) {
            let from = self.group_of[item] as usize;
            left += usize::from(self.groups.values(to) == 0);
            let changes = [table.leave[item], table.join[item * count + to]];
            self.groups
                .transfer(self.singles, item, [from, to], changes);
            left -= usize::from(self.groups.values(from) == 0);
            self.group_of[item] = to as u32;
            table.update(self, item, from, to);
            if left <= others {
                break;
            }
        }
        self.drop_empty_groups();
    }

    /// The move that lowers the cost most, if one does; `count` groups are not empty.
    fn best_move(
        &self,
        table: &MoveTable,
        count: usize,
        partition: &mut Partition,
    ) -> Option<(usize, usize)> {
        let (largest, [first, second]) = self.largest();
        let current = match self.garbage {
            Garbage::None => 0.0,
            Garbage::Largest { .. } => partition(count, first),
        };
        let mut best = (-TOLERANCE, None);
        for item in 0..self.singles.len() {
            let from = self.group_of[item] as usize;
            let values = self.singles.values(item);
            let empties = self.groups.values(from) == values;
            for to in (0..self.groups.len()).filter(|&to| to != from) {
                let mut delta = table.leave[item] + table.join[item * self.groups.len() + to];
                let fills = self.groups.values(to) == 0;
                match self.garbage {
                    Garbage::None if empties || fills => continue,
                    Garbage::None => {}
                    // Part costs alone tell most of the moves that cannot be the best.
                    Garbage::Largest { .. } => {
                        let rest = if from == largest {
                            second.max(first - values)
                        } else {
                            first
                        };
                        let garbage = rest.max(self.groups.values(to) + values);
                        let count_after = count + usize::from(fills) - usize::from(empties);
                        if count_after < 3 {
                            continue;
                        }
                        if (count_after, garbage) != (count, first) {
                            delta += partition(count_after, garbage) - current;
                        }
                    }
                }
                if delta < best.0 {
                    best = (delta, Some((item, to)));
                }
            }
        }
        best.1
    }

    /// Numbers the groups that are left, and adds up their costs anew.
    fn drop_empty_groups(&mut self) {
        let mut number = vec![0; self.groups.len()];
        let mut next = 0;
        for (group, number) in number.iter_mut().enumerate() {
            *number = next;
            next += u32::from(self.groups.values(group) > 0);
        }
        for group in &mut self.group_of {
            *group = number[*group as usize];
        }
        self.count_again(next as usize);
    }

    /// Merges the two groups whose union raises the cost least.
    fn force_merge(&mut self, partition: &mut Partition) {
        let count = self.groups.len();
        let largest = self.largest().1[0];
        let current = match self.garbage {
            Garbage::None => 0.0,
            Garbage::Largest { .. } => partition(count, largest),
        };
        let mut best = (f64::INFINITY, 0, 1);
        for a in 0..count {
            for b in a + 1..count {
                let mut delta = self.groups.merge_cost(a, b);
                if let Garbage::Largest { .. } = self.garbage {
                    let merged = self.groups.values(a) + self.groups.values(b);
                    delta += partition(count - 1, largest.max(merged)) - current;
                }
                if delta < best.0 {
                    best = (delta, a, b);
                }
            }
        }
        let (_, kept, absorbed) = best;
        for group in &mut self.group_of {
            *group = match (*group as usize).cmp(&absorbed) {
                std::cmp::Ordering::Less => *group,
                std::cmp::Ordering::Equal => kept as u32,
                std::cmp::Ordering::Greater => *group - 1,
            };
        }
        self.count_again(count - 1);
    }

    /// After groups were numbered again.
    fn count_again(&mut self, groups: usize) {
        self.groups = DenseGroups::of_items(self.part_cost, self.items, &self.group_of, groups);
    }
}

/// What each move would change, kept up to date.
struct MoveTable {
    /// Change of cost of its group when an item leaves it.
    leave: Vec<f64>,
    /// Change of cost of each group when an item joins it, item by item.
    join: Vec<f64>,
}

impl MoveTable {
    fn new(state: &Descent) -> Self {
        let (items, groups) = (state.singles.len(), state.groups.len());
        let mut table = Self {
            leave: vec![0.0; items],
            join: vec![0.0; items * groups],
        };
        for item in 0..items {
            table.set_leave(state, item);
            for group in 0..groups {
                table.set_join(state, item, group);
            }
        }
        table
    }

    fn set_leave(&mut self, state: &Descent, item: usize) {
        let group = state.group_of[item] as usize;
        self.leave[item] =
            state.groups.rest_cost(group, state.singles, item) - state.groups.cost(group);
    }

    fn set_join(&mut self, state: &Descent, item: usize, group: usize) {
        if state.group_of[item] as usize != group {
            self.join[item * state.groups.len() + group] =
                state.groups.union_cost(group, state.singles, item) - state.groups.cost(group);
        }
    }

    /// After an item moved. It leaves its group at the price at which it came.
    fn update(&mut self, state: &Descent, moved: usize, from: usize, to: usize) {
        self.leave[moved] = -self.join[moved * state.groups.len() + to];
        for group in 0..state.groups.len() {
            self.set_join(state, moved, group);
        }
        for item in (0..state.singles.len()).filter(|&item| item != moved) {
            if [from, to].contains(&(state.group_of[item] as usize)) {
                self.set_leave(state, item);
            }
            self.set_join(state, item, from);
            self.set_join(state, item, to);
        }
    }
}
