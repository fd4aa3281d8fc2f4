//! Every command on data that works.

use crate::data::golden;
use crate::scratch::{Numbers, Scratch, TUMOURS, number, refused};
use arrow::array::{ArrayRef, BooleanArray, Float64Array, Int8Array, RecordBatch, StringArray};
use arrow::ipc::writer::FileWriter;
use fnb_table::{OutputData, OutputKind, TableWriter};
use serde_json::Value;
use std::sync::Arc;

/// Measures that every evaluation has.
const MEASURES: [&str; 5] = ["accuracy", "auc", "compression", "log_loss", "brier"];

/// 300 flats: a rent to guess from a surface, a district, a floor and noise.
fn flats() -> String {
    let mut draw = Numbers::new(3);
    let mut text = String::from("id,surface,district,floor,noise,rent\n");
    for row in 0..300 {
        let high = draw.below(3) == 0;
        let surface = 20.0 + 40.0 * draw.share() + if high { 30.0 } else { 0.0 };
        let district = match (high, draw.below(5)) {
            (true, 0..3) => "centre",
            (false, 0..3) => "suburb",
            _ => "harbour",
        };
        let rent = if high { "high" } else { "low" };
        let (floor, noise) = (draw.below(6), draw.share());
        let line = format!("F{row},{surface:.1},{district},{floor},{noise:.5},{rent}\n");
        text.push_str(&line);
    }
    text
}

/// A folder with the flats and their model.
fn trained() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("flats.csv", flats());
    scratch.fnb("train flats.csv -t rent -o model.json").ok();
    scratch
}

#[test]
fn demo_writes_into_the_folder_it_names() {
    let scratch = Scratch::new();
    let run = scratch.fnb("demo").ok();
    assert_eq!(scratch.files(), ["fnb-demo"]);
    assert!(run.stdout.contains("fnb-demo"), "{}", run.stdout);
    let named = scratch.path("fnb-demo").join("report.html");
    let named = named.strip_prefix(scratch.path("")).expect("in the folder");
    assert!(
        run.stdout.contains(&*named.to_string_lossy()),
        "{}",
        run.stdout
    );
    scratch.fnb("demo -o other/place").ok();
    for folder in ["fnb-demo", "other/place"] {
        let model = scratch.json(&format!("{folder}/model.json"));
        assert!(number(&model["evaluation"]["cv"]["mean"]["auc"]) > 0.95);
        let predictions = scratch.text(&format!("{folder}/predictions.csv"));
        assert_eq!(predictions.lines().count(), 570);
        let page = scratch.text(&format!("{folder}/report.html"));
        assert!(page.starts_with("<!doctype html>"));
        assert!(
            scratch
                .path(&format!("{folder}/breast_cancer.csv"))
                .is_file()
        );
    }
    // What it shows can be typed again.
    scratch
        .fnb("evaluate fnb-demo/model.json fnb-demo/breast_cancer.csv --min-auc 0.95")
        .ok();
}

#[test]
fn train_tells_what_it_did() {
    let scratch = trained();
    let run = scratch.fnb("train flats.csv -t rent --json").ok();
    let summary = run.json();
    assert_eq!(summary["rows"], 300);
    assert_eq!(summary["columns"], 5);
    for key in ["read", "prepare", "weights", "evaluate", "total"] {
        assert!(number(&summary["seconds"][key]) >= 0.0);
    }
    for measure in MEASURES {
        assert!(number(&summary["evaluation"]["train"][measure]).is_finite());
    }
    assert!(summary.get("cv").is_none());
    assert!(run.stderr.contains("comma separated"), "{}", run.stderr);
    let quiet = scratch.fnb("train flats.csv -t rent --json -q").ok();
    assert_eq!(quiet.stderr, "");
    let lines = scratch
        .fnb("train flats.csv -t rent --progress json")
        .ok()
        .stderr;
    let json = lines.lines().filter(|line| line.starts_with('{'));
    assert!(json.clone().count() > 0);
    json.for_each(|line| drop(serde_json::from_str::<Value>(line).expect("JSON")));
}

#[test]
fn cross_validation_has_its_figures() {
    let scratch = trained();
    let summary = scratch
        .fnb("train flats.csv -t rent --cv 5 --json -o cv.json")
        .ok()
        .json();
    check_folds(&summary["cv"], 5);
    assert!(number(&summary["cv"]["mean"]["auc"]) > 0.8);
    let again = scratch
        .fnb("train flats.csv -t rent --cv 5 --json")
        .ok()
        .json();
    for measure in MEASURES {
        assert_eq!(again["cv"]["mean"][measure], summary["cv"]["mean"][measure]);
    }
    assert!(scratch.json("cv.json")["evaluation"]["cv"]["mean"]["auc"].is_number());

    // The same folds from a file, whatever they are called.
    let folds: String = (0..300)
        .map(|row| (10 + row % 4).to_string() + ",x\n")
        .collect();
    scratch.write("folds.csv", format!("fold,other\n{folds}"));
    let summary = scratch
        .fnb("train flats.csv -t rent --folds folds.csv --json")
        .ok()
        .json();
    check_folds(&summary["cv"], 4);
    let named = summary["cv"]["folds"].as_array().expect("folds").iter();
    assert!(named.map(|fold| &fold["fold"]).eq([10, 11, 12, 13].iter()));
}

/// Mean and spread are those of the folds.
fn check_folds(cv: &Value, count: usize) {
    let folds = cv["folds"].as_array().expect("folds");
    assert_eq!(folds.len(), count);
    for key in MEASURES
        .iter()
        .chain(&["selected", "informative", "seconds"])
    {
        let values: Vec<f64> = folds.iter().map(|fold| number(&fold[key])).collect();
        let mean = values.iter().sum::<f64>() / count as f64;
        let squares: f64 = values.iter().map(|x| (x - mean) * (x - mean)).sum();
        let sd = (squares / (count as f64 - 1.0)).sqrt();
        assert!((number(&cv["mean"][key]) - mean).abs() < 1e-9, "{key}");
        assert!((number(&cv["sd"][key]) - sd).abs() < 1e-9, "{key}");
    }
}

fn write_parquet(
    scratch: &Scratch,
    name: &str,
    columns: &[(&str, OutputKind)],
    values: &[OutputData],
) {
    let path = scratch.path(name).display().to_string();
    let mut writer = TableWriter::create(&path, columns).expect("a file");
    writer.write(values).expect("columns");
    writer.finish().expect("a file");
}

#[test]
fn folds_from_parquet() {
    let scratch = Scratch::new();
    let text = std::fs::read_to_string(golden("iris.tsv")).expect("a table");
    let rows: Vec<Vec<&str>> = text
        .lines()
        .map(|line| line.split('\t').collect())
        .collect();
    let (header, rows) = rows.split_first().expect("a header");
    let number_of = |place: usize| -> Vec<f64> {
        let value = |row: &Vec<&str>| row[place].parse().expect("a number");
        rows.iter().map(value).collect()
    };
    let numbers: Vec<Vec<f64>> = (0..4).map(number_of).collect();
    let classes = rows.iter().map(|row| Some(row[4])).collect();
    let columns: Vec<(&str, OutputKind)> = header
        .iter()
        .map(|name| match *name {
            "class" => ("class", OutputKind::Text),
            name => (name, OutputKind::Number),
        })
        .collect();
    let mut values: Vec<OutputData> = numbers.iter().map(|n| OutputData::Numbers(n)).collect();
    values.push(OutputData::Categories(&classes));
    write_parquet(&scratch, "data.parquet", &columns, &values);
    let folds: Vec<i64> = (0..rows.len() as i64).map(|row| row % 10).collect();
    let column = [("fold", OutputKind::Integer)];
    write_parquet(
        &scratch,
        "folds.parquet",
        &column,
        &[OutputData::Integers(&folds)],
    );
    let run = scratch.fnb("train data.parquet -t class --folds folds.parquet --json");
    let cv = &run.ok().json()["cv"];
    check_folds(cv, 10);
    assert!(number(&cv["mean"]["accuracy"]) > 0.85);
}

#[test]
fn rows_kept_for_testing() {
    let scratch = trained();
    let summary = scratch
        .fnb("train flats.csv -t rent --holdout 0.3 --json")
        .ok()
        .json();
    assert_eq!(summary["rows"], 210);
    assert_eq!(summary["evaluation"]["test"]["rows"], 90);
    let test = "train flats.csv -t rent --test flats.csv --json -o tested.json";
    let summary = scratch.fnb(test).ok().json();
    for measure in MEASURES {
        let (train, test) = ("/evaluation/train/", "/evaluation/test/");
        let value = |set: &str| number(summary.pointer(&format!("{set}{measure}")).expect("there"));
        assert!((value(train) - value(test)).abs() < 1e-12, "{measure}");
    }
    assert_eq!(
        scratch.json("tested.json")["evaluation"]["test"]["rows"],
        300
    );
}

#[test]
fn evaluate_prints_its_figures_and_keeps_the_gate() {
    let scratch = trained();
    let found = scratch
        .fnb("evaluate model.json flats.csv --json")
        .ok()
        .json();
    let model = scratch.json("model.json");
    for measure in MEASURES {
        let expected = number(&model["evaluation"]["train"][measure]);
        assert!(
            (number(&found[measure]) - expected).abs() < 1e-12,
            "{measure}"
        );
    }
    let confusion = found["confusion"]["matrix"].as_array().expect("a matrix");
    let rows: u64 = confusion
        .iter()
        .flat_map(|line| line.as_array().expect("a line"))
        .map(|n| n.as_u64().expect("a count"))
        .sum();
    assert_eq!(rows, 300);
    for lift in found["lift"].as_array().expect("curves") {
        let curve = lift["curve"].as_array().expect("a curve");
        assert_eq!(
            (number(&curve[0]), number(&curve[curve.len() - 1])),
            (0.0, 1.0)
        );
    }
    let gate = scratch.fnb("evaluate model.json flats.csv --json --min-auc 1.1");
    assert_eq!(gate.code, Some(4), "{}", gate.stderr);
    assert!(
        gate.stderr.contains("error[G01]") && gate.stderr.contains("1.1"),
        "{}",
        gate.stderr
    );
    assert_eq!(gate.json()["auc"], found["auc"]);
    scratch
        .fnb("evaluate model.json flats.csv --min-auc 0.5")
        .ok();
    refused(
        &scratch,
        "evaluate model.json flats.csv --min-auc nan",
        "U01",
        &["a number"],
    );
}

#[test]
fn a_bar_is_not_met_by_what_cannot_be_judged() {
    let scratch = Scratch::new();
    scratch.write("d.csv", TUMOURS);
    let (header, rows) = TUMOURS.split_once('\n').expect("a header");
    let of_class = |class: &str| {
        let rows = rows.lines().filter(|row| row.contains(class));
        let rows: Vec<&str> = rows.collect();
        format!("{header}\n{}\n", rows.join("\n"))
    };
    scratch.write("one.csv", of_class("malignant"));
    scratch.write(
        "unseen.csv",
        of_class("malignant").replace("malignant", "odd"),
    );
    scratch.fnb("train d.csv -t diagnosis -o m.json").ok();
    for data in ["one.csv", "unseen.csv"] {
        let gate = scratch.fnb(&format!("evaluate m.json {data} --json --min-auc 0.1"));
        assert_eq!(gate.code, Some(4), "{data}: {}", gate.stderr);
        assert!(
            gate.stderr.contains("error[G01]: the AUC is not defined"),
            "{}",
            gate.stderr
        );
        assert!(gate.json()["auc"].is_null(), "{}", gate.stdout);
        let shown = scratch.fnb(&format!("evaluate m.json {data}")).ok().stdout;
        let figures: Vec<&str> = shown
            .lines()
            .nth(1)
            .expect("figures")
            .split_whitespace()
            .collect();
        assert_eq!(figures[2], "-", "{shown}");
    }
    // A model of one class, its figures and its file; folds of one class.
    let run = scratch
        .fnb("train one.csv -t diagnosis -o one.json --cv 2 --json")
        .ok();
    for place in [
        "/evaluation/train/auc",
        "/cv/mean/auc",
        "/cv/sd/auc",
        "/cv/folds/0/auc",
    ] {
        assert!(
            run.json().pointer(place).expect(place).is_null(),
            "{place}: {}",
            run.stdout
        );
    }
    let shown = scratch.fnb("inspect one.json").ok().stdout;
    assert!(shown.contains("AUC -,"), "{shown}");
    let compare = "compare one.csv -t diagnosis --cv 2 --methods fnb,nb -o folds.csv";
    let shown = scratch.fnb(compare).ok().stdout;
    assert!(shown.contains("  -  "), "{shown}");
    let again = scratch.fnb(&format!("{compare} --resume")).ok();
    assert_eq!(again.stdout, shown);
    assert!(again.stderr.contains("4 models found"), "{}", again.stderr);
}

#[test]
fn inspect_shows_the_whole_model() {
    let scratch = trained();
    let text = scratch.fnb("inspect model.json --dropped").ok().stdout;
    for word in [
        "rent",
        "high",
        "low",
        "surface",
        "district",
        "centre",
        "noise",
        "uninformative",
    ] {
        assert!(text.contains(word), "{word}: {text}");
    }
    let json = scratch.fnb("inspect model.json --json").ok().stdout;
    assert_eq!(json, scratch.text("model.json"));
}

#[test]
fn explanations_add_up() {
    let scratch = trained();
    let by_row = scratch
        .fnb("explain model.json flats.csv --row 12 --json")
        .ok()
        .json();
    let by_id = scratch
        .fnb("explain model.json flats.csv --where id=F11 --json")
        .ok()
        .json();
    assert_eq!(by_row, by_id);
    assert_eq!(by_row["row"], 12);
    let predicted = scratch
        .fnb("predict model.json flats.csv --proba")
        .ok()
        .stdout;
    let line = predicted.lines().nth(12).expect("the row");
    let fields: Vec<&str> = line.split(',').collect();
    assert_eq!(by_row["prediction"], fields[0]);
    let probability = number(&by_row["probability"]);
    assert!(
        fields[1..]
            .iter()
            .any(|p| (p.parse::<f64>().expect("a number") - probability).abs() < 1e-12)
    );
    let terms = by_row["terms"].as_array().expect("terms");
    assert_eq!(
        terms.len(),
        scratch.json("model.json")["terms"]
            .as_array()
            .expect("a list")
            .len()
    );
    let text = scratch
        .fnb("explain model.json flats.csv --row 12")
        .ok()
        .stdout;
    assert!(text.starts_with("row 12: predicted"), "{text}");
    let sum: f64 = terms.iter().map(|term| number(&term["contribution"])).sum();
    let log_odds = number(&by_row["start"]) + sum;
    assert!((log_odds - number(&by_row["log_odds"])).abs() < 1e-9);
    // Probabilities are smoothed at the end.
    let rows = number(&scratch.json("model.json")["training"]["rows"]);
    let unsmoothed = |p: f64| p * (1.0 + 0.5 / (rows + 1.0)) - 0.25 / (rows + 1.0);
    let odds = unsmoothed(probability) / unsmoothed(1.0 - probability);
    assert!((log_odds - odds.ln()).abs() < 1e-6);
    // The other class has the other sign.
    let other = if fields[0] == "high" { "low" } else { "high" };
    let run = format!("explain model.json flats.csv --row 12 --class {other} --json");
    let opposite = scratch.fnb(&run).ok().json();
    assert!((number(&opposite["probability"]) + probability - 1.0).abs() < 1e-12);
    // By the value of a column that the model uses.
    let surface = flats()
        .lines()
        .nth(5)
        .expect("a row")
        .split(',')
        .nth(1)
        .expect("a field")
        .to_owned();
    scratch
        .fnb(&format!(
            "explain model.json flats.csv --where surface={surface}"
        ))
        .ok();
}

#[test]
fn schema_round_trip() {
    let scratch = trained();
    scratch.fnb("schema flats.csv -o schema.json").ok();
    let printed = scratch.fnb("schema flats.csv").ok().stdout;
    assert_eq!(printed, scratch.text("schema.json"));
    scratch
        .fnb("train flats.csv -t rent --schema schema.json -o same.json")
        .ok();
    assert_eq!(scratch.read("same.json"), scratch.read("model.json"));
    // Edit a type, give it back.
    let edited = printed.replace(
        "\"name\": \"floor\",\n      \"type\": \"numerical\"",
        "\"name\": \"floor\",\n      \"type\": \"categorical\"",
    );
    assert_ne!(edited, printed);
    let edited = edited.replace(
        "\"name\": \"district\",\n      \"type\": \"categorical\"",
        "\"name\": \"district\",\n      \"type\": \"ignore\"",
    );
    scratch.write("edited.json", edited);
    let given = scratch
        .fnb("describe flats.csv -t rent --json --schema edited.json")
        .ok()
        .json();
    let variables = given["variables"].as_array().expect("variables");
    let named = |name: &str| variables.iter().find(|v| v["name"] == name);
    assert_eq!(named("floor").expect("floor")["type"], "categorical");
    assert!(named("district").is_none());
    assert_eq!(given["unused"][0]["name"], "district");
    let options = "--type floor=cat --type dist*=ignore";
    let by_options = scratch
        .fnb(&format!("describe flats.csv -t rent --json {options}"))
        .ok()
        .json();
    assert_eq!(by_options, given);
}

#[test]
fn predictions_can_be_read_back() {
    let scratch = trained();
    let options = "--reasons 2 --keep id,district --proba";
    for name in ["out.parquet", "out.csv", "out.tsv", "out.csv.gz"] {
        scratch
            .fnb(&format!("predict model.json flats.csv {options} -o {name}"))
            .ok();
        let facts = scratch.fnb(&format!("describe {name} --json")).ok().json();
        assert_eq!(facts["rows"], 300, "{name}");
        let columns = facts["columns"].as_array().expect("columns").iter();
        let names: Vec<&str> = columns
            .map(|c| c["name"].as_str().expect("a name"))
            .collect();
        let expected = "id district prediction proba_high proba_low reason_1 contribution_1 reason_2 contribution_2";
        assert_eq!(names.join(" "), expected, "{name}");
        assert_eq!(facts["columns"][0]["distinct"], 300, "{name}");
        assert_eq!(facts["columns"][3]["type"], "numerical", "{name}");
    }
    // The probability tells the prediction: a table like any other.
    scratch
        .fnb("train out.parquet -t prediction --drop id,proba_low,reason*,contrib* -o again.json")
        .ok();
    let again = scratch.json("again.json");
    assert_eq!(number(&again["evaluation"]["train"]["accuracy"]), 1.0);
    let summary = scratch
        .fnb("predict model.json flats.csv -o out.csv --json")
        .ok()
        .json();
    assert_eq!(
        (&summary["rows"], &summary["output"]),
        (&300.into(), &"out.csv".into())
    );
}

#[test]
fn another_prior() {
    let scratch = trained();
    let shares = |options: &str| -> f64 {
        let text = scratch
            .fnb(&format!("predict model.json flats.csv --proba {options}"))
            .ok()
            .stdout;
        let high = text
            .lines()
            .skip(1)
            .map(|line| line.split(',').nth(1).expect("a field"));
        high.map(|p| p.parse::<f64>().expect("a number"))
            .sum::<f64>()
            / 300.0
    };
    let (rare, usual, frequent) = (
        shares("--prior high=0.01"),
        shares(""),
        shares("--prior high=0.9"),
    );
    assert!(
        rare < usual - 0.02 && usual < frequent - 0.02,
        "{rare} {usual} {frequent}"
    );
    assert_eq!(shares("--prior high=0.01 --prior low=0.99"), rare);
}

#[test]
fn describe_without_a_target() {
    let scratch = trained();
    let facts = scratch.fnb("describe flats.csv --json").ok().json();
    let kinds = facts["columns"].as_array().expect("columns").iter();
    let kinds: Vec<&str> = kinds.map(|c| c["type"].as_str().expect("a type")).collect();
    assert_eq!(
        kinds.join(" "),
        "categorical numerical categorical numerical numerical categorical"
    );
    // How values lie is the same with a target and without, and in the model file.
    let described = scratch.fnb("describe flats.csv -t rent --json").ok().json();
    let model = scratch.json("model.json");
    for variable in described["variables"].as_array().expect("variables") {
        let named = |list: &serde_json::Value| {
            let mut found = list.as_array().expect("a list").clone();
            found.retain(|column| column["name"] == variable["name"]);
            found.pop().expect("the column")
        };
        let distribution = &variable["distribution"];
        assert!(distribution["kind"].is_string(), "{variable}");
        assert_eq!(named(&facts["columns"])["distribution"], *distribution);
        assert_eq!(named(&model["values"])["distribution"], *distribution);
        assert_eq!(named(&model["values"])["missing"], variable["missing"]);
    }
    let text = scratch
        .fnb("describe flats.csv -t rent --variable surface")
        .ok()
        .stdout;
    assert!(
        text.contains("surface (level") && !text.contains("district"),
        "{text}"
    );
}

#[test]
fn completions_for_each_shell() {
    let scratch = Scratch::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = scratch.fnb(&format!("completions {shell}")).ok().stdout;
        assert!(
            script.contains("describe") && script.contains("min-auc"),
            "{shell}"
        );
    }
    let help = scratch.fnb("--help").ok().stdout;
    assert!(help.contains("completions"), "{help}");
    for command in [
        "train",
        "compare",
        "describe",
        "construct",
        "predict",
        "explain",
    ] {
        let help = scratch.fnb(&format!("{command} --help")).ok().stdout;
        let (before, _) = help.split_once("\nOptions:").expect("options");
        assert!(before.contains("\n  [DATA]..."), "{help}");
    }
    assert!(scratch.fnb("--version").ok().stdout.starts_with("fnb 0."));
}

/// Whatever the type of a target, its values are classes.
#[test]
fn targets_of_any_type() {
    let scratch = Scratch::new();
    let mut draw = Numbers::new(11);
    let yes: Vec<bool> = (0..200).map(|_| draw.below(2) == 0).collect();
    let x = yes
        .iter()
        .map(|&yes| draw.share() + if yes { 0.8 } else { 0.0 });
    let columns: [(&str, ArrayRef); 5] = [
        ("x", Arc::new(x.collect::<Float64Array>())),
        ("flag", Arc::new(BooleanArray::from(yes.clone()))),
        (
            "whole",
            Arc::new(
                yes.iter()
                    .map(|&y| Some(i8::from(y)))
                    .collect::<Int8Array>(),
            ),
        ),
        (
            "half",
            Arc::new(
                yes.iter()
                    .map(|&y| if y { 1.5 } else { -2.0 })
                    .collect::<Float64Array>(),
            ),
        ),
        (
            "text",
            Arc::new(
                yes.iter()
                    .map(|&y| (!y).then_some("no, \"never\""))
                    .collect::<StringArray>(),
            ),
        ),
    ];
    let batch = RecordBatch::try_from_iter(columns).expect("a table");
    let file = std::fs::File::create(scratch.path("types.arrow")).expect("a file");
    let mut writer = FileWriter::try_new(file, &batch.schema()).expect("a writer");
    writer.write(&batch).expect("written");
    writer.finish().expect("finished");
    for (target, classes) in [
        ("flag", ["false", "true"]),
        ("whole", ["0", "1"]),
        ("half", ["-2", "1.5"]),
        ("text", ["", "no, \"never\""]),
    ] {
        let others = ["flag", "whole", "half", "text"]
            .into_iter()
            .filter(|t| *t != target);
        let others = others.collect::<Vec<_>>().join(",");
        let train = format!("train types.arrow -t {target} --drop {others} -o m.json");
        scratch.fnb(&train).ok();
        let model = scratch.json("m.json");
        assert_eq!(
            model["target"]["classes"],
            Value::from(classes.to_vec()),
            "{target}"
        );
        scratch
            .fnb("predict m.json types.arrow --proba --keep x -o p.csv")
            .ok();
        let facts = scratch.fnb("describe p.csv --json").ok().json();
        let names = facts["columns"].as_array().expect("columns").iter().skip(2);
        let names: Vec<&str> = names.map(|c| c["name"].as_str().expect("a name")).collect();
        assert_eq!(
            names,
            classes.map(|class| format!("proba_{class}")),
            "{target}"
        );
        let evaluation = scratch
            .fnb("evaluate m.json types.arrow --json")
            .ok()
            .json();
        assert_eq!(evaluation["unseen_class_rows"], 0, "{target}");
        assert!(number(&evaluation["accuracy"]) > 0.8, "{target}");
    }
}

/// Writes are atomic, also over a file that exists.
#[test]
fn outputs_replace_files_or_leave_them() {
    let scratch = trained();
    let before = scratch.read("model.json");
    scratch.write("bad.csv", "a,rent\n1,x\n2\n");
    assert_eq!(
        scratch.fnb("train bad.csv -t rent -o model.json").code,
        Some(3)
    );
    assert_eq!(scratch.read("model.json"), before);
    scratch
        .fnb("train flats.csv -t rent -o model.json --preset khiops")
        .ok();
    assert_ne!(scratch.read("model.json"), before);
    assert_eq!(scratch.files(), ["bad.csv", "flats.csv", "model.json"]);
}

/// `fnb ... | head -1`: a reader that goes away is no error.
#[cfg(unix)]
#[test]
fn closed_pipes() {
    use std::process::Stdio;
    let scratch = trained();
    let rows: String = flats()
        .lines()
        .skip(1)
        .map(|line| line.to_owned() + "\n")
        .collect();
    let header = flats().lines().next().expect("a header").to_owned();
    scratch.write("many.csv", format!("{header}\n{}", rows.repeat(400)));
    for command in [
        "inspect model.json",
        "describe flats.csv -t rent --json",
        "predict model.json many.csv --proba",
        "completions bash",
        "train flats.csv -t rent --json",
    ] {
        let words: Vec<&str> = command.split(' ').collect();
        let mut child = scratch
            .command(&words)
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{command}: {stderr}");
        assert!(!stderr.contains("error"), "{command}: {stderr}");
    }
}

/// Ctrl-C while the model is learnt, and while predictions are written.
#[cfg(unix)]
#[test]
fn interruption_leaves_nothing() {
    use std::process::Command;
    use std::time::Duration;
    let scratch = Scratch::new();
    let mut draw = Numbers::new(5);
    let mut text = String::new();
    for column in 0..60 {
        let name = format!("x{column},");
        text.push_str(&name);
    }
    text.push_str("y\n");
    for _ in 0..20_000 {
        let class = draw.below(2);
        for column in 0..60 {
            let x = draw.below(1_000_000) + class * column * 3_000;
            text.push_str(&x.to_string());
            text.push(',');
        }
        text.push_str(if class == 0 { "no\n" } else { "yes\n" });
    }
    scratch.write("large.csv", text);
    // The wait goes on until the signal finds the program at work: a run that ended before is
    // repeated with a shorter one.
    let train = [
        "train",
        "large.csv",
        "-t",
        "y",
        "-o",
        "m.json",
        "--cv",
        "10",
        "--threads",
        "1",
    ];
    let interrupted = [400, 100, 20].into_iter().any(|milliseconds| {
        let child = scratch.command(&train).spawn().expect("it starts");
        std::thread::sleep(Duration::from_millis(milliseconds));
        let id = child.id().to_string();
        let sent = Command::new("kill")
            .args(["-INT", &id])
            .status()
            .expect("kill runs");
        let output = child.wait_with_output().expect("it ends");
        if output.status.success() || !sent.success() {
            std::fs::remove_file(scratch.path("m.json")).expect("it was written");
            return false;
        }
        assert_eq!(output.status.code(), Some(130));
        assert_eq!(scratch.files(), ["large.csv"]);
        true
    });
    assert!(interrupted, "it always ended before the signal");
}
