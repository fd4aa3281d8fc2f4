//! What a grouping search handles: indivisible sets of values.

use crate::prepare::class_counts::ClassCounts;

/// Sets of values that stay together, and the rows of each.
#[derive(Debug, Clone)]
pub(crate) struct Items {
    /// Rows per item and class.
    pub(crate) counts: ClassCounts,
    /// Rows of each item.
    pub(crate) totals: Vec<u32>,
    /// Number of values that each item stands for.
    pub(crate) values: Vec<u32>,
}

impl Items {
    /// One item per line.
    pub(crate) fn new(counts: ClassCounts) -> Self {
        Self {
            totals: (0..counts.len()).map(|i| counts.total(i)).collect(),
            values: vec![1; counts.len()],
            counts,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.totals.len()
    }

    /// The first items, and all the others as a last one that counts for one value.
    pub(crate) fn keep_first(&self, count: usize) -> Self {
        let group_of: Vec<u32> = (0..self.len()).map(|i| i.min(count - 1) as u32).collect();
        Self {
            values: vec![1; count],
            ..self.fuse(&group_of, count)
        }
    }

    /// The items of each group as one item. Every group has at least one.
    pub(crate) fn fuse(&self, group_of: &[u32], groups: usize) -> Self {
        let mut next = vec![0; groups + 1];
        for &group in group_of {
            next[group as usize + 1] += 1;
        }
        for group in 0..groups {
            next[group + 1] += next[group];
        }
        let starts = next.clone();
        let mut members = vec![0; group_of.len()];
        for (item, &group) in group_of.iter().enumerate() {
            members[next[group as usize]] = item;
            next[group as usize] += 1;
        }

        let classes = self.counts.classes();
        let mut counts = ClassCounts::new(classes);
        let (mut totals, mut values) = (Vec::with_capacity(groups), Vec::with_capacity(groups));
        let mut dense = vec![0; classes];
        for range in starts.windows(2) {
            let members = &members[range[0]..range[1]];
            totals.push(members.iter().map(|&item| self.totals[item]).sum());
            values.push(members.iter().map(|&item| self.values[item]).sum());
            if let &[item] = members {
                for entry in self.counts.line(item) {
                    counts.add(entry.class, entry.count);
                }
                counts.end_line();
            } else {
                for &item in members {
                    self.counts.sum_range(item..item + 1, &mut dense);
                }
                counts.push_dense(&dense);
                dense.fill(0);
            }
        }
        Self {
            counts,
            totals,
            values,
        }
    }

    /// The group of every item when those that hold a single class are put together class by
    /// class, and the number of groups; groups are numbered as they appear.
    pub(crate) fn by_purity(&self) -> (Vec<u32>, usize) {
        let mut pure_group = vec![None; self.counts.classes()];
        let mut groups = 0;
        let mut new_group = || {
            groups += 1;
            groups - 1
        };
        let group = |item| match *self.counts.line(item) {
            [only] => *pure_group[only.class as usize].get_or_insert_with(&mut new_group),
            _ => new_group(),
        };
        let group_of = (0..self.len()).map(group).collect();
        (group_of, groups as usize)
    }
}
