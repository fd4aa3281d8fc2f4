//! Tables that do not fit in memory: the same models, and nothing left in the temporary folder.

use crate::scratch::{Numbers, Scratch, refused};
use arrow::array::{ArrayRef, Date32Array, Float64Array, StringArray};
use arrow::ipc::writer::FileWriter;
use arrow::record_batch::RecordBatch;
use flate2::{Compression, write::GzEncoder};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use std::io::Write;
use std::process::Command;
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

const ROWS: usize = 160_000;

/// The least that may be given: most of what is held is spilled.
const LEAST: &str = "64M";

/// Numbers that are all distinct, numbers that are missing, categories, dates, weights, and two targets.
fn table() -> RecordBatch {
    let mut draw = Numbers::new(8);
    let classes: Vec<u64> = (0..ROWS).map(|_| draw.below(20)).collect();
    let mut columns: Vec<(String, ArrayRef)> = Vec::new();
    for column in 0..8 {
        let mut number = |(row, class): (usize, &u64)| match (column, draw.below(9)) {
            (2, 0) => None,
            (0 | 1, _) => Some(draw.share() + *class as f64 * 0.01 + row as f64 * 1e-7),
            (_, _) => Some((draw.below(2000) + class * column * 9) as f64 / 4.0),
        };
        let numbers: Float64Array = classes.iter().enumerate().map(&mut number).collect();
        columns.push((format!("x{column}"), Arc::new(numbers)));
    }
    let mut text =
        |class: &u64| (draw.below(5) > 0).then(|| format!("c{}", draw.below(30) + class % 3));
    let texts: StringArray = classes.iter().map(&mut text).collect();
    columns.push(("category".into(), Arc::new(texts)));
    let days = classes
        .iter()
        .map(|class| Some((draw.below(900) * 7 + class % 7) as i32));
    columns.push(("day".into(), Arc::new(days.collect::<Date32Array>())));
    let weights = classes.iter().map(|_| Some(draw.below(12) as f64 / 4.0));
    columns.push(("weight".into(), Arc::new(weights.collect::<Float64Array>())));
    let twenty = classes.iter().map(|class| Some(format!("class {class}")));
    columns.push(("twenty".into(), Arc::new(twenty.collect::<StringArray>())));
    let two = classes
        .iter()
        .map(|class| Some(if class % 2 == 0 { "even" } else { "odd" }));
    columns.push(("two".into(), Arc::new(two.collect::<StringArray>())));
    RecordBatch::try_from_iter(columns).unwrap()
}

/// The table as text; dates as they are written.
fn text(table: &RecordBatch) -> String {
    let schema = table.schema();
    let names: Vec<&str> = schema
        .fields()
        .iter()
        .map(|field| field.name().as_str())
        .collect();
    let mut text = names.join(",") + "\n";
    for row in 0..table.num_rows() {
        for (i, column) in table.columns().iter().enumerate() {
            text.push_str(if i > 0 { "," } else { "" });
            let any = column.as_any();
            if column.is_null(row) {
            } else if let Some(numbers) = any.downcast_ref::<Float64Array>() {
                text.push_str(&numbers.value(row).to_string());
            } else if let Some(texts) = any.downcast_ref::<StringArray>() {
                text.push_str(texts.value(row));
            } else if let Some(days) = any.downcast_ref::<Date32Array>() {
                text.push_str(&days.value_as_date(row).unwrap().to_string());
            }
        }
        text.push('\n');
    }
    text
}

/// Trains with a temporary folder of its own: what was said, and the model. Nothing may be left.
fn train(scratch: &Scratch, arguments: &str, memory: Option<&str>) -> (String, Vec<u8>) {
    let folder = scratch.path("tmp");
    std::fs::create_dir_all(&folder).unwrap();
    let mut words = vec!["train"];
    words.extend(arguments.split_whitespace());
    words.extend(["-o", "m.json"]);
    words.extend(memory.into_iter().flat_map(|memory| ["--memory", memory]));
    let output = scratch
        .command(&words)
        .env("TMPDIR", &folder)
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{words:?}: {stderr}");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    (stderr, scratch.read("m.json"))
}

/// MiB that were spilled, as the program says at its end.
fn spilled(stderr: &str) -> u64 {
    let lines = || stderr.lines();
    let line = lines().find_map(|line| line.strip_prefix("spilled "));
    let number = line.and_then(|line| line.split(' ').next());
    number.map_or(0, |number| number.replace(',', "").parse().unwrap())
}

#[track_caller]
fn same_with_little_memory(scratch: &Scratch, arguments: &str) {
    let (stderr, expected) = train(scratch, arguments, None);
    assert_eq!(spilled(&stderr), 0, "{stderr}");
    let (stderr, found) = train(scratch, arguments, Some(LEAST));
    assert!(spilled(&stderr) > 3, "{stderr}");
    assert!(found == expected, "{arguments}: another model");
}

#[test]
fn every_format_gives_the_same_model() {
    let scratch = Scratch::new();
    let table = table();
    let csv = text(&table);
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(csv.as_bytes()).unwrap();
    scratch
        .write("d.csv", &csv)
        .write("d.csv.gz", packed.finish().unwrap());
    let mut arrow = FileWriter::try_new(Vec::new(), &table.schema()).unwrap();
    let groups = WriterProperties::builder()
        .set_max_row_group_row_count(Some(15_000))
        .build();
    let mut parquet = ArrowWriter::try_new(Vec::new(), table.schema(), Some(groups)).unwrap();
    for start in (0..ROWS).step_by(20_000) {
        let rows = table.slice(start, 20_000);
        arrow.write(&rows).unwrap();
        parquet.write(&rows).unwrap();
    }
    scratch.write("d.arrow", arrow.into_inner().unwrap());
    scratch.write("d.parquet", parquet.into_inner().unwrap());
    for file in ["d.csv", "d.csv.gz", "d.arrow", "d.parquet"] {
        same_with_little_memory(&scratch, &format!("{file} -t two --drop twenty"));
    }
    // The plan says what is held.
    let (stderr, _) = train(&scratch, "d.parquet -t two --drop twenty", Some(LEAST));
    assert!(
        stderr.contains("memory: 64 MiB at most; of about "),
        "{stderr}"
    );
    assert!(
        stderr.contains(" 22 MiB are held, the rest is spilled to "),
        "{stderr}"
    );

    let weighted = "d.csv -t two --drop twenty --weight weight --class-weight balanced";
    same_with_little_memory(&scratch, weighted);
    same_with_little_memory(&scratch, "d.csv -t twenty --drop two --interactions none");

    ends_leave_nothing(&scratch);
}

/// Ctrl-C, a kill, an error: while the program spills, its file has no name.
fn ends_leave_nothing(scratch: &Scratch) {
    let folder = scratch.path("tmp");
    for signal in ["-INT", "-KILL"] {
        let words = [
            "train", "d.csv", "-t", "two", "-o", "k.json", "--cv", "10", "--memory", LEAST,
        ];
        let mut child = scratch
            .command(&words)
            .env("TMPDIR", &folder)
            .spawn()
            .unwrap();
        let id = child.id().to_string();
        // Until it has mapped its file.
        let is_mapped = || {
            let maps = std::fs::read_to_string(format!("/proc/{id}/maps")).unwrap_or_default();
            maps.lines()
                .any(|line| line.ends_with("(deleted)") && line.contains("/tmp/"))
        };
        for _ in 0..1000 {
            if is_mapped() {
                break;
            }
            sleep(Duration::from_millis(5));
        }
        sleep(Duration::from_millis(500));
        assert!(is_mapped(), "it does not spill, or was too quick");
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
        let sent = Command::new("kill").args([signal, &id]).status().unwrap();
        assert!(sent.success());
        assert!(!child.wait().unwrap().success());
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
        assert!(!scratch.path("k.json").exists());
    }
    let ragged = scratch.text("d.csv") + "1,2,3\n";
    scratch.write("ragged.csv", ragged);
    let words = ["train", "ragged.csv", "-t", "two", "--memory", LEAST];
    let output = scratch
        .command(&words)
        .env("TMPDIR", &folder)
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("error[D05]"), "{stderr}");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
}

#[test]
fn limits_that_cannot_be() {
    let scratch = Scratch::new();
    scratch.write("d.csv", "x,class\n1,a\n2,b\n");
    for (size, texts) in [
        ("1M", ["--memory is 1 MiB", "the least is 64 MiB"]),
        ("lots", ["invalid value 'lots'", "512M or 2G"]),
        ("0", ["--memory is 0 MiB", "64M"]),
        ("-1", ["'-1'", "512M or 2G"]),
        ("", ["''", "512M or 2G"]),
    ] {
        let words = [
            "train", "d.csv", "-t", "class", "-o", "m.json", "--memory", size,
        ];
        let run = scratch.fnb_words(&words);
        crate::scratch::assert_refused(&scratch, &["d.csv".into()], &run, "U01", &texts);
    }
    let run = scratch.command(&["train", "d.csv", "-t", "class", "--memory", "1G"]);
    let output = { run }
        .env("TMPDIR", scratch.path("absent"))
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    assert!(stderr.contains("error[O01]: cannot spill to "), "{stderr}");
    assert!(stderr.contains("TMPDIR"), "{stderr}");
    refused(
        &scratch,
        "train absent.csv -t class --memory 1G",
        "D01",
        &["absent.csv"],
    );
}

#[test]
fn small_tables_do_not_need_the_folder() {
    let scratch = Scratch::new();
    scratch.write("d.csv", format!("x,class\n{}", "1,a\n2,b\n".repeat(50)));
    let run = scratch.command(&["train", "d.csv", "-t", "class"]);
    let output = { run }
        .env("TMPDIR", scratch.path("absent"))
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert!(!stderr.contains("spill"), "{stderr}");
}
