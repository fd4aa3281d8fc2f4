//! Variables that say the same of every row: one of them is enough.

use super::Candidate;
use crate::terms::PartCodes;
use hashbrown::HashMap;

/// Positions of the candidates without those whose parts hold the same rows as those of another one;
/// of identical ones the cheapest stays, the first of equally cheap ones.
pub(super) fn distinct(candidates: &[Candidate], classes: usize) -> Vec<usize> {
    // Identical parts have identical lines of probabilities, in some order: cheap to compare.
    let mut groups: HashMap<Vec<Vec<u64>>, Vec<usize>> = HashMap::new();
    let mut kept: Vec<usize> = Vec::new();
    for (k, candidate) in candidates.iter().enumerate() {
        let lines = candidate.scores.chunks_exact(classes);
        let mut key: Vec<Vec<u64>> = lines
            .map(|line| line.iter().map(|log| log.to_bits()).collect())
            .collect();
        key.sort_unstable();
        let group = groups.entry(key).or_default();
        let same = |&&other: &&usize| same_parts(&candidates[other].codes, &candidate.codes);
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

/// Is each part of one a part of the other?
fn same_parts(a: &PartCodes, b: &PartCodes) -> bool {
    if a == b {
        return true;
    }
    let (mut to_b, mut to_a) = (HashMap::new(), HashMap::new());
    (0..a.len()).all(|row| {
        let (a, b) = (a.get(row), b.get(row));
        *to_b.entry(a).or_insert(b) == b && *to_a.entry(b).or_insert(a) == a
    })
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
        assert_eq!(distinct(&candidates, 2), [2, 3]);
        assert_eq!(distinct(&candidates[..2], 2), [0]);
    }
}
