//! What must not change the model: the order of rows and columns, the number of threads, how the
//! table is cut into files and what they are written in, the scale of numbers.

use crate::scratch::{Numbers, Scratch};
use flate2::Compression;
use flate2::write::GzEncoder;
use fnb_table::{OutputData, OutputKind, TableWriter};
use serde_json::Value;
use std::io::Write;

/// A generated table: the columns are numbers or texts, the target is the last one.
#[derive(Clone)]
struct Generated {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    /// Which columns are numbers.
    numeric: Vec<bool>,
}

impl Generated {
    /// Mixed types, ties, missing values, noise, a constant, an identifier and a copy.
    fn new(seed: u64, rows: usize, classes: u64) -> Self {
        let mut draw = Numbers::new(seed);
        let names = [
            "amount", "count", "gaps", "noise", "flat", "city", "code", "holes", "key", "twin",
        ];
        let numeric = [
            true, true, true, true, true, false, false, false, false, false, false,
        ];
        let rows = (0..rows).map(|row| {
            let class = draw.below(classes);
            let signal = class as f64;
            let amount = signal * 1.5 + 3.0 * draw.share() - 2.0;
            let count = class * 2 + draw.below(9);
            let gap = draw.below(4) == 0 || (class == 0 && draw.below(2) == 0);
            let city = format!("city {}", (class * 3 + draw.below(8)) % 11);
            // A few frequent values and many rare ones.
            let code = if draw.below(3) == 0 {
                class
            } else {
                10 + draw.below(60)
            };
            let hole = draw.below(5) == class;
            vec![
                format!("{amount:.3}"),
                count.to_string(),
                if gap {
                    String::new()
                } else {
                    format!("{:.2}", signal + draw.share())
                },
                format!("{:.4}", draw.share() - 0.5),
                "7".to_owned(),
                city.clone(),
                format!("c{code}"),
                if hole {
                    String::new()
                } else {
                    format!("h{}", draw.below(3))
                },
                format!("key{row}"),
                city,
                format!("class {class}"),
            ]
        });
        let header = names.iter().copied().chain(["target"]).map(str::to_owned);
        Self {
            header: header.collect(),
            rows: rows.collect(),
            numeric: numeric.to_vec(),
        }
    }

    fn csv(&self) -> String {
        Self::csv_of(&self.header, &self.rows)
    }

    fn csv_of(header: &[String], rows: &[Vec<String>]) -> String {
        let lines = [header].into_iter().chain(rows.iter().map(Vec::as_slice));
        lines.map(|line| line.join(",") + "\n").collect()
    }

    /// The same rows in another order.
    fn shuffled(&self, seed: u64) -> Self {
        let mut shuffled = self.clone();
        let mut draw = Numbers::new(seed);
        for i in (1..shuffled.rows.len()).rev() {
            shuffled.rows.swap(i, draw.below(i as u64 + 1) as usize);
        }
        shuffled
    }

    /// The same columns in another order, the target somewhere among them.
    fn with_columns(&self, order: &[usize]) -> Self {
        let pick = |line: &Vec<String>| order.iter().map(|&i| line[i].clone()).collect();
        Self {
            header: pick(&self.header),
            rows: self.rows.iter().map(pick).collect(),
            numeric: order.iter().map(|&i| self.numeric[i]).collect(),
        }
    }

    /// The table with a strictly increasing function applied to the numbers of a column.
    fn transformed(&self, column: &str, f: impl Fn(f64) -> f64) -> Self {
        let mut transformed = self.clone();
        let place = self
            .header
            .iter()
            .position(|name| name == column)
            .expect("a column");
        for row in transformed
            .rows
            .iter_mut()
            .filter(|row| !row[place].is_empty())
        {
            row[place] = format!("{:?}", f(row[place].parse().expect("a number")));
        }
        transformed
    }

    /// Writes the table as Parquet: numbers as numbers, texts as texts.
    fn write_parquet(&self, scratch: &Scratch, name: &str) {
        let kind = |numeric: &bool| {
            if *numeric {
                OutputKind::Number
            } else {
                OutputKind::Text
            }
        };
        let columns: Vec<(&str, OutputKind)> = self
            .header
            .iter()
            .map(String::as_str)
            .zip(self.numeric.iter().map(kind))
            .collect();
        let path = scratch.path(name).display().to_string();
        let mut writer = TableWriter::create(&path, &columns).expect("a file");
        let field = |i: usize| self.rows.iter().map(move |row| row[i].as_str());
        let numbers: Vec<Vec<f64>> = (0..columns.len())
            .map(|i| {
                field(i)
                    .map(|text| text.parse().unwrap_or(f64::NAN))
                    .collect()
            })
            .collect();
        let texts: Vec<fnb::columns::CategoricalColumn> = (0..columns.len())
            .map(|i| {
                field(i)
                    .map(|text| Some(text).filter(|t| !t.is_empty()))
                    .collect()
            })
            .collect();
        let data: Vec<OutputData> = (0..columns.len())
            .map(|i| {
                if self.numeric[i] {
                    OutputData::Numbers(&numbers[i])
                } else {
                    OutputData::Categories(&texts[i])
                }
            })
            .collect();
        writer.write(&data).expect("written");
        writer.finish().expect("finished");
    }
}

fn tables() -> Vec<Generated> {
    let shapes = [(1, 300, 2), (2, 700, 3), (3, 1500, 4), (4, 60, 2)];
    shapes
        .map(|(seed, rows, classes)| Generated::new(seed, rows, classes))
        .to_vec()
}

const PRESETS: [&str; 3] = ["default", "khiops", "paper"];

/// The bytes of the model learnt from the data.
fn model(scratch: &Scratch, data: &str, options: &str) -> String {
    scratch
        .fnb(&format!(
            "train {data} -t target -o model.json -q {options}"
        ))
        .ok();
    let model = scratch.text("model.json");
    std::fs::remove_file(scratch.path("model.json")).expect("removed");
    model
}

/// The model without what follows the order of the columns.
fn without_order(model: &str) -> String {
    let mut model: Value = serde_json::from_str(model).expect("JSON");
    for list in ["/tables/0/columns", "/dropped", "/values"] {
        let entries = model.pointer_mut(list).and_then(Value::as_array_mut);
        entries
            .expect("a list")
            .sort_by_key(|entry| entry["name"].to_string());
    }
    model["checksum"] = Value::Null;
    model.to_string()
}

#[test]
fn training_again_gives_the_same_bytes() {
    for table in tables() {
        let scratch = Scratch::new();
        scratch.write("a.csv", table.csv());
        for preset in PRESETS {
            let options = format!("--preset {preset}");
            let first = model(&scratch, "a.csv", &options);
            assert!(
                first.contains("\"weight\":"),
                "nothing was selected: {first}"
            );
            assert_eq!(first, model(&scratch, "a.csv", &options));
        }
    }
}

#[test]
fn the_order_of_rows_does_not_matter() {
    for (i, table) in tables().iter().enumerate() {
        let scratch = Scratch::new();
        scratch.write("a.csv", table.csv());
        for preset in PRESETS {
            let options = format!("--preset {preset}");
            let expected = model(&scratch, "a.csv", &options);
            for seed in 1..4 {
                scratch.write("b.csv", table.shuffled(seed).csv());
                let found = model(&scratch, "b.csv", &options);
                assert_eq!(found, expected, "table {i}, {preset}, order {seed}");
            }
        }
    }
}

#[test]
fn the_order_of_columns_does_not_matter() {
    for (i, table) in tables().iter().enumerate() {
        let scratch = Scratch::new();
        scratch.write("a.csv", table.csv());
        let last = table.header.len() - 1;
        let reversed: Vec<usize> = (0..=last).rev().collect();
        let mixed: Vec<usize> = (0..=last).map(|i| (i * 7 + 3) % (last + 1)).collect();
        for preset in PRESETS {
            let options = format!("--preset {preset}");
            let expected = without_order(&model(&scratch, "a.csv", &options));
            for order in [&reversed, &mixed] {
                scratch.write("b.csv", table.with_columns(order).csv());
                let found = without_order(&model(&scratch, "b.csv", &options));
                assert_eq!(found, expected, "table {i}, {preset}, {order:?}");
            }
        }
    }
}

#[test]
fn the_number_of_threads_does_not_matter() {
    for table in tables() {
        let scratch = Scratch::new();
        scratch.write("a.csv", table.csv());
        for preset in PRESETS {
            let expected = model(&scratch, "a.csv", &format!("--preset {preset} --threads 1"));
            for threads in [2, 3, 8] {
                let options = format!("--preset {preset} --threads {threads}");
                assert_eq!(model(&scratch, "a.csv", &options), expected, "{options}");
            }
        }
    }
}

/// Several pieces of one file are read at once only if it is large.
#[test]
fn the_number_of_threads_does_not_matter_in_a_large_file() {
    let table = Generated::new(9, 60_000, 3);
    let scratch = Scratch::new();
    scratch.write("a.csv", table.csv());
    let expected = model(&scratch, "a.csv", "--threads 1");
    for threads in [2, 3, 8] {
        assert_eq!(
            model(&scratch, "a.csv", &format!("--threads {threads}")),
            expected
        );
    }
    table.write_parquet(&scratch, "a.parquet");
    assert_eq!(model(&scratch, "a.parquet", "--threads 3"), expected);
}

#[test]
fn how_the_table_is_stored_does_not_matter() {
    for table in tables() {
        let scratch = Scratch::new();
        let csv = table.csv();
        scratch.write("whole.csv", &csv);
        let expected = model(&scratch, "whole.csv", "");

        let third = table.rows.len() / 3;
        let pieces = [
            &table.rows[..third],
            &table.rows[third..2 * third],
            &table.rows[2 * third..],
        ];
        let mut names = Vec::new();
        for (i, rows) in pieces.iter().enumerate() {
            let name = format!("pieces/part{i}.csv");
            scratch.write(&name, Generated::csv_of(&table.header, rows));
            names.push(name);
        }
        assert_eq!(
            model(&scratch, &names.join(" "), ""),
            expected,
            "several files"
        );
        assert_eq!(model(&scratch, "pieces", ""), expected, "a directory");
        assert_eq!(
            model(&scratch, "pieces/part*.csv", ""),
            expected,
            "a pattern"
        );
        names.reverse();
        assert_eq!(
            model(&scratch, &names.join(" "), ""),
            expected,
            "in another order"
        );

        let stdin = scratch.fnb_stdin("train - -t target -o stdin.json", csv.as_bytes());
        stdin.ok();
        assert_eq!(scratch.text("stdin.json"), expected, "standard input");

        let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
        gzip.write_all(csv.as_bytes()).expect("compressed");
        scratch.write("whole.csv.gz", gzip.finish().expect("compressed"));
        assert_eq!(model(&scratch, "whole.csv.gz", ""), expected, "gzip");

        scratch.write("whole.tsv", csv.replace(',', "\t"));
        assert_eq!(model(&scratch, "whole.tsv", ""), expected, "tabs");
        scratch.write("semicolon.csv", csv.replace(',', ";"));
        assert_eq!(model(&scratch, "semicolon.csv", ""), expected, "semicolons");
        scratch.write("crlf.csv", format!("\u{feff}{}", csv.replace('\n', "\r\n")));
        assert_eq!(
            model(&scratch, "crlf.csv", ""),
            expected,
            "byte order mark, CR LF"
        );
        let quoted: String = csv
            .lines()
            .map(|line| ["\"", &line.replace(',', "\",\""), "\"\n"].concat())
            .collect();
        scratch.write("quoted.csv", quoted);
        assert_eq!(model(&scratch, "quoted.csv", ""), expected, "quotes");

        table.write_parquet(&scratch, "whole.parquet");
        assert_eq!(model(&scratch, "whole.parquet", ""), expected, "Parquet");
    }
}

type Transform = fn(f64) -> f64;

/// Numbers, and with them cuts and self tests, may differ; all that is counted may not.
#[test]
fn strictly_increasing_transforms_do_not_matter() {
    let transforms: [(&str, Transform); 4] = [
        ("affine", |x| 1000.0 * x + 3.0),
        ("cube", |x| x * x * x),
        ("exponential", |x| (x / 2.0).exp()),
        ("small", |x| x * 1e-7),
    ];
    for (i, table) in tables().iter().enumerate() {
        let scratch = Scratch::new();
        scratch.write("a.csv", table.csv());
        for preset in PRESETS {
            let options = format!("--preset {preset}");
            let expected = counted(&model(&scratch, "a.csv", &options));
            for (name, f) in transforms {
                for column in ["amount", "count", "gaps"] {
                    scratch.write("b.csv", table.transformed(column, f).csv());
                    let found = counted(&model(&scratch, "b.csv", &options));
                    assert_eq!(found, expected, "table {i}, {preset}: {name} of {column}");
                }
            }
        }
    }
}

/// What a model says apart from the values of numbers.
fn counted(model: &str) -> Value {
    let mut model: Value = serde_json::from_str(model).expect("JSON");
    for variable in model["terms"].as_array_mut().expect("variables") {
        if let Some(cuts) = variable["axes"][0]["parts"].get_mut("cuts") {
            *cuts = cuts.as_array().expect("cuts").len().into();
        }
    }
    // Bins are of equal width on the scale of the numbers.
    for values in model["values"].as_array_mut().expect("columns") {
        if values["distribution"]["kind"] == "numbers" {
            values["distribution"] = Value::Null;
        }
    }
    for test in model["self_test"].as_array_mut().expect("tests") {
        test["row"] = Value::Null;
    }
    model.as_object_mut().expect("an object").remove("checksum");
    model
}

#[test]
fn predictions_are_the_same_in_pieces() {
    for table in tables() {
        let scratch = Scratch::new();
        scratch.write("whole.csv", table.csv());
        scratch.fnb("train whole.csv -t target -o m.json").ok();
        let predict = "--proba --reasons 2 --keep key";
        let whole = scratch
            .fnb(&format!("predict m.json whole.csv {predict}"))
            .ok()
            .stdout;
        assert_eq!(whole.lines().count(), table.rows.len() + 1);
        for size in [1, 7, 100] {
            let mut found: Vec<String> = Vec::new();
            for rows in table.rows.chunks(size).take(40) {
                scratch.write("piece.csv", Generated::csv_of(&table.header, rows));
                let piece = scratch
                    .fnb(&format!("predict m.json piece.csv {predict}"))
                    .ok()
                    .stdout;
                found.extend(piece.lines().skip(1).map(str::to_owned));
            }
            let expected: Vec<&str> = whole.lines().skip(1).take(found.len()).collect();
            assert_eq!(found, expected, "{size} rows at a time");
        }
        for threads in [1, 2, 3, 8] {
            let run = format!("predict m.json whole.csv {predict} --threads {threads}");
            assert_eq!(scratch.fnb(&run).ok().stdout, whole, "{threads} threads");
        }
        // Columns in another order, and columns nobody asked for.
        let order: Vec<usize> = (0..table.header.len()).rev().collect();
        scratch.write("reversed.csv", table.with_columns(&order).csv());
        let reversed = scratch.fnb(&format!("predict m.json reversed.csv {predict}"));
        assert_eq!(reversed.ok().stdout, whole);
        table.write_parquet(&scratch, "whole.parquet");
        let parquet = scratch.fnb(&format!("predict m.json whole.parquet {predict}"));
        assert_eq!(parquet.ok().stdout, whole);
        let stdin = scratch.fnb_stdin(
            &format!("predict m.json - {predict}"),
            table.csv().as_bytes(),
        );
        assert_eq!(stdin.ok().stdout, whole);
    }
}
