//! Tables as they come: separators, quotes, blanks, names and classes that nobody expected.

use crate::scratch::{Numbers, Scratch, number};
use serde_json::Value;

/// 200 rows of a number and a category that tell the class, which is 0 or 1.
fn rows() -> Vec<(f64, &'static str, usize)> {
    let mut draw = Numbers::new(21);
    let row = |_| {
        let class = draw.below(2) as usize;
        let x = (draw.share() * 4.0 + class as f64 * 2.0 - 3.0) * 100.0;
        let colour = ["red", "green", "blue"][(class + draw.below(2) as usize) % 3];
        (x.round() / 100.0, colour, class)
    };
    (0..200).map(row).collect()
}

/// A table with this header, each row written by `line`.
fn table(header: &str, line: impl Fn(f64, &str, usize) -> String) -> String {
    let lines = rows()
        .into_iter()
        .map(|(x, colour, class)| line(x, colour, class));
    [header.to_owned()].into_iter().chain(lines).collect()
}

/// Trains on the text, gives back the model.
fn model(scratch: &Scratch, text: &str, target: &str) -> Value {
    scratch.write("data.csv", text);
    scratch
        .fnb_words(&["train", "data.csv", "-t", target, "-o", "m.json"])
        .ok();
    scratch.json("m.json")
}

/// What was learnt: the counts of the variables by name.
fn counts(model: &Value) -> Vec<(Value, Value)> {
    let variables = model["terms"].as_array().expect("variables").iter();
    variables
        .map(|v| (v["name"].clone(), v["counts"].clone()))
        .collect()
}

#[test]
fn the_same_table_in_many_hands() {
    let scratch = Scratch::new();
    let plain = table("x,colour,class\n", |x, c, k| format!("{x},{c},{k}\n"));
    let expected = counts(&model(&scratch, &plain, "class"));
    assert_eq!(expected.len(), 2);
    for (what, text) in [
        (
            "semicolons and decimal commas",
            table("x;colour;class\n", |x, c, k| {
                format!("{x};{c};{k}\n").replace('.', ",")
            }),
        ),
        (
            "bars",
            table("x|colour|class\n", |x, c, k| format!("{x}|{c}|{k}\n")),
        ),
        (
            "tabs",
            table("x\tcolour\tclass\n", |x, c, k| format!("{x}\t{c}\t{k}\n")),
        ),
        (
            "byte order mark and CR LF",
            table("\u{feff}x,colour,class\r\n", |x, c, k| {
                format!("{x},{c},{k}\r\n")
            }),
        ),
        (
            "blank lines",
            table("\nx,colour,class\n\n", |x, c, k| format!("{x},{c},{k}\n\n")),
        ),
        ("no end of the last line", plain.trim_end().to_owned()),
        (
            "quotes everywhere",
            table("\"x\",\"colour\",\"class\"\n", |x, c, k| {
                format!("\"{x}\",\"{c}\",\"{k}\"\n")
            }),
        ),
        (
            "a column of nothing",
            table("x,void,colour,class\n", |x, c, k| format!("{x},,{c},{k}\n")),
        ),
        (
            "a separator at the end",
            table("x,colour,class,\n", |x, c, k| format!("{x},{c},{k},\n")),
        ),
        (
            "exponents and signs",
            table("x,colour,class\n", |x, c, k| format!("{x:+.4e},{c},{k}\n")),
        ),
    ] {
        assert_eq!(counts(&model(&scratch, &text, "class")), expected, "{what}");
        let predicted = scratch.fnb("predict m.json data.csv").ok().stdout;
        assert_eq!(predicted.lines().count(), 201, "{what}");
    }
    let utf16: Vec<u8> = plain.encode_utf16().flat_map(u16::to_le_bytes).collect();
    scratch.write("wide.csv", [&[0xff, 0xfe], &utf16[..]].concat());
    scratch.fnb("train wide.csv -t class -o wide.json").ok();
    assert_eq!(counts(&scratch.json("wide.json")), expected, "UTF-16");
}

#[test]
fn names_are_kept_as_they_are() {
    let scratch = Scratch::new();
    let header = "\"size, in \"\"m\"\"\", caf\u{e9} \u{1f600} ,\"the\nclass\"\n";
    let text = table(header, |x, c, k| format!("{x},{c},{k}\n"));
    let model = model(&scratch, &text, "the\nclass");
    let names: Vec<Value> = counts(&model).into_iter().map(|(name, _)| name).collect();
    assert!(names.contains(&"size, in \"m\"".into()), "{names:?}");
    assert!(names.contains(&" caf\u{e9} \u{1f600} ".into()), "{names:?}");
    scratch
        .fnb("predict m.json data.csv --proba --reasons 2 -o p.csv")
        .ok();
    let facts = scratch.fnb("describe p.csv --json").ok().json();
    assert_eq!(facts["rows"], 200);
    for command in [
        "inspect m.json",
        "explain m.json data.csv --row 3",
        "evaluate m.json data.csv",
    ] {
        scratch.fnb(command).ok();
    }
    let schema = scratch.fnb("schema data.csv").ok().stdout;
    scratch.write("schema.json", schema);
    let words = [
        "train",
        "data.csv",
        "-t",
        "the\nclass",
        "--schema",
        "schema.json",
        "-o",
        "n.json",
    ];
    scratch.fnb_words(&words).ok();
    assert_eq!(scratch.read("n.json"), scratch.read("m.json"));
}

#[test]
fn classes_are_any_text() {
    let scratch = Scratch::new();
    let classes = ["say \"no\", or\nnot", "\u{2212}1; \u{1f642}"];
    let quoted = classes.map(|class| class.replace('"', "\"\""));
    let text = table("x,colour,class\n", |x, c, k| {
        format!("{x},{c},\"{}\"\n", quoted[k])
    });
    let model = model(&scratch, &text, "class");
    assert_eq!(model["target"]["classes"], Value::from(classes.to_vec()));
    for name in ["p.csv", "p.tsv", "p.parquet"] {
        scratch
            .fnb(&format!(
                "predict m.json data.csv --proba --keep class -o {name}"
            ))
            .ok();
        // What was written is read again, class by class.
        let facts = scratch.fnb(&format!(
            "describe {name} -t prediction --type proba*=ignore --json"
        ));
        assert_eq!(
            facts.ok().json()["classes"],
            Value::from(classes.to_vec()),
            "{name}"
        );
        let columns = scratch.fnb(&format!("describe {name} --json")).ok().json();
        let last = columns["columns"][3]["name"]
            .as_str()
            .expect("a name")
            .to_owned();
        assert_eq!(last, format!("proba_{}", classes[1]), "{name}");
    }
    let evaluation = scratch.fnb("evaluate m.json data.csv --json").ok().json();
    assert_eq!(evaluation["unseen_class_rows"], 0);
    let prior = format!("{}=0.1", classes[0]);
    scratch
        .fnb_words(&["predict", "m.json", "data.csv", "--prior", &prior])
        .ok();
}

#[test]
fn a_target_called_prediction() {
    let scratch = Scratch::new();
    let text = table("x,colour,prediction\n", |x, c, k| format!("{x},{c},{k}\n"));
    model(&scratch, &text, "prediction");
    scratch.fnb("predict m.json data.csv --proba -o p.csv").ok();
    scratch.fnb("evaluate m.json data.csv").ok();
}

#[test]
fn many_columns_and_long_lines() {
    let scratch = Scratch::new();
    let header: String = (0..3_000)
        .flat_map(|i| [format!("v{i}"), ",".into()])
        .collect();
    let noise = "0.25,".repeat(2_999);
    let text = table(&format!("{header}class\n"), |x, _, k| {
        format!("{noise}{x},{k}\n")
    });
    let names = counts(&model(&scratch, &text, "class"));
    assert_eq!(names.len(), 1);
    assert_eq!(names[0].0, "v2999");
    let long = "word ".repeat(100_000);
    let text = table("x,story,class\n", |x, c, k| {
        format!("{x},{c} {}{long},{k}\n", x * 7.0)
    });
    let (some_lines, _) = text[..12_000_000].rsplit_once('\n').expect("lines");
    scratch.write("long.csv", some_lines);
    // Words of the story are variables, the story is not.
    let run = scratch.fnb("train long.csv -t class -o m.json --json").ok();
    assert!(number(&run.json()["columns"]) > 3.0);
    let model = scratch.json("m.json");
    let variables = model["terms"].as_array().expect("variables").iter();
    let names: Vec<&str> = variables.filter_map(|v| v["name"].as_str()).collect();
    assert!(!names.is_empty() && !names.contains(&"story"), "{names:?}");
}
