//! Streams of frames for scoring, and the columns that are kept.

use crate::scratch::{Scratch, dump, options, read};
use arrow::array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow::ipc::writer::FileWriter;
use fnb::columns::{ColumnType, Spelling};
use fnb_table::{Batch, DayOrder, Expected, ReadOptions, batches_in_pieces};
use std::fmt::Write as _;
use std::sync::Arc;

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
    let date = |order| Expected {
        order,
        ..expected("d", ColumnType::Date, true)
    };
    let options = |order| ReadOptions {
        columns: vec![expected("words", ColumnType::Text, true), date(order)],
        only: true,
        ..options()
    };
    let detected = options(DayOrder::Detect);
    let whole = read(std::slice::from_ref(&path), &detected).expect("a table");
    let given = options(DayOrder::MonthFirst);
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

/// An Arrow file of one column.
fn arrow_file(scratch: &Scratch, name: &str, column: ArrayRef) -> String {
    let batch = RecordBatch::try_from_iter_with_nullable([("x", column, true)]).expect("a batch");
    let path = scratch.path(&format!("{name}.arrow"));
    let file = std::fs::File::create(&path).expect("a file");
    let mut writer = FileWriter::try_new(file, &batch.schema()).expect("a writer");
    writer.write(&batch).expect("written");
    writer.finish().expect("written");
    path
}

/// The same column in every way that it may come: as text, as texts of Arrow, ...
fn in_every_container(scratch: &Scratch, name: &str, texts: &[&str]) -> [String; 2] {
    let rows: Vec<String> = texts.iter().map(|text| format!("{text},1\n")).collect();
    let csv = scratch.file(&format!("{name}.csv"), format!("x,n\n{}", rows.concat()));
    let texts = texts
        .iter()
        .map(|text| Some(*text).filter(|text| !text.is_empty()));
    let texts = texts.collect::<StringArray>();
    [csv, arrow_file(scratch, name, Arc::new(texts))]
}

/// What reading all at once and block by block gives, and what is told of it; they must agree.
fn read_both_ways(path: &str, options: &ReadOptions) -> Result<(String, Vec<String>), String> {
    let path = &[path.to_owned()];
    let whole = read(path, options).map(|table| {
        let told = table
            .info
            .warnings
            .iter()
            .map(|warning| warning.message.clone());
        (dump(&table.frame).concat(), told.collect::<Vec<_>>())
    });
    for bytes in [1, 16, 1 << 20] {
        let mut stream = batches_in_pieces(path, options, bytes).expect("a stream");
        let blocks: fnb::Result<Vec<Batch>> = stream.by_ref().collect();
        let told = stream.warnings().into_iter().map(|warning| warning.message);
        let told: Vec<String> = told.collect();
        match (&whole, blocks) {
            (Ok((frame, warnings)), Ok(blocks)) => {
                assert_eq!(*warnings, told);
                let blocks = blocks.iter().map(|block| {
                    let block = dump(&block.frame).concat();
                    let values = block.split_once('[').expect("values").1;
                    values.trim_end_matches(']').to_owned()
                });
                let blocks = blocks.collect::<Vec<_>>().join(", ");
                let values = frame.split_once('[').expect("values").1;
                assert_eq!(values.trim_end_matches(']'), blocks);
            }
            (Err(whole), Err(block)) => assert_eq!(*whole, block),
            (whole, blocks) => panic!("{whole:?} {blocks:?}"),
        }
    }
    whole.map_err(|error| error.to_string())
}

#[test]
fn truth_values_and_whole_numbers_are_spelt_as_they_were_learnt() {
    let scratch = Scratch::new();
    let truths = vec![Some(true), None, Some(false)];
    let numbers = || [Some(1), None, Some(0)].into_iter();
    let mut files = vec![
        arrow_file(&scratch, "b", Arc::new(BooleanArray::from(truths))),
        arrow_file(&scratch, "i", Arc::new(numbers().collect::<Int64Array>())),
        arrow_file(
            &scratch,
            "f",
            Arc::new(
                numbers()
                    .map(|n| n.map(|n| n as f64))
                    .collect::<Float64Array>(),
            ),
        ),
    ];
    for (name, texts) in [
        ("lower", ["true", "", "false"]),
        ("title", ["True", "", "False"]),
        ("upper", ["TRUE", "", "FALSE"]),
        ("digits", ["1", "", "0"]),
        ("decimals", ["1.0", "", "0.0"]),
    ] {
        files.extend(in_every_container(&scratch, name, &texts));
    }
    for learnt in [
        ["true", "false"],
        ["True", "False"],
        ["1", "0"],
        ["1.0", "0.0"],
    ] {
        let options = ReadOptions::only(vec![Expected {
            spelling: Spelling::of(learnt.into_iter()),
            ..Expected::needed("x", ColumnType::Categorical)
        }]);
        let [yes, no] = learnt;
        let expected = format!("x: cat [Some({yes:?}), None, Some({no:?})]");
        for file in &files {
            let (read, told) = read_both_ways(file, &options).expect("categories");
            assert_eq!((read, told), (expected.clone(), vec![]), "{file}");
        }
    }
    // Where numbers are wanted, truth values are 1 and 0.
    let options = ReadOptions::only(vec![Expected::needed("x", ColumnType::Numerical)]);
    for file in &files {
        let (read, told) = read_both_ways(file, &options).expect("numbers");
        assert_eq!(
            (read.as_str(), told),
            ("x: num [1.0, NaN, 0.0]", vec![]),
            "{file}"
        );
    }
}

#[test]
fn dates_that_cannot_be_read_are_told_alike_everywhere() {
    let scratch = Scratch::new();
    let options = |order| {
        ReadOptions::only(vec![Expected {
            order,
            ..Expected::needed("x", ColumnType::Date)
        }])
    };
    let texts = ["2024-01-01", "noon", "", "1970-01-02", "noon", "12/31/2024"];
    for file in in_every_container(&scratch, "some", &texts) {
        let (read, told) = read_both_ways(&file, &options(DayOrder::DayFirst)).expect("dates");
        let missing = i64::MIN;
        assert_eq!(
            read,
            format!("x: Date [19723, {missing}, {missing}, 1, {missing}, {missing}]")
        );
        assert_eq!(
            told,
            [
                "column \"x\": 3 values are no dates and are taken for missing, the first is \"noon\""
            ]
        );
    }
    for file in in_every_container(&scratch, "turned", &["31/12/2024", "12/31/2024"]) {
        let (_, told) = read_both_ways(&file, &options(DayOrder::DayFirst)).expect("dates");
        assert_eq!(
            told,
            [
                "column \"x\": 1 values are no dates with the day before the month and are taken for \
                 missing, the first is \"12/31/2024\""
            ]
        );
        // Each of these is one day only, whatever the order.
        let (read, told) = read_both_ways(&file, &options(DayOrder::Unknown)).expect("dates");
        assert_eq!((read.as_str(), told), ("x: Date [20088, 20088]", vec![]));
    }
    for file in in_every_container(&scratch, "doubt", &["2024-01-01", "31/12/2024", "3/4/2024"]) {
        let error = read_both_ways(&file, &options(DayOrder::Unknown)).expect_err("a guess");
        assert!(
            error.starts_with("error[D19]: ")
                && error.contains(
                    ": column \"x\": nothing in the training data tells the day from the month of \"3/4/2024\""
                ),
            "{error}"
        );
        let (read, told) = read_both_ways(&file, &options(DayOrder::DayFirst)).expect("dates");
        assert_eq!(
            (read.as_str(), told),
            ("x: Date [19723, 20088, 19816]", vec![])
        );
    }
}
