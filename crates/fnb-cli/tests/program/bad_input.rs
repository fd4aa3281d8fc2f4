//! Bad input: the documented exit code, one clear message with its code, its place and the next
//! step, and nothing left behind.

use crate::scratch::{Numbers, Run, Scratch, assert_refused, refused};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// A small sound table: 200 rows, two classes, columns id, x, colour.
fn table() -> String {
    let mut numbers = Numbers::new(7);
    let mut text = String::from("id,x,colour,class\n");
    for row in 0..200 {
        let class = if numbers.below(2) == 0 { "no" } else { "yes" };
        let x = numbers.share() + if class == "yes" { 0.7 } else { 0.0 };
        let colour = match (class, numbers.below(4)) {
            ("yes", 0..3) => "red",
            ("no", 0..3) => "blue",
            _ => "green",
        };
        let line = format!("r{row},{x:.4},{colour},{class}\n");
        text.push_str(&line);
    }
    text
}

/// A scratch folder with the table and its model.
fn trained() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("data.csv", table());
    scratch
        .fnb("train data.csv -t class --drop id -o model.json")
        .ok();
    let model = scratch.json("model.json");
    let variables = model["terms"].as_array().expect("variables");
    assert_eq!(variables.len(), 2, "the cases below need x and colour");
    scratch
}

/// Training on a file with this content must be refused.
#[track_caller]
fn table_refused(content: impl AsRef<[u8]>, code: &str, texts: &[&str]) {
    let scratch = Scratch::new();
    scratch.write("bad.csv", content);
    refused(&scratch, "train bad.csv -t b -o model.json", code, texts);
    refused(
        &scratch,
        "train bad.csv -t b -o model.json --threads 3 --cv 2",
        code,
        texts,
    );
}

#[test]
fn files_that_are_not_there() {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.path("folder")).expect("a folder");
    refused(
        &scratch,
        "train none.csv -t b -o m.json",
        "D01",
        &["none.csv"],
    );
    refused(
        &scratch,
        "train no*.csv -t b -o m.json",
        "D02",
        &["no*.csv"],
    );
    refused(&scratch, "train folder -t b -o m.json", "D02", &["folder"]);
    refused(
        &scratch,
        "predict none.json none.csv -o p.csv",
        "D01",
        &["none.json"],
    );
    scratch.write("folder/notes.doc", "not data");
    refused(&scratch, "train folder -t b -o m.json", "D02", &["folder"]);
    refused(&scratch, "describe none.csv", "D01", &["none.csv"]);
    refused(&scratch, "schema none.csv -o s.json", "D01", &["none.csv"]);
}

#[test]
fn files_without_rows() {
    table_refused("", "D03", &["bad.csv"]);
    table_refused("a,b\n", "D04", &["bad.csv"]);
    table_refused("a,b", "D04", &["bad.csv"]);
}

#[test]
fn rows_of_other_lengths_are_told_by_their_line() {
    table_refused("a,b\n1,x\n2,y\n3\n4,x\n", "D05", &["bad.csv", "line 4"]);
    table_refused("a,b\n1,x\n2,y\n3,z,4\n4,x\n", "D05", &["bad.csv", "line 4"]);
    table_refused(
        "a,b\r\n1,x\r\n2,\"y\r\nz\"\r\n3\r\n",
        "D05",
        &["bad.csv", "line 5"],
    );
    // Far beyond what is looked at to detect the separator, and in another piece of the file.
    let mut long = String::from("a,b\n");
    for row in 0..300_000 {
        let line = if row == 299_990 {
            "1,x,2\n"
        } else {
            "12.5,xyz\n"
        };
        long.push_str(line);
    }
    table_refused(
        long,
        "D05",
        &["bad.csv", "line 299992", "3 fields, 2 expected"],
    );
}

#[test]
fn bytes_that_are_not_text() {
    table_refused(
        b"a,b\n1,x\n2,\xff\xfe\n3,x\n",
        "D06",
        &["bad.csv", "line 3"],
    );
    table_refused(b"a,b\n1,x\n2,\x00y\n3,x\n", "D08", &["bad.csv", "line 3"]);
    table_refused(b"\x1f\x8b\x08\x00rubbish", "D13", &["bad.csv"]);
    table_refused(b"PAR1rubbishPAR1", "D13", &["bad.csv"]);
}

#[test]
fn names_of_columns() {
    table_refused(
        "a,b,a\n1,x,1\n2,y,1\n",
        "D09",
        &["bad.csv", "1 and 3", "\"a\""],
    );
    let scratch = trained();
    refused(
        &scratch,
        "train data.csv -t klass -o m.json",
        "D10",
        &["klass", "did you mean \"class\"?"],
    );
    refused(
        &scratch,
        "train data.csv -t class --drop nothing -o m.json",
        "D10",
        &["nothing"],
    );
    refused(
        &scratch,
        "train data.csv -t class --type nothing=cat -o m.json",
        "D10",
        &["nothing"],
    );
    refused(
        &scratch,
        "describe data.csv -t class --variable nothing",
        "D10",
        &["nothing"],
    );
    refused(
        &scratch,
        "predict model.json data.csv --keep idd -o p.csv",
        "D10",
        &["idd", "\"id\""],
    );
    refused(
        &scratch,
        "explain model.json data.csv --where idd=1",
        "D10",
        &["idd"],
    );
    refused(
        &scratch,
        "predict model.json data.csv --keep id,id -o p.csv",
        "D09",
        &["\"id\""],
    );
}

#[test]
fn one_class_is_a_valid_model() {
    let scratch = Scratch::new();
    scratch.write("one.csv", "a,b\n1,x\n2,x\n3,x\n4,x\n");
    let run = scratch.fnb("train one.csv -t b -o m.json").ok();
    assert_eq!(run.stderr.matches("warning: ").count(), 1, "{}", run.stderr);
    assert!(run.stderr.contains("single class"), "{}", run.stderr);
    assert!(!run.stdout.contains("-0.0"), "{}", run.stdout);
    let predicted = scratch.fnb("predict m.json one.csv --proba").ok().stdout;
    assert_eq!(predicted, "prediction,proba_x\nx,1\nx,1\nx,1\nx,1\n");
}

#[test]
fn targets_that_cannot_be_learnt() {
    table_refused(
        "a,b\n1,x\n2,y\n3,z\n4,w\n",
        "D11",
        &["\"b\"", "4 classes", "4 rows"],
    );
}

#[test]
fn constant_columns_are_a_valid_model() {
    let scratch = Scratch::new();
    scratch.write("flat.csv", "a,c,b\n1,u,x\n1,u,y\n1,u,x\n1,u,y\n1,u,y\n");
    let run = scratch.fnb("train flat.csv -t b -o m.json").ok();
    assert_eq!(run.stderr.matches("warning: ").count(), 1, "{}", run.stderr);
    assert!(
        run.stderr.contains("no variable tells anything"),
        "{}",
        run.stderr
    );
    let predicted = scratch.fnb("predict m.json flat.csv --proba").ok().stdout;
    assert_eq!(
        predicted
            .lines()
            .filter(|line| line.starts_with("y,"))
            .count(),
        5
    );
    // A target alone is a table too.
    scratch.write("alone.csv", "b\nx\ny\nx\ny\ny\n");
    scratch.fnb("train alone.csv -t b -o n.json").ok();
}

#[test]
fn numbers_out_of_range() {
    table_refused(
        "a,b\n1,x\n1e400,y\n1,x\n2,y\n",
        "D16",
        &["bad.csv", "\"a\"", "line 3", "1e400"],
    );
    table_refused(
        "a,b\n1,x\n-1e999,y\n1,x\n2,y\n",
        "D16",
        &["bad.csv", "\"a\"", "line 3"],
    );
}

#[test]
fn columns_that_change_at_scoring() {
    let scratch = trained();
    let text = table();
    let mut lines: Vec<&str> = text.lines().collect();
    lines[4] = "r3,high,red,yes";
    scratch.write("changed.csv", lines.join("\n"));
    let what = ["changed.csv", "\"x\"", "line 5", "high"];
    for command in [
        "predict model.json changed.csv -o p.csv",
        "evaluate model.json changed.csv",
    ] {
        refused(&scratch, command, "D07", &what);
    }
    refused(
        &scratch,
        "predict model.json changed.csv -o p.parquet --proba",
        "D07",
        &what,
    );

    let without = |column: usize| -> String {
        let fields = |line: &str| -> Vec<String> { line.split(',').map(str::to_owned).collect() };
        let mut rows: Vec<Vec<String>> = text.lines().map(fields).collect();
        for row in &mut rows {
            row.remove(column);
        }
        rows.iter().map(|row| row.join(",") + "\n").collect()
    };
    scratch
        .write("no_x.csv", without(1))
        .write("no_class.csv", without(3));
    refused(
        &scratch,
        "predict model.json no_x.csv -o p.csv",
        "D12",
        &["no_x.csv", "\"x\""],
    );
    refused(
        &scratch,
        "evaluate model.json no_x.csv",
        "D12",
        &["no_x.csv", "\"x\""],
    );
    refused(
        &scratch,
        "evaluate model.json no_class.csv",
        "D12",
        &["no_class.csv", "\"class\""],
    );
    scratch.fnb("predict model.json no_class.csv").ok();
    // A column that is not needed may be anything, or absent; a table may have no row.
    scratch
        .write("no_id.csv", without(0))
        .write("none.csv", "x,colour\n");
    scratch.fnb("predict model.json no_id.csv").ok();
}

#[test]
fn damaged_models() {
    let scratch = trained();
    let model = scratch.text("model.json");
    for length in [0, 1, 20, model.len() / 3, model.len() / 2, model.len() - 3] {
        scratch.write("cut.json", &model[..length]);
        refused(
            &scratch,
            "predict cut.json data.csv -o p.csv",
            "M01",
            &["cut.json"],
        );
    }
    scratch.write(
        "altered.json",
        model
            .replacen("\"weight\":", "\"weight\": ", 1)
            .replacen("200", "201", 1),
    );
    refused(
        &scratch,
        "predict altered.json data.csv -o p.csv",
        "M03",
        &["altered.json"],
    );
    scratch.write("other.json", "{\"a\": 1}");
    refused(&scratch, "inspect other.json", "M01", &["other.json"]);
    refused(&scratch, "inspect data.csv", "M01", &["data.csv"]);
    scratch.write("binary.json", [0_u8, 159, 146, 150]);
    refused(&scratch, "inspect binary.json", "M01", &["binary.json"]);
    let newer = model.replacen("\"format_version\":\"1.", "\"format_version\":\"2.", 1);
    scratch.write("newer.json", newer);
    refused(&scratch, "inspect newer.json", "M02", &["newer.json", "2."]);
}

/// The text of an edited model with its checksum made right.
fn sealed(mut model: Value) -> String {
    model["checksum"] = "".into();
    let text = model.to_string();
    let hash: String = Sha256::digest(&text)
        .iter()
        .flat_map(|byte| format!("{byte:02x}").into_bytes())
        .map(char::from)
        .collect();
    text.replace(
        "\"checksum\":\"\"",
        &format!("\"checksum\":\"sha256:{hash}\""),
    )
}

#[test]
fn hostile_models() {
    let scratch = trained();
    for (name, content) in [
        ("deep.json", "[".repeat(1_000_000)),
        ("deep_objects.json", "{\"a\":".repeat(300_000)),
    ] {
        scratch.write(name, content);
        refused(&scratch, &format!("inspect {name}"), "M06", &[name]);
    }
    // Edited by somebody who made the checksum right again.
    let model = scratch.json("model.json");
    let numeric = model["terms"].as_array().expect("variables").iter();
    let x = numeric.clone().position(|v| v["name"] == "x").expect("x");
    let colour = numeric
        .clone()
        .position(|v| v["name"] == "colour")
        .expect("colour");
    let huge = Value::from(u64::MAX);
    scratch.write("same.json", sealed(model.clone()));
    scratch.fnb("inspect same.json").ok();
    for (what, pointer, value) in [
        (
            "cuts",
            format!("/terms/{x}/axes/0/parts/cuts"),
            serde_json::json!([2.0, 1.0]),
        ),
        (
            "equal cuts",
            format!("/terms/{x}/axes/0/parts/cuts"),
            serde_json::json!([1.0, 1.0]),
        ),
        ("counts", format!("/terms/{x}/counts/0/0"), huge.clone()),
        (
            "class counts",
            "/target/counts".into(),
            Value::from(vec![huge.clone(), huge.clone()]),
        ),
        ("rows", "/training/rows".into(), huge),
        ("no class", "/target/classes".into(), serde_json::json!([])),
        (
            "default",
            format!("/terms/{colour}/axes/0/parts/default"),
            Value::from(1_000_000),
        ),
        ("weight", format!("/terms/{x}/weight"), Value::from(1e300)),
        (
            "negative weight",
            format!("/terms/{x}/weight"),
            Value::from(-1),
        ),
        (
            "kind",
            format!("/terms/{x}/axes/0/type"),
            Value::from("categorical"),
        ),
    ] {
        let mut edited = model.clone();
        *edited
            .pointer_mut(&pointer)
            .unwrap_or_else(|| panic!("{pointer}")) = value;
        scratch.write("edited.json", sealed(edited));
        let before = scratch.files();
        for command in [
            "predict edited.json data.csv -o p.csv",
            "inspect edited.json",
        ] {
            let run = scratch.fnb(command);
            let code = run.stderr.get(6..9).unwrap_or_default().to_owned();
            assert!(code == "M04", "{what}: {}", run.stderr);
            assert_refused(&scratch, &before, &run, &code, &["edited.json"]);
        }
    }
}

#[test]
fn outputs_that_cannot_be_written() {
    let scratch = trained();
    std::fs::create_dir(scratch.path("folder")).expect("a folder");
    // Permissions do not stop everybody; a folder that is a file, or is not there, does.
    for place in ["absent/out.csv", "data.csv/out.csv", "folder"] {
        for command in [
            "train data.csv -t class --drop id",
            "predict model.json data.csv",
            "schema data.csv",
        ] {
            refused(
                &scratch,
                &format!("{command} -o {place}"),
                "O01",
                &[place.split('/').next().expect("a name")],
            );
        }
    }
    refused(&scratch, "demo -o data.csv/demo", "O01", &["data.csv/demo"]);
    assert_eq!(scratch.text("data.csv"), table());
}

#[cfg(unix)]
#[test]
fn full_disk() {
    let scratch = trained();
    if !std::path::Path::new("/dev/full").exists() {
        eprintln!("skipped: no /dev/full");
        return;
    }
    for command in [
        "train data.csv -t class --drop id",
        "predict model.json data.csv",
        "schema data.csv",
    ] {
        refused(
            &scratch,
            &format!("{command} -o /dev/full"),
            "O01",
            &["/dev/full"],
        );
    }
    for command in [
        "inspect model.json",
        "predict model.json data.csv",
        "describe data.csv --json",
    ] {
        let before = scratch.files();
        let full = std::fs::File::create("/dev/full").expect("/dev/full");
        let words: Vec<&str> = command.split(' ').collect();
        let output = scratch
            .command(&words)
            .stdout(full)
            .output()
            .expect("it runs");
        let stderr = String::from_utf8(output.stderr).expect("UTF-8");
        let run = Run {
            arguments: command.into(),
            code: output.status.code(),
            stdout: String::new(),
            stderr,
        };
        assert_refused(&scratch, &before, &run, "O01", &["standard output"]);
    }
}

#[test]
fn wrong_options() {
    let scratch = trained();
    for (arguments, text) in [
        ("lern data.csv", "lern"),
        ("train data.csv", "--target"),
        ("train data.csv -t class --bogus", "--bogus"),
        ("train data.csv -t class --threads 0", "--threads"),
        ("train data.csv -t class --threads many", "--threads"),
        ("train data.csv -t class --preset best", "--preset"),
        ("train data.csv -t class --type x=word", "--type"),
        ("train data.csv -t class --sep ab", "--sep"),
        ("train data.csv -t class --lambda -1", "lambda"),
        ("train data.csv -t class --lambda nan", "lambda"),
        ("train data.csv -t class --p 0", "p"),
        ("train data.csv -t class --holdout 2", "2"),
        ("train data.csv -t class --holdout 0", "0"),
        ("train data.csv -t class --holdout -0.5", "-0.5"),
        (
            "train data.csv -t class --holdout 0.3 --test data.csv",
            "--test",
        ),
        (
            "train data.csv -t class --holdout 0.3 --folds data.csv",
            "--folds",
        ),
        ("train data.csv -t class --cv 1", "1"),
        ("train data.csv -t class --cv 3 --folds data.csv", "--folds"),
        (
            "predict model.json data.csv --prior other=0.5 -o p.csv",
            "other",
        ),
        (
            "predict model.json data.csv --prior yes=1.5 -o p.csv",
            "1.5",
        ),
        (
            "predict model.json data.csv --prior yes=0.5 --prior no=0.1 -o p.csv",
            "0.6",
        ),
        (
            "predict model.json data.csv --prior yes=-0.5 -o p.csv",
            "-0.5",
        ),
        ("predict model.json data.csv --json", "-o FILE"),
        ("predict model.json data.csv -o p.xlsx", ".xlsx"),
        ("explain model.json data.csv", "--row"),
        ("explain model.json data.csv --row 1 --class other", "other"),
        ("evaluate model.json data.csv --main-value other", "other"),
        ("completions tcsh", "tcsh"),
    ] {
        refused(&scratch, arguments, "U01", &[text]);
    }
}

#[test]
fn folds_and_rows_that_do_not_fit() {
    let scratch = trained();
    let folds = |values: &[&str]| format!("fold\n{}\n", values.join("\n"));
    scratch.write("short.csv", folds(&["1", "2"]));
    scratch.write("same.csv", folds(&["1"; 200]));
    let mut odd = ["1"; 200];
    odd[7] = "1.5";
    scratch.write("odd.csv", folds(&odd));
    let train = "train data.csv -t class -o m.json --folds";
    refused(
        &scratch,
        &format!("{train} short.csv"),
        "D17",
        &["short.csv", "2 folds", "200 rows"],
    );
    refused(&scratch, &format!("{train} same.csv"), "D17", &["same.csv"]);
    refused(
        &scratch,
        &format!("{train} odd.csv"),
        "D17",
        &["odd.csv", "row 8", "1.5"],
    );
    refused(
        &scratch,
        &format!("{train} data.csv"),
        "D17",
        &["data.csv", "fold"],
    );
    refused(&scratch, &format!("{train} none.csv"), "D01", &["none.csv"]);
    refused(
        &scratch,
        "explain model.json data.csv --row 0",
        "D19",
        &["row 0", "1 to 200"],
    );
    refused(
        &scratch,
        "explain model.json data.csv --row 201",
        "D19",
        &["row 201", "1 to 200"],
    );
    refused(
        &scratch,
        "explain model.json data.csv --where id=r999",
        "D19",
        &["r999"],
    );
}

#[test]
fn schemas_that_do_not_fit() {
    let scratch = trained();
    scratch.write("broken.json", "{\"columns\": [");
    scratch.write(
        "twice.json",
        r#"{"columns": [{"name":"x","type":"numerical"},{"name":"x","type":"text"}]}"#,
    );
    scratch.write(
        "type.json",
        r#"{"columns": [{"name":"x","type":"number"}]}"#,
    );
    let train = "train data.csv -t class -o m.json --schema";
    refused(
        &scratch,
        &format!("{train} none.json"),
        "D01",
        &["none.json"],
    );
    refused(
        &scratch,
        &format!("{train} broken.json"),
        "D18",
        &["broken.json"],
    );
    refused(
        &scratch,
        &format!("{train} twice.json"),
        "D18",
        &["twice.json", "\"x\""],
    );
    refused(
        &scratch,
        &format!("{train} type.json"),
        "D18",
        &["type.json", "number"],
    );
}

#[test]
fn files_larger_than_memory_are_not_read_whole() {
    let scratch = trained();
    // Nothing is stored of the zeros: the file takes no room.
    let huge = std::fs::File::create(scratch.path("huge.json")).expect("a file");
    huge.set_len(1 << 40).expect("a file system with holes");
    refused(&scratch, "inspect huge.json", "M06", &["huge.json"]);
    let schema = "train data.csv -t class --schema huge.json";
    refused(&scratch, schema, "D18", &["huge.json has more than"]);
}
