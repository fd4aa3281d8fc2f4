//! The same values, written otherwise: a model reads them as what they are, or says that it cannot.

use crate::scratch::{Numbers, Scratch, number, refused};
use arrow::array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow::ipc::writer::FileWriter;
use std::fmt::Write as _;
use std::sync::Arc;

const ROWS: usize = 400;

/// A flag that tells the class nine times in ten, and the class.
fn rows() -> Vec<(bool, bool)> {
    let mut draw = Numbers::new(5);
    let row = |_| {
        let class = draw.below(2) == 1;
        (class ^ (draw.below(10) == 0), class)
    };
    (0..ROWS).map(row).collect()
}

fn write_arrow(scratch: &Scratch, name: &str, columns: Vec<(&str, ArrayRef)>) {
    let batch = RecordBatch::try_from_iter(columns).expect("a batch");
    let file = std::fs::File::create(scratch.path(name)).expect("a file");
    let mut writer = FileWriter::try_new(file, &batch.schema()).expect("a writer");
    writer.write(&batch).expect("written");
    writer.finish().expect("written");
}

/// Writes the rows in every way, flag and class alike; gives the files.
fn write_all(scratch: &Scratch) -> Vec<String> {
    let rows = rows();
    let mut files = Vec::new();
    for [no, yes] in [
        ["0", "1"],
        ["0.0", "1.0"],
        ["false", "true"],
        ["False", "True"],
        ["FALSE", "TRUE"],
    ] {
        let mut text = String::from("flag,class\n");
        for (flag, class) in &rows {
            let word = |truth: &bool| if *truth { yes } else { no };
            writeln!(text, "{},{}", word(flag), word(class)).expect("memory");
        }
        let name = format!("{yes}.csv");
        scratch.write(&name, text);
        files.push(name);
    }
    let columns = |column: &dyn Fn(Vec<bool>) -> ArrayRef| {
        let flags = column(rows.iter().map(|row| row.0).collect());
        let classes = column(rows.iter().map(|row| row.1).collect());
        vec![("flag", flags), ("class", classes)]
    };
    let number = |truth: bool| i64::from(u8::from(truth));
    let written = [
        (
            "booleans.arrow",
            columns(&|v| Arc::new(BooleanArray::from(v))),
        ),
        (
            "integers.arrow",
            columns(&|v| {
                Arc::new(
                    v.into_iter()
                        .map(|t| Some(number(t)))
                        .collect::<Int64Array>(),
                )
            }),
        ),
        (
            "floats.arrow",
            columns(&|v| {
                let floats = v.into_iter().map(|t| Some(number(t) as f64));
                Arc::new(floats.collect::<Float64Array>())
            }),
        ),
        (
            "texts.arrow",
            columns(&|v| {
                let texts = v
                    .into_iter()
                    .map(|t| Some(if t { "True" } else { "False" }));
                Arc::new(texts.collect::<StringArray>())
            }),
        ),
    ];
    for (name, columns) in written {
        write_arrow(scratch, name, columns);
        files.push(name.to_owned());
    }
    files
}

/// The accuracy was .90 where it was learnt and .46 elsewhere.
#[test]
fn booleans_learnt_in_one_way_are_understood_in_every_other() {
    let scratch = Scratch::new();
    let files = write_all(&scratch);
    for learnt in &files {
        scratch
            .fnb(&format!("train {learnt} -t class -o m.json"))
            .ok();
        let expected = scratch
            .fnb(&format!("evaluate m.json {learnt} --json"))
            .ok()
            .json();
        assert!(number(&expected["accuracy"]) > 0.85, "{learnt}");
        let predicted = scratch
            .fnb(&format!("predict m.json {learnt} --proba"))
            .ok()
            .stdout;
        for scored in &files {
            let what = format!("learnt from {learnt}, scored {scored}");
            let evaluated = scratch
                .fnb(&format!("evaluate m.json {scored} --json"))
                .ok();
            assert_eq!(evaluated.json(), expected, "{what}");
            assert!(
                !evaluated.stderr.contains("warning"),
                "{what}: {}",
                evaluated.stderr
            );
            let again = scratch
                .fnb(&format!("predict m.json {scored} --proba"))
                .ok();
            assert_eq!(again.stdout, predicted, "{what}");
        }
    }
}

#[test]
fn values_that_were_never_seen_are_told() {
    let scratch = Scratch::new();
    let table = |yes: &str, no: &str| {
        let line =
            |(flag, class): &(bool, bool)| format!("{},{}\n", if *flag { yes } else { no }, class);
        let lines: String = rows().iter().map(line).collect();
        format!("flag,class\n{lines}")
    };
    scratch.write("d.csv", table("on", "off"));
    scratch.write("other.csv", table("Y", "N"));
    scratch.write("some.csv", table("on", "N"));
    scratch.fnb("train d.csv -t class -o m.json").ok();
    let warning = "warning: column \"flag\": none of its 400 values is in the model, for instance ";
    for command in [
        "predict m.json",
        "evaluate m.json",
        "explain m.json --row 1",
    ] {
        let told = |file: &str, more: &str| {
            let run = scratch.fnb(&format!("{command} {file} {more}"));
            run.ok().stderr
        };
        let stderr = told("other.csv", "");
        assert!(stderr.contains(warning), "{command}: {stderr}");
        for (file, more) in [("d.csv", ""), ("some.csv", ""), ("d.csv", "-v")] {
            let stderr = told(file, more);
            assert!(
                !stderr.contains("in the model"),
                "{command} {file}: {stderr}"
            );
        }
        let off = rows().iter().filter(|row| !row.0).count();
        let counted = format!(
            "  column \"flag\": {off} of 400 values are not in the model, for instance \"N\"\n"
        );
        let stderr = told("some.csv", "-v");
        assert!(stderr.contains(&counted), "{command}: {stderr}");
    }
}

/// Rare values are not listed in a model: rows that have only such values are nothing to worry about.
#[test]
fn rare_values_are_no_news() {
    let scratch = Scratch::new();
    let mut text = String::from("name,class\n");
    for i in 0..600 {
        let name = if i % 3 == 0 {
            "x".to_owned()
        } else {
            format!("n{i}")
        };
        writeln!(text, "{name},{}", u8::from(i % 3 == 0)).expect("memory");
    }
    scratch.write("d.csv", text);
    scratch.fnb("train d.csv -t class -o m.json").ok();
    let axis = &scratch.json("m.json")["terms"][0]["axes"][0];
    assert!(axis["unlisted"].as_u64() > Some(300), "{axis}");
    scratch.write("few.csv", "name\nn7\nn8\nn10\n");
    let run = scratch.fnb("predict m.json few.csv").ok();
    assert!(!run.stderr.contains("warning"), "{}", run.stderr);
    scratch.write("many.csv", format!("name\n{}", "elsewhere\n".repeat(100)));
    let run = scratch.fnb("predict m.json many.csv").ok();
    assert!(
        run.stderr
            .contains("none of its 100 values is in the model"),
        "{}",
        run.stderr
    );
}

/// Days of 2024 that tell the class, written by year, month and day.
fn days(write: impl Fn(u32, u32) -> String) -> String {
    let mut text = String::from("day,class\n");
    let mut draw = Numbers::new(9);
    for _ in 0..ROWS {
        let (month, day) = (1 + draw.below(12) as u32, 1 + draw.below(28) as u32);
        let class = u8::from(month > 6) ^ u8::from(draw.below(20) == 0);
        writeln!(text, "{},{class}", write(month, day)).expect("memory");
    }
    text
}

#[test]
fn dates_written_otherwise_are_never_guessed() {
    let scratch = Scratch::new();
    scratch.write(
        "iso.csv",
        days(|month, day| format!("2024-{month:02}-{day:02}")),
    );
    scratch.write(
        "us.csv",
        days(|month, day| format!("{month:02}/{day:02}/2024")),
    );
    scratch.write(
        "eu.csv",
        days(|month, day| format!("{day:02}/{month:02}/2024")),
    );
    let predictions = |file: &str| scratch.fnb(&format!("predict m.json {file}")).ok();
    for (learnt, month_first) in [
        ("us.csv", Some(true)),
        ("eu.csv", Some(false)),
        ("iso.csv", None),
    ] {
        scratch
            .fnb(&format!("train {learnt} -t class -o m.json"))
            .ok();
        let column = &scratch.json("m.json")["tables"][0]["columns"][0];
        assert_eq!(column["month_first"].as_bool(), month_first, "{column}");
        let own = predictions(learnt).stdout;
        assert_eq!(predictions("iso.csv").stdout, own, "{learnt}");
    }
    // The model knows dates with the year first: it cannot tell the day from the month of others.
    for command in [
        "predict m.json us.csv -o p.csv",
        "evaluate m.json eu.csv",
        "explain m.json us.csv --row 1",
    ] {
        let texts =
            ["column \"day\": nothing in the training data tells the day from the month of"];
        refused(&scratch, command, "D19", &texts);
    }
}

#[test]
fn dates_that_cannot_be_read_are_told_by_every_command() {
    let scratch = Scratch::new();
    scratch.write(
        "eu.csv",
        days(|month, day| format!("{day:02}/{month:02}/2024")),
    );
    let us = days(|month, day| format!("{month:02}/{day:02}/2024"));
    let turned = us.lines().skip(1).filter(|line| &line[3..5] > "12").count();
    scratch.write("us.csv", us);
    scratch.fnb("train eu.csv -t class -o m.json").ok();
    let warning = format!(
        "warning: column \"day\": {turned} values are no dates with the day before the month and are \
         taken for missing, the first is "
    );
    for command in [
        "predict m.json us.csv -o p.csv",
        "evaluate m.json us.csv",
        "explain m.json us.csv --row 1",
    ] {
        let stderr = scratch.fnb(command).ok().stderr;
        assert!(stderr.contains(&warning), "{command}: {stderr}");
        assert_eq!(stderr.matches("warning").count(), 1, "{command}: {stderr}");
    }
}

/// Conditions on records compare texts too.
#[test]
fn booleans_of_other_tables_are_understood_in_any_writing() {
    let scratch = Scratch::new();
    let mut draw = Numbers::new(3);
    let (mut main, mut lines) = (String::from("id,class\n"), Vec::new());
    for id in 0..300 {
        let class = draw.below(2);
        writeln!(main, "{id},{class}").expect("memory");
        for _ in 0..=draw.below(3) {
            lines.push((id, class == 1 && draw.below(4) > 0));
        }
    }
    scratch.write("main.csv", main);
    let write = |name: &str, yes: &str, no: &str| {
        let line = |(id, paid): &(i32, bool)| format!("{id},{}\n", if *paid { yes } else { no });
        let lines: String = lines.iter().map(line).collect();
        scratch.write(name, format!("id,paid\n{lines}"));
    };
    write("orders.csv", "true", "false");
    scratch
        .fnb(
            "train main.csv -t class --key id --table orders=orders.csv:id --rules table -o m.json",
        )
        .ok();
    let predict = || scratch.fnb("predict m.json main.csv --table orders=orders.csv --proba");
    let expected = predict().ok().stdout;
    for (yes, no) in [("True", "False"), ("1", "0"), ("1.0", "0.0")] {
        write("orders.csv", yes, no);
        assert_eq!(predict().ok().stdout, expected, "{yes}");
    }
    write("orders.csv", "Y", "N");
    assert_ne!(predict().ok().stdout, expected);
}

#[test]
fn a_row_is_found_by_its_value_as_it_is_written() {
    let scratch = Scratch::new();
    let files = write_all(&scratch);
    scratch.fnb("train booleans.arrow -t class -o m.json").ok();
    let first = rows().iter().position(|row| row.0).expect("a row") + 1;
    for file in files {
        let value = file.strip_suffix(".csv").unwrap_or("True");
        let command = format!("explain m.json {file} --where flag={value} --json");
        assert_eq!(scratch.fnb(&command).ok().json()["row"], first, "{file}");
    }
}
