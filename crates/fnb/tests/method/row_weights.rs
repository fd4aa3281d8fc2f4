//! Weights of rows and classes: integer ones are repeated rows, others are numbers of rows.

use fnb::columns::{
    CategoricalColumn, ClassWeights, Column, ColumnData, Frame, NumericColumn, RowWeights, Target,
};
use fnb::evaluate::{Evaluation, lift_curve, weighted_lift_curve};
use fnb::model::Model;
use fnb::prepare::PrepareSettings;
use fnb::terms::{PartCodes, log_probabilities};
use fnb::weights::{Candidate, LearnSettings, evaluate, optimise};
use fnb::{Method, Prepared, Preset, Schedule, Settings};
use proptest::prelude::*;
use serde_json::Value;
use std::borrow::Cow;

/// A row: the class, a number, one that may be missing, two categories of which one may be, many
/// categories.
type Row = (u8, i16, Option<u8>, u8, Option<u8>, u8);

fn rows(classes: u8) -> impl Strategy<Value = Vec<Row>> {
    let row = (
        0..classes,
        -50..50_i16,
        prop::option::weighted(0.8, 0..9_u8),
        0..12_u8,
        prop::option::weighted(0.8, 0..4_u8),
        0..100_u8,
    );
    prop::collection::vec(row, 30..120)
}

fn numbers(name: &str, values: impl Iterator<Item = f64>) -> Column {
    let data = ColumnData::Numeric(NumericColumn::new(values.collect()));
    let name = name.into();
    Column { name, data }
}

fn categories(name: &str, values: impl Iterator<Item = Option<String>>) -> Column {
    let values: Vec<Option<String>> = values.collect();
    let column: CategoricalColumn = values.iter().map(Option::as_deref).collect();
    Column {
        name: name.into(),
        data: ColumnData::Categorical(column),
    }
}

/// Columns that depend on the class, and the target.
fn table(rows: &[Row]) -> (Frame, Target) {
    let shifted = |row: &Row| f64::from(row.1) + 25.0 * f64::from(row.0);
    let count = |row: &Row| row.2.map_or(f64::NAN, |v| f64::from(v + 2 * row.0));
    let code = |row: &Row| Some(format!("v{}", (row.3 + 4 * row.0) % 13));
    let holes = |row: &Row| row.4.map(|v| format!("h{}", v / (1 + row.0)));
    let many = |row: &Row| Some(format!("m{}", row.5 / (1 + row.0 % 2)));
    let columns = vec![
        numbers("shifted", rows.iter().map(shifted)),
        numbers("count", rows.iter().map(count)),
        categories("code", rows.iter().map(code)),
        categories("copy", rows.iter().map(code)),
        categories("holes", rows.iter().map(holes)),
        categories("many", rows.iter().map(many)),
    ];
    let target = categories("y", rows.iter().map(|row| Some(format!("c{}", row.0))));
    let target = Target::from_column(&target).unwrap();
    (Frame::new(rows.len(), columns).unwrap(), target)
}

/// A model file without what says that there were weights.
fn learnt(model: &Model) -> Value {
    let mut json: Value = serde_json::from_str(&model.to_json()).unwrap();
    let training = json["training"].as_object_mut().unwrap();
    training.remove("row_weights");
    json["checksum"].take();
    json
}

fn repeat<T: Clone>(items: &[T], times: &[u8]) -> Vec<T> {
    let pairs = items.iter().zip(times);
    let repeated = pairs.flat_map(|(item, &n)| std::iter::repeat_n(item.clone(), n.into()));
    repeated.collect()
}

fn every_setting() -> Vec<Settings> {
    let of_method = |method| Settings {
        learn: LearnSettings {
            method,
            max_iterations: 20,
            ..LearnSettings::default()
        },
        ..Settings::default()
    };
    let presets = [Preset::Khiops, Preset::Paper].map(Settings::preset);
    let methods = Method::ALL.into_iter().map(of_method);
    methods.chain(presets).collect()
}

/// Variables and the cost of the null model; the target may be too small to be learnt.
fn prepare(frame: &Frame, target: &Target, schedule: Schedule) -> fnb::Result<Prepared> {
    let settings = Settings {
        prepare: PrepareSettings {
            schedule,
            ..PrepareSettings::default()
        },
        ..Settings::default()
    };
    Prepared::new(&frame.clone().into(), target, &settings, &())
}

/// Training by every method; `None` if the target cannot be learnt.
fn models(frame: &Frame, target: &Target, settings: &[Settings]) -> Option<Vec<Model>> {
    let schedules = [Schedule::Exhaustive, Schedule::Reference];
    let prepared: Result<Vec<Prepared>, _> = schedules
        .iter()
        .map(|&schedule| prepare(frame, target, schedule))
        .collect();
    let prepared = prepared.ok()?;
    let model = |settings: &Settings| {
        let i = usize::from(settings.prepare.schedule == Schedule::Reference);
        prepared[i].learn(&settings.learn, &()).unwrap().model
    };
    Some(settings.iter().map(model).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    /// Zero among them: such rows are gone, and their class if it was the last.
    #[test]
    fn integer_weights_are_repeated_rows(
        (rows, times) in prop::sample::select(vec![2_u8, 3, 9])
            .prop_flat_map(rows)
            .prop_flat_map(|rows| {
                let n = rows.len();
                (Just(rows), prop::collection::vec(0..5_u8, n))
            }),
    ) {
        prop_assume!(times.iter().any(|&n| n > 0));
        let (frame, target) = table(&rows);
        let weights: Vec<f64> = times.iter().map(|&n| n.into()).collect();
        let target = target.with_weights(&weights).unwrap();
        let (repeated_frame, repeated_target) = table(&repeat(&rows, &times));
        prop_assert_eq!(target.classes(), repeated_target.classes());
        prop_assert_eq!(target.counts(), repeated_target.counts());
        for schedule in [Schedule::Exhaustive, Schedule::Reference] {
            let found = prepare(&frame, &target, schedule);
            let expected = prepare(&repeated_frame, &repeated_target, schedule);
            prop_assert_eq!(found.is_ok(), expected.is_ok());
            if let (Ok(found), Ok(expected)) = (found, expected) {
                prop_assert_eq!(found.variables(), expected.variables());
                prop_assert_eq!(found.null_cost(), expected.null_cost());
            }
        }
        let settings = every_setting();
        let found = models(&frame, &target, &settings);
        let expected = models(&repeated_frame, &repeated_target, &settings);
        prop_assert_eq!(found.is_some(), expected.is_some());
        for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
            prop_assert_eq!(learnt(found), learnt(expected));
        }
    }

    /// Whole weights so large that they are factors: counts, costs and measures are those of
    /// repeated rows; what the search finds is as good.
    #[test]
    fn large_integer_weights_are_repeated_rows(
        (rows, times) in rows(3).prop_flat_map(|rows| {
            let n = rows.len();
            (Just(rows), prop::collection::vec(0..5_u8, n))
        }),
    ) {
        prop_assume!(times.iter().any(|&n| n > 0));
        let (frame, target) = table(&rows);
        let weights: Vec<f64> = times.iter().map(|&n| 10_000.0 * f64::from(n)).collect();
        let target = target.with_weights(&weights).unwrap();
        let model = fnb::train(frame.clone(), &target, &Settings::default(), &()).unwrap().model;
        let all: u64 = times.iter().map(|&n| 10_000 * u64::from(n)).sum();
        prop_assert_eq!(model.training().rows, all);
        prop_assert_eq!(model.evaluation().train.as_ref().unwrap().rows, all);
        for variable in model.terms() {
            prop_assert!(variable.counts.iter().flatten().all(|n| n % 10_000 == 0));
        }
    }

    #[test]
    fn weights_of_one_change_nothing(rows in rows(3)) {
        let (frame, target) = table(&rows);
        let weighted = target.clone().with_weights(&vec![1.0; rows.len()]).unwrap();
        for preset in [Preset::Default, Preset::Khiops, Preset::Paper] {
            let settings = Settings::preset(preset);
            let train = |target| fnb::train(frame.clone(), target, &settings, &()).unwrap().model.to_json();
            prop_assert_eq!(train(&weighted), train(&target));
        }
    }

    /// Fractional weights: the order of the rows and the threads do not matter.
    #[test]
    fn the_order_of_weighted_rows_and_the_threads(
        (rows, weights, order) in prop::sample::select(vec![2_u8, 3]).prop_flat_map(rows)
            .prop_flat_map(|rows| {
                let n = rows.len();
                let weights = prop::collection::vec(0.0..3.0_f64, n);
                (Just(rows), weights, Just((0..n).collect::<Vec<usize>>()).prop_shuffle())
            }),
        threads in prop::sample::select(vec![2_usize, 3, 8]),
    ) {
        let (frame, target) = table(&rows);
        let target = target.with_weights(&weights).unwrap();
        let (moved_frame, moved_target) = (frame.take(&order), target.take(&order));
        prop_assert_eq!(target.counts(), moved_target.counts());
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for preset in [Preset::Default, Preset::Khiops, Preset::Paper] {
            let settings = Settings::preset(preset);
            let train = |frame: &Frame, target| {
                fnb::train(frame.clone(), target, &settings, &()).map(|training| training.model)
            };
            let (Ok(model), Ok(moved)) = (train(&frame, &target), train(&moved_frame, &moved_target))
            else {
                prop_assert!(target.check_trainable().is_err());
                continue;
            };
            let known = |model: &Model| {
                let variables = model.terms().iter();
                let variables = variables.map(|v| (v.name.clone(), v.weight, v.counts.clone()));
                (variables.collect::<Vec<_>>(), model.evaluation().train.clone())
            };
            prop_assert_eq!(known(&moved), known(&model));
            let threaded = pool.install(|| train(&frame, &target)).unwrap();
            prop_assert_eq!(threaded.to_json(), model.to_json());
        }
    }

    /// Counts by class are right within half a row, whatever is counted.
    #[test]
    fn fractional_weights_are_numbers_of_rows_but_for_their_scale(
        (rows, weights) in rows(3).prop_flat_map(|rows| {
            let n = rows.len();
            (Just(rows), prop::collection::vec(0.0..3.0_f64, n))
        }),
    ) {
        let (frame, target) = table(&rows);
        let target = target.with_weights(&weights).unwrap();
        let present = weights.iter().filter(|weight| **weight > 0.0).count() as f64;
        let scale = present / weights.iter().sum::<f64>();
        for (class, &count) in target.classes().iter().zip(target.counts()) {
            let of_class = rows.iter().zip(&weights);
            let of_class = of_class.filter(|(row, _)| *class == format!("c{}", row.0));
            let sum = scale * of_class.map(|(_, weight)| weight).sum::<f64>();
            prop_assert!((sum - count as f64).abs() <= 0.5 + 1e-6, "{} rows, not {}", count, sum);
        }
        let Ok(preparation) = prepare(&frame, &target, Schedule::Exhaustive) else {
            prop_assert!(target.check_trainable().is_err());
            return Ok(());
        };
        for variable in preparation.variables() {
            for (class, &count) in target.counts().iter().enumerate() {
                prop_assert_eq!(variable.counts.iter().map(|part| part[class]).sum::<u64>(), count);
            }
        }
    }

    /// Every measure, and the lift curve, with integer weights against repeated rows.
    #[test]
    fn weighted_measures_are_those_of_repeated_rows(
        rows in prop::collection::vec((prop::array::uniform3(1..50_u32), 0..5_u32, 0..4_u8), 1..60),
    ) {
        prop_assume!(rows.iter().any(|row| row.2 > 0));
        let classes = ["a", "b", "c"].map(str::to_owned);
        let times: Vec<u8> = rows.iter().map(|row| row.2).collect();
        let share = |row: &[u32; 3]| row.map(|p| f64::from(p) / f64::from(row.iter().sum::<u32>()));
        let probabilities: Vec<[f64; 3]> = rows.iter().map(|row| share(&row.0)).collect();
        let actual: Vec<u32> = rows.iter().map(|row| row.1).collect();
        let weights: Vec<f64> = times.iter().map(|&n| n.into()).collect();
        let weights = RowWeights::new(&weights).unwrap();
        let repeated = (repeat(&probabilities, &times).concat(), repeat(&actual, &times));
        let probabilities = probabilities.concat();
        prop_assert_eq!(
            Evaluation::weighted(&classes, &probabilities, &actual, Some(&weights)).unwrap(),
            Evaluation::new(&classes, &repeated.0, &repeated.1).unwrap()
        );
        for class in 0..3 {
            prop_assert_eq!(
                weighted_lift_curve(&probabilities, 3, &actual, class, &weights),
                lift_curve(&repeated.0, 3, &repeated.1, class)
            );
        }
    }

    /// Class weights change class shares and weights, neither parts nor levels; balanced ones are
    /// those that can be given.
    #[test]
    fn class_weights_change_class_shares(rows in rows(3)) {
        let (frame, target) = table(&rows);
        let balanced = target.clone().with_class_weights(&ClassWeights::Balanced).unwrap();
        let classes = target.classes().iter().zip(target.counts());
        let factor = |(class, &count): (&String, &u64)| {
            let of_class = (target.classes().len() as u64 * count) as f64;
            (class.clone(), rows.len() as f64 / of_class)
        };
        let given = ClassWeights::Given(classes.map(factor).collect());
        let given = target.clone().with_class_weights(&given).unwrap();
        let largest = target.counts().iter().max().unwrap();
        prop_assert!(balanced.counts().iter().all(|count| count == largest));
        let plain = prepare(&frame, &target, Schedule::Exhaustive).unwrap();
        let weighted = prepare(&frame, &balanced, Schedule::Exhaustive).unwrap();
        prop_assert_eq!(weighted.null_cost(), plain.null_cost());
        for (weighted, plain) in weighted.variables().iter().zip(plain.variables()) {
            prop_assert_eq!((&weighted.axes[0].parts, weighted.level), (&plain.axes[0].parts, plain.level));
            for class in 0..target.classes().len() {
                let count = |counts: &[Vec<u64>]| counts.iter().map(|part| part[class]).sum::<u64>();
                prop_assert_eq!(count(&weighted.counts), balanced.counts()[class]);
                let exact = balanced.counts()[class] as f64 / target.counts()[class] as f64;
                for (weighted, plain) in weighted.counts.iter().zip(&plain.counts) {
                    let gap = weighted[class] as f64 - exact * plain[class] as f64;
                    prop_assert!(gap.abs() <= 1.0);
                }
            }
        }
        let train = |target| fnb::train(frame.clone(), target, &Settings::default(), &()).unwrap().model;
        prop_assert_eq!(train(&balanced).to_json(), train(&given).to_json());
    }
}

/// With weights of rows an identifier of heavy rows is seen twice, and would tell the class.
#[test]
fn class_weights_do_not_make_identifiers_informative() {
    let label = |row: usize| (row * 7919 % 1000) < 250;
    let id = categories("id", (0..1000).map(|row| Some(format!("C{row:04}"))));
    let target = categories("y", (0..1000).map(|row| Some(label(row).to_string())));
    let target = Target::from_column(&target).unwrap();
    let frame = Frame::new(1000, vec![id]).unwrap();
    let balanced = target.with_class_weights(&ClassWeights::Balanced).unwrap();
    let model = fnb::train(frame.clone(), &balanced, &Settings::default(), &())
        .unwrap()
        .model;
    assert_eq!(model.training().informative, 0);
    assert_eq!(model.target().counts, [750, 750]);
}

/// A class of hardly any weight keeps its probabilities, and is hardly ever predicted.
#[test]
fn extreme_class_weights() {
    let rows: Vec<Row> = (0..200_i16)
        .map(|i| ((i % 2) as u8, i % 37 - 18, None, (i % 7) as u8, None, 0))
        .collect();
    let (frame, target) = table(&rows);
    let weights = [("c0".into(), 1000.0), ("c1".into(), 0.0001)];
    let weights = ClassWeights::Given(weights.to_vec());
    let target = target.with_class_weights(&weights).unwrap();
    assert_eq!(target.counts(), [1_000_000_000, 100]);
    let model = fnb::train(frame.clone(), &target, &Settings::default(), &())
        .unwrap()
        .model;
    let train = model.evaluation().train.clone().unwrap();
    assert!(train.accuracy > 0.999_999);
    let matrix = train.confusion.unwrap().matrix;
    assert_eq!(matrix[1], [0, 0]);
}

/// `Σ_n w_n · −ln P(class | parts of row n)`, term by term.
fn naive_cost(candidates: &[Candidate], target: &Target, weights: &[f64], rows: &[f64]) -> f64 {
    let classes = target.classes().len();
    let all = target.total() as f64;
    let cost = |(row, weight): (usize, &f64)| {
        let score = |class: usize| {
            let prior = (target.counts()[class] as f64 / all).ln();
            let log = |c: &Candidate| c.scores[c.codes.get(row) * classes + class];
            let terms = candidates.iter().zip(weights).map(|(c, w)| w * log(c));
            (prior + terms.sum::<f64>()).exp()
        };
        let own = score(target.codes()[row] as usize);
        -weight * (own / (0..classes).map(score).sum::<f64>()).ln()
    };
    rows.iter().enumerate().map(cost).sum()
}

proptest! {
    /// The likelihood of fractional weights against an evaluation term by term, at weights that a
    /// search found and at others.
    #[test]
    fn weights_are_factors_of_the_likelihood(
        (rows, row_weights) in prop::sample::select(vec![2_u8, 4]).prop_flat_map(rows)
            .prop_flat_map(|rows| {
                let n = rows.len();
                (Just(rows), prop::collection::vec(0.01..3.0_f64, n))
            }),
        weights in prop::array::uniform2(0.0..1.0_f64),
    ) {
        let (_, target) = table(&rows);
        let target = target.with_weights(&row_weights).unwrap();
        prop_assume!(target.check_trainable().is_ok());
        let scale = row_weights.len() as f64 / row_weights.iter().sum::<f64>();
        let row_weights: Vec<f64> = row_weights.iter().map(|weight| scale * weight).collect();
        let classes = target.classes().len();
        let candidate = |name, code: &dyn Fn(&Row) -> u8, parts: usize| {
            let codes: Vec<u8> = rows.iter().map(code).collect();
            let mut counts = vec![vec![0; classes]; parts];
            for (&code, &class) in codes.iter().zip(target.codes()) {
                counts[usize::from(code)][class as usize] += 1;
            }
            Candidate {
                name,
                level: 0.1,
                prior_cost: 3.0,
                codes: Cow::Owned(PartCodes::Narrow(codes)),
                unlisted: None,
                scores: log_probabilities(&counts, rows.len() as u64),
            }
        };
        let candidates = [
            candidate("a", &|row| (row.3 + 4 * row.0) % 13, 13),
            candidate("b", &|row| u8::from(row.1 + 25 * i16::from(row.0) > 20), 2),
        ];
        let settings = LearnSettings::default();
        let found = optimise(&candidates, &target.outcomes(), 5.0, &settings, &());
        let close = |found: f64, expected: f64| (found - expected).abs() <= 1e-7 * expected.abs().max(1.0);
        let expected = naive_cost(&candidates, &target, &found.weights, &row_weights);
        prop_assert!(close(found.criterion.data, expected), "{} {}", found.criterion.data, expected);
        let at = evaluate(&candidates, &target.outcomes(), 5.0, &settings, &weights);
        let expected = naive_cost(&candidates, &target, &weights, &row_weights);
        prop_assert!(close(at.data, expected), "{} {}", at.data, expected);
        prop_assert!(found.criterion.total <= found.null_criterion.total + 1e-9);
    }
}

#[test]
fn equal_fractions_change_nothing() {
    let rows: Vec<Row> = (0..400_i16)
        .map(|i| {
            (
                (i % 2) as u8,
                i % 37 - 18,
                None,
                (i % 7) as u8,
                None,
                (i % 90) as u8,
            )
        })
        .collect();
    let (frame, target) = table(&rows);
    let half = target.clone().with_weights(&[0.5; 400]).unwrap();
    assert_eq!(half.counts(), [200, 200]);
    let model = |target| {
        let training = fnb::train(frame.clone(), target, &Settings::default(), &()).unwrap();
        (
            training.model.terms().to_vec(),
            training.model.evaluation().train.clone(),
        )
    };
    assert_eq!(model(&half), model(&target));
}

#[test]
fn what_cannot_be_learnt_is_said() {
    let (_, target) = table(&[(0, 1, None, 0, None, 0), (1, 2, None, 0, None, 0)]);
    let error = target.clone().with_weights(&[1.0]).unwrap_err();
    assert!(
        error.to_string().contains("1 weights for 2 rows"),
        "{error}"
    );
    let small = target.clone().with_weights(&[1.0, 0.25]).unwrap();
    let error = small.check_trainable().unwrap_err().to_string();
    assert!(
        error.contains("\"c1\" weigh 0.4, less than half a row"),
        "{error}"
    );
    assert!(error.contains("more weight beside the others"), "{error}");
    let given = |name: &str, weight| ClassWeights::Given(vec![(name.into(), weight)]);
    let refused = |weights| {
        target
            .clone()
            .with_class_weights(&weights)
            .unwrap_err()
            .to_string()
    };
    assert!(refused(given("c2", 1.0)).contains("\"c2\", which is no class"));
    assert!(refused(given("c1", -1.0)).contains("the weight of class \"c1\" is -1"));
    let twice = ClassWeights::Given(vec![("c1".into(), 1.0), ("c1".into(), 2.0)]);
    assert!(refused(twice).contains("two weights"));
    let gone = target
        .clone()
        .with_class_weights(&given("c1", 0.0))
        .unwrap();
    assert_eq!(gone.classes(), ["c0"]);
}
