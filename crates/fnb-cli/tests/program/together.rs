//! Variables made of several columns, as Khiops makes them: pairs and trees, on the command
//! line.

use crate::data::golden;
use crate::scratch::{Numbers, Scratch, number};
use serde_json::Value;
use std::f64::consts::LN_2;
use std::fmt::Write;

fn terms(model: &Value) -> Vec<&Value> {
    model["terms"].as_array().expect("terms").iter().collect()
}

fn term<'a>(model: &'a Value, name: &str) -> &'a Value {
    let mut found = terms(model).into_iter().filter(|term| term["name"] == name);
    found.next().unwrap_or_else(|| panic!("no {name}"))
}

/// The table of the golden files with five classes.
fn ring() -> Scratch {
    let scratch = Scratch::new();
    let rows = std::fs::read(golden("pairs_trees/ring.tsv")).expect("a table");
    scratch.write("ring.tsv", rows);
    scratch
}

#[test]
fn pairs_from_a_table_to_reasons() {
    let scratch = ring();
    let train = "train ring.tsv -t class --preset khiops --pairs 100 -o m.json";
    scratch.fnb(train).ok();
    let model = scratch.json("m.json");
    assert_eq!(model["training"]["params"]["pairs"], 100);
    let pair = term(&model, "level`size");
    assert_eq!(pair["axes"][0]["name"], "level");
    assert_eq!(pair["axes"][1]["name"], "size");
    assert_eq!(pair["counts"].as_array().expect("cells").len(), 4);

    let evaluated = scratch.fnb("evaluate m.json ring.tsv --json").ok().json();
    assert_eq!(evaluated["auc"], model["evaluation"]["train"]["auc"]);
    let explained = scratch.fnb("explain m.json ring.tsv --row 1 --json").ok();
    let explained = explained.json();
    let reasons = explained["terms"].as_array().expect("terms");
    let reason = reasons.iter().find(|reason| reason["variable"] == "turn`x");
    assert_eq!(reason.expect("a reason")["value"], "t3, 1.79");
    let inspected = scratch.fnb("inspect m.json").ok().stdout;
    assert!(inspected.contains("<= 5.5, {m, s}"), "{inspected}");

    let describe = "describe ring.tsv -t class --preset khiops --pairs 100";
    let table = scratch.fnb(describe).ok().stdout;
    assert!(table.contains("categorical × numerical"), "{table}");
    let described = scratch.fnb(&format!("{describe} --json")).ok().json();
    let variables = described["variables"].as_array().expect("variables");
    let pair = variables.iter().find(|v| v["name"] == "turn`y");
    let pair = pair.expect("a pair");
    assert_eq!(pair["axes"][1]["type"], "numerical");
    let alone = |name: &str| {
        let found = variables.iter().find(|v| v["name"] == name);
        number(&found.expect("a column")["level"])
    };
    let synergy = number(&pair["level"]) - alone("turn") - alone("y");
    assert!((number(&pair["synergy"]) - synergy).abs() < 1e-12);
    let shown = scratch.fnb(&format!("{describe} --variable turn`y")).ok();
    assert!(
        shown.stdout.contains("{t7, t1, t4, *}, > "),
        "{}",
        shown.stdout
    );
}

/// The number of orders and a column say nothing one by one. Inside a pair a constructed variable pays
/// for its construction, as it does outside.
#[test]
fn pairs_of_constructed_variables() {
    let mut numbers = Numbers::new(5);
    let (mut customers, mut orders) = (String::from("id,x,class\n"), String::from("id\n"));
    for customer in 0..600 {
        let (count, x) = (numbers.below(6), numbers.below(100));
        let class = u8::from((count > 2) == (x < 50)) ^ u8::from(numbers.below(10) == 0);
        let _ = writeln!(customers, "c{customer},{x},k{class}");
        for _ in 0..count {
            let _ = writeln!(orders, "c{customer}");
        }
    }
    let scratch = Scratch::new();
    scratch.write("customers.csv", customers);
    scratch.write("orders.csv", orders);
    let train = "train customers.csv -t class --table orders=orders.csv:id --drop id";
    let run = format!("{train} --preset khiops --pairs 10 -o m.json");
    scratch.fnb(&run).ok();
    let model = scratch.json("m.json");
    let pair = term(&model, "Count(orders)`x");
    assert!(pair["axes"][0]["from"]["expression"].is_object(), "{pair}");
    let evaluate = "evaluate m.json customers.csv --table orders=orders.csv --json";
    let evaluated = scratch.fnb(evaluate).ok().json();
    assert!(number(&evaluated["accuracy"]) > 0.85, "{evaluated}");

    let construct = "construct customers.csv -t class --table orders=orders.csv:id --drop id";
    let constructed = scratch.fnb(&format!("{construct} --preset khiops --json"));
    let constructed = constructed.ok().json();
    let variables = constructed["variables"].as_array().expect("variables");
    let count = variables.iter().find(|v| v["name"] == "Count(orders)");
    // x is the only column, constructed variables and pairs are families.
    let (c_in, c_sel) = (2_f64.ln(), 3_f64.ln());
    let recipe = number(&count.expect("a count")["cost"]) - c_in;
    let code_of_two = 2.86511_f64.ln() + LN_2;
    let expected = LN_2 + c_sel + code_of_two - LN_2 + 2.0 * c_in + recipe;
    let found = number(&pair["cost"]["construction"]);
    assert!((found - expected).abs() < 1e-6, "{found}, not {expected}");
}

#[test]
fn trees_from_a_table_to_reasons() {
    let scratch = ring();
    let train = "train ring.tsv -t class --preset khiops --trees 10 -o m.json";
    scratch.fnb(train).ok();
    let model = scratch.json("m.json");
    let tree = term(&model, "Tree_4");
    let from = &tree["axes"][0]["from"]["tree"];
    assert_eq!(from["splits"].as_array().expect("splits").len(), 14);
    let evaluated = scratch.fnb("evaluate m.json ring.tsv --json").ok().json();
    assert_eq!(evaluated["auc"], model["evaluation"]["train"]["auc"]);
    let predictions = scratch.fnb("predict m.json ring.tsv --reasons 1").ok();
    assert_eq!(predictions.stdout.lines().count(), 1201);
    let explained = scratch.fnb("explain m.json ring.tsv --row 1 --json").ok();
    let explained = explained.json();
    let reasons = explained["terms"].as_array().expect("terms");
    let reason = reasons.iter().find(|reason| reason["variable"] == "Tree_4");
    let reason = reason.expect("a reason");
    assert!(
        reason["value"].as_str().expect("a leaf").starts_with('L'),
        "{reason}"
    );
    let meaning = "the leaf of a tree of 14 splits over turn, x, y";
    assert_eq!(reason["meaning"], meaning);
    let inspected = scratch.fnb("inspect m.json").ok().stdout;
    assert!(inspected.contains(meaning), "{inspected}");
    // Tree_10 splits as Tree_8 does.
    let described = scratch.fnb("describe ring.tsv -t class --preset khiops --trees 10");
    let described = described.ok().stdout;
    assert!(described.contains("Tree_8") && !described.contains("Tree_10"));

    // A table without one of the columns is refused, and damage to a tree is found.
    let narrow: String = (scratch.text("ring.tsv").lines())
        .map(|line| line.split('\t').skip(1).collect::<Vec<_>>().join("\t") + "\n")
        .collect();
    scratch.write("narrow.tsv", narrow);
    let run = scratch.fnb("predict m.json narrow.tsv");
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    assert!(run.stderr.contains("\"x\""), "{}", run.stderr);
}

/// A tree may look at constructed variables, which are computed for it when it scores.
#[test]
fn trees_of_constructed_variables() {
    let mut numbers = Numbers::new(8);
    let (mut customers, mut orders) = (String::from("id,x,y,z,class\n"), String::from("id\n"));
    for customer in 0..800 {
        let (count, x) = (numbers.below(6), numbers.below(100));
        let class = u8::from(count > 2 && x < 60) ^ u8::from(numbers.below(12) == 0);
        let (y, z) = (x + numbers.below(30), x + numbers.below(60));
        let _ = writeln!(customers, "c{customer},{x},{y},{z},k{class}");
        for _ in 0..count {
            let _ = writeln!(orders, "c{customer}");
        }
    }
    let scratch = Scratch::new();
    scratch.write("customers.csv", customers);
    scratch.write("orders.csv", orders);
    let train = "train customers.csv -t class --table orders=orders.csv:id --drop id";
    scratch
        .fnb(&format!("{train} --preset khiops --trees 5 -o m.json"))
        .ok();
    let model = scratch.json("m.json");
    let trees = terms(&model).into_iter();
    let trees = trees.filter_map(|term| term["axes"][0]["from"]["tree"]["inputs"].as_array());
    let inputs: Vec<&Value> = trees.flatten().collect();
    assert!(
        inputs.iter().any(|input| input["name"] == "Count(orders)"),
        "{inputs:?}"
    );
    let evaluate = "evaluate m.json customers.csv --table orders=orders.csv --json";
    let evaluated = scratch.fnb(evaluate).ok().json();
    assert_eq!(evaluated["auc"], model["evaluation"]["train"]["auc"]);
}
