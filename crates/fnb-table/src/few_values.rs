//! The first few distinct values of a column: all that is needed to tell that it holds numbers but for a few
//! texts.

use crate::infer::{LEAST_NUMBERS, MOST_STRAY_TEXTS, few_texts_warning};
use crate::info::Warning;
use crate::number::{Number, parse_number};

/// Texts and numbers as they are written, none of them twice, and no more than matter.
#[derive(Debug, Clone, Default)]
pub(crate) struct FewValues {
    /// Those that are no numbers, in the order in which they appear.
    texts: Vec<Box<str>>,
    /// Numbers written in at most eight bytes, as most are: the bytes, then zeros, which no text holds.
    short: Vec<u64>,
    /// The other numbers.
    long: Vec<Box<str>>,
}

impl FewValues {
    /// Is there any number?
    pub(crate) fn has_numbers(&self) -> bool {
        !self.short.is_empty() || !self.long.is_empty()
    }

    /// Do more numbers change nothing?
    #[inline]
    fn has_enough_numbers(&self) -> bool {
        self.short.len() + self.long.len() >= LEAST_NUMBERS
    }

    /// Adds a number that starts `bytes` and is written in `length` bytes of it.
    #[inline]
    pub(crate) fn number(&mut self, bytes: &[u8], length: usize) {
        if self.has_enough_numbers() {
            return;
        }
        if length <= 8 {
            let word = bytes.first_chunk().map(|word| u64::from_le_bytes(*word));
            let word = word.unwrap_or_else(|| {
                let bytes = bytes.iter().take(8).rev();
                bytes.fold(0, |word, &byte| word << 8 | u64::from(byte))
            });
            let unused = 64 - 8 * length as u32;
            let word = word.checked_shl(unused).map_or(0, |word| word >> unused);
            if !self.short.contains(&word) {
                self.short.push(word);
            }
        } else {
            let text = std::str::from_utf8(&bytes[..length]).expect("a number is plain text");
            if !self.long.iter().any(|known| **known == *text) {
                self.long.push(text.into());
            }
        }
    }

    /// Adds a value that may be a number or not.
    pub(crate) fn add(&mut self, text: &str) {
        // Too many texts to be told of; most columns of categories end here.
        if self.texts.len() > MOST_STRAY_TEXTS || self.texts.iter().any(|known| **known == *text) {
            return;
        }
        match parse_number(text) {
            Number::Not => self.texts.push(text.into()),
            Number::Value(_) | Number::OutOfRange => self.number(text.as_bytes(), text.len()),
        }
    }

    /// Adds those of later rows.
    pub(crate) fn append(&mut self, later: &Self) {
        for text in &later.texts {
            self.add(text);
        }
        for word in &later.short {
            if !self.has_enough_numbers() && !self.short.contains(word) {
                self.short.push(*word);
            }
        }
        for text in &later.long {
            self.number(text.as_bytes(), text.len());
        }
    }

    /// What is to be told of a column of categories with these values, and perhaps missing ones.
    pub(crate) fn warning(&self, name: &str, has_missing: bool) -> Option<Warning> {
        let texts: Vec<&str> = self.texts.iter().map(|text| &**text).collect();
        let values = texts.len() + self.short.len() + self.long.len() + usize::from(has_missing);
        few_texts_warning(name, &texts, values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::infer::stray_texts_warning;
    use fnb::columns::CategoricalColumn;
    use proptest::prelude::*;

    proptest! {
        /// As the whole column, wherever it is cut.
        #[test]
        fn few_values_tell_what_all_tell(
            mut values in prop::collection::vec("-?[0-9]{1,2}(\\.[0-9]{7})?|[ab]|1e999|", 0..60),
            cut in 0_usize..60,
        ) {
            values.extend((0..9).map(|n| n.to_string()));
            let present = |text: &String| (!text.is_empty()).then(|| text.clone());
            let values: Vec<Option<String>> = values.iter().map(present).collect();
            let column: CategoricalColumn = values.iter().map(Option::as_deref).collect();
            let (mut few, mut later) = (FewValues::default(), FewValues::default());
            for (row, text) in values.iter().enumerate() {
                let part = if row < cut { &mut few } else { &mut later };
                if let Some(text) = text {
                    part.add(text);
                }
            }
            few.append(&later);
            let missing = values.contains(&None);
            prop_assert_eq!(few.warning("x", missing), stray_texts_warning("x", &column));
        }
    }

    #[test]
    fn numbers_are_told_apart_by_all_their_bytes() {
        let mut few = FewValues::default();
        for text in ["1", "1.0", "01", "1", "12345678", "123456789", "12345678"] {
            few.number(format!("{text},7").as_bytes(), text.len());
            few.number(text.as_bytes(), text.len());
        }
        assert_eq!((few.short.len(), few.long.len()), (4, 1));
    }
}
