//! The columns that a model with constructed variables scores.

use crate::Result;
use crate::columns::{Column, ColumnData, Frame};
use crate::model::{Model, Origin, Variable};
use crate::relational::{Database, Expression, TextFeature, text_columns};
use std::borrow::Cow;

/// The columns of a frame that a model needs, and its constructed variables, computed from tables that
/// hold the rows of the frame in their root.
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
/// let model = fnb::train_database(&database, &target, &settings, &())?.model;
/// let frame = scoring_frame(&model, database.root(), &database)?;
/// let probabilities = Scorer::new(&model).probabilities(&frame)?;
/// assert!(probabilities[0] > 0.9); // customer 0 has an order, and leaves
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn scoring_frame(model: &Model, frame: &Frame, database: &Database) -> Result<Frame> {
    let expressions = model.variables().iter().filter_map(Variable::expression);
    let expressions: Vec<Expression> = expressions.cloned().collect();
    let arithmetic = model.training().params.arithmetic();
    let mut computed = database.values(&expressions, arithmetic)?.into_iter();
    let texts = model.variables().iter().filter_map(Variable::text);
    let texts: Vec<TextFeature> = texts.cloned().collect();
    let mut counted = text_columns(database.tables(), &texts)?.into_iter();
    let mut columns = Vec::with_capacity(model.variables().len());
    for variable in model.variables() {
        match &variable.from {
            // An absent column is for the scorer to tell.
            Origin::Column(name) => columns.extend(frame.column(name).cloned()),
            Origin::Expression(_) => columns.push(Column {
                name: variable.name.clone(),
                data: computed.next().expect("a column per expression"),
            }),
            Origin::Text(_) => columns.push(Column {
                name: variable.name.clone(),
                data: ColumnData::Sparse(counted.next().expect("a column per text")),
            }),
        }
    }
    Frame::new(frame.rows(), columns)
}

/// The same for a model of a single table, whose constructed variables are calendar parts of its own
/// dates and counts of its own words; the frame itself if there are none.
pub fn scoring_frame_of_table<'a>(model: &Model, frame: &'a Frame) -> Result<Cow<'a, Frame>> {
    let Some(schema) = model.schema() else {
        return Ok(Cow::Borrowed(frame));
    };
    let fields = &schema.entity(&schema.root).fields;
    let needed = fields.iter().filter_map(|field| frame.column(&field.name));
    let dates = Frame::new(frame.rows(), needed.cloned().collect())?;
    let frames = [(String::new(), dates)].into();
    let database = Database::new(schema, None, frames, model.cutoff().cloned())?;
    Ok(Cow::Owned(scoring_frame(model, frame, &database)?))
}
