//! The grouping against an independent oracle, and its invariants.

use super::*;
use crate::columns::{CategoricalColumn, Column, ColumnData, Target};
use crate::math::integer_code::bounded;
use crate::math::partition_count::ln_partitions;
use crate::prepare::{Input, PrepareSettings, PreparedVariable, Preparer, WithElements};
use crate::terms::Origin;
use proptest::prelude::*;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::f64::consts::LN_2;

fn target_of(column: CategoricalColumn) -> Target {
    let name = "class".into();
    let data = ColumnData::Categorical(column);
    Target::from_column(&Column { name, data }).expect("categories are classes")
}

fn prepare(
    column: &CategoricalColumn,
    target: &Target,
    choice: f64,
    schedule: Schedule,
) -> PreparedVariable {
    let input = Input {
        name: String::new(),
        from: Origin::Column,
        price: choice,
        data: Cow::Owned(ColumnData::Categorical(column.clone())),
        elements: WithElements::Never,
        unlisted: None,
    };
    let preparer = Preparer::new(
        target,
        PrepareSettings {
            schedule,
            ..PrepareSettings::default()
        },
        1,
        &(),
    );
    let mut prepared = preparer.prepare(vec![input]);
    prepared.pop().expect("one input").variable
}

/// Values and classes as numbers; value 0 is missing.
fn table(rows: &[(u8, u8)]) -> (CategoricalColumn, Target) {
    let names: Vec<String> = (0..=u8::MAX).map(|i| format!("v{i}")).collect();
    let value = |&(value, _): &(u8, u8)| (value > 0).then(|| names[value as usize].as_str());
    let class = |&(_, class): &(u8, u8)| Some(names[class as usize].as_str());
    let target = target_of(rows.iter().map(class).collect());
    (rows.iter().map(value).collect(), target)
}

/// Independent oracle: the smallest cost over all granularities and all partitions, computed
/// straight from the formulas. Without garbage groups, so for fewer than 7 values.
fn smallest_cost(rows: &[(u8, u8)], choice: f64) -> f64 {
    let classes = rows.iter().map(|&(_, class)| class).max().expect("rows") as usize + 1;
    let mut counts: BTreeMap<u8, Vec<u64>> = BTreeMap::new();
    for &(value, class) in rows {
        let line = counts.entry(value).or_insert_with(|| vec![0; classes]);
        line[class as usize] += 1;
    }
    let n = rows.len();
    let part_cost = PartCost::new(n, classes);
    let mut all = vec![0; classes];
    for line in counts.values() {
        add(&mut all, line);
    }
    let mut best = part_cost.null(&all).total();
    let levels = (1..).take_while(|&g| 1 << g < n);
    for g in levels {
        let least = (n as f64 / f64::from(1 << g)).ceil() as u64;
        let is_frequent = |line: &&Vec<u64>| line.iter().sum::<u64>() >= least;
        let (mut values, rare): (Vec<_>, Vec<_>) = counts
            .values()
            .cloned()
            .partition(|line| is_frequent(&line));
        if let Some(mut rest) = rare.first().cloned() {
            rare[1..].iter().for_each(|line| add(&mut rest, line));
            values.push(rest);
        }
        let v = values.len();
        for groups in partitions(v).into_iter().filter(|groups| groups.len() > 1) {
            let k = groups.len();
            let largest = (n as f64).log2().ceil() as usize;
            let partition = bounded(g, largest) + bounded(k - 1, v - 1) + ln_partitions(v, k);
            let part = |group: &Vec<usize>| {
                let mut sum = vec![0; classes];
                for &i in group {
                    add(&mut sum, &values[i]);
                }
                sum
            };
            let parts: Vec<Vec<u64>> = groups.iter().map(part).collect();
            let cost = part_cost.variable(choice, partition, &parts);
            best = best.min(cost.total());
        }
    }
    best
}

fn add(sum: &mut [u64], line: &[u64]) {
    sum.iter_mut()
        .zip(line)
        .for_each(|(sum, count)| *sum += count);
}

/// All partitions of `0..n`.
fn partitions(n: usize) -> Vec<Vec<Vec<usize>>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for groups in partitions(n - 1) {
        for i in 0..groups.len() {
            let mut joined = groups.clone();
            joined[i].push(n - 1);
            all.push(joined);
        }
        let mut alone = groups;
        alone.push(vec![n - 1]);
        all.push(alone);
    }
    all
}

/// Rows whose class depends on the value, more or less.
fn rows(values: u8, classes: u8, most: usize) -> impl Strategy<Value = Vec<(u8, u8)>> {
    let row = (0..values, 0..classes, 0..4_u8);
    proptest::collection::vec(row, 3..most).prop_map(move |rows| {
        let dependent = |(value, class, noise)| if noise > 0 { value % classes } else { class };
        rows.into_iter()
            .map(|row| (row.0, dependent(row)))
            .collect()
    })
}

proptest! {
    #[test]
    fn few_values_are_grouped_optimally(mut rows in (2..5_u8).prop_flat_map(|c| rows(6, c, 90))) {
        // The oracle numbers classes without gaps.
        let last = rows.iter().map(|row| row.1).max().expect("rows");
        rows.extend((0..last).map(|class| (1, class)));
        let (column, target) = table(&rows);
        let found = prepare(&column, &target, 1.5, Schedule::Exhaustive);
        let expected = smallest_cost(&rows, 1.5);
        prop_assert!((found.cost.total() - expected).abs() < 1e-6, "{} {expected}", found.cost.total());
    }

    #[test]
    fn exhaustive_is_never_worse(rows in (2..5_u8).prop_flat_map(|c| rows(40, c, 600))) {
        let (column, target) = table(&rows);
        let [reference, exhaustive] = [Schedule::Reference, Schedule::Exhaustive]
            .map(|schedule| prepare(&column, &target, 0.7, schedule));
        prop_assert!(exhaustive.cost.total() <= reference.cost.total() + 1e-9);
        for found in [reference, exhaustive] {
            prop_assert!(found.level >= 0.0);
            let total: u64 = found.counts.iter().flatten().sum();
            prop_assert_eq!(total as usize, rows.len());
            prop_assert_eq!(found.axes[0].parts.len(), found.counts.len());
        }
    }

    #[test]
    fn order_does_not_matter(rows in rows(30, 3, 300), seed in any::<u64>()) {
        let (column, target) = table(&rows);
        // The same rows in another order, and a dictionary in another order with values that
        // have no row.
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_by_key(|&i| (i as u64 + 1).wrapping_mul(seed | 1).rotate_left(29));
        let shuffled: Vec<(u8, u8)> = order.iter().map(|&i| rows[i]).collect();
        let mut longer = vec![(200, 0), (201, 1)];
        longer.extend(&shuffled);
        let (other, _) = table(&longer);
        let other = other.take(&(2..longer.len()).collect::<Vec<_>>());
        let (_, other_target) = table(&shuffled);
        for schedule in [Schedule::Reference, Schedule::Exhaustive] {
            prop_assert_eq!(
                prepare(&column, &target, 0.7, schedule),
                prepare(&other, &other_target, 0.7, schedule)
            );
        }
    }
}

#[test]
fn nothing_to_group() {
    let unique: Vec<(u8, u8)> = (0..200).map(|i| (i, i % 2)).collect();
    let cases = [
        vec![(1, 0); 10],
        vec![(1, 0), (1, 1), (1, 0)],
        vec![(1, 0), (2, 0), (3, 0)],
        vec![(1, 0), (2, 1)],
        vec![(1, 0)],
        unique,
    ];
    for rows in cases {
        let (column, target) = table(&rows);
        for schedule in [Schedule::Reference, Schedule::Exhaustive] {
            let found = prepare(&column, &target, 0.0, schedule);
            assert_eq!(found.level, 0.0);
            assert_eq!(found.axes[0].parts, Parts::one_group());
            assert_eq!(found.counts, [target.counts().to_vec()]);
            // With a single class there is nothing to pay.
            let null = if target.classes().len() == 1 {
                0.0
            } else {
                LN_2
            };
            assert!((found.cost.construction - null).abs() < 1e-12);
        }
    }
}

#[test]
fn missing_is_a_value_and_rare_values_follow_the_first_of_them() {
    // Missing and v1 go with class 0, v2 with class 1, v8 and v9 are rare.
    let mut rows = vec![(0, 0); 50];
    rows.extend(vec![(1, 0); 40]);
    rows.extend(vec![(2, 1); 60]);
    rows.extend([(9, 1), (8, 1)]);
    let (column, target) = table(&rows);
    let found = prepare(&column, &target, 0.0, Schedule::Reference);
    let value = |name: &str| Some(name.to_owned());
    let expected = Parts::Groups {
        groups: vec![vec![None, value("v1")], vec![value("v2"), value("v8")]],
        default: 1,
    };
    assert_eq!(found.axes[0].parts, expected);
    assert_eq!(found.counts, [[90, 0], [0, 62]]);
    assert_eq!((found.axes[0].distinct, found.axes[0].missing), (5, 50));
}
