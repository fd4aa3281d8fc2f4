//! How the categories of a column are written, if they are truth values or whole numbers: the same values
//! come as `true`, `True`, `1` or `1.0` from other files and containers (docs/method.md §1.1).

use super::{CategoricalColumn, CategoricalColumnBuilder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// How all categories of a column are written. Those of other rows that mean the same are read as these.
///
/// ```
/// use fnb::columns::Spelling;
/// let learnt = Spelling::of(["true", "false"].into_iter()).expect("truth values");
/// assert_eq!(learnt.spell("FALSE").as_deref(), Some("false"));
/// assert_eq!(learnt.spell("1.0").as_deref(), Some("true"));
/// assert_eq!(learnt.spell("true"), None); // it is as it should be
/// assert_eq!(learnt.spell("perhaps"), None); // it means something else
/// assert_eq!(Spelling::of(["true", "false", "perhaps"].into_iter()), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Spelling {
    /// Truth values in words.
    Booleans(Case),
    /// Whole numbers.
    Integers(Integers),
}

/// The capitals of truth values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Case {
    /// As most programs write them.
    #[serde(rename = "true")]
    Lower,
    /// As Python writes them.
    #[serde(rename = "True")]
    Title,
    /// As spreadsheets write them.
    #[serde(rename = "TRUE")]
    Upper,
}

/// How whole numbers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Integers {
    /// Are there only 0 and 1, so that they may be truth values?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub binary: bool,
    /// They have leading zeros up to so many digits: 2 for `01` and `12`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub digits: u8,
    /// Do they end with `.0`?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub point_zero: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_zero(digits: &u8) -> bool {
    *digits == 0
}

/// The words for false and true, by their capitals.
const WORDS: [(Case, [&str; 2]); 3] = [
    (Case::Lower, ["false", "true"]),
    (Case::Title, ["False", "True"]),
    (Case::Upper, ["FALSE", "TRUE"]),
];

impl Spelling {
    /// How values are written: `None` if they are not all truth values, or all whole numbers, written in
    /// one way. A missing value is not among them.
    pub fn of<'a>(mut values: impl Iterator<Item = &'a str> + Clone) -> Option<Self> {
        let first = values.clone().next()?;
        let words = WORDS.iter().find(|(_, words)| words.contains(&first));
        if let Some((case, words)) = words {
            let booleans = values.clone().all(|value| words.contains(&value));
            return booleans.then_some(Self::Booleans(*case));
        }
        let (_, _, point_zero) = whole_number(first)?;
        let (mut binary, mut digits) = (true, 0);
        for value in values.clone() {
            let (negative, written, _) = whole_number(value)?;
            binary &= !negative && matches!(written.trim_start_matches('0'), "" | "1");
            if written.len() > 1 && written.starts_with('0') {
                digits = digits.max(written.len());
            }
        }
        let integers = Integers {
            binary,
            digits: u8::try_from(digits).ok()?,
            point_zero,
        };
        let is_so = values.all(|value| integers.is_so(value));
        is_so.then_some(Self::Integers(integers))
    }

    /// A value that is written otherwise, as it is written here; `None` if it is so already, or means
    /// something else.
    pub fn spell(self, value: &str) -> Option<Cow<'static, str>> {
        match self {
            Self::Booleans(case) => {
                let (_, words) = WORDS.iter().find(|(known, _)| *known == case)?;
                let word = words[usize::from(truth(value)?)];
                (word != value).then_some(Cow::Borrowed(word))
            }
            Self::Integers(integers) => {
                let number = match word(value) {
                    Some(truth) if integers.binary => {
                        if truth {
                            "1"
                        } else {
                            "0"
                        }
                    }
                    // Most are as they should be, and cost no more than a look.
                    _ if integers.is_so(value) => return None,
                    _ => value,
                };
                integers.spell(number).map(Cow::Owned)
            }
        }
    }
}

impl Integers {
    /// Is it a whole number, written as these are?
    fn is_so(self, value: &str) -> bool {
        let Some((negative, digits, has_point)) = whole_number(value) else {
            return false;
        };
        let significant = digits.trim_start_matches('0').len();
        let end = if self.point_zero { 2 } else { 0 };
        digits.len() == significant.max(self.width())
            && value.len() == usize::from(negative) + digits.len() + end
            && has_point == self.point_zero
            && (!negative || significant > 0)
    }

    /// A whole number as these are written.
    fn spell(self, value: &str) -> Option<String> {
        let (negative, digits, _) = whole_number(value)?;
        let digits = digits.trim_start_matches('0');
        let sign = if negative && !digits.is_empty() {
            "-"
        } else {
            ""
        };
        let end = if self.point_zero { ".0" } else { "" };
        let width = self.width();
        Some(format!("{sign}{digits:0>width$}{end}"))
    }

    /// Digits that are written at least.
    fn width(self) -> usize {
        usize::from(self.digits).max(1)
    }
}

/// The truth value of a word.
fn word(value: &str) -> Option<bool> {
    if value.eq_ignore_ascii_case("true") {
        return Some(true);
    }
    value.eq_ignore_ascii_case("false").then_some(false)
}

/// The truth value of a word or a number.
fn truth(value: &str) -> Option<bool> {
    word(value).or_else(|| {
        let (negative, digits, _) = whole_number(value)?;
        match digits.trim_start_matches('0') {
            "" => Some(false),
            "1" if !negative => Some(true),
            _ => None,
        }
    })
}

/// A whole number taken apart: is it negative, its digits, and whether it has a point and zeros behind.
fn whole_number(value: &str) -> Option<(bool, &str, bool)> {
    let (negative, unsigned) = match value.as_bytes().first()? {
        b'-' => (true, &value[1..]),
        b'+' => (false, &value[1..]),
        _ => (false, value),
    };
    let (digits, zeros) = match unsigned.split_once('.') {
        Some((digits, zeros)) => (digits, Some(zeros)),
        None => (unsigned, None),
    };
    let is_whole = !digits.is_empty()
        && digits.bytes().all(|b| b.is_ascii_digit())
        && zeros.is_none_or(|zeros| zeros.bytes().all(|b| b == b'0'));
    is_whole.then_some((negative, digits, zeros.is_some()))
}

impl CategoricalColumn {
    /// How all its categories are written, if they are truth values or whole numbers.
    pub fn spelling(&self) -> Option<Spelling> {
        Spelling::of(self.values().iter().flatten())
    }

    /// The same column with its categories as they were written when a model was trained, if that is known.
    /// Distinct values are looked at, not rows.
    #[must_use]
    pub fn spelt(self, spelling: Option<Spelling>) -> Self {
        let Some(spelling) = spelling else {
            return self;
        };
        let spelt = |value: Option<&str>| spelling.spell(value?);
        if self.values().iter().all(|value| spelt(value).is_none()) {
            return self;
        }
        let mut builder = CategoricalColumnBuilder::default();
        for value in self.values().iter() {
            match spelt(value) {
                Some(text) => builder.push(Some(&text)),
                None => builder.push(value),
            }
        }
        let distinct = builder.finish();
        let code_of = distinct.codes();
        let codes = self.codes().iter().map(|&code| code_of[code as usize]);
        Self::from_codes(codes.collect(), distinct.values().iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[&str]) -> Option<Spelling> {
        Spelling::of(values.iter().copied())
    }

    #[test]
    fn only_one_way_of_writing_is_known() {
        for values in [
            &[][..],
            &["true", "True"],
            &["true", "1"],
            &["tRUE"],
            &["yes", "no"],
            &["1", "01"],
            &["1", "1.0"],
            &["1.5", "2.0"],
            &["1.00"],
            &["+1", "2"],
            &["-0"],
            &["1", "A"],
            &["1", ""],
            &["1."],
            &["007", "1000", "12"],
            &["1e3"],
        ] {
            assert_eq!(of(values), None, "{values:?}");
        }
    }

    #[test]
    fn the_same_meaning_is_spelt_as_it_was_learnt() {
        for (learnt, read) in [
            (&["true", "false"][..], &["true", "false"][..]),
            (&["True"], &["True", "False"]),
            (&["FALSE", "TRUE"], &["TRUE", "FALSE"]),
            (&["0", "1"], &["1", "0"]),
            (&["1.0", "0.0"], &["1.0", "0.0"]),
            (&["00", "01"], &["01", "00"]),
        ] {
            let spelling = of(learnt).unwrap_or_else(|| panic!("{learnt:?}"));
            let expect = |value: &str, expected: Option<&str>| {
                let spelt = spelling.spell(value).unwrap_or(Cow::Owned(value.into()));
                assert_eq!(spelt, expected.unwrap_or(value), "{learnt:?} {value}");
            };
            for yes in [
                "true", "True", "TRUE", "tRUE", "1", "1.0", "01", "+1", "1.", "1.000",
            ] {
                expect(yes, Some(read[0]));
            }
            for no in ["false", "False", "FALSE", "0", "0.0", "-0", "00"] {
                expect(no, read.get(1).copied());
            }
            for other in ["", "yes", "t", "truely", "0.5", "nan", "."] {
                expect(other, None);
            }
        }
    }

    #[test]
    fn whole_numbers_are_the_same_in_any_writing() {
        let spell = |learnt: &[&str], value: &str| {
            let spelling = of(learnt).unwrap_or_else(|| panic!("{learnt:?}"));
            spelling.spell(value).map(Cow::into_owned)
        };
        let departments = ["01", "75", "22", "974"];
        assert_eq!(spell(&departments, "1").as_deref(), Some("01"));
        assert_eq!(spell(&departments, "7.0").as_deref(), Some("07"));
        assert_eq!(spell(&departments, "974"), None);
        assert_eq!(spell(&["1", "12", "-3"], "-3.0").as_deref(), Some("-3"));
        // 1 is the number, not a truth value, where there are other numbers.
        assert_eq!(spell(&["1", "12"], "true"), None);
        assert_eq!(spell(&["1.0", "2.0"], "2").as_deref(), Some("2.0"));
        let long = "123456789012345678901234567890";
        assert_eq!(
            spell(&[long, "7"], &format!("{long}.0")).as_deref(),
            Some(long)
        );
    }

    #[test]
    fn spellings_that_become_one_share_a_code() {
        let learnt = of(&["true", "false"]);
        let column: CategoricalColumn = [Some("1"), None, Some("TRUE"), Some("0"), Some("x")]
            .into_iter()
            .collect();
        let spelt = column.spelt(learnt);
        let values: Vec<_> = (0..5).map(|row| spelt.get(row)).collect();
        assert_eq!(
            values,
            [Some("true"), None, Some("true"), Some("false"), Some("x")]
        );
        assert_eq!(spelt.codes(), [0, 1, 0, 2, 3]);
    }
}
