//! An interrupted program removes its unfinished outputs.

use crate::scratch::Scratch;
use fnb_table::{OutputKind, TableWriter, remove_pending_outputs};
use std::process::Command;

/// Set in the process in which this test is alone: the outputs of a process are one list, to which
/// the tests beside this one add theirs.
const ALONE: &str = "FNB_TEST_ALONE";

#[test]
fn pending_outputs_are_removed() {
    if std::env::var_os(ALONE).is_none() {
        let alone = Command::new(std::env::current_exe().expect("a path"))
            .args(["--exact", "interrupted::pending_outputs_are_removed"])
            .env(ALONE, "1")
            .output()
            .expect("it starts");
        let said = String::from_utf8_lossy(&alone.stdout);
        assert!(alone.status.success(), "{said}");
        assert!(said.contains("1 passed"), "{said}");
        return;
    }
    let scratch = Scratch::new();
    let count = || {
        std::fs::read_dir(scratch.path(""))
            .expect("a directory")
            .count()
    };
    let writer =
        TableWriter::create(&scratch.path("x.csv"), &[("a", OutputKind::Text)]).expect("a writer");
    assert_eq!(count(), 1);
    remove_pending_outputs();
    assert_eq!(count(), 0);
    drop(writer);
}
