//! What a model is made of: a *term* is one variable with its parts, or a table over the parts of
//! several, with the rows that fall into each cell.
//!
//! A term has one [`Axis`] per variable and a cell for every combination of their parts. Scores per
//! cell and outcome derive from its counts (docs/method.md §5), and so does what it contributes to a
//! prediction (docs/method.md §9).

mod blocks;
mod correction;
mod encode;
mod importance;
mod origin;
mod parts;
mod scores;
pub(crate) mod surface;
mod tree;
mod unlisted_part;

pub use blocks::{Block, Blocks};
pub use correction::Correction;
pub(crate) use encode::RowParts;
pub use encode::{PartCodes, PartIndex};
pub(crate) use importance::importance;
pub use origin::Origin;
pub use parts::{MissingNumbers, Parts};
pub(crate) use scores::left_out;
pub use scores::{log_probabilities, smoothing};
pub use tree::{Split, Tree, TreeInput};
pub use unlisted_part::UnlistedPart;

use crate::columns::VariableKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a term costs to describe, in nats (docs/method.md §4.2).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cost {
    /// Choosing the variable.
    pub construction: f64,
    /// Choosing its parts and their class distributions.
    pub preparation: f64,
    /// The classes of the rows, given all that.
    pub data: f64,
}

impl Cost {
    /// The sum of the three.
    pub fn total(&self) -> f64 {
        self.construction + self.preparation + self.data
    }
}

/// A variable of a term: where its values come from, and how they are cut.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Axis {
    /// Its name: that of the column, or what it is called if it is constructed.
    pub name: String,
    /// Where its values come from.
    pub from: Origin,
    /// Numerical or categorical.
    #[serde(rename = "type")]
    pub kind: VariableKind,
    /// Its intervals or groups.
    pub parts: Parts,
    /// Number of distinct categories of the training rows that its groups do not list.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unlisted: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// A term of a model.
///
/// ```
/// use fnb::columns::VariableKind;
/// use fnb::terms::{Axis, Cost, MissingNumbers, Origin, Parts, Term};
/// let axis = |name: &str, cut: f64| Axis {
///     name: name.into(),
///     from: Origin::Column,
///     kind: VariableKind::Numerical,
///     parts: Parts::Intervals { missing: MissingNumbers::None, cuts: vec![cut] },
///     unlisted: 0,
/// };
/// let term = Term {
///     name: "age × income".into(),
///     axes: vec![axis("age", 40.0), axis("income", 2000.0)],
///     weight: 1.0,
///     level: 0.2,
///     importance: 1.0,
///     cost: Cost { construction: 1.0, preparation: 4.0, data: 10.0 },
///     counts: vec![vec![9, 1], vec![5, 5], vec![4, 6], vec![2, 8]],
///     correction: None,
/// };
/// // The parts of the last axis change fastest.
/// assert_eq!(term.cell(&[1, 0]), 2);
/// assert_eq!(term.label(2), "> 40, <= 2000");
/// assert_eq!(term.rows_of(2), 10);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Term {
    /// Its name.
    pub name: String,
    /// Its variables: one, or several if it is a table over their parts.
    pub axes: Vec<Axis>,
    /// Its weight in the model, above 0 and at most 1; 0 for a table that only corrects other terms.
    pub weight: f64,
    /// What it tells about the target on its own, as a share of the null cost.
    pub level: f64,
    /// Its share of the mean absolute contribution to predictions (docs/method.md §9).
    pub importance: f64,
    /// What it costs to describe.
    pub cost: Cost,
    /// Training rows by cell, then outcome. The cells of several axes follow each other with the
    /// parts of the last axis changing fastest.
    pub counts: Vec<Vec<u64>>,
    /// What the rest of the model does not explain of these counts, if that is taken into account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correction: Option<Correction>,
}

/// A cell of a table over some parts in words: the part of each axis.
pub(crate) fn cell_label<'a>(
    axes: impl DoubleEndedIterator<Item = &'a Parts>,
    cell: usize,
) -> String {
    let (mut rest, mut labels) = (cell, Vec::new());
    for parts in axes.rev() {
        labels.push(parts.label(rest % parts.len()));
        rest /= parts.len();
    }
    labels.reverse();
    labels.join(", ")
}

impl Term {
    /// Can only readers of format 1.1 and later know it: is it corrected, or a tree?
    pub(crate) fn is_of_version_1_1(&self) -> bool {
        let mut axes = self.axes.iter();
        self.correction.is_some() || axes.any(|axis| axis.from.tree().is_some())
    }

    /// Is it a table that only corrects other terms, rather than a variable that was selected?
    pub fn only_corrects(&self) -> bool {
        self.weight == 0.0
    }

    /// Number of cells.
    pub fn cells(&self) -> usize {
        self.axes.iter().map(|axis| axis.parts.len()).product()
    }

    /// The cell of a part of each axis.
    pub fn cell(&self, parts: &[usize]) -> usize {
        let axes = self.axes.iter().zip(parts);
        axes.fold(0, |cell, (axis, part)| cell * axis.parts.len() + part)
    }

    /// A cell in words: the part of each axis.
    pub fn label(&self, cell: usize) -> String {
        cell_label(self.axes.iter().map(|axis| &axis.parts), cell)
    }

    /// Training rows of a cell.
    pub fn rows_of(&self, cell: usize) -> u64 {
        self.counts[cell].iter().sum()
    }

    /// The largest share of the training rows that may have had a category which the groups of an axis do
    /// not list.
    pub(crate) fn unlisted_share(&self, axis: usize) -> f64 {
        let Axis {
            parts: Parts::Groups { default, .. },
            unlisted: 1..,
            ..
        } = &self.axes[axis]
        else {
            return 0.0;
        };
        let after: usize = self.axes[axis + 1..]
            .iter()
            .map(|a| a.parts.len())
            .product();
        let parts = self.axes[axis].parts.len();
        let is_default = |cell: &usize| cell / after % parts == *default;
        let rows = |cells: &mut dyn Iterator<Item = usize>| -> u64 {
            cells.map(|cell| self.rows_of(cell)).sum()
        };
        let all = rows(&mut (0..self.cells())).max(1);
        rows(&mut (0..self.cells()).filter(is_default)) as f64 / all as f64
    }

    /// What it is in plain words; `None` if all its variables are columns.
    pub fn describe(&self) -> Option<String> {
        let described: Vec<String> = (self.axes.iter())
            .filter_map(|axis| axis.from.describe())
            .collect();
        (!described.is_empty()).then(|| described.join("; "))
    }
}
