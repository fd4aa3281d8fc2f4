//! Damaged Arrow and Parquet files: any damage is an error of the file, or does not show.

use crate::data::outside;
use crate::scratch::{Scratch, read};
use arrow::array::{
    ArrayRef, BooleanArray, Date32Array, DictionaryArray, Float64Array, Int64Array, RecordBatch,
    StringArray, StringViewArray,
};
use arrow::datatypes::Int8Type;
use arrow::ipc::CompressionType;
use arrow::ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use fnb::Code;
use fnb::columns::ColumnType;
use fnb_table::{Expected, ReadOptions, batches};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use rayon::prelude::*;
use std::sync::Arc;

fn table() -> RecordBatch {
    let n = 40;
    let text = |i: i64| format!("the value of row number {}", i % 7);
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("int", Arc::new((0..n).collect::<Int64Array>())),
        (
            "float",
            Arc::new(
                (0..n)
                    .map(|i| (i % 5 != 0).then_some(i as f64 / 8.0))
                    .collect::<Float64Array>(),
            ),
        ),
        (
            "text",
            Arc::new((0..n).map(|i| Some(text(i))).collect::<StringArray>()),
        ),
        (
            "view",
            Arc::new((0..n).map(|i| Some(text(i))).collect::<StringViewArray>()),
        ),
        (
            "dictionary",
            Arc::new(
                (0..n)
                    .map(|i| ["a", "b", "c"][i as usize % 3])
                    .collect::<DictionaryArray<Int8Type>>(),
            ),
        ),
        (
            "bool",
            Arc::new((0..n).map(|i| Some(i % 2 == 0)).collect::<BooleanArray>()),
        ),
        (
            "date",
            Arc::new((0..n as i32).map(Some).collect::<Date32Array>()),
        ),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, c)| (n, c, true)))
        .expect("a batch")
}

fn arrow(compression: Option<CompressionType>, stream: bool) -> Vec<u8> {
    let batch = table();
    let options = IpcWriteOptions::default()
        .try_with_compression(compression)
        .expect("options");
    let (mut bytes, schema) = (Vec::new(), batch.schema());
    if stream {
        let mut writer =
            StreamWriter::try_new_with_options(&mut bytes, &schema, options).expect("a writer");
        writer.write(&batch).expect("written");
        writer.finish().expect("closed");
    } else {
        let mut writer =
            FileWriter::try_new_with_options(&mut bytes, &schema, options).expect("a writer");
        writer.write(&batch).expect("written");
        writer.finish().expect("closed");
    }
    bytes
}

fn parquet(compression: Compression) -> Vec<u8> {
    let batch = table();
    let properties = WriterProperties::builder()
        .set_compression(compression)
        .set_max_row_group_row_count(Some(25))
        .build();
    let mut bytes = Vec::new();
    let mut writer =
        ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).expect("a writer");
    writer.write(&batch).expect("written");
    writer.close().expect("closed");
    bytes
}

/// Reads a file at once and in batches: whatever it holds, there is a table or an error about data.
fn survives(path: &str, damage: &str) -> bool {
    let inputs = [path.to_owned()];
    let one = vec![Expected::needed("float", ColumnType::Numerical)];
    let whole = read(&inputs, &ReadOptions::default()).map(|_| ());
    let stream = batches(&inputs, &ReadOptions::only(one))
        .and_then(|mut batches| batches.try_for_each(|batch| batch.map(|_| ())));
    for result in [&whole, &stream] {
        if let Err(error) = result {
            let text = error.to_string();
            assert!(text.starts_with("error[D"), "{damage}: {text}");
            if error.code() == Code::UnreadableFile {
                assert!(text.contains(path) && text.contains("help: "), "{text}");
            }
        }
    }
    whole.is_ok()
}

/// Damages a file in every place: a byte, eight bytes that claim 2^40, the end.
fn damage(name: &str, bytes: &[u8]) {
    let scratch = Scratch::new();
    let sound = scratch.file(name, bytes);
    assert!(survives(&sound, "no damage"), "{name}");
    let survivors: usize = (0..bytes.len())
        .into_par_iter()
        .map(|at| {
            let try_out = |kind: &str, damaged: &[u8]| {
                let path = scratch.file(&format!("{at}-{kind}-{name}"), damaged);
                let whole = survives(&path, &format!("{name}: {kind} at {at}"));
                std::fs::remove_file(path).expect("removed");
                usize::from(whole)
            };
            let mut damaged = bytes.to_vec();
            damaged[at] ^= [0xff, 0x80, 0x01, 0x10][at % 4];
            let mut whole = try_out("byte", &damaged);
            if at % 4 == 0 && at + 8 <= bytes.len() {
                let mut damaged = bytes.to_vec();
                damaged[at..at + 8].copy_from_slice(&(1_u64 << 40).to_le_bytes());
                whole += try_out("claim", &damaged);
            }
            if at % 16 == 5 {
                whole += try_out("cut", &bytes[..at]);
            }
            whole
        })
        .sum();
    assert!(survivors < bytes.len(), "most damage shows: {survivors}");
}

#[test]
fn damaged_arrow_files_are_errors() {
    damage("x.arrow", &arrow(None, false));
    damage("z.arrow", &arrow(Some(CompressionType::ZSTD), false));
}

#[test]
fn damaged_arrow_streams_are_errors() {
    damage("x.arrows", &arrow(None, true));
    damage("l.arrows", &arrow(Some(CompressionType::LZ4_FRAME), true));
}

#[test]
fn damaged_parquet_files_are_errors() {
    damage("x.parquet", &parquet(Compression::UNCOMPRESSED));
    damage("s.parquet", &parquet(Compression::SNAPPY));
    let zstd = Compression::ZSTD(ZstdLevel::default());
    damage("z.parquet", &parquet(zstd));
}

#[test]
fn a_page_that_claims_two_gigabytes_is_refused() {
    let mut bytes = parquet(Compression::SNAPPY);
    // The first page follows the mark of the format: its kind, then its size.
    assert_eq!((bytes[4], bytes[6]), (0x15, 0x15), "a header");
    let size = 7..bytes[7..]
        .iter()
        .position(|b| b & 0x80 == 0)
        .expect("an end")
        + 8;
    bytes.splice(size, [0xfe, 0xff, 0xff, 0xff, 0x0f]);
    let scratch = Scratch::new();
    let path = scratch.file("x.parquet", bytes);
    let error = read(&[path], &ReadOptions::default()).expect_err("a claim");
    assert_eq!(error.code(), Code::UnreadableFile);
    assert!(
        error.message().ends_with("is said to hold 2147483647"),
        "{error}"
    );
}

#[test]
fn damaged_files_that_were_found_are_d13() {
    let Some(folder) = outside("repro") else {
        return;
    };
    let mut found = 0;
    for entry in folder.read_dir().expect("a folder") {
        let path = entry.expect("a file").path();
        let name = path.file_name().and_then(|n| n.to_str()).expect("a name");
        if !name.starts_with("damaged_") {
            continue;
        }
        let path = path.display().to_string();
        let error = read(&[path], &ReadOptions::default()).expect_err(name);
        assert_eq!(error.code(), Code::UnreadableFile, "{error}");
        found += 1;
    }
    assert!(found > 0, "no damaged file in {}", folder.display());
}
