//! Random tables, written in every style, are read back as they are.

use crate::scan::check;
use crate::scratch::{Scratch, dump};
use fnb_table::{Expected, ReadOptions, read_in_pieces};
use proptest::prelude::*;
use std::fmt::Write as _;

/// A field without surrounding blanks.
fn field() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z\",;\n\té😀 ]{0,8}".prop_map(|text| text.trim().to_owned()),
        "-?[0-9]{1,3}(\\.[0-9]{1,2})?",
        Just(String::new()),
    ]
}

fn quoted(text: &str, separator: char, always: bool) -> String {
    if always || text.contains([separator, '"', '\n', '\r']) {
        return format!("\"{}\"", text.replace('"', "\"\""));
    }
    text.to_owned()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn quoted_tables_read_back(
        rows in prop::collection::vec(prop::collection::vec(field(), 3), 1..30),
        separator in prop::sample::select(vec![',', ';', '\t']),
        end in prop::sample::select(vec!["\n", "\r\n"]),
        always in any::<bool>(),
        bytes in 1_usize..200,
    ) {
        let mut text = ["\"a\"", "b", "c"].join(&separator.to_string()) + end;
        for row in &rows {
            let fields: Vec<String> = row.iter().map(|f| quoted(f, separator, always)).collect();
            text.push_str(&fields.join(&separator.to_string()));
            text.push_str(end);
        }
        let scratch = Scratch::new();
        let path = scratch.file("x", &text);
        let columns = ["a", "b", "c"].map(Expected::key).into();
        let options = ReadOptions { separator: Some(separator as u8), header: Some(true), columns, ..Default::default() };
        let path = [path];
        let table = read_in_pieces(&path, &options, bytes);
        check(&path, &options, &table, Some(bytes));
        let table = table.expect("a table");
        prop_assert_eq!(table.frame.rows(), rows.len());
        for (i, column) in table.frame.columns().iter().enumerate() {
            let fnb::columns::ColumnData::Categorical(column) = &column.data else { panic!("categories") };
            for (row, fields) in rows.iter().enumerate() {
                let expected = Some(fields[i].as_str()).filter(|f| !f.is_empty());
                prop_assert_eq!(column.get(row), expected);
            }
        }
    }

    #[test]
    fn detected_types_do_not_depend_on_the_pieces(
        rows in prop::collection::vec(prop::collection::vec(field(), 2), 1..30),
        bytes in 1_usize..100,
    ) {
        let mut text = String::from("a,\"b\"\n");
        for row in &rows {
            writeln!(text, "{},{}", quoted(&row[0], ',', false), quoted(&row[1], ',', false)).expect("memory");
        }
        let scratch = Scratch::new();
        let path = scratch.file("x", &text);
        let options = ReadOptions { separator: Some(b','), header: Some(true), ..Default::default() };
        let cut = read_in_pieces(std::slice::from_ref(&path), &options, bytes).expect("a table");
        let whole = read_in_pieces(&[path], &options, 1 << 20).expect("a table");
        prop_assert_eq!(dump(&cut.frame), dump(&whole.frame));
        prop_assert_eq!(cut.info, whole.info);
    }
}
