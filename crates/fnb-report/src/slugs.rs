//! Names as parts of addresses.

use std::collections::BTreeSet;

/// Gives every name an id of its own: letters, digits and hyphens, a number behind where two names would be the same.
#[derive(Debug, Default)]
pub(crate) struct Slugs {
    taken: BTreeSet<String>,
}

/// Characters of an id, without its number.
const MOST: usize = 40;

impl Slugs {
    /// An id that no other name of the page has.
    pub(crate) fn of(&mut self, prefix: &str, name: &str) -> String {
        let mut slug = String::new();
        for c in name.chars().take(MOST) {
            if c.is_ascii_alphanumeric() || c == '_' {
                slug.push(c.to_ascii_lowercase());
            } else if !slug.ends_with('-') && !slug.is_empty() {
                slug.push('-');
            }
        }
        let slug = format!("{prefix}{}", slug.trim_end_matches('-'));
        let mut unique = slug.clone();
        let mut number = 2;
        while !self.taken.insert(unique.clone()) {
            unique = format!("{}-{number}", slug.trim_end_matches('-'));
            number += 1;
        }
        unique
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_look_alike_have_ids_of_their_own() {
        let mut slugs = Slugs::default();
        assert_eq!(slugs.of("v-", "Age (years)"), "v-age-years");
        assert_eq!(slugs.of("v-", "age years"), "v-age-years-2");
        assert_eq!(slugs.of("v-", "age-years-2"), "v-age-years-2-2");
        assert_eq!(slugs.of("v-", "年齢"), "v-");
        assert_eq!(slugs.of("v-", ""), "v-2");
    }
}
