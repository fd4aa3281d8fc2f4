//! Parquet and Arrow files.

use crate::scratch::{Scratch, dump, kinds, options, read, read_text};
use arrow::array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Date64Array, Decimal128Array,
    DictionaryArray, DurationMillisecondArray, DurationNanosecondArray, Float32Array, Float64Array,
    Int32Array, Int64Array, NullArray, RecordBatch, StringArray, StringViewArray,
    Time32SecondArray, Time64NanosecondArray, TimestampMicrosecondArray, TimestampNanosecondArray,
    TimestampSecondArray,
};
use arrow::datatypes::Int8Type;
use arrow::ipc::writer::{FileWriter, StreamWriter};
use fnb::columns::{ColumnData, ColumnType, TemporalColumn};
use fnb_table::{Expected, Format, ReadOptions, batches, from_record_batches};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use std::fmt::Write as _;
use std::sync::Arc;

pub(crate) fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, c)| (n, c, true)))
        .expect("a batch")
}

fn every_type() -> RecordBatch {
    batch(vec![
        (
            "int",
            Arc::new(Int64Array::from(vec![Some(0), Some(1), None])),
        ),
        (
            "float",
            Arc::new(Float64Array::from(vec![0.1 + 0.2, f64::NAN, -0.0])),
        ),
        (
            "single",
            Arc::new(Float32Array::from(vec![Some(0.1), None, Some(1e30)])),
        ),
        (
            "decimal",
            Arc::new(
                Decimal128Array::from(vec![Some(150), None, Some(-25)])
                    .with_precision_and_scale(10, 2)
                    .expect("a decimal"),
            ),
        ),
        (
            "bool",
            Arc::new(BooleanArray::from(vec![Some(true), Some(false), None])),
        ),
        (
            "text",
            Arc::new(StringArray::from(vec![Some(""), Some(" a "), None])),
        ),
        (
            "view",
            Arc::new(StringViewArray::from(vec![Some("x"), Some("5"), None])),
        ),
        (
            "dictionary",
            Arc::new(
                vec![Some("u"), None, Some("u")]
                    .into_iter()
                    .collect::<DictionaryArray<Int8Type>>(),
            ),
        ),
        (
            "long",
            Arc::new(StringArray::from(vec![Some("z".repeat(100)), None, None])),
        ),
        ("date", Arc::new(Date32Array::from(vec![1, 2, 3]))),
        (
            "stamp",
            Arc::new(TimestampMicrosecondArray::from(vec![1, 2, 3])),
        ),
        ("null", Arc::new(NullArray::new(3))),
        (
            "binary",
            Arc::new(BinaryArray::from(vec![b"a".as_slice(), b"b", b"c"])),
        ),
    ])
}

/// A hundred letters make a text.
const LONG: &str = concat!(
    "long: text [Some(\"",
    "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz",
    "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz",
    "\"), None, None]"
);

const EXPECTED: [&str; 13] = [
    "int: num [0.0, 1.0, NaN]",
    "float: num [0.3, NaN, 0.0]",
    "single: num [0.1, NaN, 1e30]",
    "decimal: num [1.5, NaN, -0.25]",
    r#"bool: cat [Some("true"), Some("false"), None]"#,
    r#"text: cat [Some(""), Some(" a "), None]"#,
    r#"view: cat [Some("x"), Some("5"), None]"#,
    r#"dictionary: cat [Some("u"), None, Some("u")]"#,
    LONG,
    "date: Date [1, 2, 3]",
    "stamp: Timestamp [1, 2, 3]",
    "null: cat [None, None, None]",
    "binary: unused ignored",
];

pub(crate) fn parquet_file(
    scratch: &Scratch,
    name: &str,
    batch: &RecordBatch,
    group: usize,
) -> String {
    let path = scratch.path(name);
    let file = std::fs::File::create(&path).expect("a file");
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(group))
        .build();
    let mut writer =
        ArrowWriter::try_new(file, batch.schema(), Some(properties)).expect("a writer");
    writer.write(batch).expect("written");
    writer.close().expect("closed");
    path
}

fn ipc_file(scratch: &Scratch, name: &str, batch: &RecordBatch) -> String {
    let path = scratch.path(name);
    let file = std::fs::File::create(&path).expect("a file");
    let mut writer = FileWriter::try_new(file, &batch.schema()).expect("a writer");
    writer.write(batch).expect("written");
    writer.finish().expect("closed");
    path
}

/// A stream of batches of so many rows.
pub(crate) fn ipc_stream(
    scratch: &Scratch,
    name: &str,
    batch: &RecordBatch,
    rows: usize,
) -> String {
    let path = scratch.path(name);
    let file = std::fs::File::create(&path).expect("a file");
    let mut writer = StreamWriter::try_new(file, &batch.schema()).expect("a writer");
    for start in (0..batch.num_rows()).step_by(rows) {
        let rows = rows.min(batch.num_rows() - start);
        writer.write(&batch.slice(start, rows)).expect("written");
    }
    writer.finish().expect("closed");
    path
}

#[test]
fn every_type_from_every_container() {
    let scratch = Scratch::new();
    let batch = every_type();
    let stream = ipc_stream(&scratch, "x.arrows", &batch, 3);
    let memory =
        from_record_batches(&batch.schema(), [Ok(batch.clone())], &options()).expect("a table");
    assert_eq!(dump(&memory.frame), EXPECTED);
    assert_eq!(memory.info.warnings.len(), 1);
    assert_eq!(
        memory.info.warnings[0].message,
        "column \"binary\" is ignored: values of type Binary cannot be used"
    );
    for (path, format) in [
        (
            parquet_file(&scratch, "x.parquet", &batch, 2),
            Format::Parquet,
        ),
        (
            parquet_file(&scratch, "unnamed", &batch, 100),
            Format::Parquet,
        ),
        (ipc_file(&scratch, "x.arrow", &batch), Format::Arrow),
        (stream, Format::Arrow),
    ] {
        let table = read(std::slice::from_ref(&path), &options()).expect("a table");
        assert_eq!(dump(&table.frame), EXPECTED, "{path}");
        assert_eq!(table.info.format, format);
        // Two files are one table.
        let twice = read(&[path.clone(), path], &options()).expect("a table");
        assert_eq!(twice.frame.rows(), 6);
        assert_eq!(
            dump(&twice.frame)[0],
            "int: num [0.0, 1.0, NaN, 0.0, 1.0, NaN]"
        );
    }
}

#[test]
fn types_can_be_forced() {
    let types = vec![
        Expected::like("int", ColumnType::Categorical),
        Expected::like("float", ColumnType::Categorical),
        Expected::like("single", ColumnType::Categorical),
        Expected::like("date", ColumnType::Categorical),
        Expected::like("view", ColumnType::Numerical),
        Expected::like("long", ColumnType::Categorical),
        Expected::ignored("bool"),
    ];
    let batch = every_type();
    let with = |types| {
        from_record_batches(
            &batch.schema(),
            [Ok(batch.clone())],
            &ReadOptions {
                columns: types,
                ..options()
            },
        )
    };
    let table = with(types).expect("a table");
    let lines = dump(&table.frame);
    assert_eq!(lines[0], r#"int: cat [Some("0"), Some("1"), None]"#);
    assert_eq!(
        lines[1],
        r#"float: cat [Some("0.30000000000000004"), None, Some("-0")]"#
    );
    assert!(lines[2].starts_with(r#"single: cat [Some("0.1"), None"#));
    assert_eq!(
        lines[9],
        r#"date: cat [Some("1970-01-02"), Some("1970-01-03"), Some("1970-01-04")]"#
    );
    assert_eq!(lines[6], "view: num [NaN, 5.0, NaN]");
    assert_eq!(lines[4], "bool: unused ignored");
    assert_eq!(
        table.info.warnings[0].message,
        "column \"view\": 1 values are not numbers and are taken for missing, the first is \"x\" in row 1 of record batches"
    );
    let error = with(vec![Expected::like("date", ColumnType::Numerical)]).expect_err("an error");
    assert_eq!(
        error.to_string(),
        "error[D14]: column \"date\" of type Date32 cannot be read as numbers\n  help: leave column \"date\" out, or convert it"
    );
}

#[test]
fn parquet_gives_the_frame_of_the_same_text() {
    let rows = 5000;
    let number: Vec<Option<f64>> = (0..rows)
        .map(|i| (i % 11 != 0).then_some(f64::from(i) / 3.0))
        .collect();
    let whole: Vec<i32> = (0..rows).map(|i| i * 7 % 1000).collect();
    let text: Vec<Option<String>> = (0..rows)
        .map(|i| (i % 5 != 0).then(|| format!("c{}", i * i % 97)))
        .collect();
    let mut csv = String::from("number,whole,text\n");
    for i in 0..rows as usize {
        let number = number[i].map_or(String::new(), |v| v.to_string());
        writeln!(
            csv,
            "{number},{},{}",
            whole[i],
            text[i].as_deref().unwrap_or_default()
        )
        .expect("memory");
    }
    let batch = batch(vec![
        ("number", Arc::new(Float64Array::from(number))),
        ("whole", Arc::new(Int32Array::from(whole))),
        ("text", Arc::new(StringArray::from(text))),
    ]);
    let scratch = Scratch::new();
    let expected = dump(&read_text(csv).frame);
    for group in [700, 100_000] {
        let path = parquet_file(&scratch, "x.parquet", &batch, group);
        for threads in [1, 2, 3] {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .expect("threads");
            let table = pool
                .install(|| read(std::slice::from_ref(&path), &options()))
                .expect("a table");
            assert_eq!(dump(&table.frame), expected);
        }
    }
}

#[test]
fn no_rows_and_differing_files() {
    let scratch = Scratch::new();
    let empty = parquet_file(&scratch, "empty.parquet", &every_type().slice(0, 0), 10);
    let error = read(&[empty], &options()).expect_err("an error");
    assert!(
        scratch
            .tidy(&error.to_string())
            .starts_with("error[D04]: empty.parquet has a header but no row")
    );
    let first = parquet_file(
        &scratch,
        "1.parquet",
        &batch(vec![("a", Arc::new(Int32Array::from(vec![1])))]),
        10,
    );
    let wide = batch(vec![("a", Arc::new(Float64Array::from(vec![1.5])))]);
    let second = parquet_file(&scratch, "2.parquet", &wide, 10);
    let table =
        read(&[first.clone(), second], &options()).expect("whole and other numbers go together");
    assert_eq!(dump(&table.frame), ["a: num [1.0, 1.5]"]);
    let text = batch(vec![("a", Arc::new(StringArray::from(vec!["x"])))]);
    let third = parquet_file(&scratch, "3.parquet", &text, 10);
    let error = read(&[first, third], &options()).expect_err("an error");
    assert_eq!(
        scratch.tidy(error.message()),
        "3.parquet: column \"a\" has type Utf8, another kind than in the files before"
    );
}

#[test]
fn scoring_batches() {
    let scratch = Scratch::new();
    let data = every_type();
    let options = ReadOptions {
        columns: vec![
            Expected::needed("float", ColumnType::Numerical),
            Expected::needed("int", ColumnType::Categorical),
        ],
        only: true,
        keep: vec!["date".into(), "float".into()],
        ..options()
    };
    for path in [
        parquet_file(&scratch, "x.parquet", &data, 2),
        ipc_file(&scratch, "x.arrow", &data),
    ] {
        let mut rows = 0;
        for batch in batches(&[path.clone(), path.clone()], &options).expect("a stream") {
            let batch = batch.expect("a batch");
            assert_eq!(kinds_of(&batch.frame), ["float", "int"]);
            let first = batch.kept[0].get(0).expect("a date");
            assert!(first.starts_with("1970-01-0"), "{first}");
            rows += batch.frame.rows();
        }
        assert_eq!(rows, 6);
    }
    let columns = vec![Expected::needed("view", ColumnType::Numerical)];
    let path = parquet_file(&scratch, "x.parquet", &data, 2);
    let results: Vec<_> = batches(&[path], &ReadOptions::only(columns))
        .expect("a stream")
        .collect();
    let error = results
        .last()
        .expect("an item")
        .as_ref()
        .expect_err("an error");
    assert_eq!(
        scratch.tidy(error.message()),
        "x.parquet: column \"view\" is text in row 1 (\"x\") but a number in the model"
    );
}

fn kinds_of(frame: &fnb::columns::Frame) -> Vec<&str> {
    frame.columns().iter().map(|c| c.name.as_str()).collect()
}

#[test]
fn kinds_are_reported() {
    let batch = every_type();
    let table =
        from_record_batches(&batch.schema(), [Ok(batch.clone())], &options()).expect("a table");
    assert_eq!(
        kinds(&table)[..5],
        [
            "numerical",
            "numerical",
            "numerical",
            "numerical",
            "categorical"
        ]
    );
    assert_eq!(table.info.columns[0].missing, Some(1));
}

#[test]
fn moments_of_every_unit() {
    let hour = 3_600_000_000_i64;
    let seconds = TimestampSecondArray::from(vec![Some(-1), None]).with_timezone("+01:00");
    let batch = batch(vec![
        (
            "date64",
            Arc::new(Date64Array::from(vec![Some(86_400_000), None])),
        ),
        ("time32", Arc::new(Time32SecondArray::from(vec![3600, 1]))),
        (
            "time64",
            Arc::new(Time64NanosecondArray::from(vec![Some(1_500), None])),
        ),
        ("zone", Arc::new(seconds)),
        (
            "nanos",
            Arc::new(TimestampNanosecondArray::from(vec![Some(-1), Some(2_500)])),
        ),
    ]);
    let missing = TemporalColumn::MISSING;
    let read = |options: &ReadOptions| {
        let table = from_record_batches(&batch.schema(), [Ok(batch.clone())], options);
        dump(&table.expect("a table").frame)
    };
    assert_eq!(
        read(&ReadOptions::default()),
        [
            format!("date64: Date [1, {missing}]"),
            format!("time32: Time [{hour}, 1000000]"),
            format!("time64: Time [1, {missing}]"),
            format!(
                "zone: TimestampTz [{}, {missing}]",
                TemporalColumn::zoned(-1_000_000, hour)
            ),
            "nanos: Timestamp [-1, 2]".to_owned(),
        ]
    );
    let other_kinds = ReadOptions::only(vec![
        Expected::needed("date64", ColumnType::Timestamp),
        Expected::needed("nanos", ColumnType::Date),
    ]);
    assert_eq!(
        read(&other_kinds),
        [
            format!("date64: Timestamp [86400000000, {missing}]"),
            "nanos: Date [-1, 0]".to_owned()
        ]
    );
}

/// A moment with a zone is the same whatever zone it is written in, and whatever it is written with.
#[test]
fn moments_with_a_zone_are_those_of_utc() {
    let text = "at\n2024-06-15T10:30:00Z\n2024-06-15T02:00:00+02:00\n2024-01-01 00:00:00 -0530\n";
    let moments = [
        1_718_447_400_000_000,
        1_718_409_600_000_000,
        1_704_087_000_000_000,
    ];
    // Minutes that the clocks are ahead.
    let expected = |ahead: [i64; 3]| {
        let zoned = |i: usize| TemporalColumn::zoned(moments[i], 60_000_000 * ahead[i]);
        [format!("at: TimestampTz {:?}", [0, 1, 2].map(zoned))]
    };
    let from_text = read_text(text).frame;
    assert_eq!(dump(&from_text), expected([0, 120, -330]));
    let zones = [
        ("UTC", [0; 3]),
        ("+02:00", [120; 3]),
        ("-0530", [-330; 3]),
        // Summer time in June.
        ("Europe/Paris", [120, 120, 60]),
    ];
    for (zone, ahead) in zones {
        let expected = expected(ahead);
        let seconds = TimestampSecondArray::from(vec![1_718_447_400, 1_718_409_600, 1_704_087_000]);
        let batch = batch(vec![("at", Arc::new(seconds.with_timezone(zone)))]);
        let options = ReadOptions::default();
        let table = from_record_batches(&batch.schema(), [Ok(batch.clone())], &options);
        assert_eq!(dump(&table.expect("a table").frame), expected, "{zone}");
        let scratch = Scratch::new();
        let file = parquet_file(&scratch, "zones.parquet", &batch, 2);
        let table = read(&[file], &options).expect("a table");
        assert_eq!(dump(&table.frame), expected, "{zone}");
    }
}

#[test]
fn a_dictionary_of_numbers_is_a_category() {
    let values = Arc::new(Int64Array::from(vec![10, 2]));
    let keys = arrow::array::Int8Array::from(vec![Some(0), Some(1), None]);
    let codes: ArrayRef = Arc::new(DictionaryArray::new(keys, values));
    let batch = batch(vec![("code", codes)]);
    let table = from_record_batches(
        &batch.schema(),
        [Ok(batch.clone())],
        &ReadOptions::default(),
    );
    let columns = dump(&table.expect("a table").frame);
    assert_eq!(columns, [r#"code: cat [Some("10"), Some("2"), None]"#]);
    // Whoever wants numbers still gets them.
    let wanted = ReadOptions {
        columns: vec![Expected::like("code", ColumnType::Numerical)],
        ..options()
    };
    let table = from_record_batches(&batch.schema(), [Ok(batch.clone())], &wanted);
    assert!(dump(&table.expect("a table").frame)[0].starts_with("code: num"));
}

#[test]
fn rounded_numbers_of_one_batch_are_lent() {
    let lent_of = |batches: &[RecordBatch]| -> Vec<bool> {
        let all = batches.iter().cloned().map(Ok);
        let table = from_record_batches(&batches[0].schema(), all, &ReadOptions::default());
        let frame = table.expect("a table").frame;
        let lent = frame.columns().iter().map(|column| match &column.data {
            fnb::columns::ColumnData::Numeric(numbers) => numbers.is_lent(),
            _ => false,
        });
        lent.collect()
    };
    let numbers = |values: Vec<f64>| -> ArrayRef { Arc::new(Float64Array::from(values)) };
    let nulls: ArrayRef = Arc::new(Float64Array::from(vec![Some(1.0), None]));
    let batch = batch(vec![
        ("rounded", numbers(vec![0.3, f64::NAN])),
        ("long", numbers(vec![1.0, 0.1 + 0.2])),
        ("negative zero", numbers(vec![1.0, -0.0])),
        ("nulls", nulls),
    ]);
    assert_eq!(
        lent_of(std::slice::from_ref(&batch)),
        [true, false, false, false]
    );
    assert_eq!(lent_of(&[batch.clone(), batch.clone()]), [false; 4]);
    // A part of an array is lent too: it begins elsewhere.
    let part = batch.slice(1, 1);
    let table = from_record_batches(&part.schema(), [Ok(part.clone())], &ReadOptions::default());
    assert_eq!(table.expect("a table").frame.rows(), 1);
}

#[test]
fn durations_are_their_seconds() {
    let milliseconds = DurationMillisecondArray::from(vec![Some(1500), None, Some(-250)]);
    let nanoseconds = DurationNanosecondArray::from(vec![0, 1_000_000_000, 1]);
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("wait", Arc::new(milliseconds)),
        ("tick", Arc::new(nanoseconds)),
    ];
    let batch = batch(columns);
    for options in [
        ReadOptions::default(),
        ReadOptions::only(vec![
            Expected::needed("wait", ColumnType::Numerical),
            Expected::needed("tick", ColumnType::Numerical),
        ]),
    ] {
        let table = from_record_batches(&batch.schema(), [Ok(batch.clone())], &options);
        let frame = table.expect("a table").frame;
        let numbers = |name: &str| match &frame.column(name).expect("a column").data {
            ColumnData::Numeric(column) => column.values().to_vec(),
            other => panic!("{name} is {}", other.word()),
        };
        let wait = numbers("wait");
        assert_eq!((wait[0], wait[2]), (1.5, -0.25));
        assert!(wait[1].is_nan());
        assert_eq!(numbers("tick"), [0.0, 1.0, 1e-9]);
    }
}

/// Texts are what they would be in a text file, but for numbers, which are not texts here.
#[test]
fn texts_are_recognised_as_in_text_files() {
    let column = |texts: &[Option<&str>]| -> (String, Vec<String>) {
        let columns: [ArrayRef; 3] = [
            Arc::new(texts.iter().copied().collect::<StringArray>()),
            Arc::new(texts.iter().copied().collect::<StringViewArray>()),
            Arc::new(texts.iter().copied().collect::<DictionaryArray<Int8Type>>()),
        ];
        let read = columns.map(|column| {
            let batch = batch(vec![("x", column)]);
            let table = from_record_batches(&batch.schema(), [Ok(batch)], &options());
            let table = table.expect("a table");
            let warnings = table.info.warnings.iter();
            (
                dump(&table.frame).concat(),
                warnings
                    .map(|warning| warning.message.clone())
                    .collect::<Vec<_>>(),
            )
        });
        assert!(read.iter().all(|one| *one == read[0]), "{read:?}");
        read[0].clone()
    };
    let read = |texts: &[Option<&str>]| column(texts).0;
    let missing = TemporalColumn::MISSING;
    assert_eq!(
        read(&[Some("1970-01-02"), None, Some(""), Some(" 1970-01-03 ")]),
        format!("x: Date [1, {missing}, {missing}, 2]")
    );
    assert_eq!(read(&[Some("00:00:01")]), "x: Time [1000000]");
    assert_eq!(
        read(&[Some("1970-01-01 00:00:01")]),
        "x: Timestamp [1000000]"
    );
    assert_eq!(
        read(&[Some("31/12/1970"), Some("1/2/1970")]),
        "x: Date [364, 31]"
    );
    for categories in [
        &[Some("0"), Some("1"), None][..],
        &[Some("12"), Some("7.5")],
        &[Some("true"), Some("false")],
        &[Some("1970-01-02"), Some("soon")],
        &[Some(""), None],
        &[None, None],
    ] {
        assert_eq!(read(categories), format!("x: cat {categories:?}"));
    }
    let doubt = "column \"x\": nothing tells the day from the month, the day is taken to be first";
    assert_eq!(
        column(&[Some("3/4/1970")]),
        ("x: Date [92]".to_owned(), vec![doubt.to_owned()])
    );
}

/// Three rows of a pandas frame whose index is a column.
fn with_index(index: &str) -> RecordBatch {
    let numbers = |values: [i64; 3]| -> ArrayRef { Arc::new(Int64Array::from(values.to_vec())) };
    let plain = batch(vec![("x", numbers([5, 6, 7])), (index, numbers([0, 2, 4]))]);
    let pandas = format!(r#"{{"index_columns": [{index:?}], "columns": []}}"#);
    let metadata = [("pandas".to_owned(), pandas)];
    let schema = plain
        .schema()
        .as_ref()
        .clone()
        .with_metadata(metadata.into());
    RecordBatch::try_new(Arc::new(schema), plain.columns().to_vec()).expect("a batch")
}

#[test]
fn the_index_of_a_pandas_frame_is_left_out() {
    let scratch = Scratch::new();
    for index in ["__index_level_0__", "customer"] {
        let batch = with_index(index);
        let files = [
            parquet_file(&scratch, "frame.parquet", &batch, 10),
            ipc_file(&scratch, "frame.arrow", &batch),
        ];
        for file in files {
            let file = [file];
            let names = |options: &ReadOptions| -> Vec<String> {
                let frame = read(&file, options).expect("a table").frame;
                frame
                    .columns()
                    .iter()
                    .map(|column| column.name.clone())
                    .collect()
            };
            let table = read(&file, &options()).expect("a table");
            assert_eq!(names(&options()), ["x"], "{file:?}");
            assert_eq!(table.info.index, [index]);
            // By name it is there: as a key, as the target, with a type; a pattern does not name it.
            for said in [
                Expected::key(index),
                Expected::target(index),
                Expected::like(index, ColumnType::Categorical),
            ] {
                let options = ReadOptions {
                    columns: vec![said],
                    ..options()
                };
                assert_eq!(names(&options), ["x", index], "{file:?}");
            }
            let like = vec![Expected::like("*", ColumnType::Categorical)];
            assert_eq!(
                names(&ReadOptions {
                    columns: like,
                    ..options()
                }),
                ["x"]
            );
            // A model that was trained with it asks for it.
            let needed = vec![Expected::needed(index, ColumnType::Numerical)];
            assert_eq!(names(&ReadOptions::only(needed)), [index]);
            // One that has a name may be a key; a number of rows may not.
            let found = fnb_table::open(&file, &options())
                .expect("a file")
                .names(&options());
            let expected: &[&str] = if index == "customer" {
                &["x", index]
            } else {
                &["x"]
            };
            assert_eq!(found.expect("names"), expected);
        }
    }
}

/// Of two files of one table, one was written from a frame with an index and the other was not.
#[test]
fn some_files_have_an_index() {
    let scratch = Scratch::new();
    let with = parquet_file(&scratch, "1.parquet", &with_index("__index_level_0__"), 10);
    let x: ArrayRef = Arc::new(Int64Array::from(vec![8]));
    let without = parquet_file(&scratch, "2.parquet", &batch(vec![("x", x)]), 10);
    for files in [[with.clone(), without.clone()], [without, with]] {
        let table = read(&files, &options()).expect("a table");
        assert_eq!((table.frame.rows(), table.frame.columns().len()), (4, 1));
    }
}

/// A text is trained on and scored alike: as it is written.
#[test]
fn long_texts_of_arrow_are_read_as_they_are_written() {
    let long = "z".repeat(100);
    let texts = [Some(" a "), Some(""), None, Some(long.as_str())];
    let texts: ArrayRef = Arc::new(texts.into_iter().collect::<StringArray>());
    let scratch = Scratch::new();
    let path = [parquet_file(
        &scratch,
        "x.parquet",
        &batch(vec![("t", texts)]),
        10,
    )];
    let said = ReadOptions::only(vec![Expected::needed("t", ColumnType::Text)]);
    for options in [options(), said] {
        let lines = dump(&read(&path, &options).expect("a table").frame);
        assert_eq!(
            lines,
            [format!(
                "t: text [Some(\" a \"), Some(\"\"), None, Some({long:?})]"
            )]
        );
    }
}
