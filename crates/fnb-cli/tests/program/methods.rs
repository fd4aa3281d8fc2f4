//! Every method through the program: valid models, limits, size paths, degenerate tables.

use crate::data::golden;
use crate::scratch::{METHODS, Numbers, Scratch, TUMOURS, number};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write;

const MEASURES: [&str; 5] = ["accuracy", "auc", "compression", "log_loss", "brier"];

/// Trains, and checks that other commands take the model and agree with it.
fn check_model(scratch: &Scratch, data: &str, target: &str, method: &str) -> Value {
    let run = scratch.fnb_words(&[
        "train", data, "-t", target, "--method", method, "-o", "m.json",
    ]);
    run.ok();
    let model = scratch.json("m.json");
    assert_eq!(model["training"]["params"]["method"], method);
    let selected = model["terms"].as_array().expect("variables").len();
    assert_eq!(model["training"]["selected"], selected, "{method}");
    let evaluation = scratch.fnb_words(&["evaluate", "m.json", data, "--json"]);
    let evaluation = evaluation.ok().json();
    for measure in MEASURES {
        let expected = number(&model["evaluation"]["train"][measure]);
        let found = number(&evaluation[measure]);
        assert!((found - expected).abs() < 1e-12, "{measure} of {method}");
    }
    scratch.fnb("inspect m.json").ok();
    model
}

#[test]
fn every_method_gives_a_valid_model() {
    let scratch = Scratch::new();
    scratch.write("cancer.csv", TUMOURS);
    for method in METHODS {
        let model = check_model(&scratch, "cancer.csv", "diagnosis", method);
        assert!(
            number(&model["evaluation"]["train"]["auc"]) > 0.97,
            "{method}"
        );
    }
}

#[test]
fn every_method_learns_three_classes() {
    let data = golden("iris.tsv").display().to_string();
    let scratch = Scratch::new();
    for method in METHODS {
        let model = check_model(&scratch, &data, "class", method);
        assert_eq!(model["target"]["classes"].as_array().map(Vec::len), Some(3));
        assert!(
            number(&model["evaluation"]["train"]["accuracy"]) > 0.9,
            "{method}"
        );
    }
}

/// Rows of several blocks, so that threads have something to share.
fn long_table(classes: u64) -> String {
    let mut draw = Numbers::new(classes);
    let mut text = String::from("a,b,c,d,e,y\n");
    for _ in 0..9000 {
        let class = draw.below(classes);
        for column in 0..5 {
            let x = draw.below(1000) + class * 60 * column;
            write!(text, "{x},").expect("a string");
        }
        writeln!(text, "k{class}").expect("a string");
    }
    text
}

#[test]
fn one_thread_is_as_good_as_two() {
    let scratch = Scratch::new();
    for classes in [2, 5] {
        scratch.write("long.csv", long_table(classes));
        for method in METHODS {
            let train = format!("train long.csv -t y --method {method} -q");
            scratch
                .fnb(&format!("{train} --threads 1 -o one.json"))
                .ok();
            scratch
                .fnb(&format!("{train} --threads 2 -o two.json"))
                .ok();
            assert_eq!(
                scratch.read("one.json"),
                scratch.read("two.json"),
                "{method}, {classes} classes"
            );
            assert!(number(&scratch.json("one.json")["training"]["selected"]) >= 2.0);
        }
    }
}

#[test]
fn a_limit_of_variables_is_kept_and_said() {
    let scratch = Scratch::new();
    scratch.write("cancer.csv", TUMOURS);
    for method in METHODS {
        let train = format!("train cancer.csv -t diagnosis --method {method}");
        let run = scratch
            .fnb(&format!("{train} --max-selected 3 --json"))
            .ok();
        assert!(run.stderr.contains("(limit 3)"), "{}", run.stderr);
        let summary = run.json();
        let variables = summary["variables"].as_array().expect("variables").len();
        assert!((1..=3).contains(&variables), "{method}: {variables}");
        assert_eq!(summary["selected"], variables);
        assert_eq!(summary["params"]["max_selected"], 3);
        // A limit that does not bind changes nothing.
        scratch.fnb(&format!("{train} -o free.json")).ok();
        scratch
            .fnb(&format!("{train} --max-selected 30 -o wide.json"))
            .ok();
        let (free, wide) = (scratch.json("free.json"), scratch.json("wide.json"));
        assert_eq!(free["variables"], wide["variables"], "{method}");
    }
}

#[test]
fn training_tells_its_work() {
    let scratch = Scratch::new();
    scratch.write("cancer.csv", TUMOURS);
    for (method, stage) in [
        ("fnb", "add-drop"),
        ("snb", "selection"),
        ("coordinate", "coordinate"),
        ("sg.cf", "start"),
    ] {
        let train = format!("train cancer.csv -t diagnosis --method {method}");
        let run = scratch.fnb(&format!("{train} -v --json")).ok();
        let summary = run.json();
        let stages = summary["stages"].as_array().expect("stages");
        assert!(stages.iter().any(|s| s["stage"] == stage), "{method}");
        assert!(run.stderr.contains("row passes"), "{}", run.stderr);
        for line in stages {
            let name = line["stage"].as_str().expect("a name");
            assert!(run.stderr.contains(name), "{name}: {}", run.stderr);
        }
        assert_eq!(summary["params"]["method"], method);
        let searches = ["nb", "snb", "snb-map", "fnb", "fnb-khiops", "fnb-ordered"];
        let own = searches.contains(&method).then_some("search_criterion");
        assert_eq!(summary.get("search_criterion").is_some(), own.is_some());
        for key in ["criterion"].into_iter().chain(own) {
            let value = |term: &str| number(&summary[key][term]);
            let total = value("data") + number(&summary["params"]["lambda"]) * value("prior");
            assert!((value("total") - total).abs() < 1e-9, "{method} {key}");
        }
        for key in ["read", "prepare", "weights", "evaluate", "total"] {
            assert!(number(&summary["seconds"][key]) >= 0.0);
        }
        let quiet = scratch.fnb(&train).ok();
        assert!(!quiet.stderr.contains("row passes"), "{}", quiet.stderr);
    }
}

#[test]
fn the_size_path_leads_to_the_model() {
    let scratch = Scratch::new();
    scratch.write("cancer.csv", TUMOURS);
    for method in METHODS {
        let train = format!("train cancer.csv -t diagnosis --method {method} -o m.json");
        scratch.fnb(&train).ok();
        let model = scratch.json("m.json");
        let path = scratch.fnb("inspect m.json --path --json").ok().json();
        let path = path.as_array().expect("a list");
        let sizes: Vec<f64> = path
            .iter()
            .map(|point| number(&point["selected"]))
            .collect();
        assert!(sizes.is_sorted_by(|a, b| a < b), "{method}: {sizes:?}");
        assert_eq!(sizes[0], 1.0, "{method}");
        let last = path.last().expect("a point");
        assert_eq!(last["selected"], model["training"]["selected"], "{method}");
        let total = |value: &Value| number(&value["total"]);
        let own = total(&model["training"]["criterion"]);
        assert!(
            (total(&last["criterion"]) - own).abs() < 1e-6 * own,
            "{method}"
        );

        // What comes and goes, put together, gives the variables of every point.
        let mut together: BTreeSet<String> = BTreeSet::new();
        for point in path {
            let names = |key: &str| -> BTreeSet<String> {
                let names = point[key].as_array().expect("names").iter();
                names
                    .map(|name| name.as_str().expect("a name").to_owned())
                    .collect()
            };
            together.extend(names("added"));
            together.retain(|name| !names("left_out").contains(name));
            let weights = point["weights"].as_object().expect("weights");
            assert!(together.iter().eq(weights.keys()), "{method}: {point}");
        }
        let variables = model["terms"].as_array().expect("variables").iter();
        let variables: BTreeSet<&str> = variables.filter_map(|v| v["name"].as_str()).collect();
        assert!(
            together.iter().map(String::as_str).eq(variables),
            "{method}"
        );

        let text = scratch.fnb("inspect m.json --path").ok().stdout;
        let shown: Vec<f64> = text
            .lines()
            .skip(2)
            .filter_map(|line| line.split_whitespace().next()?.parse().ok())
            .collect();
        assert_eq!(shown, sizes, "{method}: {text}");
        assert!(
            text.lines().all(|line| line.chars().count() <= 120),
            "{text}"
        );
    }
    // The null model of the continuous methods is what the shares are relative to.
    scratch
        .fnb("train cancer.csv -t diagnosis --method coordinate -o m.json")
        .ok();
    let null = number(&scratch.json("m.json")["training"]["null_criterion"]);
    let path = scratch.fnb("inspect m.json --path --json").ok().json();
    for point in path.as_array().expect("a list") {
        let saved = 1.0 - number(&point["criterion"]["total"]) / null;
        assert!((number(&point["compression"]) - saved).abs() < 1e-9);
    }
}

#[test]
fn the_size_path_of_an_empty_model() {
    let scratch = Scratch::new();
    scratch.write("flat.csv", "a,y\n1,no\n1,yes\n1,no\n1,yes\n1,yes\n");
    scratch.fnb("train flat.csv -t y -o m.json").ok();
    let text = scratch.fnb("inspect m.json --path").ok().stdout;
    assert!(text.contains("no variable"), "{text}");
    let json = scratch.fnb("inspect m.json --path --json").ok().json();
    assert_eq!(json, serde_json::json!([]));
}

/// A table, the warning that its training gives, if any, and the numbers of variables it may have.
struct Degenerate {
    name: &'static str,
    text: String,
    warning: Option<&'static str>,
    selected: std::ops::RangeInclusive<usize>,
}

fn degenerate_tables() -> Vec<Degenerate> {
    let mut draw = Numbers::new(77);
    let table = |header: &str, rows: usize, row: &mut dyn FnMut(usize) -> String| -> String {
        let rows: String = (0..rows).map(|i| row(i) + "\n").collect();
        format!("{header}\n{rows}")
    };
    let class = |yes: bool| if yes { "yes" } else { "no" };
    let uninformative = Some("no variable tells anything");
    let mut wide_header: Vec<String> = (0..150).map(|i| format!("x{i}")).collect();
    wide_header.push("y".into());
    let wide_header = wide_header.join(",");
    vec![
        Degenerate {
            name: "no informative variable",
            text: table("a,b,y", 60, &mut |i| {
                format!("{},{},{}", i % 3, i % 5, class(i % 2 == 0))
            }),
            warning: uninformative,
            selected: 0..=0,
        },
        Degenerate {
            name: "one variable",
            text: table("a,y", 100, &mut |i| {
                format!("{},{}", i % 50, class(i % 50 < 20))
            }),
            warning: Some("alone holds"),
            selected: 1..=1,
        },
        Degenerate {
            name: "one class",
            text: table("a,y", 30, &mut |i| format!("{i},yes")),
            warning: Some("single class"),
            selected: 0..=0,
        },
        Degenerate {
            name: "separable",
            text: table("a,b,c,y", 100, &mut |i| {
                format!("{},{},{},{}", 5 * i, 3 * i, i % 7, class(i < 40))
            }),
            warning: Some("alone holds"),
            selected: 1..=2,
        },
        Degenerate {
            name: "two rows",
            text: "a,b,y\n1,u,no\n2,v,yes\n".into(),
            warning: uninformative,
            selected: 0..=0,
        },
        Degenerate {
            name: "more variables than rows",
            text: table(&wide_header, 40, &mut |i| {
                let yes = i % 2 == 0;
                let mut row = String::new();
                for _ in 0..150 {
                    let x = draw.share() + if yes { 0.6 } else { 0.0 };
                    write!(row, "{x:.4},").expect("a string");
                }
                row + class(yes)
            }),
            warning: None,
            selected: 1..=150,
        },
    ]
}

#[test]
fn degenerate_tables_give_a_valid_model_and_a_clear_message() {
    let scratch = Scratch::new();
    for table in degenerate_tables() {
        scratch.write("t.csv", &table.text);
        for method in METHODS {
            let what = format!("{}, {method}", table.name);
            let train = format!("train t.csv -t y --method {method} -o m.json");
            let run = scratch.fnb(&train).ok();
            let warnings = run.stderr.matches("warning: ").count();
            assert_eq!(
                warnings,
                usize::from(table.warning.is_some()),
                "{what}: {}",
                run.stderr
            );
            if let Some(text) = table.warning {
                assert!(run.stderr.contains(text), "{what}: {}", run.stderr);
            }
            let model = scratch.json("m.json");
            let variables = model["terms"].as_array().expect("variables");
            assert!(
                table.selected.contains(&variables.len()),
                "{what}: {}",
                variables.len()
            );
            for variable in variables {
                let weight = number(&variable["weight"]);
                assert!(weight > 0.0 && weight <= 1.0, "{what}: {weight}");
            }
            let evaluation = scratch.fnb("evaluate m.json t.csv --json").ok().json();
            for measure in MEASURES {
                if measure == "auc" && table.name == "one class" {
                    assert!(evaluation[measure].is_null(), "{what}");
                    continue;
                }
                assert!(
                    number(&evaluation[measure]).is_finite(),
                    "{what}: {measure}"
                );
            }
            scratch.fnb("inspect m.json --path").ok();
        }
    }
}

/// A price that no variable is worth is told from variables that tell nothing.
#[test]
fn a_lambda_that_leaves_nothing_is_told() {
    let scratch = Scratch::new();
    scratch.write("cancer.csv", TUMOURS);
    let run = scratch
        .fnb("train cancer.csv -t diagnosis --lambda 1e6 --interactions none")
        .ok();
    assert!(
        run.stderr
            .contains("warning: no variable is worth its price"),
        "{}",
        run.stderr
    );
    assert!(run.stdout.contains("no variable"), "{}", run.stdout);
}
