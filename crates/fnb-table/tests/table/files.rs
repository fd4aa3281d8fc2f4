//! Several files, compression, encodings, quotes, headers: the same table whatever the wrapping.

use crate::scratch::{Scratch, dump, kinds, options, read, read_cut, read_text, read_with};
use fnb_table::{Format, ReadOptions};
use std::fmt::Write as _;
use std::io::Write;

const PLAIN: &str = "n,c,d\n1,é,2025-01-01\n,b,2025-01-02\n2.5,,\n";

fn plain() -> Vec<String> {
    dump(&read_text(PLAIN).frame)
}

#[test]
fn the_plain_table() {
    let expected = [
        "n: num [1.0, NaN, 2.5]",
        r#"c: cat [Some("é"), Some("b"), None]"#,
        "d: Date [20089, 20090, -9223372036854775808]",
    ];
    assert_eq!(plain(), expected);
    assert_eq!(
        read_text(PLAIN).info.to_string(),
        "comma separated text with quotes, header, UTF-8"
    );
}

#[test]
fn compression() {
    let scratch = Scratch::new();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(PLAIN.as_bytes()).expect("memory");
    let gzip = gzip.finish().expect("memory");
    let zstd = zstd::encode_all(PLAIN.as_bytes(), 3).expect("memory");
    for (name, bytes) in [
        ("x.csv.gz", &gzip),
        ("x.csv.zst", &zstd),
        ("unnamed", &gzip),
    ] {
        let table = read(&[scratch.file(name, bytes)], &options()).expect("a table");
        assert_eq!(dump(&table.frame), plain(), "{name}");
    }
    // Concatenated archives are one file.
    let (first, second) = PLAIN.split_at(20);
    let parts = [first, second].map(|part| {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        gzip.write_all(part.as_bytes()).expect("memory");
        gzip.finish().expect("memory")
    });
    let table = read(&[scratch.file("two.gz", parts.concat())], &options()).expect("a table");
    assert_eq!(dump(&table.frame), plain());
}

#[test]
fn encodings() {
    let marked = |mark: &[u8], encode: fn(u16) -> [u8; 2]| {
        let mut bytes = mark.to_vec();
        bytes.extend(PLAIN.encode_utf16().flat_map(encode));
        bytes
    };
    let little = read_text(marked(&[0xff, 0xfe], u16::to_le_bytes));
    assert_eq!(dump(&little.frame), plain());
    assert_eq!(little.info.encoding, Some("UTF-16LE"));
    let big = read_text(marked(&[0xfe, 0xff], u16::to_be_bytes));
    assert_eq!(dump(&big.frame), plain());
    assert_eq!(big.info.encoding, Some("UTF-16BE"));
    assert_eq!(dump(&read_text(format!("\u{feff}{PLAIN}")).frame), plain());
    // More than one block of the decoder.
    let long = format!("n,c\n{}", "1,é😀\n2,x\n".repeat(50_000));
    let mut bytes = vec![0xff, 0xfe];
    bytes.extend(long.encode_utf16().flat_map(u16::to_le_bytes));
    assert_eq!(dump(&read_text(bytes).frame), dump(&read_text(long).frame));
}

#[test]
fn line_ends() {
    assert_eq!(dump(&read_text(PLAIN.replace('\n', "\r\n")).frame), plain());
    assert_eq!(dump(&read_text(PLAIN.trim_end()).frame), plain());
    assert_eq!(
        dump(&read_text(format!("\n{PLAIN}\n\r\n\n")).frame),
        plain()
    );
    assert_eq!(dump(&read_text(PLAIN.replace('\n', "\n\n")).frame), plain());
}

#[test]
fn separators() {
    for separator in ["\t", ";", "|"] {
        let table = read_text(PLAIN.replace(',', separator));
        assert_eq!(dump(&table.frame), plain());
        assert_eq!(table.info.separator, Some(separator.as_bytes()[0]));
    }
    let given = ReadOptions {
        separator: Some(b'#'),
        ..options()
    };
    assert_eq!(
        dump(&read_with(PLAIN.replace(',', "#"), &given).frame),
        plain()
    );
}

#[test]
fn headers() {
    let rows = PLAIN.split_once('\n').expect("lines").1;
    let table = read_with(
        rows,
        &ReadOptions {
            header: Some(false),
            ..options()
        },
    );
    let renamed: Vec<String> = plain()
        .iter()
        .zip(1..)
        .map(|(c, i)| format!("Var{i}{}", &c[1..]))
        .collect();
    assert_eq!(dump(&table.frame), renamed);
    let table = read_text("5.1,setosa\n4.9,setosa\n");
    assert!(!table.info.header);
    assert_eq!(dump(&table.frame)[0], "Var1: num [5.1, 4.9]");
    let table = read_text(",a b, c\n1,2,x\n2,3,y\n");
    let names: Vec<&str> = table
        .frame
        .columns()
        .iter()
        .map(|c| c.name.as_str())
        .collect();
    assert_eq!(names, ["Var1", "a b", " c"]);
    assert!(
        table.info.warnings[0]
            .message
            .ends_with("column 1 has no name, it is called Var1")
    );
}

#[test]
fn quotes() {
    let table = read_text("a,b,c\n\"x, \"\"y\"\"\",\"1,5\",\"line\nbreak\"\nsay \"hi\",2,\"\"\n");
    assert_eq!(
        dump(&table.frame),
        [
            r#"a: cat [Some("x, \"y\""), Some("say \"hi\"")]"#,
            "b: num [1.5, 2.0]",
            r#"c: cat [Some("line\nbreak"), None]"#
        ]
    );
    let table = read_text("a\tb\n\"hi\" he said\t5\" nail\nx\ty\n");
    assert!(!table.info.quoting);
    assert_eq!(
        dump(&table.frame),
        [
            r#"a: cat [Some("\"hi\" he said"), Some("x")]"#,
            r#"b: cat [Some("5\" nail"), Some("y")]"#
        ]
    );
    let table = read_text("\"a\",\"b\"\n\"1\",\"2\"\n\"3\",\"4\"\n");
    assert_eq!(
        dump(&table.frame),
        ["a: num [1.0, 3.0]", "b: num [2.0, 4.0]"]
    );
}

/// A table with quotes, line breaks, missing values and columns whose type shows late.
fn awkward() -> String {
    let mut text = String::from("id,late_text,late_date,quoted,number\n");
    for i in 0..400 {
        let late = if i == 390 {
            "oops".to_owned()
        } else {
            i.to_string()
        };
        let date = if i < 200 { "" } else { "2025-01-01" };
        let quoted = match i % 5 {
            0 => "\"a,b\"",
            1 => "\"two\nlines\"",
            2 => "\"say \"\"hi\"\"\"",
            3 => "",
            _ => "pl\"ain",
        };
        writeln!(
            text,
            "id{},{late},{date},{quoted},{}",
            i % 37,
            f64::from(i) / 7.0
        )
        .expect("memory");
    }
    text
}

#[test]
fn the_table_does_not_depend_on_how_the_file_is_cut() {
    let scratch = Scratch::new();
    let path = scratch.file("x.csv", awkward());
    let whole = read(std::slice::from_ref(&path), &options()).expect("a table");
    assert_eq!(
        kinds(&whole),
        [
            "categorical",
            "categorical",
            "date",
            "categorical",
            "numerical"
        ]
    );
    assert_eq!(whole.info.columns[2].missing, Some(200));
    for bytes in [1, 7, 40, 64, 100, 1000, 4099, 1 << 20] {
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .expect("threads");
            let cut = pool.install(|| read_cut(&path, bytes));
            assert_eq!(
                dump(&cut.frame),
                dump(&whole.frame),
                "{bytes} bytes, {threads} threads"
            );
            assert_eq!(cut.info, whole.info);
        }
    }
}

#[test]
fn lines_are_counted_across_pieces_and_quoted_line_breaks() {
    let scratch = Scratch::new();
    let lines = awkward().lines().count();
    let path = scratch.file("x.csv", awkward() + "1,2\n");
    for bytes in [1, 50, 1000, 1 << 20] {
        let error = fnb_table::read_in_pieces(std::slice::from_ref(&path), &options(), bytes)
            .expect_err("an error");
        let expected = format!("x.csv: line {} has 2 fields, 5 expected", lines + 1);
        assert_eq!(scratch.tidy(error.message()), expected);
    }
}

#[test]
fn several_files_are_one_table() {
    let scratch = Scratch::new();
    let whole = read(&[scratch.file("whole.csv", awkward())], &options()).expect("a table");
    let text = awkward();
    let (header, rows) = text.split_once('\n').expect("a header");
    // Cut before rows 100 and 395, so that the types show in the second and third file.
    let at = |i: usize| rows.find(&format!("id{},{i},", i % 37)).expect("the row");
    let (first, second) = (at(100), at(395));
    std::fs::create_dir(scratch.path("parts")).expect("a directory");
    for (name, rows) in [
        ("a", &rows[..first]),
        ("b", &rows[first..second]),
        ("c", &rows[second..]),
    ] {
        scratch.file(&format!("parts/{name}.csv"), format!("{header}\n{rows}"));
    }
    scratch.file("parts/_README.txt", "not data");
    scratch.file("parts/notes.md", "not data");
    let given: Vec<String> = ["a", "b", "c"]
        .iter()
        .map(|n| scratch.path(&format!("parts/{n}.csv")))
        .collect();
    for inputs in [
        vec![scratch.path("parts")],
        vec![scratch.path("parts/?.csv")],
        given,
    ] {
        let table = read(&inputs, &options()).expect("a table");
        assert_eq!(dump(&table.frame), dump(&whole.frame));
        assert_eq!(table.info.files.len(), 3);
    }
}

#[test]
fn columns_of_several_files_are_matched_by_name() {
    let scratch = Scratch::new();
    let first = scratch.file("1.csv", "a,b,c\n1,x,2\n");
    let second = scratch.file("2.csv", "c,a,b\n3,4,y\n");
    let table = read(&[first.clone(), second.clone()], &options()).expect("a table");
    let expected = [
        "a: num [1.0, 4.0]",
        r#"b: cat [Some("x"), Some("y")]"#,
        "c: num [2.0, 3.0]",
    ];
    assert_eq!(dump(&table.frame), expected);
    // In the order given, not sorted.
    let table = read(&[second, first], &options()).expect("a table");
    assert_eq!(dump(&table.frame)[1], "a: num [4.0, 1.0]");
    assert_eq!(table.info.format, Format::Text);
}

#[test]
fn a_file_without_rows_among_others() {
    let scratch = Scratch::new();
    let paths = [
        scratch.file("1.csv", "a,b\n"),
        scratch.file("2.csv", "a,b\n1,x\n"),
        scratch.file("3.csv", "a,b\n"),
    ];
    let table = read(&paths, &options()).expect("a table");
    assert_eq!(
        dump(&table.frame),
        [r#"a: cat [Some("1")]"#, r#"b: cat [Some("x")]"#]
    );
}

#[test]
fn very_many_columns() {
    let columns = 20_000;
    let names: Vec<String> = (0..columns).map(|i| format!("v{i}")).collect();
    let row = |r: usize| {
        (0..columns)
            .map(|i| (i * r % 10).to_string())
            .collect::<Vec<_>>()
            .join("\t")
    };
    let rows: Vec<String> = (2..30).map(row).collect();
    let table = read_text(format!("{}\n{}\n", names.join("\t"), rows.join("\n")));
    assert_eq!(
        (table.frame.rows(), table.frame.columns().len()),
        (28, columns)
    );
    assert_eq!(dump(&table.frame)[3].get(..19), Some("v3: num [6.0, 9.0, "));
}
