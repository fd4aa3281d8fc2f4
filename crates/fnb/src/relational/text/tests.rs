//! Variables made of texts, against counts by hand and a slow oracle.

use super::*;
use crate::columns::{Column, Frame};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// A shop with two texts, orders with a comment, and a look-up table of cities with a text.
const SHOP: &str = r#"{"root": "Customer", "entities": {
    "Customer": {"key": ["id"], "fields": [
        {"name": "id", "type": "categorical"},
        {"name": "about", "type": "text"},
        {"name": "city", "type": "categorical"},
        {"name": "note", "type": "text"},
        {"name": "Orders", "relation": "many", "entity": "Order"},
        {"name": "City", "relation": "one", "entity": "City", "by": ["city"]}]},
    "Order": {"key": ["id"], "fields": [
        {"name": "id", "type": "categorical"}, {"name": "comment", "type": "text"}]},
    "City": {"key": ["name"], "fields": [
        {"name": "name", "type": "categorical"}, {"name": "story", "type": "text"}]}}}"#;

fn schema() -> Schema {
    serde_json::from_str(SHOP).unwrap()
}

fn categories(name: &str, rows: &[&str]) -> Column {
    Column {
        name: name.into(),
        data: ColumnData::Categorical(rows.iter().map(|row| Some(*row)).collect()),
    }
}

fn text(name: &str, rows: &[Option<&str>]) -> Column {
    Column {
        name: name.into(),
        data: ColumnData::Text(rows.iter().copied().collect()),
    }
}

fn shop() -> Tables {
    let customers = vec![
        categories("id", &["ann", "bob", "eve"]),
        text("about", &[Some("b a a"), None, Some("c b a")]),
        categories("city", &["Brest", "Nantes", "Brest"]),
        text("note", &[None, None, Some("x")]),
    ];
    let orders = vec![
        categories("id", &["bob", "ann", "bob", "nobody"]),
        text(
            "comment",
            &[
                Some("late late"),
                Some("ok"),
                Some("late"),
                Some("lost lost lost"),
            ],
        ),
    ];
    let cities = vec![
        categories("name", &["Brest", "Rennes"]),
        text("story", &[Some("sea wind"), Some("far far far")]),
    ];
    let frames = [
        (String::new(), Frame::new(3, customers).unwrap()),
        ("Orders".into(), Frame::new(4, orders).unwrap()),
        ("/City".into(), Frame::new(2, cities).unwrap()),
    ];
    Tables::new(&schema(), frames.into(), None).unwrap()
}

fn construct(features: usize, tokeniser: Tokeniser) -> Vec<ConstructedText> {
    let settings = TextSettings {
        features,
        tokeniser,
    };
    construct_texts(&schema(), &shop(), &settings, 10.0).unwrap()
}

#[test]
fn tokens_are_ranked_by_count_length_and_bytes() {
    let found = construct(1000, Tokeniser::Words);
    let names: Vec<String> = found.iter().map(|text| text.feature.name()).collect();
    assert_eq!(
        names,
        [
            "about(a)",
            "about(b)",
            "about(c)",
            "note(x)",
            // Orders of nobody and cities of nobody are not seen.
            "Orders.comment(late)",
            "Orders.comment(ok)",
            // Two customers live in Brest.
            "City.story(sea)",
            "City.story(wind)",
        ]
    );
}

#[test]
fn costs_are_those_of_the_path_and_the_rank() {
    let found = construct(1000, Tokeniser::Words);
    let cost = |name: &str| {
        let text = found.iter().find(|text| text.feature.name() == name);
        text.unwrap().cost
    };
    // Two texts or one of two relations, each to one text.
    let (text, relation) = (3_f64.ln(), 3_f64.ln() + 2_f64.ln());
    let first = 2.86511_f64.ln();
    for (name, expected) in [
        ("about(a)", text + first),
        ("about(b)", text + first + 2_f64.ln()),
        ("note(x)", text + first),
        ("Orders.comment(late)", relation + first),
        ("City.story(wind)", relation + first + 2_f64.ln()),
    ] {
        assert!((cost(name) - 10.0 - expected).abs() < 1e-12, "{name}");
    }
}

#[test]
fn texts_share_the_budget_by_their_probability() {
    let by_text = |features| {
        let mut count: BTreeMap<String, usize> = BTreeMap::new();
        for text in construct(features, Tokeniser::Ngrams) {
            *count.entry(text.feature.text).or_default() += 1;
        }
        count
    };
    // Probabilities 1/3, 1/3, 1/6, 1/6; `note` has a single token.
    let shares = by_text(12);
    assert_eq!(shares["about"], 4);
    assert_eq!(shares["note"], 1);
    assert_eq!((shares["comment"], shares["story"]), (2, 2));
    assert!(construct(0, Tokeniser::Words).is_empty());
}

#[test]
fn counts_by_hand() {
    let tables = shop();
    let feature = |path: &[&str], text: &str, token: &str| TextFeature {
        path: path.iter().map(|&p| p.to_owned()).collect(),
        text: text.into(),
        tokeniser: Tokeniser::Words,
        token: token.into(),
    };
    let features = [
        feature(&["Orders"], "comment", "late"),
        feature(&[], "about", "a"),
        feature(&["City"], "story", "wind"),
        feature(&["Orders"], "comment", "never"),
        feature(&[], "about", "a"),
    ];
    let columns = text_columns(&tables, &features).unwrap();
    let values = |i: usize| (0..3).map(|row| columns[i].get(row)).collect::<Vec<f64>>();
    assert_eq!(values(0), [0.0, 3.0, 0.0]);
    assert_eq!(values(1), [2.0, 0.0, 1.0]);
    assert_eq!(values(2), [1.0, 0.0, 1.0]);
    assert_eq!(values(3), [0.0, 0.0, 0.0]);
    assert_eq!(values(4), values(1));
    let absent = text_columns(&tables, &[feature(&[], "nothing", "a")]).unwrap_err();
    assert!(absent.message().contains("nothing"), "{absent}");
    let number = text_columns(&tables, &[feature(&["Shops"], "a", "a")]).unwrap_err();
    assert!(number.message().contains("Shops"), "{number}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    /// Every token of a table of texts, counted one by one.
    #[test]
    fn counts_of_a_slow_oracle(
        texts in prop::collection::vec(prop::option::weighted(0.9, "[ab é.!]{0,12}"), 1..40),
        tokeniser in prop::sample::select(Tokeniser::ALL.to_vec()),
        features in 1..30_usize,
    ) {
        let schema: Schema = serde_json::from_str(
            r#"{"root": "R", "entities": {"R": {"key": [], "fields": [{"name": "t", "type": "text"}]}}}"#,
        ).unwrap();
        let rows: Vec<Option<&str>> = texts.iter().map(Option::as_deref).collect();
        let frame = Frame::new(rows.len(), vec![text("t", &rows)]).unwrap();
        let tables = Tables::new(&schema, [(String::new(), frame)].into(), None).unwrap();
        let mut totals: BTreeMap<&str, usize> = BTreeMap::new();
        let mut of_rows: Vec<BTreeMap<&str, usize>> = vec![BTreeMap::new(); rows.len()];
        for (row, text) in rows.iter().enumerate() {
            tokeniser.each(text.unwrap_or(""), |token| {
                *totals.entry(token).or_default() += 1;
                *of_rows[row].entry(token).or_default() += 1;
            });
        }
        let mut ranked: Vec<(&str, usize)> = totals.into_iter().collect();
        ranked.sort_by_key(|&(token, count)| (usize::MAX - count, token.len(), token));
        ranked.truncate(features);

        let settings = TextSettings { features, tokeniser };
        let found = construct_texts(&schema, &tables, &settings, 0.0).unwrap();
        let tokens: Vec<&str> = found.iter().map(|text| text.feature.token.as_str()).collect();
        let expected: Vec<&str> = ranked.iter().map(|(token, _)| *token).collect();
        prop_assert_eq!(&tokens, &expected);
        let features: Vec<TextFeature> = found.iter().map(|text| text.feature.clone()).collect();
        let columns = text_columns(&tables, &features).unwrap();
        for (token, column) in tokens.iter().zip(columns) {
            for (row, counts) in of_rows.iter().enumerate() {
                let count = counts.get(token).copied().unwrap_or(0);
                prop_assert_eq!(column.get(row), count as f64);
            }
        }
    }
}
