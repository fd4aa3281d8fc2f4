//! Large tables under preset khiops: parts come from the sample that Khiops takes.

use crate::scratch::{Numbers, Scratch};
use std::collections::BTreeSet;

/// Customers with calls, their legs and their notes, and visits: sorted by key, as Khiops wants them.
fn write_tables(scratch: &Scratch) {
    let mut numbers = Numbers::new(5);
    let mut customers = "customer\tage\n".to_owned();
    let mut calls = "customer\tcall\tlength\n".to_owned();
    let mut legs = "customer\tcall\tdelay\n".to_owned();
    let mut notes = "customer\tcall\tmark\n".to_owned();
    let mut visits = "customer\tpages\n".to_owned();
    for customer in 0..900 {
        customers += &format!("C{customer:03}\t{}\n", 20 + numbers.below(60));
        for call in 0..numbers.below(41) {
            let key = format!("C{customer:03}\tL{call:02}");
            calls += &format!("{key}\t{}\n", numbers.below(1_000_000));
            for _ in 0..numbers.below(4) {
                legs += &format!("{key}\t{}\n", numbers.below(1_000_000));
            }
            for _ in 0..numbers.below(4) {
                notes += &format!("{key}\t{}\n", numbers.below(1_000_000));
            }
        }
        for _ in 0..numbers.below(31) {
            visits += &format!("C{customer:03}\t{}\n", numbers.below(1_000_000));
        }
    }
    scratch.write("customers.tsv", customers);
    scratch.write("calls.tsv", calls);
    scratch.write("legs.tsv", legs);
    scratch.write("notes.tsv", notes);
    scratch.write("visits.tsv", visits);
}

/// The distinct conditions of 600 variables.
fn conditions(scratch: &Scratch, preset: &str) -> BTreeSet<String> {
    let run = scratch.fnb(&format!(
        "construct customers.tsv --table calls=calls.tsv:customer \
         --table calls.legs=legs.tsv:customer,call --table calls.notes=notes.tsv:customer,call \
         --table visits=visits.tsv:customer --features 600 --preset {preset} --json -q"
    ));
    let found = run.ok().json();
    let variables = found["variables"].as_array().expect("a list");
    let names = variables
        .iter()
        .map(|v| v["name"].as_str().expect("a name"));
    let conditions = names.filter_map(|name| name.split_once(" where "));
    conditions
        .map(|(_, condition)| condition.trim_end_matches(')').to_owned())
        .collect()
}

/// What Khiops 11.0.1 gives for these files. It takes 8 192 records of each table.
#[test]
fn conditions_are_those_of_khiops() {
    let scratch = Scratch::new();
    write_tables(&scratch);
    let found = conditions(&scratch, "khiops");
    assert_eq!(found.len(), 75);
    let expected = [
        "delay <= 493580",
        "mark <= 494980",
        "mark > 494980",
        "length <= 128878",
        "length in ]502899, 623918]",
        "length > 876509",
        "pages <= 65752",
        "pages in ]382290, 439981]",
        "pages in ]750900, 812755.5]",
        "pages > 938543",
        "Count(legs) <= 1.5",
        "Max(legs.delay) > 540410",
        "Mean(notes.mark) <= 397330",
        "Median(legs.delay) > 377468",
        "Min(notes.mark) <= 189410",
        "StdDev(legs.delay) > 1930",
        "Sum(legs.delay) > 694543.5",
    ];
    for condition in expected {
        assert!(
            found.contains(condition),
            "{condition} is not among {found:?}"
        );
    }
}

/// Elsewhere all records count: half of the visits have few pages.
#[test]
fn other_presets_take_all_records() {
    let scratch = Scratch::new();
    write_tables(&scratch);
    let visits = scratch.text("visits.tsv");
    let pages = visits.lines().skip(1).map(|line| line.split('\t').nth(1));
    let mut pages: Vec<f64> = pages.map(|p| p.unwrap().parse().unwrap()).collect();
    pages.sort_by(f64::total_cmp);
    let mut checked = 0;
    for condition in conditions(&scratch, "default") {
        let Some(bound) = condition.strip_prefix("pages <= ") else {
            continue;
        };
        let bound: f64 = bound.parse().unwrap();
        let below = pages.partition_point(|&pages| pages <= bound);
        let share = pages.len() as f64 / below as f64;
        assert!(
            (share - share.round()).abs() < 0.01,
            "{condition}: {below} of {}",
            pages.len()
        );
        checked += 1;
    }
    assert!(checked > 2, "{checked} bounds of pages");
}
