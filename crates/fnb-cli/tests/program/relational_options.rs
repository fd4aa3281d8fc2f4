//! Options of several tables: beside a schema file, typed again for scoring, and what is guessed
//! without them.

use crate::scratch::{Numbers, Run, Scratch, number, refused};
use crate::shop::{Shop, TABLES};
use serde_json::Value;

fn shop() -> Scratch {
    let scratch = Scratch::new();
    Shop::new(300).write(&scratch);
    scratch
}

/// The schema of all tables of the shop.
fn with_schema() -> Scratch {
    let scratch = shop();
    let schema = format!("schema customers.csv -t class {TABLES} -o s.json");
    scratch.fnb(&schema).ok();
    scratch
}

/// What each variable of a run of `construct` is made of.
fn rules(run: Run) -> Vec<String> {
    let listed = run.ok().json();
    let variables = listed["variables"].as_array().expect("variables");
    variables
        .iter()
        .map(|variable| variable["rule"].to_string())
        .collect()
}

#[test]
fn columns_that_are_dropped_beside_a_schema_are_not_used() {
    let scratch = with_schema();
    let construct = "construct --schema s.json --features 500 --json";
    let all = rules(scratch.fnb(construct));
    for (dropped, column) in [
        ("orders.channel", "channel"),
        ("orders.items.b*", "back"),
        ("address.number", "number"),
        ("city.people", "people"),
    ] {
        let quoted = format!("{column:?}");
        assert!(all.iter().any(|rule| rule.contains(&quoted)), "{column}");
        let left = rules(scratch.fnb(&format!("{construct} --drop {dropped}")));
        assert!(left.len() > 50, "{dropped}");
        assert!(!left.iter().any(|rule| rule.contains(&quoted)), "{dropped}");
        let ignored = rules(scratch.fnb(&format!("{construct} --type {dropped}=ignore")));
        assert_eq!(ignored, left, "{dropped}");
    }
    // Of the main table, and a key: it joins tables, but is no input.
    let inputs = |options: &str| {
        let run = scratch.fnb(&format!("train --schema s.json --json {options}"));
        number(&run.ok().json()["columns"])
    };
    assert_eq!(inputs("--drop age"), inputs("") - 1.0);
    assert_eq!(inputs("--drop age,cust*"), inputs("") - 2.0);
}

#[test]
fn a_key_that_a_pattern_drops_is_no_input() {
    let scratch = shop();
    let inputs = |options: &str| {
        let tables = "--table orders=orders.csv:customer";
        let run = scratch.fnb(&format!(
            "train customers.csv -t class {tables} --json {options}"
        ));
        number(&run.ok().json()["columns"])
    };
    assert_eq!(inputs("--drop cust*"), inputs("") - 1.0);
}

#[test]
fn types_and_keys_beside_a_schema_are_taken() {
    let scratch = with_schema();
    let construct = "construct --schema s.json --features 500 --json";
    let is_category = |rules: &[String]| {
        let mode = |rule: &String| rule.contains(r#""orders","price"],"rule":"TableMode""#);
        rules.iter().any(mode)
    };
    assert!(!is_category(&rules(scratch.fnb(construct))));
    let typed = format!("{construct} --type orders.price=cat");
    assert!(is_category(&rules(scratch.fnb(&typed))));
    // The same key, given again, and one record of each table instead of many.
    let same = rules(scratch.fnb(&format!("{construct} --key customer")));
    assert_eq!(same, rules(scratch.fnb(construct)));
    let one = rules(scratch.fnb(&format!("{construct} --one visits")));
    assert!(
        one.iter()
            .any(|rule| rule.contains("GetValue") && rule.contains("\"visits\""))
    );
}

#[test]
fn unknown_names_beside_a_schema_are_refused() {
    let scratch = with_schema();
    for (option, code, texts) in [
        ("--drop nothing", "D10", ["the main table", "nothing"]),
        (
            "--drop orders.prise",
            "D10",
            ["table orders", "did you mean \"price\""],
        ),
        (
            "--drop oders.price",
            "D10",
            ["the main table", "oders.price"],
        ),
        (
            "--drop orders.x*",
            "D10",
            ["table orders", "no column matches"],
        ),
        (
            "--type orders.items.bakc=cat",
            "D10",
            ["table orders.items", "did you mean \"back\""],
        ),
        ("--key nothing", "D18", ["the key of main", "nothing"]),
        ("--key age", "D18", ["\"age\"", "same type"]),
        ("--one visit", "U01", ["no table visit", "visits"]),
        (
            "--table orders=orders.csv:order",
            "U01",
            ["schema joins table orders", "by customer"],
        ),
        (
            "--lookup city=cities.csv:city@orders.channel",
            "U01",
            ["channel of table orders", "city"],
        ),
    ] {
        refused(
            &scratch,
            &format!("train --schema s.json -o m.json {option}"),
            code,
            &texts,
        );
    }
    // What the schema says may be said again.
    let again = "train --schema s.json --lookup city=cities.csv:city@address.city \
                 --table orders=orders.csv:customer --table orders.items=items.csv:customer,order";
    scratch.fnb(&format!("{again} -o m.json")).ok();
    scratch
        .fnb("train --schema s.json --lookup city=cities.csv -o n.json")
        .ok();
    assert_eq!(scratch.read("m.json"), scratch.read("n.json"));
}

#[test]
fn options_of_training_are_taken_again_for_scoring() {
    let scratch = shop();
    let tables = format!("{TABLES} --key customer --drop visits.pages --type age=num");
    scratch
        .fnb(&format!("train customers.csv -t class {tables} -o m.json"))
        .ok();
    let few = "--table orders=orders.csv --table orders.items=items.csv --table visits=visits.csv \
               --table address=addresses.csv --lookup city=cities.csv -q";
    for command in [
        "predict m.json customers.csv --proba",
        "evaluate m.json customers.csv",
        "explain m.json customers.csv --row 3",
    ] {
        let expected = scratch.fnb(&format!("{command} {few}")).ok().stdout;
        assert_eq!(
            scratch.fnb(&format!("{command} {tables} -q")).ok().stdout,
            expected,
            "{command}"
        );
    }
    let predict = format!("predict m.json customers.csv {TABLES}");
    refused(
        &scratch,
        &format!("{predict} --key age"),
        "U01",
        &["customer, not age"],
    );
}

#[test]
fn a_cut_off_is_taken_again_for_scoring() {
    let scratch = Scratch::new();
    let mut numbers = Numbers::new(5);
    let (mut people, mut events) = (
        "id,asked,other,class\n".to_owned(),
        "id,day,what\n".to_owned(),
    );
    for id in 0..300 {
        let class = numbers.below(2);
        people.push_str(&format!(
            "p{id},2024-06-15,2024-06-15,{}\n",
            ["a", "b"][class as usize]
        ));
        for _ in 0..=4 * class {
            events.push_str(&format!("p{id},2024-0{}-10,w\n", 1 + numbers.below(5)));
        }
    }
    scratch
        .write("people.csv", people)
        .write("events.csv", events);
    let tables = "--table events=events.csv:id --cutoff asked --time events=day";
    scratch
        .fnb(&format!("train people.csv -t class {tables} -o m.json"))
        .ok();
    let expected = scratch
        .fnb("predict m.json people.csv --table events=events.csv")
        .ok()
        .stdout;
    let again = format!("predict m.json people.csv {tables}");
    assert_eq!(scratch.fnb(&again).ok().stdout, expected);
    let other = again.replace("asked", "other");
    refused(
        &scratch,
        &other,
        "U01",
        &["--cutoff of the model is asked, not other"],
    );
    let other = again.replace("events=day", "events=what");
    refused(&scratch, &other, "U01", &["events=day, not events=what"]);
}

/// A table that the model does not need may have a name like one that it needs.
#[test]
fn a_needed_table_under_another_name() {
    let scratch = shop();
    scratch
        .fnb("train customers.csv -t class --table orders=orders.csv:customer -o m.json")
        .ok();
    refused(
        &scratch,
        "predict m.json customers.csv --table order=orders.csv",
        "U01",
        &[
            "needs table orders",
            "order is no table of the model",
            "--table orders=FILE",
        ],
    );
}

#[test]
fn nested_tables_are_tested_too() {
    let scratch = shop();
    let train =
        format!("train customers.csv -t class {TABLES} --test customers.csv -o m.json --json");
    let summary = scratch.fnb(&train).ok().json();
    let [train, test] = ["train", "test"].map(|rows| summary["evaluation"][rows]["auc"].clone());
    assert_eq!(number(&test), number(&train));
}

#[test]
fn test_data_are_checked_before_learning() {
    let scratch = shop();
    let customers = scratch.text("customers.csv");
    let train = "train customers.csv -t class --table orders=orders.csv:customer -o m.json";
    for (columns, absent) in [
        (["customer", "age"], "class"),
        (["age", "class"], "customer"),
    ] {
        scratch.write("test.csv", crate::shop::columns(&customers, &columns));
        let command = format!("{train} --test test.csv");
        let before = scratch.files();
        let run = scratch.fnb(&command);
        crate::scratch::assert_refused(&scratch, &before, &run, "D12", &["test.csv", absent]);
        assert!(!run.stderr.contains("prepared"), "{}", run.stderr);
    }
    // What only the model can tell does not lose the model.
    let mut lines = customers.lines();
    let header = lines.next().expect("a header");
    let risky: Vec<String> = lines
        .enumerate()
        .map(|(i, line)| format!("{line},{}", i % 2))
        .collect();
    let told: Vec<String> = risky
        .iter()
        .map(|line| {
            let leaves = if line.contains("leave") { "1" } else { "0" };
            format!("{},{leaves}", line.rsplit_once(',').expect("cells").0)
        })
        .collect();
    scratch.write("told.csv", format!("{header},told\n{}\n", told.join("\n")));
    let run = scratch.fnb("train told.csv -t class --test customers.csv -o told.json");
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    assert!(
        run.stderr.contains("error[D12]") && run.stderr.contains("told"),
        "{}",
        run.stderr
    );
    assert_eq!(scratch.json("told.json")["evaluation"]["test"], Value::Null);
}

/// The fields of a schema that relate an entity to others: name, relation, entity, columns.
fn relations(schema: &Value, entity: &str) -> Vec<String> {
    let fields = schema["entities"][entity]["fields"]
        .as_array()
        .expect("fields");
    let relations = fields.iter().filter(|field| field["relation"].is_string());
    let text = |field: &Value| {
        let by = field["by"]
            .as_array()
            .map_or(String::new(), |by| format!(" by {}", by.len()));
        let text = |name: &str| field[name].as_str().expect("a text").to_owned();
        format!(
            "{} {} {}{by}",
            text("name"),
            text("relation"),
            text("entity")
        )
    };
    relations.map(text).collect()
}

#[test]
fn uniqueness_decides_what_a_table_is() {
    let scratch = Scratch::new();
    scratch
        .write(
            "flights.csv",
            "flight,tail,year,class\n1,A,2013,x\n2,A,2013,y\n3,B,2013,x\n4,C,2013,y\n",
        )
        .write(
            "planes.csv",
            "tail,year,seats\nA,1999,20\nB,2001,30\nC,1999,40\n",
        )
        .write("stops.csv", "flight,place\n1,P\n1,Q\n3,P\n")
        .write("logs.csv", "flight,pilot\n1,k\n2,l\n3,m\n4,n\n");
    let files = "flights.csv planes.csv stops.csv logs.csv";
    let run = scratch
        .fnb(&format!("schema {files} -t class -o s.json"))
        .ok();
    for told in [
        "planes: it is guessed to be looked up by tail of the main table",
        "stops: the key is guessed to be flight",
        "logs: the key is guessed to be flight; it has one record per row at most",
    ] {
        assert!(run.stderr.contains(told), "{told}\n{}", run.stderr);
    }
    let schema = scratch.json("s.json");
    let found = relations(&schema, "main");
    assert_eq!(
        found,
        [
            "planes one planes by 1",
            "stops many stops",
            "logs one logs"
        ]
    );
    assert_eq!(schema["files"]["/planes"], "planes.csv");
    scratch.fnb("train --schema s.json -o m.json").ok();
    // The same by options, for training and for scoring.
    let tables = "--table planes=planes.csv --table stops=stops.csv --table logs=logs.csv";
    scratch
        .fnb(&format!("train flights.csv -t class {tables} -o n.json"))
        .ok();
    assert_eq!(scratch.read("m.json"), scratch.read("n.json"));
    scratch
        .fnb(&format!("predict n.json flights.csv {tables}"))
        .ok();
}

#[test]
fn keys_that_go_on_nest() {
    let scratch = shop();
    // No table is named by its rank among the files.
    let files = "customers.csv items.csv orders.csv addresses.csv cities.csv visits.csv";
    let run = scratch
        .fnb(&format!("schema {files} -t class -o s.json"))
        .ok();
    for told in [
        "orders.items: the key is guessed to be customer, order",
        "cities: it is guessed to be looked up by city of addresses",
    ] {
        assert!(run.stderr.contains(told), "{told}\n{}", run.stderr);
    }
    let schema = scratch.json("s.json");
    assert_eq!(
        relations(&schema, "main"),
        [
            "orders many orders",
            "addresses one addresses",
            "visits many visits"
        ]
    );
    assert_eq!(relations(&schema, "orders"), ["items many orders/items"]);
    assert_eq!(
        schema["entities"]["orders"]["key"],
        serde_json::json!(["customer", "order"])
    );
    assert_eq!(relations(&schema, "addresses"), ["cities one cities by 1"]);
    assert_eq!(schema["files"]["orders/items"], "items.csv");
    // A table put below another keeps its name in the options.
    let tables = "--table items=items.csv --table orders=orders.csv";
    scratch
        .fnb(&format!(
            "train customers.csv -t class {tables} --rules TableCount,TableMean -o m.json"
        ))
        .ok();
    scratch
        .fnb(&format!("predict m.json customers.csv {tables}"))
        .ok();
}

/// Several columns may be the key of a look-up table, if rows have it; dates that both tables have and
/// that hardly ever meet are none.
#[test]
fn look_ups_by_several_columns() {
    let scratch = Scratch::new();
    scratch
        .write(
            "flights.csv",
            "place,hour,class\nP,1,x\nP,1,y\nQ,1,x\nQ,2,y\nP,9,y\n",
        )
        .write(
            "weather.csv",
            "place,hour,wind\nP,1,3\nP,2,4\nQ,1,5\nQ,2,6\n",
        )
        .write("people.csv", "id,day,class\na,1,x\na,1,y\nb,2,x\n")
        .write("orders.csv", "id,day,price\na,5,3\na,6,4\nb,2,5\nb,7,1\n");
    let found = |files: &str| {
        let run = scratch.fnb(&format!("schema {files} -t class -o s.json"));
        run.ok();
        relations(&scratch.json("s.json"), "main")
    };
    assert_eq!(
        found("flights.csv weather.csv"),
        ["weather one weather by 2"]
    );
    assert_eq!(found("people.csv orders.csv"), ["orders many orders"]);
}

/// Visits are no part of orders just because both have days: there are visits on other days.
#[test]
fn columns_that_happen_to_be_unique_do_not_nest() {
    let scratch = Scratch::new();
    scratch
        .write("people.csv", "id,class\na,x\nb,y\nc,x\n")
        .write("orders.csv", "id,day,price\na,1,5\na,2,6\nb,1,7\n")
        .write("visits.csv", "id,day,pages\na,1,5\na,1,6\na,3,7\nc,1,1\n");
    scratch
        .fnb("schema people.csv orders.csv visits.csv -t class -o s.json")
        .ok();
    let found = relations(&scratch.json("s.json"), "main");
    assert_eq!(found, ["orders many orders", "visits many visits"]);
}

#[test]
fn a_table_that_holds_the_target_is_refused() {
    let scratch = shop();
    let customers = scratch.text("customers.csv");
    scratch.write(
        "answers.csv",
        crate::shop::columns(&customers, &["customer", "class"]),
    );
    // Records repeat the answer of their row.
    let orders = scratch.text("orders.csv");
    let mut told = "customer,class,price\n".to_owned();
    for line in orders.lines().skip(3) {
        let cells: Vec<&str> = line.split(',').collect();
        let row = customers
            .lines()
            .find(|row| row.starts_with(cells[0]))
            .expect("a customer");
        told.push_str(&format!(
            "{},{},{}\n",
            cells[0],
            row.rsplit(',').next().expect("a class"),
            cells[4]
        ));
    }
    scratch.write("told.csv", told);
    let train = "train customers.csv -t class -o m.json";
    for (tables, name) in [
        ("--lookup answer=answers.csv:customer@customer", "answer"),
        ("--table answer=answers.csv:customer --one answer", "answer"),
        ("--table told=told.csv:customer", "told"),
    ] {
        let help = format!("--drop {name}.class");
        let texts = [
            &format!("table {name} holds the target \"class\"")[..],
            &help,
        ];
        refused(&scratch, &format!("{train} {tables}"), "U01", &texts);
        scratch.fnb(&format!("{train} {tables} {help}")).ok();
        std::fs::remove_file(scratch.path("m.json")).expect("a model");
    }
    refused(
        &scratch,
        &format!("{train} --lookup again=customers.csv:age@age"),
        "U01",
        &["again is the main table again", "--drop again.class"],
    );
    // By a schema file, too.
    let schema = "schema customers.csv -t class --table told=told.csv:customer -o s.json";
    scratch.fnb(schema).ok();
    refused(
        &scratch,
        "train --schema s.json -o m.json",
        "U01",
        &["table told holds the target"],
    );
    // A column of that name that says something else is fine.
    scratch.write(
        "past.csv",
        scratch.text("orders.csv").replace("channel", "class"),
    );
    scratch
        .fnb(&format!("{train} --table past=past.csv:customer"))
        .ok();
}
