//! Categories that a model does not know: in how many rows, and whether there are no others.

use super::bind::{BoundAxis, BoundScorer};
use super::scorer::Scorer;
use crate::columns::CategoricalColumn;
use crate::math::thousands;
use std::fmt;

/// Rows with a category that the model does not know, by variable. Blocks of rows may follow each other.
///
/// ```
/// use fnb::columns::{Column, ColumnData, Frame, Target};
/// use fnb::predict::{Scorer, Unseen};
/// let frame = |values: &[&str]| {
///     let data = ColumnData::Categorical(values.iter().map(|value| Some(*value)).collect());
///     Frame::new(values.len(), vec![Column { name: "plan".into(), data }])
/// };
/// let rows = frame(&["a", "b"].repeat(50))?;
/// let target = Target::from_column(&rows.columns()[0])?;
/// let model = fnb::train(rows, &target, &fnb::Settings::default(), &())?.model;
/// let scorer = Scorer::new(&model);
///
/// let mut unseen = Unseen::new(&scorer, true);
/// unseen.add(&scorer.bind(&frame(&["c", "c", "d"])?)?);
/// assert_eq!(unseen.surprising().count(), 1);
/// unseen.add(&scorer.bind(&frame(&["a"])?)?);
/// assert_eq!(unseen.surprising().count(), 0);
/// let told: Vec<String> = unseen.found().map(ToString::to_string).collect();
/// assert_eq!(told, ["\"plan\": 3 of 4 values are not in the model, for instance \"c\""]);
/// # Ok::<(), fnb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Unseen {
    counting: bool,
    /// One per input of the scorer, in their order.
    inputs: Vec<UnseenValues>,
}

/// Categories of a variable that the model does not know.
#[derive(Debug, Clone)]
pub struct UnseenValues {
    /// The variable.
    name: String,
    /// Was a category met that the model knows?
    some_known: bool,
    /// Rows with an unknown category; without counting, those of blocks that have no other.
    unseen: u64,
    /// Rows with a category, counted likewise.
    rows: u64,
    /// The first unknown category.
    example: Option<String>,
    /// See [`ScoredInput`](super::scorer::ScoredInput).
    unlisted_share: f64,
}

/// What is less likely than this, going by the training rows, is worth a warning.
const UNLIKELY: f64 = 1e-3;

impl Unseen {
    /// Nothing was met so far. Rows are counted if that is asked for, which costs another look at them.
    pub fn new(scorer: &Scorer, counting: bool) -> Self {
        let inputs = scorer.inputs.iter().map(|input| UnseenValues {
            name: input.name.clone(),
            some_known: false,
            unseen: 0,
            rows: 0,
            example: None,
            unlisted_share: input.unlisted_share,
        });
        Self {
            counting,
            inputs: inputs.collect(),
        }
    }

    /// Adds the rows of a frame.
    pub fn add(&mut self, bound: &BoundScorer) {
        let scorer = bound.scorer();
        let mut done = vec![false; self.inputs.len()];
        for (term, axes) in scorer.terms.iter().zip(&bound.terms) {
            for (axis, values) in term.axes.iter().zip(axes) {
                if let BoundAxis::Categories {
                    column, unlisted, ..
                } = values
                    && !std::mem::replace(&mut done[axis.input], true)
                {
                    self.inputs[axis.input].add(column, unlisted, self.counting);
                }
            }
        }
    }

    /// The variables that have unknown categories.
    pub fn found(&self) -> impl Iterator<Item = &UnseenValues> {
        self.inputs.iter().filter(|input| input.unseen > 0)
    }

    /// Those that have no other: see [`UnseenValues::is_surprising`].
    pub fn surprising(&self) -> impl Iterator<Item = &UnseenValues> {
        self.found().filter(|variable| variable.is_surprising())
    }
}

impl UnseenValues {
    fn add(&mut self, column: &CategoricalColumn, unlisted: &[u32], counting: bool) {
        let values = column.values();
        let missing = values.missing();
        let known = values.len() - unlisted.len() - usize::from(missing.is_some());
        self.some_known |= known > 0;
        if self.example.is_none() {
            let first = unlisted.first().and_then(|&code| values.get(code));
            self.example = first.map(str::to_owned);
        }
        // The distinct values say enough, unless there are none that the model knows.
        if !counting && (known > 0 || unlisted.is_empty()) {
            return;
        }
        let mut rows_of = vec![0_u64; values.len()];
        for &code in column.codes() {
            rows_of[code as usize] += 1;
        }
        let of_missing = missing.map_or(0, |code| rows_of[code as usize]);
        self.rows += column.len() as u64 - of_missing;
        let unseen = unlisted.iter().map(|&code| rows_of[code as usize]);
        self.unseen += unseen.sum::<u64>();
    }

    /// Has it no category that the model knows, in two rows or more? Something is probably wrong then. Of a
    /// variable whose rare categories the model does not list, there must be too many rows for chance.
    pub fn is_surprising(&self) -> bool {
        let chance = self.unlisted_share.powf(self.unseen as f64);
        !self.some_known && self.unseen > 1 && chance < UNLIKELY
    }
}

impl fmt::Display for UnseenValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            unseen,
            rows,
            example,
            ..
        } = self;
        let example = example.as_deref().unwrap_or_default();
        if self.is_surprising() {
            let rows = thousands(*unseen);
            write!(
                f,
                "{name:?}: none of its {rows} values is in the model, for instance {example:?}; is it \
                 the right column, written as it was in training?"
            )
        } else {
            let (unseen, rows) = (thousands(*unseen), thousands(*rows));
            write!(
                f,
                "{name:?}: {unseen} of {rows} values are not in the model, for instance {example:?}"
            )
        }
    }
}
