//! Sparse variables as the search of Khiops sees them: a row that a variable does not list gets no
//! score from it, instead of that of its part (docs/method.md §7.5).

use crate::terms::{PartCodes, UnlistedPart};
use crate::weights::Candidate;
use std::borrow::Cow;

/// The candidates, sparse ones with the scores of the rows that they list only.
pub(super) fn listed<'a>(
    candidates: &'a [Candidate<'a>],
    outcomes: usize,
) -> Cow<'a, [Candidate<'a>]> {
    if candidates
        .iter()
        .all(|candidate| candidate.unlisted.is_none())
    {
        return Cow::Borrowed(candidates);
    }
    let seen = candidates.iter().map(|candidate| {
        let (codes, scores) = match candidate.unlisted {
            Some(part) => without_unlisted(candidate, part, outcomes),
            None => (Cow::Borrowed(&*candidate.codes), candidate.scores.clone()),
        };
        Candidate {
            codes,
            scores,
            ..*candidate
        }
    });
    seen.collect()
}

/// The part of unlisted rows gets no score; rows in it that are listed get a cell of their own, which keeps it.
fn without_unlisted<'a>(
    candidate: &'a Candidate,
    unlisted: &UnlistedPart,
    outcomes: usize,
) -> (Cow<'a, PartCodes>, Vec<f64>) {
    let line = unlisted.part * outcomes..(unlisted.part + 1) * outcomes;
    let mut scores = candidate.scores.clone();
    if unlisted.listed.is_empty() {
        scores[line].fill(0.0);
        return (Cow::Borrowed(&*candidate.codes), scores);
    }
    let cell = scores.len() / outcomes;
    scores.extend_from_within(line.clone());
    scores[line].fill(0.0);
    let mut codes = PartCodes::clone(&candidate.codes);
    codes.set(&unlisted.listed, cell);
    (Cow::Owned(codes), scores)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two outcomes; part 1 of three is that of unlisted rows, and two rows of it are listed.
    #[test]
    fn rows_that_are_not_listed_get_no_score() {
        let unlisted = UnlistedPart {
            part: 1,
            listed: vec![2, 4],
        };
        let candidate = |codes, unlisted| Candidate {
            name: "x",
            level: 0.1,
            prior_cost: 3.0,
            codes: Cow::Owned(codes),
            unlisted,
            scores: vec![-1.0, -2.0, -3.0, -4.0, -5.0, -6.0],
        };
        let codes = || PartCodes::Narrow(vec![0, 1, 1, 2, 1, 1]);
        let candidates = [
            candidate(codes(), None),
            candidate(codes(), Some(&unlisted)),
        ];
        let seen = listed(&candidates, 2);
        assert_eq!(seen[0].scores, candidates[0].scores);
        let score = |row| seen[1].scores[seen[1].codes.get(row) * 2];
        let scores: Vec<f64> = (0..6).map(score).collect();
        assert_eq!(scores, [-1.0, 0.0, -3.0, -5.0, -3.0, 0.0]);
        assert!(matches!(listed(&candidates[..1], 2), Cow::Borrowed(_)));

        // None of part 1 is listed: no cell more.
        let none = UnlistedPart {
            part: 1,
            listed: Vec::new(),
        };
        let candidates = [candidate(codes(), Some(&none))];
        let seen = listed(&candidates, 2);
        assert_eq!(seen[0].scores, [-1.0, -2.0, 0.0, 0.0, -5.0, -6.0]);
        assert_eq!(*seen[0].codes, codes());
    }

    #[test]
    fn a_cell_more_than_a_byte_holds() {
        let unlisted = UnlistedPart {
            part: 0,
            listed: vec![1],
        };
        let codes = PartCodes::Narrow((0..=255).chain([0]).collect());
        let candidates = [Candidate {
            name: "x",
            level: 0.1,
            prior_cost: 3.0,
            codes: Cow::Owned(codes),
            unlisted: Some(&unlisted),
            scores: vec![-1.0; 512],
        }];
        let seen = listed(&candidates, 2);
        let codes: Vec<usize> = (0..257).map(|row| seen[0].codes.get(row)).collect();
        assert_eq!(
            (codes[0], codes[1], codes[255], codes[256]),
            (0, 256, 255, 0)
        );
    }
}
