//! Arrow arrays to the values of a column.

use super::moments::{moments, temporal_kind};
use super::scan::Seen;
use crate::dates::{common_formats, from_texts, reading_of};
use crate::infer::{detected, is_long};
use crate::info::Warning;
use crate::number::{Number, parse_number, truth_value};
use crate::options::DayOrder;
use crate::plan::Want;
use crate::unreadable::Unreadable;
use arrow::array::{Array, ArrayRef, AsArray, Float64Array};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Float32Type, Float64Type, Int64Type, TimeUnit};
use fnb::columns::{
    CategoricalColumn, CategoricalColumnBuilder, ColumnData, ColumnType, NumericColumn, Role,
    Spelling, Temporal, TemporalColumn,
};
use fnb::math::decimal::round_to_10_digits;
use fnb::{Advice, Code, Error, Result};
use std::sync::Arc;

/// How the values of a column are taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Treatment {
    /// Numbers as they are.
    Numbers,
    /// Numbers written as text.
    ParsedNumbers { must_parse: bool },
    /// Categories; `detect` if they may be dates or long text. Those that mean the same are spelt as asked.
    Categories {
        detect: bool,
        spelling: Option<Spelling>,
    },
    /// Long text.
    Text,
    /// Dates, times or timestamps as they are.
    Moments(Temporal),
    /// The same written as text.
    ParsedMoments { kind: Temporal, order: DayOrder },
    /// Not looked at; a note if the type cannot be used.
    Unused { role: Role, note: Option<String> },
}

impl Treatment {
    /// Fails when a type was asked for that the column cannot have (D14).
    pub(super) fn new(name: &str, data_type: &DataType, want: Want) -> Result<Self> {
        let (data_type, dictionary) = match data_type {
            DataType::Dictionary(_, values) => (&**values, true),
            other => (other, false),
        };
        let impossible = |asked: ColumnType| {
            let asked = asked.plural();
            let message = format!("column {name:?} of type {data_type} cannot be read as {asked}");
            Err(
                Error::new(Code::UnsupportedType, message).help(Advice::AnyOf(vec![
                    Advice::LeaveOut {
                        column: name.to_owned(),
                    },
                    "convert it".into(),
                ])),
            )
        };
        let text = matches!(
            data_type,
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View
        );
        let bare = text || matches!(data_type, DataType::Boolean | DataType::Null);
        let kind = temporal_kind(data_type);
        // A duration is its seconds.
        let numeric = data_type.is_numeric() || matches!(data_type, DataType::Duration(_));
        Ok(match want {
            Want::Unused(role) => Treatment::Unused { role, note: None },
            // Who makes a dictionary of numbers says that they are codes.
            Want::Detect if dictionary && data_type.is_numeric() => Treatment::Categories {
                detect: false,
                spelling: None,
            },
            Want::Detect | Want::Number { .. } if numeric => Treatment::Numbers,
            Want::Number { .. } if *data_type == DataType::Boolean => Treatment::Numbers,
            Want::Detect if bare => Treatment::Categories {
                detect: text,
                spelling: None,
            },
            Want::Detect => match kind {
                Some(kind) => Treatment::Moments(kind),
                None => Treatment::Unused {
                    role: Role::Ignored,
                    note: Some(format!("values of type {data_type} cannot be used")),
                },
            },
            Want::Number { must_parse } if bare => Treatment::ParsedNumbers { must_parse },
            Want::Number { .. } => return impossible(ColumnType::Numerical),
            Want::Category { spelling } if bare || data_type.is_numeric() || kind.is_some() => {
                Treatment::Categories {
                    detect: false,
                    spelling,
                }
            }
            Want::Category { .. } => return impossible(ColumnType::Categorical),
            Want::Temporal { kind, order } if bare => Treatment::ParsedMoments { kind, order },
            Want::Temporal { kind: asked, .. } if kind.is_some_and(|kind| kind.can_be(asked)) => {
                Treatment::Moments(asked)
            }
            Want::Temporal { kind, .. } => return impossible(kind.into()),
            Want::Text if bare => Treatment::Text,
            Want::Text => return impossible(ColumnType::Text),
        })
    }
}

impl Treatment {
    /// May long values make it a text?
    fn may_be_text(&self) -> bool {
        matches!(self, Treatment::Categories { detect: true, .. })
    }
}

/// A column that was read to its end.
pub(super) struct Finished {
    pub(super) data: ColumnData,
    pub(super) warning: Option<Warning>,
}

/// The values of a column so far.
#[derive(Debug)]
pub(super) struct Values {
    pub(super) treatment: Treatment,
    numbers: Vec<f64>,
    moments: Vec<i64>,
    /// The numbers while they need not be copied: a single array without nulls, rounded already.
    lent: Option<NumericColumn>,
    categories: CategoricalColumnBuilder,
    pub(super) long: bool,
    /// How many texts are not numbers, and the first of them with its row.
    not_numbers: usize,
    first_not_number: Option<(usize, String)>,
    /// Values that are not to be kept are only seen.
    pub(super) seen: Option<Seen>,
}

impl Values {
    pub(super) fn new(treatment: Treatment) -> Self {
        Self {
            treatment,
            numbers: Vec::new(),
            moments: Vec::new(),
            lent: None,
            categories: CategoricalColumnBuilder::default(),
            long: false,
            not_numbers: 0,
            first_not_number: None,
            seen: None,
        }
    }

    /// The same column without values.
    pub(super) fn empty(&self) -> Self {
        Self {
            seen: self.seen.is_some().then(Seen::default),
            ..Self::new(self.treatment.clone())
        }
    }

    /// Adds the values of an array whose first row is number `row` of its file.
    pub(super) fn push(&mut self, array: &ArrayRef, row: usize) -> Result<()> {
        self.take(array, row)?;
        self.forget();
        Ok(())
    }

    /// Gives up the values, unless they are to be kept.
    fn forget(&mut self) {
        let Some(seen) = &mut self.seen else {
            return;
        };
        match &self.treatment {
            Treatment::Unused { .. } => {}
            Treatment::Numbers | Treatment::ParsedNumbers { .. } => {
                let lent = self.lent.take().map_or(0, |lent| lent.missing());
                let copied = self.numbers.drain(..).filter(|value| value.is_nan());
                seen.missing += lent + copied.count();
            }
            Treatment::Moments(_) => {
                let missing = |value: &i64| *value == TemporalColumn::MISSING;
                seen.missing += self.moments.drain(..).filter(missing).count();
            }
            Treatment::Categories { .. } | Treatment::Text | Treatment::ParsedMoments { .. } => {
                let column = std::mem::take(&mut self.categories).finish();
                seen.texts(&column, &self.treatment);
            }
        }
    }

    fn take(&mut self, array: &ArrayRef, row: usize) -> Result<()> {
        match self.treatment {
            Treatment::Unused { .. } => Ok(()),
            Treatment::Numbers => self.push_numbers(array),
            Treatment::ParsedNumbers { .. } => self.push_parsed(array, row),
            Treatment::Moments(kind) => {
                self.moments.extend(moments(&plain(array)?, kind)?);
                Ok(())
            }
            Treatment::ParsedMoments { .. } => {
                let column = &mut self.categories;
                let present = |text: &&str| !text.is_empty();
                each_text(&plain(array)?, |text| {
                    column.push(text.map(str::trim).filter(present));
                })
            }
            Treatment::Categories { .. } | Treatment::Text => {
                let detect = self.treatment.may_be_text();
                let array = plain(array)?;
                let column = &mut self.categories;
                match array.data_type() {
                    DataType::Null => (0..array.len()).for_each(|_| column.push(None)),
                    DataType::Boolean => {
                        let values = array.as_boolean().iter();
                        values
                            .for_each(|v| column.push(v.map(|v| if v { "true" } else { "false" })));
                    }
                    // As written in text files: the shortest decimals.
                    DataType::Float32 => floats(
                        array.as_primitive::<Float32Type>().iter(),
                        f32::is_nan,
                        column,
                    ),
                    DataType::Float64 => floats(
                        array.as_primitive::<Float64Type>().iter(),
                        f64::is_nan,
                        column,
                    ),
                    _ => {
                        let mut long = false;
                        each_text(&array, |value| {
                            column.push(value);
                            long |= detect && value.is_some_and(is_long);
                        })?;
                        self.long |= long;
                    }
                }
                Ok(())
            }
        }
    }

    fn push_numbers(&mut self, array: &ArrayRef) -> Result<()> {
        let array = seconds(plain(array)?)?;
        if let Some(numbers) = array.as_primitive_opt::<Float64Type>()
            && self.numbers.is_empty()
            && self.lent.is_none()
            && numbers.null_count() == 0
        {
            self.lent = NumericColumn::lent(Arc::new(numbers.values().clone()));
            if self.lent.is_some() {
                return Ok(());
            }
        }
        self.copy_lent();
        if let DataType::Float32 = array.data_type() {
            // A single-precision number is the short decimal it was written from.
            let mut buffer = ryu::Buffer::new();
            let exact = |v: f32| match parse_number(buffer.format(v)) {
                Number::Value(value) => value,
                _ => f64::from(v),
            };
            let values = array.as_primitive::<Float32Type>();
            let mut exact = exact;
            self.numbers
                .extend(values.iter().map(|v| v.map_or(f64::NAN, &mut exact)));
            return Ok(());
        }
        let array = cast(&array, &DataType::Float64).map_err(internal)?;
        let array = array.as_primitive::<Float64Type>();
        if array.null_count() == 0 {
            self.numbers
                .extend(array.values().iter().map(|&v| round_to_10_digits(v)));
        } else {
            self.numbers
                .extend(array.iter().map(|v| v.map_or(f64::NAN, round_to_10_digits)));
        }
        Ok(())
    }

    /// More numbers follow those that are lent.
    fn copy_lent(&mut self) {
        if let Some(lent) = self.lent.take() {
            self.numbers.extend_from_slice(lent.values());
        }
    }

    fn push_parsed(&mut self, array: &ArrayRef, row: usize) -> Result<()> {
        let array = plain(array)?;
        let mut at = row;
        let mut overflow = None;
        each_text(&array, |text| {
            let number = text
                .map(str::trim)
                .filter(|t| !t.is_empty())
                .map(|t| (parse_number(t), t));
            self.numbers.push(match number {
                None => f64::NAN,
                Some((Number::Value(value), _)) => value,
                Some((Number::Not, text)) if let Some(truth) = truth_value(text) => truth,
                Some((kind, text)) => {
                    if kind == Number::OutOfRange {
                        overflow.get_or_insert((at, text.to_owned()));
                    } else {
                        self.not_numbers += 1;
                        self.first_not_number
                            .get_or_insert_with(|| (at, text.to_owned()));
                    }
                    f64::NAN
                }
            });
            at += 1;
        })?;
        match overflow {
            Some((row, text)) => {
                let message = format!("row {row} holds {text:?}, which is too large for a number");
                Err(Error::new(Code::NumberOutOfRange, message).help("correct it, or make it null"))
            }
            None => Ok(()),
        }
    }

    /// Adds the values of a later part of the same file.
    pub(super) fn append(&mut self, mut other: Self) {
        if self.numbers.is_empty() && self.lent.is_none() {
            self.lent = other.lent.take();
        } else {
            self.copy_lent();
            other.copy_lent();
        }
        self.numbers.extend_from_slice(&other.numbers);
        self.moments.extend_from_slice(&other.moments);
        self.long |= other.long;
        self.categories.append(&other.categories.finish());
        self.not_numbers += other.not_numbers;
        self.first_not_number = self.first_not_number.take().or(other.first_not_number);
        if let (Some(seen), Some(later)) = (&mut self.seen, other.seen) {
            seen.append(later);
        }
    }

    /// The error (D07) or the warning about texts that are not numbers.
    pub(super) fn not_numbers(&self, name: &str, file: &str) -> Result<Option<String>> {
        let Some((row, text)) = &self.first_not_number else {
            return Ok(None);
        };
        if self.treatment == (Treatment::ParsedNumbers { must_parse: true }) {
            let message = format!(
                "{file}: column {name:?} is text in row {row} ({text:?}) but a number in the model"
            );
            return Err(Error::new(Code::NotANumber, message).help("correct it, or make it null"));
        }
        Ok(Some(format!(
            "column {name:?}: {} values are not numbers and are taken for missing, the first is {text:?} in row {row} of {file}",
            self.not_numbers
        )))
    }

    /// The finished column, and what is to be told of it. Fails on dates that would be a guess (D19).
    pub(super) fn finish(self, name: &str, unreadable: &mut Unreadable) -> Result<Finished> {
        let mut warning = None;
        let data = match self.treatment {
            Treatment::Numbers | Treatment::ParsedNumbers { .. } => {
                let numbers = NumericColumn::from_rounded(self.numbers);
                ColumnData::Numeric(self.lent.unwrap_or(numbers))
            }
            Treatment::Categories { detect: true, .. } => {
                let column = self.categories.finish();
                let formats = common_formats(&column);
                let (data, doubt) = detected(name, column, formats, self.long);
                warning = doubt;
                data
            }
            Treatment::Text => ColumnData::Text(self.categories.finish()),
            Treatment::Moments(kind) => {
                ColumnData::Temporal(TemporalColumn::new(kind, self.moments))
            }
            Treatment::ParsedMoments { kind, order } => {
                let column = self.categories.finish();
                let reading = reading_of(&column, kind, order);
                let (column, strays) = from_texts(&column, reading);
                unreadable.add(name, reading, strays)?;
                ColumnData::Temporal(column)
            }
            Treatment::Categories { spelling, .. } => {
                ColumnData::Categorical(self.categories.finish().spelt(spelling))
            }
            Treatment::Unused { role, .. } => ColumnData::Unused(role),
        };
        Ok(Finished { data, warning })
    }

    /// The texts of a column that is kept verbatim.
    pub(super) fn finish_kept(self) -> CategoricalColumn {
        self.categories.finish()
    }
}

/// The array without dictionary.
fn plain(array: &ArrayRef) -> Result<ArrayRef> {
    match array.data_type() {
        DataType::Dictionary(_, values) => cast(array, values).map_err(internal),
        _ => Ok(ArrayRef::clone(array)),
    }
}

/// Durations as their seconds; anything else as it is.
fn seconds(array: ArrayRef) -> Result<ArrayRef> {
    let DataType::Duration(unit) = array.data_type() else {
        return Ok(array);
    };
    let per_second = match unit {
        TimeUnit::Second => 1.0,
        TimeUnit::Millisecond => 1e3,
        TimeUnit::Microsecond => 1e6,
        TimeUnit::Nanosecond => 1e9,
    };
    let counts = cast(&array, &DataType::Int64).map_err(internal)?;
    let counts = counts.as_primitive::<Int64Type>();
    let seconds: Float64Array = counts.unary(|count| count as f64 / per_second);
    Ok(Arc::new(seconds))
}

/// Calls `each` with every value as text.
fn each_text(array: &ArrayRef, mut each: impl FnMut(Option<&str>)) -> Result<()> {
    match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().iter().for_each(each),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().for_each(each),
        DataType::Utf8View => array.as_string_view().iter().for_each(each),
        DataType::Null => (0..array.len()).for_each(|_| each(None)),
        _ => {
            let texts = cast(array, &DataType::Utf8).map_err(internal)?;
            texts.as_string::<i32>().iter().for_each(each);
        }
    }
    Ok(())
}

fn floats<F: ToString + Copy>(
    values: impl Iterator<Item = Option<F>>,
    is_nan: fn(F) -> bool,
    column: &mut CategoricalColumnBuilder,
) {
    for value in values {
        let text = value.filter(|&v| !is_nan(v)).map(|v| v.to_string());
        column.push(text.as_deref());
    }
}

/// A conversion that the treatment has checked before.
#[expect(
    clippy::needless_pass_by_value,
    reason = "used as the argument of map_err"
)]
pub(super) fn internal(error: arrow::error::ArrowError) -> Error {
    Error::new(Code::Internal, error.to_string())
}
