//! What a model must know of the tables it was learnt from, once their rows are gone.

use crate::columns::{Column, SparseTable};
use crate::model::{Table, TableColumn};
use crate::relational::{Cutoff, DataPath, Database, Entity, Schema};
use crate::terms::{Origin, Tree};

/// Names, types and relations, no values.
#[derive(Debug, Clone)]
pub(crate) struct TableFacts {
    /// The columns of the main table in its order, without the features of sparse tables.
    pub(super) columns: Vec<ColumnFacts>,
    /// The tables of (row, feature, value).
    pub(super) sparse: Vec<SparseTable>,
    /// The columns of the other tables.
    others: Vec<Table>,
    schema: Schema,
    cutoff: Option<Cutoff>,
}

/// A column of the main table.
#[derive(Debug, Clone)]
pub(crate) struct ColumnFacts {
    pub(super) column: TableColumn,
    /// Why it is not used as it is.
    pub(super) unused: Option<&'static str>,
}

/// What scoring must know of the tables.
pub(super) struct Needed {
    pub(super) tables: Vec<Table>,
    pub(super) schema: Option<Schema>,
    pub(super) cutoff: Option<Cutoff>,
}

impl TableFacts {
    pub(crate) fn of(database: &Database) -> Self {
        let root = database.root();
        let is_listed = |column: &&Column| root.sparse_table_of(&column.name).is_none();
        let columns = root.columns().iter().filter(is_listed);
        let others = database.tables().frames();
        let others = others.filter(|(path, _)| !path.is_empty());
        let schema = database.schema();
        let main = schema.entity(&schema.root);
        Self {
            columns: columns
                .map(|column| ColumnFacts::of(column, main))
                .collect(),
            sparse: root.sparse_tables().to_vec(),
            others: others
                .map(|(path, frame)| Table::of(path, frame, schema))
                .collect(),
            schema: schema.clone(),
            cutoff: database.cutoff().cloned(),
        }
    }

    /// Is a variable a feature of a sparse table?
    pub(super) fn is_sparse_feature(&self, name: &str) -> bool {
        let mut tables = self.sparse.iter();
        tables.any(|table| table.feature_of(name).is_some())
    }

    /// Is a column of the main table a source of variables of some origins?
    pub(super) fn sources_of<'a>(
        &self,
        origins: impl Iterator<Item = &'a Origin> + Clone,
    ) -> impl Fn(&str) -> bool {
        let origins = origins.flat_map(Origin::sources);
        let expressions = origins.clone().filter_map(Origin::expression);
        let schema = self
            .schema
            .needed_by(expressions, origins.filter_map(Origin::text), &[]);
        move |name| schema.entity(&schema.root).field(name).is_some()
    }

    /// What scoring needs for variables of some origins.
    pub(super) fn needed_by<'a>(
        &self,
        origins: impl Iterator<Item = &'a Origin> + Clone,
    ) -> Needed {
        let main = Table {
            name: "main".into(),
            columns: self.columns.iter().map(|c| c.column.clone()).collect(),
        };
        let (schema, cutoff) = (Some(&self.schema), self.cutoff.as_ref());
        Needed::by(origins, main, &self.others, schema, cutoff)
    }
}

impl Needed {
    /// What variables of some origins need of tables and their relations.
    pub(super) fn by<'a>(
        origins: impl Iterator<Item = &'a Origin> + Clone,
        main: Table,
        others: &[Table],
        schema: Option<&Schema>,
        cutoff: Option<&Cutoff>,
    ) -> Self {
        let is_constructed = !origins.clone().all(Origin::is_column);
        let Some(schema) = schema.filter(|_| is_constructed) else {
            return Self {
                tables: vec![main],
                schema: None,
                cutoff: None,
            };
        };
        let mut also = times(schema, cutoff);
        let trees = origins.clone().filter_map(Origin::tree);
        also.extend(
            trees
                .flat_map(Tree::columns)
                .map(|name| (schema.root.as_str(), name)),
        );
        let origins = origins.flat_map(Origin::sources);
        let expressions = origins.clone().filter_map(Origin::expression);
        let texts = origins.filter_map(Origin::text);
        let schema = schema.needed_by(expressions, texts, &also);
        let mut tables = vec![main];
        tables.extend(needed_tables(others, &schema));
        Self {
            cutoff: cutoff.map(|cutoff| of_tables(cutoff, &tables)),
            schema: Some(schema),
            tables,
        }
    }
}

/// Entities and columns of the times of a cut-off.
fn times<'a>(schema: &'a Schema, cutoff: Option<&'a Cutoff>) -> Vec<(&'a str, &'a str)> {
    let Some(Cutoff { root, tables, .. }) = cutoff else {
        return Vec::new();
    };
    let mut times = vec![(schema.root.as_str(), root.as_str())];
    for (path, column) in tables {
        let entity = schema.entity_at(path);
        times.extend(entity.map(|entity| (entity, column.as_str())));
    }
    times
}

/// The columns that scoring needs of the tables around the main one.
fn needed_tables(others: &[Table], schema: &Schema) -> Vec<Table> {
    let table = |DataPath { path, entity }| {
        let known = others.iter().find(|table| table.name == path)?;
        let fields = schema.entity(&entity).fields.iter();
        let column = |name: &str| known.columns.iter().find(|column| column.name == name);
        let columns = fields.filter_map(|field| column(&field.name));
        Some(Table {
            columns: columns.cloned().collect(),
            name: path,
        })
    };
    schema.data_paths().into_iter().filter_map(table).collect()
}

impl ColumnFacts {
    fn of(column: &Column, entity: &Entity) -> Self {
        Self {
            column: TableColumn::of(column, Some(entity)),
            unused: column.data.unused(),
        }
    }
}

/// The cut-off of the tables that are needed.
fn of_tables(cutoff: &Cutoff, tables: &[Table]) -> Cutoff {
    let needed = |path: &String| tables.iter().any(|table| table.name == *path);
    let times = cutoff.tables.iter().filter(|(path, _)| needed(path));
    Cutoff {
        root: cutoff.root.clone(),
        tables: times.map(|(p, c)| (p.clone(), c.clone())).collect(),
        timeless: (cutoff.timeless.iter().filter(|path| needed(path)))
            .cloned()
            .collect(),
    }
}
