//! The name that was perhaps meant.

/// The candidate with the fewest edits from `name`, case apart, if it is at most a third of the
/// name away.
pub(super) fn nearest<'a>(name: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let name: Vec<char> = name.to_lowercase().chars().collect();
    let distances = candidates.iter().map(|candidate| {
        let other: Vec<char> = candidate.to_lowercase().chars().collect();
        (edits(&name, &other), *candidate)
    });
    let (distance, candidate) = distances.min_by_key(|(distance, _)| *distance)?;
    (distance * 3 <= name.len()).then_some(candidate)
}

/// Number of insertions, deletions and replacements between two texts.
fn edits(a: &[char], b: &[char]) -> usize {
    let mut previous: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = previous[0];
        previous[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = previous[j + 1];
            previous[j + 1] = replaced.min(previous[j] + 1).min(diagonal + 1);
        }
    }
    previous[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_name_that_was_meant() {
        let names = ["petal_length", "petal_width", "age"];
        assert_eq!(nearest("Petal width", &names), Some("petal_width"));
        assert_eq!(nearest("agee", &names), Some("age"));
        assert_eq!(nearest("income", &names), None);
        assert_eq!(edits(&['k', 'i', 't'], &['s', 'i', 't', 's']), 2);
    }
}
