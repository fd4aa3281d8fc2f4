//! The best two groups of categories in a node (docs/method.md §13.6).

use super::cost::SplitForm;
use super::node::NodeValues;
use super::split::Found;
use crate::math::TOLERANCE;
use crate::math::integer_code::{BoundedCode, bounded};
use crate::math::partition_count::ln_partitions;
use crate::prepare::class_counts::ClassCounts;
use crate::prepare::discretize::max_granularity;
use crate::prepare::group::{finest_granularity, two_groups};
use crate::prepare::part_cost::PartCost;
use std::cmp::Reverse;
use std::f64::consts::LN_2;

/// Two groups of values.
#[derive(Debug, Clone)]
pub(super) struct Halves {
    /// The codes that each lists, the most frequent in the node first.
    pub(super) listed: [Vec<u32>; 2],
    /// The group of all other values.
    pub(super) default: usize,
}

/// Growth of the number of values from one granularity to the next that is tried.
const GROWTH: f64 = 1.5;

/// The best groups, by an input at a price; none if they do not pay. `rank` orders values of the same
/// frequency, and `once`, if it is a value, stands for all that are seen once.
pub(super) fn best_halves(
    values: &NodeValues,
    price: f64,
    rank: &[u32],
    once: Option<u32>,
) -> Option<Found<Halves>> {
    let (rows, classes) = (values.rows(), values.classes());
    if values.len() < 2 || classes < 2 || rows < 2 {
        return None;
    }
    let table = Sorted::new(values, rank, once);
    let part_cost = PartCost::new(rows, classes);
    let null = LN_2 + part_cost.in_order(rows as u32, values.totals.iter().copied());
    let code = BoundedCode::new(max_granularity(rows) as usize);
    let finest = finest_granularity(rows) as u32;
    let (mut best, mut before): (Option<(f64, usize, Vec<u32>)>, usize) = (None, 0);
    for granularity in 1..=finest {
        let apart = table.told_apart(granularity, rows);
        let last = apart == table.most() || granularity == finest;
        let grown =
            apart as f64 >= GROWTH * before as f64 && GROWTH * apart as f64 <= table.most() as f64;
        if !(last || grown) {
            continue;
        }
        before = apart;
        if apart > 1 {
            let (group_of, parts) = two_groups(&part_cost, table.counts(apart));
            let cost = LN_2
                + price
                + code.of(granularity as usize)
                + bounded(1, apart - 1)
                + ln_partitions(apart, 2)
                + parts;
            if best
                .as_ref()
                .is_none_or(|(least, ..)| cost < least - TOLERANCE)
            {
                best = Some((cost, apart, group_of));
            }
        }
        if last {
            break;
        }
    }
    let (cost, apart, group_of) = best?;
    if null < cost + TOLERANCE {
        return None;
    }
    let granularity = (1..=finest).find(|&g| table.told_apart(g, rows) == apart)?;
    let (halves, counts) = table.halves(&group_of, apart);
    let mut listed = [halves.listed[0].len(), halves.listed[1].len()];
    listed[halves.default] += 1;
    Some(Found {
        level: 1.0 - cost / null,
        form: SplitForm::Groups {
            granularity,
            listed,
        },
        counts,
        at: halves,
    })
}

/// The values of a node, the most frequent first.
struct Sorted<'a> {
    values: &'a NodeValues,
    /// Positions of the values.
    order: Vec<usize>,
    /// Rows of each value in that order; 1 for what is never told apart.
    sizes: Vec<u32>,
    /// Values that are seen more than once.
    repeated: usize,
}

impl<'a> Sorted<'a> {
    fn new(values: &'a NodeValues, rank: &[u32], once: Option<u32>) -> Self {
        let size = |&value: &usize| match values.codes[value] {
            code if Some(code) == once => 1,
            _ => values.counts.total(value),
        };
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by_key(|value| (Reverse(size(value)), rank[values.codes[*value] as usize]));
        let sizes: Vec<u32> = order.iter().map(size).collect();
        Self {
            values,
            repeated: sizes.partition_point(|size| *size > 1),
            order,
            sizes,
        }
    }

    /// Values that can be told apart, all others being one.
    fn most(&self) -> usize {
        self.order.len().min(self.repeated + 1)
    }

    fn told_apart(&self, granularity: u32, rows: usize) -> usize {
        let least = rows.div_ceil(1 << granularity) as u32;
        let frequent = self.sizes[..self.repeated].partition_point(|size| *size >= least);
        self.order.len().min(frequent + 1)
    }

    /// Rows of each value told apart by the classes that there are in the node.
    fn counts(&self, apart: usize) -> ClassCounts {
        let totals = self.values.totals.iter();
        let present: Vec<usize> = totals
            .enumerate()
            .filter(|(_, total)| **total > 0)
            .map(|(class, _)| class)
            .collect();
        let mut lines = vec![vec![0; self.values.totals.len()]; apart];
        for (place, &value) in self.order.iter().enumerate() {
            let line = &mut lines[place.min(apart - 1)];
            self.values.counts.sum_range(value..value + 1, line);
        }
        let mut counts = ClassCounts::with_capacity(present.len(), apart);
        for line in lines {
            let line: Vec<u32> = present.iter().map(|&class| line[class]).collect();
            counts.push_dense(&line);
        }
        counts
    }

    /// The groups as they are listed, the larger one first, and the rows of each by class.
    fn halves(&self, group_of: &[u32], apart: usize) -> (Halves, [Vec<u32>; 2]) {
        let mut listed = [Vec::new(), Vec::new()];
        let classes = self.values.totals.len();
        let mut counts = [vec![0; classes], vec![0; classes]];
        for (place, &value) in self.order.iter().enumerate() {
            let group = group_of[place.min(apart - 1)] as usize;
            self.values
                .counts
                .sum_range(value..value + 1, &mut counts[group]);
            if place < apart {
                listed[group].push(self.values.codes[value]);
            }
        }
        // The last one stands for all others, or is the rarest.
        let mut default = group_of[apart - 1] as usize;
        let rows = |counts: &[u32]| counts.iter().sum::<u32>();
        let first_group = group_of[0] as usize;
        let (a, b) = (rows(&counts[0]), rows(&counts[1]));
        if b > a || (a == b && first_group == 1) {
            listed.swap(0, 1);
            counts.swap(0, 1);
            default = 1 - default;
        }
        (Halves { listed, default }, counts)
    }
}
