//! Scans a table, then streams it, and tells how long each took:
//! `cargo run --profile fast --example scan -- big.tsv`.
#![allow(clippy::print_stdout, reason = "a program")]

use fnb_table::{ReadOptions, batches, scan};
use std::time::Instant;

fn main() -> fnb::Result<()> {
    let inputs: Vec<String> = std::env::args().skip(1).collect();
    let start = Instant::now();
    let scanned = scan(&inputs, &ReadOptions::default())?;
    let seconds = start.elapsed().as_secs_f64();
    let (rows, columns) = (scanned.info.rows, scanned.info.columns.len());
    println!("{}", scanned.info);
    println!("scan: {rows} rows x {columns} columns in {seconds:.3} s");
    let start = Instant::now();
    let (mut rows, mut largest) = (0, 0);
    for batch in batches(&inputs, &scanned.options)? {
        let block = batch?.frame.rows();
        rows += block;
        largest = largest.max(block);
    }
    let seconds = start.elapsed().as_secs_f64();
    println!("stream: {rows} rows in {seconds:.3} s, blocks of at most {largest} rows");
    Ok(())
}
