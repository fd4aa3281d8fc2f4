//! A smaller model from the size path of a larger one.

use super::build::{compression, set_importance, without};
use super::{Evaluations, Model};
use crate::{Code, Error, Result};

impl Model {
    /// The largest model of the size path with at most `size` variables. It is learnt, not cut off:
    /// its weights were refined when the path was made. Evaluations are those of the larger model
    /// and are left out.
    ///
    /// ```
    /// use fnb::columns::{Column, ColumnData, Frame, NumericColumn, Target};
    /// # let class = |row: usize| Some(if row % 50 < 20 || row % 7 == 0 { "low" } else { "high" });
    /// # let target = Column {
    /// #     name: "class".into(),
    /// #     data: ColumnData::Categorical((0..700).map(class).collect()),
    /// # };
    /// # let column = |name: &str, period: usize| Column {
    /// #     name: name.into(),
    /// #     data: ColumnData::Numeric(NumericColumn::new((0..700).map(|row| (row % period) as f64).collect())),
    /// # };
    /// # let target = Target::from_column(&target)?;
    /// # let frame = Frame::new(700, vec![column("x", 50), column("y", 7)])?;
    /// let model = fnb::train(&frame, &target, &fnb::Settings::default(), &())?.model;
    /// assert_eq!(model.variables().len(), 2);
    /// let small = model.prune(1)?;
    /// assert_eq!(small.variables().len(), 1);
    /// assert_eq!(small.dropped()[0].reason, "not selected");
    /// # Ok::<(), fnb::Error>(())
    /// ```
    pub fn prune(&self, size: usize) -> Result<Self> {
        let path = &self.training.size_path;
        let Some(last) = path.iter().rposition(|point| point.selected <= size) else {
            let smallest = path.first().map_or(0, |point| point.selected);
            let message = format!("there is no model of at most {size} variables");
            let help = format!("the smallest of the size path has {smallest}");
            return Err(Error::new(Code::Usage, message).help(help));
        };
        let point = &path[last];
        let mut model = self.clone();
        model.variables.clear();
        for variable in &self.variables {
            if let Some(&weight) = point.weights.get(&variable.name) {
                let mut variable = variable.clone();
                variable.weight = weight;
                model.variables.push(variable);
            } else {
                let entry = without(&variable.name, "not selected".into(), variable.level);
                model.dropped.push(entry);
            }
        }
        set_importance(&mut model.variables, &model.target.counts);
        let columns = self.columns();
        let position = |name: &str| columns.iter().position(|column| column.name == name);
        model
            .dropped
            .sort_by_cached_key(|dropped| position(&dropped.name));
        let training = &mut model.training;
        training.selected = model.variables.len();
        training.criterion = point.criterion;
        training.continuous_criterion = point.criterion;
        training.compression = compression(point.criterion.total, training.null_criterion);
        training.size_path.truncate(last + 1);
        model.evaluation = Evaluations::default();
        model.check()?;
        model.self_test = model.make_self_test()?;
        Ok(model)
    }
}
