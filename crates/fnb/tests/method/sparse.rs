//! Sparse columns are numbers like any others: the same variables, models and predictions as dense ones,
//! but for the search of Khiops.

use crate::data::golden;
use crate::golden_set::{array, number};
use fnb::columns::{
    CategoricalColumn, Column, ColumnData, Frame, NumericColumn, SparseColumn, SparseEntries,
    SparseTable, Target,
};
use fnb::model::Model;
use fnb::predict::{Explainer, Scorer};
use fnb::{Prepared, Preset, Settings};
use proptest::prelude::*;
use serde_json::Value as Json;
use std::fs;

/// Values of a column: mostly 0, some below it, some missing, some shared with the class.
fn value() -> impl Strategy<Value = f64> {
    prop_oneof![
        8 => Just(0.0),
        2 => (-3..4_i8).prop_map(f64::from),
        1 => Just(f64::NAN),
        1 => prop::sample::select(vec![0.1 + 0.2, 1e-320, -1e-320, 5e-324, 1e300, -2.5]),
    ]
}

fn table() -> impl Strategy<Value = (Vec<u8>, Vec<Vec<f64>>)> {
    (2..5_u8, 20..150_usize).prop_flat_map(|(classes, rows)| {
        let column = prop::collection::vec(value(), rows);
        (
            prop::collection::vec(0..classes, rows),
            prop::collection::vec(column, 1..6),
        )
    })
}

fn target(classes: &[u8]) -> Target {
    let names: Vec<String> = classes.iter().map(|class| format!("c{class}")).collect();
    let column: CategoricalColumn = names.iter().map(|name| Some(name.as_str())).collect();
    let column = Column {
        name: "class".into(),
        data: ColumnData::Categorical(column),
    };
    Target::from_column(&column).expect("a target")
}

/// Columns that follow the class to some extent, so that models are not empty.
fn with_signal(classes: &[u8], columns: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let shifted = |(i, column): (usize, &Vec<f64>)| {
        let row = |(value, class): (&f64, &u8)| match (*class, i) {
            (1, 0) => f64::from(*class),
            (2, 1) if *value == 0.0 => -1.5,
            _ => *value,
        };
        column.iter().zip(classes).map(row).collect()
    };
    columns.iter().enumerate().map(shifted).collect()
}

fn dense(values: &[f64]) -> ColumnData {
    ColumnData::Numeric(NumericColumn::new(values.to_vec()))
}

fn sparse(values: &[f64]) -> ColumnData {
    let entries = values.iter().enumerate().filter(|(_, v)| **v != 0.0);
    let entries = entries.map(|(row, v)| (row as u32, *v)).collect();
    ColumnData::Sparse(SparseColumn::new(values.len(), entries).expect("a column"))
}

fn frame(columns: &[Vec<f64>], data: fn(&[f64]) -> ColumnData) -> Frame {
    let named = columns.iter().enumerate().map(|(i, values)| Column {
        name: format!("x{i}"),
        data: data(values),
    });
    Frame::new(columns[0].len(), named.collect()).expect("a frame")
}

fn train(frame: &Frame, target: &Target, preset: Preset) -> Model {
    let training = fnb::train(frame.clone(), target, &Settings::preset(preset), &());
    training.expect("a model").model
}

fn prepare(frame: &Frame, target: &Target, preset: Preset) -> Prepared {
    let prepared = Prepared::new(
        &frame.clone().into(),
        target,
        &Settings::preset(preset),
        &(),
    );
    prepared.expect("prepared")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn models_and_predictions_are_those_of_dense_columns(
        (classes, columns) in table(),
        taken in prop::collection::vec(0..20_usize, 1..40),
        weights in prop::option::of(prop::collection::vec(0.0..3.0, 150)),
    ) {
        let columns = with_signal(&classes, &columns);
        let (dense, sparse) = (frame(&columns, dense), frame(&columns, sparse));
        let mut target = target(&classes);
        if let Some(weights) = weights {
            // Weights that leave a class without row are refused, for any column.
            match target.with_weights(&weights[..classes.len()]) {
                Ok(weighted) => target = weighted,
                Err(_) => return Ok(()),
            }
            if target.check_trainable().is_err() {
                return Ok(());
            }
        }
        for preset in [Preset::Default, Preset::Khiops] {
            let prepared = prepare(&sparse, &target, preset);
            let expected = prepare(&dense, &target, preset);
            prop_assert_eq!(prepared.variables(), expected.variables());
            let model = train(&sparse, &target, preset);
            // Khiops gives sparse columns other weights.
            if preset == Preset::Default {
                prop_assert_eq!(model.to_json(), train(&dense, &target, preset).to_json());
            }

            let scorer = Scorer::new(&model);
            let expected = scorer.probabilities(&dense).expect("scored");
            prop_assert_eq!(&scorer.probabilities(&sparse).expect("scored"), &expected);
            // Rows in another order, some of them twice.
            let (some, same) = (sparse.take(&taken), dense.take(&taken));
            prop_assert_eq!(
                scorer.probabilities(&some).expect("scored"),
                scorer.probabilities(&same).expect("scored")
            );
            let explainer = Explainer::new(&model);
            let (bound, bound_dense) = (scorer.bind(&sparse).expect("bound"), scorer.bind(&dense).expect("bound"));
            for row in [0, 7, 19] {
                prop_assert_eq!(explainer.explain(&bound, row, 0), explainer.explain(&bound_dense, row, 0));
            }
        }
    }
}

#[test]
fn the_models_compared_are_not_empty() {
    let classes: Vec<u8> = (0..90).map(|row| row % 3).collect();
    let columns = with_signal(&classes, &[vec![0.0; 90], vec![0.0; 90]]);
    let model = train(&frame(&columns, sparse), &target(&classes), Preset::Default);
    assert_eq!(model.terms().len(), 2);
}

/// The fields of a line of `sparse200`: class, age, city, and the words as `key:value`.
fn fields(line: &str) -> [&str; 4] {
    let fields: Vec<&str> = line.split('\t').collect();
    fields.try_into().expect("four fields")
}

/// The numbers that a row lists; one without a value is missing.
fn words(field: &str) -> impl Iterator<Item = (usize, f64)> {
    field
        .split(' ')
        .filter(|word| !word.is_empty())
        .map(|word| {
            let (key, value) = word.split_once(':').expect("key:value");
            let value = match value {
                "" => f64::NAN,
                value => value.parse().expect("a number"),
            };
            (key.parse().expect("a key"), value)
        })
}

/// A sparse block as Khiops reads it: values that are listed though they are 0, or missing; some below 0,
/// some in the interval of 0; rows without any; and columns that are not sparse beside it.
#[test]
fn khiops_passes_over_rows_that_a_sparse_column_does_not_list() {
    let text = fs::read_to_string(golden("sparse/sparse200.tsv")).expect("a table");
    let json = fs::read_to_string(golden("sparse/sparse200.json")).expect("results");
    let json: Json = serde_json::from_str(&json).expect("JSON");
    let rows: Vec<[&str; 4]> = text.lines().skip(1).map(fields).collect();
    let column = |name: &str, data| Column {
        name: name.into(),
        data,
    };
    let categories = |field: usize| ColumnData::Categorical(texts(rows.iter().map(|r| r[field])));
    let ages: Vec<f64> = rows.iter().map(|row| row[1].parse().unwrap()).collect();
    let word = |key: usize| {
        let lists = |row: &[&str; 4]| words(row[3]).find(|word| word.0 == key);
        let entries = rows.iter().enumerate();
        let entries = entries.filter_map(|(i, row)| Some((i as u32, lists(row)?.1)));
        let entries = SparseColumn::new(rows.len(), entries.collect()).expect("a column");
        column(&format!("v{key}"), ColumnData::Sparse(entries))
    };
    let mut columns = vec![column("age", dense(&ages)), column("city", categories(2))];
    columns.extend((1..=24).map(word));
    let frame = Frame::new(rows.len(), columns).expect("a frame");
    let target = Target::from_column(&column("class", categories(0))).expect("a target");

    let prepared = prepare(&frame, &target, Preset::Khiops);
    for (found, expected) in prepared
        .by_level()
        .into_iter()
        .zip(array(&json["variables"]))
    {
        assert_eq!(found.name, expected["name"].as_str().unwrap());
        assert_eq!(found.axes[0].parts.len() as f64, number(&expected["parts"]));
        assert!((found.level - number(&expected["level"])).abs() < 5e-7);
    }
    let training = prepared.learn(&Settings::preset(Preset::Khiops).learn, &());
    let model = training.expect("a model").model;
    let terms = model.terms().iter();
    let mut weights: Vec<(&str, f64)> = terms.map(|t| (t.name.as_str(), t.weight)).collect();
    let selected = array(&json["selected_variables"]);
    let mut expected: Vec<(&str, f64)> = selected
        .map(|v| (v["name"].as_str().unwrap(), number(&v["weight"])))
        .collect();
    weights.sort_unstable_by_key(|weight| weight.0);
    expected.sort_unstable_by_key(|weight| weight.0);
    assert_eq!(weights, expected);
}

/// A line of a sparse table: document, word, count.
type Line = (String, String, f64);

/// 60 documents of two classes; the word `good` tells them apart, `the` is in all of them.
fn lines() -> Vec<Line> {
    let line =
        |doc: usize, word: &str, count: usize| (format!("d{doc}"), word.into(), count as f64);
    let words = |doc: usize| {
        let good = doc
            .is_multiple_of(2)
            .then(|| line(doc, "good", 1 + doc % 3));
        let rare = doc.is_multiple_of(17).then(|| line(doc, "rare", 1));
        [Some(line(doc, "the", 2)), good, rare]
            .into_iter()
            .flatten()
    };
    (0..60).flat_map(words).collect()
}

fn texts<'a>(values: impl Iterator<Item = &'a str>) -> CategoricalColumn {
    values.map(Some).collect()
}

fn entries(lines: &[Line], features: usize, only: Option<&[String]>) -> fnb::Result<SparseEntries> {
    let table = SparseTable {
        name: "words".into(),
        key: "doc".into(),
        feature: "word".into(),
        value: Some("count".into()),
        features: 0,
    };
    let keys = texts(lines.iter().map(|line| line.0.as_str()));
    let words = texts(lines.iter().map(|line| line.1.as_str()));
    let values = NumericColumn::new(lines.iter().map(|line| line.2).collect());
    let mut entries = SparseEntries::new(table, &keys, &words, Some(&values), only)?;
    entries.set_features(features.max(entries.features().len()))?;
    Ok(entries)
}

fn documents() -> Frame {
    let keys: Vec<String> = (0..60).map(|doc| format!("d{doc}")).collect();
    let docs = Column {
        name: "doc".into(),
        data: ColumnData::Categorical(texts(keys.iter().map(String::as_str))),
    };
    let length = Column {
        name: "length".into(),
        data: dense(&(0..60).map(f64::from).collect::<Vec<_>>()),
    };
    Frame::new(60, vec![docs, length]).expect("a frame")
}

fn classes() -> Target {
    target(
        &(0..60)
            .map(|doc| u8::from(doc % 2 == 0))
            .collect::<Vec<_>>(),
    )
}

#[test]
fn features_become_variables_and_the_key_does_not() {
    let (frame, found) = documents()
        .with_sparse_tables(&[entries(&lines(), 0, None).expect("entries")])
        .expect("a frame");
    assert_eq!(
        (found[0].features, found[0].orphans, found[0].empty_rows),
        (3, 0, 0)
    );
    let model = train(&frame, &classes(), Preset::Default);
    let names: Vec<&str> = model.terms().iter().map(|v| v.name.as_str()).collect();
    assert_eq!(names, ["words.good"]);
    // Features that are not selected are counted, not listed.
    let columns: Vec<&str> = model.columns().iter().map(|c| c.name.as_str()).collect();
    assert_eq!(columns, ["doc", "length"]);
    let dropped: Vec<&str> = model.dropped().iter().map(|d| d.reason.as_str()).collect();
    assert_eq!(dropped, ["not used: key", "uninformative"]);
    let source = &model.sparse()[0];
    assert_eq!(
        (source.table.features, source.informative, source.selected),
        (3, 1, 1)
    );
    assert_eq!(model.training().columns, 4);
    let read = Model::from_json(model.to_json().as_bytes()).expect("a model");
    assert_eq!(read, model);
    assert_eq!(
        read.sparse_feature(&read.terms()[0].name)
            .expect("a feature")
            .1,
        "good"
    );
}

#[test]
fn lines_in_any_order_give_the_same_model() {
    let train = |lines: &[Line]| {
        let entries = entries(lines, 0, None).expect("entries");
        let (frame, _) = documents().with_sparse_tables(&[entries]).expect("a frame");
        train(&frame, &classes(), Preset::Khiops).to_json()
    };
    let mut shuffled = lines();
    shuffled.reverse();
    shuffled.swap(3, 40);
    assert_eq!(train(&shuffled), train(&lines()));
}

#[test]
fn features_without_any_value_count_as_choices() {
    let construction = |features| {
        let entries = entries(&lines(), features, None).expect("entries");
        let (frame, _) = documents().with_sparse_tables(&[entries]).expect("a frame");
        let model = train(&frame, &classes(), Preset::Khiops);
        model.terms()[0].cost.construction
    };
    // ln 2 + ln K: the three words and the length, then 1000 features and the length.
    assert!((construction(0) - 8_f64.ln()).abs() < 1e-12);
    assert!((construction(1000) - 2002_f64.ln()).abs() < 1e-12);
}

#[test]
fn scoring_takes_the_features_of_the_model_only() {
    let all = entries(&lines(), 0, None).expect("entries");
    let (frame, _) = documents().with_sparse_tables(&[all]).expect("a frame");
    let model = train(&frame, &classes(), Preset::Default);
    let expected = Scorer::new(&model).probabilities(&frame).expect("scored");
    // `new` was never seen in training, `good` is in no line of the second table.
    let mut other = lines();
    other.push(("d3".into(), "new".into(), 5.0));
    let wanted = ["good".to_owned()];
    let only = entries(&other, 0, Some(&wanted)).expect("entries");
    let (scored, _) = documents().with_sparse_tables(&[only]).expect("a frame");
    assert_eq!(scored.columns().len(), 3);
    assert_eq!(
        Scorer::new(&model).probabilities(&scored).expect("scored"),
        expected
    );
    let none = entries(&other[..1], 0, Some(&wanted)).expect("entries");
    let (scored, found) = documents().with_sparse_tables(&[none]).expect("a frame");
    assert_eq!(found[0].empty_rows, 60);
    let probabilities = Scorer::new(&model).probabilities(&scored).expect("scored");
    assert!(probabilities.chunks(2).all(|row| row[0] > 0.9));
}

#[test]
fn orphans_are_counted_and_rows_of_one_key_share_their_lines() {
    let mut other = lines();
    other.push(("nobody".into(), "good".into(), 1.0));
    let entries = entries(&other, 0, None).expect("entries");
    let (_, found) = documents()
        .with_sparse_tables(std::slice::from_ref(&entries))
        .expect("a frame");
    assert_eq!(found[0].orphans, 1);
    let twice = texts(["d2", "d2", "unknown"].into_iter());
    let (columns, found) = entries.columns(&twice);
    let ColumnData::Sparse(good) = &columns[0].data else {
        panic!("a sparse column")
    };
    assert_eq!(good.entries().collect::<Vec<_>>(), [(0, 3.0), (1, 3.0)]);
    assert_eq!(found.empty_rows, 1);
}

#[track_caller]
fn refused<T>(result: fnb::Result<T>, texts: &[&str]) {
    let Err(error) = result else {
        panic!("it was accepted")
    };
    let shown = error.to_string();
    for text in texts {
        assert!(shown.contains(text), "{shown}");
    }
}

#[test]
fn bad_tables_are_refused() {
    let mut twice = lines();
    twice.push(("d4".into(), "the".into(), 1.0));
    refused(
        entries(&twice, 0, None),
        &["D19", "doc = \"d4\"", "word = \"the\"", "once"],
    );

    let table = |name: &str| SparseTable {
        name: name.into(),
        key: "doc".into(),
        feature: "word".into(),
        value: None,
        features: 0,
    };
    let (one, none) = (texts(["d1"].into_iter()), [None].into_iter().collect());
    let new = |name: &str, keys, words| SparseEntries::new(table(name), keys, words, None, None);
    refused(new("words", &none, &one), &["doc is missing in row 1"]);
    refused(new("words", &one, &none), &["word is missing in row 1"]);
    refused(new("a.b", &one, &one), &["U01", "without dot"]);

    let length = new("length", &one, &one).expect("entries");
    let frame = |name: &str, data| {
        let name = name.into();
        Frame::new(1, vec![Column { name, data }]).expect("a frame")
    };
    let keys = || ColumnData::Categorical(one.clone());
    let with = |frame: Frame| frame.with_sparse_tables(std::slice::from_ref(&length));
    refused(
        with(frame("docs", keys())),
        &["D10", "\"doc\"", "is it \"docs\"?"],
    );
    refused(
        with(frame("doc", dense(&[1.0]))),
        &["D14", "read column \"doc\" as categories"],
    );
    refused(with(frame("length.max", keys())), &["D09", "another name"]);
}
