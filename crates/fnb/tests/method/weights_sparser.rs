//! Fewer variables for a share of the criterion (docs/method.md §7.12), and what a variable costs.

use crate::weights_methods::{assert_valid, optimise_set, selected};
use crate::weights_synthetic::SyntheticSet;
use fnb::Method;
use fnb::weights::{LearnSettings, Learnt};

/// Many variables see few hidden ones: some of them hardly matter.
fn sets() -> Vec<SyntheticSet> {
    let classes = [2, 3, 5, 2];
    let sets = classes.iter().zip(1..);
    sets.map(|(&classes, seed)| SyntheticSet::redundant(700, classes, 6, 40, seed))
        .collect()
}

fn learn(set: &SyntheticSet, method: Method, sparser: Option<f64>) -> Learnt {
    let settings = LearnSettings {
        method,
        sparser,
        ..LearnSettings::default()
    };
    let learnt = optimise_set(set, &settings);
    let what = format!("{method:?}, {sparser:?}");
    assert_valid(&set.candidates(), &set.target, &settings, &learnt, &what);
    learnt
}

#[test]
fn the_model_is_within_the_share_of_the_lowest_criterion() {
    let mut fewer = 0;
    for set in sets() {
        let all = learn(&set, Method::Coordinate, Some(0.0));
        assert_eq!(all.lowest, None);
        let mut last = selected(&all);
        for share in [0.0005, 0.001, 0.01, 0.1] {
            let found = learn(&set, Method::Coordinate, Some(share));
            let lowest = found.lowest.map_or(found.criterion, |lowest| {
                assert!(lowest.selected > selected(&found));
                assert!(lowest.criterion.total < found.criterion.total);
                lowest.criterion
            });
            // Weights are rounded after they were found.
            let most = (1.0 + share) * lowest.total * (1.0 + 1e-6);
            assert!(found.criterion.total <= most, "{share}: {found:?}");
            assert!(lowest.total <= all.criterion.total * (1.0 + 1e-6));
            assert!(selected(&found) <= last, "{share}");
            last = selected(&found);
        }
        fewer += usize::from(last < selected(&all));
        // What a larger share would leave out is on the path.
        assert!(all.size_path.iter().any(|point| point.weights.len() < last));
    }
    assert_eq!(fewer, sets().len());
}

#[test]
fn it_is_the_default_of_coordinate_steps_alone() {
    for set in sets() {
        let default = learn(&set, Method::Coordinate, None);
        assert_eq!(default, learn(&set, Method::Coordinate, Some(0.001)));
        for method in [Method::SgCf, Method::Fnb, Method::FnbOrdered, Method::Nb] {
            let found = learn(&set, method, None);
            assert_eq!(found.lowest, None, "{method:?}");
            let sparser = learn(&set, method, Some(0.02));
            assert!(selected(&sparser) <= selected(&found), "{method:?}");
        }
    }
}

/// A limit is met by the best model of that size, from which nothing is taken away.
#[test]
fn a_limit_is_not_undercut() {
    for set in sets() {
        let limited = |sparser| {
            let settings = LearnSettings {
                max_selected: Some(3),
                sparser,
                ..LearnSettings::default()
            };
            optimise_set(&set, &settings)
        };
        assert_eq!(limited(Some(0.0)), limited(Some(0.5)));
        assert_eq!(selected(&limited(Some(0.5))), 3);
    }
}
