//! Text files as a stream of frames, for scoring files of any size in little memory.

use super::file::{Style, TextFile};
use super::layout::layout;
use super::numbers::Place;
use super::parse::{Action, Found, Layout, Parsed, parse};
use super::{Tuning, check, file_plan, open_next, wave};
use crate::Batch;
use crate::options::ReadOptions;
use crate::plan::{Plan, Want};
use crate::source::{Opened, Source};
use crate::unreadable::{Reading, Unreadable};
use fnb::Result;
use fnb::columns::{
    CategoricalColumnBuilder, Column, ColumnData, Frame, NumericColumn, TemporalColumn,
};
use rayon::prelude::*;
use std::collections::VecDeque;

/// Blocks of rows of text files, in order.
pub(crate) struct TextBatches {
    sources: Vec<Source>,
    options: ReadOptions,
    tuning: Tuning,
    plan: Plan,
    style: Style,
    /// The file being read, and the plan for it.
    file: Option<(TextFile, Plan)>,
    /// How many files were opened.
    opened: usize,
    /// Frames that are ready.
    ready: VecDeque<Batch>,
}

impl TextBatches {
    pub(crate) fn new(
        sources: Vec<Source>,
        first: Opened,
        options: &ReadOptions,
        tuning: Tuning,
    ) -> Result<Self> {
        let file = TextFile::new(&sources[0], first, options, None, tuning)?;
        let plan = Plan::new(file.names.clone(), options).map_err(|e| e.at(&file.name))?;
        Ok(Self {
            sources,
            options: options.clone(),
            tuning,
            style: file.style,
            file: Some((file, plan.clone())),
            plan,
            opened: 1,
            ready: VecDeque::new(),
        })
    }

    /// The next frame; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Batch>> {
        loop {
            if let Some(batch) = self.ready.pop_front() {
                return Ok(Some(batch));
            }
            let Some((file, plan)) = &mut self.file else {
                let Some(source) = self.sources.get(self.opened) else {
                    return Ok(None);
                };
                let file = open_next(source, &self.options, self.style, self.tuning)?;
                let plan = file_plan(&self.plan, &file, &self.sources[0].name)?;
                self.file = Some((file, plan));
                self.opened += 1;
                continue;
            };
            let pieces = file.pieces.wave(wave())?;
            if pieces.is_empty() {
                self.file = None;
                continue;
            }
            let actions = plan.columns.iter().map(|column| action(column.want));
            let layout = layout(plan, actions, file.dialect, &self.options.na);
            let parsed: Vec<Parsed> = pieces
                .par_iter()
                .map(|piece| parse(piece, &layout))
                .collect();
            let mut lines = Vec::with_capacity(parsed.len());
            for piece in &parsed {
                lines.push(file.lines);
                file.lines += piece.lines;
            }
            let (name, plan) = (&file.name, &*plan);
            let frames = parsed
                .into_par_iter()
                .zip(lines)
                .map(|(piece, line)| batch(piece, &layout, plan, name, line))
                .collect::<Vec<Result<Batch>>>();
            for frame in frames {
                let batch = frame?;
                if batch.frame.rows() > 0 {
                    self.ready.push_back(batch);
                }
            }
        }
    }
}

/// What is done with a column whose type is known.
fn action(want: Want) -> Action {
    match want {
        Want::Number { .. } => Action::Number {
            slot: 0,
            binary: false,
            words: true,
        },
        Want::Detect | Want::Category { .. } | Want::Text => Action::Category {
            slot: 0,
            detect: false,
        },
        // Nothing is found out about dates block by block, since other blocks follow.
        Want::Temporal { kind, order } => Action::Temporal {
            slot: 0,
            reading: Reading::new(kind, order),
        },
        Want::Unused(_) => Action::Skip,
    }
}

/// A parsed piece as a frame.
fn batch(piece: Parsed, layout: &Layout, plan: &Plan, file: &str, line: usize) -> Result<Batch> {
    check(&piece, file, line)?;
    let Parsed {
        rows,
        numbers,
        categories,
        temporals,
        keeps,
        first_not_number,
        out_of_range,
        ..
    } = piece;
    let mut categories = categories.into_iter();
    let mut temporals = temporals.into_iter();
    let mut slot = 0;
    let mut unreadable = Unreadable::default();
    let columns = plan.columns.iter().map(|column| {
        let data = match column.want {
            Want::Number { must_parse } => {
                let first = |list: &[Found]| {
                    let found = list.iter().find(|found| found.slot as usize == slot)?;
                    Some(Place {
                        file: file.to_owned(),
                        line: line + found.line + 1,
                        text: found.text.clone(),
                    })
                };
                if let Some(place) = first(&out_of_range) {
                    return Err(place.out_of_range(&column.name));
                }
                if let (true, Some(place)) = (must_parse, first(&first_not_number)) {
                    return Err(place.not_a_number(&column.name));
                }
                let values = (0..rows)
                    .map(|row| numbers[row * layout.numbers + slot])
                    .collect();
                slot += 1;
                ColumnData::Numeric(NumericColumn::from_rounded(values))
            }
            Want::Detect => {
                let column = categories.next().expect("one per categorical column");
                ColumnData::Categorical(column.builder.finish())
            }
            Want::Category { spelling } => {
                let column = categories.next().expect("one per categorical column");
                ColumnData::Categorical(column.builder.finish().spelt(spelling))
            }
            Want::Text => {
                let column = categories.next().expect("one per column of text");
                ColumnData::Text(column.builder.finish())
            }
            Want::Temporal { kind, order } => {
                let read = temporals.next().expect("one per column of dates");
                let reading = Reading::new(kind, order);
                let added = unreadable.add(&column.name, reading, read.strays);
                added.map_err(|error| error.at(file))?;
                let column = TemporalColumn::new(kind, read.values);
                ColumnData::Temporal(column.with_month_first(reading.given.month_first()))
            }
            Want::Unused(role) => ColumnData::Unused(role),
        };
        Ok(Column {
            name: column.name.clone(),
            data,
        })
    });
    let frame = Frame::new(rows, columns.collect::<Result<_>>()?)?;
    let kept = keeps.into_iter().map(CategoricalColumnBuilder::finish);
    Ok(Batch {
        frame,
        kept: kept.collect(),
        unreadable,
    })
}
