//! Which type a text column gets.

use crate::scratch::{dump, kinds, options, read_text, read_with};
use fnb::columns::{ColumnData, ColumnType, Role, Temporal, TemporalColumn};
use fnb_table::{Expected, ReadOptions, TableSchema};

/// The kind of a column with those fields, at the end of a file that has a second, plain column.
fn kind(fields: &[&str]) -> &'static str {
    let rows = fields.join("\tx\n");
    kinds(&read_text(format!("column\tother\n{rows}\tx\n")))[0]
}

#[test]
fn numbers() {
    assert_eq!(kind(&["1", "2"]), "numerical");
    assert_eq!(
        kind(&[".5", "5.", "1e3", "-2.5E-2", "1,5", "+7", " 3 "]),
        "numerical"
    );
    assert_eq!(kind(&["", "1.0", ""]), "numerical");
    assert_eq!(kind(&["0", "1", "2"]), "numerical");
    for other in ["NA", "nan", "inf", "1e", "1.2.3", "x", "-", "0x1F", "1 000"] {
        assert_eq!(kind(&["1", other, "3"]), "categorical", "{other}");
    }
}

#[test]
fn zeros_and_ones_are_categories() {
    assert_eq!(kind(&["0", "1", "0"]), "categorical");
    assert_eq!(kind(&["0", "", "1"]), "categorical");
    assert_eq!(kind(&["1", "1"]), "categorical");
    assert_eq!(kind(&["0", "1.0"]), "numerical");
    assert_eq!(kind(&["0", "01"]), "numerical");
    assert_eq!(kind(&["0", "-1"]), "numerical");
    assert_eq!(kind(&["0", "+1"]), "numerical");
    let table = read_text("b\tx\n1\t5\n\t6\n0\t7\n");
    assert_eq!(
        dump(&table.frame)[0],
        r#"b: cat [Some("1"), None, Some("0")]"#
    );
}

#[test]
fn empty_columns_are_categories() {
    assert_eq!(kind(&["", "", ""]), "categorical");
    assert_eq!(kind(&[" ", "\"\"", ""]), "categorical");
    assert_eq!(read_text("a,b\n,1\n,2\n").info.columns[0].missing, Some(2));
}

#[test]
fn dates_times_timestamps_and_text() {
    assert_eq!(kind(&["2025-11-30", "", "2024-02-29"]), "date");
    assert_eq!(kind(&["31/12/2024", "01/02/2023"]), "date");
    assert_eq!(kind(&["08:30", "23:59"]), "time");
    assert_eq!(
        kind(&["2025-11-30 08:30:00", "2025-11-30T08:30:00.5Z"]),
        "timestamp"
    );
    assert_eq!(kind(&["2025-11-30", "tomorrow"]), "categorical");
    assert_eq!(kind(&["2025-11-30", "5"]), "categorical");
    assert_eq!(kind(&["5", "2025-11-30"]), "categorical");
    assert_eq!(kind(&[&"é".repeat(99)]), "categorical");
    assert_eq!(kind(&[&"é".repeat(100), "x"]), "text");
    assert_eq!(kind(&["7", &"é".repeat(100)]), "text");
    let table = read_text("day,x\n2025-11-30,1\n,2\n2025-12-01,3\n");
    assert_eq!(table.info.columns[0].missing, Some(1));
    assert_eq!(
        dump(&table.frame)[0],
        format!("day: Date [20422, {}, 20423]", TemporalColumn::MISSING)
    );
}

#[test]
fn the_last_row_decides_too() {
    let mut rows = "5\t2025-11-30\t08:30\t\n".repeat(5000);
    let content = |rows: &str| format!("n\td\tt\te\n{rows}");
    assert_eq!(
        kinds(&read_text(content(&rows))),
        ["numerical", "date", "time", "categorical"]
    );
    rows.push_str("x\ty\tz\t2025-01-01\n");
    let table = read_text(content(&rows));
    assert_eq!(
        kinds(&table),
        ["categorical", "categorical", "categorical", "date"]
    );
    assert_eq!(table.info.columns[3].missing, Some(5000));
    let column = &dump(&table.frame)[1];
    assert!(
        column.starts_with("d: cat [Some(\"2025-11-30\"), ") && column.ends_with("Some(\"y\")]")
    );
}

#[test]
fn categories_are_trimmed_and_markers_are_missing() {
    let options = ReadOptions {
        na: vec!["?".into(), "NA".into(), "-9".into()],
        ..options()
    };
    let table = read_with(
        "a,n,m\n x ,1,?\n?,-9,NA\n\"  \",NA,2\n y,4,\"?\"\n",
        &options,
    );
    assert_eq!(
        dump(&table.frame),
        [
            r#"a: cat [Some("x"), None, None, Some("y")]"#,
            "n: num [1.0, NaN, NaN, 4.0]",
            "m: num [NaN, NaN, 2.0, NaN]"
        ]
    );
}

#[test]
fn numbers_carry_ten_digits() {
    let table = read_text("x,y\n0.30000000000000004,12345678901\n1e-5,-0.0\n");
    assert_eq!(
        dump(&table.frame),
        ["x: num [0.3, 1e-5]", "y: num [12345678900.0, 0.0]"]
    );
}

#[test]
fn given_types_win() {
    let options = ReadOptions {
        // The order of types counts, that of the target does not.
        columns: vec![
            Expected::target("y"),
            Expected::like("z*", ColumnType::Categorical),
            Expected::like("zip?", ColumnType::Numerical),
            Expected::like("day", ColumnType::Categorical),
            Expected::ignored("free"),
            Expected::like("y", ColumnType::Numerical),
        ],
        drop: vec!["id*".into()],
        ..options()
    };
    let content =
        "id,id2,zip,zip5,day,free,y\n1,2,35000,5,2025-01-01,a,1\n1,2,22300,x,2025-01-02,b,2\n";
    let table = read_with(content, &options);
    assert_eq!(
        dump(&table.frame),
        [
            r#"zip: cat [Some("35000"), Some("22300")]"#,
            "zip5: num [5.0, NaN]",
            r#"day: cat [Some("2025-01-01"), Some("2025-01-02")]"#,
            "free: unused ignored",
            r#"y: cat [Some("1"), Some("2")]"#
        ]
    );
    assert_eq!(table.info.warnings.len(), 1);
    let warning = &table.info.warnings[0].message;
    assert!(
        warning.starts_with("column \"zip5\": 1 field is not a number"),
        "{warning}"
    );
    assert!(warning.contains("\"x\" in line 3 of "), "{warning}");
}

#[test]
fn schema_files_give_back_what_was_detected() {
    let content = "a;d;t\n1,5;2025-01-01;x\n2;2025-01-02;y\n";
    let table = read_text(content);
    let schema = TableSchema::from_info(&table.info);
    assert_eq!(schema.separator, Some(';'));
    let again = TableSchema::parse(&schema.to_json()).expect("valid");
    assert_eq!(again, schema);
    let mut edited = again;
    edited.columns[0].ty = Some(ColumnType::Categorical);
    edited.columns[2].ty = None;
    edited.columns[2].role = Role::Ignored;
    let ignored = r#"{
      "name": "t",
      "role": "ignored"
    }"#;
    assert!(edited.to_json().contains(ignored), "{}", edited.to_json());
    assert_eq!(TableSchema::parse(&edited.to_json()), Ok(edited.clone()));
    let by_schema = options().with_schema(&edited);
    assert_eq!(
        kinds(&read_with(content, &by_schema)),
        ["categorical", "date", "ignored"]
    );
    // What is said by options is right, whatever the schema says.
    let options = ReadOptions {
        columns: vec![Expected::like("t", ColumnType::Categorical)],
        ..options()
    };
    assert_eq!(
        kinds(&read_with(content, &options.with_schema(&edited))),
        ["categorical", "date", "categorical"]
    );
}

/// The values of the first column.
fn moments(table: &fnb_table::Table) -> (Temporal, Vec<i64>) {
    match &table.frame.columns()[0].data {
        ColumnData::Temporal(column) => (column.kind(), column.values().to_vec()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn one_format_is_found_over_all_rows() {
    // The first piece does not tell the day from the month, the last row does.
    let day_first = "d\tx\n".to_owned() + &"03/04/2024\t1\n".repeat(200_000);
    let month_first = day_first.clone() + "03/13/2024\t2\n";
    let april = 19_816;
    let table = read_text(day_first.clone() + "13/03/2024\t2\n");
    assert_eq!(moments(&table).1[0], april);
    assert!(table.info.warnings.is_empty());
    let table = read_text(month_first);
    let (kind, values) = moments(&table);
    assert_eq!(kind, Temporal::Date);
    assert_eq!(values[0], 19_786, "4 March");
    assert_eq!(values.len(), 200_001);
    assert!(values[..200_000].iter().all(|&value| value == values[0]));
    let ColumnData::Temporal(column) = &table.frame.columns()[0].data else {
        panic!("dates");
    };
    assert_eq!(column.month_first(), Some(true));
    let table = read_text(day_first);
    assert_eq!(moments(&table).1[0], april);
    assert!(
        table.info.warnings[0]
            .message
            .contains("day is taken to be first")
    );
}

#[test]
fn moments_and_text_by_order() {
    let options = ReadOptions {
        columns: vec![
            Expected::like("d", ColumnType::Date),
            Expected::like("s", ColumnType::Timestamp),
            Expected::like("t", ColumnType::Time),
            Expected::like("words", ColumnType::Text),
        ],
        ..options()
    };
    let content = "d,s,t,words\n0000-00-00,1970-01-02,1:00,a b\n1970-01-03,1970-01-01 00:00:01,,\n";
    let table = read_with(content, &options);
    let missing = TemporalColumn::MISSING;
    assert_eq!(
        dump(&table.frame),
        [
            format!("d: Date [{missing}, 2]"),
            "s: Timestamp [86400000000, 1000000]".to_owned(),
            format!("t: Time [3600000000, {missing}]"),
            r#"words: text [Some("a b"), None]"#.to_owned(),
        ]
    );
    let warnings = &table.info.warnings;
    assert_eq!(warnings.len(), 1);
    assert!(
        warnings[0].message.contains(
            "1 values are no dates and are taken for missing, the first is \"0000-00-00\""
        ),
        "{warnings:?}"
    );
}

#[test]
fn keys_stay_as_they_are_written() {
    let options = ReadOptions {
        columns: vec![Expected::key("k"), Expected::key_if_any("absent")],
        ..options()
    };
    assert_eq!(
        dump(&read_with("k,x\n01,1\n1,2\n1.0,3\n", &options).frame)[0],
        r#"k: cat [Some("01"), Some("1"), Some("1.0")]"#
    );
}
