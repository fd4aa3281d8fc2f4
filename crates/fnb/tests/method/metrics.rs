//! Metrics against slow or hand-made oracles, and the splits.

use fnb::columns::{Column, ColumnData, Target};
use fnb::evaluate::{
    CrossValidation, Evaluation, LIFT_POINTS, auc, brier, calibration_error, class_auc,
    class_calibration, compression, folds, holdout, lift_curve, log_loss,
};
use proptest::prelude::*;

/// Rows of probabilities, few distinct values so that ties abound, and classes of which the last
/// one is unseen in training.
fn predictions() -> impl Strategy<Value = (usize, Vec<f64>, Vec<u32>)> {
    (2..5_usize, 1..60_usize).prop_flat_map(|(classes, rows)| {
        let row = prop::collection::vec(0..6_u8, classes).prop_map(|scores| {
            let sum: f64 = scores.iter().map(|&s| f64::from(s) + 0.1).sum();
            scores
                .into_iter()
                .map(|s| (f64::from(s) + 0.1) / sum)
                .collect::<Vec<f64>>()
        });
        let probabilities = prop::collection::vec(row, rows).prop_map(|rows| rows.concat());
        let actual = prop::collection::vec(0..=classes as u32, rows);
        (Just(classes), probabilities, actual)
    })
}

/// Every pair of a row of the class and another one.
fn slow_class_auc(
    probabilities: &[f64],
    classes: usize,
    actual: &[u32],
    class: usize,
) -> Option<f64> {
    // Scores that print the same with ten digits tie.
    let score = |row: usize| format!("{:.9e}", probabilities[row * classes + class]);
    let score = |row: usize| score(row).parse::<f64>().unwrap();
    let is_class = |row: &usize| actual[*row] as usize == class;
    let (mut won, mut pairs) = (0.0, 0.0);
    for row in (0..actual.len()).filter(is_class) {
        for other in (0..actual.len()).filter(|row| !is_class(row)) {
            pairs += 1.0;
            won += match score(row).total_cmp(&score(other)) {
                std::cmp::Ordering::Greater => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Less => 0.0,
            };
        }
    }
    (pairs > 0.0).then(|| won / pairs)
}

proptest! {
    #[test]
    fn auc_counts_pairs((classes, probabilities, actual) in predictions()) {
        let (mut total, mut has_pairs) = (0.0, false);
        for class in 0..classes {
            let slow = slow_class_auc(&probabilities, classes, &actual, class);
            let found = class_auc(&probabilities, classes, &actual, class);
            prop_assert_eq!(found.is_some(), slow.is_some());
            if let Some((slow, found)) = slow.zip(found) {
                prop_assert!((found - slow).abs() < 1e-12);
                total += slow * actual.iter().filter(|&&a| a as usize == class).count() as f64;
                has_pairs = true;
            }
        }
        total += 0.5 * actual.iter().filter(|&&a| a as usize == classes).count() as f64;
        let all = auc(&probabilities, classes, &actual);
        prop_assert_eq!(all.is_some(), has_pairs);
        if let Some(all) = all {
            prop_assert!((all - total / actual.len() as f64).abs() < 1e-12);
        }
    }

    #[test]
    fn lift_interpolates_between_blocks((classes, probabilities, actual) in predictions()) {
        let n = actual.len() as f64;
        let curve = lift_curve(&probabilities, classes, &actual, 0);
        prop_assert_eq!(curve.len(), LIFT_POINTS);
        let of_class = actual.iter().filter(|&&a| a == 0).count() as f64;
        if of_class == 0.0 {
            prop_assert!(curve.iter().all(|&y| y == 0.0));
            return Ok(());
        }
        for (i, &y) in curve.iter().enumerate() {
            // The area reached by x rows: each row counts for the share of its block inside.
            let x = i as f64 / 1000.0 * n;
            let mut expected = 0.0;
            for row in 0..actual.len() {
                let score = |row: usize| probabilities[row * classes];
                let better = (0..actual.len()).filter(|&o| score(o) > score(row)).count() as f64;
                let equal = (0..actual.len()).filter(|&o| score(o) == score(row)).count() as f64;
                let inside = ((x - better) / equal).clamp(0.0, 1.0);
                expected += if actual[row] == 0 { inside } else { 0.0 };
            }
            prop_assert!((y - expected / of_class).abs() < 1e-9, "{} {} {}", i, y, expected);
        }
    }

    #[test]
    fn an_evaluation_agrees_with_its_definition((classes, probabilities, actual) in predictions()) {
        let names: Vec<String> = (0..classes).map(|c| c.to_string()).collect();
        let e = Evaluation::new(&names, &probabilities, &actual).unwrap();
        let n = actual.len() as f64;
        let (mut right, mut loss, mut squares, mut unseen) = (0, 0.0, 0.0, 0);
        for (row, &class) in probabilities.chunks(classes).zip(&actual) {
            let largest = row.iter().copied().fold(0.0, f64::max);
            right += usize::from(row.iter().position(|&p| p == largest) == Some(class as usize));
            loss -= row.get(class as usize).map_or(1e-6_f64.ln(), |p| p.ln());
            unseen += u64::from(class as usize == classes);
            for j in 0..=classes {
                let p = row.get(j).copied().unwrap_or(0.0);
                squares += (p - f64::from(u8::from(j == class as usize))).powi(2);
            }
        }
        prop_assert_eq!(e.accuracy, f64::from(u32::try_from(right).unwrap()) / n);
        prop_assert!((e.log_loss - loss / n).abs() < 1e-12);
        let halves = if classes == 2 { 2.0 } else { 1.0 };
        prop_assert!((e.brier - squares / n / halves).abs() < 1e-12);
        prop_assert_eq!(e.unseen_class_rows, unseen);
        let confusion = e.confusion.unwrap();
        let trace: u64 = (0..classes).map(|c| confusion.matrix[c][c]).sum();
        prop_assert_eq!(trace, right as u64);
        let in_matrix: u64 = confusion.matrix.iter().flatten().sum();
        prop_assert_eq!(in_matrix + unseen, e.rows);
        prop_assert_eq!(e.calibration.iter().map(|bin| bin.count).sum::<u64>(), e.rows);
        let observed: f64 = e.calibration.iter().map(|b| b.observed * b.count as f64).sum();
        prop_assert!((observed / n - e.accuracy).abs() < 1e-12);
    }
}

#[test]
fn log_loss_and_brier_by_hand() {
    // Probability 0 is counted as 1e-6, and so is a class unseen in training.
    let loss = log_loss(&[0.5, 0.5, 1.0, 0.0, 0.9, 0.1], 2, &[0, 1, 2]);
    assert!((loss - (0.5_f64.ln() + 2.0 * 1e-6_f64.ln()) / -3.0).abs() < 1e-12);
    let three = brier(&[0.7, 0.2, 0.1], 3, &[1]);
    assert!((three - (0.49 + 0.64 + 0.01)).abs() < 1e-12);
    let unseen = brier(&[0.7, 0.2, 0.1], 3, &[3]);
    assert!((unseen - (0.49 + 0.04 + 0.01 + 1.0)).abs() < 1e-12);
}

#[test]
fn compression_without_meaning_is_zero() {
    let entropy = 2.0_f64.ln();
    // Below H/n in absolute value; just above it.
    assert_eq!(
        compression(entropy * (1.0 - 0.9 * entropy / 10.0), &[5, 5]),
        0.0
    );
    assert_eq!(
        compression(entropy * (1.0 + 0.9 * entropy / 10.0), &[5, 5]),
        0.0
    );
    assert!(compression(entropy * (1.0 - 1.1 * entropy / 10.0), &[5, 5]) > 0.0);
    assert!(compression(entropy * (1.0 + 1.1 * entropy / 10.0), &[5, 5]) < 0.0);
    // Two classes unseen in training count as two classes.
    let classes = [2, 2, 1, 1];
    let entropy =
        -(2.0 * (2.0 / 6.0 * f64::ln(2.0 / 6.0)) + 2.0 * (1.0 / 6.0 * f64::ln(1.0 / 6.0)));
    assert!((compression(0.25, &classes) - (1.0 - 0.25 / entropy)).abs() < 1e-12);
}

#[test]
fn no_row_cannot_be_evaluated() {
    let error = Evaluation::new(&["a".into()], &[], &[]).unwrap_err();
    assert_eq!(error.code(), fnb::Code::NoRows);
}

#[test]
fn calibration_by_hand() {
    let bins = class_calibration(&[0.95, 0.05, 0.05, 0.95, 0.0, 1.0], 2, &[1, 1, 0], 1);
    assert_eq!(bins.len(), 2);
    assert_eq!(
        (bins[0].low, bins[0].count, bins[0].observed),
        (0.0, 1, 1.0)
    );
    assert_eq!(
        (bins[1].high, bins[1].count, bins[1].observed),
        (1.0, 2, 0.5)
    );
    let error = calibration_error(&bins);
    assert!((error - (0.95 + 2.0 * 0.475) / 3.0).abs() < 1e-12);
}

#[test]
fn many_rows_give_the_same_bits_on_any_number_of_threads() {
    let rows = 30_000;
    let p = |row: usize| 0.001 + 0.998 * ((row * 7919 % 10_007) as f64 / 10_007.0);
    let probabilities: Vec<f64> = (0..rows).flat_map(|row| [p(row), 1.0 - p(row)]).collect();
    let actual: Vec<u32> = (0..rows).map(|row| u32::from(row % 3 == 0)).collect();
    let classes = ["a".to_string(), "b".to_string()];
    let evaluate = |threads| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| Evaluation::new(&classes, &probabilities, &actual).unwrap())
    };
    let one = evaluate(1);
    assert_eq!(one, evaluate(2));
    assert_eq!(one, evaluate(7));
}

fn target(classes: &[&str]) -> Target {
    let data = ColumnData::Categorical(classes.iter().map(|c| Some(*c)).collect());
    Target::from_column(&Column {
        name: "y".into(),
        data,
    })
    .unwrap()
}

#[test]
fn folds_follow_their_published_rule() {
    let classes = ["b", "a", "a", "c", "b", "a", "b", "a", "a", "b", "a", "c"];
    // Computed by hand from the rule with another program.
    let expected = [0, 1, 2, 2, 1, 0, 0, 0, 2, 2, 1, 1];
    assert_eq!(folds(&target(&classes), 3).unwrap(), expected);
}

#[test]
fn folds_are_balanced_and_errors_are_named() {
    let classes: Vec<&str> = (0..103).map(|i| ["x", "y", "z"][i * i % 3]).collect();
    let target = target(&classes);
    let of = folds(&target, 10).unwrap();
    for class in 0..target.classes().len() as u32 {
        let count = |fold: u32| {
            let rows = of.iter().zip(target.codes());
            rows.filter(|(f, c)| **f == fold && **c == class).count()
        };
        let counts: Vec<usize> = (0..10).map(count).collect();
        assert!(
            counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 1,
            "{counts:?}"
        );
    }
    for k in [0, 1, 104] {
        assert_eq!(
            folds(&target, k).unwrap_err().code(),
            fnb::Code::InvalidFolds
        );
    }
}

#[test]
fn holdout_keeps_the_shares_and_every_class() {
    let mut classes = vec!["common"; 200];
    classes.extend(["rare"; 10]);
    classes.push("single");
    let target = target(&classes);
    let (train, test) = holdout(&target, 0.3).unwrap();
    let mut all = [train.clone(), test.clone()].concat();
    all.sort_unstable();
    assert_eq!(all, (0..211).collect::<Vec<_>>());
    assert_eq!(target.take(&train).classes(), target.classes());
    assert_eq!(target.take(&test).counts(), [60, 3]);
    assert_eq!(holdout(&target, 0.3).unwrap(), (train, test));
    for share in [0.0, 1.0, -0.1, f64::NAN] {
        assert_eq!(
            holdout(&target, share).unwrap_err().code(),
            fnb::Code::Usage
        );
    }
    assert_eq!(
        holdout(&target, 0.001).unwrap_err().code(),
        fnb::Code::UnusableData
    );
}

#[test]
fn cross_validation_averages_the_folds() {
    let evaluation =
        |p: f64| Evaluation::new(&["a".into(), "b".into()], &[p, 1.0 - p], &[0]).unwrap();
    let cv = CrossValidation::new(&[evaluation(0.8), evaluation(0.6), evaluation(0.1)]);
    assert!((cv.mean.accuracy - 2.0 / 3.0).abs() < 1e-12);
    assert!((cv.sd.accuracy - (1.0_f64 / 3.0).sqrt()).abs() < 1e-12);
    assert!((cv.mean.brier - (0.04 + 0.16 + 0.81) / 3.0).abs() < 1e-12);
    assert_eq!(cv.folds.len(), 3);
}

#[test]
fn the_auc_of_one_class_is_not_defined() {
    let classes = ["no".to_string(), "yes".to_string()];
    let probabilities = [0.9, 0.1, 0.4, 0.6];
    let of = |actual: [u32; 2]| Evaluation::new(&classes, &probabilities, &actual).unwrap();
    for (actual, auc) in [
        ([0, 0], None),
        ([1, 1], None),
        // Classes that the model has not seen: nothing tells them apart.
        ([2, 2], None),
        ([2, 3], None),
        ([0, 1], Some(1.0)),
        // A row of a known class against an unseen one, which counts a half.
        ([0, 2], Some(0.75)),
    ] {
        assert_eq!(of(actual).auc, auc, "{actual:?}");
    }
    let cv = CrossValidation::new(&[of([0, 0]), of([0, 2]), of([0, 1])]);
    assert_eq!(cv.mean.auc, Some(0.875));
    assert_eq!(CrossValidation::new(&[of([1, 1])]).mean.auc, None);
    assert_eq!(CrossValidation::new(&[of([1, 1])]).sd.auc, None);
    let json = serde_json::to_value(&cv).unwrap();
    assert!(json["folds"][0]["auc"].is_null());
    assert_eq!(serde_json::from_value::<CrossValidation>(json).unwrap(), cv);
}
