//! What a column of texts is: dates, long text, categories, numbers but for a few texts (docs/method.md §1.1).

use crate::dates::{Formats, from_texts};
use crate::info::Warning;
use crate::number::{Number, parse_number};
use crate::unreadable::Reading;
use fnb::Advice;
use fnb::columns::{CategoricalColumn, ColumnData, ColumnType};

/// Fields of this many characters or more make a column text.
pub(crate) const TEXT_LENGTH: usize = 100;

/// Is a field so long that its column is text?
pub(crate) fn is_long(text: &str) -> bool {
    text.len() >= TEXT_LENGTH && text.chars().count() >= TEXT_LENGTH
}

/// What texts are, all of them seen, and what is to be told about it. The same in every container.
pub(crate) fn detected(
    name: &str,
    column: CategoricalColumn,
    formats: Formats,
    long: bool,
) -> (ColumnData, Option<Warning>) {
    if long {
        return (ColumnData::Text(column), None);
    }
    // Formats are of texts: without any, nothing is known.
    let has_texts = || {
        column
            .values()
            .iter()
            .flatten()
            .any(|text| !text.trim_ascii().is_empty())
    };
    let Some(kind) = formats.kind().filter(|_| has_texts()) else {
        return (ColumnData::Categorical(column), None);
    };
    let given = formats.first();
    let (column, _) = from_texts(&column, Reading { kind, given });
    (ColumnData::Temporal(column), doubt(name, formats))
}

/// What the values of a column of texts make it, where nothing is said of it: dates, long text or categories.
///
/// ```
/// use fnb::columns::ColumnType;
/// use fnb_table::type_of_texts;
/// assert_eq!(type_of_texts(["2024-02-29", "2024-03-01"].into_iter()), ColumnType::Date);
/// assert_eq!(type_of_texts(["2024-02-29", "later"].into_iter()), ColumnType::Categorical);
/// ```
pub fn type_of_texts<'a>(texts: impl Iterator<Item = &'a str> + Clone) -> ColumnType {
    if texts.clone().any(is_long) {
        return ColumnType::Text;
    }
    let mut texts = texts.map(str::trim_ascii).filter(|text| !text.is_empty());
    let Some(first) = texts.next() else {
        return ColumnType::Categorical;
    };
    let mut formats = Formats::of(first);
    while let (true, Some(text)) = (formats.fits(), texts.next()) {
        formats = formats.and(Formats::of(text));
    }
    formats.kind().map_or(ColumnType::Categorical, Into::into)
}

/// What to tell of dates that may be read in two ways.
pub(crate) fn doubt(name: &str, formats: Formats) -> Option<Warning> {
    formats.is_ambiguous().then(|| {
        let message = format!(
            "column {name:?}: nothing tells the day from the month, the day is taken to be first"
        );
        message.into()
    })
}

/// A column with more texts among its numbers is a category.
pub(crate) const MOST_STRAY_TEXTS: usize = 3;
/// A column with fewer distinct values may well be meant as a category.
pub(crate) const LEAST_NUMBERS: usize = 10;

/// What to tell of a column that is read as categories for the sake of a few texts among its
/// numbers: they are probably somebody's way to write a missing value.
pub(crate) fn stray_texts_warning(name: &str, column: &CategoricalColumn) -> Option<Warning> {
    let is_text = |value: &&str| matches!(parse_number(value), Number::Not);
    let texts = column.values().iter().flatten().filter(is_text);
    let texts: Vec<&str> = texts.take(MOST_STRAY_TEXTS + 1).collect();
    few_texts_warning(name, &texts, column.values().len())
}

/// The same of the first texts of a column, and the number of its values. Beyond the few that matter, neither
/// has to be complete.
pub(crate) fn few_texts_warning(name: &str, texts: &[&str], values: usize) -> Option<Warning> {
    if texts.is_empty() || texts.len() > MOST_STRAY_TEXTS || values < texts.len() + LEAST_NUMBERS {
        return None;
    }
    let shown: Vec<String> = texts.iter().map(|text| format!("{text:?}")).collect();
    let texts = texts.iter().map(|&text| text.to_owned()).collect();
    Some(Warning {
        message: format!(
            "column {name:?} holds numbers but for {}: it is read as categories; if that means missing",
            shown.join(", ")
        ),
        advice: Some(Advice::DeclareMissing { texts }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_a_few_texts_are_told() {
        let column = |texts: &[&str]| -> CategoricalColumn {
            let numbers: Vec<String> = (0..20).map(|n| n.to_string()).collect();
            let texts = texts
                .iter()
                .copied()
                .chain(numbers.iter().map(String::as_str));
            texts.map(Some).collect()
        };
        let warning = stray_texts_warning("age", &column(&["NA", "n/a"]));
        let texts = vec!["NA".to_owned(), "n/a".to_owned()];
        assert_eq!(
            warning.and_then(|warning| warning.advice),
            Some(Advice::DeclareMissing { texts })
        );
        assert_eq!(
            stray_texts_warning("age", &column(&["a", "b", "c", "d"])),
            None
        );
        assert_eq!(stray_texts_warning("age", &column(&[])), None);
    }
}
