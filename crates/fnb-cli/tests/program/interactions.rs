//! Tables over several variables as users meet them: what they bring, in a line; data at the edge.

use crate::scratch::{Numbers, Scratch, number};
use std::fmt::Write as _;

/// Two columns that matter only together, one that matters alone.
fn crossed(rows: usize) -> String {
    let mut numbers = Numbers::new(5);
    let mut text = "left,right,alone,class\n".to_owned();
    for _ in 0..rows {
        let (left, right, alone) = (numbers.below(20), numbers.below(3), numbers.below(30));
        let agrees = (left >= 10) == (right == 0);
        let odds = if agrees { 1.5 } else { -1.5 } + (alone as f64 - 15.0) / 6.0;
        let is_yes = numbers.share() < 1.0 / (1.0 + (-odds).exp());
        let class = if is_yes { "yes" } else { "no" };
        writeln!(text, "{left},r{right},{alone},{class}").expect("a text");
    }
    text
}

/// The line that says what interactions bring.
fn line(text: &str) -> &str {
    let mut lines = text.lines().filter(|line| line.contains("in training"));
    let line = lines.next().unwrap_or_else(|| panic!("{text}"));
    assert_eq!(lines.next(), None, "{text}");
    line
}

#[test]
fn a_line_says_what_they_bring_in_training_and_on_folds() {
    let scratch = Scratch::new();
    scratch.write("t.csv", crossed(1200));
    let alone = scratch.fnb("train t.csv -t class -o alone.json").ok();
    assert!(line(&alone.stderr).contains("1 table"), "{}", alone.stderr);
    assert!(!alone.stderr.contains("cross-validated"));

    let run = scratch
        .fnb("train t.csv -t class --cv 4 -o m.json --json")
        .ok();
    let cv = &run.json()["cv"];
    let plain = scratch
        .fnb("train t.csv -t class --cv 4 --interactions none --json")
        .ok();
    assert!(!plain.stderr.contains("in training"), "{}", plain.stderr);
    let plain_cv = &plain.json()["cv"];
    // Known without a second training, and the same.
    for key in ["accuracy", "auc", "compression", "log_loss"] {
        assert_eq!(cv["mean"]["plain"][key], plain_cv["mean"][key], "{key}");
        let folds = cv["folds"].as_array().expect("folds").iter();
        for (fold, other) in folds.zip(plain_cv["folds"].as_array().expect("folds")) {
            assert_eq!(fold["plain"][key], other[key], "{key}");
        }
    }
    assert!(plain_cv["mean"].get("plain").is_none());
    assert!(cv["sd"].get("plain").is_none());

    let figure = |value: &serde_json::Value| format!("{:.3}", number(value));
    let (before, after) = (&cv["mean"]["plain"], &cv["mean"]);
    let expected = format!(
        "in training; cross-validated {} -> {}",
        figure(&before["compression"]),
        figure(&after["compression"])
    );
    assert!(number(&after["compression"]) > number(&before["compression"]) + 0.1);
    assert!(line(&run.stderr).contains(&expected), "{}", run.stderr);
    // The file keeps it.
    let inspected = scratch.fnb("inspect m.json").ok();
    assert!(
        line(&inspected.stdout).contains(&expected),
        "{}",
        inspected.stdout
    );
    let alone = scratch.fnb("inspect alone.json").ok();
    assert!(
        !alone.stdout.contains("cross-validated"),
        "{}",
        alone.stdout
    );
}

/// Trains, and runs everything that reads a model on the rows and on others.
fn assert_works(scratch: &Scratch, name: &str, options: &str, other_rows: &str) {
    let train = format!("train {name}.csv -t class -o {name}.json {options}");
    scratch.fnb(&train).ok();
    scratch.write("other.csv", other_rows);
    for data in [format!("{name}.csv"), "other.csv".into()] {
        let rows = scratch.text(&data).lines().count();
        let predict = format!("predict {name}.json {data} --proba --reasons 2");
        let predicted = scratch.fnb(&predict).ok().stdout;
        assert_eq!(predicted.lines().count(), rows, "{name}");
        for word in ["NaN", "inf"] {
            assert!(!predicted.contains(word), "{name}: {predicted}");
        }
        let explained = scratch.fnb(&format!("explain {name}.json {data} --row 1 --json"));
        let explained = explained.ok().stdout;
        assert!(!explained.contains("null"), "{name}: {explained}");
    }
    scratch
        .fnb(&format!("evaluate {name}.json {name}.csv"))
        .ok();
    for option in ["", "--json", "--dropped", "--path"] {
        let inspected = scratch.fnb(&format!("inspect {name}.json {option}"));
        let inspected = inspected.ok().stdout;
        assert!(!inspected.contains("NaN"), "{name}: {inspected}");
    }
}

#[test]
fn data_at_the_edge() {
    let scratch = Scratch::new();
    let header = "a,b,class\n";
    let lines = |of: &dyn Fn(usize) -> String, rows: usize| -> String {
        (0..rows).map(|row| of(row) + "\n").collect()
    };
    let separable = |row: usize| {
        let (a, b) = (row % 7, row / 7 % 5);
        format!("{a},w{b},{}", if (a > 3) == (b > 2) { "yes" } else { "no" })
    };
    let holes = |row: usize| {
        let (a, b) = (row % 11, row / 11 % 13);
        let left = if a < 5 { String::new() } else { a.to_string() };
        let right = if b < 6 {
            String::new()
        } else {
            format!("w{b}")
        };
        format!(
            "{left},{right},{}",
            if (a < 5) == (b < 6) { "yes" } else { "no" }
        )
    };
    // Of the four combinations, one has no row.
    let empty = |row: usize| {
        let (a, b) = [(1, 1), (1, 8), (8, 1)][row % 3];
        let (a, b) = (a + row / 3 % 5, b + row / 15 % 5);
        format!("{a},{b},{}", if (a > 6) == (b > 6) { "yes" } else { "no" })
    };
    for (name, rows, other) in [
        ("two", "1,x,yes\n2,y,no\n".to_owned(), "3,z,yes\n,,no\n"),
        (
            "constant",
            lines(&|row| format!("1,x,{}", row % 2), 60),
            "2,y,0\n,,1\n",
        ),
        ("separable", lines(&separable, 700), "9,w9,yes\n,,no\n"),
        ("holes", lines(&holes, 1430), "9,,yes\n,w7,no\n,,no\n"),
        ("empty", lines(&empty, 900), "10,10,yes\n12,12,no\n,,no\n"),
        (
            "many",
            lines(
                &|row| format!("{},w{},c{}", row % 355 / 19, row % 19, row % 355),
                2840,
            ),
            "3,w9,c7\n,,c8\n",
        ),
    ] {
        scratch.write(&format!("{name}.csv"), format!("{header}{rows}"));
        assert_works(&scratch, name, "", &format!("{header}{other}"));
    }
    let weighted = format!(
        "a,b,class,w\n{}",
        lines(&|row| format!("{},{}", separable(row), row % 4), 700)
    );
    scratch.write("weighted.csv", weighted);
    let other = "a,b,class,w\n9,w9,yes,1\n,,no,2\n";
    assert_works(&scratch, "weighted", "--weight w", other);
    for name in ["separable", "holes", "weighted"] {
        let model = scratch.json(&format!("{name}.json"));
        let terms = model["terms"].as_array().expect("terms").iter();
        let axes = terms.map(|term| term["axes"].as_array().expect("axes").len());
        assert_eq!(axes.max(), Some(2), "{name} has no table");
    }
}
