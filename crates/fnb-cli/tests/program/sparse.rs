//! Sparse tables from the command line: the same as a dense table, in every command.

use crate::data::outside;
use crate::scratch::{Numbers, Scratch, number, refused};
use std::fmt::Write;

const WORDS: [&str; 6] = ["good", "bad", "the", "rare", "7", "v1.2"];

/// 300 documents of three classes as `docs.csv`, their words as `words.csv`, both together as
/// `dense.csv`; `other.csv` has the words in another order, with lines of documents that are not
/// there and other columns.
fn documents() -> Scratch {
    let mut numbers = Numbers::new(3);
    let mut docs = String::from("doc,length,class\n");
    let mut dense = format!(
        "doc,length,{}class\n",
        WORDS.map(|w| format!("words.{w},")).concat()
    );
    let mut lines = Vec::new();
    for doc in 0..300 {
        let class = ["neg", "neutral", "pos"][numbers.below(3) as usize];
        let length = 10 + numbers.below(90);
        let _ = writeln!(docs, "0{doc},{length},{class}");
        let _ = write!(dense, "0{doc},{length}");
        for word in WORDS {
            let likely = match (class, word) {
                ("pos", "good") | ("neg", "bad") | ("neutral", "v1.2") => 7,
                (_, "the") => 9,
                (_, "rare") => {
                    if doc == 0 {
                        10
                    } else {
                        0
                    }
                }
                _ => 1,
            };
            let count = if numbers.below(10) < likely {
                1 + numbers.below(3)
            } else {
                0
            };
            if count > 0 {
                lines.push(format!("0{doc},{word},{count}"));
            }
            let _ = write!(dense, ",{count}");
        }
        let _ = writeln!(dense, ",{class}");
    }
    let scratch = Scratch::new();
    let table = |lines: &[String]| format!("doc,word,count\n{}\n", lines.join("\n"));
    scratch.write("words.csv", table(&lines));
    lines.reverse();
    lines.push("nobody,good,1".into());
    scratch.write("other.csv", table(&lines));
    scratch.write("docs.csv", docs).write("dense.csv", dense);
    scratch
}

const SPARSE: &str = "--sparse words=words.csv:doc,word,count";

/// The variables of a model with their weights and counts.
fn learnt(scratch: &Scratch, model: &str) -> Vec<String> {
    let model = scratch.json(model);
    let variables = model["terms"].as_array().expect("variables");
    let shown = |v: &serde_json::Value| {
        format!(
            "{} {} {} {}",
            v["name"], v["weight"], v["axes"], v["counts"]
        )
    };
    variables.iter().map(shown).collect()
}

#[test]
fn every_command_takes_them_as_columns() {
    let scratch = documents();
    scratch
        .fnb(&format!("train docs.csv -t class -o s.json {SPARSE}"))
        .ok();
    scratch
        .fnb("train dense.csv -t class -o d.json --drop doc")
        .ok();
    let variables = learnt(&scratch, "s.json");
    assert_eq!(variables.len(), 3, "{variables:?}");
    assert_eq!(variables, learnt(&scratch, "d.json"));

    let predict = |arguments: &str| {
        scratch
            .fnb(&format!("predict {arguments} --proba --reasons 2 -o p.csv"))
            .ok();
        scratch.text("p.csv")
    };
    let expected = predict("d.json dense.csv");
    assert_eq!(
        predict("s.json docs.csv --sparse words=words.csv"),
        expected
    );
    // Lines of other documents, in another order.
    assert_eq!(
        predict("s.json docs.csv --sparse words=other.csv"),
        expected
    );
    assert_eq!(
        predict("s.json docs.csv --sparse words=other.csv --threads 3"),
        expected
    );

    let evaluated = scratch
        .fnb("evaluate s.json docs.csv --json --sparse words=words.csv")
        .ok();
    let dense = scratch.fnb("evaluate d.json dense.csv --json").ok();
    assert_eq!(evaluated.json(), dense.json());
    let explained = scratch
        .fnb("explain s.json docs.csv --row 7 --sparse words=words.csv")
        .ok();
    assert_eq!(
        explained.stdout,
        scratch.fnb("explain d.json dense.csv --row 7").ok().stdout
    );
    let asked = scratch
        .fnb("explain s.json docs.csv --where doc=06 --sparse words=words.csv")
        .ok();
    assert_eq!(asked.stdout, explained.stdout);
}

#[test]
fn tables_of_levels_and_methods() {
    let scratch = documents();
    let described = scratch
        .fnb(&format!("describe docs.csv -t class {SPARSE}"))
        .ok();
    for text in ["words.good", "words.v1.2", "length"] {
        assert!(described.stdout.contains(text), "{}", described.stdout);
    }
    // Features that tell nothing are not worth a line each.
    assert!(
        !described.stdout.contains("words.rare"),
        "{}",
        described.stdout
    );
    let facts = scratch
        .fnb(&format!("describe docs.csv {SPARSE} --json"))
        .ok()
        .json();
    let columns = facts["columns"].as_array().expect("columns");
    let rare = columns
        .iter()
        .find(|c| c["name"] == "words.rare")
        .expect("a feature");
    assert_eq!(rare["distinct"], 2);
    let compare = |data: &str| {
        let command = format!("compare {data} -t class --cv 3 --methods fnb,nb --json");
        let json = scratch.fnb(&command).ok().json();
        let methods = json["methods"].as_array().expect("methods");
        let aucs = methods.iter().map(|line| number(&line["mean"]["auc"]));
        aucs.collect::<Vec<f64>>()
    };
    assert_eq!(
        compare(&format!("docs.csv {SPARSE}")),
        compare("dense.csv --drop doc")
    );
}

#[test]
fn the_model_does_not_depend_on_the_order_of_lines_threads_or_files() {
    let scratch = documents();
    let train = |data: &str, options: &str| {
        scratch
            .fnb(&format!("train {data} -t class -o m.json --cv 2 {options}"))
            .ok();
        scratch.text("m.json")
    };
    let expected = train("docs.csv", SPARSE);
    let reversed = "--sparse words=other.csv:doc,word,count --threads 3";
    assert_eq!(train("docs.csv", reversed), expected);
    let text = scratch.text("words.csv");
    let lines: Vec<&str> = text.lines().collect();
    let (first, second) = lines[1..].split_at(100);
    scratch.write(
        "parts/1.csv",
        format!("doc,word,count\n{}\n", first.join("\n")),
    );
    scratch.write(
        "parts/2.csv",
        format!("doc,word,count\n{}\n", second.join("\n")),
    );
    assert_eq!(
        train("docs.csv", "--sparse words=parts:doc,word,count"),
        expected
    );
    assert!(!expected.contains("words.rare"));
    let model = scratch.json("m.json");
    assert_eq!(model["sparse"][0]["features"], 6);
    assert_eq!(model["sparse"][0]["selected"], 3);
}

#[test]
fn without_values_every_entry_is_1_and_sizes_count() {
    let scratch = documents();
    let train = |options: &str| {
        scratch
            .fnb(&format!(
                "train docs.csv -t class -o m.json --preset khiops {options}"
            ))
            .ok();
        scratch.json("m.json")
    };
    let model = train("--sparse words=words.csv:doc,word");
    let cuts = &model["terms"][0]["axes"][0]["parts"]["cuts"];
    assert_eq!(cuts.to_string(), "[0.5]");
    let cost = |model: &serde_json::Value| model["terms"][0]["cost"]["construction"].as_f64();
    let close = |a: Option<f64>, b: f64| (a.expect("a cost") - b).abs() < 1e-12;
    assert!(close(cost(&model), 14_f64.ln()));
    // A column of ones is one of numbers here.
    let text = scratch.text("words.csv");
    let ones = text.lines().map(|line| {
        let (start, count) = line.rsplit_once(',').expect("three columns");
        let count = if count == "count" { count } else { "1" };
        format!("{start},{count}\n")
    });
    scratch.write("ones.csv", ones.collect::<String>());
    let same = train("--sparse words=ones.csv:doc,word,count");
    assert_eq!(same["terms"], model["terms"]);
    let sized = train("--sparse words=words.csv:doc,word --sparse-size words=99");
    assert!(close(cost(&sized), 200_f64.ln()));
}

#[test]
fn bad_input() {
    let scratch = documents();
    let train = "train docs.csv -t class -o m.json";
    let refused = |arguments: &str, code: &str, texts: &[&str]| {
        refused(&scratch, arguments, code, texts);
    };
    scratch
        .write("twice.csv", "doc,word,count\n00,a,1\n01,a,1\n00,a,2\n")
        .write("holes.csv", "doc,word,count\n00,a,1\n,a,1\n")
        .write("letters.csv", "doc,word,count\n00,a,1\n01,a,x\n")
        .write("empty.csv", "")
        .write("header.csv", "doc,word,count\n");
    let with = |file: &str| format!("{train} --sparse words={file}");
    refused(&with("none.csv:doc,word"), "D01", &["none.csv"]);
    refused(&with("empty.csv:doc,word"), "D03", &["empty.csv"]);
    refused(&with("header.csv:doc,word"), "D04", &["header.csv"]);
    refused(&with("words.csv:docs,word"), "D10", &["docs", "doc"]);
    refused(&with("words.csv:word,count"), "D10", &["\"word\""]);
    refused(
        &with("words.csv:doc,word,counts"),
        "D10",
        &["words.csv", "counts"],
    );
    refused(&with("words.csv:doc,doc"), "U01", &["\"doc\"", "twice"]);
    refused(
        &with("twice.csv:doc,word,count"),
        "D19",
        &["twice.csv", "\"00\"", "\"a\""],
    );
    refused(
        &with("holes.csv:doc,word,count"),
        "D19",
        &["holes.csv", "doc is missing in row 2"],
    );
    refused(
        &with("letters.csv:doc,word,count"),
        "D07",
        &["letters.csv", "row 2", "\"x\""],
    );
    refused(&with("words.csv"), "U01", &["KEY,FEATURE"]);
    refused(
        &format!("{train} {SPARSE} {SPARSE}"),
        "U01",
        &["two sparse tables"],
    );
    refused(
        &format!("{train} {SPARSE} --sparse-size word=9"),
        "U01",
        &["did you mean \"words\""],
    );
    refused(
        &format!("{train} {SPARSE} --sparse-size words=2"),
        "U01",
        &["6 features"],
    );
    refused(
        "train dense.csv -t class -o m.json --sparse words=words.csv:doc,word,count",
        "D09",
        &["words.good", "another name"],
    );
    refused(&format!("schema docs.csv {SPARSE}"), "U01", &["--sparse"]);

    for wrong in [
        "words",
        "words=words.csv:doc",
        "words=:doc,word",
        "words=w.csv:a,b,c,d",
    ] {
        let run = scratch.fnb(&format!("{train} --sparse {wrong}"));
        assert_eq!(run.code, Some(2), "{wrong}: {}", run.stderr);
    }
    let run = scratch.fnb(&format!("{train} --sparse a.b=words.csv:doc,word"));
    assert_eq!(run.code, Some(2), "{}", run.stderr);
}

#[test]
fn bad_input_of_a_model() {
    let scratch = documents();
    scratch
        .fnb(&format!("train docs.csv -t class -o m.json {SPARSE}"))
        .ok();
    let refused = |arguments: &str, code: &str, texts: &[&str]| {
        refused(&scratch, arguments, code, texts);
    };
    let predict = "predict m.json docs.csv -o p.csv";
    refused(predict, "U01", &["\"words\"", "--sparse words=FILE"]);
    refused(
        &format!("{predict} --sparse word=words.csv"),
        "U01",
        &["did you mean \"words\""],
    );
    refused(
        &format!("{predict} --sparse words=none.csv"),
        "D01",
        &["none.csv"],
    );
    scratch.write("keyless.csv", "length\n12\n");
    refused(
        "predict m.json keyless.csv -o p.csv --sparse words=words.csv",
        "D12",
        &["doc"],
    );
    // Other names of the columns of the sparse table.
    let renamed = scratch
        .text("words.csv")
        .replacen("doc,word,count", "d,w,c", 1);
    scratch.write("renamed.csv", renamed);
    scratch
        .fnb(&format!("{predict} --sparse words=words.csv"))
        .ok();
    let expected = scratch.text("p.csv");
    scratch
        .fnb(&format!("{predict} --sparse words=renamed.csv:d,w,c"))
        .ok();
    assert_eq!(scratch.text("p.csv"), expected);
    // A table without any of the features: all 0.
    scratch.write("few.csv", "doc,word,count\n01,new,3\n");
    scratch
        .fnb(&format!("{predict} --sparse words=few.csv"))
        .ok();
    let predicted = scratch.text("p.csv");
    let first = predicted.lines().nth(1).expect("a row");
    assert!(predicted.lines().skip(1).all(|line| line == first));
}

#[test]
fn a_hundred_thousand_features_in_a_small_model() {
    let Some(folder) = outside("data/Dorothea") else {
        return;
    };
    let scratch = Scratch::new();
    let file = |name: &str| folder.join(name).display().to_string();
    let sparse = format!("bits={}:row_id,feature", file("entries.parquet"));
    let main = file("main.parquet");
    scratch
        .fnb_words(&[
            "train", &main, "-t", "target", "-o", "m.json", "--sparse", &sparse,
        ])
        .ok();
    assert!(scratch.read("m.json").len() < 200_000);
    let evaluated = scratch
        .fnb_words(&["evaluate", "m.json", &main, "--json", "--sparse", &sparse])
        .ok();
    let trained = &scratch.json("m.json")["evaluation"]["train"]["auc"];
    assert_eq!(evaluated.json()["auc"], *trained);
}
