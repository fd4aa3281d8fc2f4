//! Where commands write: never over what they read, with the rights that were there, to any stream.

use crate::scratch::{Scratch, TUMOURS, refused};

/// Tumours, a model of them, folds, a table with a key and its records.
fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("d.csv", TUMOURS).write("other.csv", TUMOURS);
    let folds: Vec<String> = (0..569).map(|row| (row % 3).to_string()).collect();
    scratch.write("folds.csv", format!("fold\n{}\n", folds.join("\n")));
    scratch.write("main.csv", "id,x,y\n1,2,a\n2,3,b\n3,2,a\n4,3,b\n");
    scratch.write("items.csv", "id,v\n1,5\n1,6\n2,7\n3,1\n4,9\n");
    scratch.write("words.csv", "id,word\n1,u\n2,v\n3,u\n4,v\n");
    scratch.write("part/a.csv", TUMOURS);
    scratch.fnb("train d.csv -t diagnosis -o m.json").ok();
    scratch.fnb("schema d.csv -o types.json").ok();
    scratch
        .fnb("schema main.csv --table items=items.csv:id -t y -o tables.json")
        .ok();
    scratch
}

#[test]
fn an_output_that_is_an_input_is_refused() {
    let scratch = scratch();
    scratch.write("m", scratch.read("m.json"));
    let tables = "main.csv --table items=items.csv:id";
    for (arguments, output) in [
        ("train d.csv -t diagnosis", "d.csv"),
        ("train d.csv -t diagnosis", "./part/../d.csv"),
        ("train *.csv -t diagnosis", "d.csv"),
        ("train part -t diagnosis", "part/a.csv"),
        ("train d.csv -t diagnosis --test other.csv", "other.csv"),
        ("train d.csv -t diagnosis --folds folds.csv", "folds.csv"),
        ("train d.csv -t diagnosis --schema types.json", "types.json"),
        ("train --schema tables.json", "items.csv"),
        ("train --schema tables.json", "main.csv"),
        (
            "train main.csv -t y --sparse w=words.csv:id,word",
            "words.csv",
        ),
        ("predict m d.csv", "m"),
        ("predict m.json d.csv", "d.csv"),
        ("predict m.json ./*.csv", "d.csv"),
        (&format!("construct {tables}"), "items.csv"),
        (&format!("construct {tables}"), "main.csv"),
        ("schema d.csv", "d.csv"),
        ("schema d.csv other.csv", "other.csv"),
        (&format!("schema {tables}"), "items.csv"),
        ("compare d.csv -t diagnosis --folds folds.csv", "folds.csv"),
        ("compare d.csv -t diagnosis --resume", "d.csv"),
    ] {
        let before = scratch.read(output);
        let arguments = format!("{arguments} -o {output}");
        refused(
            &scratch,
            &arguments,
            "U01",
            &["the output", output, "input"],
        );
        assert_eq!(scratch.read(output), before, "{arguments}");
    }
}

#[cfg(unix)]
#[test]
fn links_do_not_hide_that_an_output_is_an_input() {
    let scratch = scratch();
    std::os::unix::fs::symlink("d.csv", scratch.path("soft.csv")).unwrap();
    std::fs::hard_link(scratch.path("d.csv"), scratch.path("hard.csv")).unwrap();
    for link in ["soft.csv", "hard.csv"] {
        for arguments in [
            format!("train d.csv -t diagnosis -o {link}"),
            format!("predict m.json d.csv -o {link}"),
            format!("schema {link} -o d.csv"),
        ] {
            refused(&scratch, &arguments, "U01", &["the output"]);
        }
    }
    let file = std::fs::File::open(scratch.path("d.csv")).unwrap();
    let mut command = scratch.command(&["predict", "m.json", "-", "-o", "d.csv"]);
    let ended = command.stdin(file).output().unwrap();
    assert_eq!(ended.status.code(), Some(2), "{ended:?}");
    assert_eq!(scratch.text("d.csv"), TUMOURS);
}
