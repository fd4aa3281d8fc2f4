//! Outputs: formats, quoting, and nothing left behind.

use crate::scratch::{Scratch, dump, options, read};
use fnb::columns::CategoricalColumn;
use fnb_table::{OutputData, OutputKind, TableWriter, write_atomically};
use std::path::Path;

const COLUMNS: [(&str, OutputKind); 4] = [
    ("id", OutputKind::Text),
    ("class", OutputKind::Text),
    ("proba, yes", OutputKind::Number),
    ("row", OutputKind::Integer),
];

fn write(path: &str) -> fnb::Result<()> {
    let mut writer = TableWriter::create(path, &COLUMNS)?;
    let labels = ["no".to_owned(), "yes".to_owned()];
    for batch in 0..2_i64 {
        let id: CategoricalColumn = [Some("a,\"b\"\nc"), None, Some("t\tu")]
            .into_iter()
            .collect();
        writer.write(&[
            OutputData::Categories(&id),
            OutputData::Labels {
                codes: &[0, 1, 1],
                labels: &labels,
            },
            OutputData::Numbers(&[0.5, 1e-7, f64::NAN]),
            OutputData::Integers(&[3 * batch, 3 * batch + 1, -1]),
        ])?;
    }
    writer.finish()
}

fn files(scratch: &Scratch) -> Vec<String> {
    let entries = Path::new(&scratch.path(""))
        .read_dir()
        .expect("a directory");
    let mut names: Vec<String> = entries
        .map(|e| {
            e.expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.sort();
    names
}

#[test]
fn csv_and_tsv() {
    let scratch = Scratch::new();
    write(&scratch.path("x.csv")).expect("written");
    let text = std::fs::read_to_string(scratch.path("x.csv")).expect("a file");
    assert!(text.starts_with("id,class,\"proba, yes\",row\n\"a,\"\"b\"\"\nc\",no,0.5,0\n,yes,0.0000001,1\nt\tu,yes,,-1\n"), "{text}");
    write(&scratch.path("x.tsv")).expect("written");
    let text = std::fs::read_to_string(scratch.path("x.tsv")).expect("a file");
    assert!(
        text.starts_with("id\tclass\tproba, yes\trow\n\"a,\"\"b\"\"\nc\"\tno\t0.5\t0\n"),
        "{text}"
    );
    assert!(text.contains("\"t\tu\"\tyes\t\t-1\n"), "{text}");
}

#[test]
fn every_format_reads_back() {
    let scratch = Scratch::new();
    let names = ["x.csv", "x.csv.gz", "x.parquet", "x.tsv"];
    for name in names {
        write(&scratch.path(name)).expect("written");
        let table = read(&[scratch.path(name)], &options()).expect("a table");
        assert_eq!(
            dump(&table.frame),
            [
                r#"id: cat [Some("a,\"b\"\nc"), None, Some("t\tu"), Some("a,\"b\"\nc"), None, Some("t\tu")]"#,
                r#"class: cat [Some("no"), Some("yes"), Some("yes"), Some("no"), Some("yes"), Some("yes")]"#,
                "proba, yes: num [0.5, 1e-7, NaN, 0.5, 1e-7, NaN]",
                "row: num [0.0, 1.0, -1.0, 3.0, 4.0, -1.0]",
            ],
            "{name}"
        );
    }
    assert_eq!(files(&scratch), names);
}

#[test]
fn nothing_is_left_behind() {
    let scratch = Scratch::new();
    for name in ["x.csv", "x.parquet", "x.csv.gz"] {
        let path = scratch.file(name, "old");
        let writer = TableWriter::create(&path, &COLUMNS).expect("a writer");
        assert_eq!(std::fs::read(&path).expect("a file"), b"old");
        assert_eq!(
            files(&scratch).len(),
            2,
            "the new file is beside the old one"
        );
        drop(writer);
        assert_eq!(files(&scratch), [name]);
        assert_eq!(std::fs::read(&path).expect("a file"), b"old");
        std::fs::remove_file(path).expect("removed");
    }
}

#[test]
fn no_rows_is_a_header() {
    let scratch = Scratch::new();
    TableWriter::create(&scratch.path("x.csv"), &COLUMNS)
        .expect("a writer")
        .finish()
        .expect("finished");
    let text = std::fs::read_to_string(scratch.path("x.csv")).expect("a file");
    assert_eq!(text, "id,class,\"proba, yes\",row\n");
}

#[test]
fn o01_not_writable() {
    let scratch = Scratch::new();
    let error = write(&scratch.path("none/x.csv")).expect_err("an error");
    let text = scratch.tidy(&error.to_string());
    assert!(
        text.starts_with("error[O01]: cannot write none/x.csv: "),
        "{text}"
    );
    assert!(text.ends_with("help: create the directory first"), "{text}");
    let error = write_atomically(Path::new(&scratch.path("")), b"x").expect_err("an error");
    assert!(error.to_string().contains("it is a directory"), "{error}");
}

#[test]
#[cfg(target_os = "linux")]
fn o01_full_disk() {
    let error = write_atomically(Path::new("/dev/full"), b"x").expect_err("an error");
    assert!(error.to_string().contains("free some space"), "{error}");
}
