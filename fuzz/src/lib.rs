//! What the targets share: bytes as a file, read in every way there is.

use fnb_table::{Expected, ReadOptions, Table, batches_in_pieces, read, read_in_pieces};
use std::path::PathBuf;

/// Puts the bytes into a file of this process. The readers take files, as users do.
pub fn as_file(bytes: &[u8], ending: &str) -> PathBuf {
    let name = format!("fnb-fuzz-{}{ending}", std::process::id());
    let path = std::env::temp_dir().join(name);
    std::fs::write(&path, bytes).expect("the temporary folder takes a file");
    path
}

/// Reads a table at once, in small pieces and as a stream of blocks: what one way finds, all must.
pub fn read_table(bytes: &[u8], ending: &str) {
    let path = as_file(bytes, ending);
    let inputs = [path.display().to_string()];
    let options = ReadOptions::default();
    let whole = read(&inputs, &options);
    let pieces = read_in_pieces(&inputs, &options, 16);
    match (&whole, &pieces) {
        (Ok(whole), Ok(pieces)) => assert_eq!(shape(whole), shape(pieces)),
        (Err(whole), Err(pieces)) => assert_eq!(whole.code(), pieces.code()),
        (whole, pieces) => panic!("{whole:?}\nin pieces: {pieces:?}"),
    }
    let Ok(whole) = whole else { return };
    // As a model asks for them: the columns and their types are known.
    let columns = whole.frame.columns().iter();
    let known = columns.filter_map(|column| Some((column, column.data.column_type()?)));
    let options = ReadOptions {
        columns: known.map(|(column, ty)| Expected::needed(&column.name, ty)).collect(),
        only: true,
        ..options
    };
    let blocks = batches_in_pieces(&inputs, &options, 16);
    let rows = blocks.and_then(|blocks| blocks.map(|block| Ok(block?.frame.rows())).sum());
    if let Ok(rows) = rows {
        let rows: usize = rows;
        assert_eq!(rows, whole.frame.rows());
    }
}

/// What is compared of a table.
fn shape(table: &Table) -> (usize, Vec<(&str, &str, Option<usize>, Option<usize>)>) {
    let columns = table.frame.columns().iter().map(|column| {
        let data = &column.data;
        (column.name.as_str(), data.word(), data.distinct(), data.missing())
    });
    (table.frame.rows(), columns.collect())
}
