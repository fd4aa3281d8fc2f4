//! The documents show what the program prints: their commands are run.
//!
//! The blocks of a document run in order, in a folder of their own. In a `console` block a line
//! `$ command` is followed by what it prints, errors included; a line `...` stands for any lines.
//! Times are not compared. A `sh` block is run and must succeed. Comments in the document:
//!
//! - `<!-- not run: why -->` before a block leaves it out; this is listed at the end of `make test`;
//! - `<!-- run: command -->` runs a command that readers need not see;
//! - `<!-- with: data/Iris -->` takes the files of that folder of `../shared`. Without it the rest
//!   of the document is left out.
//!
//! After a change of what the program prints:
//! `FNB_REWRITE=1 cargo test -p fnb-cli --test program documents`, then read the difference.

use crate::data::{not_run, outside, root};
use crate::scratch::Scratch;
use std::ops::Range;
use std::path::Path;
use std::process::{Command, Stdio};

/// Ends what a command printed.
const MARK: &str = "-- what the next command prints --";

#[test]
fn readme() {
    check("README.md", 5);
}

#[test]
fn guide() {
    check("GUIDE.md", 40);
}

#[test]
fn other_documents() {
    let folder = root().join("docs").read_dir().expect("a folder");
    for file in folder.map(|entry| entry.expect("an entry").path()) {
        if file.extension().is_some_and(|extension| extension == "md") {
            let name = file.file_name().expect("a name").display();
            check(&format!("docs/{name}"), 0);
        }
    }
}

/// What is to be done with a document, in order.
enum Step {
    /// A command that readers do not see.
    Run(String),
    /// A folder of data.
    With(String),
    /// A block, by its lines.
    Shell(Range<usize>),
    Console(Range<usize>),
    /// A block that is left out, and why.
    LeftOut(usize, String),
}

/// Runs a document that has at least so many commands.
fn check(document: &str, least: usize) {
    let path = root().join(document);
    let text = std::fs::read_to_string(&path).expect("a document");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let scratch = Scratch::new();
    // Data that ship with the repository, by the paths that readers use.
    std::os::unix::fs::symlink(root().join("crates"), scratch.path("crates")).expect("a link");
    let (mut commands, mut failures) = (0, Vec::new());
    let mut changes: Vec<(Range<usize>, Vec<String>)> = Vec::new();
    let mut absent = false;
    for step in steps(&lines) {
        match step {
            Step::LeftOut(line, reason) => not_run(&format!("{document}:{line} ({reason})")),
            Step::With(folder) => match outside(&folder) {
                Some(folder) => link_files(&folder, &scratch),
                None => absent = true,
            },
            _ if absent => {}
            Step::Run(command) => run_shell(&scratch, &command),
            Step::Shell(body) => run_shell(&scratch, &lines[body].join("\n")),
            Step::Console(body) => {
                let shown = shown_commands(&lines, body);
                commands += shown.len();
                let texts: Vec<&str> = shown.iter().map(|shown| shown.command.as_str()).collect();
                for (shown, printed) in shown.iter().zip(run_console(&scratch, &texts)) {
                    let expected = &lines[shown.output.clone()];
                    if !matches(&masked(expected), &masked(&printed)) {
                        failures.push(format!(
                            "{document}:{}\n$ {}\n{}\n",
                            shown.output.start,
                            shown.command,
                            printed.join("\n")
                        ));
                        changes.push((shown.output.clone(), as_shown(expected, printed)));
                    }
                }
            }
        }
    }
    assert!(
        commands >= least || absent,
        "{document}: {commands} commands"
    );
    if std::env::var_os("FNB_REWRITE").is_some() {
        for (range, output) in changes.into_iter().rev() {
            lines.splice(range, output);
        }
        std::fs::write(path, lines.join("\n") + "\n").expect("a document");
    } else {
        assert!(
            failures.is_empty(),
            "the documents show something else; FNB_REWRITE=1 rewrites them\n{}",
            failures.join("\n")
        );
    }
}

fn steps(lines: &[String]) -> Vec<Step> {
    let comment = |line: &str, key: &str| {
        let text = line.trim().strip_prefix("<!-- ")?.strip_suffix(" -->")?;
        text.strip_prefix(key)?
            .strip_prefix(": ")
            .map(str::to_owned)
    };
    let (mut steps, mut left_out, mut line) = (Vec::new(), None, 0);
    while line < lines.len() {
        let text = &lines[line];
        line += 1;
        if let Some(command) = comment(text, "run") {
            steps.push(Step::Run(command));
        } else if let Some(folder) = comment(text, "with") {
            steps.push(Step::With(folder));
        } else if let Some(reason) = comment(text, "not run") {
            left_out = Some(reason);
        } else if let Some(kind) = text.trim().strip_prefix("```") {
            let length = lines[line..].iter().position(|line| line.trim() == "```");
            let body = line..line + length.expect("the end of a block");
            let after = body.end + 1;
            match (kind, left_out.take()) {
                (_, Some(reason)) => steps.push(Step::LeftOut(line, reason)),
                ("console", None) => steps.push(Step::Console(body)),
                ("sh", None) => steps.push(Step::Shell(body)),
                _ => {}
            }
            line = after;
        }
    }
    steps
}

/// A command of a `console` block and the lines that show what it prints.
struct Shown {
    command: String,
    output: Range<usize>,
}

/// A command goes on after a backslash and within single quotes.
fn shown_commands(lines: &[String], body: Range<usize>) -> Vec<Shown> {
    let mut found: Vec<Shown> = Vec::new();
    for line in body {
        let open = found.last_mut().filter(|shown| {
            let quotes = shown.command.matches('\'').count();
            shown.output.end == line && (shown.command.ends_with('\\') || quotes % 2 == 1)
        });
        if let Some(shown) = open.filter(|shown| shown.output.is_empty()) {
            shown.command += &format!("\n{}", lines[line]);
            shown.output = line + 1..line + 1;
        } else if let Some(command) = lines[line].strip_prefix("$ ") {
            found.push(Shown {
                command: command.to_owned(),
                output: line + 1..line + 1,
            });
        } else {
            let last = found.last_mut();
            last.expect("a block begins with a command").output.end = line + 1;
        }
    }
    found
}

fn shell(scratch: &Scratch, script: &str) -> Command {
    let program = Path::new(env!("CARGO_BIN_EXE_fnb"))
        .parent()
        .expect("a folder");
    let path = std::env::var("PATH").expect("a search path");
    let mut command = Command::new("sh");
    command.args(["-c", script]).current_dir(scratch.path(""));
    command.env("PATH", format!("{}:{path}", program.display()));
    command
        .env("HOME", scratch.path(""))
        .env("LC_ALL", "C.UTF-8");
    command.stdin(Stdio::null());
    command
}

fn run_shell(scratch: &Scratch, script: &str) {
    let script = format!("set -e\n{script}");
    let done = shell(scratch, &script).output().expect("a shell");
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{script}\n{said}");
}

/// What each command prints. They share a shell, so that `$?` is that of the one before.
fn run_console(scratch: &Scratch, commands: &[&str]) -> Vec<Vec<String>> {
    let mut script = String::from("exec 2>&1\n");
    for command in commands {
        script += &format!("{command}\ncode=$?; echo; echo '{MARK}'; (exit $code)\n");
    }
    let done = shell(scratch, &script).output().expect("a shell");
    let printed = String::from_utf8(done.stdout).expect("UTF-8");
    let mark = format!("\n{MARK}\n");
    let parts = printed.split(&mark);
    // Blank lines at the end are not shown.
    let lines = |part: &str| -> Vec<String> {
        let lines = part.trim_end().lines();
        lines.map(|line| line.trim_end().to_owned()).collect()
    };
    parts.take(commands.len()).map(lines).collect()
}

fn link_files(folder: &Path, scratch: &Scratch) {
    for entry in folder.read_dir().expect("a folder") {
        let entry = entry.expect("an entry");
        let name = entry.file_name().into_string().expect("UTF-8");
        std::os::unix::fs::symlink(entry.path(), scratch.path(&name)).expect("a link");
    }
}

/// The lines without times: those at the end of a line, and the columns of `fnb compare`.
fn masked(lines: &[String]) -> Vec<String> {
    let mut times = None;
    let mut result = Vec::with_capacity(lines.len());
    for line in lines {
        if line.contains("  time s  ratio") {
            let end = |text: &str| line.find(text).map(|at| at + text.len());
            times = end("vars  ratio").zip(end("time s  ratio"));
        } else if !line.starts_with("  ") {
            times = None;
        }
        let of_compare = times.and_then(|(from, to)| line.get(..from).zip(line.get(to..)));
        result.push(match (of_compare, without_time(line)) {
            (Some((before, after)), _) => format!("{before} {after}"),
            (None, Some(text)) => text,
            (None, None) => line.trim_end().to_owned(),
        });
    }
    result
}

fn without_time(line: &str) -> Option<String> {
    let (text, seconds) = line.strip_suffix(" s")?.rsplit_once(' ')?;
    seconds.parse::<f64>().ok()?;
    Some(format!("{} (time)", text.trim_end()))
}

/// Whether the lines are as expected, where `...` stands for any.
fn matches(expected: &[String], found: &[String]) -> bool {
    match expected.split_first() {
        None => found.is_empty(),
        Some((line, rest)) if line.trim() == "..." => {
            (0..=found.len()).any(|skipped| matches(rest, &found[skipped..]))
        }
        Some((line, rest)) => {
            let same = found.first() == Some(line);
            same && matches(rest, &found[1..])
        }
    }
}

/// The output as a document shows it: cut off where it was.
fn as_shown(expected: &[String], mut printed: Vec<String>) -> Vec<String> {
    let cut = expected.iter().position(|line| line.trim() == "...");
    if let Some(cut) = cut.filter(|cut| cut + 1 == expected.len() && *cut <= printed.len()) {
        printed.truncate(cut);
        printed.push(expected[cut].clone());
    }
    printed
}

#[test]
fn what_counts_as_the_same_output() {
    let lines = |text: &str| -> Vec<String> { text.lines().map(str::to_owned).collect() };
    let same =
        |expected: &str, found: &str| matches(&masked(&lines(expected)), &masked(&lines(found)));
    assert!(same(
        "read 5 rows       0.01 s\nx",
        "read 5 rows      12.34 s\nx"
    ));
    assert!(!same(
        "read 5 rows       0.01 s",
        "read 6 rows       0.01 s"
    ));
    assert!(same("a\n  ...\nd", "a\nb\nc\nd"));
    assert!(same("a\n...", "a"));
    assert!(!same("a\n...\nd", "a\nb"));
    assert!(!same("a", "a\nb"));
    assert!(!same("a\nb", "a"));
    let header = "  method  vars  ratio  time s  ratio  AUC";
    let table = |row: &str| format!("{header}\n  {row}");
    let row = table("fnb     10.8   1.00   0.007   1.00  0.9");
    assert!(same(
        &row,
        &table("fnb     10.8   1.00   0.123  17.00  0.9")
    ));
    assert!(!same(
        &row,
        &table("fnb     10.8   1.01   0.007   1.00  0.9")
    ));
    assert!(!same(
        &row,
        &table("fnb     10.8   1.00   0.007   1.00  0.8")
    ));
}
