//! The columns of a text table while it is read: what they are so far, and their values.

use super::field::Dialect;
use super::layout::layout;
use super::numbers::{Numbers, Place};
use super::parse::{Action, Categories, Found, Layout, Parsed};
use crate::dates::{Formats, from_texts, reading_of};
use crate::infer::{detected, doubt, stray_texts_warning};
use crate::info::{Detail, Warning};
use crate::memory;
use crate::options::DayOrder;
use crate::plan::{Plan, Want};
use crate::unreadable::{Reading, Unreadable};
use fnb::columns::{
    CategoricalColumnBuilder, Column, ColumnData, Role, Spelling, Temporal, TemporalColumn,
};
use fnb::{Code, Error, Result};
use rayon::prelude::*;

/// What a column is, as far as its rows have been read. Every decision depends on all rows only, not
/// on the order in which they come: a type is given up as soon as one field contradicts it.
enum State {
    Numbers(Numbers),
    Categories {
        builder: CategoricalColumnBuilder,
        formats: Formats,
        long: bool,
        forced: Option<Forced>,
    },
    /// Dates or times, all in the same format.
    Temporal {
        formats: Formats,
        /// The first of these formats, by which the values were read.
        read: Formats,
        values: Vec<i64>,
    },
    /// Taken for numbers or dates, wrongly: it must be read again from the start.
    Broken,
    Unused {
        role: Role,
        forced: bool,
    },
}

/// What texts are by order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Forced {
    Categories(Option<Spelling>),
    Text,
    Moments(Temporal, DayOrder),
}

/// The columns of a table.
pub(super) struct Columns {
    names: Vec<String>,
    states: Vec<State>,
    rows: usize,
    /// Do the actions have to be worked out again?
    pub(super) changed: bool,
}

impl Columns {
    pub(super) fn new(plan: &Plan) -> Self {
        let states = plan.columns.iter().map(|column| match column.want {
            Want::Detect => State::Numbers(Numbers::new(None)),
            Want::Number { must_parse } => State::Numbers(Numbers::new(Some(must_parse))),
            Want::Category { spelling } => State::texts(Some(Forced::Categories(spelling))),
            Want::Text => State::texts(Some(Forced::Text)),
            Want::Temporal { kind, order } => State::texts(Some(Forced::Moments(kind, order))),
            Want::Unused(role) => State::Unused { role, forced: true },
        });
        Self {
            names: plan
                .columns
                .iter()
                .map(|column| column.name.clone())
                .collect(),
            states: states.collect(),
            rows: 0,
            changed: true,
        }
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// What to do with each field of a file.
    pub(super) fn layout<'a>(&self, plan: &Plan, dialect: Dialect, na: &'a [String]) -> Layout<'a> {
        let actions = self.states.iter().map(|state| match state {
            State::Numbers(numbers) => Action::Number {
                slot: 0,
                binary: numbers.binary && numbers.forced.is_none(),
                words: numbers.forced.is_some(),
            },
            State::Categories { forced, .. } => Action::Category {
                slot: 0,
                detect: forced.is_none(),
            },
            State::Temporal { read, .. } => Action::Temporal {
                slot: 0,
                reading: Reading {
                    kind: read.kind().expect("a column of dates has a format"),
                    given: *read,
                },
            },
            State::Broken | State::Unused { .. } => Action::Skip,
        });
        layout(plan, actions, dialect, na)
    }

    /// Makes categories of the guessed numbers that the first piece contradicts, before anything is
    /// read for good. Most tables need no second reading then.
    pub(super) fn learn(&mut self, first: &Parsed) {
        let numbers = self
            .states
            .iter_mut()
            .filter(|s| matches!(s, State::Numbers(_)));
        for (state, &count) in numbers.zip(&first.not_numbers) {
            if count > 0 && matches!(state, State::Numbers(Numbers { forced: None, .. })) {
                *state = State::texts(None);
            }
        }
        self.changed = true;
    }

    /// The text of columns that hold dates so far is not needed: from here on they are read as dates.
    pub(super) fn read_dates(&mut self) {
        for state in &mut self.states {
            if let State::Categories {
                builder,
                formats,
                forced: None,
                ..
            } = state
                && let Some(kind) = formats.kind()
            {
                let read = formats.first();
                let reading = Reading { kind, given: read };
                let (column, _) = from_texts(&std::mem::take(builder).finish(), reading);
                *state = State::Temporal {
                    formats: *formats,
                    read,
                    values: column.into_values(),
                };
                self.changed = true;
            }
        }
    }

    /// Room for that many rows in all.
    pub(super) fn reserve(&mut self, rows: usize, file: &str) -> Result<()> {
        let bytes = self.states.iter().map(|state| match state {
            State::Numbers(_) | State::Temporal { .. } => 8,
            // Of texts the codes are sure.
            State::Categories { .. } => 4,
            _ => 0,
        });
        memory::check(file, bytes.sum::<u64>() * rows as u64)?;
        for state in &mut self.states {
            match state {
                State::Numbers(Numbers { values, .. }) => {
                    values.reserve_exact(rows.saturating_sub(values.len()));
                }
                State::Temporal { values, .. } => {
                    values.reserve_exact(rows.saturating_sub(values.len()));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Adds the rows of pieces of a file; `line` is the number of the line before them.
    pub(super) fn append(
        &mut self,
        pieces: Vec<Parsed>,
        file: &str,
        mut line: usize,
    ) -> Result<()> {
        let mut lines = Vec::with_capacity(pieces.len());
        for piece in &pieces {
            super::check(piece, file, line)?;
            lines.push(line);
            line += piece.lines;
        }
        let place = |found: &Found, line: usize| Place {
            file: file.to_owned(),
            line: line + found.line + 1,
            text: found.text.clone(),
        };
        let mut numbers: Vec<&mut Numbers> = Vec::new();
        let mut categories = Vec::new();
        let mut temporals = Vec::new();
        for state in &mut self.states {
            match state {
                State::Numbers(n) => numbers.push(n),
                State::Categories {
                    builder,
                    formats,
                    long,
                    ..
                } => categories.push((builder, formats, long)),
                State::Temporal {
                    formats, values, ..
                } => temporals.push((formats, values)),
                State::Broken | State::Unused { .. } => {}
            }
        }
        for (piece, &line) in pieces.iter().zip(&lines) {
            for found in &piece.out_of_range {
                numbers[found.slot as usize]
                    .out_of_range
                    .get_or_insert_with(|| place(found, line));
            }
            for found in &piece.first_not_number {
                numbers[found.slot as usize]
                    .first_failure
                    .get_or_insert_with(|| place(found, line));
            }
            for ((formats, values), piece) in temporals.iter_mut().zip(&piece.temporals) {
                **formats = formats.and(piece.formats);
                values.extend_from_slice(&piece.values);
            }
        }
        let width = numbers.len();
        numbers
            .par_iter_mut()
            .enumerate()
            .with_min_len(8)
            .for_each(|(slot, numbers)| {
                for piece in &pieces {
                    numbers.binary &= !piece.not_binary[slot];
                    numbers.failures += piece.not_numbers[slot] as usize;
                    let values = &piece.numbers;
                    numbers
                        .values
                        .extend((0..piece.rows).map(|row| values[row * width + slot]));
                }
            });
        let rows: usize = pieces.iter().map(|piece| piece.rows).sum();
        let mut by_slot: Vec<Vec<Categories>> = categories.iter().map(|_| Vec::new()).collect();
        for piece in pieces {
            for (slot, column) in by_slot.iter_mut().zip(piece.categories) {
                slot.push(column);
            }
        }
        categories
            .par_iter_mut()
            .zip(by_slot)
            .for_each(|((builder, formats, long), parts)| {
                for part in parts {
                    **formats = formats.and(part.formats);
                    **long |= part.long;
                    if builder.is_empty() {
                        **builder = part.builder;
                    } else {
                        builder.append(&part.builder.finish());
                    }
                }
            });
        self.rows += rows;
        self.revise()
    }

    /// Gives up what the new rows contradict.
    fn revise(&mut self) -> Result<()> {
        for (state, name) in self.states.iter_mut().zip(&self.names) {
            match state {
                State::Numbers(numbers) => {
                    numbers.check_parsed(name)?;
                    if numbers.forced.is_none() && numbers.failures > 0 {
                        *state = State::Broken;
                        self.changed = true;
                    }
                }
                State::Temporal { formats, read, .. } => {
                    if !formats.and(*read).fits() {
                        *state = State::Broken;
                        self.changed = true;
                    }
                }
                State::Categories { .. } | State::Broken | State::Unused { .. } => {}
            }
        }
        Ok(())
    }

    /// The columns to read again, as categories; all others are left as they are.
    pub(super) fn broken(&self) -> Option<Self> {
        if !self
            .states
            .iter()
            .any(|state| matches!(state, State::Broken))
        {
            return None;
        }
        let states = self.states.iter().map(|state| match state {
            State::Broken => State::texts(None),
            // Not looked at in the second reading.
            _ => State::Unused {
                role: Role::Ignored,
                forced: false,
            },
        });
        Some(Self {
            names: self.names.clone(),
            states: states.collect(),
            rows: 0,
            changed: true,
        })
    }

    /// Takes the columns that were read again.
    pub(super) fn mend(&mut self, again: Self) -> Result<()> {
        if again.rows != self.rows {
            let message = format!("{} rows, then {}: the data changed", self.rows, again.rows);
            return Err(Error::new(Code::UnreadableFile, message).help("run the command again"));
        }
        for (state, new) in self.states.iter_mut().zip(again.states) {
            if let State::Broken = state {
                *state = new;
            }
        }
        Ok(())
    }

    /// The finished columns of some files, and what is to be told about them.
    pub(super) fn finish(self, files: &str) -> Result<(Vec<Column>, Vec<Detail>, Vec<Warning>)> {
        let mut columns = Vec::with_capacity(self.names.len());
        let mut details = Vec::with_capacity(self.names.len());
        let mut warnings = Vec::new();
        for (name, state) in self.names.into_iter().zip(self.states) {
            let mut detail = Detail::default();
            let data = match state {
                State::Numbers(numbers) => {
                    detail.forced = numbers.forced.is_some();
                    warnings.extend(numbers.warning(&name).map(Warning::from));
                    numbers.finish(&name)?
                }
                State::Categories {
                    builder,
                    formats,
                    long,
                    forced,
                } => {
                    let column = builder.finish();
                    detail.forced = forced.is_some();
                    match forced {
                        None => {
                            let (data, warning) = detected(&name, column, formats, long);
                            warnings.extend(warning);
                            if let ColumnData::Categorical(column) = &data {
                                warnings.extend(stray_texts_warning(&name, column));
                            }
                            data
                        }
                        Some(Forced::Categories(spelling)) => {
                            ColumnData::Categorical(column.spelt(spelling))
                        }
                        Some(Forced::Text) => ColumnData::Text(column),
                        Some(Forced::Moments(kind, order)) => {
                            let reading = reading_of(&column, kind, order);
                            let (column, strays) = from_texts(&column, reading);
                            let mut unreadable = Unreadable::default();
                            let added = unreadable.add(&name, reading, strays);
                            added.map_err(|error| error.at(files))?;
                            warnings.extend(unreadable.warnings());
                            ColumnData::Temporal(column)
                        }
                    }
                }
                State::Temporal {
                    formats,
                    read,
                    mut values,
                } => {
                    warnings.extend(doubt(&name, formats));
                    values.shrink_to_fit();
                    let kind = read.kind().expect("a broken column was read again");
                    let column = TemporalColumn::new(kind, values);
                    ColumnData::Temporal(column.with_month_first(read.month_first()))
                }
                State::Unused { role, forced } => {
                    detail.forced = forced;
                    ColumnData::Unused(role)
                }
                State::Broken => {
                    let message = format!("column {name:?} was not read again");
                    return Err(Error::new(Code::Internal, message));
                }
            };
            columns.push(Column { name, data });
            details.push(detail);
        }
        Ok((columns, details, warnings))
    }
}

impl State {
    /// Known not to be numbers; without an order, dates and long text are still possible.
    fn texts(forced: Option<Forced>) -> Self {
        State::Categories {
            builder: CategoricalColumnBuilder::default(),
            formats: if forced.is_none() {
                Formats::ANY
            } else {
                Formats::NONE
            },
            long: false,
            forced,
        }
    }
}
