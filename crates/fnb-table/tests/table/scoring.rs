//! Streams of frames for scoring, and the columns that are kept.

use crate::scratch::{Scratch, dump, options};
use fnb::columns::ColumnType;
use fnb_table::{Batch, Expected, ReadOptions, batches_in_pieces, read};
use std::fmt::Write as _;

fn expected(name: &str, ty: ColumnType, required: bool) -> Expected {
    Expected {
        required,
        ..Expected::needed(name, ty)
    }
}

fn model() -> ReadOptions {
    ReadOptions {
        columns: vec![
            expected("c", ColumnType::Categorical, true),
            expected("n", ColumnType::Numerical, true),
            expected("gone", ColumnType::Numerical, false),
        ],
        only: true,
        keep: vec!["id".into(), "n".into()],
        na: vec!["NA".into()],
        ..options()
    }
}

fn table(rows: usize) -> String {
    let mut text = String::from("id,other,n,c\n");
    for i in 0..rows {
        let n = if i % 7 == 0 {
            " NA ".to_owned()
        } else {
            format!("{i}.50")
        };
        writeln!(text, "00{i},\"o\n{i}\",{n}, c{} ", i % 3).expect("memory");
    }
    text
}

#[test]
fn batches_are_the_table_in_blocks() {
    let scratch = Scratch::new();
    let path = scratch.file("x.csv", table(300));
    let whole = read(std::slice::from_ref(&path), &model()).expect("a table");
    assert_eq!(whole.frame.columns().len(), 2);
    for bytes in [1, 100, 1000, 1 << 20] {
        let batches =
            batches_in_pieces(std::slice::from_ref(&path), &model(), bytes).expect("a stream");
        let batches: Vec<Batch> = batches.map(|batch| batch.expect("a batch")).collect();
        let mut row = 0;
        for batch in &batches {
            let rows: Vec<usize> = (row..row + batch.frame.rows()).collect();
            assert_eq!(dump(&batch.frame), dump(&whole.frame.take(&rows)));
            for (i, &row) in rows.iter().enumerate() {
                assert_eq!(batch.kept[0].get(i), Some(format!("00{row}").as_str()));
                let n = if row % 7 == 0 {
                    " NA ".to_owned()
                } else {
                    format!("{row}.50")
                };
                assert_eq!(batch.kept[1].get(i), Some(n.as_str()), "kept as it is");
            }
            row += batch.frame.rows();
        }
        assert_eq!(row, 300);
        assert_eq!(batches.len() > 1, bytes < 10_000);
    }
}

#[test]
fn several_files_with_other_orders_and_extra_columns() {
    let scratch = Scratch::new();
    let first = scratch.file("1.csv", "id,n,c\na,1,x\n");
    let second = scratch.file("2.csv", "extra,c,id,n\n9,y,b,2\n");
    let third = scratch.file("3.csv", "id,n\nc,3\n");
    let all: Vec<_> = batches_in_pieces(&[first, second, third], &model(), 100)
        .expect("a stream")
        .collect();
    assert_eq!(
        dump(&all[1].as_ref().expect("a batch").frame),
        [r#"c: cat [Some("y")]"#, "n: num [2.0]"]
    );
    let error = all[2].as_ref().expect_err("an error");
    assert_eq!(
        scratch.tidy(error.message()),
        "3.csv: column \"c\" is absent, but it is in 1.csv"
    );
    assert_eq!(all.len(), 3);
}

#[test]
fn a_text_where_the_model_has_a_number() {
    let scratch = Scratch::new();
    let path = scratch.file("x.csv", table(100) + "x,y,n/a,c\n");
    for bytes in [10, 1 << 20] {
        let mut batches =
            batches_in_pieces(std::slice::from_ref(&path), &model(), bytes).expect("a stream");
        let error = batches.find_map(Result::err).expect("an error");
        assert_eq!(
            scratch.tidy(&error.to_string()),
            "error[D07]: x.csv: column \"n\" is text in line 202 (\"n/a\") but a number in the model\n  help: correct it, or declare \"n/a\" missing"
        );
        assert!(batches.next().is_none());
    }
}

#[test]
fn header_only_gives_no_batch() {
    let scratch = Scratch::new();
    let path = scratch.file("x.csv", "id,n,c\n");
    assert_eq!(
        batches_in_pieces(&[path], &model(), 100)
            .expect("a stream")
            .count(),
        0
    );
}

#[test]
fn unknown_column_to_keep() {
    let scratch = Scratch::new();
    let path = scratch.file("x.csv", "id,n,c\n1,2,3\n");
    let options = ReadOptions {
        keep: vec!["idd".into()],
        ..model()
    };
    let error = batches_in_pieces(&[path], &options, 100)
        .err()
        .expect("an error");
    assert!(
        error.to_string().ends_with("help: did you mean \"id\"?"),
        "{error}"
    );
}

#[test]
fn moments_are_read_alike_in_every_block() {
    let scratch = Scratch::new();
    let mut content = String::from("d,words\n");
    for i in 0..200 {
        writeln!(content, "{:02}/{:02}/2024,w{i} x", 1 + i % 12, 1 + i % 28).expect("memory");
    }
    let path = scratch.file("x.csv", content);
    let date = |month_first| Expected {
        month_first,
        ..expected("d", ColumnType::Date, true)
    };
    let options = |month_first| ReadOptions {
        columns: vec![expected("words", ColumnType::Text, true), date(month_first)],
        only: true,
        ..options()
    };
    let whole = read(std::slice::from_ref(&path), &options(None)).expect("a table");
    let given = options(Some(true));
    let mut blocks = Vec::new();
    for batch in batches_in_pieces(&[path], &given, 64).expect("a stream") {
        blocks.push(batch.expect("a batch").frame);
    }
    assert!(blocks.len() > 5);
    let mut row = 0;
    for block in blocks {
        let rows: Vec<usize> = (row..row + block.rows()).collect();
        assert_eq!(dump(&block), dump(&whole.frame.take(&rows)));
        row += block.rows();
    }
}
