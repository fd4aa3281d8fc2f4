//! The modules of the core use each other as `ARCHITECTURE.md` says, and no others.
//!
//! The graph is computed from the sources: `crate::module` paths, groups `crate::{a, b::c}`, names that
//! `lib.rs` exports again (`crate::Settings` is an edge to `settings`), and `super::` chains that
//! reach the root. Comments and tests do not count.

use crate::data::root;
use crate::project::{document, files};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

type Graph = BTreeMap<String, BTreeSet<String>>;

/// A source without comments, and without items that are compiled for tests only.
fn code(text: &str) -> String {
    let mut kept = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.trim() == "#[cfg(test)]" {
            // The item ends as its first line does, or where its indentation comes back.
            let indent = &line[..line.len() - line.trim_start().len()];
            let item = lines.by_ref().find(|line| !line.trim().starts_with("#["));
            if !item.is_some_and(|item| item.ends_with(';')) {
                lines.by_ref().find(|line| *line == format!("{indent}}}"));
            }
            continue;
        }
        kept += line.split("//").next().unwrap();
        kept.push('\n');
    }
    kept
}

fn identifier(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
    &text[..end.unwrap_or(text.len())]
}

/// The first names of a path after `crate::` or enough `super::`: one, or those of a group.
fn first_names(path: &str) -> Vec<&str> {
    let Some(group) = path.strip_prefix('{') else {
        return vec![identifier(path)];
    };
    let (mut depth, mut names, mut start) = (0, Vec::new(), 0);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            '}' | ',' if depth == 0 => {
                names.push(identifier(group[start..at].trim()));
                start = at + 1;
                if c == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

/// What a source at that depth below the root (1: a top-level module itself) names of the root.
fn names_of_the_root(code: &str, depth: usize) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        let is_word = at == 0 || !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        if is_word {
            found.extend(first_names(&code[at + 7..]));
        }
    }
    for (at, _) in code.match_indices("super::") {
        if code[..at].ends_with("super::") {
            continue;
        }
        let mut path = &code[at..];
        let mut up = 0;
        while let Some(rest) = path.strip_prefix("super::") {
            (path, up) = (rest, up + 1);
        }
        if up >= depth {
            found.extend(first_names(path));
        }
    }
    found
}

/// The names that `lib.rs` exports again, with their modules.
fn exported(lib: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for item in code(lib).split("pub use ").skip(1) {
        let item = item.split(';').next().unwrap();
        let (module, names) = item.split_once("::").unwrap();
        for name in first_names(names) {
            found.insert(name.to_owned(), module.to_owned());
        }
    }
    found
}

/// The modules that each top-level module uses.
fn graph(folder: &Path) -> Graph {
    let exported = exported(&fs::read_to_string(folder.join("lib.rs")).unwrap());
    let top = |path: &Path| -> String {
        let first = path.strip_prefix(folder).unwrap().components().next();
        let name = first.unwrap().as_os_str().to_str().unwrap();
        name.trim_end_matches(".rs").to_owned()
    };
    let sources = files(folder, ".rs");
    let modules: BTreeSet<String> = sources.iter().map(|path| top(path)).collect();
    let for_tests = |path: &Path| {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let parent = path.with_file_name("mod.rs");
        let declared = fs::read_to_string(parent).unwrap_or_default();
        let inside = path.strip_prefix(folder).unwrap();
        name == "tests"
            || inside.components().any(|part| part.as_os_str() == "tests")
            || declared.contains(&format!("#[cfg(test)]\nmod {name};"))
    };
    let mut graph = Graph::new();
    for path in sources.iter().filter(|path| !for_tests(path)) {
        let module = top(path);
        if module == "lib" {
            continue;
        }
        let text = code(&fs::read_to_string(path).unwrap());
        let parts = path.strip_prefix(folder).unwrap().components().count();
        let depth = parts - usize::from(path.ends_with("mod.rs"));
        let used = graph.entry(module.clone()).or_default();
        for name in names_of_the_root(&text, depth) {
            let name = exported.get(name).map_or(name, String::as_str);
            if modules.contains(name) && name != module {
                used.insert(name.to_owned());
            }
        }
    }
    graph
}

/// Modules that reach each other, in groups.
fn cycles(graph: &Graph) -> BTreeSet<Vec<String>> {
    let reached = |from: &String| {
        let mut found = BTreeSet::new();
        let mut open = vec![from];
        while let Some(module) = open.pop() {
            for next in graph.get(module).into_iter().flatten() {
                if found.insert(next) {
                    open.push(next);
                }
            }
        }
        found
    };
    let all: BTreeMap<&String, BTreeSet<&String>> = graph.keys().map(|m| (m, reached(m))).collect();
    let group = |module: &&String| -> Vec<String> {
        let others = all.keys().filter(|other| {
            let there = all[*module].contains(*other);
            there && all[*other].contains(*module)
        });
        others.map(|other| (*other).clone()).collect()
    };
    let groups = all.keys().map(group);
    groups.filter(|group| !group.is_empty()).collect()
}

/// The block `modules` of `ARCHITECTURE.md`: lines `a -> b, c`, `* -> d` for what all may use, and
/// `cycle: a, b`.
fn listed(text: &str, modules: &Graph) -> (Graph, BTreeSet<Vec<String>>) {
    let (mut graph, mut cycles) = (Graph::new(), BTreeSet::new());
    let block = text
        .split("```modules\n")
        .nth(1)
        .expect("a block of modules");
    let names = |text: &str| -> Vec<String> { text.split(", ").map(str::to_owned).collect() };
    for line in block.split("```").next().unwrap().lines() {
        if let Some(cycle) = line.strip_prefix("cycle: ") {
            cycles.insert(names(cycle));
            continue;
        }
        let (module, used) = line.split_once(" -> ").expect("an arrow");
        graph
            .entry(module.to_owned())
            .or_default()
            .extend(names(used));
    }
    // What all may use: an edge where there is one.
    for name in graph.remove("*").into_iter().flatten() {
        for (module, used) in modules {
            if used.contains(&name) {
                graph
                    .entry(module.clone())
                    .or_default()
                    .insert(name.clone());
            }
        }
    }
    (graph, cycles)
}

fn edges(graph: &Graph) -> BTreeSet<String> {
    let of = |(from, to): (&String, &BTreeSet<String>)| -> Vec<String> {
        to.iter().map(|to| format!("{from} -> {to}")).collect()
    };
    graph.iter().flat_map(of).collect()
}

#[test]
fn modules_use_each_other_as_listed() {
    let found = graph(&root().join("crates/fnb/src"));
    assert!(found.len() > 8 && edges(&found).len() > 25, "{found:?}");
    let (expected, marked) = listed(&document("ARCHITECTURE.md"), &found);
    let (used, listed) = (edges(&found), edges(&expected));
    let new: Vec<_> = used.difference(&listed).collect();
    assert!(new.is_empty(), "ARCHITECTURE.md does not list {new:?}");
    let gone: Vec<_> = listed.difference(&used).collect();
    assert!(
        gone.is_empty(),
        "ARCHITECTURE.md lists, but there is no {gone:?}"
    );
    assert_eq!(cycles(&found), marked, "cycles of modules");
}

#[test]
fn edges_are_found_in_every_form() {
    let source = "use crate::{Error, a::{b, c}, d};\n\
        // crate::comment::x\n\
        fn f() { super::super::e::g(); mycrate::h::i(); $crate::j::k() }\n\
        #[cfg(test)]\nmod tests {\n    use crate::l::m;\n}\n\
        use crate::n;\n";
    let code = code(source);
    let names = names_of_the_root(&code, 2);
    assert_eq!(names, ["Error", "a", "d", "e", "j", "n"].into());
    assert!(!names_of_the_root(&code, 3).contains("e"));
    let edge = |from: &str, to: &str| (from.to_owned(), BTreeSet::from([to.to_owned()]));
    let graph: Graph = [edge("a", "b"), edge("b", "c"), edge("c", "b")].into();
    assert_eq!(
        cycles(&graph),
        [vec!["b".to_owned(), "c".to_owned()]].into()
    );
}
