//! The same model from several tables, whatever the order of rows, threads and files.

use crate::scratch::Scratch;
use crate::shop::{Shop, TABLES};

/// The bytes of the model.
fn model(shop: &Shop, options: &str) -> String {
    let scratch = Scratch::new();
    shop.write(&scratch);
    scratch
        .fnb(&format!(
            "train customers.csv -t class {TABLES} --features 300 -o m.json {options}"
        ))
        .ok();
    scratch.text("m.json")
}

#[test]
fn any_order_and_any_number_of_threads() {
    for preset in ["default", "paper"] {
        let mut shop = Shop::new(500);
        let options = |threads: usize| format!("--preset {preset} --threads {threads}");
        let expected = model(&shop, &options(1));
        assert!(
            expected.contains("Table"),
            "constructed variables are selected"
        );
        assert_eq!(model(&shop, &options(2)), expected);
        assert_eq!(model(&shop, &options(7)), expected);
        shop.shuffle(1);
        assert_eq!(model(&shop, &options(3)), expected);
    }
}

#[test]
fn tables_in_several_files() {
    let shop = Shop::new(300);
    let scratch = Scratch::new();
    shop.write(&scratch);
    for (file, header, rows) in shop.tables() {
        let folder = file.trim_end_matches(".csv");
        for (i, part) in rows.chunks(rows.len().div_ceil(3)).enumerate() {
            scratch.write(
                &format!("{folder}/{i}.csv"),
                format!("{header}\n{}\n", part.join("\n")),
            );
        }
    }
    let train = |data: &str, tables: &str, name: &str| {
        scratch
            .fnb(&format!("train {data} -t class {tables} -o {name}"))
            .ok();
        scratch.text(name)
    };
    let whole = train("customers.csv", TABLES, "whole.json");
    let folders = TABLES.replace(".csv:", ":");
    assert_eq!(train("customers", &folders, "parts.json"), whole);
    let patterns = TABLES.replace(".csv:", "/*.csv:");
    assert_eq!(train("customers/*.csv", &patterns, "patterns.json"), whole);
}

#[test]
fn options_and_schema_file_say_the_same() {
    let shop = Shop::new(300);
    let scratch = Scratch::new();
    shop.write(&scratch);
    scratch
        .fnb(&format!(
            "schema customers.csv -t class {TABLES} -o schema.json"
        ))
        .ok();
    scratch
        .fnb(&format!(
            "train customers.csv -t class {TABLES} -o options.json"
        ))
        .ok();
    scratch
        .fnb("train --schema schema.json -o schema_model.json")
        .ok();
    assert_eq!(
        scratch.text("schema_model.json"),
        scratch.text("options.json")
    );
}
