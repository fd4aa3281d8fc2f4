//! Terms over several variables: kept, scored and explained like those over one.

use fnb::Settings;
use fnb::columns::{Column, ColumnData, Frame, NumericColumn, Target, VariableKind};
use fnb::model::Model;
use fnb::predict::{Explainer, Scorer, Value};
use fnb::terms::{Axis, Cost, MissingNumbers, Origin, PartCodes, Parts, Term};

const ROWS: usize = 600;
const CUTS: [f64; 2] = [3.0, 6.0];

fn age(row: usize) -> f64 {
    match row % 11 {
        0 => f64::NAN,
        _ => (row * 7 % 10) as f64,
    }
}

fn city(row: usize) -> Option<&'static str> {
    [Some("Lannion"), Some("Brest"), None, Some("Rennes")][row * 5 % 13 % 4]
}

/// Part of the age, part of the city, class: written out again, not asked of the library.
fn cells(row: usize) -> (usize, usize, usize) {
    let age_part = match age(row) {
        age if age.is_nan() => 0,
        age => 1 + CUTS.iter().filter(|cut| **cut < age).count(),
    };
    let city_part = usize::from(!matches!(city(row), Some("Lannion" | "Rennes")));
    let class = usize::from((age_part + city_part + row % 5).is_multiple_of(2));
    (age_part, city_part, class)
}

fn axes() -> [Axis; 2] {
    let text = |text: &str| Some(text.to_owned());
    [
        Axis {
            name: "age".into(),
            from: Origin::Column,
            kind: VariableKind::Numerical,
            parts: Parts::Intervals {
                missing: MissingNumbers::Own,
                cuts: CUTS.to_vec(),
            },
            unlisted: 0,
        },
        Axis {
            name: "city".into(),
            from: Origin::Column,
            kind: VariableKind::Categorical,
            parts: Parts::Groups {
                groups: vec![
                    vec![text("Lannion"), text("Rennes")],
                    vec![text("Brest"), None],
                ],
                default: 1,
            },
            unlisted: 0,
        },
    ]
}

/// A term over some of the axes, with the counts of the rows.
fn term(name: &str, axes: Vec<Axis>, cell: impl Fn(usize, usize) -> usize, weight: f64) -> Term {
    let size = axes.iter().map(|axis| axis.parts.len()).product();
    let mut counts = vec![vec![0; 2]; size];
    for row in 0..ROWS {
        let (age, city, class) = cells(row);
        counts[cell(age, city)][class] += 1;
    }
    Term {
        name: name.into(),
        axes,
        weight,
        level: 0.1,
        importance: 0.0,
        cost: Cost {
            construction: 1.0,
            preparation: 1.0,
            data: 1.0,
        },
        counts,
        correction: None,
    }
}

fn frame() -> Frame {
    let ages = NumericColumn::new((0..ROWS).map(age).collect());
    let columns = vec![
        Column {
            name: "age".into(),
            data: ColumnData::Numeric(ages),
        },
        Column {
            name: "city".into(),
            data: ColumnData::Categorical((0..ROWS).map(city).collect()),
        },
    ];
    Frame::new(ROWS, columns).unwrap()
}

/// Both variables alone and together; a variable is in two terms.
fn model() -> Model {
    let class = |row: usize| Some(["no", "yes"][cells(row).2]);
    let target = Column {
        name: "y".into(),
        data: ColumnData::Categorical((0..ROWS).map(class).collect()),
    };
    let [age, city] = axes();
    let terms = vec![
        term("age", vec![age.clone()], |age, _| age, 0.5),
        term(
            "age × city",
            vec![age, city],
            |age, city| 2 * age + city,
            0.75,
        ),
    ];
    let target = Target::from_column(&target).unwrap();
    Model::from_terms(&frame().into(), &target, terms, &Settings::default()).unwrap()
}

/// The probability of "yes" from the counts of the model, by the formulas of docs/method.md §5 and §8.
fn by_hand(model: &Model, row: usize) -> f64 {
    let n = ROWS as f64;
    let epsilon = 1.0 / (n + 1.0);
    let (age, city, _) = cells(row);
    let mut scores = [0, 1].map(|class| (model.target().counts[class] as f64 / n).ln());
    for term in model.terms() {
        let cell = if term.axes.len() == 2 {
            2 * age + city
        } else {
            age
        };
        let cells = term.counts.len() as f64;
        for (class, score) in scores.iter_mut().enumerate() {
            let of_class: u64 = term.counts.iter().map(|line| line[class]).sum();
            let count = term.counts[cell][class] as f64;
            let share = (count + epsilon) / (of_class as f64 + cells * epsilon);
            *score += term.weight * share.ln();
        }
    }
    let [no, yes] = scores.map(f64::exp);
    let total = 1.0 + 0.5 / (n + 1.0);
    (yes / (no + yes) + 0.25 / (n + 1.0)) / total
}

#[test]
fn scored_by_cell() {
    let model = Model::from_json(model().to_json().as_bytes()).unwrap();
    let scorer = Scorer::new(&model);
    assert_eq!(scorer.inputs().count(), 2);
    let frame = frame();
    let bound = scorer.bind(&frame).unwrap();
    let all = bound.probabilities(0..ROWS);
    let codes: Vec<PartCodes> = (0..2)
        .map(|term| PartCodes::Wide((0..ROWS).map(|row| bound.cell(term, row) as u32).collect()))
        .collect();
    let codes: Vec<&PartCodes> = codes.iter().collect();
    assert_eq!(scorer.probabilities_from_codes(&codes, ROWS), all);
    let order: Vec<&str> = scorer.inputs().map(|(name, _)| name).collect();
    for row in 0..ROWS {
        let expected = by_hand(&model, row);
        assert!((all[2 * row + 1] - expected).abs() < 1e-12, "row {row}");
        let value = |name: &&str| match *name {
            "age" => Value::Number(age(row)),
            _ => Value::Category(city(row)),
        };
        let values: Vec<Value> = order.iter().map(value).collect();
        assert_eq!(
            scorer.score_row(&values).unwrap(),
            all[2 * row..2 * row + 2]
        );
    }
}

/// Contributions add up to the log odds, whatever the number of axes.
#[test]
fn explained_by_cell() {
    let model = model();
    let (scorer, frame) = (Scorer::new(&model), frame());
    let bound = scorer.bind(&frame).unwrap();
    let explainer = Explainer::new(&model);
    let importance: f64 = model.terms().iter().map(|term| term.importance).sum();
    assert!((importance - 1.0).abs() < 1e-12);
    for row in [0, 1, 4, 22, ROWS - 1] {
        let why = explainer.explain(&bound, row, 1);
        let pair = why.terms.iter().find(|term| term.variable == "age × city");
        let pair = pair.unwrap();
        let shown = |age: f64| {
            if age.is_nan() {
                "missing".into()
            } else {
                age.to_string()
            }
        };
        let value = format!("{}, {}", shown(age(row)), city(row).unwrap_or("missing"));
        assert_eq!(pair.value, value);
        let (age, city, _) = cells(row);
        let labels = axes().map(|axis| axis.parts);
        assert_eq!(
            pair.part,
            format!("{}, {}", labels[0].label(age), labels[1].label(city))
        );
    }
}

#[test]
fn tables_that_do_not_fit_are_refused() {
    let json = model().to_json();
    for (from, to) in [
        // One line of counts too few for the cells.
        ("\"cuts\":[3.0,6.0]", "\"cuts\":[3.0,5.0,6.0]"),
        // An axis twice.
        ("{\"name\":\"city\",\"from\"", "{\"name\":\"age\",\"from\""),
    ] {
        assert!(json.contains(from), "{from} is not in {json}");
        let changed = crate::relational_model::signed(&json.replace(from, to));
        assert!(Model::from_json(&changed).is_err(), "{to}");
    }
}
