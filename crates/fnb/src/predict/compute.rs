//! The columns that a model with constructed variables scores.

use crate::Result;
use crate::columns::{Column, Frame};
use crate::model::{Model, Origin, Variable};
use crate::relational::{Database, Expression};
use std::borrow::Cow;

/// The columns of a frame that a model needs, and its constructed variables, computed from tables that
/// hold the rows of the frame in their root.
///
/// ```no_run
/// # fn score(model: &fnb::model::Model, database: &fnb::relational::Database) -> fnb::Result<()> {
/// let frame = fnb::predict::scoring_frame(model, database.root(), database)?;
/// let probabilities = fnb::predict::Scorer::new(model).probabilities(&frame)?;
/// # Ok(())
/// # }
/// ```
pub fn scoring_frame(model: &Model, frame: &Frame, database: &Database) -> Result<Frame> {
    let expressions = model.variables().iter().filter_map(Variable::expression);
    let expressions: Vec<Expression> = expressions.cloned().collect();
    let arithmetic = model.training().params.arithmetic();
    let mut computed = database.values(&expressions, arithmetic)?.into_iter();
    let mut columns = Vec::with_capacity(model.variables().len());
    for variable in model.variables() {
        match &variable.from {
            // An absent column is for the scorer to tell.
            Origin::Column(name) => columns.extend(frame.column(name).cloned()),
            Origin::Expression(_) => columns.push(Column {
                name: variable.name.clone(),
                data: computed.next().expect("a column per expression"),
            }),
        }
    }
    Frame::new(frame.rows(), columns)
}

/// The same for a model of a single table, whose constructed variables are calendar parts of its own
/// dates; the frame itself if there are none.
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
