//! `fnb compare`: the table, the folds, the file of results and going on from it.

use crate::scratch::{METHODS, Numbers, Scratch, TUMOURS, number, refused};
use serde_json::Value;

/// Figures that depend on the machine.
const TIMES: [&str; 2] = ["prepare_seconds", "weights_seconds"];

/// A folder with the tumours.
fn tumours() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("cancer.csv", TUMOURS);
    scratch
}

/// 120 rows, a target whose name needs quotes, two useful columns.
fn small() -> String {
    let mut draw = Numbers::new(21);
    let mut text = String::from("x,colour,noise,\"of a, \"\"b\"\"\"\n");
    for _ in 0..120 {
        let yes = draw.below(2) == 0;
        let x = draw.share() + if yes { 0.6 } else { 0.0 };
        let colour = if yes == (draw.below(4) > 0) {
            "red"
        } else {
            "blue"
        };
        let class = if yes { "yes" } else { "no" };
        text.push_str(&format!("{x:.4},{colour},{},{class}\n", draw.below(9)));
    }
    text
}

const SMALL_TARGET: &str = "of a, \"b\"";

fn array(value: &Value) -> &Vec<Value> {
    value.as_array().expect("a list")
}

/// The report without what depends on the machine.
fn without_times(mut report: Value) -> Value {
    for line in report["methods"].as_array_mut().expect("methods") {
        line["ratio"]["seconds"] = Value::Null;
        let folds = line["folds"].as_array().expect("folds").len();
        let mut places = vec!["/mean".to_owned(), "/sd".to_owned()];
        places.extend((0..folds).map(|fold| format!("/folds/{fold}")));
        for place in places {
            for time in TIMES {
                let figure = line.pointer_mut(&format!("{place}/{time}"));
                *figure.expect("a time") = Value::Null;
            }
        }
    }
    report
}

/// The fields of each line of a file without quotes, without what depends on the machine.
fn lines_without_times(text: &str) -> Vec<Vec<String>> {
    let header: Vec<&str> = text.lines().next().expect("a header").split(',').collect();
    let kept = |i: usize| !TIMES.contains(&header[i]);
    text.lines()
        .map(|line| {
            let fields = line.split(',').enumerate();
            fields
                .filter(|(i, _)| kept(*i))
                .map(|(_, field)| field.to_owned())
                .collect()
        })
        .collect()
}

#[test]
fn a_line_per_method_and_lambda() {
    let scratch = tumours();
    let command = "compare cancer.csv -t diagnosis --cv 3 --lambda 0.1,0.5 \
                   --methods all,coordinate+,fnb:khiops,fnb --reference snb";
    let text = scratch.fnb(command).ok().stdout;
    let mut labels = METHODS.to_vec();
    labels.extend(["coordinate+", "fnb:khiops"]);
    let mut lines = text.lines();
    let title = lines.next().expect("a title");
    for word in ["569 rows", "3 folds", "snb", "same lambda"] {
        assert!(title.contains(word), "{title}");
    }
    let header = lines.next().expect("a header");
    for word in [
        "criterion",
        "vars",
        "time s",
        "accuracy",
        "AUC",
        "compression",
        "log loss",
    ] {
        assert!(header.contains(word), "{header}");
    }
    let found: Vec<(&str, &str)> = lines
        .by_ref()
        .take_while(|line| !line.is_empty())
        .map(|line| {
            assert!(line.chars().count() <= 120, "{line}");
            let mut words = line.split_whitespace();
            (
                words.next().expect("a method"),
                words.next().expect("a lambda"),
            )
        })
        .collect();
    let expected = |lambda: &'static str| labels.iter().map(move |label| (*label, lambda));
    let expected: Vec<(&str, &str)> = expected("0.1").chain(expected("0.5")).collect();
    assert_eq!(found, expected);

    let report = scratch.fnb(&format!("{command} --json")).ok().json();
    let methods = array(&report["methods"]);
    assert_eq!(methods.len(), expected.len());
    for line in methods {
        check_summary(line);
        let lambda = &line["lambda"];
        assert_eq!(&line["settings"]["lambda"], lambda);
        let reference = methods
            .iter()
            .find(|other| other["method"] == "snb" && &other["lambda"] == lambda)
            .expect("the reference");
        for (ratio, figure) in [
            ("criterion", "criterion"),
            ("variables", "selected"),
            ("seconds", "weights_seconds"),
        ] {
            // Costs at another price say nothing of each other.
            let price = |line: &Value| line["settings"]["price"].clone();
            if ratio == "criterion" && price(line) != price(reference) {
                assert!(line["ratio"][ratio].is_null(), "{line}");
                continue;
            }
            let mean = |line: &Value| number(&line["mean"][figure]);
            let expected = mean(line) / mean(reference);
            let found = number(&line["ratio"][ratio]);
            assert!((found - expected).abs() < 1e-12, "{ratio} of {line}");
        }
        // Naive Bayes searches nothing.
        let passes = number(&line["mean"]["row_passes"]);
        assert_eq!(passes == 0.0, line["method"] == "nb", "{line}");
    }
}

/// Mean and spread are those of the folds.
fn check_summary(line: &Value) {
    let folds = array(&line["folds"]);
    let n = folds.len() as f64;
    for (figure, mean) in line["mean"].as_object().expect("figures") {
        let values: Vec<f64> = folds.iter().map(|fold| number(&fold[figure])).collect();
        let expected = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|x| (x - expected).powi(2)).sum();
        let sd = (squares / (n - 1.0)).sqrt();
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-12 * (1.0 + a.abs().max(expected.abs()));
        assert!(close(number(mean), expected), "{figure} of {line}");
        assert!(close(number(&line["sd"][figure]), sd), "{figure} of {line}");
    }
}

/// A method in a comparison is the method that `train` runs, on the folds that `train` makes.
#[test]
fn the_figures_are_those_of_train() {
    let scratch = tumours();
    let folds: Vec<String> = (0..569).map(|row| (3 + row % 3).to_string()).collect();
    scratch.write("folds.csv", format!("fold\n{}\n", folds.join("\n")));
    let methods = [
        ("fnb", "--method fnb"),
        ("snb", "--method snb"),
        ("coordinate+", "--method coordinate --continuation"),
        ("fnb-khiops:khiops", "--preset khiops"),
        ("fnb:paper", "--preset paper"),
        ("sg.cf:khiops", "--preset khiops --method sg.cf"),
    ];
    let labels = methods.map(|(label, _)| label).join(",");
    for options in [
        "--cv 4",
        "--folds folds.csv",
        "--cv 3 --seed 5 --max-selected 4 --p 0.9 --start fnb",
    ] {
        let common = format!("cancer.csv -t diagnosis --json {options}");
        let report = scratch
            .fnb(&format!("compare {common} --methods {labels}"))
            .ok()
            .json();
        let lines = array(&report["methods"]);
        assert_eq!(lines.len(), methods.len());
        for (line, (label, chosen)) in lines.iter().zip(methods) {
            assert_eq!(line["method"], label);
            let trained = scratch.fnb(&format!("train {common} {chosen}")).ok().json();
            assert_eq!(line["settings"], trained["params"], "{label} {options}");
            let expected = array(&trained["cv"]["folds"]);
            let found = array(&line["folds"]);
            assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(expected) {
                for figure in
                    "fold accuracy auc compression log_loss brier selected informative".split(' ')
                {
                    assert_eq!(
                        found[figure], expected[figure],
                        "{figure}: {label} {options}"
                    );
                }
            }
            for figure in ["accuracy", "auc", "compression", "log_loss", "brier"] {
                for summary in ["mean", "sd"] {
                    let (found, expected) = (&line[summary], &trained["cv"][summary]);
                    assert_eq!(found[figure], expected[figure], "{figure}: {label}");
                }
            }
        }
    }
}

#[test]
fn criteria_of_other_lambdas_are_not_compared() {
    let scratch = tumours();
    let command =
        "compare cancer.csv -t diagnosis --cv 2 --methods fnb-khiops:khiops,fnb,fnb-ordered";
    let report = scratch.fnb(&format!("{command} --json")).ok().json();
    let lambdas: Vec<f64> = array(&report["methods"])
        .iter()
        .map(|line| number(&line["lambda"]))
        .collect();
    assert_eq!(lambdas, [0.1, 0.2, 0.2]);
    assert_eq!(report["reference"], "fnb-khiops:khiops");
    let ratio = |line: usize, what: &str| report["methods"][line]["ratio"][what].clone();
    assert_eq!(number(&ratio(0, "criterion")), 1.0);
    assert!(ratio(1, "criterion").is_null() && ratio(1, "variables").is_number());
    // The table says the same, with a dash.
    let text = scratch.fnb(command).ok().stdout;
    let line = text.lines().nth(3).expect("a line");
    let words: Vec<&str> = line.split_whitespace().collect();
    assert_eq!((words[1], words[3]), ("0.2", "-"), "{text}");
}

#[test]
fn results_are_a_table_to_go_on_from() {
    let scratch = tumours();
    let command =
        "compare cancer.csv -t diagnosis --cv 4 --methods fnb,coordinate,fnb-khiops:khiops --json";
    let whole = scratch.fnb(&format!("{command} -o whole.csv")).ok().json();
    let text = scratch.text("whole.csv");
    assert_eq!(text.lines().count(), 1 + 4 * 3);
    // Every figure of the report is in the file, to the last digit.
    let header: Vec<&str> = text.lines().next().expect("a header").split(',').collect();
    for line in array(&whole["methods"]) {
        for fold in array(&line["folds"]) {
            let key = (
                fold["fold"].to_string(),
                line["method"].as_str().expect("a name"),
            );
            let of = |name: &str| header.iter().position(|h| *h == name).expect("a column");
            let fields = text
                .lines()
                .skip(1)
                .map(|line| line.split(',').collect::<Vec<_>>())
                .find(|fields| fields[of("fold")] == key.0 && fields[of("method")] == key.1)
                .expect("a line");
            for (name, value) in fold.as_object().expect("figures") {
                let written: f64 = fields[of(name)].parse().expect("a number");
                assert_eq!(written, number(value), "{name} of {key:?}");
            }
        }
    }

    // Half of the lines are lost; what is left is believed, not computed again.
    let mut kept = String::new();
    for (i, line) in text.lines().enumerate() {
        if i == 0 || i % 2 == 1 {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    scratch.write("half.csv", &kept);
    let resume = format!("{command} -o half.csv --resume");
    let run = scratch.fnb(&resume).ok();
    assert!(run.stderr.contains("6 models found in"), "{}", run.stderr);
    let same = without_times(run.json()) == without_times(whole);
    assert!(same, "other figures after going on");
    let resumed = scratch.text("half.csv");
    assert_eq!(lines_without_times(&resumed), lines_without_times(&text));
    for line in kept.lines() {
        assert!(resumed.lines().any(|other| other == line), "{line}");
    }

    // All is there: nothing is learnt, times included nothing changes.
    let again = scratch.fnb(&resume).ok().json();
    assert_eq!(again, scratch.fnb(&resume).ok().json());
    assert_eq!(scratch.text("half.csv"), resumed);
    // Another method joins.
    let more = resume.replace("--methods ", "--methods nb,");
    let report = scratch.fnb(&more).ok().json();
    assert_eq!(array(&report["methods"]).len(), 4);
    assert_eq!(report["methods"][1]["folds"], again["methods"][0]["folds"]);
    // Without --resume it begins anew; with it a file that is not there is no error.
    scratch.fnb(&format!("{command} -o half.csv")).ok();
    assert_eq!(scratch.text("half.csv").lines().count(), 1 + 4 * 3);
    scratch.fnb(&format!("{command} -o new.csv --resume")).ok();
    assert_eq!(
        scratch.files(),
        ["cancer.csv", "half.csv", "new.csv", "whole.csv"]
    );
}

#[test]
fn results_in_other_formats_and_odd_names() {
    let scratch = Scratch::new();
    scratch.write("small.csv", small());
    for name in ["r.csv", "r.tsv", "r.csv.gz", "r.parquet"] {
        let mut words = vec!["compare", "small.csv", "-t", SMALL_TARGET, "--cv", "3"];
        words.extend(["--methods", "fnb,snb", "--json", "-o", name]);
        let first = scratch.fnb_words(&words).ok().json();
        assert_eq!(first["target"], SMALL_TARGET);
        words.push("--resume");
        let run = scratch.fnb_words(&words).ok();
        assert!(run.stderr.contains("6 models found in"), "{}", run.stderr);
        assert!(run.json() == first, "{name}");
        let facts = scratch.fnb(&format!("describe {name} --json")).ok().json();
        assert_eq!(facts["rows"], 6, "{name}");
    }
}

#[test]
fn results_of_another_comparison_are_refused() {
    let scratch = tumours();
    let run = "compare cancer.csv -t diagnosis --cv 3 --methods fnb,snb --lambda 0.1,0.2 -o r.csv";
    scratch.fnb(run).ok();
    let results = scratch.text("r.csv");
    let rows: Vec<&str> = TUMOURS.lines().collect();
    scratch.write("shorter.csv", rows[..rows.len() - 1].join("\n"));
    // The same shape, another value.
    let digit = if rows[9].starts_with('1') { "2" } else { "1" };
    let changed = format!("{digit}{}", &rows[9][1..]);
    scratch.write("changed.csv", TUMOURS.replacen(rows[9], &changed, 1));
    scratch.write("other.csv", "a,b\n1,2\n3,4\n");
    let resume = format!("{run} --resume");
    let with = |from: &str, to: &str| resume.replacen(from, to, 1);
    for (command, texts) in [
        (
            with("cancer", "shorter"),
            ["number of rows", "569, not 568"],
        ),
        (with("cancer", "changed"), ["r.csv", "data or the folds"]),
        (with("--cv 3", "--cv 4"), ["number of folds", "3, not 4"]),
        (
            with("--cv 3", "--cv 3 --p 0.9"),
            ["other settings", "p=0.9"],
        ),
        (
            with("--cv 3", "--cv 3 --max-selected 2"),
            ["other settings", "max_selected=2"],
        ),
        (
            with("--cv 3", "--cv 3 --preset khiops"),
            ["other settings", "khiops"],
        ),
        (with("fnb,snb", "fnb"), ["snb", "r.csv"]),
        (with("0.1,0.2", "0.1,0.3"), ["lambda 0.2", "r.csv"]),
        (with("-o r.csv", "-o other.csv"), ["other.csv", "no column"]),
    ] {
        refused(&scratch, &command, "U01", &texts);
        assert_eq!(scratch.text("r.csv"), results, "{command}");
    }
    let renamed = TUMOURS.replacen("diagnosis", "target", 1);
    scratch.write("cancer.csv", renamed);
    let other_target = with("-t diagnosis", "-t target");
    refused(&scratch, &other_target, "U01", &["target", "diagnosis"]);
    assert_eq!(scratch.text("r.csv"), results);
}

#[test]
fn bad_inputs() {
    let scratch = tumours();
    scratch.write("short.csv", "fold\n1\n2\n");
    std::fs::create_dir(scratch.path("folder")).expect("a folder");
    for (options, code, text) in [
        ("--methods sgcf", "U01", "did you mean sg.cf?"),
        (
            "--methods nothing",
            "U01",
            "fnb-ordered, coordinate, sg, am",
        ),
        ("--methods fnb,,snb", "U01", "--methods"),
        ("--methods fnb:best", "U01", "default, khiops, paper"),
        ("--methods snb+", "U01", "coordinate+"),
        ("--lambda -1", "U01", "lambda is -1"),
        ("--lambda 0.1,-0.5", "U01", "lambda is -0.5"),
        ("--lambda nan", "U01", "lambda is NaN"),
        ("--lambda much", "U01", "--lambda"),
        ("--cv 1", "U01", "--cv"),
        ("--cv 570", "D17", "570 folds"),
        ("--cv 3 --folds short.csv", "U01", "--folds"),
        ("--folds short.csv", "D17", "2 folds for 569 rows"),
        ("--folds none.csv", "D01", "none.csv"),
        (
            "--methods fnb,snb --reference nb",
            "U01",
            "the reference nb",
        ),
        ("--methods fnb --reference fnb:paper", "U01", "fnb:paper"),
        ("--reference other", "U01", "--reference"),
        ("--max-selected 0", "U01", "max_selected is 0"),
        ("--max-iterations 0", "U01", "max_iterations is 0"),
        ("--start nowhere", "U01", "--start"),
        ("--resume", "U01", "--output"),
        ("-o absent/r.csv", "O01", "absent"),
        ("-o folder", "O01", "folder"),
        ("-o cancer.csv/r.csv", "O01", "cancer.csv"),
        ("-o r.xlsx", "U01", ".xlsx"),
        ("-o - --json", "U01", "standard output"),
        ("--cv 2 --resume -o short.csv", "U01", "short.csv"),
        ("-t diagnosi", "U01", "--target"),
    ] {
        let command = format!("compare cancer.csv -t diagnosis {options}");
        refused(&scratch, &command, code, &[text]);
    }
    refused(&scratch, "compare cancer.csv", "U01", &["--target"]);
    refused(&scratch, "compare cancer.csv -t no", "D10", &["\"no\""]);
    refused(&scratch, "compare no.csv -t y", "D01", &["no.csv"]);
    scratch.write("row.csv", "a,y\n1,x\n");
    refused(&scratch, "compare row.csv -t y", "D17", &["1 rows"]);
}

#[test]
fn limits_hold_for_every_method() {
    let scratch = tumours();
    let command = "compare cancer.csv -t diagnosis --cv 3 --methods all,coordinate+,fnb-khiops:khiops \
                   --max-selected 3 --json";
    let report = scratch.fnb(command).ok().json();
    for line in array(&report["methods"]) {
        for fold in array(&line["folds"]) {
            let selected = number(&fold["selected"]);
            assert!((1.0..=3.0).contains(&selected), "{line}");
        }
    }
}

#[test]
fn tables_without_anything_to_learn() {
    let scratch = Scratch::new();
    let rows = |class: fn(usize) -> &'static str| -> String {
        let rows: Vec<String> = (0..12).map(|row| format!("1,{}", class(row))).collect();
        rows.join("\n")
    };
    scratch.write(
        "flat.csv",
        format!("a,y\n{}", rows(|row| ["no", "yes"][row % 2])),
    );
    scratch.write("one.csv", format!("a,y\n{}", rows(|_| "x")));
    scratch.write("two.csv", "a,y\n1,no\n2,yes\n");
    for (name, text) in [
        ("flat", "no variable tells anything"),
        ("one", "single class"),
        ("two", "no variable tells anything"),
    ] {
        let run = scratch
            .fnb(&format!("compare {name}.csv -t y --methods all --cv 2"))
            .ok();
        assert_eq!(run.stderr.matches("warning: ").count(), 1, "{}", run.stderr);
        assert!(run.stderr.contains(text), "{}", run.stderr);
        assert!(!run.stdout.contains("NaN") && !run.stdout.contains("inf"));
        assert!(!run.stdout.contains("-0.0"), "{}", run.stdout);
    }
}

#[test]
fn progress_is_counted_in_models() {
    let scratch = tumours();
    let command = "compare cancer.csv -t diagnosis --cv 5 --methods fnb,snb --progress";
    let plain = scratch.fnb(&format!("{command} plain")).ok().stderr;
    assert!(plain.contains("comparing 10/10"), "{plain}");
    let json = scratch.fnb(&format!("{command} json")).ok().stderr;
    let lines: Vec<Value> = json
        .lines()
        .filter(|line| line.starts_with('{'))
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let last = lines.last().expect("a line");
    assert_eq!(
        (&last["stage"], &last["total"]),
        (&"comparing".into(), &10.into())
    );
    let quiet = scratch.fnb(&format!("{command} none -q")).ok();
    assert_eq!(quiet.stderr, "");
}

/// Ctrl-C shows the finished folds and keeps them; the same command goes on from there.
#[cfg(unix)]
#[test]
fn interrupted_comparisons_lose_nothing() {
    use std::process::Command;
    use std::time::{Duration, Instant};
    let scratch = tumours();
    let folds = 60;
    let command = format!(
        "compare cancer.csv -t diagnosis --cv {folds} --methods fnb,snb,cg.cf -o r.csv --threads 1"
    );
    let words: Vec<&str> = command.split_whitespace().collect();
    let child = scratch.command(&words).spawn().expect("it starts");
    let start = Instant::now();
    while !scratch.path("r.csv").exists() && start.elapsed() < Duration::from_mins(1) {
        std::thread::sleep(Duration::from_millis(5));
    }
    let id = child.id().to_string();
    let kill = Command::new("kill").args(["-INT", &id]).status();
    assert!(kill.expect("kill runs").success());
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    let (stdout, stderr) = (text(output.stdout), text(output.stderr));
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    assert!(stderr.contains("interrupted: "), "{stderr}");
    assert!(stderr.contains("--resume"), "{stderr}");
    assert!(stdout.contains(&format!(" of {folds} folds")), "{stdout}");
    assert_eq!(scratch.files(), ["cancer.csv", "r.csv"]);
    let kept = scratch.text("r.csv");
    let lines = kept.lines().count() - 1;
    assert!((3..folds * 3).contains(&lines), "{lines}");

    let resumed = scratch
        .fnb(&format!("{command} --resume --json"))
        .ok()
        .json();
    assert_eq!(resumed["finished_folds"], folds);
    let text = scratch.text("r.csv");
    assert!(
        kept.lines()
            .all(|line| text.lines().any(|other| other == line))
    );
    let whole = scratch.fnb(&format!("{command} --json")).ok().json();
    let same = without_times(resumed) == without_times(whole);
    assert!(same, "other figures after going on");
}
