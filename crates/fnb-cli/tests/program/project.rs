//! What the project says of itself is true: the map, the citations, the dependencies.

use crate::data::root;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The files of a folder and of those in it that end like this.
pub(crate) fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.to_str().unwrap().ends_with(ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

pub(crate) fn document(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap()
}

/// The files that a block of the map names. A line that begins with a folder is the head of what
/// follows, indented; several files may share a line.
fn mapped(block: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folder = "";
    for line in block.lines().filter(|line| !line.is_empty()) {
        let indented = line.starts_with(' ');
        let mut words = line.split_whitespace();
        if !indented {
            let first = words.clone().next().unwrap();
            folder = if first.ends_with('/') { first } else { "" };
        }
        let names = words
            .by_ref()
            .take_while(|word| word.strip_suffix(".rs").is_some());
        found.extend(names.map(|name| format!("{folder}{name}")));
    }
    found
}

#[test]
fn the_map_names_every_source_file_in_its_folder() {
    let map = document("ARCHITECTURE.md");
    for name in [
        "fnb",
        "fnb-table",
        "fnb-report",
        "fnb-memory",
        "fnb-cli",
        "fnb-python",
    ] {
        let heading = format!("### `crates/{name}/src`");
        let (_, section) = map.split_once(&heading).expect(&heading);
        let block = section.split("```").nth(1).unwrap();
        let folder = root().join("crates").join(name).join("src");
        let there: BTreeSet<String> = files(&folder, ".rs")
            .iter()
            .map(|file| file.strip_prefix(&folder).unwrap().display().to_string())
            .collect();
        let named = mapped(block);
        let absent: Vec<_> = there.difference(&named).collect();
        assert!(absent.is_empty(), "not named under {heading}: {absent:?}");
        let gone: Vec<_> = named.difference(&there).collect();
        assert!(
            gone.is_empty(),
            "named under {heading}, not there: {gone:?}"
        );
    }
}

#[test]
fn the_map_is_read_by_folders() {
    let map = "lib.rs   x\n\na/   A.rs\n  mod.rs  y\n  b.rs  c.rs   z.rs is\n\na/d/   D\n  tests/e.rs  v\n";
    let expected = [
        "lib.rs",
        "a/mod.rs",
        "a/b.rs",
        "a/c.rs",
        "a/z.rs",
        "a/d/tests/e.rs",
    ];
    assert_eq!(mapped(map), expected.map(str::to_owned).into());
}

/// The sections of docs/method.md: its numbered headings, and numbered points such as `- **11.1**`.
fn sections() -> BTreeSet<String> {
    let text = document("docs/method.md");
    let number = |line: &str| {
        let heading = line.trim_start_matches('#').strip_prefix(' ');
        let heading = heading.filter(|_| line.starts_with('#'));
        let text = heading.or_else(|| line.strip_prefix("- **"))?;
        Some(leading_number(text)).filter(|number| !number.is_empty())
    };
    text.lines().filter_map(number).collect()
}

/// `7.10` of `7.10) and`, `7` of `7. Weights`.
fn leading_number(text: &str) -> String {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.');
    text[..end.unwrap_or(text.len())]
        .trim_end_matches('.')
        .to_owned()
}

#[test]
fn sections_that_are_cited_exist() {
    let sections = sections();
    assert!(sections.len() > 50, "{sections:?}");
    let mut sources = files(&root().join("crates"), ".rs");
    sources.extend(files(&root().join("docs"), ".md"));
    sources.extend(["README.md", "GUIDE.md", "CONTRIBUTING.md"].map(|name| root().join(name)));
    let mut cited = 0;
    let mut wrong = Vec::new();
    for file in sources {
        let text = fs::read_to_string(&file).unwrap();
        for (line, text) in text.lines().enumerate() {
            for citation in text.split('§').skip(1) {
                let number = leading_number(citation);
                // This file, and words about sections in general.
                if number.is_empty() {
                    continue;
                }
                cited += 1;
                if !sections.contains(&number) {
                    wrong.push(format!("{}:{}: §{number}", file.display(), line + 1));
                }
            }
        }
    }
    assert!(cited > 150, "only {cited} citations");
    assert!(
        wrong.is_empty(),
        "no such section of docs/method.md: {wrong:#?}"
    );
}

#[test]
fn every_file_of_a_test_program_is_part_of_it() {
    for folder in [
        "crates/fnb/tests/method",
        "crates/fnb-table/tests/table",
        "crates/fnb-cli/tests/program",
    ] {
        let main = document(&format!("{folder}/main.rs"));
        for file in files(&root().join(folder), ".rs") {
            let name = file.file_stem().unwrap().to_str().unwrap();
            assert!(
                name == "main" || main.contains(&format!("mod {name};")),
                "{} is not compiled",
                file.display()
            );
        }
    }
}

#[test]
fn there_is_one_version_of_arrow() {
    let lock = document("Cargo.lock");
    let mut lines = lock.lines();
    let mut versions = BTreeSet::new();
    while let Some(line) = lines.next() {
        if line.starts_with("name = \"arrow-array\"") || line.starts_with("name = \"parquet\"") {
            versions.insert(lines.next().unwrap().to_owned());
        }
    }
    assert_eq!(versions.len(), 1, "{versions:?}");
}
