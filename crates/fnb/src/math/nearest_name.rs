//! The name that was perhaps meant.

/// The name with the fewest edits from the wanted one, case apart, if it is like it at all: at most
/// a third of its letters differ.
///
/// ```
/// let names = ["age", "income", "Churn"];
/// assert_eq!(fnb::math::nearest_name("incme", names), Some("income"));
/// assert_eq!(fnb::math::nearest_name("churn", names), Some("Churn"));
/// assert_eq!(fnb::math::nearest_name("colour", names), None);
/// ```
pub fn nearest_name<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted: Vec<char> = wanted.to_lowercase().chars().collect();
    let distances = names.into_iter().map(|name| (edits(&wanted, name), name));
    let (distance, name) = distances.min_by_key(|(distance, _)| *distance)?;
    let limit = (wanted.len() / 3).max(2);
    (distance <= limit && distance < wanted.len()).then_some(name)
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
