//! Independent oracles: exhaustive search, sums row by row, noise and planted structure.

use super::candidates::Input;
use super::count::{Axis, Crossed, Crossing, Residuals};
use super::criterion::{AxisKind, axis_prices, cell_gains, free_share};
use super::estimate::{Shape, Table, sweep};
use super::grid::best_grid;
use super::posteriors::{Posteriors, Profile};
use super::search::{Corrections, correct};
use crate::columns::{Outcomes, RowWeights, VariableKind};
use crate::terms::{MissingNumbers, PartCodes, Parts};
use std::borrow::Cow;

/// Numbers that look random: the same ones everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Inputs of so many equally frequent values.
fn columns(random: &mut Random, inputs: usize, rows: usize, values: usize) -> Vec<Vec<u8>> {
    let mut column = || (0..rows).map(|_| random.below(values) as u8).collect();
    (0..inputs).map(|_| column()).collect()
}

/// The corrections of the model without variables, when labels depend on inputs of 16 values.
fn found(codes: &[Vec<u8>], labels: &[u32], classes: usize) -> Corrections {
    let parts = Parts::Intervals {
        missing: MissingNumbers::None,
        cuts: (1..16).map(|cut| f64::from(cut) - 0.5).collect(),
    };
    let codes: Vec<PartCodes> = codes.iter().map(|c| PartCodes::Narrow(c.clone())).collect();
    let input = |codes| Input {
        kind: VariableKind::Numerical,
        parts: &parts,
        codes,
        selected: false,
    };
    let inputs: Vec<Input> = codes.iter().map(input).collect();
    let mut counts = vec![0; classes];
    for &label in labels {
        counts[label as usize] += 1;
    }
    let outcomes = Outcomes::new(labels, counts, None);
    correct(&[], &inputs, &outcomes, 20, &())
}

#[test]
fn noise_is_not_taken_for_structure() {
    for (classes, rows) in [(2, 300), (2, 1000), (10, 1000)] {
        let runs = 25;
        let tables: usize = (0..runs)
            .map(|run| {
                let mut random = Random(run + 1000 * rows as u64);
                let codes = columns(&mut random, 20, rows, 16);
                let labels: Vec<u32> = (0..rows).map(|_| random.below(classes) as u32).collect();
                found(&codes, &labels, classes).tables.len()
            })
            .sum();
        assert!(
            tables as f64 <= 0.2 * runs as f64,
            "{tables} tables of {classes} classes and {rows} rows"
        );
    }
}

/// Three pairs whose variables say nothing alone; the share of them that is found, and all tables.
fn planted_pairs(rows: usize, runs: u64) -> (f64, f64) {
    let (mut right, mut all) = (0_usize, 0_usize);
    for run in 0..runs {
        let mut random = Random(7 + 31 * run + rows as u64);
        let codes = columns(&mut random, 20, rows, 16);
        let labels: Vec<u32> = (0..rows)
            .map(|row| {
                let high = |input: usize| codes[input][row] >= 8;
                let pairs = [(0, 1, 1.2), (2, 3, 1.0), (4, 5, 0.8)];
                let odds = pairs.map(|(a, b, by)| if high(a) == high(b) { by } else { -by });
                let p = 1.0 / (1.0 + (-odds.iter().sum::<f64>()).exp());
                u32::from(random.unit() < p)
            })
            .collect();
        for table in found(&codes, &labels, 2).tables {
            all += 1;
            right += usize::from([[0, 1], [2, 3], [4, 5]].iter().any(|p| table.inputs == p));
        }
    }
    (right as f64 / (3 * runs) as f64, all as f64 / runs as f64)
}

#[test]
fn pairs_that_act_together_are_found() {
    let (small, _) = planted_pairs(300, 8);
    assert!(small >= 0.6, "{small}");
    let (share, tables) = planted_pairs(1000, 8);
    assert!(share >= 0.85 && tables <= 3.5, "{share}, {tables}");
}

#[test]
fn three_that_act_together_are_one_table() {
    let mut whole = 0;
    for run in 0..5 {
        let mut random = Random(99 + run);
        let codes = columns(&mut random, 12, 2000, 16);
        let label = |row: usize, random: &mut Random| {
            let all = (0..3).all(|input| codes[input][row] >= 8);
            let odds: f64 = if all { 3.0 } else { -1.0 };
            u32::from(random.unit() < 1.0 / (1.0 + (-odds).exp()))
        };
        let labels: Vec<u32> = (0..2000).map(|row| label(row, &mut random)).collect();
        let found = found(&codes, &labels, 2);
        let is_whole = |inputs: &[usize]| {
            let mut inputs = inputs.to_vec();
            inputs.sort_unstable();
            inputs == [0, 1, 2]
        };
        whole += usize::from(found.tables.iter().any(|table| is_whole(&table.inputs)));
    }
    assert!(whole >= 4, "{whole} of 5");
}

/// A table of random cells, small counts and large.
fn random_crossed(random: &mut Random, parts: [usize; 2], rows: usize) -> Crossed {
    let cells = parts[0] * parts[1];
    let mut crossed = Crossed {
        parts,
        outcomes: 2,
        residuals: vec![0.0; 2 * cells],
        variances: vec![0.0; 2 * cells],
        squares: vec![0.0; 2 * cells],
    };
    for _ in 0..rows {
        let cell = random.below(cells);
        let p = 0.2 + 0.6 * random.unit();
        let effect = if (cell / parts[1] >= 2) == (cell % parts[1] >= 2) {
            0.3
        } else {
            -0.3
        };
        let g = f64::from(u8::from(random.unit() < p + effect)) - p;
        for (outcome, g) in [-g, g].into_iter().enumerate() {
            crossed.residuals[2 * cell + outcome] += g;
            crossed.variances[2 * cell + outcome] += p * (1.0 - p);
            crossed.squares[2 * cell + outcome] += g * g;
        }
    }
    crossed
}

/// Every way to cut a row of parts into intervals, at least two.
fn cuttings(parts: usize) -> Vec<Vec<u32>> {
    let cutting = |mask: u32| {
        let mut part = 0;
        let of = |i: u32| {
            part += u32::from(i > 0 && mask >> (i - 1) & 1 == 1);
            part
        };
        (0..parts as u32).map(of).collect()
    };
    (1..1 << (parts - 1)).map(cutting).collect()
}

#[test]
fn merging_is_nearly_as_good_as_exhaustive_search() {
    let kinds = [AxisKind::Ordered; 2];
    let direct = |crossed: &Crossed, parts: &[Vec<u32>; 2]| {
        let merged = crossed.merged(parts);
        let price: f64 = (0..2)
            .map(|axis| axis_prices(kinds[axis], crossed.parts[axis])[merged.parts[axis]])
            .sum();
        let gain = [1.0, 8.0].map(|agreement| {
            let (mut ratios, mut gains) = (Vec::new(), Vec::new());
            cell_gains(
                &merged.residuals,
                &merged.variances,
                2,
                agreement,
                &mut ratios,
                &mut gains,
            );
            gains.iter().sum::<f64>()
        });
        free_share(2) * gain[0].max(gain[1]) - price
    };
    let mut random = Random(5);
    let mut equal = 0;
    for _ in 0..200 {
        let rows = 20 + random.below(180);
        let crossed = random_crossed(&mut random, [4, 5], rows);
        let grid = best_grid(&crossed, kinds);
        assert!((grid.gain - direct(&crossed, &grid.parts)).abs() < 1e-8);
        let all = cuttings(4).into_iter().flat_map(|first| {
            cuttings(5)
                .into_iter()
                .map(move |second| [first.clone(), second])
        });
        let best = all
            .map(|parts| direct(&crossed, &parts))
            .fold(f64::NEG_INFINITY, f64::max);
        assert!(grid.gain <= best + 1e-8);
        equal += usize::from(grid.gain > best - 1e-8);
    }
    assert!(equal >= 120, "{equal} of 200");
}

/// Labels and posteriors of so many rows and classes that are not trivial, with two columns.
struct Fixture {
    labels: Vec<u32>,
    counts: Vec<u64>,
    columns: [PartCodes; 2],
    scores: Vec<f64>,
    weights: Option<RowWeights>,
}

impl Fixture {
    fn new(seed: u64, rows: usize, classes: usize, weighted: bool) -> Self {
        let mut random = Random(seed);
        let columns = [7, 300].map(|parts| {
            let codes: Vec<u32> = (0..rows).map(|_| random.below(parts) as u32).collect();
            if parts <= 256 {
                PartCodes::Narrow(codes.into_iter().map(|code| code as u8).collect())
            } else {
                PartCodes::Wide(codes)
            }
        });
        let labels: Vec<u32> = (0..rows)
            .map(|row| ((columns[0].get(row) + random.below(3)) % classes) as u32)
            .collect();
        let weights = weighted.then(|| {
            let weights = (0..rows).map(|_| 0.25 + random.unit());
            RowWeights::counted(weights).expect("numbers")
        });
        let mut counts = vec![0; classes];
        for &label in &labels {
            counts[label as usize] += 1;
        }
        Self {
            scores: (0..7 * classes).map(|_| 2.0 * random.unit()).collect(),
            labels,
            counts,
            columns,
            weights,
        }
    }

    fn outcomes(&self) -> Outcomes<'_> {
        Outcomes::new(&self.labels, self.counts.clone(), self.weights.as_ref())
    }

    fn profile(&self) -> Profile<'_> {
        Profile {
            codes: &self.columns[0],
            left_out: vec![0.0; self.scores.len()],
            scores: self.scores.clone(),
            input: None,
        }
    }
}

#[test]
fn sums_over_cells_are_those_over_rows() {
    for (classes, weighted) in [(2, false), (2, true), (5, false), (5, true)] {
        let fixture = Fixture::new(3, 5000, classes, weighted);
        let outcomes = fixture.outcomes();
        let posteriors = Posteriors::new(&[fixture.profile()], &outcomes);
        let axis = |i: usize, parts| Axis {
            codes: &fixture.columns[i],
            parts,
        };
        let crossing = Crossing {
            first: axis(1, 300),
            second: Some(axis(0, 7)),
        };
        let crossed = Residuals::of(&posteriors)
            .count(&[crossing], true, |_, crossed| crossed)
            .remove(0);
        let length = 300 * 7 * classes;
        let mut sums = [vec![0.0; length], vec![0.0; length], vec![0.0; length]];
        let rows = posteriors.map_rows(classes + 2, numbers_of_row);
        for (row, numbers) in rows.chunks_exact(classes + 2).enumerate() {
            let (p, [label, weight]) = numbers.split_last_chunk().expect("two at the end");
            let cell = fixture.columns[1].get(row) * 7 + fixture.columns[0].get(row);
            for class in 0..classes {
                let g = f64::from(u8::from(class == *label as usize)) - p[class];
                let terms = [g, p[class] * (1.0 - p[class]), g * g];
                for (sum, term) in sums.iter_mut().zip(terms) {
                    sum[cell * classes + class] += weight * term;
                }
            }
        }
        let counted = [&crossed.residuals, &crossed.variances, &crossed.squares];
        for (expected, counted) in sums.iter().zip(counted) {
            for (expected, counted) in expected.iter().zip(counted) {
                assert!((expected - counted).abs() < 1e-3, "{expected} {counted}");
            }
        }
    }
}

/// Posteriors, outcome and weight.
fn numbers_of_row(p: &[f64], label: u32, weight: f64, numbers: &mut [f64]) {
    numbers[..p.len()].copy_from_slice(p);
    numbers[p.len()..].copy_from_slice(&[f64::from(label), weight]);
}

/// The criterion of all tables from scratch.
fn criterion(posteriors: &Posteriors, tables: &[Table]) -> f64 {
    let losses = posteriors.map_rows(1, |p, label, weight, loss| {
        loss[0] = -weight * p[label as usize].ln();
    });
    let loss: f64 = losses.into_iter().sum();
    let penalty = |table: &Table| match &table.shape {
        Shape::Free { alpha } => {
            let terms = table.logs.iter().map(|log| log.exp() - 1.0 - log);
            alpha * terms.sum::<f64>()
        }
        Shape::Smooth { .. } => 0.0,
    };
    loss + tables.iter().map(penalty).sum::<f64>()
}

#[test]
fn sweeps_never_increase_the_criterion_and_end_at_its_minimum() {
    for (classes, weighted) in [(2, false), (4, true)] {
        let fixture = Fixture::new(11, 3000, classes, weighted);
        let outcomes = fixture.outcomes();
        let mut posteriors = Posteriors::new(&[fixture.profile()], &outcomes);
        let table = |column: usize, cells, alpha| {
            let codes = Cow::Borrowed(&fixture.columns[column]);
            Table::new(codes, cells, &posteriors, Shape::Free { alpha })
        };
        let mut tables = vec![table(0, 7, 1.0), table(1, 300, 4.0)];
        let mut before = criterion(&posteriors, &tables);
        let mut loss = f64::NEG_INFINITY;
        while loss < -1e-6 {
            let change = sweep(&mut tables, &mut posteriors);
            let after = criterion(&posteriors, &tables);
            assert!(after <= before + 1e-9 * before.abs(), "{before} -> {after}");
            before = after;
            loss = change;
        }
        for table in &tables {
            let Shape::Free { alpha } = table.shape else {
                continue;
            };
            let masses = posteriors.masses(table.lookup());
            let cells = table.observed.iter().zip(&masses.expected).zip(&table.logs);
            for ((o, e), log) in cells {
                let gap = o + alpha - e - alpha * log.exp();
                assert!(gap.abs() < 0.05, "{gap}");
            }
        }
    }
}
