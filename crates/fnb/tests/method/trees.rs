//! Trees against Khiops 11, and what must not change them.

use crate::golden_set::array;
use crate::pairs::{assert_costs, assert_printed, load, with};
use fnb::columns::{Column, ColumnData, Frame, NumericColumn, Target};
use fnb::model::Model;
use fnb::predict::{Scorer, scoring_frame};
use fnb::terms::{MissingNumbers, Origin, Parts, Tree};
use fnb::{Code, Prepared};
use serde_json::Value as Json;

/// A tree in the language of Khiops: what each node asks, then where its rows are if the answer is
/// unknown, then both branches.
fn rule(tree: &Tree, node: u32, above: u32) -> String {
    let Some(split) = tree.splits.iter().find(|split| split.node == node) else {
        return format!("\"L{node}\"");
    };
    let name = &tree.inputs[split.input].name;
    let asked = match &split.parts {
        Parts::Intervals { missing, cuts } => {
            assert_eq!(*missing, MissingNumbers::None);
            format!("IntervalIndex(IntervalBounds({}), {name})", cuts[0])
        }
        Parts::Groups { groups, default } => {
            let group = |(i, values): (usize, &Vec<Option<String>>)| {
                let values = values.iter().map(|v| v.as_deref().unwrap_or(""));
                let others = (i == *default).then_some(" * ");
                let values = values.chain(others).map(|v| format!("\"{v}\""));
                format!("ValueGroup({})", values.collect::<Vec<_>>().join(", "))
            };
            let groups: Vec<String> = groups.iter().enumerate().map(group).collect();
            format!("GroupIndex(ValueGroups({}), {name})", groups.join(", "))
        }
    };
    let branches = split.to.map(|to| rule(tree, to, node));
    format!(
        "SwitchC({asked}, \"L{above}\", {}, {})",
        branches[0], branches[1]
    )
}

/// All trees that Khiops reports: the same splits, node by node; the same groups of leaves; the same costs
/// and levels, also of columns; and as many trees. Numbers, categories, missing values, and pairs beside.
#[test]
fn trees_are_those_of_khiops() {
    let sets = [
        ("iris", "trees", 2),
        ("wine", "trees", 5),
        ("waves", "trees", 8),
        ("ring", "trees", 6),
        ("synth_a", "trees", 4),
        ("ring", "trees_and_pairs", 5),
    ];
    for (set, what, reported) in sets {
        let (json, frame, target) = load(set, what);
        let pairs = if what == "trees" { 0 } else { 100 };
        let prepared = Prepared::new(&frame.into(), &target, &with(pairs, 10), &()).unwrap();
        let variables = prepared.variables();
        let trees = variables.iter().filter(|v| v.axes[0].from.tree().is_some());
        assert_eq!(
            trees.count() as u64,
            json["evaluated_trees"].as_u64().unwrap(),
            "{set}"
        );
        let columns = array(&json["columns"]);
        for expected in columns.chain(array(&json["trees"])) {
            let mut found = variables
                .iter()
                .filter(|v| expected["name"] == v.name.as_str());
            let found = found
                .next()
                .unwrap_or_else(|| panic!("no {}", expected["name"]));
            assert_costs(found, expected);
        }
        assert_eq!(array(&json["trees"]).count(), reported, "{set}");
        for expected in array(&json["trees"]) {
            let found = variables
                .iter()
                .find(|v| expected["name"] == v.name.as_str());
            let found = found.unwrap();
            let Origin::Tree(tree) = &found.axes[0].from else {
                panic!("{} is no tree", found.name);
            };
            assert_eq!(
                expected["rule"],
                rule(tree, 0, 0).as_str(),
                "{}",
                found.name
            );
            assert_eq!(expected["leaves"], tree.leaf_numbers().len());
            let Parts::Groups { groups, .. } = &found.axes[0].parts else {
                panic!("leaves are grouped");
            };
            assert_eq!(expected["groups"], serde_json::to_value(groups).unwrap());
            assert_eq!(
                expected["counts"],
                serde_json::to_value(&found.counts).unwrap()
            );
        }
    }
}

/// The weights of predictors with trees, alone or beside pairs.
#[test]
fn weights_with_trees_are_those_of_khiops() {
    for (set, what, pairs) in [
        ("iris", "trees", 0),
        ("wine", "trees", 0),
        ("waves", "trees", 0),
        ("ring", "trees", 0),
        ("synth_a", "trees", 0),
        ("ring", "trees_and_pairs", 100),
    ] {
        let (json, frame, target) = load(set, what);
        let model = fnb::train(frame, &target, &with(pairs, 10), &())
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

/// What a model knows of its trees is enough to score: from its file, row by row.
#[test]
fn trees_are_kept_and_scored() {
    let (_, frame, target) = load("ring", "trees");
    let model = fnb::train(frame.clone(), &target, &with(0, 10), &())
        .unwrap()
        .model;
    let again = Model::from_json(model.to_json().as_bytes()).unwrap();
    assert_eq!(again, model);
    // Readers of before do not know trees.
    assert!(model.to_json().contains("\"format_version\":\"1.1\""));
    let database = frame.clone().into();
    let scored = scoring_frame(&again, &database).unwrap();
    let probabilities = Scorer::new(&again).probabilities(&scored).unwrap();
    let classes = target.classes().len();
    let right = probabilities.chunks(classes).zip(target.codes());
    let right = right.filter(|(p, class)| {
        let mut best = 0;
        (1..classes).for_each(|i| best = if p[i] > p[best] { i } else { best });
        best == **class as usize
    });
    let expected = model.evaluation().train.as_ref().unwrap().accuracy;
    assert_eq!(right.count() as f64 / target.rows() as f64, expected);
    let tree = model
        .terms()
        .iter()
        .find(|term| term.name == "Tree_4")
        .unwrap();
    assert_eq!(
        tree.describe().unwrap(),
        "the leaf of a tree of 14 splits over turn, x, y"
    );

    // A column that trees look at and nothing else does is missed by its name.
    let mut without = frame;
    without.remove("turn").unwrap();
    let error = scoring_frame(&model, &without.into()).unwrap_err();
    assert_eq!(error.code(), Code::MissingColumn);
    assert!(error.message().contains("\"turn\""), "{error}");
}

/// The order of rows and columns, threads; rows that are repeated, and rows that count for several.
#[test]
fn trees_do_not_depend_on_order_threads_and_repetition() {
    let (_, frame, target) = load("ring", "trees");
    let rows = target.rows();
    let train = |frame: &Frame, target: &Target| {
        let training = fnb::train(frame.clone(), target, &with(5, 10), &());
        training.unwrap().model
    };
    let learnt = |model: &Model| {
        let terms = model.terms().iter();
        let terms = terms.map(|t| format!("{} {} {:?} {:?}", t.name, t.weight, t.axes, t.counts));
        terms.collect::<Vec<String>>()
    };
    let model = train(&frame, &target);
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let threaded = pool.build().unwrap().install(|| train(&frame, &target));
        assert_eq!(threaded.to_json(), model.to_json());
    }
    let order: Vec<usize> = (0..rows).map(|row| row * 7 % rows).collect();
    let shuffled = train(&frame.take(&order), &target.take(&order));
    assert_eq!(shuffled.to_json(), model.to_json());
    let columns = frame.columns().iter().rev().cloned().collect();
    let moved = train(&Frame::new(rows, columns).unwrap(), &target);
    assert_eq!(learnt(&moved), learnt(&model));

    let times: Vec<usize> = (0..rows).map(|row| 1 + row % 3).collect();
    let repeated: Vec<usize> = (0..rows).flat_map(|row| vec![row; times[row]]).collect();
    let weights: Vec<f64> = times.iter().map(|&n| n as f64).collect();
    let weighted = target.clone().with_weights(&weights).unwrap();
    let weighted = Prepared::new(&frame.clone().into(), &weighted, &with(0, 5), &()).unwrap();
    let repeated = (frame.take(&repeated).into(), target.take(&repeated));
    let expected = Prepared::new(&repeated.0, &repeated.1, &with(0, 5), &()).unwrap();
    assert_eq!(weighted.variables(), expected.variables());
}

/// Tables that give no tree, or hardly one, and a column that has the name of a tree.
#[test]
fn odd_tables_have_models() {
    let numbers = |name: &str, values: Vec<f64>| Column {
        name: name.into(),
        data: ColumnData::Numeric(NumericColumn::new(values)),
    };
    let target = |rows: usize, class: &dyn Fn(usize) -> &'static str| {
        let data = ColumnData::Categorical((0..rows).map(|row| Some(class(row))).collect());
        let name = "class".into();
        Target::from_column(&Column { name, data }).unwrap()
    };
    let two = |row: usize| ["a", "b"][row % 2];
    for rows in [2, 3, 9, 40] {
        let missing = numbers("m", vec![f64::NAN; rows]);
        let constant = numbers("c", vec![1.0; rows]);
        let copy = numbers("x", (0..rows).map(|row| (row % 2) as f64).collect());
        for columns in [vec![], vec![missing.clone()], vec![missing, constant, copy]] {
            let frame = Frame::new(rows, columns).unwrap();
            let trained = fnb::train(frame.clone(), &target(rows, &two), &with(9, 9), &());
            trained.unwrap();
            fnb::train(frame, &target(rows, &|_| "only"), &with(9, 9), &()).unwrap();
        }
    }

    let (_, frame, target) = load("iris", "trees");
    let mut columns = frame.columns().to_vec();
    columns.push(numbers("Tree_4", vec![7.0; target.rows()]));
    let frame = Frame::new(target.rows(), columns).unwrap();
    let prepared = Prepared::new(&frame.into(), &target, &with(0, 10), &()).unwrap();
    let trees = prepared.variables().iter();
    let trees = trees.filter(|v| v.axes[0].from.tree().is_some());
    assert!(trees.clone().count() > 3);
    assert!(trees.clone().all(|v| v.name != "Tree_4"));
}
