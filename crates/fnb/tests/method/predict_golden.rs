//! Probabilities, metrics and importances of the reference tool, from its own partitions and
//! weights.

use crate::golden_set::{array, counts, each_golden, number};
use fnb::evaluate::{Evaluation, actual_classes, predicted_class};
use fnb::predict::Scorer;
use fnb::terms::{PartCodes, PartIndex};

#[test]
fn probabilities_of_the_first_rows() {
    each_golden(|name, golden| {
        let scorer = Scorer::new(&golden.model);
        let probabilities = scorer.probabilities(&golden.frame).unwrap();
        let j = scorer.classes().len();
        let predictor = &golden.json["predictor"];
        let rows = probabilities.chunks(j);
        for (row, expected) in rows
            .clone()
            .zip(array(&predictor["train_probabilities_first_rows"]))
        {
            for (p, expected) in row.iter().zip(array(expected)) {
                assert!(
                    (p - number(expected)).abs() < 1e-9,
                    "{name}: {p} {expected}"
                );
            }
        }
        for (row, expected) in rows.zip(array(&predictor["predicted_first_rows"])) {
            assert_eq!(
                scorer.classes()[predicted_class(row)],
                expected.as_str().unwrap(),
                "{name}"
            );
        }
    });
}

#[test]
fn training_metrics() {
    each_golden(|name, golden| {
        let model = &golden.model;
        let probabilities = Scorer::new(model).probabilities(&golden.frame).unwrap();
        let actual = actual_classes(model.classes(), &golden.target);
        let evaluation = Evaluation::new(model.classes(), &probabilities, &actual).unwrap();
        let expected = &golden.json["predictor"]["train"];
        for (key, value) in [
            ("accuracy", evaluation.accuracy),
            // Khiops has 1 where there is no pair.
            ("auc", evaluation.auc.unwrap_or(1.0)),
            ("compression", evaluation.compression),
        ] {
            let expected = number(&expected[key]);
            assert!(
                (value - expected).abs() <= 1e-6,
                "{name} {key}: {value} {expected}"
            );
        }
        let matrix = evaluation.confusion.unwrap().matrix;
        assert_eq!(
            matrix,
            counts(&expected["confusion_matrix"]["matrix"]),
            "{name}"
        );
        assert_eq!(evaluation.unseen_class_rows, 0);
    });
}

#[test]
fn importances() {
    each_golden(|name, golden| {
        let expected = &golden.json["predictor"]["selected_variables"];
        assert_eq!(
            golden.model.terms().len(),
            array(expected).count(),
            "{name}"
        );
        for expected in array(expected) {
            let variables = golden.model.terms().iter();
            let mut found = variables.filter(|v| expected["name"] == v.name.as_str());
            let importance = found.next().expect("selected").importance;
            assert!(
                (importance - number(&expected["importance"])).abs() <= 5e-7,
                "{name}"
            );
        }
        let importances = golden.model.terms().windows(2);
        assert!(
            importances
                .map(|w| w[0].importance - w[1].importance)
                .all(|d| d >= 0.0)
        );
    });
}

#[test]
fn the_part_counts_of_the_reference_are_those_of_the_data() {
    each_golden(|name, golden| {
        for variable in golden.model.terms() {
            let index = PartIndex::new(&variable.axes[0].parts);
            let column = &golden.frame.column(&variable.name).unwrap().data;
            let codes = index.encode(column, 0..golden.frame.rows()).unwrap();
            let mut counts = vec![vec![0; golden.model.classes().len()]; index.parts()];
            for (row, &class) in golden.target.codes().iter().enumerate() {
                counts[codes.get(row)][class as usize] += 1;
            }
            assert_eq!(counts, variable.counts, "{name} {}", variable.name);
        }
    });
}

#[test]
fn every_way_to_score_gives_the_same_bits() {
    each_golden(|name, golden| {
        let scorer = Scorer::new(&golden.model);
        let bound = scorer.bind(&golden.frame).unwrap();
        let rows = golden.frame.rows();
        let all = bound.probabilities(0..rows);
        let j = scorer.classes().len();
        for size in [1, 7, 64, 4096, 5000] {
            // A few batches of each size are enough to cross every boundary.
            for start in (0..rows).step_by(size).take(50) {
                let end = (start + size).min(rows);
                assert_eq!(
                    bound.probabilities(start..end),
                    all[start * j..end * j],
                    "{name}"
                );
            }
        }
        for row in [0, rows / 2, rows - 1] {
            let values: Vec<_> = (0..golden.model.terms().len())
                .map(|variable| bound.value(variable, 0, row))
                .collect();
            assert_eq!(
                scorer.score_row(&values).unwrap(),
                all[row * j..(row + 1) * j],
                "{name}"
            );
        }
        let variables = golden.model.terms().iter();
        let codes: Vec<PartCodes> = variables
            .map(|variable| {
                let column = &golden.frame.column(&variable.name).unwrap().data;
                PartIndex::new(&variable.axes[0].parts)
                    .encode(column, 0..rows)
                    .unwrap()
            })
            .collect();
        let codes: Vec<&PartCodes> = codes.iter().collect();
        assert_eq!(scorer.probabilities_from_codes(&codes, rows), all, "{name}");
    });
}
