//! What names, values and classes of others may do on a terminal: be shown, nothing else.

use crate::data::not_run;
use crate::scratch::{Run, Scratch};
use std::process::Command;

/// Something of each sort: a sequence that clears the screen, its form in one character, the bell, a mark that
/// turns the direction, the end of a line.
const NAME: &str = "x\u{1b}[2J\u{9b}31m\u{7}\u{202e}y";
const CLASS: &str = "n\u{1b}]0;title\u{7}o\u{2066}";

fn acts(c: char) -> bool {
    (c.is_control() && c != '\n') || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A table whose names and values would act, and its model.
fn scratch() -> Scratch {
    let scratch = Scratch::new();
    let mut table = format!("{NAME},\"two\nlines\u{1b}[1m\",id,class\n");
    for row in 0..60 {
        let (x, class) = if row % 2 == 0 {
            ("\u{1b}[31mred", "yes")
        } else {
            ("\u{9b}blue", CLASS)
        };
        let other = if row % 7 == 0 { x } else { "\u{1b}c" };
        table.push_str(&format!("{other},{x},{row},{class}\n"));
    }
    scratch.write("d\u{1b}[2J.csv", table);
    scratch.fnb("train d\u{1b}[2J.csv -t class -o m.json").ok();
    scratch
}

#[track_caller]
fn assert_harmless(run: &Run) {
    for text in [&run.stdout, &run.stderr] {
        assert!(
            !text.contains(acts),
            "fnb {}\n{}",
            run.arguments,
            text.escape_debug()
        );
    }
}

#[test]
fn names_and_values_are_shown_and_do_nothing() {
    let scratch = scratch();
    let data = "d\u{1b}[2J.csv";
    for command in [
        "train DATA -t class -v",
        "train DATA -t class --json",
        "train DATA -t klass",
        "train DATA -t class --drop \u{1b}[2J",
        "train no\u{9b}.csv -t class",
        "train DATA -t class --lambda \u{9b}\u{202e}",
        "train DATA -t class --method \u{1b}[2J\u{202e}",
        "train DATA -t class --\u{9b}",
        "train DATA -t class --features 5 --progress plain",
        "inspect m.json --dropped",
        "inspect m.json --path",
        "inspect \u{1b}[2J\u{9b}.json",
        "describe DATA -t class -v",
        "describe DATA --json",
        "describe DATA",
        "evaluate m.json DATA",
        "evaluate m.json DATA --json",
        "evaluate m.json DATA --main-value \u{1b}",
        "explain m.json DATA --row 2",
        "explain m.json DATA --row 2 --json",
        "explain m.json DATA --where id=\u{9b}",
        "predict m.json DATA --keep \u{1b} -o p.csv",
        "compare DATA -t class --methods nb --cv 2",
        "compare DATA -t class --methods nb --cv 2 --json",
    ] {
        assert_harmless(&scratch.fnb(&command.replace("DATA", data)));
    }
    // Shown, on one line.
    let shown = scratch.fnb("inspect m.json").ok().stdout;
    assert!(shown.contains("two\\nlines\\u{1b}[1m"), "{shown}");
    assert!(shown.contains("{\\u{1b}[31mred}"), "{shown}");
}

#[test]
fn what_programs_read_is_written_as_it_is() {
    let scratch = scratch();
    let predicted = scratch
        .fnb("predict m.json d\u{1b}[2J.csv --proba")
        .ok()
        .stdout;
    assert!(
        predicted.contains(&format!("proba_{CLASS}")),
        "{predicted:?}"
    );
    assert!(predicted.contains(&format!("\n{CLASS},")), "{predicted:?}");
    let model = scratch.fnb("inspect m.json --json").ok().stdout;
    assert_eq!(model.into_bytes(), scratch.read("m.json"));
    // JSON means the same, however it is written.
    let json = scratch
        .fnb("train d\u{1b}[2J.csv -t class --json")
        .ok()
        .json();
    assert_eq!(json["variables"][0]["name"], "two\nlines\u{1b}[1m");
}

/// On a terminal, predictions and models are for people.
#[test]
#[cfg(target_os = "linux")]
fn predictions_on_a_terminal_do_nothing() {
    let scratch = scratch();
    let program = env!("CARGO_BIN_EXE_fnb");
    for arguments in ["predict m.json d*.csv --proba -q", "inspect m.json --json"] {
        let mut script = Command::new("script");
        script.args(["-qec", &format!("{program} {arguments}"), "/dev/null"]);
        let Ok(output) = script.current_dir(scratch.path("")).output() else {
            not_run("there is no program `script`");
            return;
        };
        assert!(output.status.success(), "{arguments}");
        let text = String::from_utf8(output.stdout)
            .expect("UTF-8")
            .replace('\r', "");
        assert!(!text.contains(acts), "{}", text.escape_debug());
        assert!(text.contains("title"), "{text}");
    }
}

#[test]
fn spreadsheets_run_nothing() {
    let scratch = Scratch::new();
    let mut table = String::from("=name,note,number,x,class\n");
    for row in 0..40 {
        let class = if row % 2 == 0 { "@yes" } else { "-no" };
        let note = ["=cmd|' /C calc'!A0", "+1+2", "\"\t=1\"", "a=b", "-5"][row % 5];
        table.push_str(&format!(
            "{row},{note},-{row}.5,{},{class}\n",
            row % 2 + row % 3
        ));
    }
    scratch.write("d.csv", table);
    scratch
        .fnb("train d.csv -t class --drop note,number,=name -o m.json")
        .ok();
    let predict = |option: &str| {
        let command =
            format!("predict m.json d.csv --keep =name,note,number --reasons 1 -q {option}");
        scratch.fnb(&command).ok().stdout
    };
    let plain = predict("");
    assert!(
        plain.starts_with("=name,note,number,prediction,"),
        "{plain}"
    );
    let safe = predict("--spreadsheet-safe");
    assert!(safe.starts_with("'=name,note,number,prediction,"), "{safe}");
    let lines: Vec<&str> = safe.lines().collect();
    assert!(
        lines[1].starts_with("0,'=cmd|' /C calc'!A0,-0.5,"),
        "{safe}"
    );
    assert!(lines[2].starts_with("1,'+1+2,-1.5,"), "{safe}");
    assert!(lines[3].starts_with("2,'\t=1,-2.5,"), "{safe}");
    assert!(lines[4].starts_with("3,a=b,-3.5,"), "{safe}");
    assert!(lines[5].starts_with("4,-5,-4.5,"), "{safe}");
    assert!(
        lines[1..]
            .iter()
            .all(|line| line.contains(",'@yes,") || line.contains(",'-no,"))
    );
}
