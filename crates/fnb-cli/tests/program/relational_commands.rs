//! Several tables on the command line, from files to predictions.

use crate::scratch::{Scratch, number};
use crate::shop::{self, Shop, TABLES, TABLES_TO_SCORE};
use serde_json::Value;

fn names(model: &Value) -> Vec<&str> {
    let variables = model["terms"].as_array().expect("variables");
    variables
        .iter()
        .map(|variable| variable["name"].as_str().expect("a name"))
        .collect()
}

/// The model file says how many rows of each table there were, and what they were worth.
#[test]
fn models_tell_what_joining_found() {
    let scratch = Scratch::new();
    Shop::new(600).write(&scratch);
    scratch
        .fnb(&format!(
            "train customers.csv -t class {TABLES} --features 50 -o m.json --report page.html"
        ))
        .ok();
    let column = |file: &str, name: &str| -> Vec<String> {
        let text = scratch.text(file);
        let (header, rows) = text.split_once('\n').expect("a header");
        let place = header.split(',').position(|column| column == name);
        let place = place.expect("the column");
        let cell = |row: &str| row.split(',').nth(place).expect("a cell").to_owned();
        rows.lines().map(cell).collect()
    };
    let customers = column("customers.csv", "customer");
    let model = scratch.json("m.json");
    let joins = model["joins"].as_array().expect("several tables");
    let names: Vec<&str> = joins
        .iter()
        .filter_map(|join| join["table"].as_str())
        .collect();
    assert_eq!(
        names,
        [
            "main",
            "orders",
            "orders/items",
            "address",
            "visits",
            "/city"
        ]
    );
    assert_eq!(joins[0]["rows"], 600);
    for (table, file) in [
        ("orders", "orders.csv"),
        ("visits", "visits.csv"),
        ("address", "addresses.csv"),
    ] {
        let owners = column(file, "customer");
        let found = joins.iter().find(|join| join["table"] == table);
        let found = found.expect("the table");
        assert_eq!(found["rows"], owners.len(), "{found}");
        let strangers = owners
            .iter()
            .filter(|owner| !customers.contains(owner))
            .count();
        assert_eq!(
            found["orphans"].as_u64().unwrap_or(0),
            strangers as u64,
            "{found}"
        );
        let without = customers
            .iter()
            .filter(|customer| !owners.contains(customer));
        assert_eq!(found["without"], without.count(), "{found}");
    }
    assert!(joins[2]["without"].is_null() && joins[5]["without"].is_null());
}

#[test]
fn from_files_to_predictions() {
    let scratch = Scratch::new();
    Shop::new(600).write(&scratch);
    let run = scratch
        .fnb(&format!(
            "train customers.csv -t class {TABLES} --features 200 --holdout 0.3 --cv 3 -o m.json --json"
        ))
        .ok();
    let summary = run.json();
    assert!(
        number(&summary["evaluation"]["test"]["auc"]) > 0.8,
        "{}",
        run.stdout
    );
    assert!(
        run.stderr
            .contains("orders: 2 rows ignored: their key matches no row of the main table"),
        "{}",
        run.stderr
    );
    let model = scratch.json("m.json");
    let constructed = names(&model)
        .iter()
        .filter(|name| name.contains("orders"))
        .count();
    assert!(constructed > 0, "{:?}", names(&model));
    let text = scratch.fnb("inspect m.json").ok().stdout;
    assert!(text.contains("orders"), "{text}");

    let predict = format!(
        "predict m.json customers.csv {TABLES_TO_SCORE} --proba --keep customer,class -o p.csv"
    );
    scratch.fnb(&predict).ok();
    let predictions = scratch.text("p.csv");
    assert_eq!(predictions.lines().count(), 601);
    let right = predictions.lines().skip(1).filter(|line| {
        let cells: Vec<&str> = line.split(',').collect();
        cells[1] == cells[2]
    });
    assert!(right.count() > 450);

    let evaluation = scratch
        .fnb(&format!(
            "evaluate m.json customers.csv {TABLES_TO_SCORE} --json"
        ))
        .ok()
        .json();
    assert_eq!(number(&evaluation["rows"]), 600.0);
    let explained = scratch
        .fnb(&format!(
            "explain m.json customers.csv {TABLES_TO_SCORE} --where customer=007 --json"
        ))
        .ok()
        .json();
    let terms = explained["terms"].as_array().expect("terms");
    let told = terms.iter().filter(|term| term["meaning"].is_string());
    assert_eq!(told.count() > 0, constructed > 0);
}

#[test]
fn only_what_the_model_needs_is_read() {
    let scratch = Scratch::new();
    Shop::new(400).write(&scratch);
    scratch
        .fnb("train customers.csv -t class --table orders=orders.csv:customer --table visits=visits.csv:customer -o m.json")
        .ok();
    let model = scratch.json("m.json");
    let tables: Vec<&str> = model["tables"]
        .as_array()
        .expect("tables")
        .iter()
        .map(|table| table["name"].as_str().expect("a name"))
        .collect();
    assert_eq!(tables, ["main", "orders"], "visits tell nothing");
    // Neither the visits nor other columns of the orders are there when rows are scored.
    let predictions = |arguments: &str| {
        let run = scratch.fnb(&format!("predict m.json {arguments} --proba"));
        run.ok().stdout
    };
    let expected = predictions("customers.csv --table orders=orders.csv");
    let needed: Vec<&str> = model["tables"][1]["columns"]
        .as_array()
        .expect("columns")
        .iter()
        .map(|column| column["name"].as_str().expect("a name"))
        .collect();
    let orders = scratch.text("orders.csv");
    scratch.write("few.csv", shop::columns(&orders, &needed));
    assert_eq!(
        predictions("customers.csv --table orders=few.csv"),
        expected
    );
    // What was typed for training may be typed again.
    let again =
        "customers.csv --table orders=orders.csv:customer --table visits=visits.csv:customer";
    assert_eq!(predictions(again), expected);
    // Few rows of the main table, all records.
    let customers = scratch.text("customers.csv");
    let few: Vec<&str> = customers.lines().take(11).collect();
    scratch.write("few_customers.csv", few.join("\n") + "\n");
    let first: Vec<&str> = expected.lines().take(11).collect();
    let found = predictions("few_customers.csv --table orders=orders.csv");
    assert_eq!(found.lines().collect::<Vec<_>>(), first);
}

#[test]
fn a_table_without_records_at_scoring() {
    let scratch = Scratch::new();
    Shop::new(400).write(&scratch);
    scratch
        .fnb("train customers.csv -t class --table orders=orders.csv:customer -o m.json")
        .ok();
    let header = scratch
        .text("orders.csv")
        .lines()
        .next()
        .expect("a header")
        .to_owned();
    scratch.write("none.csv", header + "\n");
    let run = scratch
        .fnb("predict m.json customers.csv --table orders=none.csv --proba")
        .ok();
    assert_eq!(run.stdout.lines().count(), 401);
}

#[test]
fn a_schema_is_written_and_read() {
    let scratch = Scratch::new();
    Shop::new(400).write(&scratch);
    let run = scratch
        .fnb("schema customers.csv orders.csv visits.csv -t class -o schema.json")
        .ok();
    assert!(
        run.stderr
            .contains("orders: the key is guessed to be customer"),
        "{}",
        run.stderr
    );
    let schema = scratch.json("schema.json");
    assert_eq!(schema["target"], "class");
    assert_eq!(schema["files"]["orders"], "orders.csv");
    scratch.fnb("train --schema schema.json -o m.json").ok();
    let model = scratch.json("m.json");
    assert!(names(&model).iter().any(|name| name.contains("orders")));
    let scored = scratch.fnb("predict m.json --schema schema.json").ok();
    assert_eq!(scored.stdout.lines().count(), 401);
    let described = scratch
        .fnb("describe --schema schema.json -t class --json")
        .ok()
        .json();
    assert!(described["variables"].as_array().expect("variables").len() > 20);
}

/// Tables are joined by a key that is marked as unused, but it is no input.
#[test]
fn a_key_may_be_unused() {
    let scratch = Scratch::new();
    Shop::new(200).write(&scratch);
    scratch
        .fnb("schema customers.csv orders.csv visits.csv -t class -o s.json")
        .ok();
    let mut schema = scratch.json("s.json");
    let root = schema["root"].as_str().expect("a root").to_owned();
    let fields = schema["entities"][&root]["fields"].as_array_mut();
    let mut fields = fields.expect("fields").iter_mut();
    let key = fields.find(|field| field["name"] == "customer");
    key.expect("the key")["unused"] = true.into();
    scratch.write("s.json", schema.to_string());
    let run = scratch.fnb("train --schema s.json -t class --json -o m.json");
    let used = number(&run.ok().json()["columns"]);
    let schema = scratch
        .text("s.json")
        .replace("\"unused\":true", "\"unused\":false");
    scratch.write("s.json", schema);
    let run = scratch.fnb("train --schema s.json -t class --json -o m.json");
    assert_eq!(number(&run.ok().json()["columns"]), used + 1.0);
}

#[test]
fn dates_of_one_table() {
    let scratch = Scratch::new();
    scratch.write("days.csv", shop::days());
    scratch.fnb("train days.csv -t open -o m.json").ok();
    let model = scratch.json("m.json");
    assert_eq!(names(&model), ["day.WeekDay"]);
    let scored = scratch.fnb("predict m.json days.csv --keep open").ok();
    let wrong = scored.stdout.lines().skip(1).filter(|line| {
        let (open, prediction) = line.split_once(',').expect("two cells");
        open != prediction
    });
    assert_eq!(wrong.count(), 0);
    scratch
        .fnb("train days.csv -t open --preset khiops -o k.json")
        .ok();
    assert_eq!(names(&scratch.json("k.json")), [""; 0]);
    // Other rules know no days of the week.
    scratch
        .fnb("train days.csv -t open --rules table -o t.json")
        .ok();
    assert_eq!(names(&scratch.json("t.json")), [""; 0]);
    let explained = scratch.fnb("explain m.json days.csv --row 3").ok();
    assert!(
        explained.stdout.contains("day.WeekDay"),
        "{}",
        explained.stdout
    );
}

#[test]
fn dates_are_read_as_they_were_in_training() {
    let scratch = Scratch::new();
    // Month first: some rows could be read either way, the whole could not.
    let american = |line: &str| {
        let (date, class) = line.split_once(',').expect("two cells");
        let parts: Vec<&str> = date.split('-').collect();
        format!("{}/{}/{},{class}", parts[1], parts[2], parts[0])
    };
    let iso = shop::days();
    let mut lines = iso.lines();
    let header = lines.next().expect("a header");
    let rows: Vec<String> = lines.map(american).collect();
    scratch.write("days.csv", format!("{header}\n{}\n", rows.join("\n")));
    scratch.fnb("train days.csv -t open -o m.json").ok();
    let doubtful: Vec<&String> = rows
        .iter()
        .filter(|row| row[3..5].parse::<u32>().is_ok_and(|day| day <= 12))
        .collect();
    assert!(doubtful.len() > 50);
    let text: Vec<&str> = doubtful.iter().map(|row| row.as_str()).collect();
    scratch.write("some.csv", format!("{header}\n{}\n", text.join("\n")));
    let scored = scratch.fnb("predict m.json some.csv --keep open").ok();
    for line in scored.stdout.lines().skip(1) {
        let (open, prediction) = line.split_once(',').expect("two cells");
        assert_eq!(open, prediction);
    }
}

#[test]
fn only_the_past_is_seen() {
    let scratch = Scratch::new();
    shop::write_leak(&scratch);
    let train = "train people.csv -t class --table events=events.csv:id";
    scratch.fnb(&format!("{train} -o all.json")).ok();
    assert!(
        !names(&scratch.json("all.json")).is_empty(),
        "the leak is there"
    );
    let run = scratch
        .fnb(&format!("{train} --cutoff asked -o past.json"))
        .ok();
    assert!(
        run.stderr.contains("events: the time of a record is day"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr
            .contains("rows ignored: dated at or after their parent's cut-off"),
        "{}",
        run.stderr
    );
    assert_eq!(names(&scratch.json("past.json")), [""; 0]);
    let run = scratch
        .fnb(&format!(
            "{train} --cutoff asked --time events=day -o same.json"
        ))
        .ok();
    assert!(run.code == Some(0));
    assert_eq!(scratch.read("same.json"), scratch.read("past.json"));
}

#[test]
fn compare_and_folds() {
    let scratch = Scratch::new();
    Shop::new(300).write(&scratch);
    let found = scratch
        .fnb("compare customers.csv -t class --table orders=orders.csv:customer --methods coordinate,fnb:khiops --cv 3 --features 50 --json")
        .ok()
        .json();
    let text = found.to_string();
    assert!(
        text.contains("coordinate") && text.contains("khiops"),
        "{text}"
    );
}

/// With several tables, too, the main one may come from standard input: it is read once.
#[test]
fn the_main_table_from_standard_input() {
    let scratch = Scratch::new();
    Shop::new(300).write(&scratch);
    let customers = scratch.read("customers.csv");
    let train = "-t class --table orders=orders.csv";
    scratch
        .fnb(&format!("train customers.csv {train} -o file.json"))
        .ok();
    let run = scratch.fnb_stdin(&format!("train - {train} -o stdin.json"), &customers);
    let guessed = "orders: the key is guessed to be customer";
    assert!(run.ok().stderr.contains(guessed));
    assert_eq!(scratch.text("stdin.json"), scratch.text("file.json"));
    let predict = |data: &str| {
        format!("predict file.json {data} --table orders=orders.csv --proba --keep customer,class")
    };
    let expected = scratch.fnb(&predict("customers.csv")).ok().stdout;
    let found = scratch.fnb_stdin(&predict("-"), &customers).ok().stdout;
    assert!(expected.starts_with("customer,class,prediction"));
    assert_eq!(found, expected);
}

/// A model forgets tables that it does not need: giving them is no mistake, but is told.
#[test]
fn a_table_that_no_model_needs_is_told() {
    let scratch = Scratch::new();
    Shop::new(300).write(&scratch);
    let train = "train customers.csv -t class --table orders=orders.csv:customer -o m.json";
    scratch.fnb(train).ok();
    let predict = "predict m.json customers.csv --table orders=orders.csv";
    let expected = scratch.fnb(predict).ok().stdout;
    let run = scratch
        .fnb(&format!("{predict} --table visits=nothing.csv"))
        .ok();
    assert_eq!(run.stdout, expected);
    let told = "visits is ignored: the model uses no such table";
    assert!(run.stderr.contains(told), "{}", run.stderr);
    assert!(!run.stderr.contains("warning: visits"), "{}", run.stderr);
    // Whatever its name: all that the model needs is there.
    let near = format!("{predict} --table order=nothing.csv");
    assert_eq!(scratch.fnb(&near).ok().stdout, expected);
}
