//! Memory that there is not.

use crate::scratch::Scratch;
use std::process::{Command, Output};

/// A table whose columns take 64 MB, and more while it is prepared.
fn scratch() -> Scratch {
    let scratch = Scratch::new();
    let mut text = String::from("a,b,c,d,class\n");
    for row in 0_u32..400_000 {
        let x = row.wrapping_mul(2_654_435_761);
        text.push_str(&format!(
            "{x},{},{},{},{}\n",
            x >> 3,
            x >> 5,
            x >> 7,
            row % 2
        ));
    }
    scratch.write("d.csv", text);
    scratch
}

/// Runs the program with at most that many kilobytes of address space.
fn limited(scratch: &Scratch, kilobytes: u32, arguments: &str) -> Output {
    let program = env!("CARGO_BIN_EXE_fnb");
    let command = format!("ulimit -v {kilobytes}; exec {program} {arguments}");
    let mut shell = Command::new("sh");
    shell.args(["-c", &command]).current_dir(scratch.path(""));
    // One heap for all threads: otherwise each takes address space for its own.
    shell
        .env("MALLOC_ARENA_MAX", "1")
        .output()
        .expect("it runs")
}

#[test]
fn out_of_memory_is_told_and_leaves_nothing() {
    let scratch = scratch();
    let before = scratch.files();
    // What the program takes by itself.
    let starts = |kilobytes: &u32| limited(&scratch, *kilobytes, "--version").status.success();
    let least = (20_000..).step_by(10_000).find(starts).expect("it starts");
    // Where it runs out is another place for each.
    for more in [20_000, 35_000, 50_000] {
        let train = "train d.csv -t class -o m.json --threads 1";
        let output = limited(&scratch, least + more, train);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{more}: {stderr}");
        assert_eq!(
            stderr.matches("error[S01]: ").count(),
            1,
            "{more}: {stderr}"
        );
        assert!(stderr.contains("\n  help: "), "{stderr}");
        assert_eq!(scratch.files(), before);
    }
}
