//! Bad input with several tables: a clear outcome each.

use crate::data::outside;
use crate::scratch::{Scratch, refused};
use crate::shop::{self, Shop};

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    Shop::new(200).write(&scratch);
    scratch
}

const TRAIN: &str = "train customers.csv -t class -o m.json";

#[test]
fn keys_that_are_not_there() {
    let scratch = scratch();
    let refused = |arguments: &str, code: &str, texts: &[&str]| {
        refused(&scratch, &format!("{TRAIN} {arguments}"), code, texts);
    };
    refused(
        "--table orders=orders.csv:custmer",
        "D10",
        &["main table", "custmer", "customer"],
    );
    refused(
        "--key customer --table orders=orders.csv:custmer",
        "D18",
        &["orders", "custmer", "did you mean \"customer\""],
    );
    refused(
        "--key nothing --table orders=orders.csv:customer",
        "D18",
        &["nothing"],
    );
    refused(
        "--table orders=cities.csv",
        "U01",
        &["key of orders", "--table orders=FILE:KEY"],
    );
    refused(
        "--table orders=orders.csv:customer --lookup city=cities.csv:city@address.city",
        "D18",
        &["address.city"],
    );
}

#[test]
fn tables_that_are_not_there() {
    let scratch = scratch();
    let refused = |arguments: &str, code: &str, texts: &[&str]| {
        refused(&scratch, arguments, code, texts);
    };
    refused(
        &format!("{TRAIN} --table orders=gone.csv:customer"),
        "D01",
        &["gone.csv"],
    );
    refused(
        &format!("{TRAIN} --table order.items=items.csv:customer,order"),
        "D18",
        &["order", "items"],
    );
    refused(
        &format!("{TRAIN} --table orders=orders.csv:customer --one order"),
        "U01",
        &["orders"],
    );
    refused(
        &format!("{TRAIN} --table orders=orders.csv:customer --cutoff age --time order=day"),
        "U01",
        &["order"],
    );
    refused(&format!("{TRAIN} --cutoff age"), "U01", &["--table"]);
    refused(
        &format!("{TRAIN} --table orders"),
        "U01",
        &["NAME=FILE:KEY"],
    );
    refused(
        &format!("{TRAIN} --lookup city=cities.csv:city"),
        "U01",
        &["NAME=FILE:KEY@COLUMN"],
    );
}

#[test]
fn the_cut_off_is_no_time() {
    let scratch = scratch();
    let tables = "--table orders=orders.csv:customer";
    refused(
        &scratch,
        &format!("{TRAIN} {tables} --cutoff age"),
        "D14",
        &["age"],
    );
    refused(
        &scratch,
        &format!("{TRAIN} {tables} --cutoff age --time orders=price"),
        "D14",
        &["age"],
    );
    refused(
        &scratch,
        &format!("{TRAIN} {tables} --cutoff agee"),
        "D12",
        &["agee"],
    );
}

#[test]
fn scoring_without_a_table() {
    let scratch = scratch();
    scratch
        .fnb(&format!("{TRAIN} --table orders=orders.csv:customer"))
        .ok();
    refused(
        &scratch,
        "predict m.json customers.csv",
        "U01",
        &["needs table orders", "--table orders=FILE"],
    );
    refused(
        &scratch,
        "predict m.json customers.csv --table orders=gone.csv",
        "D01",
        &["gone"],
    );
    refused(
        &scratch,
        "evaluate m.json customers.csv --table oders=orders.csv",
        "U01",
        &["oders is no table", "--table orders=FILE"],
    );
    refused(
        &scratch,
        "predict m.json customers.csv --lookup orders=orders.csv",
        "U01",
        &["--table orders=FILE"],
    );
    refused(
        &scratch,
        "predict m.json customers.csv --table orders=orders.csv:day",
        "U01",
        &["by customer, not by day", "--table orders=FILE"],
    );
    for command in ["predict m.json", "construct", "train -t class"] {
        refused(
            &scratch,
            &format!("{command} --schema gone.json"),
            "D01",
            &["gone.json"],
        );
    }
    let orders = scratch.text("orders.csv");
    scratch.write(
        "less.csv",
        shop::columns(&orders, &["order", "channel", "price"]),
    );
    refused(
        &scratch,
        "predict m.json customers.csv --table orders=less.csv",
        "D12",
        &["customer"],
    );
}

#[test]
fn no_record_has_a_row() {
    let scratch = scratch();
    let orders = scratch.text("orders.csv").replace('\n', "\nx");
    scratch.write("orphans.csv", orders.trim_end_matches('x'));
    refused(
        &scratch,
        &format!("{TRAIN} --table orders=orphans.csv:customer"),
        "D20",
        &["orders", "main table", "\"000\"", "\"x000\""],
    );
    // A model may meet rows without records.
    scratch
        .fnb(&format!("{TRAIN} --table orders=orders.csv:customer"))
        .ok();
    let run = scratch
        .fnb("predict m.json customers.csv --table orders=orphans.csv")
        .ok();
    assert!(run.stderr.contains("orders: none of its"), "{}", run.stderr);
    let cities = scratch.text("cities.csv").replace("\nC", "\nc");
    scratch.write("cities.csv", cities);
    refused(
        &scratch,
        &format!(
            "{TRAIN} --table address=addresses.csv:customer --one address \
             --lookup city=cities.csv:city@address.city"
        ),
        "D20",
        &["address", "city", "\"c0\""],
    );
}

#[test]
fn a_table_without_records() {
    let scratch = scratch();
    scratch.write("none.csv", "customer,order,day,channel,price\n");
    scratch
        .fnb(&format!("{TRAIN} --table orders=none.csv:customer"))
        .ok();
    let model = scratch.json("m.json");
    let dropped = model["dropped"].as_array().expect("dropped variables");
    let count = dropped.iter().find(|d| d["name"] == "Count(orders)");
    assert_eq!(count.expect("a count")["reason"], "constant");
}

#[test]
fn no_variable_and_all_of_them() {
    let scratch = scratch();
    let tables = "--table visits=visits.csv:customer";
    scratch.fnb(&format!("{TRAIN} {tables} --features 0")).ok();
    let model = scratch.json("m.json");
    assert_eq!(model["training"]["columns"], 2);
    let construct = "construct customers.csv -t class --table visits=visits.csv:customer \
                     --rules TableCount,TableMean";
    let run = scratch
        .fnb(&format!("{construct} --features 1000 --json"))
        .ok();
    assert_eq!(
        run.json()["variables"].as_array().expect("variables").len(),
        2
    );
    assert!(run.stderr.contains("1,000 were wanted"), "{}", run.stderr);
    let run = scratch
        .fnb(&format!("{construct} --features 0 --json -o none.csv"))
        .ok();
    assert_eq!(
        run.json()["variables"].as_array().expect("variables").len(),
        0
    );
    assert_eq!(scratch.text("none.csv").lines().next(), Some("customer"));
}

#[test]
fn schemas_that_do_not_work() {
    let scratch = scratch();
    let schema = |entities: &str| {
        let files = r#"{"": "customers.csv", "orders": "orders.csv"}"#;
        format!(r#"{{"root": "C", "target": "class", "files": {files}, "entities": {entities}}}"#)
    };
    let customer = |key: &str, id: &str| {
        format!(
            r#""C": {{"key": ["{key}"], "fields": [{{"name": "customer", "type": "{id}"}},
             {{"name": "class", "type": "Categorical"}},
             {{"name": "orders", "relation": "many", "entity": "O"}}]}}"#
        )
    };
    let order = |more: &str| {
        format!(
            r#""O": {{"key": ["customer"], "fields": [{{"name": "customer", "type": "Categorical"}},
             {{"name": "price", "type": "Numerical"}}{more}]}}"#
        )
    };
    let cases = [
        (format!("{{{}}}", customer("customer", "Categorical")), "O"),
        (
            format!("{{{}, {}}}", customer("customer", "Numerical"), order("")),
            "same type",
        ),
        (
            format!("{{{}, {}}}", customer("id", "Categorical"), order("")),
            "id",
        ),
        (
            format!(
                "{{{}, {}}}",
                customer("customer", "Categorical"),
                order(
                    r#", {"name": "order", "type": "Categorical"},
                    {"name": "more", "relation": "many", "entity": "O"}"#
                )
                .replace(r#""key": ["customer"]"#, r#""key": ["customer", "order"]"#)
            ),
            "key of O",
        ),
        ("{".to_owned(), ""),
    ];
    for (entities, text) in cases {
        scratch.write("s.json", schema(&entities));
        refused(
            &scratch,
            "train --schema s.json -o m.json",
            "D18",
            &["s.json", text],
        );
    }
    let sound = format!("{{{}, {}}}", customer("customer", "Categorical"), order(""));
    scratch.write("s.json", schema(&sound));
    scratch.fnb("train --schema s.json -o m.json").ok();
    let wrong = sound.replace("price", "prise");
    scratch.write("s.json", schema(&wrong));
    refused(
        &scratch,
        "train --schema s.json -o n.json",
        "D12",
        &["prise", "price"],
    );
    scratch.write("s.json", schema(&sound).replace("orders.csv", "gone.csv"));
    refused(
        &scratch,
        "train --schema s.json -o n.json",
        "D01",
        &["gone.csv"],
    );
    scratch.write(
        "s.json",
        schema(&sound).replace(r#", "orders": "orders.csv""#, ""),
    );
    refused(
        &scratch,
        "train --schema s.json -o n.json",
        "U01",
        &["--table orders=FILE"],
    );
}

#[test]
fn rules_that_do_not_exist() {
    let scratch = scratch();
    refused(
        &scratch,
        &format!("{TRAIN} --table orders=orders.csv:customer --rules TableMeen"),
        "U01",
        &["TableMeen", "TableMean"],
    );
}

#[test]
fn nothing_to_construct_from() {
    let scratch = scratch();
    refused(
        &scratch,
        "construct customers.csv -t class",
        "D19",
        &["--table"],
    );
}

#[test]
fn the_target_is_a_key_a_table_or_in_a_copy() {
    let scratch = scratch();
    let train = "train customers.csv -o m.json";
    let refused = |arguments: &str, texts: &[&str]| {
        refused(&scratch, &format!("{train} {arguments}"), "U01", texts);
    };
    refused(
        "-t customer --table orders=orders.csv:customer",
        &["\"customer\"", "both the target and a key"],
    );
    refused(
        "-t class --table class=orders.csv:customer",
        &["\"class\"", "another name"],
    );
    refused(
        "-t class --table self=customers.csv:customer",
        &["main table again", "--drop self.class"],
    );
    refused(
        "-t class --table self=./customers.csv:customer",
        &["main table again", "--drop self.class"],
    );
    scratch
        .fnb(&format!(
            "{train} -t class --table self=customers.csv:customer --drop self.class"
        ))
        .ok();
    let model = scratch.text("m.json");
    assert!(!model.contains("self.class"), "{model}");
    refused(
        "-t class --table orders=orders.csv:customer --features -1",
        &["-1"],
    );
}

/// A key that is dropped joins tables, and is no input.
#[test]
fn a_key_is_dropped() {
    let scratch = scratch();
    let train = |options: &str| {
        let tables = "--table orders=orders.csv:customer --features 0";
        scratch.fnb(&format!("{TRAIN} {tables} {options}")).ok();
        scratch.json("m.json")["training"]["columns"].clone()
    };
    assert_eq!(train(""), 2);
    assert_eq!(train("--drop customer"), 1);
    let tables = "--table orders=orders.csv:customer --rules TableCount";
    let construct = |options: &str| {
        let command = format!("construct customers.csv -t class {tables} {options} -o v.csv");
        scratch.fnb(&command).ok();
        scratch.text("v.csv")
    };
    assert_eq!(construct("--drop customer,orders.customer"), construct(""));
    scratch
        .fnb(&format!("{TRAIN} {tables} --drop customer"))
        .ok();
    scratch
        .fnb("predict m.json customers.csv --table orders=orders.csv")
        .ok();
}

#[test]
fn names_with_anything_in_them() {
    let scratch = scratch();
    let orders = scratch.text("orders.csv");
    let header = "customer,order,\"a\nday\",\"q\"\"x`\",\"a.b,c\"";
    let rows = orders.split_once('\n').expect("a header").1;
    // With a mark of the encoding in front.
    scratch.write("odd.csv", format!("\u{feff}{header}\n{rows}"));
    let list = |file: &str| {
        let command = format!(
            "construct customers.csv -t class --table orders={file}:customer --rules table,entity"
        );
        scratch.fnb(&command).ok().stdout
    };
    let odd = list("odd.csv");
    assert!(odd.contains("Mean(orders.a.b,c)"), "{odd}");
    assert!(odd.contains("q\"x`"), "{odd}");
    assert_eq!(odd.lines().count(), list("orders.csv").lines().count());
    scratch
        .fnb(&format!("{TRAIN} --table orders=odd.csv:customer"))
        .ok();
    // The names find their columns again when rows are scored. (Other names are other ties: the model is
    // not that of plain names.)
    let model = scratch.json("m.json");
    assert!(model["terms"].to_string().contains("q\\\"x`"));
    let evaluated = scratch
        .fnb("evaluate m.json customers.csv --table orders=odd.csv --json")
        .ok();
    assert_eq!(
        evaluated.json()["log_loss"],
        model["evaluation"]["train"]["log_loss"]
    );
}

#[test]
fn each_level_owns_the_next_twice() {
    let scratch = scratch();
    let entity = |i: usize| {
        let next = i + 1;
        let relation = |r| format!(r#"{{"name": "r{r}", "relation": "one", "entity": "E{next}"}}"#);
        let owned = match next {
            40 => String::new(),
            _ => format!(", {}, {}", relation(0), relation(1)),
        };
        format!(
            r#""E{i}": {{"key": ["id"], "fields": [{{"name": "id", "type": "categorical"}},
               {{"name": "class", "type": "categorical"}}{owned}]}}"#
        )
    };
    let entities: Vec<String> = (0..40).map(entity).collect();
    let schema = format!(
        r#"{{"root": "E0", "entities": {{{}}}}}"#,
        entities.join(",")
    );
    scratch.write("fan.json", schema);
    let train = "train customers.csv -t class --schema fan.json";
    refused(
        &scratch,
        train,
        "D18",
        &["more than 10000 tables", "unused"],
    );
}

#[test]
fn schemas_and_models_that_were_found_to_take_for_ever() {
    let scratch = scratch();
    if let Some(schema) = outside("repro/schema_fan.json") {
        let train = format!("train customers.csv -t y --schema {}", schema.display());
        refused(&scratch, &train, "D18", &["more than 10000 tables"]);
    }
    if let Some(model) = outside("repro/model_fan.json") {
        let inspect = format!("inspect {}", model.display());
        refused(&scratch, &inspect, "M04", &["more than 10000 tables"]);
    }
}
