//! Variables that say the same of every row: one of them is enough.

use super::Candidate;
use crate::columns::Outcomes;
use crate::terms::PartCodes;
use hashbrown::HashMap;

/// Positions of the candidates without those whose parts hold the same rows as those of another one;
/// of identical ones the cheapest stays, the first of equally cheap ones.
pub(super) fn distinct(candidates: &[Candidate], outcomes: &Outcomes) -> Vec<usize> {
    // Identical parts have identical lines of probabilities, in some order: cheap to compare.
    let mut groups: HashMap<Vec<Vec<u64>>, Vec<usize>> = HashMap::new();
    let mut kept: Vec<usize> = Vec::new();
    for (k, candidate) in candidates.iter().enumerate() {
        let lines = candidate.scores.chunks_exact(outcomes.len());
        let mut key: Vec<Vec<u64>> = lines
            .map(|line| line.iter().map(|log| log.to_bits()).collect())
            .collect();
        key.sort_unstable();
        let group = groups.entry(key).or_default();
        let parts = candidate.scores.len() / outcomes.len();
        let same = |&&other: &&usize| {
            same_parts(&candidates[other].codes, &candidate.codes, parts, outcomes)
        };
        match group.iter().find(same).copied() {
            None => {
                group.push(k);
                kept.push(k);
            }
            Some(other) if candidate.prior_cost < candidates[other].prior_cost => {
                for list in [group, &mut kept] {
                    list.retain(|&k| k != other);
                    list.push(k);
                }
            }
            Some(_) => {}
        }
    }
    kept
}

/// Is each part of one a part of the other? Both have so many.
fn same_parts(a: &PartCodes, b: &PartCodes, parts: usize, outcomes: &Outcomes) -> bool {
    let all = outcomes.all();
    if all.are_here() && a == b {
        return true;
    }
    let sums = all.sum(|| {
        let mut partners = [vec![None; parts], vec![None; parts]];
        let mut is_only = |of: usize, part: usize, partner: usize| {
            *partners[of][part].get_or_insert(partner) == partner
        };
        let mut rows = (0..a.len()).map(|row| (a.get(row), b.get(row)));
        let is_same = rows.all(|(a, b)| is_only(0, a, b) && is_only(1, b, a));
        let mut sums: Vec<[i128; 3]> = partners.into_iter().flatten().map(powers).collect();
        sums.push([i128::from(!is_same), 0, 0]);
        sums
    });
    let (different, partners) = sums.split_last().expect("it comes last");
    different[0] == 0 && partners.iter().all(are_equal)
}

/// How often a part has a partner, which one, and its square: from the sums of these over all places it
/// can be told whether the partner is the same everywhere.
fn powers(partner: Option<usize>) -> [i128; 3] {
    partner.map_or([0; 3], |partner| {
        let partner = partner as i128;
        [1, partner, partner * partner]
    })
}

/// Are the partners that such sums are of all the same? Their variance is 0 then.
fn are_equal([number, sum, squares]: &[i128; 3]) -> bool {
    number * squares == sum * sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::log_probabilities;
    use std::borrow::Cow;

    fn candidate(codes: &[u8], prior_cost: f64) -> Candidate<'static> {
        let mut counts = vec![vec![0, 0]; 3];
        for (row, &code) in codes.iter().enumerate() {
            counts[usize::from(code)][row % 2] += 1;
        }
        Candidate {
            name: "x",
            level: 0.1,
            prior_cost,
            codes: Cow::Owned(PartCodes::Narrow(codes.to_vec())),
            unlisted: None,
            scores: log_probabilities(&counts, codes.len() as u64),
        }
    }

    #[test]
    fn the_cheapest_of_identical_ones_stays() {
        let candidates = [
            candidate(&[0, 0, 1, 1, 2, 2], 3.0),
            // The same parts under other numbers, then cheaper.
            candidate(&[2, 2, 0, 0, 1, 1], 3.0),
            candidate(&[1, 1, 0, 0, 2, 2], 2.0),
            // Equal tables, other rows.
            candidate(&[0, 1, 1, 2, 2, 0], 3.0),
        ];
        let outcomes = Outcomes::new(&[0, 1, 0, 1, 0, 1], vec![3, 3], None);
        assert_eq!(distinct(&candidates, &outcomes), [2, 3]);
        assert_eq!(distinct(&candidates[..2], &outcomes), [0]);
    }
}
