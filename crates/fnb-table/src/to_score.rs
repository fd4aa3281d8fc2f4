//! What a model needs of the data that it scores.

use crate::options::{DayOrder, Expected};
use fnb::columns::ColumnType;
use fnb::model::{Model, TableColumn};
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
        expected.push(match column {
            Some(column) => column.into(),
            None => Expected::needed(name, ColumnType::Categorical),
        });
    }
    expected
}

impl Expected {
    /// The same, to be read as a known column of that name was, if there is one.
    #[must_use]
    pub fn as_in(self, known: &[TableColumn]) -> Self {
        match known.iter().find(|column| column.name == self.name) {
            Some(column) => Self {
                order: DayOrder::known(column.month_first),
                spelling: column.spelling,
                ..self
            },
            None => self,
        }
    }
}

/// A column of a model, to be read as it was in training.
impl From<&TableColumn> for Expected {
    fn from(column: &TableColumn) -> Self {
        let ty = column.ty.unwrap_or(ColumnType::Categorical);
        Self::needed(&column.name, ty).as_in(std::slice::from_ref(column))
    }
}
