//! Where the data of the tests are. Every test program includes this file.

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The folder of the workspace.
pub(crate) fn root() -> &'static Path {
    let two_up = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
    two_up.expect("crates are two folders deep")
}

/// A file or folder of `tests/golden`. It is in the repository, so its absence is a failure.
#[track_caller]
pub(crate) fn golden(name: &str) -> PathBuf {
    let path = root().join("tests/golden").join(name);
    assert!(path.exists(), "{} is absent", path.display());
    path
}

/// What `not_run` has said, to say it once.
static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Says that the test of this thread leaves something out: on the standard error, past the capture
/// of the test harness, and in `target/not-run.txt`, which ends what `make test` prints.
pub(crate) fn not_run(reason: &str) {
    let test = std::thread::current();
    let test = test.name().unwrap_or("a test");
    let line = format!("{} {test}: {reason}\n", env!("CARGO_PKG_NAME"));
    let mut said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
    if !said.insert(line.clone()) {
        return;
    }
    // Not `eprint!`, which is captured. One write each: lines of several programs stay whole.
    std::io::stderr()
        .write_all(format!("not run: {line}").as_bytes())
        .expect("standard error");
    // target/PROFILE/deps/program
    let program = std::env::current_exe().expect("a path");
    let target = program.ancestors().nth(3).expect("a target folder");
    let mut list = OpenOptions::new();
    list.append(true).create(true);
    list.open(target.join("not-run.txt"))
        .and_then(|mut list| list.write_all(line.as_bytes()))
        .expect("a list of what did not run");
}

/// A file or folder of `../shared`: data of others, which are not in the repository. Without it a
/// test does less than it could, and says so.
pub(crate) fn outside(name: &str) -> Option<PathBuf> {
    let path = root().parent()?.join("shared").join(name);
    if path.exists() {
        return Some(path);
    }
    not_run(&format!("no ../shared/{name}"));
    None
}

/// The single tables with results of Khiops 11: their `.json`, beside which the `.tsv` lies. Five
/// are always there.
pub(crate) fn golden_tables() -> Vec<PathBuf> {
    let ours = ["iris", "noise", "oneinfo", "synth_a", "wine"];
    let others = ["adult1000", "letter", "mushroom"];
    let mut tables: Vec<PathBuf> = ours.map(|name| golden(&format!("{name}.json"))).into();
    tables.extend(
        others
            .iter()
            .filter_map(|name| outside(&format!("golden/{name}.json"))),
    );
    tables
}
