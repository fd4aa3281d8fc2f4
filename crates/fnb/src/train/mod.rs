//! Tables + target → model: the whole path, one line per stage.

mod build;
mod compare;
mod corrected;
mod cross_validate;
mod distribution;
mod facts;
mod figures;
mod findings;
mod fingerprint;
mod inputs;
mod labelled;
mod overlaps;
mod prepared;
mod prune;
pub mod shards;
mod together;
mod values;

#[cfg(test)]
pub(crate) use build::{Learning, Trained};
pub use compare::{Fit, compare};
#[cfg(test)]
pub(crate) use corrected::Corrected;
pub use cross_validate::{CrossValidated, FoldFigures, cross_validate};
pub use distribution::distribution;
#[cfg(test)]
pub(crate) use facts::TableFacts;
pub use figures::Figures;
pub use labelled::Labelled;
pub use prepared::Prepared;

use crate::columns::Target;
use crate::model::Model;
use crate::relational::Database;
use crate::{Progress, Result, Settings};
use std::time::Duration;

/// A model, and how long the training took.
#[derive(Debug, Clone)]
pub struct Training {
    /// The model, with its evaluation on the training rows.
    pub model: Model,
    /// Time spent on discretising and grouping.
    pub prepare: Duration,
    /// Time spent on the weights.
    pub weights: Duration,
    /// Time spent on better profiles and on tables over several variables.
    pub interactions: Duration,
    /// Time spent on the evaluation on the training rows.
    pub evaluate: Duration,
}

/// Learns a classifier of `target` from a table, or from several: a table alone is a [`Database`] of
/// one. The rows are freed once the variables are prepared, before weights are learnt; where they are
/// needed again, see [`Prepared::new`].
///
/// ```
/// use fnb::columns::{Column, ColumnData, Frame, NumericColumn, Target};
/// let class = |row| Some(if row % 50 < 20 { "low" } else { "high" });
/// let target = Column {
///     name: "class".into(),
///     data: ColumnData::Categorical((0..100).map(class).collect()),
/// };
/// let numbers = (0..100).map(|row| f64::from(row % 50)).collect();
/// let x = Column { name: "x".into(), data: ColumnData::Numeric(NumericColumn::new(numbers)) };
/// let target = Target::from_column(&target)?;
/// let training = fnb::train(Frame::new(100, vec![x])?, &target, &fnb::Settings::default(), &())?;
/// let train = training.model.evaluation().train.as_ref().expect("evaluated");
/// assert_eq!(train.accuracy, 1.0);
/// # Ok::<(), fnb::Error>(())
/// ```
///
/// Several tables:
///
/// ```
/// use fnb::columns::{Column, ColumnData, Frame, Target};
/// use fnb::relational::{Database, Schema};
/// let schema: Schema = serde_json::from_str(r#"{"root": "Customer", "entities": {
///     "Customer": {"key": ["id"], "fields": [
///         {"name": "id", "type": "Categorical"},
///         {"name": "Orders", "relation": "many", "entity": "Order"}]},
///     "Order": {"key": ["id"], "fields": [{"name": "id", "type": "Categorical"}]}}}"#)?;
/// let column = |name: &str, rows: Vec<String>| Column {
///     name: name.into(),
///     data: ColumnData::Categorical(rows.iter().map(|row| Some(row.as_str())).collect()),
/// };
/// // A customer in two has an order, and leaves.
/// let ids = (0..100).map(|i| i.to_string()).collect();
/// let buyers = (0..50).map(|i| (2 * i).to_string()).collect();
/// let classes = (0..100).map(|i| if i % 2 == 0 { "leave" } else { "stay" }.to_owned()).collect();
/// let customers = Frame::new(100, vec![column("id", ids)])?;
/// let orders = Frame::new(50, vec![column("id", buyers)])?;
/// let frames = [(String::new(), customers), ("Orders".into(), orders)];
/// let database = Database::new(&schema, None, frames.into(), None)?;
/// let target = Target::from_column(&column("class", classes))?;
/// let training = fnb::train(database, &target, &fnb::Settings::default(), &())?;
/// assert_eq!(training.model.terms()[0].name, "Count(Orders)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn train(
    data: impl Into<Database>,
    target: &Target,
    settings: &Settings,
    progress: &dyn Progress,
) -> Result<Training> {
    settings.check()?;
    let prepared = Prepared::new(&data.into(), target, settings, progress)?;
    prepared.learn(&settings.learn, progress)
}
