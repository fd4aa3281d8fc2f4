//! What must not change the tables of a model: names, repeated rows, columns that say nothing.

use crate::planted::{
    Draws, categories, frame, inputs, learn, learn_at_most, numbers, pairs_that_agree, tables,
    target,
};
use fnb::columns::{Column, Frame};
use fnb::model::Model;
use fnb::predict::Scorer;
use fnb::terms::Correction;
use fnb::weights::Interactions;
use proptest::prelude::*;

/// Columns of which pairs matter together, numbers with numbers and with categories, missing values among
/// them; and labels of so many classes.
fn mixed(seed: u64, rows: usize, classes: usize) -> (Vec<Column>, Vec<usize>) {
    let mut draws = Draws::new(seed);
    let mut inputs = inputs(&mut draws, 6, rows);
    let words: Vec<usize> = (0..rows).map(|_| draws.below(3)).collect();
    let label = |row: usize| {
        let high = |input: usize| usize::from(inputs[input][row] >= 8.0);
        let together = 2 * (high(0) ^ high(1)) + (high(2) ^ usize::from(words[row] == 0));
        let alone = usize::from(inputs[3][row] >= 11.0);
        if draws.unit() < 0.75 {
            (together + alone) % classes
        } else {
            draws.below(classes)
        }
    };
    let labels: Vec<usize> = (0..rows).map(label).collect();
    for value in &mut inputs[2] {
        if draws.unit() < 0.1 {
            *value = f64::NAN;
        }
    }
    let named = inputs.into_iter().enumerate();
    let mut columns: Vec<Column> = named
        .map(|(i, values)| numbers(&format!("x{i}"), values))
        .collect();
    let words: Vec<String> = words.iter().map(|word| format!("w{word}")).collect();
    columns.push(categories("words", &words));
    (columns, labels)
}

fn probabilities(model: &Model, frame: &Frame) -> Vec<f64> {
    Scorer::new(model).probabilities(frame).unwrap()
}

fn assert_close(expected: &[f64], found: impl Iterator<Item = f64>, what: &str) {
    for (row, (expected, found)) in expected.iter().zip(found).enumerate() {
        assert!(
            (expected - found).abs() < 1e-9,
            "{what}, number {row}: {expected} {found}"
        );
    }
}

/// The classes in another order: the same probabilities, each under its new name.
#[test]
fn names_of_classes_do_not_matter() {
    for (seed, classes) in [(1, 2), (2, 2), (3, 3), (4, 5)] {
        let (columns, labels) = mixed(seed, 900, classes);
        let frame = Frame::new(900, columns).unwrap();
        let model = learn(&frame, &target(&labels));
        assert!(!tables(&model).is_empty(), "{classes} classes, no table");
        let renamed: Vec<usize> = labels.iter().map(|label| classes - 1 - label).collect();
        let other = learn(&frame, &target(&renamed));
        assert_eq!(tables(&other), tables(&model));
        let (expected, found) = (probabilities(&model, &frame), probabilities(&other, &frame));
        let back = found
            .chunks_exact(classes)
            .flat_map(|row| row.iter().rev().copied());
        assert_close(&expected, back, "probability");
    }
}

/// Names that sort the other way round.
#[test]
fn names_of_columns_do_not_matter() {
    for (seed, classes) in [(5, 2), (6, 3)] {
        let (columns, labels) = mixed(seed, 900, classes);
        let last = columns.len() - 1;
        let rename = |(place, column): (usize, &Column)| Column {
            name: format!("name {}", last - place),
            ..column.clone()
        };
        let renamed: Vec<Column> = columns.iter().enumerate().map(rename).collect();
        let given = Frame::new(900, columns).unwrap();
        let other = Frame::new(900, renamed).unwrap();
        let target = target(&labels);
        let (model, again) = (learn(&given, &target), learn(&other, &target));
        assert!(!tables(&model).is_empty(), "{classes} classes, no table");
        assert_eq!(tables(&again).len(), tables(&model).len());
        let found = probabilities(&again, &other).into_iter();
        assert_close(&probabilities(&model, &given), found, "probability");
    }
}

/// What is more likely with twice the rows are the same tables, on parts that may be finer.
#[test]
fn repeated_rows_keep_the_best_tables() {
    for run in 0..4 {
        let mut draws = Draws::new(70 + run);
        let once = inputs(&mut draws, 12, 1500);
        let labels = pairs_that_agree(&once, &mut draws);
        let twice: Vec<Vec<f64>> = once.iter().map(|values| values.repeat(2)).collect();
        for most in 1..=3 {
            let most = Interactions::AtMost(most);
            let model = learn_at_most(&frame(&once), &target(&labels), most);
            let repeated = learn_at_most(&frame(&twice), &target(&labels.repeat(2)), most);
            assert_eq!(tables(&repeated), tables(&model), "run {run}");
        }
    }
}

/// Its name, the counts of its cells, and what corrects them.
type Cells = (String, Vec<Vec<u64>>, Vec<Vec<f64>>);

/// Two classes are two outcomes like any others: what is more of one is less of the other.
#[test]
fn tables_of_two_classes_mirror_each_other() {
    let (columns, labels) = mixed(8, 1200, 2);
    let frame = Frame::new(1200, columns).unwrap();
    let swapped: Vec<usize> = labels.iter().map(|label| 1 - label).collect();
    let (model, other) = (
        learn(&frame, &target(&labels)),
        learn(&frame, &target(&swapped)),
    );
    let cells = |model: &Model| -> Vec<Cells> {
        let corrected = model.terms().iter().filter_map(|term| {
            let numbers = match term.correction.clone()? {
                Correction::Cells {
                    alpha,
                    mut expected,
                    ..
                } => {
                    expected.push(vec![alpha; 2]);
                    expected
                }
                Correction::Surface { coefficients } => coefficients,
            };
            Some((term.name.clone(), term.counts.clone(), numbers))
        });
        let mut cells: Vec<_> = corrected.collect();
        cells.sort_by(|a, b| a.0.cmp(&b.0));
        cells
    };
    let (given, mirrored) = (cells(&model), cells(&other));
    assert_eq!(given.len(), mirrored.len());
    assert!(!given.is_empty());
    for ((name, counts, numbers), (other_name, other_counts, others)) in given.iter().zip(mirrored)
    {
        assert_eq!(name, &other_name);
        for (line, other) in counts.iter().zip(other_counts) {
            assert_eq!(line, &[other[1], other[0]]);
        }
        for (line, other) in numbers.iter().zip(others) {
            assert_close(line, other.into_iter().rev(), name);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Nor is anything cut into a single part.
    #[test]
    fn a_constant_is_in_no_table(seed in any::<u64>(), rows in 20..600_usize, classes in 2..4_usize) {
        let (mut columns, labels) = mixed(seed, rows, classes);
        columns.push(numbers("constant", vec![3.5; rows]));
        columns.push(numbers("never known", vec![f64::NAN; rows]));
        columns.push(categories("one word", &vec!["always".to_owned(); rows]));
        let frame = Frame::new(rows, columns).unwrap();
        let model = learn(&frame, &target(&labels));
        for axis in model.terms().iter().flat_map(|term| &term.axes) {
            prop_assert!(axis.name.starts_with('x') || axis.name == "words", "{}", axis.name);
            prop_assert!(axis.parts.len() > 1, "{} has one part", axis.name);
        }
    }
}
