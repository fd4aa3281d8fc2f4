//! Interactions of data at the edge: a model that predicts, explains, and whose file is read back.

use crate::planted::{
    Draws, categories, frame, inputs, learn, numbers, pairs_that_agree, tables, target,
};
use fnb::columns::{CategoricalColumn, Column, ColumnData, Frame, NumericColumn, Target};
use fnb::model::Model;
use fnb::predict::{Explainer, Scorer};

/// Reads a model back from its file, and scores and explains rows of a frame with it: whatever the rows,
/// probabilities are some.
#[track_caller]
fn assert_works(model: &Model, frame: &Frame) {
    let read = Model::from_json(model.to_json().as_bytes()).unwrap();
    assert_eq!(&read, model);
    let classes = model.classes().len();
    let scorer = Scorer::new(&read);
    let probabilities = scorer.probabilities(frame).unwrap();
    assert_eq!(probabilities.len(), frame.rows() * classes);
    for row in probabilities.chunks_exact(classes) {
        assert!(row.iter().all(|p| (0.0..=1.0).contains(p)), "{row:?}");
        assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{row:?}");
    }
    let bound = scorer.bind(frame).unwrap();
    let explainer = Explainer::new(&read);
    for row in 0..frame.rows().min(50) {
        let class = row % classes;
        let explanation = explainer.explain(&bound, row, class);
        assert_eq!(explanation.terms.len(), model.terms().len());
        let sum: f64 = explanation.terms.iter().map(|term| term.contribution).sum();
        assert!(sum.is_finite());
        assert!((explanation.start + sum - explanation.log_odds).abs() < 1e-9);
        assert_eq!(
            explanation.probability,
            probabilities[row * classes + class]
        );
    }
    for term in model.terms() {
        assert!(term.importance.is_finite() && term.importance >= 0.0);
        assert!(
            term.axes.iter().all(|axis| axis.parts.len() > 1),
            "{}",
            term.name
        );
    }
    let train = model.evaluation().train.as_ref().unwrap();
    assert!(train.compression.is_finite() && train.log_loss.is_finite());
}

/// The same columns with nothing in them.
fn empty(frame: &Frame) -> Frame {
    let nothing = |column: &Column| Column {
        name: column.name.clone(),
        data: if let ColumnData::Numeric(_) = &column.data {
            ColumnData::Numeric(NumericColumn::new(vec![f64::NAN; frame.rows()]))
        } else {
            let none = (0..frame.rows()).map(|_| None);
            ColumnData::Categorical(none.collect::<CategoricalColumn>())
        },
    };
    let columns = frame.columns().iter().map(nothing).collect();
    Frame::new(frame.rows(), columns).unwrap()
}

/// The variables of its tables; some may hold two tables, cut differently.
fn different_tables(model: &Model) -> Vec<Vec<String>> {
    let mut tables = tables(model);
    tables.dedup();
    tables
}

/// Learns, checks on the rows learnt from and on rows where everything is missing.
#[track_caller]
fn checked(frame: &Frame, target: &Target) -> Model {
    let model = learn(frame, target);
    assert_works(&model, frame);
    assert_works(&model, &empty(frame));
    model
}

#[test]
fn two_rows() {
    let columns = vec![
        numbers("x", vec![1.0, 2.0]),
        numbers("y", vec![f64::NAN, 0.0]),
        categories("z", &["a".to_owned(), "b".to_owned()]),
    ];
    let frame = Frame::new(2, columns).unwrap();
    for labels in [[0, 1], [1, 0]] {
        assert!(tables(&checked(&frame, &target(&labels))).is_empty());
    }
    assert!(checked(&frame, &target(&[0, 0])).terms().is_empty());
}

/// Its profile is all there is to correct.
#[test]
fn one_variable() {
    let mut draws = Draws::new(1);
    for rows in [3, 30, 300, 3000] {
        let inputs = inputs(&mut draws, 1, rows);
        let labels: Vec<usize> = (0..rows)
            .map(|row| usize::from(draws.happens(inputs[0][row] - 8.0)))
            .collect();
        let model = checked(&frame(&inputs), &target(&labels));
        assert!(tables(&model).iter().all(|axes| axes == &["x0"]));
    }
}

#[test]
fn nothing_but_constants() {
    let columns = vec![
        numbers("x", vec![7.0; 100]),
        numbers("never", vec![f64::NAN; 100]),
        categories("z", &vec!["a".to_owned(); 100]),
    ];
    let frame = Frame::new(100, columns).unwrap();
    let labels: Vec<usize> = (0..100).map(|row| row % 3).collect();
    assert!(checked(&frame, &target(&labels)).terms().is_empty());
}

/// By one column, and by two together of which neither does alone: factors grow, but not without bound.
#[test]
fn classes_that_can_be_told_apart_without_error() {
    let mut draws = Draws::new(2);
    let inputs = inputs(&mut draws, 4, 1000);
    let high = |input: usize, row: usize| usize::from(inputs[input][row] >= 8.0);
    for classes in [2, 3] {
        let alone = |row: usize| inputs[0][row] as usize * classes / 16;
        let labels: Vec<usize> = (0..1000).map(alone).collect();
        let model = checked(&frame(&inputs), &target(&labels));
        assert!(model.evaluation().train.as_ref().unwrap().compression > 0.98);
    }
    let together: Vec<usize> = (0..1000).map(|row| high(1, row) ^ high(2, row)).collect();
    let model = checked(&frame(&inputs), &target(&together));
    assert_eq!(different_tables(&model), [["x1", "x2"]]);
    let train = model.evaluation().train.as_ref().unwrap();
    assert!(
        train.accuracy == 1.0 && train.compression > 0.95,
        "{train:?}"
    );
}

#[test]
fn as_many_classes_as_there_are_languages() {
    let mut draws = Draws::new(3);
    let rows = 8 * 355;
    let labels: Vec<usize> = (0..rows).map(|row| row % 355).collect();
    let mut column = |of: fn(usize) -> usize| -> Vec<f64> {
        let noisy = |&label: &usize| (of(label) + draws.below(3)) as f64;
        labels.iter().map(noisy).collect()
    };
    let inputs = [
        column(|class| class % 19),
        column(|class| class / 19),
        column(|_| 0),
    ];
    let model = checked(&frame(&inputs), &target(&labels));
    assert_eq!(model.classes().len(), 355);
    assert!(
        model.training().interactions.is_some(),
        "nothing to correct"
    );
    let compression = model.evaluation().train.as_ref().unwrap().compression;
    assert!(compression > 0.5, "{compression}");
}

/// More than are paired without being selected, most of them noise.
#[test]
fn thousands_of_columns() {
    let mut draws = Draws::new(4);
    let mut inputs = inputs(&mut draws, 3000, 200);
    let labels: Vec<usize> = (0..200)
        .map(|row| {
            let high = |input: usize| inputs[input][row] >= 8.0;
            usize::from(draws.happens(if high(17) && high(2017) { 3.0 } else { -3.0 }))
        })
        .collect();
    let model = checked(&frame(&inputs), &target(&labels));
    assert!(tables(&model).len() <= 20);
    // Two of one class more, so that the noise is another.
    inputs.truncate(700);
    checked(&frame(&inputs), &target(&labels));
}

/// Of three of the four cells of a table rows are known; all rows to score are in the fourth.
#[test]
fn rows_to_score_in_a_cell_without_training_rows() {
    let mut draws = Draws::new(5);
    let (mut columns, mut labels) = (vec![Vec::new(), Vec::new()], Vec::new());
    while labels.len() < 1500 {
        let values = [draws.below(16), draws.below(16)];
        let high = values.map(|value| value >= 8);
        if high == [true, true] {
            continue;
        }
        for (column, value) in columns.iter_mut().zip(values) {
            column.push(value as f64);
        }
        let odds = if high[0] == high[1] { 3.0 } else { -3.0 };
        labels.push(usize::from(draws.happens(odds)));
    }
    let words = |column: &[f64]| -> Vec<String> {
        column.iter().map(|value| format!("v{value}")).collect()
    };
    let numbers_alone = frame(&columns);
    let with_words = Frame::new(
        labels.len(),
        vec![
            numbers("x0", columns[0].clone()),
            categories("x1", &words(&columns[1])),
        ],
    );
    let to_score =
        |second: Column| Frame::new(8, vec![numbers("x0", vec![15.0; 8]), second]).unwrap();
    let high: Vec<f64> = (8..16).map(f64::from).collect();
    for (frame, second) in [
        (numbers_alone, numbers("x1", high.clone())),
        (with_words.unwrap(), categories("x1", &words(&high))),
    ] {
        let model = checked(&frame, &target(&labels));
        assert!(!model.terms().is_empty());
        assert_works(&model, &to_score(second));
    }
}

/// A table whose variables are all missing or never seen in every row that is scored.
#[test]
fn rows_to_score_that_are_in_no_known_part() {
    let mut draws = Draws::new(6);
    let inputs = inputs(&mut draws, 6, 1500);
    let labels = pairs_that_agree(&inputs, &mut draws);
    let words = |column: &Vec<f64>| -> Vec<String> {
        column.iter().map(|value| format!("v{value}")).collect()
    };
    let columns = inputs.iter().enumerate();
    let columns = columns.map(|(i, column)| categories(&format!("x{i}"), &words(column)));
    let frame = Frame::new(1500, columns.collect()).unwrap();
    let model = checked(&frame, &target(&labels));
    assert!(tables(&model).len() >= 2, "{:?}", tables(&model));
    let unseen = (0..6).map(|i| categories(&format!("x{i}"), &vec!["new".to_owned(); 4]));
    assert_works(&model, &Frame::new(4, unseen.collect()).unwrap());
}

/// Rows of weight 0 are not there, and a weight of 2 is two rows.
#[test]
fn weights_of_rows() {
    let mut draws = Draws::new(7);
    let inputs = inputs(&mut draws, 6, 1500);
    let labels = pairs_that_agree(&inputs, &mut draws);
    let weighted = |weight: &dyn Fn(usize) -> f64| {
        let weights: Vec<f64> = (0..1500).map(weight).collect();
        target(&labels).with_weights(&weights).unwrap()
    };
    let frame = frame(&inputs);
    checked(&frame, &weighted(&|row| 0.1 + (row % 7) as f64));
    checked(&frame, &weighted(&|row| 1e-3 * (1 + row % 3) as f64));
    let model = checked(&frame, &weighted(&|row| (row % 3) as f64));
    let rows: Vec<usize> = (0..1500).flat_map(|row| vec![row; row % 3]).collect();
    let repeated = checked(&frame.take(&rows), &target(&labels).take(&rows));
    assert!(!tables(&model).is_empty());
    assert_eq!(tables(&model), tables(&repeated));
    let (one, other) = (Scorer::new(&model), Scorer::new(&repeated));
    let (one, other) = (one.probabilities(&frame), other.probabilities(&frame));
    for (one, other) in one.unwrap().into_iter().zip(other.unwrap()) {
        assert!((one - other).abs() < 1e-9, "{one} {other}");
    }
}

/// What is missing decides, together with another column.
#[test]
fn missing_values_in_tables() {
    let mut draws = Draws::new(8);
    let rows = 1500;
    let is_missing: Vec<bool> = (0..rows).map(|_| draws.unit() < 0.5).collect();
    let other = inputs(&mut draws, 1, rows).remove(0);
    let labels: Vec<usize> = (0..rows)
        .map(|row| {
            usize::from(draws.happens(if is_missing[row] == (other[row] >= 8.0) {
                2.0
            } else {
                -2.0
            }))
        })
        .collect();
    let holes: Vec<f64> = (0..rows)
        .map(|row| {
            if is_missing[row] {
                f64::NAN
            } else {
                draws.unit()
            }
        })
        .collect();
    let words = is_missing
        .iter()
        .map(|missing| (!missing).then_some("known"));
    let words = Column {
        name: "holes".into(),
        data: ColumnData::Categorical(words.collect()),
    };
    for holes in [numbers("holes", holes), words] {
        let frame = Frame::new(rows, vec![holes, numbers("other", other.clone())]).unwrap();
        let model = checked(&frame, &target(&labels));
        assert_eq!(different_tables(&model), [["holes", "other"]]);
        let accuracy = model.evaluation().train.as_ref().unwrap().accuracy;
        assert!(accuracy > 0.8, "{accuracy}");
    }
}
