//! Where the tables of a schema lie and which relation leads where.

use super::path::place;
use super::schema::{Cardinality, FieldKind, Schema};
use crate::{Code, Error, Result};
use std::collections::HashMap;

/// The tables of a schema, in the order of [`Schema::data_paths`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) tables: Vec<TableLayout>,
}

/// A table: whose records, and where its relations lead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TableLayout {
    pub(super) path: String,
    pub(super) entity: String,
    /// The table whose records own these and the relation that says so; none for the root and for
    /// look-up tables.
    pub(super) owner: Option<Owner>,
    pub(super) links: Vec<LinkLayout>,
}

/// The relation through which records are owned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Owner {
    pub(super) table: usize,
    pub(super) link: usize,
}

/// A relation of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LinkLayout {
    pub(super) name: String,
    /// The table it leads to.
    pub(super) table: usize,
    pub(super) cardinality: Cardinality,
    /// The columns that hold the key of a look-up table; none if the records are owned.
    pub(super) by: Option<Vec<String>>,
}

impl Layout {
    pub(super) fn new(schema: &Schema) -> Self {
        let paths = schema.data_paths();
        let places = paths.iter().enumerate();
        let places: HashMap<&str, usize> = places.map(|(i, t)| (t.path.as_str(), i)).collect();
        let position = |path: &str| places.get(path).copied();
        let mut tables: Vec<TableLayout> = Vec::with_capacity(paths.len());
        for table in &paths {
            let fields = schema.entity(&table.entity).fields.iter();
            let links = fields.filter(|field| !field.unused).filter_map(|field| {
                let FieldKind::Relation {
                    relation,
                    entity,
                    by,
                } = &field.kind
                else {
                    return None;
                };
                let target = match by {
                    Some(_) => position(&format!("/{entity}")),
                    None => position(&child_path(&table.path, &field.name)),
                };
                // No path: an entity that owns itself ends there.
                target.map(|target| LinkLayout {
                    name: field.name.clone(),
                    table: target,
                    cardinality: *relation,
                    by: by.clone(),
                })
            });
            tables.push(TableLayout {
                path: table.path.clone(),
                entity: table.entity.clone(),
                owner: None,
                links: links.collect(),
            });
        }
        for table in 0..tables.len() {
            for link in 0..tables[table].links.len() {
                let LinkLayout {
                    table: owned, by, ..
                } = &tables[table].links[link];
                if by.is_none() {
                    let owned = *owned;
                    tables[owned].owner = Some(Owner { table, link });
                }
            }
        }
        Self { tables }
    }

    /// The relation of that name of a table.
    pub(super) fn link(&self, table: usize, name: &str) -> Result<usize> {
        let layout = &self.tables[table];
        let found = layout.links.iter().position(|link| link.name == name);
        found.ok_or_else(|| {
            let place = place(&layout.path);
            let message = format!("{name:?} is not a relation of {place}");
            Error::new(Code::InvalidSchema, message)
                .help("constructed variables belong to the schema they were constructed with")
        })
    }
}

/// The data path of the records that those of `path` own through `relation`.
fn child_path(path: &str, relation: &str) -> String {
    if path.is_empty() {
        relation.to_owned()
    } else {
        format!("{path}/{relation}")
    }
}
