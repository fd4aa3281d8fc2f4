//! A smaller model from the size path of a larger one.

use super::build::{compression, set_importance, without};
use super::facts::Needed;
use crate::model::{Evaluations, Model, PLAIN_VERSION};
use crate::terms::Term;
use crate::{Code, Error, Result};
use hashbrown::{HashMap, HashSet};

impl Model {
    /// The largest model of the size path with at most `size` terms. It is learnt, not cut off: its
    /// weights were refined when the path was made, by the criterion that all methods share.
    /// Evaluations are those of the larger model and are left out, and so is every table of the data that
    /// it does not need. What was learnt beyond the weights holds for the larger model only, and is left out
    /// too: to have it in a small model, train one (`max_selected`).
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
    /// let model = fnb::train(frame, &target, &fnb::Settings::default(), &())?.model;
    /// assert_eq!(model.terms().len(), 2);
    /// let small = model.prune(1)?;
    /// assert_eq!(small.terms().len(), 1);
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
        model.terms.clear();
        for term in &self.terms {
            if let Some(&weight) = point.weights.get(&term.name) {
                model.terms.push(term.uncorrected(weight));
            } else if !term.only_corrects() {
                model.leave_out(term);
            }
        }
        set_importance(&mut model.terms, &model.target.counts);
        model.sort_dropped();
        model.forget_unused_tables();
        let training = &mut model.training;
        training.selected = model.terms.len();
        training.criterion = point.criterion;
        training.interactions = None;
        training.search_criterion = None;
        training.lowest = None;
        training.compression = compression(point.criterion.total, training.null_criterion);
        training.size_path.truncate(last + 1);
        model.evaluation = Evaluations::default();
        model.forget_overlaps();
        model.format_version = PLAIN_VERSION.into();
        model.check()?;
        model.self_test = model.make_self_test()?;
        Ok(model)
    }

    /// The same without better profiles and tables, to score rows and for nothing else: what it says of its
    /// training is that of the whole.
    pub(super) fn scored_by_weights_alone(&self) -> Self {
        let mut model = self.clone();
        model.terms.retain(|term| !term.only_corrects());
        for term in &mut model.terms {
            *term = term.uncorrected(term.weight);
        }
        model
    }

    /// Lists the variable of a term among those that are dropped. Features of sparse tables are
    /// counted, not listed.
    fn leave_out(&mut self, term: &Term) {
        if self.sparse_feature(&term.name).is_none() {
            let entry = without(&term.name, "not selected".into(), term.level);
            self.dropped.push(entry);
        }
    }

    /// Overlaps with variables that are gone tell nothing.
    fn forget_overlaps(&mut self) {
        let selected: HashSet<&str> = self.terms.iter().map(|term| term.name.as_str()).collect();
        for known in self.overlaps.values_mut() {
            known.retain(|overlap| selected.contains(overlap.with.as_str()));
        }
        self.overlaps.retain(|_, known| !known.is_empty());
    }

    /// Columns in their order, then constructed variables.
    fn sort_dropped(&mut self) {
        let columns = self.columns().iter().enumerate();
        let positions: HashMap<String, usize> = columns
            .map(|(i, column)| (column.name.clone(), i))
            .collect();
        let position = |name: &str| positions.get(name).copied().unwrap_or(usize::MAX);
        self.dropped.sort_by_key(|dropped| position(&dropped.name));
    }

    /// What no term needs is not asked for when rows are scored.
    fn forget_unused_tables(&mut self) {
        let axes = self.terms.iter().flat_map(|term| &term.axes);
        let (main, others) = self.tables.split_first().expect("a model has a main table");
        let (schema, cutoff) = (self.schema.as_ref(), self.cutoff.as_ref());
        let origins = axes.clone().map(|axis| &axis.from);
        let needed = Needed::by(origins, main.clone(), others, schema, cutoff);
        for source in &mut self.sparse {
            let own = axes.clone();
            let own = own.filter(|axis| source.table.feature_of(&axis.name).is_some());
            source.selected = own.count();
        }
        self.sparse.retain(|source| source.selected > 0);
        (self.tables, self.schema, self.cutoff) = (needed.tables, needed.schema, needed.cutoff);
    }
}
