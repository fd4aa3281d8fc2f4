//! `--weight` and `--class-weight`.

use crate::scratch::{Numbers, Scratch, number, refused};
use serde_json::Value;

/// 200 visitors as (age, plan, weight, bought); weights of 0, 1, 2 and 3.
fn visitors() -> Vec<(u32, &'static str, u32, &'static str)> {
    let mut draw = Numbers::new(5);
    let mut visitor = || {
        let age = 18 + draw.below(60) as u32;
        let plan = ["basic", "plus", "pro"][draw.below(3) as usize];
        let buys = draw.share() < if age > 40 { 0.45 } else { 0.05 };
        (
            age,
            plan,
            draw.below(4) as u32,
            if buys { "yes" } else { "no" },
        )
    };
    (0..200).map(|_| visitor()).collect()
}

/// A folder with the visitors and their weights, and with each of them as often as it counts.
fn scratch() -> Scratch {
    let scratch = Scratch::new();
    let (mut weighted, mut repeated) = (
        "age,plan,weight,bought\n".to_owned(),
        "age,plan,bought\n".to_owned(),
    );
    for (age, plan, weight, bought) in visitors() {
        weighted.push_str(&format!("{age},{plan},{weight},{bought}\n"));
        let line = format!("{age},{plan},{bought}\n");
        repeated.push_str(&line.repeat(weight as usize));
    }
    scratch.write("weighted.csv", weighted);
    scratch.write("repeated.csv", repeated);
    scratch
}

/// A model without what says that rows had weights.
fn learnt(mut model: Value) -> Value {
    model["checksum"].take();
    let training = model["training"].as_object_mut().expect("an object");
    training.remove("row_weights");
    model
}

#[test]
fn integer_weights_are_repeated_rows() {
    let scratch = scratch();
    for (options, terms) in [("", 2), ("--preset khiops", 1), ("--method sg.cf", 1)] {
        let train = |data: &str| {
            scratch
                .fnb(&format!("train {data} -t bought -o model.json {options}"))
                .ok()
        };
        train("weighted.csv --weight weight");
        let weighted = scratch.json("model.json");
        assert_eq!(weighted["training"]["row_weights"]["table_rows"], 200);
        train("repeated.csv");
        let repeated = scratch.json("model.json");
        assert_eq!(
            repeated["terms"].as_array().map(Vec::len),
            Some(terms),
            "{options}"
        );
        assert_eq!(learnt(weighted), learnt(repeated), "{options}");
    }
    let describe = |data: &str| {
        scratch
            .fnb(&format!("describe {data} -t bought --json"))
            .ok()
            .json()
    };
    assert_eq!(
        describe("weighted.csv --weight weight"),
        describe("repeated.csv")
    );
    let evaluate = |data: &str| {
        scratch
            .fnb(&format!("evaluate model.json {data} --json"))
            .ok()
            .json()
    };
    assert_eq!(
        evaluate("weighted.csv --weight weight"),
        evaluate("repeated.csv")
    );
    assert_ne!(evaluate("weighted.csv"), evaluate("repeated.csv"));
}

#[test]
fn class_weights_are_for_learning() {
    let scratch = scratch();
    let train = |options: &str| {
        let data = "train repeated.csv -t bought -o model.json --test repeated.csv";
        scratch.fnb(&format!("{data} {options}")).ok();
        scratch.json("model.json")
    };
    let (plain, balanced) = (train(""), train("--class-weight balanced"));
    let counts = &balanced["target"]["counts"];
    assert_eq!(counts[0], counts[1]);
    let weights = &balanced["training"]["row_weights"]["classes"];
    assert!(number(&weights["no"]) < 1.0 && number(&weights["yes"]) > 1.0);
    assert!(plain["training"].get("row_weights").is_none());
    let recall = |model: &Value| {
        let matrix = &model["evaluation"]["test"]["confusion"]["matrix"];
        number(&matrix[1][1]) / (number(&matrix[0][1]) + number(&matrix[1][1]))
    };
    assert!(recall(&balanced) > recall(&plain));
    let rows = |model: &Value| number(&model["evaluation"]["test"]["rows"]);
    assert_eq!(rows(&balanced), rows(&plain));
    // Factors, as written by hand.
    let factors = format!("--class-weight no={},yes={}", weights["no"], weights["yes"]);
    assert_eq!(train(&factors), balanced);
}

#[test]
fn folds_and_comparisons_carry_weights() {
    let scratch = scratch();
    let data = "weighted.csv -t bought --weight weight --class-weight yes=2";
    let run = scratch
        .fnb(&format!("train {data} --cv 3 --json"))
        .ok()
        .json();
    assert!(number(&run["cv"]["mean"]["auc"]) > 0.6);
    let compare = format!("compare {data} --cv 3 --methods fnb,nb -o folds.csv");
    scratch.fnb(&compare).ok();
    // Other weights are other data: nothing can be taken up.
    scratch.fnb(&format!("{compare} --resume")).ok();
    let other = compare.replace("yes=2", "yes=3");
    refused(
        &scratch,
        &format!("{other} --resume"),
        "U01",
        &["folds.csv"],
    );
}

#[test]
fn wrong_weights_are_refused() {
    let scratch = scratch();
    scratch.write(
        "bad.csv",
        "x,w,v,t,s,y\n1,1,-2,a,1,no\n2,,1,b,0.3,yes\n3,1,1,c,1,no\n",
    );
    for (options, code, message) in [
        (
            "--weight v",
            "D19",
            "weight \"v\": row 1: the weight -2 is negative",
        ),
        (
            "--weight w",
            "D19",
            "weight \"w\": row 2: the weight is missing",
        ),
        (
            "--weight t",
            "D19",
            "weight \"t\": row 1: the weight is missing or not a number",
        ),
        ("--weight wv", "D10", "no column is named \"wv\""),
        ("--weight y", "U01", "both the target and the weight"),
        ("--weight v --drop v", "U01", "among the columns to drop"),
        ("--weight v --type v=cat", "U01", "always read as numbers"),
        (
            "--class-weight maybe=2",
            "U01",
            "\"maybe\", which is no class",
        ),
        (
            "--class-weight yes=-2",
            "U01",
            "the weight of class \"yes\" is -2",
        ),
        ("--class-weight balanced,yes=2", "U01", "not both"),
        (
            "--weight s",
            "D19",
            "\"yes\" weigh 0.391304, less than half a row",
        ),
    ] {
        refused(
            &scratch,
            &format!("train bad.csv -t y {options}"),
            code,
            &[message],
        );
    }
    let run = scratch.fnb("train bad.csv -t y --class-weight heavy");
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr.contains("balanced or CLASS=NUMBER"),
        "{}",
        run.stderr
    );
    scratch
        .fnb("train repeated.csv -t bought -o model.json")
        .ok();
    let evaluate = "evaluate model.json repeated.csv --weight";
    let texts = ["the weight \"w\" is no column"];
    refused(&scratch, &format!("{evaluate} w"), "D10", &texts);
    let texts = ["is a variable or the target"];
    refused(&scratch, &format!("{evaluate} age"), "U01", &texts);
    let texts = ["only if there is a target"];
    refused(
        &scratch,
        "describe repeated.csv --weight age",
        "U01",
        &texts,
    );
}

/// Shares, percentages, importances: weights that are no numbers of rows say what rows count beside each other.
#[test]
fn weights_have_no_scale() {
    let scratch = Scratch::new();
    let train = |weight: &dyn Fn(u64) -> f64, options: &str| {
        let mut draw = Numbers::new(3);
        let mut lines = vec!["x,w,y".to_owned()];
        for _ in 0..400 {
            let (x, drawn) = (draw.below(100), 1 + draw.below(50));
            let y = if draw.below(100) < x { "yes" } else { "no" };
            lines.push(format!("{x},{},{y}", weight(drawn)));
        }
        scratch.write("data.csv", lines.join("\n"));
        let train = "train data.csv -t y -o model.json";
        scratch.fnb(&format!("{train} {options}")).ok();
        learnt(scratch.json("model.json"))
    };
    let weighted = |scale: f64| train(&|drawn| drawn as f64 * scale, "--weight w");
    let shares = weighted(1.0 / 1024.0);
    assert!(!shares["terms"].as_array().expect("a list").is_empty());
    assert_eq!(weighted(1.5), shares);
    assert_eq!(weighted(0.000_37), shares);
    let once = |options: &str| train(&|_| 0.0025, options);
    assert_eq!(once("--weight w"), once("--drop w"));
    let by_class = once("--drop w --class-weight yes=0.001,no=0.003");
    assert_eq!(once("--drop w --class-weight yes=0.1,no=0.3"), by_class);
}
