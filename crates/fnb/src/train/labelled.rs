//! Rows with their classes, to learn from or to measure on.

use super::{Prepared, Training};
use crate::columns::{ClassWeights, Target};
use crate::evaluate::{Evaluation, actual_classes};
use crate::model::Model;
use crate::predict::{Scorer, scoring_frame};
use crate::relational::Database;
use crate::{Progress, Result, Settings};
use std::borrow::Cow;

/// Rows with their classes: one table or several, the class of every row of the main one, and what
/// the classes count.
///
/// ```
/// use fnb::columns::{Column, ColumnData, Frame, NumericColumn, Target};
/// use fnb::{Labelled, Settings};
/// let class = |row| Some(if row % 50 < 20 { "low" } else { "high" });
/// let classes = ColumnData::Categorical((0..200).map(class).collect());
/// let numbers = (0..200).map(|row| f64::from(row % 50)).collect();
/// let x = Column { name: "x".into(), data: ColumnData::Numeric(NumericColumn::new(numbers)) };
/// let target = Target::from_column(&Column { name: "class".into(), data: classes })?;
/// let data = Labelled::new(Frame::new(200, vec![x])?, target);
///
/// let (learn, test): (Vec<usize>, Vec<usize>) = (0..200).partition(|row| *row < 100);
/// let model = data.take(&learn).train(&Settings::default(), &())?.model;
/// assert_eq!(data.take(&test).evaluate(&model)?.accuracy, 1.0);
/// # Ok::<(), fnb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Labelled {
    /// The tables, without the target.
    pub database: Database,
    /// The class of every row of the main table, with the weights of the rows.
    pub target: Target,
    /// Factors of these weights when learning; nothing is measured with them.
    pub class_weights: Option<ClassWeights>,
}

impl Labelled {
    /// Rows whose classes all count the same.
    pub fn new(data: impl Into<Database>, target: Target) -> Self {
        Self {
            database: data.into(),
            target,
            class_weights: None,
        }
    }

    /// The given rows; records of other tables follow theirs.
    #[must_use]
    pub fn take(&self, rows: &[usize]) -> Self {
        Self {
            database: self.database.take(rows),
            target: self.target.take(rows),
            class_weights: self.class_weights.clone(),
        }
    }

    /// The target to learn from, with the class weights.
    pub fn target_to_learn(&self) -> Result<Cow<'_, Target>> {
        let weights = match &self.class_weights {
            None => return Ok(Cow::Borrowed(&self.target)),
            Some(ClassWeights::Balanced) => ClassWeights::Balanced,
            // A class may have no row in a part of the table.
            Some(ClassWeights::Given(given)) => {
                let classes = self.target.classes();
                let given = given.iter().filter(|(class, _)| classes.contains(class));
                ClassWeights::Given(given.cloned().collect())
            }
        };
        let target = self.target.clone().with_class_weights(&weights)?;
        Ok(Cow::Owned(target))
    }

    /// Prepares all variables, those to construct too. The rows are not needed any more to learn from
    /// the result.
    pub fn prepare(&self, settings: &Settings, progress: &dyn Progress) -> Result<Prepared> {
        settings.check()?;
        let target = self.target_to_learn()?;
        Prepared::new(&self.database, &target, settings, progress)
    }

    /// Learns a model.
    pub fn train(&self, settings: &Settings, progress: &dyn Progress) -> Result<Training> {
        let prepared = self.prepare(settings, progress)?;
        prepared.learn(&settings.learn, progress)
    }

    /// What a model predicts: a probability per row and class.
    pub fn probabilities(&self, model: &Model) -> Result<Vec<f64>> {
        Scorer::new(model).probabilities(&*scoring_frame(model, &self.database)?)
    }

    /// How good that is.
    pub fn evaluate(&self, model: &Model) -> Result<Evaluation> {
        let probabilities = self.probabilities(model)?;
        let actual = actual_classes(model.classes(), &self.target);
        let weights = self.target.weights();
        Evaluation::weighted(model.classes(), &probabilities, &actual, weights)
    }
}
