//! The inputs of a model in the rows of tables: columns as they are, and constructed variables.

use crate::Result;
use crate::columns::{Column, ColumnData, Frame};
use crate::model::Model;
use crate::relational::{
    Arithmetic, Database, Evaluator, Expression, Plan, Schema, TextFeature, text_columns,
};
use crate::terms::{Axis, Origin};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Joins the tables that a model scores, given by data path, `""` for the main one.
pub fn database_to_score(model: &Model, mut frames: BTreeMap<String, Frame>) -> Result<Database> {
    if let Some(schema) = model.schema() {
        return Database::new(schema, None, frames, model.cutoff().cloned());
    }
    let main = frames.remove("");
    let main = main.map_or_else(|| Frame::new(0, Vec::new()), Ok)?;
    Ok(main.into())
}

/// The inputs of a model in every root row: the root table itself if no variable is constructed.
///
/// ```
/// # use fnb::columns::{Column, ColumnData, Frame, Target};
/// # use fnb::relational::{Database, Schema};
/// # let schema: Schema = serde_json::from_str(r#"{"root": "Customer", "entities": {
/// #     "Customer": {"key": ["id"], "fields": [
/// #         {"name": "id", "type": "Categorical"},
/// #         {"name": "Orders", "relation": "many", "entity": "Order"}]},
/// #     "Order": {"key": ["id"], "fields": [{"name": "id", "type": "Categorical"}]}}}"#)?;
/// # let column = |name: &str, rows: Vec<String>| Column {
/// #     name: name.into(),
/// #     data: ColumnData::Categorical(rows.iter().map(|row| Some(row.as_str())).collect()),
/// # };
/// # let ids = (0..100).map(|i| i.to_string()).collect();
/// # let buyers = (0..50).map(|i| (2 * i).to_string()).collect();
/// # let classes = (0..100).map(|i| if i % 2 == 0 { "leave" } else { "stay" }.to_owned()).collect();
/// # let customers = Frame::new(100, vec![column("id", ids)])?;
/// # let orders = Frame::new(50, vec![column("id", buyers)])?;
/// # let frames = [(String::new(), customers), ("Orders".into(), orders)];
/// # let database = Database::new(&schema, None, frames.into(), None)?;
/// # let target = Target::from_column(&column("class", classes))?;
/// # let settings = fnb::Settings::default();
/// use fnb::predict::{Scorer, scoring_frame};
/// let model = fnb::train(database.clone(), &target, &settings, &())?.model;
/// let frame = scoring_frame(&model, &database)?;
/// let probabilities = Scorer::new(&model).probabilities(&frame)?;
/// assert!(probabilities[0] > 0.9); // customer 0 has an order, and leaves
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn scoring_frame<'a>(model: &Model, database: &'a Database) -> Result<Cow<'a, Frame>> {
    InputPlan::new(model, database.schema())?.frame(database)
}

/// The inputs of a model, compiled for tables of one schema: many blocks of rows may follow.
#[derive(Debug)]
pub struct InputPlan<'m> {
    inputs: Vec<&'m Axis>,
    /// The expressions among them, if any input is constructed.
    plan: Option<Plan>,
    texts: Vec<TextFeature>,
    arithmetic: Arithmetic,
}

impl<'m> InputPlan<'m> {
    /// Compiles the inputs of a model.
    pub fn new(model: &'m Model, schema: &Schema) -> Result<Self> {
        let inputs = model.inputs();
        let origins = || inputs.iter().map(|axis| &axis.from);
        let expressions = origins().filter_map(Origin::expression).cloned();
        let expressions: Vec<Expression> = expressions.collect();
        let is_constructed = !origins().all(Origin::is_column);
        let plan = is_constructed.then(|| Plan::new(schema, &expressions));
        Ok(Self {
            plan: plan.transpose()?,
            texts: origins().filter_map(Origin::text).cloned().collect(),
            arithmetic: model.training().params.construct.arithmetic,
            inputs,
        })
    }

    /// The inputs in every root row: the root table itself if none is constructed.
    pub fn frame<'a>(&self, database: &'a Database) -> Result<Cow<'a, Frame>> {
        let root = database.root();
        let Some(plan) = &self.plan else {
            return Ok(Cow::Borrowed(root));
        };
        let all: Vec<usize> = (0..plan.len()).collect();
        let mut evaluator = Evaluator::new(plan, database.tables(), self.arithmetic)?;
        let mut computed = evaluator.columns(&all)?.into_iter();
        let mut counted = text_columns(database.tables(), &self.texts)?.into_iter();
        let mut columns = Vec::with_capacity(self.inputs.len());
        for axis in &self.inputs {
            let data = match &axis.from {
                // An absent column is for the scorer to tell.
                Origin::Column => root.column(&axis.name).map(|column| column.data.clone()),
                Origin::Expression(_) => computed.next(),
                Origin::Text(_) => counted.next().map(ColumnData::Sparse),
            };
            columns.extend(data.map(|data| Column {
                name: axis.name.clone(),
                data,
            }));
        }
        Frame::new(root.rows(), columns).map(Cow::Owned)
    }
}
