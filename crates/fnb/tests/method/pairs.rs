//! Pairs of variables against Khiops 11, and what must not change them.

use crate::data::golden;
use crate::golden_set::{array, load_outside, number, table};
use fnb::columns::{Column, ColumnData, Frame, NumericColumn, Target};
use fnb::model::Model;
use fnb::predict::Scorer;
use fnb::prepare::{PrepareSettings, PreparedVariable};
use fnb::terms::{MissingNumbers, Parts};
use fnb::{Prepared, Preset, Settings};
use serde_json::Value as Json;
use std::fs;

/// The settings of Khiops with pairs.
fn settings(pairs: usize) -> Settings {
    with(pairs, 0)
}

/// The settings of Khiops with pairs and trees.
pub(crate) fn with(pairs: usize, trees: usize) -> Settings {
    let base = Settings::preset(Preset::Khiops);
    Settings {
        prepare: PrepareSettings {
            pairs,
            trees,
            ..base.prepare
        },
        ..base
    }
}

/// What Khiops found in a table of `tests/golden`, and its rows.
pub(crate) fn load(set: &str, what: &str) -> (Json, Frame, Target) {
    let text = fs::read_to_string(golden(&format!("pairs_trees/{set}_{what}.json"))).unwrap();
    let json: Json = serde_json::from_str(&text).unwrap();
    let folder = if ["iris", "wine", "synth_a"].contains(&set) {
        ""
    } else {
        "pairs_trees/"
    };
    let rows = fs::read_to_string(golden(&format!("{folder}{set}.tsv"))).unwrap();
    let (frame, target) = table(&rows, &json["columns"]);
    (json, frame, target)
}

/// Equal as printed, to 6 digits.
#[track_caller]
pub(crate) fn assert_printed(found: f64, printed: &Json, what: &str) {
    let printed = number(printed);
    let gap = (found - printed).abs();
    assert!(
        gap <= 5.1e-6 * printed.abs(),
        "{what}: {found}, not {printed}"
    );
}

#[track_caller]
pub(crate) fn assert_costs(found: &PreparedVariable, expected: &Json) {
    let name = &found.name;
    assert_printed(found.cost.construction, &expected["construction"], name);
    assert_printed(found.cost.preparation, &expected["preparation"], name);
    assert_printed(found.cost.data, &expected["data"], name);
    let gap = (found.level - number(&expected["level"])).abs();
    assert!(gap < 1e-6, "{name}: {}", found.level);
}

/// The parts of an axis as Khiops lists them: bounds, or values.
fn assert_parts(parts: &Parts, axis: &Json) {
    let expected: Vec<&Json> = array(&axis["parts"]).collect();
    assert_eq!(parts.len(), expected.len(), "{axis}");
    match parts {
        Parts::Intervals { missing, cuts } => {
            assert_eq!(*missing, MissingNumbers::None, "{axis}");
            let ends = expected.iter().map(|part| number(&part[1]));
            let ends: Vec<f64> = ends.take(cuts.len()).collect();
            assert_eq!(*cuts, ends, "{axis}");
        }
        Parts::Groups { groups, default } => {
            assert_eq!(*default as f64, number(&axis["default"]), "{axis}");
            for (group, values) in groups.iter().zip(expected) {
                let values: Vec<Option<&str>> = array(values).map(Json::as_str).collect();
                let group: Vec<Option<&str>> = group.iter().map(Option::as_deref).collect();
                assert_eq!(group, values, "{axis}");
            }
        }
    }
}

/// Prices, grids, cells, and which pairs are usable.
#[test]
fn grids_are_those_of_khiops() {
    for (set, usable) in [("mixed", 3), ("ring", 4), ("wine", 1)] {
        let (json, frame, target) = load(set, "pairs");
        let prepared = Prepared::new(&frame.into(), &target, &settings(100), &()).unwrap();
        let variables = prepared.variables();
        let of_name = |name: &Json| {
            let mut found = variables.iter().filter(|v| *name == v.name.as_str());
            found.next().unwrap_or_else(|| panic!("no {name}"))
        };
        for column in array(&json["columns"]) {
            assert_costs(of_name(&column["name"]), column);
        }
        assert_eq!(number(&json["usable_pairs"]), f64::from(usable));
        let pairs = variables.iter().filter(|v| v.axes.len() == 2);
        assert_eq!(pairs.count() as f64, f64::from(usable), "{set}");
        for expected in array(&json["pairs"]) {
            let found = of_name(&expected["name"]);
            assert_costs(found, expected);
            let axes = found.axes.iter().zip(array(&expected["axes"]));
            for (axis, expected) in axes {
                assert_eq!(expected["name"], axis.name.as_str());
                assert_parts(&axis.parts, expected);
            }
            let columns = found.axes[1].parts.len();
            for cell in array(&expected["cells"]) {
                let cell: Vec<u64> = array(cell).map(|n| n.as_u64().unwrap()).collect();
                let place = cell[0] as usize * columns + cell[1] as usize;
                assert_eq!(found.counts[place], cell[2..], "{}", found.name);
            }
        }
    }
}

/// The weights: pairs take their turn by what they tell beyond their columns.
#[test]
fn weights_with_pairs_are_those_of_khiops() {
    for set in ["mixed", "ring", "wine"] {
        let (json, frame, target) = load(set, "pairs");
        let model = fnb::train(frame, &target, &settings(100), &())
            .unwrap()
            .model;
        let expected: Vec<&Json> = array(&json["selected"]).collect();
        assert_eq!(model.terms().len(), expected.len(), "{set}");
        for expected in expected {
            let mut terms = model.terms().iter();
            let term = terms.find(|term| expected["name"] == term.name.as_str());
            let term = term.unwrap_or_else(|| panic!("no {}", expected["name"]));
            assert_printed(term.weight, &expected["weight"], &term.name);
        }
    }
}

/// The search never ends much below that of Khiops, which takes a hundred times as long.
#[test]
fn grids_of_many_classes_are_as_good_as_those_of_khiops() {
    let Some(letter) = load_outside("letter") else {
        return;
    };
    let text = fs::read_to_string(golden("pairs_trees/letter_levels.json")).unwrap();
    let levels: Json = serde_json::from_str(&text).unwrap();
    let database = letter.frame.clone().into();
    let prepared = Prepared::new(&database, &letter.target, &settings(120), &()).unwrap();
    let mut gain = 0.0;
    let levels = levels.as_object().unwrap();
    for (name, level) in levels {
        let mut variables = prepared.variables().iter();
        let found = variables.find(|v| v.name == *name).unwrap();
        let gap = found.level - number(level);
        assert!(gap > -0.003, "{name}: {} against {level}", found.level);
        gain += gap;
    }
    assert!(gain / levels.len() as f64 > 0.0005, "{gain}");
}

/// Four tables of which neither column says anything alone.
#[test]
fn exclusive_ors_are_found() {
    let rows = 400;
    let bit = |row: usize, prime: usize| (row * prime / 7) % 2 == 1;
    let noisy = |row: usize| row % 10 == 3;
    let numbers = |name: &str, prime: usize| Column {
        name: name.into(),
        data: ColumnData::Numeric(NumericColumn::new(
            (0..rows)
                .map(|row| f64::from(u8::from(bit(row, prime))) + (row % 17) as f64 / 20.0)
                .collect(),
        )),
    };
    let categories = |name: &str, prime: usize| Column {
        name: name.into(),
        data: ColumnData::Categorical(
            (0..rows)
                .map(|row| Some(["a", "b", "c", "d"][2 * usize::from(bit(row, prime)) + row % 2]))
                .collect(),
        ),
    };
    let class = (0..rows).map(|row| {
        let same = bit(row, 11) == bit(row, 5);
        Some(if same ^ noisy(row) { "same" } else { "other" })
    });
    let target = Column {
        name: "class".into(),
        data: ColumnData::Categorical(class.collect()),
    };
    let target = Target::from_column(&target).unwrap();
    for columns in [
        vec![numbers("x", 11), numbers("y", 5)],
        vec![numbers("x", 11), categories("y", 5)],
        vec![categories("x", 11), numbers("y", 5)],
        vec![categories("x", 11), categories("y", 5)],
    ] {
        let frame = Frame::new(rows, columns).unwrap();
        let model = fnb::train(frame.clone(), &target, &settings(1), &())
            .unwrap()
            .model;
        let names: Vec<&str> = model
            .terms()
            .iter()
            .map(|term| term.name.as_str())
            .collect();
        assert_eq!(names, ["x`y"]);
        let evaluation = model.evaluation().train.as_ref().unwrap();
        assert!(
            (evaluation.accuracy - 0.9).abs() < 0.01,
            "{}",
            evaluation.accuracy
        );

        // The file keeps it, and scoring finds the cells again.
        let again = Model::from_json(model.to_json().as_bytes()).unwrap();
        assert_eq!(again, model);
        let probabilities = Scorer::new(&again).probabilities(&frame).unwrap();
        let right = probabilities.chunks(2).zip(target.codes());
        let right = right
            .filter(|(p, class)| (p[1] > p[0]) == (**class == 1))
            .count();
        assert_eq!(right as f64, evaluation.accuracy * rows as f64);
    }
}

/// The order of rows and columns, threads; rows that are repeated, and rows that count for several.
#[test]
fn pairs_do_not_depend_on_order_threads_and_repetition() {
    let (_, frame, target) = load("ring", "pairs");
    let rows = target.rows();
    let train = |frame: &Frame, target: &Target| {
        let training = fnb::train(frame.clone(), target, &settings(100), &());
        training.unwrap().model
    };
    let learnt = |model: &Model| {
        let terms = model.terms().iter();
        let terms = terms.map(|t| format!("{} {} {:?} {:?}", t.name, t.weight, t.axes, t.counts));
        terms.collect::<Vec<String>>()
    };
    let model = train(&frame, &target);
    assert!(model.terms().iter().any(|term| term.axes.len() == 2));
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().unwrap();
        let threaded = pool.install(|| train(&frame, &target));
        assert_eq!(threaded.to_json(), model.to_json());
    }
    let order: Vec<usize> = (0..rows).map(|row| row * 7 % rows).collect();
    assert_eq!(rows % 7, 3, "an order");
    let shuffled = train(&frame.take(&order), &target.take(&order));
    assert_eq!(shuffled.to_json(), model.to_json());
    let columns = frame.columns().iter().rev().cloned().collect();
    let moved = train(&Frame::new(rows, columns).unwrap(), &target);
    assert_eq!(learnt(&moved), learnt(&model));

    let times: Vec<usize> = (0..rows).map(|row| 1 + row % 3).collect();
    let repeated = (0..rows).flat_map(|row| vec![row; times[row]]);
    let repeated: Vec<usize> = repeated.collect();
    let weights: Vec<f64> = times.iter().map(|&n| n as f64).collect();
    let weighted = target.clone().with_weights(&weights);
    let weighted = Prepared::new(
        &frame.clone().into(),
        &weighted.unwrap(),
        &settings(100),
        &(),
    );
    let target = target.take(&repeated);
    let expected = Prepared::new(&frame.take(&repeated).into(), &target, &settings(100), &());
    let (weighted, expected) = (weighted.unwrap(), expected.unwrap());
    for (weighted, expected) in weighted.variables().iter().zip(expected.variables()) {
        assert_eq!(weighted.counts, expected.counts, "{}", expected.name);
        assert_eq!(weighted.level, expected.level, "{}", expected.name);
    }
}

/// Without pairs neither the settings nor the prices show that there could be any.
#[test]
fn without_pairs_nothing_changes() {
    let (_, frame, target) = load("ring", "pairs");
    let model = fnb::train(frame, &target, &settings(0), &()).unwrap().model;
    assert!(!model.to_json().contains("\"pairs\""));
    assert!(!model.to_json().contains("\"trees\""));
    let settings = Settings {
        preset: Preset::Default,
        ..settings(5)
    };
    let error = settings.check().unwrap_err();
    assert!(error.message().contains("preset"), "{error}");
    assert!(self::settings(100_001).check().is_err());
}
