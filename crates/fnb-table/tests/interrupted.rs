//! An interrupted program removes its unfinished outputs. Alone in its process, as it touches a
//! list that all outputs of a process share.

mod common;

use common::Scratch;
use fnb_table::{OutputKind, TableWriter, remove_pending_outputs};

#[test]
fn pending_outputs_are_removed() {
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
