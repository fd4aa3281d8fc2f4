//! Parts of the rows → which variables say the same (docs/method.md §9.1).

use crate::columns::{Outcomes, RowWeights};
use crate::model::Overlap;
use crate::terms::PartCodes;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Overlaps are looked for in order of importance until so many rows and cells were visited: a fraction of a
/// second.
const MOST_VISITS: usize = 30_000_000;

/// Smaller shares are of no interest.
const LEAST_SHARE: f64 = 0.3;

/// So many are kept of each variable, and looked for for so many that are not selected.
const MOST_OVERLAPS: usize = 5;
const MOST_OTHERS: usize = 1000;

/// Tables of more cells are not counted: such variables say much of little.
const MOST_CELLS: usize = 1 << 20;

/// A variable with the part of every row.
pub(super) struct Coded<'a> {
    pub(super) name: &'a str,
    pub(super) parts: usize,
    pub(super) codes: &'a PartCodes,
}

/// With which of the `selected` variables every other one, selected or not, says much the same; the largest
/// overlap first. `selected` and `others` are in order of importance.
pub(super) fn overlaps(
    selected: &[Coded],
    others: &[Coded],
    outcomes: &Outcomes,
) -> BTreeMap<String, Vec<Overlap>> {
    // Half of the visits are for the selected ones among themselves.
    let among = (0..selected.len()).flat_map(|b| (0..b).map(move |a| (&selected[a], &selected[b])));
    let rows = outcomes.rows_of_table();
    let (mut pairs, left) = affordable(among, rows, MOST_VISITS / 2);
    let own = pairs.len();
    let others = others.iter().take(MOST_OTHERS);
    let beyond = others.flat_map(|other| selected.iter().map(move |known| (known, other)));
    pairs.extend(affordable(beyond, rows, left + MOST_VISITS / 2).0);

    let shares = shares(&pairs, outcomes);
    let mut found: BTreeMap<String, Vec<Overlap>> = BTreeMap::new();
    let mut add = |variable: &Coded, with: &Coded, share: f64| {
        let with = with.name.to_owned();
        let known = found.entry(variable.name.to_owned()).or_default();
        known.push(Overlap { with, share });
    };
    for (i, ((a, b), share)) in pairs.into_iter().zip(shares).enumerate() {
        if share >= LEAST_SHARE {
            add(b, a, share);
            if i < own {
                add(a, b, share);
            }
        }
    }
    for known in found.values_mut() {
        let best_first = |a: &Overlap, b: &Overlap| {
            b.share
                .total_cmp(&a.share)
                .then_with(|| a.with.cmp(&b.with))
        };
        known.sort_by(best_first);
        known.truncate(MOST_OVERLAPS);
    }
    found
}

type Pair<'a> = (&'a Coded<'a>, &'a Coded<'a>);

/// The first pairs that so many visits allow, and the visits that are left.
fn affordable<'a>(
    pairs: impl Iterator<Item = Pair<'a>>,
    rows: usize,
    visits: usize,
) -> (Vec<Pair<'a>>, usize) {
    let mut left = visits;
    let pairs = pairs.filter(|(a, b)| a.parts.saturating_mul(b.parts) <= MOST_CELLS);
    let pairs = pairs.take_while(|(a, b)| {
        // A cell costs a logarithm.
        let cost = rows + 10 * a.parts * b.parts;
        let is_within = cost <= left;
        left = left.saturating_sub(cost);
        is_within
    });
    let pairs = pairs.collect();
    (pairs, left)
}

/// How much of one variable of each pair the other tells.
fn shares(pairs: &[Pair], outcomes: &Outcomes) -> Vec<f64> {
    let units = outcomes.weights().map(RowWeights::units);
    let cells = outcomes.all().sum(|| {
        let pairs = pairs.par_iter();
        pairs
            .flat_map_iter(|(a, b)| rows_by_cell(a, b, units))
            .collect()
    });
    let mut rest = cells.as_slice();
    let cells = pairs.iter().map(|(a, b)| {
        let (own, others) = rest.split_at(a.parts * b.parts);
        rest = others;
        own
    });
    let cells: Vec<&[u64]> = cells.collect();
    let shares = pairs.par_iter().zip(cells);
    shares.map(|((a, b), cells)| share(a, b, cells)).collect()
}

/// What the rows of every pair of parts count.
fn rows_by_cell(a: &Coded, b: &Coded, units: Option<&[u64]>) -> Vec<u64> {
    let mut cells = vec![0_u64; a.parts * b.parts];
    match (a.codes, b.codes, units) {
        (PartCodes::Narrow(a), PartCodes::Narrow(other), None) => {
            for (&a, &other) in a.iter().zip(other) {
                cells[usize::from(a) * b.parts + usize::from(other)] += 1;
            }
        }
        (first, second, units) => {
            for row in 0..first.len() {
                let cell = first.get(row) * b.parts + second.get(row);
                cells[cell] += units.map_or(1, |units| units[row]);
            }
        }
    }
    cells
}

/// Mutual information over the smaller entropy, to four decimals.
fn share(a: &Coded, b: &Coded, cells: &[u64]) -> f64 {
    let mut totals = (vec![0_u64; a.parts], vec![0_u64; b.parts]);
    for (i, line) in cells.chunks_exact(b.parts).enumerate() {
        for (j, &rows) in line.iter().enumerate() {
            totals.0[i] += rows;
            totals.1[j] += rows;
        }
    }
    let n = totals.0.iter().sum::<u64>() as f64;
    // n·H, and n·(H(a) + H(b) − H(a, b)).
    let entropy = |counts: &[u64]| -> f64 {
        let counts = counts.iter().filter(|rows| **rows > 0);
        counts
            .map(|&rows| rows as f64 * (n / rows as f64).ln())
            .sum()
    };
    let (first, second) = (entropy(&totals.0), entropy(&totals.1));
    let smaller = first.min(second);
    if smaller <= 0.0 {
        return 0.0;
    }
    let share = (first + second - entropy(cells)) / smaller;
    (share.clamp(0.0, 1.0) * 1e4).round() / 1e4
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coded<'a>(name: &'a str, parts: usize, codes: &'a PartCodes) -> Coded<'a> {
        Coded { name, parts, codes }
    }

    fn share(a: &Coded, b: &Coded, units: Option<&[u64]>) -> f64 {
        super::share(a, b, &rows_by_cell(a, b, units))
    }

    fn codes(of: impl Fn(usize) -> usize) -> PartCodes {
        PartCodes::Narrow((0..1200).map(|row| of(row) as u8).collect())
    }

    #[test]
    fn copies_overlap_wholly_and_strangers_not_at_all() {
        let [fine, coarse, other] = [codes(|r| r % 4), codes(|r| r % 4 / 2), codes(|r| r / 4 % 3)];
        let wide = PartCodes::Wide((0..1200).map(|row| row % 4).collect());
        let fine = coded("fine", 4, &fine);
        assert_eq!(share(&fine, &coded("coarse", 2, &coarse), None), 1.0);
        assert_eq!(share(&fine, &coded("other", 3, &other), None), 0.0);
        assert_eq!(share(&fine, &coded("wide", 4, &wide), None), 1.0);
    }

    /// Four rows in five the same, of two parts of equal size: ln 2 less the entropy of 0.2, over ln 2.
    #[test]
    fn a_known_share() {
        let (a, b) = (
            codes(|r| r % 2),
            codes(|r| (r + usize::from(r / 2 % 5 == 0)) % 2),
        );
        let expected = 1.0 + 0.2 * 0.2_f64.log2() + 0.8 * 0.8_f64.log2();
        let found = share(&coded("a", 2, &a), &coded("b", 2, &b), None);
        assert!((found - expected).abs() < 1e-4, "{found} {expected}");
        let weights = vec![3; 1200];
        assert_eq!(
            share(&coded("a", 2, &a), &coded("b", 2, &b), Some(&weights)),
            found
        );
    }

    #[test]
    fn five_are_kept_the_largest_first() {
        let noisy = |k: usize| codes(move |r| (r + usize::from(r / 2 % (20 + k) == 0)) % 2);
        let all: Vec<PartCodes> = (0..8).map(noisy).collect();
        let names: Vec<String> = (0..8).map(|k| format!("v{k}")).collect();
        let selected: Vec<Coded> = all
            .iter()
            .zip(&names)
            .map(|(c, n)| coded(n, 2, c))
            .collect();
        let copy = all[3].clone();
        let labels = [0; 1200];
        let outcomes = Outcomes::new(&labels, vec![1200], None);
        let found = overlaps(&selected, &[coded("copy", 2, &copy)], &outcomes);
        let best = &found["copy"];
        assert_eq!(
            (best.len(), best[0].with.as_str(), best[0].share),
            (5, "v3", 1.0)
        );
        assert!(best.is_sorted_by(|a, b| a.share >= b.share));
        assert!(found["v0"].iter().all(|overlap| overlap.with != "copy"));
        assert_eq!(found["v0"].len(), 5);
    }
}
