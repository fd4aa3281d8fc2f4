//! Every error of reading: its code, its place, its next step.

use crate::scratch::{Scratch, options, read};
use fnb::columns::ColumnType;
use fnb_table::{Expected, ReadOptions, TableSchema};

fn check(content: impl AsRef<[u8]>, options: &ReadOptions, expected: &str) {
    assert_eq!(Scratch::new().error(content, options), expected);
}

fn input(scratch: &Scratch, path: &str) -> String {
    let error = read(&[path.to_owned()], &options()).expect_err("an error");
    scratch.tidy(&error.to_string())
}

#[test]
fn d01_missing_file() {
    let scratch = Scratch::new();
    assert_eq!(
        input(&scratch, &scratch.path("none.csv")),
        "error[D01]: none.csv does not exist\n  help: check the path; patterns with * and ? are understood"
    );
}

#[test]
fn d02_no_data_file() {
    let scratch = Scratch::new();
    scratch.file("notes.md", "x");
    let error = input(&scratch, &scratch.path("."));
    assert!(
        error.starts_with("error[D02]: the directory . holds no data file"),
        "{error}"
    );
    let error = input(&scratch, &scratch.path("*.csv"));
    assert_eq!(
        error,
        "error[D02]: no file matches *.csv\n  help: check the path"
    );
}

#[test]
fn d03_empty_file() {
    check(
        "",
        &options(),
        "error[D03]: x.csv is empty\n  help: check how the file was made, and that it was copied whole",
    );
    check(
        "\n\r\n\n",
        &options(),
        "error[D03]: x.csv is empty\n  help: check how the file was made, and that it was copied whole",
    );
    check(
        "\u{feff}",
        &options(),
        "error[D03]: x.csv is empty\n  help: check how the file was made, and that it was copied whole",
    );
}

#[test]
fn d04_header_only() {
    let expected =
        "error[D04]: x.csv has a header but no row\n  help: if its first line is a row, say so";
    check("a,b", &options(), expected);
    check("a,b\n\n\n", &options(), expected);
}

#[test]
fn d05_ragged_row() {
    let help = "\n  help: check separators and quotes in that line";
    check(
        "a,b,c\n1,2,3\n4,5\n",
        &options(),
        &format!("error[D05]: x.csv: line 3 has 2 fields, 3 expected{help}"),
    );
    check(
        "a,b\n1,2\n\n3,4,5,6\n",
        &options(),
        &format!("error[D05]: x.csv: line 4 has 4 fields, 2 expected{help}"),
    );
    check(
        "a,b\r\nx,\"1\r\n2\r\n3\"\r\ny\r\n",
        &options(),
        &format!("error[D05]: x.csv: line 5 has 1 field, 2 expected{help}"),
    );
    let content = "a,b\n".to_owned() + &"\"x\",1\n".repeat(300) + "\"open,2\n3,4\n";
    check(
        content,
        &options(),
        "error[D05]: x.csv: a quotation in line 302 is never closed\n  help: close or remove the quote",
    );
}

#[test]
fn d06_invalid_utf8() {
    let help =
        "\n  help: convert the file, for instance with: iconv -f WINDOWS-1252 -t UTF-8 IN > OUT";
    check(
        b"a,b\n1,2\ncaf\xe9,3\n",
        &options(),
        &format!("error[D06]: x.csv: line 3 is not valid UTF-8{help}"),
    );
    // Far behind what is looked at first.
    let mut content = b"a,b\n".to_vec();
    content.extend(b"x,y\n".repeat(200_000));
    content.extend(b"caf\xe9,3\n");
    check(
        content,
        &options(),
        &format!("error[D06]: x.csv: line 200002 is not valid UTF-8{help}"),
    );
    check(
        b"\xff\xfea\x00\x00\xd8",
        &options(),
        "error[D06]: x.csv: line 1 is not valid UTF-16\n  help: write the file again as UTF-8",
    );
}

#[test]
fn d08_nul_byte() {
    let help = "\n  help: is it UTF-16 or a binary file? convert it, for instance with: iconv -f UTF-16 -t UTF-8";
    check(
        b"a,b\n1,\x002\n",
        &options(),
        &format!("error[D08]: x.csv: line 2 holds a NUL byte{help}"),
    );
    let mut content = b"a,b\n".to_vec();
    content.extend(b"x,y\n".repeat(200_000));
    content.extend(b"x,\x00\n");
    check(
        content,
        &options(),
        &format!("error[D08]: x.csv: line 200002 holds a NUL byte{help}"),
    );
}

#[test]
fn d09_duplicate_name() {
    check(
        "a,b,a\n1,2,3\n",
        &options(),
        "error[D09]: x.csv: columns 1 and 3 are both named \"a\"\n  help: rename one of them; if its first line is a row, say so",
    );
}

#[test]
fn d10_unknown_column() {
    let content = "age,income\n1,2\n3,4\n";
    let types = ReadOptions {
        columns: vec![Expected::like("incme", ColumnType::Categorical)],
        ..options()
    };
    check(
        content,
        &types,
        "error[D10]: x.csv: no column is named \"incme\"\n  help: did you mean \"income\"?",
    );
    let drop = ReadOptions {
        drop: vec!["zz*".into()],
        ..options()
    };
    check(
        content,
        &drop,
        "error[D10]: x.csv: no column matches \"zz*\"\n  help: the columns are \"age\", \"income\"",
    );
    let target = ReadOptions {
        columns: vec![Expected::target("Age")],
        ..options()
    };
    check(
        content,
        &target,
        "error[D10]: x.csv: no column is named \"Age\"\n  help: did you mean \"age\"?",
    );
}

fn expected(name: &str, required: bool) -> Expected {
    Expected {
        required,
        ..Expected::needed(name, ColumnType::Numerical)
    }
}

#[test]
fn d07_not_a_number() {
    let only = ReadOptions {
        columns: vec![expected("age", true)],
        only: true,
        ..options()
    };
    check(
        "id,age\nx,31\ny,n/a\n",
        &only,
        "error[D07]: x.csv: column \"age\" is text in line 3 (\"n/a\") but a number in the model\n  help: correct it, or declare \"n/a\" missing",
    );
}

#[test]
fn d12_missing_column() {
    let only = ReadOptions {
        columns: vec![
            expected("Age", true),
            expected("b", false),
            expected("zzz", true),
        ],
        only: true,
        ..options()
    };
    check(
        "id,age\nx,31\n",
        &only,
        "error[D12]: x.csv: 2 columns that the model needs are absent: \"Age\", \"zzz\"\n  help: is \"Age\" now called \"age\"? rename it back",
    );
}

#[test]
fn d13_damaged_files() {
    let scratch = Scratch::new();
    let error = |name: &str, bytes: &[u8]| input(&scratch, &scratch.file(name, bytes));
    assert!(
        error("a.parquet", b"PAR1 but not really").starts_with("error[D13]: a.parquet is damaged")
    );
    assert!(
        error("b.parquet", b"a,b\n1,2\n")
            .starts_with("error[D13]: b.parquet is not a Parquet file")
    );
    assert!(
        error("a.arrow", b"ARROW1\0\0 but not really")
            .starts_with("error[D13]: a.arrow is damaged")
    );
    assert!(
        error("a.csv.gz", b"\x1f\x8b\x08\x00 damaged")
            .starts_with("error[D13]: a.csv.gz cannot be read")
    );
    assert!(
        error("a.xlsx", b"PK\x03\x04")
            .starts_with("error[D13]: a.xlsx is a zip archive or a spreadsheet")
    );
}

#[test]
fn d15_files_differ() {
    let scratch = Scratch::new();
    let paths = |second: &str| {
        [
            scratch.file("1.csv", "a,b\n1,2\n"),
            scratch.file("2.csv", second),
        ]
    };
    let error = |second: &str| {
        scratch.tidy(
            &read(&paths(second), &options())
                .expect_err("an error")
                .to_string(),
        )
    };
    let help = "\n  help: files of one table must have the same columns; read them apart";
    assert_eq!(
        error("a,c\n1,2\n"),
        format!("error[D15]: 2.csv: column \"c\" is not in 1.csv{help}")
    );
    assert_eq!(
        error("a\n1\n"),
        format!("error[D15]: 2.csv: column \"b\" is absent, but it is in 1.csv{help}")
    );
    let mixed = scratch.file("3.parquet", b"PAR1");
    let error = read(&[scratch.path("1.csv"), mixed], &options()).expect_err("an error");
    assert!(error.to_string().contains("error[D15]"), "{error}");
}

#[test]
fn d16_number_out_of_range() {
    check(
        "x,y\n1,2\n1e999,3\n",
        &options(),
        "error[D16]: x.csv: column \"x\" holds \"1e999\" in line 3, which is too large for a number\n  help: correct it, or read column \"x\" as categories",
    );
    // A column of categories may hold anything.
    let scratch = Scratch::new();
    let path = scratch.file("x.csv", "x,y\n1e999,2\na,3\n");
    assert!(read(&[path], &options()).is_ok());
}

#[test]
fn d18_invalid_schema() {
    for (json, message) in [
        ("{", "EOF while parsing an object at line 1 column 1"),
        (
            r#"{"columns": [{"name": "a", "type": "number"}]}"#,
            "column \"a\": \"number\" is not a type: numerical (num), ",
        ),
        (
            r#"{"columns": [{"name": "a"}]}"#,
            "column \"a\": its type is missing: ",
        ),
        (
            r#"{"columns": [{"name": "a", "role": "target"}]}"#,
            "column \"a\": its role \"target\" is none of one table",
        ),
        (r#"{"columns": [], "sep": ","}"#, "unknown field `sep`"),
        (
            r#"{"columns": [], "separator": "é"}"#,
            "'é' cannot be a separator",
        ),
        (
            r#"{"columns": [{"name": "a", "type": "text"}, {"name": "a", "type": "date"}]}"#,
            "column \"a\" is there twice",
        ),
    ] {
        let error = TableSchema::parse(json).expect_err("an error").to_string();
        assert!(
            error.starts_with("error[D18]: invalid schema: ") && error.contains(message),
            "{error}"
        );
    }
    let schema =
        TableSchema::parse(r#"{"columns": [{"name": "c", "type": "text"}]}"#).expect("valid");
    check(
        "a,b\n1,2\n",
        &options().with_schema(&schema),
        "error[D10]: x.csv: schema: no column is named \"c\"\n  help: the columns are \"a\", \"b\"",
    );
}
