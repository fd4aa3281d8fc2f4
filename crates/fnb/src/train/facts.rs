//! What a model must know of the tables it was learnt from, once their rows are gone.

use super::distribution::facts_of_values;
use crate::columns::{Column, RowWeights, SparseTable, Spelling};
use crate::model::{JoinFacts, Table, TableColumn, ValueFacts};
use crate::relational::{Cutoff, DataPath, Database, Entity, Schema};
use crate::terms::{Origin, Tree};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Names, types and relations, and how values lie, but no values of rows.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct TableFacts {
    /// The columns of the main table in its order, without the features of sparse tables.
    pub(super) columns: Vec<ColumnFacts>,
    /// The tables of (row, feature, value).
    pub(super) sparse: Vec<SparseTable>,
    /// The columns of the other tables.
    others: Vec<Table>,
    schema: Schema,
    cutoff: Option<Cutoff>,
    /// What joining found, if there are several tables.
    pub(super) joins: Vec<JoinFacts>,
}

/// A column of the main table.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ColumnFacts {
    pub(super) column: TableColumn,
    /// Why it is not used as it is.
    pub(super) unused: Option<Cow<'static, str>>,
    /// How its values lie, if it was read and is not used as it is: columns that are prepared know it.
    pub(super) values: Option<ValueFacts>,
}

/// What scoring must know of the tables.
pub(super) struct Needed {
    pub(super) tables: Vec<Table>,
    pub(super) schema: Option<Schema>,
    pub(super) cutoff: Option<Cutoff>,
}

impl TableFacts {
    /// `weights` are those of the rows of the main table.
    pub(crate) fn of(database: &Database, weights: Option<&RowWeights>) -> Self {
        let root = database.root();
        let is_listed = |column: &&Column| root.sparse_table_of(&column.name).is_none();
        let columns = root.columns().iter().filter(is_listed);
        let others = database.tables().frames();
        let others = others.filter(|(path, _)| !path.is_empty());
        let schema = database.schema();
        let main = schema.entity(&schema.root);
        Self {
            columns: columns
                .map(|column| ColumnFacts::of(column, main, weights))
                .collect(),
            sparse: root.sparse_tables().to_vec(),
            others: others
                .map(|(path, frame)| Table::of(path, frame, schema))
                .collect(),
            schema: schema.clone(),
            cutoff: database.cutoff().cloned(),
            joins: joins(database),
        }
    }

    /// Takes note of how the values of a column lie that were counted elsewhere.
    pub(super) fn set_values(&mut self, values: Option<ValueFacts>) {
        let Some(values) = values else {
            return;
        };
        let mut columns = self.columns.iter_mut();
        if let Some(facts) = columns.find(|facts| facts.column.name == values.name) {
            facts.values = facts.unused.is_some().then_some(values);
        }
    }

    /// Takes note of how the categories of a column are written, which were counted elsewhere; keys of joined
    /// tables are not spelt anew.
    pub(super) fn set_spelling(&mut self, name: &str, spelling: Option<Spelling>) {
        let root = self.schema.entity(&self.schema.root);
        if root.joining_columns().any(|key| key == name) {
            return;
        }
        let mut columns = self.columns.iter_mut();
        if let Some(facts) = columns.find(|facts| facts.column.name == name) {
            facts.column.spelling = spelling;
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
    fn of(column: &Column, entity: &Entity, weights: Option<&RowWeights>) -> Self {
        Self {
            values: (column.data.unused()).and_then(|_| facts_of_values(column, weights)),
            column: TableColumn::of(column, Some(entity)),
            unused: column.data.unused().map(Cow::Borrowed),
        }
    }
}

/// What joining found, table by table.
fn joins(database: &Database) -> Vec<JoinFacts> {
    let tables = database.tables();
    if tables.reports().len() < 2 {
        return Vec::new();
    }
    let found = tables.reports().iter().zip(tables.frames());
    let facts = found.map(|(report, (path, frame))| {
        let unmatched = report.unmatched.iter().filter(|(_, rows)| **rows > 0);
        JoinFacts {
            table: if path.is_empty() { "main" } else { path }.into(),
            rows: report.rows as u64,
            columns: frame.columns().len(),
            orphans: report.orphans as u64,
            repeated: report.repeated as u64,
            shared: report.shared as u64,
            hidden: report.hidden as u64,
            without: tables.roots_without(path).map(|rows| rows as u64),
            unmatched: unmatched
                .map(|(k, &rows)| (k.clone(), rows as u64))
                .collect(),
        }
    });
    facts.collect()
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
