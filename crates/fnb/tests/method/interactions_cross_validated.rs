//! A cross-validation says what the weights obtain alone, without learning them twice.

use crate::planted::{Draws, frame, inputs, pairs_that_agree, settings, target};
use fnb::evaluate::{Scores, folds};
use fnb::weights::Interactions;
use fnb::{Labelled, Preset, Settings, cross_validate};

fn data() -> Labelled {
    let mut draws = Draws::new(12);
    let mut inputs = inputs(&mut draws, 8, 1200);
    let labels = pairs_that_agree(&inputs, &mut draws);
    // One that matters alone.
    for (value, label) in inputs[6].iter_mut().zip(&labels) {
        *value += 5.0 * *label as f64;
    }
    Labelled::new(frame(&inputs), target(&labels))
}

/// The figures are those of a training without interactions, to the last bit.
#[test]
fn plain_figures_are_those_of_a_plain_training() {
    let data = data();
    let folds = folds(&data.target, 4).unwrap();
    let of = |settings: &Settings| cross_validate(&data, &folds, settings, &()).unwrap();
    let whole = of(&settings(Interactions::Auto));
    let plain = of(&settings(Interactions::None));
    assert!(whole.folds.iter().any(|fold| fold.figures.tables > 0.0));
    for (whole, plain) in whole.folds.iter().zip(&plain.folds) {
        assert_eq!(whole.plain, Some(Scores::from(&plain.figures)));
        assert_eq!(plain.plain, None);
    }
    assert_eq!(whole.plain, Some(Scores::from(&plain.mean)));
    assert_eq!(plain.plain, None);
    assert!(whole.mean.compression > plain.mean.compression + 0.01);
}

/// Where nothing pays, both are the same; where nothing is learnt beyond the weights, nothing is said.
#[test]
fn nothing_to_compare() {
    let mut draws = Draws::new(13);
    let inputs = inputs(&mut draws, 3, 300);
    let labels: Vec<usize> = (0..300).map(|_| draws.below(2)).collect();
    let data = Labelled::new(frame(&inputs), target(&labels));
    let folds = folds(&data.target, 3).unwrap();
    let of = |settings: &Settings| cross_validate(&data, &folds, settings, &()).unwrap();
    let whole = of(&Settings::default());
    assert_eq!(whole.plain, Some(Scores::from(&whole.mean)));
    assert_eq!(of(&Settings::preset(Preset::Khiops)).plain, None);
}
