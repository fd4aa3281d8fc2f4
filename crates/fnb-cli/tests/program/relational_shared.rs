//! Rows of the main table that repeat a key, with times of their own; times and types of keys.

use crate::scratch::{Numbers, Scratch, refused};

/// Lines of a table.
fn table(header: &str, rows: impl Iterator<Item = String>) -> String {
    let rows: Vec<String> = rows.collect();
    format!("{header}\n{}\n", rows.join("\n"))
}

fn below(numbers: &mut Numbers, bound: u64) -> usize {
    numbers.below(bound) as usize
}

/// People who ask several times, and what they did before and after.
fn scratch() -> Scratch {
    let scratch = Scratch::new();
    let mut numbers = Numbers::new(7);
    let mut asked = "id,at,class\n".to_owned();
    let mut events = "id,day,kind\n".to_owned();
    let mut failures: Vec<Vec<usize>> = Vec::new();
    for person in 0..40 {
        let mut own = Vec::new();
        for _ in 0..12 {
            let day = below(&mut numbers, 28);
            let kind = ["ok", "failed"][below(&mut numbers, 2)];
            events += &format!("p{person},2024-03-{:02},{kind}\n", day + 1);
            if kind == "failed" {
                own.push(day);
            }
        }
        failures.push(own);
    }
    for _ in 0..400 {
        let (person, day) = (below(&mut numbers, 40), below(&mut numbers, 28));
        let failed = failures[person]
            .iter()
            .filter(|&&other| other < day)
            .count();
        let class = if failed > 2 { "yes" } else { "no" };
        asked += &format!("p{person},2024-03-{:02},{class}\n", day + 1);
    }
    scratch.write("asked.csv", asked);
    scratch.write("events.csv", events);
    scratch
}

const TABLES: &str = "--table events=events.csv:id --cutoff at --features 300";

#[test]
fn every_row_is_trained_on_and_scored() {
    let scratch = scratch();
    let run = scratch
        .fnb(&format!(
            "train asked.csv -t class {TABLES} -o m.json --cv 3"
        ))
        .ok();
    assert!(
        run.stderr
            .contains("rows have the key of an earlier row, and share its records"),
        "{}",
        run.stderr
    );
    assert_eq!(scratch.json("m.json")["training"]["rows"], 400);
    let predict = |file: &str| {
        let command = format!("predict m.json {file} --table events=events.csv --keep id,at,class");
        scratch.fnb(&command).ok().stdout
    };
    let scored = predict("asked.csv");
    let asked = scratch.text("asked.csv");
    assert_eq!(scored.lines().count(), asked.lines().count());
    let mut right = 0;
    for (row, line) in asked.lines().zip(scored.lines()).skip(1) {
        let (id, rest) = row.split_once(',').expect("three cells");
        assert!(line.starts_with(&format!("{id},{rest},")), "{row}: {line}");
        right += usize::from(line.ends_with(row.rsplit(',').next().expect("a class")));
    }
    assert!(right > 390, "{right} of 400 rows");
    // A row alone sees what it sees among others.
    let (header, lines) = asked.split_once('\n').expect("a header");
    for (place, row) in lines.lines().enumerate().step_by(57) {
        scratch.write("one.csv", format!("{header}\n{row}\n"));
        assert_eq!(
            predict("one.csv").lines().nth(1),
            scored.lines().nth(place + 1)
        );
    }
    let tables = "--table events=events.csv";
    let figures = scratch
        .fnb(&format!("evaluate m.json asked.csv {tables} --json"))
        .ok()
        .json();
    assert_eq!(figures["rows"], 400, "{figures}");
    scratch
        .fnb(&format!("explain m.json asked.csv {tables} --row 400"))
        .ok();
    scratch
        .fnb(&format!(
            "construct asked.csv -t class {TABLES} -o values.csv"
        ))
        .ok();
    assert_eq!(scratch.text("values.csv").lines().count(), 401);
}

#[test]
fn a_table_without_a_time_must_be_said_to_be_timeless() {
    let scratch = scratch();
    let pets = (0..40).map(|p| format!("p{p},{},x{}", p % 7, p % 3));
    scratch.write("pets.csv", table("id,age,name", pets));
    let train = format!("train asked.csv -t class {TABLES} --table pets=pets.csv:id -o m.json");
    refused(
        &scratch,
        &train,
        "U01",
        &[
            "pets has no date",
            "id, name",
            "--time pets=",
            "--timeless pets",
        ],
    );
    scratch.fnb(&format!("{train} --timeless pets")).ok();
    refused(
        &scratch,
        &format!("{train} --timeless pest"),
        "U01",
        &["--timeless pest", "did you mean pets?"],
    );
    // The schema file says it too.
    scratch
        .fnb(
            "schema asked.csv -t class --table events=events.csv:id --table pets=pets.csv:id \
             --cutoff at --timeless pets -o schema.json",
        )
        .ok();
    assert_eq!(scratch.json("schema.json")["cutoff"]["timeless"][0], "pets");
    scratch
        .fnb("train --schema schema.json --features 300 -o s.json")
        .ok();
    assert_eq!(scratch.read("s.json"), scratch.read("m.json"));
    let file = scratch.text("schema.json").replace("\"pets\"\n    ]", "]");
    scratch.write("schema.json", file);
    refused(
        &scratch,
        "train --schema schema.json -o s.json",
        "U01",
        &["pets has no date", "--timeless pets"],
    );
}

#[test]
fn a_cut_off_reaches_the_records_of_look_up_tables() {
    let scratch = scratch();
    let asked = scratch.text("asked.csv").replace("id,", "person,");
    scratch.write("asked.csv", asked);
    let people = (0..40).map(|p| format!("p{p},{}", p % 7));
    scratch.write("people.csv", table("id,age", people));
    let construct = "construct asked.csv -t class --lookup who=people.csv:id@person \
                     --table who.events=events.csv:id --rules TableCount,GetValue --keep person,at";
    let construct = construct.trim_end_matches(" --keep person,at");
    let counts = |options: &str| {
        scratch
            .fnb(&format!("{construct} {options} --features 5 -o values.csv"))
            .ok();
        let values = scratch.text("values.csv");
        let header = values.lines().next().expect("a header");
        let place = header
            .split(',')
            .position(|name| name == "who.Count(events)");
        let place = place.unwrap_or_else(|| panic!("{header}"));
        let count = |line: &str| line.split(',').nth(place).expect("a count").to_owned();
        values.lines().skip(1).map(count).collect::<Vec<String>>()
    };
    let events = scratch.text("events.csv");
    let asked = scratch.text("asked.csv");
    let all = counts("");
    for options in ["--cutoff at", "--cutoff at --time who.events=day"] {
        let seen = counts(options);
        for (place, row) in asked.lines().skip(1).enumerate() {
            let mut cells = row.split(',');
            let (id, at) = (cells.next().expect("an id"), cells.next().expect("a day"));
            let own = events.lines().filter_map(|line| line.split_once(','));
            let own = own.filter(|(owner, _)| *owner == id);
            let before = own.clone().filter(|(_, rest)| &rest[..10] < at).count();
            assert_eq!(seen[place], before.to_string(), "{row}");
            assert_eq!(all[place], own.count().to_string(), "{row}");
        }
    }
}

/// As numbers, two of them would be one.
const CARRIERS: [&str; 3] = ["01", "1", "2"];

/// The class follows the hour of the day, which is part of the key of the weather.
#[test]
fn keys_keep_their_type_as_inputs() {
    let scratch = Scratch::new();
    let mut numbers = Numbers::new(3);
    let mut flights = "hour,gate,carrier,late\n".to_owned();
    let mut weather = "hour,wind\n".to_owned();
    for day in 1..=20 {
        for hour in 0..24 {
            let at = format!("2024-05-{day:02} {hour:02}:00:00");
            weather += &format!("{at},{}\n", below(&mut numbers, 30));
            for _ in 0..2 {
                let late = if hour > 15 && below(&mut numbers, 10) > 0 {
                    "yes"
                } else {
                    "no"
                };
                let (gate, carrier) = (
                    10 + below(&mut numbers, 9),
                    CARRIERS[below(&mut numbers, 3)],
                );
                flights += &format!("{at},{gate},{carrier},{late}\n");
            }
        }
    }
    let gates = (10..19).map(|gate| format!("{gate},{}", gate % 4));
    let carriers = CARRIERS.iter().map(|c| format!("{c},5"));
    scratch.write("flights.csv", flights);
    scratch.write("weather.csv", weather);
    scratch.write("gates.csv", table("gate,pier", gates));
    scratch.write("carriers.csv", table("carrier,planes", carriers));
    let look_ups = "--lookup weather=weather.csv:hour@hour --lookup gates=gates.csv:gate@gate \
                    --lookup carriers=carriers.csv:carrier@carrier";
    scratch
        .fnb(&format!(
            "train flights.csv -t late {look_ups} --features 300 -o m.json"
        ))
        .ok();
    let model = scratch.json("m.json");
    let names = |model: &serde_json::Value| {
        let terms = model["terms"].as_array().expect("terms").clone();
        let name = |term: &serde_json::Value| term["axes"][0]["name"].to_string();
        terms.iter().map(name).collect::<Vec<_>>()
    };
    assert!(
        names(&model).iter().any(|name| name.contains("hour.")),
        "{:?}",
        names(&model)
    );
    let type_of = |model: &serde_json::Value, name: &str| {
        let fields = model["schema"]["entities"]["main"]["fields"].as_array();
        let fields = fields.expect("fields").clone();
        let field = fields.into_iter().find(|field| field["name"] == name);
        field.expect("a field")["type"].clone()
    };
    assert_eq!(type_of(&model, "hour"), "timestamp");
    scratch
        .fnb(&format!(
            "schema flights.csv -t late {look_ups} -o schema.json"
        ))
        .ok();
    let schema = serde_json::json!({"schema": scratch.json("schema.json")});
    assert_eq!(type_of(&schema, "hour"), "timestamp");
    assert_eq!(type_of(&schema, "gate"), "numerical");
    assert_eq!(type_of(&schema, "carrier"), "categorical");
    // Said to be categories, they are.
    scratch
        .fnb(&format!(
            "schema flights.csv -t late {look_ups} --type gate=cat -o schema.json"
        ))
        .ok();
    let schema = serde_json::json!({"schema": scratch.json("schema.json")});
    assert_eq!(type_of(&schema, "gate"), "categorical");
    // The same files score.
    let files = "--lookup weather=weather.csv";
    let scored = scratch
        .fnb(&format!("predict m.json flights.csv {files}"))
        .ok();
    assert_eq!(scored.stdout.lines().count(), 961);
}
