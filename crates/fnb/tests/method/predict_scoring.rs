//! Scoring beyond the golden values: other priors, columns that do not fit, contributions.

use crate::golden_set::{GoldenSet, load, load_outside};
use fnb::columns::{Column, ColumnData, Frame, NumericColumn, Target, Temporal, TemporalColumn};
use fnb::predict::{Contrast, Explainer, Scorer, Value};
use fnb::{Code, Settings, train};

/// The rows of `synth_a`, with a model that tells one of its classes from the two others.
fn two_classes() -> GoldenSet {
    let golden = load("synth_a");
    let class = |&class: &u32| Some(if class == 0 { "first" } else { "other" });
    let target = Target::from_column(&Column {
        name: "class".into(),
        data: ColumnData::Categorical(golden.target.codes().iter().map(class).collect()),
    });
    let target = target.unwrap();
    let training = train(golden.frame.clone(), &target, &Settings::default(), &()).unwrap();
    let model = training.model;
    assert!(model.terms().len() > 3, "too few to try");
    GoldenSet {
        target,
        model,
        ..golden
    }
}

/// The softmax before its smoothing.
fn unsmoothed(golden: &GoldenSet, probabilities: &[f64]) -> Vec<f64> {
    let n = golden.target.rows() as f64;
    let j = golden.target.classes().len() as f64;
    let unsmooth = |p: &f64| p * (1.0 + 0.5 / (n + 1.0)) - 0.5 / (j * (n + 1.0));
    probabilities.iter().map(unsmooth).collect()
}

/// From the class shares, by what each term adds, to the odds of the two probabilities.
#[test]
fn contributions_lead_from_the_class_shares_to_the_prediction() {
    for golden in [two_classes(), load("synth_a"), load("iris")] {
        let explainer = Explainer::new(&golden.model);
        let scorer = Scorer::new(&golden.model);
        let bound = scorer.bind(&golden.frame).unwrap();
        let counts = &golden.model.target().counts;
        let scores = bound.scores(0..golden.frame.rows());
        for row in (0..golden.frame.rows()).step_by(7) {
            let probabilities = bound.probabilities(row..row + 1);
            let q = unsmoothed(&golden, &probabilities);
            let scores = &scores[row * counts.len()..][..counts.len()];
            for class in 0..counts.len() {
                let why = explainer.explain(&bound, row, class);
                let mut classes = golden.model.classes().iter();
                let against = classes.position(|name| Some(name) == why.against.as_ref());
                let against = against.unwrap();
                let others = (0..counts.len()).filter(|&other| other != class);
                let most = others.map(|other| probabilities[other]).fold(0.0, f64::max);
                assert_eq!(probabilities[against], most);
                let start = (counts[class] as f64 / counts[against] as f64).ln();
                assert!((why.start - start).abs() < 1e-12);
                let sum: f64 = why.terms.iter().map(|term| term.contribution).sum();
                assert!((start + sum - why.log_odds).abs() < 1e-9);
                assert!((scores[class] - scores[against] - why.log_odds).abs() < 1e-9);
                if q[class].min(q[against]) > 1e-9 {
                    let log_odds = (q[class] / q[against]).ln();
                    assert!((why.log_odds - log_odds).abs() < 1e-5, "row {row}");
                }
            }
        }
    }
}

#[test]
fn reasons_are_the_largest_terms_in_words() {
    let golden = load("iris");
    let explainer = Explainer::new(&golden.model);
    let scorer = Scorer::new(&golden.model);
    let bound = scorer.bind(&golden.frame).unwrap();
    let explanation = explainer.explain(&bound, 0, 0);
    assert_eq!(explanation.class, "c0");
    assert_eq!(explanation.terms[0].variable, "petal_width");
    assert_eq!(
        (
            explanation.terms[0].value.as_str(),
            explanation.terms[0].part.as_str()
        ),
        ("0.2", "<= 0.8")
    );
    assert!(explanation.terms[0].contribution > 0.0);
    let contrast = |i: usize| {
        let row = 30 + i;
        Contrast::new(i % 3, &bound.probabilities(row..row + 1))
    };
    let contrasts: Vec<Contrast> = (0..100).map(contrast).collect();
    let reasons = explainer.top_reasons(&bound, 30..130, &contrasts, 1);
    assert_eq!(reasons.len(), 100);
    for (i, reason) in reasons.iter().enumerate() {
        let terms = explainer.explain(&bound, 30 + i, i % 3).terms;
        assert_eq!(reason.contribution, terms[0].contribution);
        assert!(
            terms
                .windows(2)
                .all(|t| t[0].contribution.abs() >= t[1].contribution.abs())
        );
        assert_eq!(golden.model.terms()[reason.term].name, terms[0].variable);
    }
    // More reasons than variables: all of them.
    assert_eq!(
        explainer
            .top_reasons(&bound, 0..2, &contrasts[..2], 99)
            .len(),
        2 * golden.model.terms().len()
    );
    let none = explainer.top_reasons(&bound, 0..2, &contrasts[..2], 0);
    assert!(none.is_empty());
}

#[test]
fn another_prior_multiplies_the_odds() {
    let golden = two_classes();
    let scorer = Scorer::new(&golden.model);
    let class = scorer.classes()[1].clone();
    let prior = scorer.prior_from(&[(&class, 0.01)]).unwrap();
    assert!((prior[0] - 0.99).abs() < 1e-12);
    let shifted = scorer.with_prior(&prior).unwrap();
    let counts = &golden.model.target().counts;
    let ratio = (0.01 / 0.99) / (counts[1] as f64 / counts[0] as f64);
    let before = unsmoothed(&golden, &scorer.probabilities(&golden.frame).unwrap());
    let after = unsmoothed(&golden, &shifted.probabilities(&golden.frame).unwrap());
    for (before, after) in before.chunks(2).zip(after.chunks(2)) {
        let (before, after) = (before[1] / before[0] * ratio, after[1] / after[0]);
        assert!((before / after - 1.0).abs() < 1e-6, "{before} {after}");
    }
    let n = golden.model.training().rows as f64;
    let same: Vec<f64> = counts.iter().map(|&c| c as f64 / n).collect();
    let unchanged = scorer.with_prior(&same).unwrap();
    assert_eq!(
        unchanged.probabilities(&golden.frame),
        scorer.probabilities(&golden.frame)
    );
    // A class that cannot happen keeps only the smoothing.
    let impossible = scorer
        .with_prior(&[1.0, 0.0])
        .unwrap()
        .probabilities(&golden.frame)
        .unwrap();
    assert!(impossible.chunks(2).all(|p| p[1] < 1e-3 && p[1] > 0.0));
    let long = [0.5, 0.25, 0.25];
    for prior in [
        &[0.5][..],
        &long,
        &[0.5, 0.6],
        &[1.5, -0.5],
        &[f64::NAN, 1.0],
    ] {
        assert_eq!(scorer.with_prior(prior).unwrap_err().code(), Code::Usage);
    }
    for given in [
        &[("nobody", 0.5)][..],
        &[(&class, 1.5)],
        &[(&class, 0.5), (&class, 0.5)],
    ] {
        assert_eq!(scorer.prior_from(given).unwrap_err().code(), Code::Usage);
    }
}

fn numbers(name: &str, values: Vec<f64>) -> Column {
    Column {
        name: name.into(),
        data: ColumnData::Numeric(NumericColumn::new(values)),
    }
}

fn categories(name: &str, values: &[Option<&str>]) -> Column {
    Column {
        name: name.into(),
        data: ColumnData::Categorical(values.iter().copied().collect()),
    }
}

#[test]
fn absent_columns_are_all_named_with_their_likely_names() {
    let golden = load("iris");
    let scorer = Scorer::new(&golden.model);
    let frame = Frame::new(
        1,
        vec![numbers("Petal.Width", vec![1.0]), numbers("x", vec![1.0])],
    );
    let error = scorer.bind(&frame.unwrap()).unwrap_err();
    assert_eq!(error.code(), Code::MissingColumn);
    let text = error.to_string();
    assert!(text.contains("\"petal_width\", \"petal_length\""), "{text}");
    assert!(
        text.contains("\"Petal.Width\" (for \"petal_width\")"),
        "{text}"
    );
}

#[test]
fn columns_of_another_type_are_refused_unless_nothing_is_in_them() {
    let golden = load("iris");
    let scorer = Scorer::new(&golden.model);
    let bind = |column: Column| {
        let frame = Frame::new(3, vec![column, numbers("petal_length", vec![1.0; 3])]).unwrap();
        scorer.probabilities(&frame)
    };
    let error = bind(categories("petal_width", &[Some("1"), None, Some("n/a")])).unwrap_err();
    assert_eq!(error.code(), Code::NotANumber);
    assert!(error.message().contains("row 3 is \"n/a\""), "{error}");
    let dates = Column {
        name: "petal_width".into(),
        data: ColumnData::Temporal(TemporalColumn::new(Temporal::Date, vec![0; 3])),
    };
    assert_eq!(bind(dates).unwrap_err().code(), Code::UnsupportedType);
    let missing = bind(categories("petal_width", &[None, None, None])).unwrap();
    assert_eq!(
        missing,
        bind(numbers("petal_width", vec![f64::NAN; 3])).unwrap()
    );

    let golden = two_classes();
    let scorer = Scorer::new(&golden.model);
    let columns = golden.frame.take(&[0]).columns().to_vec();
    let replace = |value: f64| {
        let replaced = columns.iter().map(|column| match column.name.as_str() {
            "cat_missing" => numbers("cat_missing", vec![value]),
            _ => column.clone(),
        });
        scorer.probabilities(&Frame::new(1, replaced.collect()).unwrap())
    };
    assert!(scorer.inputs().any(|(name, _)| name == "cat_missing"));
    assert_eq!(replace(3.0).unwrap_err().code(), Code::UnsupportedType);
    assert!(replace(f64::NAN).is_ok());
}

#[test]
fn no_rows_give_no_predictions_and_other_columns_do_not_matter() {
    let golden = load("iris");
    let scorer = Scorer::new(&golden.model);
    assert_eq!(
        scorer.probabilities(&golden.frame.take(&[])).unwrap(),
        [0.0; 0]
    );
    let mut columns = golden.frame.columns().to_vec();
    columns.reverse();
    columns.push(numbers("new", vec![0.0; 150]));
    let other = Frame::new(150, columns).unwrap();
    assert_eq!(
        scorer.probabilities(&other),
        scorer.probabilities(&golden.frame)
    );
    let error = scorer.score_row(&[Value::Number(1.0)]).unwrap_err();
    assert_eq!(error.code(), Code::UnusableData);
    let error = scorer
        .score_row(&[Value::Number(1.0), Value::Category(None)])
        .unwrap_err();
    assert_eq!(error.code(), Code::NotANumber);
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    // Rows of many blocks.
    let mut many = load("synth_a");
    let rows: Vec<usize> = (0..20_000).map(|row| row % many.frame.rows()).collect();
    many.frame = many.frame.take(&rows);
    for golden in [many].into_iter().chain(load_outside("letter")) {
        let scorer = Scorer::new(&golden.model);
        let score = |threads| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            pool.install(|| scorer.probabilities(&golden.frame).unwrap())
        };
        let one = score(1);
        assert_eq!(one, score(2));
        assert_eq!(one, score(7));
    }
}
