//! Reads a table and tells how long that took: `cargo run --profile fast --example read -- big.tsv`.
#![allow(clippy::print_stdout, reason = "a program")]

use fnb_table::{ReadOptions, read};
use std::time::Instant;

fn main() -> fnb::Result<()> {
    let inputs: Vec<String> = std::env::args().skip(1).collect();
    let start = Instant::now();
    let table = read(&inputs, &ReadOptions::default())?;
    let seconds = start.elapsed().as_secs_f64();
    println!("{}", table.info);
    let columns = table.frame.columns().len();
    println!(
        "{} rows x {columns} columns in {seconds:.3} s",
        table.frame.rows()
    );
    for column in table.info.columns.iter().take(30) {
        println!(
            "  {:20} {:12} {:?} missing",
            column.name,
            column.word(),
            column.missing
        );
    }
    for warning in &table.info.warnings {
        println!("warning: {}", warning.worded(ToString::to_string));
    }
    Ok(())
}
