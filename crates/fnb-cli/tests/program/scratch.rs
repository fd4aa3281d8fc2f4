//! The program as a user runs it: a scratch folder, a command, what came out.

use serde_json::Value;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A folder of its own to run the program in.
pub(crate) struct Scratch(TempDir);

impl Scratch {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().expect("a temporary folder"))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file, and the folders it is in.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, content).expect("a file");
        self
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).expect("UTF-8")
    }

    pub(crate) fn json(&self, name: &str) -> Value {
        serde_json::from_slice(&self.read(name)).expect("JSON")
    }

    /// Everything in the folder, hidden files too.
    pub(crate) fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).expect("a folder");
        let name = |entry: std::io::Result<std::fs::DirEntry>| entry.expect("an entry").file_name();
        let mut names: Vec<String> = entries
            .map(|entry| name(entry).to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    /// The command, ready to be started in this folder.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fnb"));
        command.args(arguments).current_dir(self.0.path());
        command.stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs the program; words are separated by blanks.
    pub(crate) fn fnb(&self, arguments: &str) -> Run {
        self.fnb_words(&arguments.split_whitespace().collect::<Vec<_>>())
    }

    /// Runs the program with arguments that may hold blanks.
    pub(crate) fn fnb_words(&self, arguments: &[&str]) -> Run {
        let output = self.command(arguments).output().expect("the program runs");
        Run::new(arguments, output)
    }

    /// Runs the program with something on its standard input.
    pub(crate) fn fnb_stdin(&self, arguments: &str, input: &[u8]) -> Run {
        let arguments: Vec<&str> = arguments.split_whitespace().collect();
        let mut command = self.command(&arguments);
        let mut child = command.stdin(Stdio::piped()).spawn().expect("it starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        let input = input.to_vec();
        let writer = std::thread::spawn(move || stdin.write_all(&input));
        let output = child.wait_with_output().expect("the program ends");
        writer
            .join()
            .expect("no panic")
            .expect("it reads to the end");
        Run::new(&arguments, output)
    }
}

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) arguments: String,
    /// `None` after a signal.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    fn new(arguments: &[&str], output: std::process::Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        Self {
            arguments: arguments.join(" "),
            code: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }

    /// The same run, which must have succeeded.
    pub(crate) fn ok(self) -> Self {
        assert_eq!(
            self.code,
            Some(0),
            "fnb {}\n{}",
            self.arguments,
            self.stderr
        );
        self
    }

    /// What was printed, as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|e| panic!("fnb {}: {e}\n{}", self.arguments, self.stdout))
    }
}

/// Checks a failed run: exit code, one message that begins with the code and holds the texts, a
/// help line, no panic, and the folder as it was.
#[track_caller]
pub(crate) fn assert_refused(
    scratch: &Scratch,
    before: &[String],
    run: &Run,
    code: &str,
    texts: &[&str],
) {
    let Run {
        arguments, stderr, ..
    } = run;
    let exit = if code.starts_with('U') { 2 } else { 3 };
    let shown = format!("fnb {arguments}\n{stderr}");
    assert_eq!(run.code, Some(exit), "{shown}");
    assert_eq!(stderr.matches("error[").count(), 1, "{shown}");
    let error = stderr
        .find(&format!("error[{code}]: "))
        .unwrap_or_else(|| panic!("{shown}"));
    let message = &stderr[error..];
    for text in texts {
        assert!(message.contains(text), "{text:?} is not in: {shown}");
    }
    assert!(message.contains("\n  help: "), "no help: {shown}");
    for word in ["panicked", "RUST_BACKTRACE", "a bug in fnb"] {
        assert!(!stderr.contains(word), "{shown}");
    }
    assert_eq!(run.stdout, "", "{shown}");
    assert_eq!(scratch.files(), before, "{shown}");
}

/// Runs a command that must be refused.
#[track_caller]
pub(crate) fn refused(scratch: &Scratch, arguments: &str, code: &str, texts: &[&str]) {
    let before = scratch.files();
    let run = scratch.fnb(arguments);
    assert_refused(scratch, &before, &run, code, texts);
}

/// The 569 tumours that come with the program; the target is `diagnosis`.
pub(crate) const TUMOURS: &str = include_str!("../../demo/breast_cancer.csv");

/// The names of all methods.
pub(crate) const METHODS: [&str; 15] = [
    "nb",
    "snb-map",
    "snb",
    "fnb",
    "fnb-khiops",
    "fnb-ordered",
    "coordinate",
    "sg",
    "am",
    "sg.cf",
    "sg.ue",
    "ug.cf",
    "ug.ue",
    "cg.cf",
    "cg.ue",
];

/// A number of a JSON text.
#[track_caller]
pub(crate) fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("{value} is not a number"))
}

/// Numbers that are the same for any machine and any version of any library: xorshift.
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }

    /// Between 0 and 1.
    pub(crate) fn share(&mut self) -> f64 {
        self.below(1 << 40) as f64 / (1_u64 << 40) as f64
    }
}
