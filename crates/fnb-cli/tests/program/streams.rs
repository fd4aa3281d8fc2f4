//! Standard output and standard error that are closed or full.

use crate::scratch::{Scratch, TUMOURS};
use std::fs::{File, OpenOptions};
use std::io::Read;
use std::process::{Command, Output, Stdio};

const TRAIN: [&str; 8] = [
    "train",
    "d.csv",
    "-t",
    "diagnosis",
    "-o",
    "m.json",
    "--progress",
    "plain",
];

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("d.csv", TUMOURS);
    scratch
}

/// A pipe whose reader has gone.
fn closed() -> Stdio {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    writer.into()
}

/// A disk without room.
fn full() -> Stdio {
    let file: File = OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .expect("a device");
    file.into()
}

fn run(command: &mut Command) -> Output {
    let mut child = command.spawn().expect("it starts");
    let mut out = Vec::new();
    if let Some(stdout) = &mut child.stdout {
        stdout.read_to_end(&mut out).expect("it can be read");
    }
    let mut ended = child.wait_with_output().expect("it ends");
    ended.stdout = out;
    ended
}

#[test]
fn messages_that_cannot_be_written_are_dropped() {
    let scratch = scratch();
    for stderr in [closed, full] {
        let ended = run(scratch.command(&TRAIN).stderr(stderr()));
        assert_eq!(ended.status.code(), Some(0));
        assert!(!ended.stdout.is_empty());
        std::fs::remove_file(scratch.path("m.json")).expect("the model was written");
        // Errors keep their exit codes, those of clap and ours.
        for (arguments, code) in [(&["train"][..], 2), (&["inspect", "none"], 3), (&["no"], 2)] {
            let ended = run(scratch.command(arguments).stderr(stderr()));
            assert_eq!(ended.status.code(), Some(code), "{arguments:?}");
        }
    }
}

#[test]
fn a_reader_that_has_gone_ends_no_work() {
    let scratch = scratch();
    let ended = run(scratch.command(&TRAIN).stdout(closed()));
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    assert!(!scratch.json("m.json").is_null());
    run(scratch.command(&["demo", "-q"]).stdout(closed()));
    assert!(
        scratch
            .text("fnb-demo/predictions.csv")
            .contains("prediction")
    );
    // The bar is still judged.
    let gate = ["evaluate", "m.json", "d.csv", "-q", "--min-auc", "2"];
    let ended = run(scratch.command(&gate).stdout(closed()));
    assert_eq!(ended.status.code(), Some(4), "{ended:?}");
    for quiet in [
        &["--help"][..],
        &["inspect", "m.json"],
        &["predict", "m.json", "d.csv", "-q"],
    ] {
        let ended = run(scratch.command(quiet).stdout(closed()));
        assert_eq!(
            (ended.status.code(), &*ended.stderr),
            (Some(0), &b""[..]),
            "{quiet:?}"
        );
    }
}

#[test]
fn results_that_find_no_room_are_an_error() {
    let scratch = scratch();
    scratch.fnb("train d.csv -t diagnosis -o m.json").ok();
    for arguments in [
        &["--help"][..],
        &["--version"],
        &["train", "--help"],
        &["completions", "bash"],
        &["inspect", "m.json"],
        &["schema", "d.csv"],
        &["describe", "d.csv", "--json"],
        &["predict", "m.json", "d.csv"],
        &["train", "d.csv", "-t", "diagnosis"],
    ] {
        let ended = run(scratch.command(arguments).stdout(full()));
        let stderr = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(3), "{arguments:?} {stderr}");
        assert!(
            stderr.contains("error[O01]: cannot write"),
            "{arguments:?} {stderr}"
        );
        assert!(stderr.contains("\n  help: "), "{arguments:?} {stderr}");
    }
}
