//! What training says of the data, and figures that are not rounded to a certainty.

use crate::scratch::{Numbers, Scratch};

/// 400 rows: a measure that tells something, a copy of the class, names, row numbers, columns of one value.
fn table() -> String {
    let mut numbers = Numbers::new(3);
    let mut text = String::from("x,copy,name,row,flat,none,class\n");
    for row in 0..400 {
        let class = if numbers.below(3) == 0 { "yes" } else { "no" };
        let x = numbers.share() + if class == "yes" { 0.4 } else { 0.0 };
        let copy = if class == "yes" { "Y" } else { "N" };
        text.push_str(&format!("{x:.3},{copy},n{row},{},u,,{class}\n", row + 1000));
    }
    text
}

#[test]
fn copies_identifiers_and_constants_are_told_in_words() {
    let scratch = Scratch::new();
    scratch.write("d.csv", table());
    let run = scratch.fnb("train d.csv -t class -o m.json").ok();
    for line in [
        "warning: \"copy\" alone holds 100.0 % of what there is to know about \"class\": is it a copy of it, or \
         known only after it? If so, leave it out with --drop",
        "\"row\" numbers the rows",
        "\"name\" has its own value in nearly every row, as identifiers do: it tells nothing about new rows",
        "\"flat\", \"none\" (always missing) have the same value in all rows",
    ] {
        assert!(
            run.stderr.lines().any(|said| said == line),
            "{}",
            run.stderr
        );
    }
    assert!(run.stderr.find("wrote m.json") < run.stderr.find("warning: \"copy\""));
    let kinds = |json: &serde_json::Value| -> Vec<String> {
        let findings = json.as_array().expect("findings").iter();
        findings
            .map(|found| found["kind"].as_str().expect("a kind").to_owned())
            .collect()
    };
    let expected = [
        "tells_all",
        "row_number",
        "identifier",
        "constant",
        "constant",
    ];
    assert_eq!(
        kinds(&scratch.json("m.json")["training"]["findings"]),
        expected
    );
    let summary = scratch.fnb("train d.csv -t class --json").ok().json();
    assert_eq!(kinds(&summary["findings"]), expected);

    // Without them there is nothing to say.
    let run = scratch
        .fnb("train d.csv -t class --drop copy,name,row,flat,none")
        .ok();
    assert!(!run.stderr.contains("warning"), "{}", run.stderr);
    let quiet = scratch.fnb("train d.csv -t class -q").ok();
    assert_eq!(quiet.stderr, "");
}

#[test]
fn row_numbers_that_the_model_uses_are_warned_of() {
    let scratch = Scratch::new();
    let mut text = String::from("row,class\n");
    for row in 0..200 {
        let class = if (row < 120) ^ (row % 9 == 0) {
            "early"
        } else {
            "late"
        };
        text.push_str(&format!("{row},{class}\n"));
    }
    scratch.write("d.csv", text);
    let run = scratch.fnb("train d.csv -t class --holdout 0.3").ok();
    assert!(
        run.stderr
            .contains("warning: \"row\" numbers the rows, and the model uses it"),
        "{}",
        run.stderr
    );
}

#[test]
fn no_probability_looks_certain() {
    let scratch = Scratch::new();
    let mut text = String::from("a,b,c,class\n");
    for row in 0..20_000 {
        let class = if row % 2 == 0 { "yes" } else { "no" };
        let value = |k: usize| if row % k == 0 { row * 7 % 2 } else { row % 2 };
        text.push_str(&format!(
            "{},{},{},{class}\n",
            value(997),
            value(499),
            value(1499)
        ));
    }
    scratch.write("d.csv", text);
    scratch
        .fnb("train d.csv -t class --method nb -o m.json")
        .ok();
    let explained = scratch.fnb("explain m.json d.csv --row 3").ok();
    let json = scratch
        .fnb("explain m.json d.csv --row 3 --json")
        .ok()
        .json();
    let probability = json["probability"].as_f64().expect("a probability");
    assert!(probability > 0.99995 && probability < 1.0, "{probability}");
    assert!(
        explained.stdout.contains(": > 99.99 %\n"),
        "{}",
        explained.stdout
    );
}
