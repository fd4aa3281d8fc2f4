//! Column names given by people: patterns, and what they may have meant.

use fnb::{Code, Error};

/// Does `name` match a pattern in which `*` is any text and `?` any character?
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    let (mut p, mut n) = (0, 0);
    // Where to go on when the text taken by the last star must grow.
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(&c) if c == '?' || c == name[n] => {
                p += 1;
                n += 1;
            }
            _ => {
                let Some((at, taken)) = star else {
                    return false;
                };
                star = Some((at, taken + 1));
                p = at + 1;
                n = taken + 1;
            }
        }
    }
    pattern[p..].iter().all(|&c| c == '*')
}

/// The name most like the wanted one, if it is like it at all.
pub(crate) fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let wanted: Vec<char> = wanted.to_lowercase().chars().collect();
    let limit = 2.max(wanted.len() / 3);
    let distances = names.map(|name| (edits(&wanted, name), name));
    let (distance, name) = distances.min_by_key(|(distance, _)| *distance)?;
    (distance <= limit && distance < wanted.len().max(1)).then_some(name)
}

/// Number of insertions, deletions and changes of a letter between the two, whatever the case.
fn edits(wanted: &[char], name: &str) -> usize {
    let mut row: Vec<usize> = (0..=wanted.len()).collect();
    for (i, c) in name.to_lowercase().chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &w) in wanted.iter().enumerate() {
            let change = diagonal + usize::from(w != c);
            diagonal = row[j + 1];
            row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[wanted.len()]
}

/// D10: no column has that name or pattern.
pub(crate) fn unknown<'a>(wanted: &str, names: impl Iterator<Item = &'a str> + Clone) -> Error {
    let what = if wanted.contains(['*', '?']) {
        "matches"
    } else {
        "is named"
    };
    let error = Error::new(Code::UnknownColumn, format!("no column {what} {wanted:?}"));
    match nearest(wanted, names.clone()) {
        Some(name) => error.help(format!("did you mean {name:?}?")),
        None => error.help(format!("the columns are {}", list(names))),
    }
}

/// The first names, quoted, for messages.
pub(crate) fn list<'a>(mut names: impl Iterator<Item = &'a str>) -> String {
    let shown: Vec<String> = names
        .by_ref()
        .take(8)
        .map(|name| format!("{name:?}"))
        .collect();
    let more = names.count();
    let shown = shown.join(", ");
    if more == 0 {
        shown
    } else {
        format!("{shown} and {more} more")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, name) in [
            ("*", ""),
            ("id*", "id"),
            ("*_x", "a_x_x"),
            ("a?c", "aéc"),
            ("a*b*c", "abxbc"),
        ] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("", "a"),
            ("id*", "xid"),
            ("a?c", "ac"),
            ("a*b", "abc"),
            ("ID", "id"),
        ] {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }

    #[test]
    fn suggestions() {
        let names = ["age", "income", "Churn"];
        assert_eq!(nearest("churn", names.into_iter()), Some("Churn"));
        assert_eq!(nearest("incme", names.into_iter()), Some("income"));
        assert_eq!(nearest("zzz", names.into_iter()), None);
        assert_eq!(nearest("x", [].into_iter()), None);
    }
}
