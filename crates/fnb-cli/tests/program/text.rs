//! Texts as variables: words counted, in the main table and in tables around it.

use crate::scratch::{Numbers, Scratch, number, refused};
use serde_json::Value;
use std::f64::consts::LN_2;
use std::fmt::Write;

const SPAM: [&str; 4] = ["win", "cash", "!!", "now"];
const HAM: [&str; 4] = ["meeting", "regards", "tomorrow", "lunch"];
const BOTH: [&str; 6] = ["the", "a", "of", ",", "and", "to"];

/// 400 mails with a text each, and their lines as a table of its own.
fn mails() -> Scratch {
    let mut numbers = Numbers::new(11);
    let mut mails = String::from("id,size,body,class\n");
    let mut bare = String::from("id,size,class\n");
    let mut lines = String::from("id,line\n");
    for mail in 0..400 {
        let class = ["ham", "spam"][numbers.below(2) as usize];
        let own = if class == "spam" { SPAM } else { HAM };
        let mut words = Vec::new();
        for _ in 0..30 {
            words.push(match numbers.below(10) {
                0 => own[numbers.below(4) as usize],
                _ => BOTH[numbers.below(6) as usize],
            });
        }
        let size = numbers.below(1000);
        let _ = writeln!(mails, "m{mail},{size},\"{}\",{class}", words.join(" "));
        let _ = writeln!(bare, "m{mail},{size},{class}");
        for line in words.chunks(10) {
            let _ = writeln!(lines, "m{mail},\"{}\"", line.join(" "));
        }
    }
    let scratch = Scratch::new();
    scratch
        .write("mails.csv", mails)
        .write("bare.csv", bare)
        .write("lines.csv", lines);
    scratch
}

fn variables(model: &Value) -> Vec<&Value> {
    let variables = model["terms"].as_array().expect("variables");
    variables.iter().collect()
}

/// The universal code for integers, as specified.
fn code(n: usize) -> f64 {
    let mut length = 2.86511_f64.ln();
    let mut log = (n as f64).log2();
    while log > 0.0 {
        length += LN_2 * log;
        log = log.log2();
    }
    length
}

#[test]
fn words_of_the_main_table() {
    let scratch = mails();
    scratch
        .fnb("train mails.csv -t class --type body=text --drop id -o m.json --cv 2")
        .ok();
    let model = scratch.json("m.json");
    let found = variables(&model);
    assert!(found.len() >= 6, "{}", found.len());
    for variable in &found {
        let from = &variable["axes"][0]["from"]["text"];
        assert_eq!(
            (&from["text"], &from["tokeniser"]),
            (&"body".into(), &"words".into())
        );
        let token = from["token"].as_str().expect("a token");
        assert_eq!(variable["name"], format!("body({token})"));
        assert!(SPAM.contains(&token) || HAM.contains(&token), "{token}");
        // ln 2 for the variable, ln(1 column + 1 family), one text, the rank of the token: the six
        // words of both classes come first.
        let cost = number(&variable["cost"]["construction"]);
        let ranks = (7..=14).map(|rank| LN_2 + LN_2 + code(rank));
        assert!(
            ranks
                .into_iter()
                .any(|expected| (cost - expected).abs() < 1e-9),
            "{cost}"
        );
    }
    assert!(number(&model["evaluation"]["cv"]["mean"]["auc"]) > 0.9);

    // Scored from the raw texts.
    let evaluated = scratch.fnb("evaluate m.json mails.csv --json").ok().json();
    assert_eq!(evaluated["auc"], model["evaluation"]["train"]["auc"]);
    scratch
        .fnb("predict m.json mails.csv --proba -o p.csv")
        .ok();
    let whole = scratch.text("p.csv");
    assert_eq!(whole.lines().count(), 401);
    let explained = scratch
        .fnb("explain m.json mails.csv --row 3 --json")
        .ok()
        .json();
    let meaning = explained["terms"][0]["meaning"]
        .as_str()
        .expect("a sentence");
    assert!(meaning.starts_with("number of times \""), "{meaning}");
    let inspected = scratch.fnb("inspect m.json").ok().stdout;
    assert!(inspected.contains("occurs in the body"), "{inspected}");
}

#[test]
fn words_of_records_of_another_table() {
    let scratch = mails();
    let tables = "--table lines=lines.csv:id --type lines.line=text";
    scratch
        .fnb(&format!("train bare.csv -t class {tables} -o m.json"))
        .ok();
    let model = scratch.json("m.json");
    let texts: Vec<&Value> = variables(&model)
        .into_iter()
        .filter(|variable| variable["axes"][0]["from"]["text"].is_object())
        .collect();
    assert!(texts.len() >= 4, "{}", model["terms"]);
    for variable in &texts {
        assert_eq!(variable["axes"][0]["from"]["text"]["path"][0], "lines");
        let name = variable["name"].as_str().expect("a name");
        assert!(name.starts_with("lines.line("), "{name}");
    }
    let score = "--table lines=lines.csv";
    let evaluated = scratch
        .fnb(&format!("evaluate m.json bare.csv {score} --json"))
        .ok()
        .json();
    assert_eq!(evaluated["auc"], model["evaluation"]["train"]["auc"]);
}

#[test]
fn what_is_asked_for() {
    let scratch = mails();
    let train = |options: &str| {
        let command =
            format!("train mails.csv -t class --type body=text --drop id -o m.json {options}");
        scratch.fnb(&command).ok();
        scratch.json("m.json")
    };
    let columns = |model: &Value| number(&model["training"]["columns"]);
    assert_eq!(columns(&train("")), 15.0); // size and 14 words
    assert_eq!(columns(&train("--text-features 5")), 6.0);
    assert_eq!(columns(&train("--text-features 0")), 1.0);
    // As the reference, unless they are asked for.
    let khiops = train("--preset khiops");
    assert_eq!(columns(&khiops), 1.0);
    assert_eq!(khiops["dropped"][1]["reason"], "not used: text");
    assert_eq!(columns(&train("--preset khiops --text-features 10")), 11.0);
    let tokens = train("--text tokens");
    assert_eq!(columns(&tokens), 15.0);
    let ngrams = train("--text ngrams --text-features 200");
    assert_eq!(columns(&ngrams), 201.0);
    let names: Vec<String> = variables(&ngrams)
        .iter()
        .map(|v| v["name"].to_string())
        .collect();
    assert!(names.iter().any(|name| name.contains("gram(")), "{names:?}");
    let evaluated = scratch.fnb("evaluate m.json mails.csv --json").ok().json();
    assert_eq!(evaluated["auc"], ngrams["evaluation"]["train"]["auc"]);
}

#[test]
fn the_model_does_not_depend_on_threads_or_pieces() {
    let scratch = mails();
    let text = scratch.text("mails.csv");
    let lines: Vec<&str> = text.lines().collect();
    for (i, rows) in lines[1..].chunks(150).enumerate() {
        let content = format!("{}\n{}\n", lines[0], rows.join("\n"));
        scratch.write(&format!("parts/{i}.csv"), content);
    }
    let train = |data: &str| {
        let command = format!("train {data} -t class --type body=text -o m.json");
        scratch.fnb(&command).ok();
        scratch.text("m.json")
    };
    let expected = train("mails.csv --threads 1");
    assert_eq!(train("mails.csv --threads 3"), expected);
    assert_eq!(train("parts"), expected);
}

/// What `construct` lists and writes is what `train` learns from.
#[test]
fn construct_lists_and_writes_them() {
    let scratch = mails();
    let construct = |options: &str| {
        let command = format!("construct mails.csv -t class --type body=text {options} --json");
        let json = scratch.fnb(&command).ok().json();
        json["variables"].as_array().expect("variables").clone()
    };
    let listed = construct("-o values.tsv");
    assert_eq!(listed.len(), 14);
    let first = &listed[0];
    assert_eq!(first["rule"]["text"], "body");
    assert_eq!(first["rule"]["tokeniser"], "words");
    let sentence = first["sentence"].as_str().expect("a sentence");
    assert!(sentence.contains("occurs in the body"), "{sentence}");
    // Two columns and the texts; one text; the first rank.
    let cost = number(&first["cost"]);
    assert!((cost - 3_f64.ln() - code(1)).abs() < 1e-9, "{cost}");

    // The values, counted by hand.
    let values = scratch.text("values.tsv");
    let mut lines = values.lines();
    let header = lines.next().expect("a header");
    let win = header.split('\t').position(|name| name == "body(win)");
    let win = win.expect("a column");
    let mails = scratch.text("mails.csv");
    let mut seen = 0;
    for (line, mail) in lines.zip(mails.lines().skip(1)) {
        let body = mail.split('"').nth(1).expect("a text");
        let count = body
            .split_whitespace()
            .filter(|word| *word == "win")
            .count();
        let cell = line.split('\t').nth(win).expect("a cell");
        assert_eq!(cell, count.to_string(), "{mail}");
        seen += count;
    }
    assert!(seen > 0);

    // The costs are those of the model, which adds ln 2 for a variable that tells something.
    scratch
        .fnb("train mails.csv -t class --type body=text -o m.json")
        .ok();
    let model = scratch.json("m.json");
    for variable in variables(&model) {
        let own = listed.iter().find(|v| v["name"] == variable["name"]);
        let own = own.expect("it is listed");
        let cost = number(&own["cost"]) + LN_2;
        let learnt = number(&variable["cost"]["construction"]);
        assert!((cost - learnt).abs() < 1e-12, "{own}");
    }
    assert_eq!(construct("--text-features 5").len(), 5);
    assert_eq!(construct("--text ngrams --text-features 50").len(), 50);
    refused(
        &scratch,
        "construct mails.csv -t class --type body=text --text-features 0",
        "D19",
        &["texts"],
    );
    // Words of records come after what else is constructed of them.
    let tables = "--table lines=lines.csv:id --type lines.line=text";
    let command = format!("construct bare.csv -t class {tables} --features 1 --text-features 2");
    let run = scratch.fnb(&command).ok();
    assert!(run.stdout.contains("Count(lines)"), "{}", run.stdout);
    let told = "in the line of lines";
    assert_eq!(run.stdout.matches(told).count(), 2, "{}", run.stdout);
    assert!(
        run.stderr.contains("1 variables, 2 of texts"),
        "{}",
        run.stderr
    );
}

#[test]
fn bad_input() {
    let scratch = mails();
    let train = "train mails.csv -t class --type body=text -o m.json";
    let run = scratch.fnb(&format!("{train} --text letters"));
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr.contains("words, tokens, ngrams"),
        "{}",
        run.stderr
    );
    let run = scratch.fnb(&format!("{train} --text-features -3"));
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    scratch.fnb(train).ok();
    refused(
        &scratch,
        "predict m.json bare.csv -o p.csv",
        "D12",
        &["body"],
    );
    // Empty and missing texts have no words.
    scratch.write("empty.csv", "size,body\n1,\n2,\" \"\n3,x\n");
    scratch
        .fnb("predict m.json empty.csv --proba -o p.csv")
        .ok();
    let predicted = scratch.text("p.csv");
    let rows: Vec<&str> = predicted.lines().skip(1).collect();
    assert_eq!(rows.len(), 3);
    assert!(rows.iter().all(|row| row == &rows[0]), "{predicted}");
}
