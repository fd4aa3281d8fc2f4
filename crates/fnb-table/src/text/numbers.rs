//! A column of a text table that holds numbers, as far as it has been read.

use fnb::columns::{ColumnData, ColumnType, NumericColumn};
use fnb::{Advice, Code, Error, Result};

/// Numbers, by guess or by order.
pub(super) struct Numbers {
    pub(super) values: Vec<f64>,
    /// Only `0`, `1` and missing so far.
    pub(super) binary: bool,
    /// `None` while the type is a guess.
    pub(super) forced: Option<MustParse>,
    /// How many fields are something else, and the first of them.
    pub(super) failures: usize,
    pub(super) first_failure: Option<Place>,
    /// The first number that is too large.
    pub(super) out_of_range: Option<Place>,
}

/// Is a field that is not a number an error?
type MustParse = bool;

/// A field worth telling about.
pub(super) struct Place {
    pub(super) file: String,
    pub(super) line: usize,
    pub(super) text: String,
}

impl Numbers {
    pub(super) fn new(forced: Option<MustParse>) -> Self {
        Self {
            values: Vec::new(),
            binary: true,
            forced,
            failures: 0,
            first_failure: None,
            out_of_range: None,
        }
    }

    /// What to tell about fields that are not numbers.
    pub(super) fn warning(&self, name: &str) -> Option<String> {
        let Place { file, line, text } = self.first_failure.as_ref()?;
        let fields = match self.failures {
            1 => "1 field is not a number and is".to_owned(),
            n => format!("{n} fields are not numbers and are"),
        };
        Some(format!(
            "column {name:?}: {fields} taken for missing, the first is {text:?} in line {line} of {file}"
        ))
    }

    /// D07 if a field is no number but must be one.
    pub(super) fn check_parsed(&self, name: &str) -> Result<()> {
        match (self.forced, &self.first_failure) {
            (Some(true), Some(place)) => Err(place.not_a_number(name)),
            _ => Ok(()),
        }
    }

    /// D16 if a number is too large.
    pub(super) fn check_range(&self, name: &str) -> Result<()> {
        match &self.out_of_range {
            Some(place) => Err(place.out_of_range(name)),
            None => Ok(()),
        }
    }

    /// The finished column.
    pub(super) fn finish(mut self, name: &str) -> Result<ColumnData> {
        self.check_range(name)?;
        // docs/method.md §1.1: only 0 and 1, or nothing at all, are categories.
        if self.binary && self.forced.is_none() {
            let text = |v: &f64| (!v.is_nan()).then_some(if *v == 0.0 { "0" } else { "1" });
            return Ok(ColumnData::Categorical(
                self.values.iter().map(text).collect(),
            ));
        }
        self.values.shrink_to_fit();
        Ok(ColumnData::Numeric(NumericColumn::from_rounded(
            self.values,
        )))
    }
}

impl Place {
    /// D07: the field should be a number, says the model.
    pub(super) fn not_a_number(&self, name: &str) -> Error {
        let Self { file, line, text } = self;
        let message = format!(
            "{file}: column {name:?} is text in line {line} ({text:?}) but a number in the model"
        );
        let texts = vec![text.clone()];
        Error::new(Code::NotANumber, message).help(Advice::either(
            "correct it",
            Advice::DeclareMissing { texts },
        ))
    }

    /// D16: the number is too large.
    pub(super) fn out_of_range(&self, name: &str) -> Error {
        let Self { file, line, text } = self;
        let message = format!(
            "{file}: column {name:?} holds {text:?} in line {line}, which is too large for a number"
        );
        Error::new(Code::NumberOutOfRange, message).help(Advice::either(
            "correct it",
            Advice::ReadAs {
                column: name.to_owned(),
                ty: ColumnType::Categorical,
            },
        ))
    }
}
