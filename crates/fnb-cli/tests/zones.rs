//! Timestamps with a zone are moments: the same as those of UTC.

mod program;
mod shop;

use program::{Numbers, Scratch};
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

#[test]
fn mixed_zones_are_one_clock() {
    let scratch = leak();
    let construct = |file: &str| {
        let command = format!(
            "construct people.csv -t class --table events={file}:id --cutoff asked \
             --features 20 -o values.csv"
        );
        let run = scratch.fnb(&command).ok();
        assert!(run.stderr.contains("are not seen"), "{}", run.stderr);
        scratch.text("values.csv")
    };
    let values = construct("zones.csv");
    assert_eq!(values, construct("utc.csv"));
    // Two events before noon, and a third of those who answer b.
    let counts = shop::columns(&values, &["Count(events)"]);
    let people = scratch.text("people.csv");
    for (count, person) in counts.lines().zip(people.lines()).skip(1) {
        let expected = if person.ends_with(",a") { "2" } else { "3" };
        assert_eq!(count, expected, "{person}");
    }
}

/// The type of a timestamp with a zone in a schema file is a timestamp.
#[test]
fn the_type_of_the_reference_is_accepted() {
    let scratch = leak();
    scratch
        .fnb("schema people.csv --table events=zones.csv:id -t class -o s.json")
        .ok();
    let schema = scratch.text("s.json");
    assert!(schema.contains("\"Timestamp\""), "{schema}");
    scratch.write("z.json", schema.replace("\"Timestamp\"", "\"TimestampTZ\""));
    let list = |file: &str| {
        scratch
            .fnb(&format!("construct --schema {file}"))
            .ok()
            .stdout
    };
    assert_eq!(list("z.json"), list("s.json"));
    assert!(
        list("z.json").contains("asked.DecimalYear"),
        "{}",
        list("z.json")
    );
}
