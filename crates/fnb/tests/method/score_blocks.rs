//! Blocks of scores against the rows that they stand for.

use fnb::columns::RowWeights;
use fnb::evaluate::{ClassScores, Evaluation, ScoreBlock, class_auc};
use proptest::prelude::*;

fn class_names(classes: usize) -> Vec<String> {
    (0..classes).map(|class| format!("c{class:04}")).collect()
}

/// Rows whose probabilities tell something about their classes; one in two is rounded, so that rows tie,
/// also at one half.
fn rows(classes: usize, n: usize, rare: u32) -> (Vec<f64>, Vec<u32>) {
    let mut state = 7_u64;
    let mut random = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as f64 / (1_u64 << 31) as f64
    };
    let (mut probabilities, mut actual) = (Vec::new(), Vec::new());
    for row in 0..n {
        let class = match rare {
            0 => row % classes,
            _ => usize::from((row as u32).is_multiple_of(rare)),
        };
        let mut scores: Vec<f64> = (0..classes).map(|_| random()).collect();
        scores[class] += 0.7;
        if row % 2 == 0 {
            for score in &mut scores {
                *score = (*score * 4.0).round() + 0.25;
            }
        }
        let sum: f64 = scores.iter().sum();
        probabilities.extend(scores.iter().map(|score| score / sum));
        actual.push(class as u32);
    }
    (probabilities, actual)
}

/// Pairs in the right order if rows of a block tie.
fn area(blocks: &[ScoreBlock]) -> f64 {
    let (mut above, mut pairs, mut negatives) = (0.0, 0.0, 0.0);
    for block in blocks {
        pairs += block.negatives * (above + block.positives / 2.0);
        above += block.positives;
        negatives += block.negatives;
    }
    pairs / (above * negatives)
}

fn flagged(scores: &ClassScores, threshold: f64) -> [f64; 2] {
    let blocks = scores
        .blocks
        .iter()
        .filter(|block| block.lowest >= threshold);
    blocks.fold([0.0; 2], |[p, n], block| {
        [p + block.positives, n + block.negatives]
    })
}

#[test]
fn the_auc_of_blocks_is_that_of_rows() {
    for (classes, n, rare) in [
        (2, 5000, 0),
        (2, 5000, 100),
        (2, 300, 0),
        (26, 5200, 0),
        (60, 6000, 0),
    ] {
        let (probabilities, actual) = rows(classes, n, rare);
        let evaluation = Evaluation::new(&class_names(classes), &probabilities, &actual).unwrap();
        let mut mean = 0.0;
        for (class, scores) in evaluation.scores.iter().enumerate() {
            let exact = class_auc(&probabilities, classes, &actual, class);
            assert_eq!(scores.auc, exact);
            let found = area(&scores.blocks);
            // Many classes have fewer blocks each; their mean is what the report shows.
            let tolerance = if classes <= 26 { 0.001 } else { 0.003 };
            assert!(
                (found - exact.unwrap()).abs() < tolerance,
                "{classes} {n} {found} {exact:?}"
            );
            let own = actual.iter().filter(|&&a| a as usize == class).count();
            mean += found * own as f64 / n as f64;
        }
        assert!(
            (mean - evaluation.auc.unwrap()).abs() < 0.001,
            "{classes} {n}"
        );
    }
}

#[test]
fn many_classes_stay_small() {
    for (classes, most) in [(2, 20_000), (26, 120_000), (60, 200_000), (355, 200_000)] {
        let (probabilities, actual) = rows(classes, 6000, 0);
        let evaluation = Evaluation::new(&class_names(classes), &probabilities, &actual).unwrap();
        let size = serde_json::to_string(&evaluation.scores).unwrap().len();
        assert!(size < most, "{classes} classes: {size} bytes");
    }
    let (probabilities, actual) = rows(600, 1200, 0);
    let evaluation = Evaluation::new(&class_names(600), &probabilities, &actual).unwrap();
    assert!(evaluation.scores.is_empty() && evaluation.auc.is_some());
}

/// Probabilities of two classes that tie at one half, nearly or exactly, and rows of a class unseen.
fn two_classes() -> impl Strategy<Value = (Vec<f64>, Vec<u32>)> {
    let second = prop_oneof![
        Just(0.5),
        Just(0.5_f64.next_up()),
        Just(0.5_f64.next_down()),
        (0..=100_u32).prop_map(|per_cent| f64::from(per_cent) / 100.0),
        0.0..=1.0,
    ];
    prop::collection::vec((second, 0..=2_u32), 1..200).prop_map(|rows| {
        let probabilities = rows.iter().flat_map(|(second, _)| [1.0 - second, *second]);
        (
            probabilities.collect(),
            rows.iter().map(|row| row.1).collect(),
        )
    })
}

proptest! {
    #[test]
    fn whole_per_cents_are_exact((probabilities, actual) in two_classes()) {
        let evaluation = Evaluation::new(&class_names(2), &probabilities, &actual)?;
        let matrix = evaluation.confusion.as_ref().unwrap().matrix.clone();
        for (class, scores) in evaluation.scores.iter().enumerate() {
            let is_class = |row: &usize| actual[*row] as usize == class;
            let own = (0..actual.len()).filter(is_class).count();
            if own == 0 {
                prop_assert!(scores.blocks.is_empty());
                continue;
            }
            let all = flagged(scores, 0.0);
            prop_assert_eq!(all, [own as f64, (actual.len() - own) as f64]);
            prop_assert!(scores.blocks.is_sorted_by(|a, b| a.lowest > b.lowest));
            let sum: f64 = scores.blocks.iter().map(|block| block.sum).sum();
            let expected: f64 = probabilities.iter().skip(class).step_by(2).sum();
            prop_assert!((sum - expected).abs() < 1e-6);
            // What the class is predicted for is what reaches one half.
            let [right, wrong] = flagged(scores, 0.5);
            prop_assert_eq!(right, matrix[class][class] as f64);
            let unseen = actual.iter().zip(probabilities.chunks(2));
            let unseen = unseen.filter(|(actual, row)| {
                **actual == 2 && usize::from(row[1] > row[0]) == class
            });
            prop_assert_eq!(wrong, matrix[class][1 - class] as f64 + unseen.count() as f64);
            for per_cent in (0..=100).filter(|&per_cent| per_cent != 50) {
                let threshold = f64::from(per_cent) / 100.0;
                // Ten digits are enough to be at the threshold.
                let reaches = |row: &usize| probabilities[row * 2 + class] >= threshold - 1e-12;
                let found = (0..actual.len()).filter(reaches).filter(is_class).count();
                prop_assert_eq!(flagged(scores, threshold)[0], found as f64, "{} %", per_cent);
            }
        }
    }

    #[test]
    fn the_order_of_rows_does_not_matter((probabilities, actual) in two_classes()) {
        let forward = Evaluation::new(&class_names(2), &probabilities, &actual)?;
        let back: Vec<f64> = probabilities.chunks(2).rev().flatten().copied().collect();
        let actual: Vec<u32> = actual.into_iter().rev().collect();
        prop_assert_eq!(forward, Evaluation::new(&class_names(2), &back, &actual)?);
    }

    /// Weights that are whole numbers are rows that are repeated.
    #[test]
    fn weights_are_repetitions((probabilities, actual) in two_classes()) {
        let weights: Vec<f64> = (0..actual.len()).map(|row| (1 + row % 3) as f64).collect();
        let of_rows = || (0..actual.len()).flat_map(|row| [row].repeat(1 + row % 3));
        let repeated: Vec<f64> = of_rows().flat_map(|row| [probabilities[2 * row], probabilities[2 * row + 1]]).collect();
        let classes: Vec<u32> = of_rows().map(|row| actual[row]).collect();
        let weights = RowWeights::new(&weights)?;
        let weighted = Evaluation::weighted(&class_names(2), &probabilities, &actual, Some(&weights))?;
        prop_assert_eq!(weighted, Evaluation::new(&class_names(2), &repeated, &classes)?);
    }
}
