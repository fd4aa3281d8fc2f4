//! What the project says of itself is true.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn the_map_names_every_source_file() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    for name in ["fnb", "fnb-table", "fnb-cli", "fnb-python"] {
        let folder = root().join("crates").join(name).join("src");
        let mut files = Vec::new();
        sources(&folder, &mut files);
        for file in files {
            let name = file.file_name().unwrap().to_str().unwrap();
            assert!(
                map.contains(name),
                "ARCHITECTURE.md does not name {}",
                file.display()
            );
        }
    }
}

#[test]
fn there_is_one_version_of_arrow() {
    let lock = fs::read_to_string(root().join("Cargo.lock")).unwrap();
    let mut lines = lock.lines();
    let mut versions = BTreeSet::new();
    while let Some(line) = lines.next() {
        if line.starts_with("name = \"arrow-array\"") || line.starts_with("name = \"parquet\"") {
            versions.insert(lines.next().unwrap().to_owned());
        }
    }
    assert_eq!(versions.len(), 1, "{versions:?}");
}
