//! The inputs of a model in the rows of tables: columns as they are, and constructed variables.

use crate::Result;
use crate::columns::{Column, ColumnData, Frame};
use crate::model::Model;
use crate::relational::{Database, Expression, TextFeature, text_columns};
use crate::terms::Origin;
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
    let (inputs, root) = (model.inputs(), database.root());
    if inputs.iter().all(|axis| axis.from.is_column()) {
        return Ok(Cow::Borrowed(root));
    }
    let origins = || inputs.iter().map(|axis| &axis.from);
    let expressions: Vec<Expression> = origins().filter_map(Origin::expression).cloned().collect();
    let arithmetic = model.training().params.construct.arithmetic;
    let mut computed = database.values(&expressions, arithmetic)?.into_iter();
    let texts: Vec<TextFeature> = origins().filter_map(Origin::text).cloned().collect();
    let mut counted = text_columns(database.tables(), &texts)?.into_iter();
    let mut columns = Vec::with_capacity(inputs.len());
    for axis in inputs {
        let data = match &axis.from {
            // The scorer reports an absent column.
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
