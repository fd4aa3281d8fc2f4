//! The inputs of a model in the rows of tables: columns as they are, and constructed variables.

use super::bind::{absent_columns, conform};
use crate::Result;
use crate::columns::{Column, ColumnData, Frame};
use crate::model::Model;
use crate::relational::{
    Arithmetic, Database, Evaluator, Expression, Plan, Schema, TextFeature, text_columns,
};
use crate::terms::{Axis, Origin, Tree};
use hashbrown::{HashMap, HashSet};
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
    /// The expressions among them and among what trees look at, if any input is constructed.
    plan: Option<Plan>,
    /// The names of these.
    computed: Vec<&'m str>,
    texts: Vec<TextFeature>,
    arithmetic: Arithmetic,
}

impl<'m> InputPlan<'m> {
    /// Compiles the inputs of a model.
    pub fn new(model: &'m Model, schema: &Schema) -> Result<Self> {
        let inputs = model.inputs();
        let origins = || inputs.iter().map(|axis| &axis.from);
        let own = inputs.iter().map(|axis| (&axis.name, &axis.from));
        let trees = origins().filter_map(Origin::tree);
        let of_trees = trees.flat_map(|tree| tree.inputs.iter().map(|i| (&i.name, &i.from)));
        let mut known = HashSet::new();
        let (mut computed, mut expressions): (Vec<&str>, Vec<Expression>) = Default::default();
        for (name, from) in own.chain(of_trees) {
            if let Some(expression) = from.expression()
                && known.insert(name)
            {
                computed.push(name);
                expressions.push(expression.clone());
            }
        }
        let is_constructed = !origins().all(Origin::is_column);
        let plan = is_constructed.then(|| Plan::new(schema, &expressions));
        Ok(Self {
            plan: plan.transpose()?,
            computed,
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
        let computed = self.computed.iter().zip(evaluator.columns(&all)?);
        let column = |(&name, data): (&&'m str, ColumnData)| {
            let owned = name.to_owned();
            (name, Column { name: owned, data })
        };
        let mut computed: HashMap<&str, Column> = computed.map(column).collect();
        let of_name = |name: &str| computed.get(name).or_else(|| root.column(name));
        let trees = self.inputs.iter().filter_map(|axis| axis.from.tree());
        let trees: Vec<ColumnData> = trees
            .map(|tree| leaves(tree, of_name, root))
            .collect::<Result<_>>()?;
        let mut trees = trees.into_iter();
        let mut counted = text_columns(database.tables(), &self.texts)?.into_iter();
        let mut columns = Vec::with_capacity(self.inputs.len());
        for axis in &self.inputs {
            let data = match &axis.from {
                // An absent column is for the scorer to tell.
                Origin::Column => root.column(&axis.name).map(|column| column.data.clone()),
                Origin::Expression(_) => {
                    let column = computed.remove(axis.name.as_str());
                    column.map(|column| column.data)
                }
                Origin::Text(_) => counted.next().map(ColumnData::Sparse),
                Origin::Tree(_) => trees.next(),
            };
            columns.extend(data.map(|data| Column {
                name: axis.name.clone(),
                data,
            }));
        }
        Frame::new(root.rows(), columns).map(Cow::Owned)
    }
}

/// The leaf of a tree in every row.
fn leaves<'a>(
    tree: &Tree,
    of_name: impl Fn(&str) -> Option<&'a Column>,
    root: &Frame,
) -> Result<ColumnData> {
    let columns = tree.inputs.iter().map(|input| of_name(&input.name));
    let columns: Option<Vec<&Column>> = columns.collect();
    let columns = columns.ok_or_else(|| {
        let names = tree.inputs.iter().map(|input| input.name.as_str());
        absent_columns(names, root)
    })?;
    let columns = columns.into_iter().zip(&tree.inputs);
    let columns = columns.map(|(column, input)| conform(column, input.kind));
    let columns: Vec<Option<&ColumnData>> = columns.collect::<Result<_>>()?;
    let leaves = tree.leaves(&columns, root.rows());
    let leaves = leaves.expect("columns are of the kind of their input");
    Ok(ColumnData::Categorical(leaves))
}
