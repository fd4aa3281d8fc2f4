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

#[test]
fn a_dash_is_standard_output_everywhere() {
    let scratch = scratch();
    let before = scratch.files();
    let tables = "main.csv --table items=items.csv:id";
    let outputs: &[&str] = if cfg!(unix) {
        &["-", "/dev/stdout"]
    } else {
        &["-"]
    };
    for output in outputs {
        let train = format!("train d.csv -t diagnosis -o {output}");
        let run = scratch.fnb(&train).ok();
        assert_eq!(run.stdout.as_bytes(), scratch.read("m.json"), "{output}");
        assert!(run.stderr.contains("accuracy"), "{}", run.stderr);
        refused(
            &scratch,
            &format!("{train} --json"),
            "U01",
            &["standard output"],
        );
        let run = scratch.fnb(&format!("schema d.csv -o {output}")).ok();
        assert_eq!(run.stdout.as_bytes(), scratch.read("types.json"));
        let run = scratch
            .fnb(&format!("predict m.json d.csv -o {output}"))
            .ok();
        assert_eq!(run.stdout.lines().count(), 570);
        let construct = format!("construct {tables} -t y --features 2 -o {output}");
        let run = scratch.fnb(&construct).ok();
        assert_eq!(run.stdout.lines().count(), 5, "{}", run.stdout);
        assert!(run.stderr.contains("in words"), "{}", run.stderr);
        refused(
            &scratch,
            &format!("{construct} --json"),
            "U01",
            &["standard output"],
        );
        let compare = format!("compare d.csv -t diagnosis --methods fnb,nb --cv 3 -o {output}");
        let run = scratch.fnb(&compare).ok();
        assert_eq!(run.stdout.lines().count(), 7, "{}", run.stdout);
        assert!(run.stderr.contains("ratios to fnb"), "{}", run.stderr);
        refused(
            &scratch,
            &format!("{compare} --resume"),
            "U01",
            &["nothing to go on from"],
        );
        refused(&scratch, &format!("demo -o {output}"), "U01", &["a folder"]);
    }
    assert_eq!(scratch.files(), before);
}

#[cfg(unix)]
#[test]
fn rights_are_those_of_the_file_that_is_replaced() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = scratch();
    let mode = |name: &str| {
        let found = std::fs::metadata(scratch.path(name)).unwrap();
        found.permissions().mode() & 0o777
    };
    // A new file has those that new files have.
    scratch.write("plain", "");
    assert_eq!(mode("m.json"), mode("plain"));
    for rights in [0o600, 0o664, 0o640] {
        for (name, command) in [
            ("m.json", "train d.csv -t diagnosis -o m.json"),
            ("p.csv", "predict m.json d.csv -o p.csv"),
            ("p.parquet", "predict m.json d.csv -o p.parquet"),
        ] {
            scratch.fnb(command).ok();
            let path = scratch.path(name);
            std::fs::set_permissions(&path, PermissionsExt::from_mode(rights)).unwrap();
            scratch.fnb(command).ok();
            assert_eq!(mode(name), rights, "{command}");
        }
    }
}

#[cfg(unix)]
#[test]
fn devices_and_pipes_are_written_directly() {
    let scratch = scratch();
    let is_device = || !std::fs::metadata("/dev/null").unwrap().is_file();
    assert!(is_device());
    for command in [
        "train d.csv -t diagnosis -o /dev/null",
        "predict m.json d.csv -o /dev/null",
        "schema d.csv -o /dev/null",
        "compare d.csv -t diagnosis --methods nb --cv 2 -o /dev/null",
        "predict m.json d.csv -q -o /dev/stderr",
    ] {
        let run = scratch.fnb(command).ok();
        let written = run.stderr.contains("prediction\n");
        assert_eq!(
            written,
            command.ends_with("stderr"),
            "{command}: {}",
            run.stderr
        );
        assert!(is_device());
    }
    let ended = std::process::Command::new("mkfifo")
        .arg(scratch.path("pipe"))
        .status();
    assert!(ended.is_ok_and(|status| status.success()));
    let pipe = scratch.path("pipe");
    let reader = std::thread::spawn(move || std::fs::read(pipe).unwrap());
    scratch.fnb("train d.csv -t diagnosis -o pipe").ok();
    assert_eq!(reader.join().unwrap(), scratch.read("m.json"));
}

#[test]
fn what_a_dead_process_left_is_removed() {
    let scratch = scratch();
    let mut dead = scratch.command(&["--version"]).spawn().unwrap();
    dead.wait().unwrap();
    let left = format!(".m.json.{}.0.tmp", dead.id());
    let living = format!(".m.json.{}.3.tmp", std::process::id());
    // Locked, as by a process of another machine that sees the same folder.
    let locked = format!(".m.json.{}.7.tmp", dead.id());
    let others = [".m.json.x.0.tmp", ".other.json.1.0.tmp", ".m.json.tmp"];
    scratch
        .write(&left, "")
        .write(&living, "")
        .write(&locked, "");
    for name in others {
        scratch.write(name, "");
    }
    let file = std::fs::File::create(scratch.path(&locked)).unwrap();
    file.lock().unwrap();
    scratch.fnb("train d.csv -t diagnosis -o m.json").ok();
    let files = scratch.files();
    assert!(!files.contains(&left), "{files:?}");
    if cfg!(target_os = "linux") {
        assert!(files.contains(&living), "{files:?}");
    }
    assert!(files.contains(&locked), "{files:?}");
    assert!(
        others
            .iter()
            .all(|name| files.iter().any(|file| file == name)),
        "{files:?}"
    );
}

#[test]
fn threads_that_cannot_start_are_done_without() {
    let scratch = scratch();
    refused(
        &scratch,
        "train d.csv -t diagnosis --threads 100000",
        "U01",
        &["1024"],
    );
    if cfg!(target_os = "linux") {
        // Room for some stacks of threads, not for a thousand.
        let program = env!("CARGO_BIN_EXE_fnb");
        let train = "train d.csv -t diagnosis --threads 1000 -o few.json";
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &format!("ulimit -v 1500000; exec {program} {train}")]);
        let ended = shell.current_dir(scratch.path("")).output().unwrap();
        let stderr = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(0), "{stderr}");
        assert!(stderr.contains("of 1000 threads start"), "{stderr}");
        assert_eq!(scratch.read("few.json"), scratch.read("m.json"));
    }
}
