//! Variables that say the same of every row.

use crate::weights_methods::{NULL_COST, selected};
use crate::weights_synthetic::SyntheticSet;
use fnb::Method;
use fnb::terms::PartCodes;
use fnb::weights::{Candidate, LearnSettings, optimise};
use std::borrow::Cow;

/// The same variable under another name, its parts in the opposite order.
fn renumbered<'a>(candidate: &Candidate, name: &'a str, classes: usize) -> Candidate<'a> {
    let parts = candidate.scores.len() / classes;
    let codes = (0..candidate.codes.len()).map(|row| (parts - 1 - candidate.codes.get(row)) as u8);
    let lines = candidate.scores.chunks_exact(classes).rev();
    Candidate {
        name,
        level: candidate.level,
        prior_cost: candidate.prior_cost,
        codes: Cow::Owned(PartCodes::Narrow(codes.collect())),
        unlisted: None,
        scores: lines.flatten().copied().collect(),
    }
}

/// Oracle §11.8: one copy of each is kept, and the criterion is that of the problem without copies.
#[test]
fn one_copy_of_each_variable_is_kept() {
    let sets = [
        SyntheticSet::new(400, 2, &[3, 4, 5, 2, 6, 3], 1),
        SyntheticSet::new(400, 5, &[3, 4, 5, 2, 6, 3], 2),
        SyntheticSet::redundant(300, 2, 3, 25, 3),
        SyntheticSet::redundant(300, 20, 3, 25, 4),
    ];
    for set in &sets {
        let alone = set.candidates();
        let classes = set.target.classes().len();
        let names: Vec<String> = alone.iter().map(|c| format!("{} again", c.name)).collect();
        let mut twice = Vec::new();
        for (k, (candidate, name)) in alone.iter().zip(&names).enumerate() {
            let pair = [candidate.clone(), renumbered(candidate, name, classes)];
            // The copy comes first for every other variable.
            twice.extend(if k % 2 == 0 {
                pair
            } else {
                pair.into_iter()
                    .rev()
                    .collect::<Vec<_>>()
                    .try_into()
                    .unwrap()
            });
        }
        for (method, continuation) in [
            (Method::Coordinate, false),
            (Method::Coordinate, true),
            (Method::FnbOrdered, false),
        ] {
            let settings = LearnSettings {
                method,
                continuation,
                ..LearnSettings::default()
            };
            let learn = |candidates: &[Candidate]| {
                optimise(
                    candidates,
                    &set.target.outcomes(),
                    NULL_COST,
                    &settings,
                    &(),
                )
            };
            let (expected, found) = (learn(&alone), learn(&twice));
            assert!(selected(&expected) > 2);
            for (k, pair) in found.weights.chunks(2).enumerate() {
                assert!(pair.contains(&0.0), "both copies of {k}: {pair:?}");
                let sum = pair[0] + pair[1];
                assert!((sum - expected.weights[k]).abs() < 1e-5, "{k}: {pair:?}");
            }
            let (found, expected) = (found.criterion.total, expected.criterion.total);
            assert!(
                (found - expected).abs() <= 1e-9 * expected,
                "{method:?}: {found}, not {expected}"
            );
        }
    }
}

/// A gradient method that moves all weights at once cannot tell copies apart: it keeps both.
#[test]
fn gradients_keep_both_copies() {
    let set = SyntheticSet::new(400, 2, &[3, 4, 5, 2, 6, 3], 1);
    let alone = set.candidates();
    let twice: Vec<Candidate> = alone.iter().flat_map(|c| [c.clone(), c.clone()]).collect();
    let settings = LearnSettings {
        method: Method::SgCf,
        ..LearnSettings::default()
    };
    let outcome = optimise(&twice, &set.target.outcomes(), NULL_COST, &settings, &());
    assert!(selected(&outcome) > 2);
    for pair in outcome.weights.chunks(2) {
        assert_eq!(pair[0], pair[1], "{:?}", outcome.weights);
    }
}
