//! Sparse tables beside several tables: the same as dense columns of the main one, in every command.

use crate::scratch::{Numbers, Scratch, refused};
use crate::shop::{Shop, TABLES, TABLES_TO_SCORE};
use serde_json::Value;
use std::fmt::Write;

const PAGES: [&str; 4] = ["help", "home", "returns", "v1.2"];

/// A shop, and the pages that customers saw: in `pages.csv` by customer, in `logins.csv` by the login of
/// `users.csv`, and as columns of `dense.csv`.
fn shop() -> Scratch {
    let scratch = Scratch::new();
    let shop = Shop::new(400);
    shop.write(&scratch);
    let mut numbers = Numbers::new(5);
    let names = PAGES.map(|page| format!("pages.{page}")).join(",");
    let mut dense = format!("customer,age,{names},class\n");
    let mut users = String::from("customer,login,age,class\n");
    let mut pages = vec!["nobody,home,7".to_owned()];
    for row in &shop.customers {
        let cells: Vec<&str> = row.split(',').collect();
        let [customer, age, class] = cells[..] else {
            panic!("{row}")
        };
        let _ = writeln!(users, "{customer},u{customer},{age},{class}");
        let _ = write!(dense, "{customer},{age}");
        for page in PAGES {
            let likely = match (page, class) {
                ("returns", "leave") | ("v1.2", "stay") => 5,
                ("home", _) => 8,
                _ => 2,
            };
            let count = if numbers.below(10) < likely {
                1 + numbers.below(3)
            } else {
                0
            };
            let _ = write!(dense, ",{count}");
            if count > 0 {
                pages.push(format!("{customer},{page},{count}"));
            }
        }
        let _ = writeln!(dense, ",{class}");
    }
    let table = |key: &str, lines: &[String]| format!("{key},page,times\n{}\n", lines.join("\n"));
    scratch.write("pages.csv", table("customer", &pages));
    pages.reverse();
    scratch.write("other.csv", table("customer", &pages));
    let logins: Vec<String> = pages.iter().map(|line| format!("u{line}")).collect();
    scratch.write("logins.csv", table("login", &logins));
    scratch.write("dense.csv", dense).write("users.csv", users);
    scratch
}

const SPARSE: &str = "--sparse pages=pages.csv:customer,page,times";

/// The variables of a model, and how good it is.
fn learnt(scratch: &Scratch, model: &str) -> (Value, Value) {
    let model = scratch.json(model);
    (model["terms"].clone(), model["evaluation"].clone())
}

fn assert_uses_both(model: &Value) {
    let variables = model["terms"].as_array().expect("variables");
    let names: Vec<&str> = variables
        .iter()
        .map(|variable| variable["name"].as_str().expect("a name"))
        .collect();
    assert!(names.contains(&"pages.returns"), "{names:?}");
    assert!(
        names.iter().any(|name| name.contains("orders")),
        "{names:?}"
    );
}

#[test]
fn every_command_takes_them_as_columns_of_the_main_table() {
    let scratch = shop();
    let train = |data: &str| {
        let command = format!("train {data} -t class {TABLES} --features 200 --cv 3");
        scratch.fnb(&command).ok();
    };
    train(&format!("customers.csv {SPARSE} -o s.json"));
    train("dense.csv -o d.json");
    assert_uses_both(&scratch.json("s.json"));
    assert_eq!(learnt(&scratch, "s.json"), learnt(&scratch, "d.json"));

    let sparse = format!("customers.csv {TABLES_TO_SCORE} --sparse pages=other.csv");
    let dense = format!("dense.csv {TABLES_TO_SCORE}");
    let same = |command: &str, options: &str| {
        let run = |model: &str, data: &str| {
            let command = format!("{command} {model} {data} {options}");
            scratch.fnb(&command).ok().stdout
        };
        assert_eq!(run("s.json", &sparse), run("d.json", &dense), "{command}");
    };
    same("predict", "--proba --reasons 3 --keep customer");
    same("evaluate", "--json");
    same("explain", "--row 7");
    same("explain", "--where customer=011");
    let inspected = scratch.fnb("inspect s.json").ok().stdout;
    assert!(inspected.contains("pages.returns"), "{inspected}");

    let construct = |data: &str| {
        let command = format!("construct {data} -t class {TABLES} --json");
        scratch.fnb(&command).ok().stdout
    };
    assert_eq!(
        construct(&format!("customers.csv {SPARSE}")),
        construct("dense.csv")
    );
    let describe = |data: &str| {
        let command = format!("describe {data} -t class {TABLES} --json");
        scratch.fnb(&command).ok().json()["variables"].clone()
    };
    assert_eq!(
        describe(&format!("customers.csv {SPARSE}")),
        describe("dense.csv")
    );
}

#[test]
fn given_folds_and_features_that_no_row_has() {
    let scratch = shop();
    let folds: Vec<String> = (0..400).map(|row| (row % 4).to_string()).collect();
    scratch.write("folds.csv", format!("fold\n{}\n", folds.join("\n")));
    let tables = "--table orders=orders.csv:customer --folds folds.csv";
    let train = |options: &str| {
        let command = format!("train customers.csv -t class {tables} {options} -o m.json");
        scratch.fnb(&command).ok();
        scratch.json("m.json")
    };
    let model = train(SPARSE);
    scratch
        .fnb(&format!("train dense.csv -t class {tables} -o d.json"))
        .ok();
    assert_eq!(learnt(&scratch, "m.json"), learnt(&scratch, "d.json"));
    // The key, the age, four pages and the tables, or 99 pages: that much dearer is every choice.
    let price = |model: &Value| {
        let variables = model["terms"].as_array().expect("variables");
        let page = variables.iter().find(|v| v["name"] == "pages.returns");
        page.expect("a page")["cost"]["construction"]
            .as_f64()
            .expect("a cost")
    };
    let sized = train(&format!("{SPARSE} --sparse-size pages=99"));
    let dearer = price(&sized) - price(&model);
    assert!((dearer - (102_f64 / 7.0).ln()).abs() < 1e-12, "{dearer}");
}

#[test]
fn the_model_does_not_depend_on_threads_or_on_the_order_of_lines() {
    let scratch = shop();
    let train = |options: &str| {
        let command = format!("train customers.csv -t class {TABLES} --cv 2 -o m.json {options}");
        scratch.fnb(&command).ok();
        scratch.text("m.json")
    };
    let expected = train(SPARSE);
    assert_eq!(
        train("--sparse pages=other.csv:customer,page,times --threads 3"),
        expected
    );
}

/// The key of a sparse table is an input only where it is the key of other tables, too.
#[test]
fn a_key_of_its_own() {
    let scratch = shop();
    let tables = "--table orders=orders.csv:customer";
    scratch
        .fnb(&format!(
            "train users.csv -t class {tables} --sparse pages=logins.csv:login,page,times -o s.json"
        ))
        .ok();
    scratch
        .fnb(&format!("train dense.csv -t class {tables} -o d.json"))
        .ok();
    assert_uses_both(&scratch.json("s.json"));
    assert_eq!(learnt(&scratch, "s.json"), learnt(&scratch, "d.json"));
    let orders = "--table orders=orders.csv --proba";
    let scored = scratch
        .fnb(&format!(
            "predict s.json users.csv {orders} --sparse pages=logins.csv"
        ))
        .ok();
    let dense = scratch
        .fnb(&format!("predict d.json dense.csv {orders}"))
        .ok();
    assert_eq!(scored.stdout, dense.stdout);
    // The same with a schema file, which knows the login as a column.
    scratch
        .fnb(&format!(
            "schema users.csv {tables} -t class -o schema.json"
        ))
        .ok();
    scratch
        .fnb("train --schema schema.json --sparse pages=logins.csv:login,page,times -o f.json")
        .ok();
    assert_eq!(learnt(&scratch, "f.json"), learnt(&scratch, "s.json"));
    let file = scratch
        .fnb("predict f.json --schema schema.json --sparse pages=logins.csv --proba")
        .ok();
    assert_eq!(file.stdout, dense.stdout);
}

#[test]
fn rows_that_repeat_a_key_share_its_records() {
    let scratch = shop();
    let customers = scratch.text("customers.csv");
    let first = customers.lines().nth(1).expect("a row");
    scratch.write("twice.csv", format!("{customers}{first}\n"));
    scratch
        .fnb(&format!(
            "train twice.csv -t class --table orders=orders.csv:customer {SPARSE} -o m.json"
        ))
        .ok();
    let rows = customers.lines().count() as u64;
    assert_eq!(scratch.json("m.json")["training"]["rows"], rows);
    let scored = scratch
        .fnb("predict m.json twice.csv --table orders=orders.csv --sparse pages=pages.csv --proba")
        .ok();
    let lines: Vec<&str> = scored.stdout.lines().collect();
    assert_eq!(lines.len() as u64, rows + 1);
    assert_eq!(lines[1], lines[lines.len() - 1]);
}

#[test]
fn bad_input() {
    let scratch = shop();
    let orders = "--table orders=orders.csv:customer";
    let train = format!("train customers.csv -t class -o m.json {orders}");
    let refused = |arguments: &str, code: &str, texts: &[&str]| {
        refused(&scratch, arguments, code, texts);
    };
    refused(
        &format!("{train} --sparse orders=pages.csv:customer,page,times"),
        "U01",
        &["\"orders\"", "another name"],
    );
    refused(
        &format!("{train} --sparse pages=pages.csv:custmer,page"),
        "D10",
        &["custmer", "customer"],
    );
    scratch
        .fnb(&format!("schema customers.csv {orders} -t class -o s.json"))
        .ok();
    let numbers = scratch.text("s.json").replace(
        "\"name\": \"customer\",\n          \"type\": \"categorical\"",
        "\"name\": \"customer\",\n          \"type\": \"numerical\"",
    );
    assert!(numbers.contains("numerical\""), "{numbers}");
    scratch.write("n.json", numbers);
    refused(
        &format!("train --schema n.json {SPARSE} -o m.json"),
        "D14",
        &["\"customer\"", "categorical"],
    );
    scratch.fnb(&format!("{train} {SPARSE}")).ok();
    assert_uses_both(&scratch.json("m.json"));
    refused(
        "predict m.json customers.csv --table orders=orders.csv",
        "U01",
        &["--sparse pages=FILE"],
    );
    refused(
        "predict m.json customers.csv --sparse pages=pages.csv",
        "U01",
        &["--table orders=FILE"],
    );
}
