//! Tables of data with a planted structure, for the tests of interactions.

use fnb::columns::{Column, ColumnData, Frame, NumericColumn, Target};
use fnb::model::Model;
use fnb::weights::{Interactions, LearnSettings};
use fnb::{Settings, train};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Numbers that look random: the same ones everywhere.
pub(crate) struct Draws(Xoshiro256PlusPlus);

impl Draws {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// Between 0 and 1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.unit() * bound as f64) as usize
    }

    /// True with the probability of given log odds.
    pub(crate) fn happens(&mut self, log_odds: f64) -> bool {
        self.unit() < 1.0 / (1.0 + (-log_odds).exp())
    }
}

pub(crate) fn numbers(name: &str, values: Vec<f64>) -> Column {
    Column {
        name: name.into(),
        data: ColumnData::Numeric(NumericColumn::new(values)),
    }
}

pub(crate) fn categories(name: &str, values: &[String]) -> Column {
    let values = values.iter().map(|value| Some(value.as_str()));
    Column {
        name: name.into(),
        data: ColumnData::Categorical(values.collect()),
    }
}

/// Labels that are classes `c0`, `c1` ….
pub(crate) fn target(labels: &[usize]) -> Target {
    let labels: Vec<String> = labels.iter().map(|label| format!("c{label}")).collect();
    Target::from_column(&categories("class", &labels)).unwrap()
}

/// So many inputs `x0`, `x1` … of 16 equally frequent values, by input, then row.
pub(crate) fn inputs(draws: &mut Draws, inputs: usize, rows: usize) -> Vec<Vec<f64>> {
    let mut column = || (0..rows).map(|_| draws.below(16) as f64).collect();
    (0..inputs).map(|_| column()).collect()
}

pub(crate) fn frame(inputs: &[Vec<f64>]) -> Frame {
    let columns = inputs.iter().enumerate();
    let columns = columns.map(|(i, values)| numbers(&format!("x{i}"), values.clone()));
    let rows = inputs.first().map_or(0, Vec::len);
    Frame::new(rows, columns.collect()).unwrap()
}

pub(crate) fn settings(interactions: Interactions) -> Settings {
    Settings {
        learn: LearnSettings {
            interactions,
            ..LearnSettings::default()
        },
        ..Settings::default()
    }
}

pub(crate) fn learn(frame: &Frame, target: &Target) -> Model {
    learn_at_most(frame, target, Interactions::Auto)
}

pub(crate) fn learn_at_most(frame: &Frame, target: &Target, interactions: Interactions) -> Model {
    let settings = settings(interactions);
    train(frame.clone(), target, &settings, &()).unwrap().model
}

/// The variables of every table that corrects the model, in the order of names.
pub(crate) fn tables(model: &Model) -> Vec<Vec<String>> {
    let tables = model.terms().iter().filter(|term| term.only_corrects());
    let names = tables.map(|term| {
        let mut names: Vec<String> = term.axes.iter().map(|axis| axis.name.clone()).collect();
        names.sort();
        names
    });
    let mut names: Vec<Vec<String>> = names.collect();
    names.sort();
    names
}

/// Labels that three pairs decide, whose variables say nothing alone.
pub(crate) fn pairs_that_agree(inputs: &[Vec<f64>], draws: &mut Draws) -> Vec<usize> {
    let label = |row: usize| {
        let high = |input: usize| inputs[input][row] >= 8.0;
        let pairs = [(0, 1, 1.2), (2, 3, 1.0), (4, 5, 0.8)];
        let odds = pairs.map(|(a, b, by)| if high(a) == high(b) { by } else { -by });
        usize::from(draws.happens(odds.iter().sum()))
    };
    (0..inputs[0].len()).map(label).collect()
}
