//! Texts that are no dates, times or timestamps where the column should hold some: counted where they are
//! read, told once per column, refused where a guess would be needed (docs/method.md §1.1).

use crate::dates::{Formats, Moment};
use crate::info::Warning;
use crate::options::DayOrder;
use fnb::columns::{ColumnType, Temporal, TemporalColumn};
use fnb::{Code, Error, Result};

/// How the texts of a column are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reading {
    pub(crate) kind: Temporal,
    /// The formats that they may have.
    pub(crate) given: Formats,
}

/// The texts of a column that cannot be read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Strays {
    count: usize,
    first: Option<String>,
    /// The first one that may be one day or another.
    doubtful: Option<String>,
}

impl Reading {
    /// How texts of a kind are read in an order of day and month.
    pub(crate) fn new(kind: Temporal, order: DayOrder) -> Self {
        let given = Formats::given(kind, order);
        Self { kind, given }
    }

    /// The value of a text that stands in some rows, missing if it cannot be read.
    pub(crate) fn value(self, text: &str, rows: usize, strays: &mut Strays) -> i64 {
        self.value_of(Moment::read(text), text, rows, strays)
    }

    /// The same of a text that is taken apart already.
    pub(crate) fn value_of(
        self,
        moment: Option<Moment>,
        text: &str,
        rows: usize,
        strays: &mut Strays,
    ) -> i64 {
        if moment.is_some_and(|moment| moment.is_doubtful(self.given)) {
            strays.doubtful.get_or_insert_with(|| text.to_owned());
        }
        let value = moment.and_then(|moment| moment.value(self.kind, self.given));
        value.unwrap_or_else(|| {
            strays.count += rows;
            strays.first.get_or_insert_with(|| text.to_owned());
            TemporalColumn::MISSING
        })
    }
}

impl Strays {
    /// How many rows hold one of them.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Adds those of later rows.
    pub(crate) fn append(&mut self, later: Self) {
        self.count += later.count;
        self.first = self.first.take().or(later.first);
        self.doubtful = self.doubtful.take().or(later.doubtful);
    }
}

/// The texts of a table that cannot be read, by column.
#[derive(Debug, Clone, Default)]
pub(crate) struct Unreadable(Vec<(String, Reading, Strays)>);

impl Unreadable {
    /// Adds those of a column. Fails on a text that may be one day or another (D19).
    pub(crate) fn add(&mut self, name: &str, reading: Reading, strays: Strays) -> Result<()> {
        if let Some(text) = &strays.doubtful {
            let message = format!(
                "column {name:?}: nothing in the training data tells the day from the month of {text:?}"
            );
            return Err(Error::new(Code::UnusableData, message)
                .help("write dates with the year first, for instance 2024-12-31"));
        }
        if strays.first.is_some() {
            self.0.push((name.to_owned(), reading, strays));
        }
        Ok(())
    }

    /// Adds those of later rows.
    pub(crate) fn append(&mut self, later: Self) {
        for (name, reading, strays) in later.0 {
            match self.0.iter_mut().find(|(known, ..)| *known == name) {
                Some((.., known)) => known.append(strays),
                None => self.0.push((name, reading, strays)),
            }
        }
    }

    /// What is to be told.
    pub(crate) fn warnings(&self) -> Vec<Warning> {
        let warning = |(name, reading, strays): &(String, Reading, Strays)| {
            let first = strays.first.as_deref().unwrap_or_default();
            // It is a date, but day and month are the other way round.
            let order = match reading.given.month_first() {
                Some(true) if Formats::of(first).fits() => " with the month before the day",
                Some(false) if Formats::of(first).fits() => " with the day before the month",
                _ => "",
            };
            let message = format!(
                "column {name:?}: {} values are no {}{order} and are taken for missing, the first is {first:?}",
                strays.count,
                ColumnType::from(reading.kind).plural(),
            );
            Warning::from(message)
        };
        self.0.iter().map(warning).collect()
    }
}
