//! Every method, and what its result must satisfy whatever the data.

use crate::weights_synthetic::SyntheticSet;
use fnb::columns::Target;
use fnb::weights::{Candidate, LearnSettings, Learnt, continuous_criterion, optimise};
use fnb::{Method, Preset, Settings};

/// Preparation cost of the null model: any number does here.
pub(crate) const NULL_COST: f64 = 7.0;

/// The settings of every method, those of its variants that differ most included, and their names.
pub(crate) fn every_method() -> Vec<(String, LearnSettings)> {
    let plain = |method: Method| {
        let settings = LearnSettings {
            method,
            ..LearnSettings::default()
        };
        (method.as_str().to_owned(), settings)
    };
    let mut all: Vec<_> = Method::ALL.map(plain).into();
    let quality = LearnSettings {
        method: Method::Coordinate,
        continuation: true,
        ..LearnSettings::default()
    };
    all.push(("coordinate, continuation".into(), quality));
    all.push((
        "fnb of khiops".into(),
        Settings::preset(Preset::Khiops).learn,
    ));
    all
}

pub(crate) fn optimise_set(set: &SyntheticSet, settings: &LearnSettings) -> Learnt {
    optimise(
        &set.candidates(),
        &set.target.outcomes(),
        NULL_COST,
        settings,
        &(),
    )
}

/// How many variables a model has.
pub(crate) fn selected(outcome: &Learnt) -> usize {
    outcome.weights.iter().filter(|w| **w > 0.0).count()
}

/// Weights and criteria are numbers that make sense, and the size path is one.
pub(crate) fn assert_valid(
    candidates: &[Candidate],
    target: &Target,
    settings: &LearnSettings,
    outcome: &Learnt,
    what: &str,
) {
    assert_eq!(outcome.weights.len(), candidates.len(), "{what}");
    let in_range = |weight: &f64| (0.0..=1.0).contains(weight);
    assert!(
        outcome.weights.iter().all(in_range),
        "{what}: {:?}",
        outcome.weights
    );
    let search = outcome.search_criterion.map(|search| search.value);
    assert_ne!(search.is_some(), settings.method.is_continuous(), "{what}");
    let values = [outcome.criterion, outcome.null_criterion];
    for value in values.into_iter().chain(search) {
        let numbers = [value.total, value.data, value.prior];
        assert!(numbers.iter().all(|x| x.is_finite()), "{what}: {value:?}");
    }
    let most = settings.max_selected.unwrap_or(usize::MAX);
    assert!(selected(outcome) <= most, "{what}: {:?}", outcome.weights);
    assert_path(candidates, target, settings, outcome, what);
}

/// Sizes grow, each model has the variables of the one before and more, the last one is the model.
fn assert_path(
    candidates: &[Candidate],
    target: &Target,
    settings: &LearnSettings,
    outcome: &Learnt,
    what: &str,
) {
    let path = &outcome.size_path;
    let model = outcome.weights.iter().copied().enumerate();
    let model: Vec<(usize, f64)> = model.filter(|(_, weight)| *weight > 0.0).collect();
    let last = path.last().map_or(&[][..], |point| &point.weights);
    assert_eq!(last, model, "{what}: the last model");
    for pair in path.windows(2) {
        let [smaller, larger] = [&pair[0].weights, &pair[1].weights];
        assert!(smaller.len() < larger.len(), "{what}: {path:?}");
        let held = |k| larger.iter().any(|(other, _)| other == k);
        assert!(smaller.iter().all(|(k, _)| held(k)), "{what}: {path:?}");
    }
    for point in path {
        let mut weights = vec![0.0; candidates.len()];
        for &(k, weight) in &point.weights {
            assert!(weight > 0.0 && weight <= 1.0, "{what}: {point:?}");
            weights[k] = weight;
        }
        let exact = continuous_criterion(candidates, &target.outcomes(), settings, &weights);
        // The weights are rounded, the criterion is that before.
        let error = (point.criterion.total - exact.total).abs();
        assert!(
            error <= 1e-4 * exact.total.abs().max(1.0),
            "{what}: {point:?}, {exact:?}"
        );
    }
}
