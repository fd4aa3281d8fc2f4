//! `fnb report` and `--report`: pages that appear whole, and every way to be refused.

use crate::scratch::{Scratch, refused};
use serde_json::{Value, json};

/// 200 customers, of whom the young and those of the basic plan leave.
fn customers(from: usize) -> String {
    let mut text = String::from("age,plan,left\n");
    for i in from..from + 200 {
        let (age, plan) = (20 + i % 50, if i % 3 == 0 { "basic" } else { "plus" });
        let left = i % 50 < 15 || i % 3 == 0;
        text.push_str(&format!(
            "{age},{plan},{}\n",
            if left { "yes" } else { "no" }
        ));
    }
    text
}

fn trained() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("customers.csv", customers(0));
    scratch.write("others.csv", customers(777));
    scratch.write("unlabelled.csv", "age,plan\n20,plus\n");
    scratch
        .fnb("train customers.csv -t left -o model.json --report first.html")
        .ok();
    scratch
}

#[test]
fn a_page_of_one_model_or_several() {
    let scratch = trained();
    assert!(scratch.text("first.html").starts_with("<!doctype html>"));
    // Equal models give equal pages, wherever they are made.
    let run = scratch.fnb("report model.json -o second.html").ok();
    assert!(run.stderr.contains("wrote second.html"), "{}", run.stderr);
    assert_eq!(scratch.text("first.html"), scratch.text("second.html"));
    let piped = scratch.fnb("report model.json -o -").ok();
    assert_eq!(piped.stdout, scratch.text("first.html"));
    assert_eq!(
        scratch
            .fnb("report model.json -o - --threads 1")
            .ok()
            .stdout,
        piped.stdout
    );

    scratch
        .fnb("report model.json -o measured.html --data others.csv --main-value no --title Customers")
        .ok();
    let measured = scratch.text("measured.html");
    assert!(measured.contains("Customers") && !measured.contains("columns that changed"));
    // Twenty years later.
    let older =
        customers(777)
            .lines()
            .skip(1)
            .fold(String::from("age,plan,left\n"), |text, line| {
                let (age, rest) = line.split_once(',').expect("three columns");
                let age: usize = age.parse().expect("a number");
                format!("{text}{},{rest}\n", age + 20)
            });
    scratch.write("older.csv", older);
    scratch
        .fnb("report model.json -o older.html --data older.csv")
        .ok();
    assert!(scratch.text("older.html").contains("columns that changed"));
    scratch
        .fnb("train customers.csv -t left -o young.json --test older.csv --report young.html")
        .ok();
    assert!(scratch.text("young.html").contains("columns that changed"));
    scratch
        .fnb("train customers.csv -t left -o small.json --max-selected 1 --interactions none")
        .ok();
    scratch
        .fnb("report model.json small.json -o both.html")
        .ok();
    assert_ne!(scratch.text("both.html"), scratch.text("first.html"));
}

/// Rows of their own would be of use to others.
#[test]
fn no_row_is_in_a_page() {
    let scratch = Scratch::new();
    let mut text = String::from("note,age,left\n");
    for i in 0..200 {
        let left = i % 50 < 15;
        text.push_str(&format!("secret-{i:03},{},{left}\n", 20 + i % 50));
    }
    scratch.write("notes.csv", text);
    scratch
        .fnb("train notes.csv -t left -o model.json --report page.html")
        .ok();
    for file in ["model.json", "page.html"] {
        let text = scratch.text(file);
        let known = text.matches("secret-").count();
        assert_eq!(known, 0, "{file}");
    }
}

#[test]
fn what_cannot_be_reported() {
    let scratch = trained();
    for (command, code, texts) in [
        (
            "report model.json -o model.json",
            "U01",
            ["model.json", "another file"],
        ),
        (
            "report model.json -o others.csv --data others.csv",
            "U01",
            ["others.csv", "another file"],
        ),
        (
            "report model.json -o absent/page.html",
            "O01",
            ["absent", "-o"],
        ),
        (
            "report absent.json -o page.html",
            "D01",
            ["absent.json", "fnb train"],
        ),
        (
            "report model.json -o page.html --data absent.csv",
            "D01",
            ["absent.csv", "check"],
        ),
        (
            "report model.json -o page.html --data unlabelled.csv",
            "D12",
            ["left", ""],
        ),
        (
            "report model.json -o page.html --main-value maybe",
            "U01",
            ["maybe", "yes"],
        ),
        (
            "report model.json -o page.html --table a=unlabelled.csv:age",
            "U01",
            ["tables", "--data"],
        ),
        (
            "report model.json model.json -o page.html --data -",
            "U01",
            ["standard input", "--data"],
        ),
        (
            "train customers.csv -t left -o m.json --report m.json",
            "U01",
            ["m.json", "--report"],
        ),
        (
            "train customers.csv -t left -o m.json --report customers.csv",
            "U01",
            ["customers.csv", ""],
        ),
        (
            "train customers.csv -t left -o m.json --report absent/page.html",
            "O01",
            ["absent", "--report"],
        ),
        (
            "train customers.csv -t left -o m.json --json --report -",
            "U01",
            ["standard output", "--report"],
        ),
    ] {
        refused(&scratch, command, code, &texts);
    }
    assert!(!scratch.files().contains(&"page.html".into()));
    scratch.write(
        "columns.csv",
        "years,tariff,left\n20,plus,yes\n21,plus,no\n",
    );
    refused(
        &scratch,
        "report model.json -o page.html --data columns.csv",
        "D12",
        &["age"],
    );
}

#[test]
fn a_model_that_was_never_evaluated_is_refused() {
    let scratch = trained();
    let mut model: Value = scratch.json("model.json");
    model["evaluation"] = json!({});
    model["checksum"] = json!("");
    let text = model.to_string();
    // Keys in another order than the file has: its checksum is that of the text as it is.
    let sum = sha256(&text);
    scratch.write(
        "bare.json",
        text.replace("\"checksum\":\"\"", &format!("\"checksum\":\"{sum}\"")),
    );
    refused(
        &scratch,
        "report bare.json -o page.html",
        "U01",
        &["never evaluated", "--data"],
    );
    scratch
        .fnb("report bare.json -o page.html --data others.csv")
        .ok();
}

fn sha256(text: &str) -> String {
    use sha2::{Digest, Sha256};
    let bytes = Sha256::digest(text.as_bytes());
    let hex = bytes.iter().map(|byte| format!("{byte:02x}"));
    format!("sha256:{}", hex.collect::<String>())
}
