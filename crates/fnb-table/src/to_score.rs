//! What a model needs of the data that it scores.

use crate::options::{ColumnType, Expected};
use fnb::columns::Temporal;
use fnb::model::{self, Model, TableColumn};
use fnb::relational::FieldKind;

/// The columns of the main table that a model scores, with the types they had in training: those that
/// are variables, and those that variables are constructed from.
pub fn columns_to_score(model: &Model) -> Vec<Expected> {
    let mut names: Vec<&str> = Vec::new();
    for input in model.inputs() {
        if input.from.is_column() {
            let sparse = model.sparse_feature(&input.name);
            names.push(sparse.map_or(&input.name, |(table, _)| &table.key));
        }
    }
    if let Some(schema) = model.schema() {
        let fields = schema.entity(&schema.root).fields.iter();
        let columns = fields.filter(|field| matches!(field.kind, FieldKind::Column { .. }));
        names.extend(columns.map(|field| field.name.as_str()));
    }
    let mut expected: Vec<Expected> = Vec::with_capacity(names.len());
    for name in names {
        if expected.iter().any(|known| known.name == name) {
            continue;
        }
        let column = model.columns().iter().find(|column| column.name == name);
        expected.push(Expected {
            name: name.to_owned(),
            ty: column.map_or(ColumnType::Categorical, ColumnType::from),
            required: true,
            must_parse: true,
        });
    }
    expected
}

/// How a column of a model is read.
impl From<&TableColumn> for ColumnType {
    fn from(column: &TableColumn) -> Self {
        let temporal = |kind| Self::Temporal {
            kind,
            month_first: Some(column.month_first),
        };
        match column.kind {
            model::ColumnType::Numerical => Self::Numerical,
            model::ColumnType::Categorical | model::ColumnType::Key => Self::Categorical,
            model::ColumnType::Date => temporal(Temporal::Date),
            model::ColumnType::Time => temporal(Temporal::Time),
            model::ColumnType::Timestamp => temporal(Temporal::Timestamp),
            model::ColumnType::Zoned => temporal(Temporal::Zoned),
            model::ColumnType::Text => Self::Text,
            model::ColumnType::Ignored => Self::Ignored,
        }
    }
}
