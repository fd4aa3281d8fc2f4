//! Column names given by people: patterns, and what they may have meant.

use fnb::math::nearest_name;
use fnb::{Advice, Code, Error};

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

/// D10: no column has that name or pattern.
pub(crate) fn unknown<'a>(wanted: &str, names: impl Iterator<Item = &'a str> + Clone) -> Error {
    let what = if wanted.contains(['*', '?']) {
        "matches"
    } else {
        "is named"
    };
    let error = Error::new(Code::UnknownColumn, format!("no column {what} {wanted:?}"));
    let otherwise = format!("the columns are {}", list(names.clone()));
    error.help(Advice::did_you_mean(nearest_name(wanted, names), otherwise))
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
}
