//! The corpus of bad inputs: what the program says of each of them, and how it ends.
//!
//! The cases are in `bad/*.txt`, a file per topic:
//!
//! ```text
//! ## a row with too few fields        the name of a case
//! file bad.csv                        a file, its lines after a bar
//! | a,b
//! | 1
//! do cut data.csv 100                 something done to a file (see `Edit`)
//! $ fnb train bad.csv -t b -o m.json  the command
//! > exit 3                            how it ends, and what it says from its warnings on
//! > error[D05]: …
//! ```
//!
//! What stands before the first case is done for each of them, and its commands must succeed. In lines of files
//! and in arguments, `\x1b` is a byte, `\n`, `\r` and `\t` are what they are, a `\` at the end of a line joins it to
//! the next, and `{ab*3}` stands for `ababab`.
//!
//! `FNB_REWRITE=1 cargo test -p fnb-cli --test program bad_corpus` writes what the program says into the files.
//! Read the difference as a user would: is it clear what is wrong, where, and what to do?

use crate::scratch::Scratch;
use flate2::Compression;
use flate2::write::GzEncoder;
use rayon::prelude::*;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A line of a topic that is carried out.
#[derive(Debug, Clone)]
enum Step {
    File { name: String, content: Vec<u8> },
    Edit(Vec<String>),
    Run(Vec<String>),
}

#[derive(Debug)]
struct Case {
    name: String,
    steps: Vec<Step>,
    expected: Vec<String>,
}

/// What a topic holds: what is done for all cases, and the cases.
struct Topic {
    path: PathBuf,
    common: Vec<Step>,
    cases: Vec<Case>,
}

fn topics() -> Vec<Topic> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program/bad");
    let entries = std::fs::read_dir(folder).expect("the folder of the corpus");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().map(Topic::read).collect()
}

impl Topic {
    fn read(path: PathBuf) -> Self {
        let text = std::fs::read_to_string(&path).expect("a text");
        let (mut common, mut cases) = (Vec::new(), Vec::<Case>::new());
        for line in text.lines() {
            let case = cases.last_mut();
            let steps = case.map_or(&mut common, |case| &mut case.steps);
            match line.split_once(' ').unwrap_or((line, "")) {
                ("##", name) => cases.push(Case {
                    name: name.to_owned(),
                    steps: Vec::new(),
                    expected: Vec::new(),
                }),
                ("file", name) => steps.push(Step::File {
                    name: name.to_owned(),
                    content: Vec::new(),
                }),
                ("|", line) => {
                    let Some(Step::File { content, .. }) = steps.last_mut() else {
                        panic!("{}: a line of no file: {line}", path.display());
                    };
                    match line.strip_suffix('\\') {
                        Some(line) => content.extend(bytes(line)),
                        None => content.extend([bytes(line), b"\n".to_vec()].concat()),
                    }
                }
                ("do", words) => steps.push(Step::Edit(split(words))),
                ("$", words) => steps.push(Step::Run(split(words))),
                (">", line) => {
                    let case = cases.last_mut().expect("what is expected of a case");
                    case.expected.push(line.to_owned());
                }
                ("" | "#", _) => {}
                _ => panic!("{}: {line:?}", path.display()),
            }
        }
        Self {
            path,
            common,
            cases,
        }
    }

    /// A folder in which everything is ready for its cases.
    fn prepared(&self) -> Scratch {
        let scratch = Scratch::new();
        for step in &self.common {
            if let Some(run) = take(&scratch, step) {
                run.ok();
            }
        }
        scratch
    }

    /// Puts what the program says into the file.
    fn rewrite(&self, said: &[Vec<String>]) {
        let text = std::fs::read_to_string(&self.path).expect("a text");
        let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('>')).collect();
        let (mut new, mut case) = (String::new(), 0);
        for (i, line) in lines.iter().enumerate() {
            new.push_str(&format!("{line}\n"));
            case += usize::from(line.starts_with("## "));
            // The command of a case is its last line.
            let last = lines.get(i + 1).is_none_or(|next| next.is_empty());
            if case > 0 && last && line.starts_with("$ ") {
                for line in &said[case - 1] {
                    new.push_str(&format!("> {line}\n"));
                }
            }
        }
        std::fs::write(&self.path, new).expect("the topic is written");
    }
}

/// Words of a line; single quotes hold blanks together.
fn split(line: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let (mut quoted, mut open) = (false, false);
    for c in line.chars() {
        if c == ' ' && !quoted {
            open = false;
            continue;
        }
        if !open {
            words.push(String::new());
            open = true;
        }
        match c {
            '\'' => quoted = !quoted,
            c => words.last_mut().expect("a word was begun").push(c),
        }
    }
    let text = |word: &String| String::from_utf8(bytes(word)).expect("arguments are text");
    words.iter().map(text).collect()
}

/// The bytes that a line stands for.
fn bytes(line: &str) -> Vec<u8> {
    let mut line = line.to_owned();
    // `{text*times}`, the innermost first.
    while let Some((end, count, start)) = repetition(&line) {
        let (before, after) = (line[..start].to_owned(), line[end + 1..].to_owned());
        let star = line[..end].rfind('*').expect("a repetition has a star");
        line = format!("{before}{}{after}", line[start + 1..star].repeat(count));
    }
    let (mut bytes, mut rest) = (Vec::new(), line.as_str());
    while let Some(c) = rest.chars().next() {
        let (byte, length) = match rest.get(..2) {
            Some("\\x") => (u8::from_str_radix(&rest[2..4], 16).expect("two digits"), 4),
            Some("\\n") => (b'\n', 2),
            Some("\\r") => (b'\r', 2),
            Some("\\t") => (b'\t', 2),
            Some("\\\\") => (b'\\', 2),
            _ => {
                bytes.extend(c.to_string().into_bytes());
                rest = &rest[c.len_utf8()..];
                continue;
            }
        };
        bytes.push(byte);
        rest = &rest[length..];
    }
    bytes
}

/// Where the first repetition ends, how often, where it starts.
fn repetition(line: &str) -> Option<(usize, usize, usize)> {
    line.match_indices('}').find_map(|(end, _)| {
        let start = line[..end].rfind('{')?;
        let star = start + line[start..end].rfind('*')?;
        Some((end, line[star + 1..end].parse().ok()?, start))
    })
}

/// Carries out a step; what became of it if it runs the program.
fn take(scratch: &Scratch, step: &Step) -> Option<crate::scratch::Run> {
    match step {
        Step::File { name, content } => {
            scratch.write(name, content);
        }
        Step::Edit(words) => edit(
            scratch,
            &words.iter().map(String::as_str).collect::<Vec<_>>(),
        ),
        Step::Run(words) => {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            assert_eq!(words[0], "fnb", "commands are of the program");
            return Some(match words[..] {
                [.., "<", file] => {
                    let arguments = words[1..words.len() - 2].join(" ");
                    scratch.fnb_stdin(&arguments, &scratch.read(file))
                }
                _ => scratch.fnb_words(&words[1..]),
            });
        }
    }
    None
}

/// What can be done to files.
fn edit(scratch: &Scratch, words: &[&str]) {
    match *words {
        ["folder", name] => std::fs::create_dir_all(scratch.path(name)).expect("a folder"),
        ["copy", from, to] => {
            scratch.write(to, scratch.read(from));
        }
        // The first bytes only.
        ["cut", name, length] => {
            let mut content = scratch.read(name);
            content.truncate(length.parse().expect("a number"));
            scratch.write(name, content);
        }
        ["append", name, text] => {
            scratch.write(
                name,
                [scratch.read(name), text.as_bytes().to_vec()].concat(),
            );
        }
        ["gzip", from, to] => {
            let mut packed = GzEncoder::new(Vec::new(), Compression::default());
            packed.write_all(&scratch.read(from)).expect("memory");
            scratch.write(to, packed.finish().expect("memory"));
        }
        // The text in UTF-16, with its mark.
        ["utf16", from, to] => {
            let units: Vec<u16> = scratch.text(from).encode_utf16().collect();
            let bytes = [0xfeff_u16]
                .iter()
                .chain(&units)
                .flat_map(|unit| unit.to_le_bytes());
            scratch.write(to, bytes.collect::<Vec<u8>>());
        }
        ["replace", name, from, to] => {
            let text = scratch.text(name);
            assert!(text.contains(from), "{from:?} is not in {name}");
            scratch.write(name, text.replacen(from, to, 1));
        }
        // A value of a JSON file by its path, or its end: `set m.json /terms/0/weight -1`.
        ["set", name, pointer, value] => {
            let mut json = scratch.json(name);
            let value: Value = serde_json::from_str(value).expect("JSON");
            let (parent, key) = pointer.rsplit_once('/').expect("a path");
            match json.pointer_mut(parent).expect("the path exists") {
                Value::Object(object) => {
                    object.insert(key.to_owned(), value);
                }
                Value::Array(array) => array[key.parse::<usize>().expect("a place")] = value,
                other => panic!("{parent} is {other}"),
            }
            scratch.write(name, json.to_string());
        }
        ["unset", name, pointer] => {
            let mut json = scratch.json(name);
            let (parent, key) = pointer.rsplit_once('/').expect("a path");
            let parent = json.pointer_mut(parent).and_then(Value::as_object_mut);
            parent.expect("an object").remove(key).expect("a key");
            scratch.write(name, json.to_string());
        }
        // The checksum that a model should have.
        ["sign", name] => {
            let mut json = scratch.json(name);
            json["checksum"] = "".into();
            let text = json.to_string();
            let hash: Vec<String> = Sha256::digest(&text)
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect();
            let hash = hash.concat();
            let empty = "\"checksum\":\"";
            let signed = text.replace(empty, &format!("{empty}sha256:{hash}"));
            scratch.write(name, signed);
        }
        _ => panic!("nothing is done by {words:?}"),
    }
}

/// Runs a case in a folder like that of its topic: how it ended, what it said, and what it should not have done.
fn run(case: &Case, ready: &Scratch) -> (Vec<String>, Vec<String>) {
    let scratch = Scratch::new();
    copy(&ready.path(""), &scratch.path(""));
    let (command, steps) = case.steps.split_last().expect("a command");
    for step in steps {
        take(&scratch, step).map(crate::scratch::Run::ok);
    }
    let before = scratch.files();
    let run = take(&scratch, command).unwrap_or_else(|| panic!("{}: no command", case.name));
    let mut said = vec![
        run.code
            .map_or("signal".into(), |code| format!("exit {code}")),
    ];
    // Warnings, and all from the error on; not what is said in passing.
    let mut after = false;
    let told = run.stderr.lines().filter(|line| {
        after |= line.starts_with("error[");
        after || line.starts_with("warning: ")
    });
    said.extend(told.map(str::to_owned));

    let mut faults = Vec::new();
    let mut fault = |is: bool, what: &str| {
        if is {
            faults.push(format!("{}: {what}", case.name));
        }
    };
    for word in ["panicked", "RUST_BACKTRACE", "a bug in fnb"] {
        fault(run.stderr.contains(word), word);
    }
    if run.code != Some(0) {
        let errors = run.stderr.matches("error[").count();
        fault(errors != 1, "one error is told");
        fault(!run.stderr.contains("\n  help: "), "no next step");
        fault(
            run.code != Some(4) && !run.stdout.is_empty(),
            "something on standard output",
        );
        fault(scratch.files() != before, "files were left or lost");
        let code = match run.code {
            Some(2) => "error[U",
            Some(4) => "error[G",
            _ => "error[",
        };
        fault(
            !run.stderr.contains(code),
            "the exit code is not that of the error",
        );
    }
    (said, faults)
}

fn copy(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            std::fs::create_dir_all(&target).expect("a folder");
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("a copy");
        }
    }
}

#[test]
fn every_bad_input_is_told_as_it_should_be() {
    let rewrite = std::env::var_os("FNB_REWRITE").is_some();
    let topics = topics();
    let wrong: Vec<String> = topics
        .par_iter()
        .flat_map(|topic| {
            let ready = topic.prepared();
            let results = topic.cases.par_iter().map(|case| run(case, &ready));
            let (said, faults): (Vec<_>, Vec<_>) = results.unzip();
            if rewrite {
                topic.rewrite(&said);
            }
            let mut wrong = faults.concat();
            for (case, said) in topic.cases.iter().zip(&said) {
                if !rewrite && case.expected != *said {
                    let (expected, said) = (case.expected.join("\n"), said.join("\n"));
                    wrong.push(format!(
                        "{}\nexpected:\n{expected}\nsaid:\n{said}\n",
                        case.name
                    ));
                }
            }
            let name = topic.path.file_name().expect("a file").to_string_lossy();
            wrong
                .into_iter()
                .map(|wrong| format!("{name}: {wrong}"))
                .collect::<Vec<_>>()
        })
        .collect();
    assert!(
        wrong.is_empty(),
        "{} wrong\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Three hundred and more, no two alike.
#[test]
fn the_corpus_is_large_and_its_cases_differ() {
    let topics = topics();
    let cases: Vec<&Case> = topics.iter().flat_map(|topic| &topic.cases).collect();
    assert!(cases.len() >= 300, "{}", cases.len());
    let mut steps: Vec<String> = topics
        .iter()
        .flat_map(|topic| {
            topic
                .cases
                .iter()
                .map(|case| format!("{:?} {:?}", topic.path, case.steps))
        })
        .collect();
    steps.sort();
    steps.dedup();
    assert_eq!(steps.len(), cases.len(), "two cases are the same");
    for case in cases {
        assert!(
            !case.expected.is_empty(),
            "{}: nothing is expected",
            case.name
        );
    }
}
