//! A scan and the stream after it give what reading gives: columns, types, what is told, errors. Nearly every
//! test of reading checks that too, since [`crate::scratch::read`] does.

use crate::arrow::{batch, ipc_stream, parquet_file};
use crate::scratch::{Scratch, dump, options, read, read_with};
use arrow::array::{ArrayRef, StringArray};
use fnb::Code;
use fnb::columns::{ColumnData, ColumnType, Frame};
use fnb_table::{
    Expected, ReadOptions, Table, batches, batches_in_pieces, read_in_pieces, scan, scan_in_pieces,
};
use proptest::prelude::*;
use std::sync::Arc;

/// Checks that a scan gives what reading gave, and the stream after it the same columns; in pieces of so many
/// bytes if that is said.
#[track_caller]
pub(crate) fn check(
    inputs: &[String],
    options: &ReadOptions,
    table: &fnb::Result<Table>,
    bytes: Option<usize>,
) {
    let scanned = match bytes {
        Some(bytes) => scan_in_pieces(inputs, options, bytes),
        None => scan(inputs, options),
    };
    let (scanned, table) = match (scanned, table) {
        (Ok(scanned), Ok(table)) => (scanned, table),
        (Err(scan), Err(read)) => {
            assert_eq!(
                (scan.code(), scan.to_string()),
                (read.code(), read.to_string())
            );
            return;
        }
        (Ok(scanned), Err(read)) => panic!("read: {read}, scan: {:?}", scanned.info),
        (Err(scan), Ok(_)) => panic!("read succeeds, scan: {scan}"),
    };
    assert_eq!(scanned.info, table.info);
    let stream = match bytes {
        Some(bytes) => batches_in_pieces(inputs, &scanned.options, bytes),
        None => batches(inputs, &scanned.options),
    };
    let mut streamed: Option<Vec<(String, Vec<String>)>> = None;
    for batch in stream.expect("a stream") {
        let new = cells(&batch.expect("a block").frame);
        let Some(streamed) = &mut streamed else {
            streamed = Some(new);
            continue;
        };
        for (column, new) in streamed.iter_mut().zip(new) {
            assert_eq!(column.0, new.0);
            column.1.extend(new.1);
        }
    }
    let Some(streamed) = streamed else {
        assert_eq!(table.frame.rows(), 0);
        return;
    };
    for (streamed, read) in streamed.iter().zip(cells(&table.frame)) {
        assert_eq!(*streamed, read);
    }
    assert_eq!(streamed.len(), table.frame.columns().len());
}

/// What each column is, and its values to the last bit.
fn cells(frame: &Frame) -> Vec<(String, Vec<String>)> {
    let columns = frame.columns().iter().map(|column| {
        let (ty, cells): (String, Vec<String>) = match &column.data {
            ColumnData::Numeric(c) => {
                let bits = |v: &f64| {
                    if v.is_nan() {
                        "missing".to_owned()
                    } else {
                        v.to_bits().to_string()
                    }
                };
                ("numbers".to_owned(), c.values().iter().map(bits).collect())
            }
            ColumnData::Temporal(c) => (
                format!("{:?} {:?}", c.kind(), c.month_first()),
                c.values().iter().map(ToString::to_string).collect(),
            ),
            ColumnData::Categorical(c) => (
                "categories".to_owned(),
                (0..c.len())
                    .map(|row| format!("{:?}", c.get(row)))
                    .collect(),
            ),
            ColumnData::Text(c) => (
                "text".to_owned(),
                (0..c.len())
                    .map(|row| format!("{:?}", c.get(row)))
                    .collect(),
            ),
            other => (format!("{other:?}"), Vec::new()),
        };
        (format!("{}: {ty}", column.name), cells)
    });
    columns.collect()
}

/// Reads and scans in pieces of one byte, of some, and whole.
fn check_cut(text: &str, options: &ReadOptions) {
    let scratch = Scratch::new();
    let path = [scratch.file("x.csv", text)];
    for bytes in [1, 30, 1000, 1 << 20] {
        let table = read_in_pieces(&path, options, bytes);
        check(&path, options, &table, Some(bytes));
    }
}

/// A column whose fields are of one sort, but for some of another sort that may come late.
fn column() -> impl Strategy<Value = Vec<String>> {
    let sorts = [
        "0|1|",
        "[0-9]{1,2}|",
        "-?[0-9]{1,12}(\\.[0-9]{1,3})?",
        "[0-3][0-9]/0[0-9]/2024|",
        "[0-3][0-9]/[0-3][0-9]/2024|[01][0-9]/2[0-9]/2024",
        "2024-0[1-9]-1[0-9](T1[0-9]:30(Z|\\+02:00)?)?",
        "1[0-9]:[0-5][0-9]| ",
        "[a-c]|",
        "NA|true|FALSE|1e999|5,5|\\+3| 7 ",
        "\"\"|\"1\"|\"a\n1\"|\"[x-z]\"|\"1e999\n\"",
        "z{99,101}|[0-9]{99,101}",
        "",
    ];
    let sort = prop::sample::select(sorts.to_vec());
    (sort.clone(), sort, 1_usize..5).prop_flat_map(|(first, second, rare)| {
        let cell = move |row: usize| {
            let other = row % (rare * 9) == rare * 9 - 1;
            proptest::string::string_regex(if other { second } else { first }).expect("a pattern")
        };
        (0..40).map(cell).collect::<Vec<_>>()
    })
}

/// What may be said of a column.
fn said(name: &'static str) -> impl Strategy<Value = Option<Expected>> {
    let types = [
        ColumnType::Numerical,
        ColumnType::Categorical,
        ColumnType::Date,
        ColumnType::Time,
        ColumnType::Timestamp,
        ColumnType::Text,
    ];
    prop_oneof![
        6 => Just(None),
        3 => prop::sample::select(types.to_vec()).prop_map(move |ty| Some(Expected::like(name, ty))),
        1 => Just(Some(Expected::needed(name, ColumnType::Numerical))),
        1 => Just(Some(Expected::key(name))),
        1 => Just(Some(Expected::ignored(name))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn what_is_scanned_is_what_is_read(
        columns in prop::collection::vec(column(), 3),
        rows in 1_usize..40,
        said in (said("a"), said("b"), said("c")),
        na in prop::sample::select(vec![&[][..], &["NA"], &["1", "a"]]),
        bytes in 1_usize..300,
    ) {
        let mut text = String::from("a,\"b\",c,d\n");
        for row in 0..rows {
            let fields: Vec<&str> = columns.iter().map(|column| column[row].as_str()).collect();
            text += &(fields.join(",").replace("5,5", "\"5,5\"") + ",x\n");
        }
        let scratch = Scratch::new();
        let path = [scratch.file("x", &text)];
        let said = [said.0, said.1, said.2].into_iter().flatten().collect();
        let options = ReadOptions {
            separator: Some(b','),
            header: Some(true),
            na: na.iter().map(|&text| text.to_owned()).collect(),
            columns: said,
            ..options()
        };
        check(&path, &options, &read_in_pieces(&path, &options, bytes), Some(bytes));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// The same of texts in row groups and batches of a few rows.
    #[test]
    fn what_is_scanned_of_arrow_is_what_is_read(
        columns in prop::collection::vec(column(), 3),
        said in (said("a"), said("b"), said("c")),
        nulls in any::<bool>(),
        rows in 1_usize..50,
    ) {
        let texts = |column: &Vec<String>| -> ArrayRef {
            let texts = column.iter().map(|text| (!nulls || !text.is_empty()).then_some(text));
            Arc::new(texts.collect::<StringArray>())
        };
        let columns = ["a", "b", "c"].into_iter().zip(columns.iter().map(texts));
        let whole = batch(columns.collect());
        let scratch = Scratch::new();
        let said = [said.0, said.1, said.2].into_iter().flatten().collect();
        let options = ReadOptions { columns: said, ..options() };
        // What cannot be read is an error of both.
        let _ = read(&[parquet_file(&scratch, "x.parquet", &whole, rows)], &options);
        let _ = read(&[ipc_stream(&scratch, "x.arrows", &whole, rows)], &options);
    }
}

#[test]
fn the_last_row_contradicts() {
    for (usual, last) in [
        ("5", "x"),
        ("5", "2024-01-01"),
        ("5", "1e999"),
        ("0", "2"),
        ("", "2024-01-01"),
        ("", "x"),
        ("2024-01-01", "x"),
        ("2024-01-01", "5"),
        ("03/04/2024", "03/13/2024"),
        ("03/04/2024", "13/03/2024"),
        ("2024-01-01 10:00", "2024-01-01 10:00Z"),
        ("2024-01-01 10:00Z", "2024-01-01 10:00"),
        ("a", "12"),
    ] {
        let long = "y".repeat(100);
        let rows = format!("{usual},1\n").repeat(300);
        let many = (0..300).map(|n| format!("{n},1\n")).collect::<Vec<_>>();
        let many = many.concat();
        for last in [last, &long] {
            check_cut(&format!("a,b\n{rows}{last},2\n"), &options());
            check_cut(&format!("a,b\n{many}{last},2\n"), &options());
        }
    }
}

/// A few texts among numbers are told, whichever of them come first and wherever the file is cut.
#[test]
fn texts_among_numbers_are_told() {
    for numbers in [8, 9, 10, 11] {
        for texts in ["?\n", "?\nn/a\nNA\n", "?\nn/a\nNA\nnone\n", "?\n\n"] {
            let numbers = (0..numbers).map(|n| format!("1234567.{n}\n"));
            let numbers = numbers.collect::<Vec<_>>().concat();
            let texts = texts.replace("\n\n", "\n\"\"\n");
            check_cut(&format!("a\n{numbers}{texts}"), &options());
            check_cut(&format!("a\n{texts}{numbers}{numbers}"), &options());
        }
    }
    let text = (0..20).map(|n| format!("{n}\n")).collect::<Vec<_>>();
    let text = text.concat();
    let table = read_with(format!("a\n{text}?\n"), &options());
    assert_eq!(table.info.warnings.len(), 1);
}

/// The order of day and month of a column that is said to hold dates is that of most rows.
#[test]
fn days_and_months_are_counted_by_rows() {
    let date = ReadOptions {
        columns: vec![Expected::like("d", ColumnType::Date)],
        ..options()
    };
    let many_rows = "13/04/2024,1\n".repeat(3);
    let text = format!("d,x\n4/13/2024,1\n4/14/2024,1\n{many_rows}");
    check_cut(&text, &date);
    let table = read_with(text, &date);
    assert_eq!(table.info.columns[0].missing, Some(2));
    check_cut(
        "d,x\n4/13/2024,1\n13/4/2024,1\n04/14/2024,1\nsoon,1\n",
        &date,
    );
}

#[test]
fn what_is_not_read_is_not_streamed() {
    let said = ReadOptions {
        columns: vec![
            Expected::target("y"),
            Expected::key("id"),
            Expected::ignored("free*"),
            Expected::like("z", ColumnType::Categorical),
        ],
        drop: vec!["no*".into()],
        keep: vec!["id".into()],
        ..options()
    };
    let text = "no,id,free1,z,n,y\n1,01,a,1,2,yes\n2,02,b,2,3,no\n";
    check_cut(text, &said);
    let scratch = Scratch::new();
    let path = [scratch.file("x.csv", text)];
    let scanned = scan(&path, &said).expect("a scan");
    let batch = batches(&path, &scanned.options).expect("a stream").next();
    let batch = batch.expect("a block").expect("a block");
    assert_eq!(
        dump(&batch.frame),
        dump(&read(&path, &said).expect("a table").frame)
    );
    assert_eq!(batch.kept[0].get(1), Some("02"));
}

#[test]
fn a_table_without_rows() {
    let empty = ReadOptions {
        may_be_empty: true,
        ..options()
    };
    check_cut("a,b\n", &empty);
    check_cut("a,b\n", &options());
}

#[cfg(unix)]
#[test]
fn what_can_be_read_only_once_is_not_scanned() {
    let scratch = Scratch::new();
    let pipe = scratch.path("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo").success());
    // It is not even opened: that would wait for somebody who writes.
    for (input, name) in [("-", "standard input"), (pipe.as_str(), "pipe")] {
        let error = scan(&[input.to_owned()], &options()).expect_err("read once");
        assert_eq!(error.code(), Code::Usage);
        assert_eq!(
            scratch.tidy(&error.to_string()),
            format!(
                "error[U01]: {name} can be read once only, but tables larger than memory are read several times\n  help: write it to a file first, and give the file"
            )
        );
    }
}
