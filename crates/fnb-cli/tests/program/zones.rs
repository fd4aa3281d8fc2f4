//! Timestamps with a zone: compared as moments, taken apart by the clocks of their zone.

use crate::scratch::{Numbers, Scratch};
use crate::shop;
use std::fmt::Write;

/// An hour of a day of June as a clock of some zone shows it.
fn written(day: i64, hour: i64, zone: i64) -> String {
    let local = 24 * day + hour + zone;
    let (day, hour) = (local.div_euclid(24), local.rem_euclid(24));
    let sign = if zone < 0 { '-' } else { '+' };
    format!("2024-06-{day:02}T{hour:02}:00:00{sign}{:02}:00", zone.abs())
}

/// Questions at noon of UTC, and events around them whose clocks are of many zones. Those that come
/// after the question tell the answer.
fn leak() -> Scratch {
    let mut numbers = Numbers::new(8);
    let (mut people, mut utc) = ("id,asked,class\n".to_owned(), "id,at\n".to_owned());
    let mut zones = utc.clone();
    for id in 0..300 {
        let class = if numbers.below(2) == 0 { "a" } else { "b" };
        let _ = writeln!(people, "p{id},2024-06-15T12:00:00Z,{class}");
        let mut event = |hour: i64, zone: i64| {
            let _ = writeln!(utc, "p{id},2024-06-15 {hour:02}:00:00");
            let _ = writeln!(zones, "p{id},{}", written(15, hour, zone));
        };
        for _ in 0..2 {
            event(numbers.below(12) as i64, numbers.below(20) as i64 - 10);
        }
        if class == "a" {
            // The clock shows the morning.
            event(13, -8);
        } else {
            event(11, 9);
        }
    }
    let scratch = Scratch::new();
    scratch
        .write("people.csv", people)
        .write("utc.csv", utc)
        .write("zones.csv", zones);
    scratch
}

/// What comes first is decided by the moment, whatever the clocks show.
#[test]
fn mixed_zones_are_one_clock() {
    let scratch = leak();
    let counts = |file: &str| {
        let command = format!(
            "construct people.csv -t class --table events={file}:id --cutoff asked \
             --features 20 -o values.csv"
        );
        let run = scratch.fnb(&command).ok();
        assert!(
            run.stderr
                .contains("rows ignored: dated at or after their parent's cut-off"),
            "{}",
            run.stderr
        );
        shop::columns(&scratch.text("values.csv"), &["Count(events)"])
    };
    let found = counts("zones.csv");
    assert_eq!(found, counts("utc.csv"));
    // Two events before noon, and a third of those who answer b.
    let people = scratch.text("people.csv");
    for (count, person) in found.lines().zip(people.lines()).skip(1) {
        let expected = if person.ends_with(",a") { "2" } else { "3" };
        assert_eq!(count, expected, "{person}");
    }
}

/// Calendar parts are what the clocks show: those of the same texts without their zones.
#[test]
fn calendar_parts_are_local() {
    let scratch = leak();
    let strip = |line: &str| line.split(['+', 'Z']).next().map(str::to_owned);
    let local = |text: String| {
        // An offset to the west is the third dash, after those of the date.
        let lines = text.lines().filter_map(strip).map(|line| {
            let dash = line
                .match_indices('-')
                .nth(2)
                .map_or(line.len(), |(at, _)| at);
            line[..dash].to_owned() + "\n"
        });
        lines.collect::<String>()
    };
    scratch.write("local.csv", local(scratch.text("zones.csv")));
    let people = scratch.text("people.csv").replace('Z', "");
    scratch.write("people_local.csv", people);
    let values = |people: &str, events: &str, rules: &str| {
        let command = format!(
            "construct {people} -t class --table events={events}:id --features 1000 \
             --rules TableMean,TableMax,date,time,timestamp{rules} -o values.csv"
        );
        scratch.fnb(&command).ok();
        scratch.text("values.csv").replace(".LocalTZ", "")
    };
    let sorted = |values: &str| {
        let header = values.lines().next().expect("a header");
        let mut names: Vec<&str> = header.split(',').collect();
        names.sort_unstable();
        shop::columns(values, &names)
    };
    let zoned = values("people.csv", "zones.csv", ",timestamptz");
    assert!(zoned.contains("Max(events.at.Time.DecimalTime)"), "{zoned}");
    let local = values("people_local.csv", "local.csv", "");
    assert_eq!(sorted(&zoned), sorted(&local));
}

/// The type of a timestamp with a zone in a schema file is that of the reference, and a model keeps it.
#[test]
fn the_type_of_the_reference() {
    let scratch = leak();
    scratch
        .fnb("schema people.csv --table events=zones.csv:id -t class -o s.json")
        .ok();
    let schema = scratch.text("s.json");
    assert!(schema.contains("\"timestamptz\""), "{schema}");
    let list = |options: &str| scratch.fnb(&format!("construct {options}")).ok().stdout;
    let names = list("--schema s.json");
    assert!(names.contains("asked.LocalTZ.DecimalYear"), "{names}");
    // Moments by the clock of UTC, on demand.
    let utc = "people.csv -t class --table events=zones.csv:id \
         --type asked=timestamp --type events.at=timestamp";
    assert!(list(utc).contains("asked.DecimalYear"), "{}", list(utc));
    scratch
        .fnb("train people.csv -t class --table events=zones.csv:id -o m.json")
        .ok();
    let score = |events: &str| {
        let command = format!("predict m.json people.csv --table events={events}");
        scratch.fnb(&command).ok().stdout
    };
    assert_eq!(score("zones.csv").lines().count(), 301);
}

/// What Khiops 11.0.1 gives for these files, with the same rules.
#[test]
fn conditions_are_those_of_khiops() {
    let zones = ["+02:00", "-05:00", "Z", "+05:45"];
    let (mut customers, mut calls) = ("cid\n".to_owned(), "cid\tstamp\n".to_owned());
    for customer in 0..60 {
        let _ = writeln!(customers, "C{customer:02}");
        for i in 8 * customer + 1..=8 * customer + 8 {
            let (month, day) = (1 + i * 5 % 12, 1 + 7 * i % 28);
            let (hour, minute, zone) = (i * i % 24, 11 * i % 60, zones[i * i % 7 % 4]);
            let _ = writeln!(
                calls,
                "C{customer:02}\t2024-{month:02}-{day:02} {hour:02}:{minute:02}:00{zone}"
            );
        }
    }
    let scratch = Scratch::new();
    scratch
        .write("customers.tsv", customers)
        .write("calls.tsv", calls);
    let list = scratch
        .fnb(
            "construct customers.tsv --table calls=calls.tsv:cid --features 100 --preset khiops \
             --rules TableCount,TableMean,TableMax,TableMode,TableCountDistinct,TableSelection,\
             date,time,timestamp,timestamptz --json -q",
        )
        .ok()
        .stdout;
    for condition in [
        "stamp.LocalTZ.Date.Day in ]4.5, 11.5]",
        "stamp.LocalTZ.Date.DecimalYear in ]2024.25, 2024.48]",
        "stamp.LocalTZ.Date.WeekDay in ]3.5, 5.5]",
        "stamp.LocalTZ.Date.YearDay > 263",
        "stamp.LocalTZ.DecimalWeekDay in ]1.95, 4.061]",
        "stamp.LocalTZ.DecimalYearTS in ]2024.485, 2024.718]",
        "stamp.LocalTZ.Time.DecimalTime <= 4.5",
        "stamp.LocalTZ.Time.DecimalTime in ]4.5, 11]",
    ] {
        assert!(list.contains(condition), "{condition} is not in {list}");
    }
}
