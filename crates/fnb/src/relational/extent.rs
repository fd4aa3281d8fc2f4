//! How far a schema goes: owned records end somewhere, and there are not too many tables.

use super::check::problem;
use super::schema::{Field, FieldKind, Schema};
use crate::{Error, Result};
use std::collections::{HashMap, HashSet};

/// The most tables of a schema, counted by data path: an entity that is owned in two places is two.
pub const MAX_TABLES: usize = 10_000;
/// The most tables that own each other in a row.
pub const MAX_TABLE_DEPTH: usize = 100;

impl Schema {
    /// Owned records end somewhere: no entity owns itself, at any depth. How many tables each entity
    /// stands for, and how deep they go.
    fn check_owners(&self) -> Result<HashMap<&str, Size>> {
        // Each entity once, whatever the number of ways that lead to it, and without recursion.
        let mut sizes: HashMap<&str, Size> = HashMap::new();
        for start in self.entities.keys() {
            if sizes.contains_key(start.as_str()) {
                continue;
            }
            let mut owners = vec![Owner::new(self, start)];
            let mut open = HashSet::from([start.as_str()]);
            while let Some(owner) = owners.last_mut() {
                let Some((entity, unused)) = owner.owned.next() else {
                    let Owner { name, size, .. } = owners.pop().expect("the last one");
                    open.remove(name);
                    sizes.insert(name, size);
                    continue;
                };
                if let Some(size) = sizes.get(entity) {
                    if !unused {
                        owner.size.add(size);
                    }
                } else if open.insert(entity) {
                    // Looked at again when its own size is known.
                    owner.owned.again = Some((entity, unused));
                    owners.push(Owner::new(self, entity));
                } else {
                    return Err(cycle(&owners, entity));
                }
            }
        }
        Ok(sizes)
    }

    /// As many tables as can be worked with: those of the root, and look-up tables that relations
    /// lead to.
    pub(super) fn check_extent(&self) -> Result<()> {
        let sizes = self.check_owners()?;
        let mut seen = HashSet::from([self.root.as_str()]);
        let mut next = vec![self.root.as_str()];
        let mut starts = HashSet::new();
        let mut all = sizes[self.root.as_str()];
        while let Some(name) = next.pop() {
            for (_, related, by) in self.entity(name).relations() {
                if by.is_some() && starts.insert(related) {
                    let size = sizes[related];
                    all.tables = all.tables.saturating_add(size.tables);
                    all.depth = all.depth.max(size.depth);
                }
                if seen.insert(related) {
                    next.push(related);
                }
            }
        }
        if all.depth > MAX_TABLE_DEPTH {
            return Err(problem(
                format!("tables own each other more than {MAX_TABLE_DEPTH} deep"),
                "keep the tables nearest to the root, and mark other relations as unused",
            ));
        }
        if all.tables > MAX_TABLES {
            return Err(problem(
                format!("the schema stands for more than {MAX_TABLES} tables"),
                "an entity is a table wherever it is owned: make some of these relations references to \
                 a look-up table, with `by`, or mark them as unused",
            ));
        }
        Ok(())
    }
}

/// What the records of an entity own, with themselves.
#[derive(Clone, Copy)]
struct Size {
    /// Number of tables.
    tables: usize,
    depth: usize,
}

impl Size {
    fn add(&mut self, owned: &Size) {
        self.tables = self.tables.saturating_add(owned.tables);
        self.depth = self.depth.max(owned.depth + 1);
    }
}

/// An entity whose owned entities are being looked at.
struct Owner<'a> {
    name: &'a str,
    size: Size,
    owned: Owned<'a>,
}

/// Owned entities to come, and whether the relation is unused.
struct Owned<'a> {
    fields: std::slice::Iter<'a, Field>,
    again: Option<(&'a str, bool)>,
}

impl<'a> Owner<'a> {
    fn new(schema: &'a Schema, name: &'a str) -> Self {
        Self {
            name,
            size: Size {
                tables: 1,
                depth: 1,
            },
            owned: Owned {
                fields: schema.entity(name).fields.iter(),
                again: None,
            },
        }
    }
}

impl<'a> Iterator for Owned<'a> {
    type Item = (&'a str, bool);

    fn next(&mut self) -> Option<Self::Item> {
        self.again.take().or_else(|| {
            self.fields.find_map(|field| match &field.kind {
                FieldKind::Relation {
                    entity, by: None, ..
                } => Some((entity.as_str(), field.unused)),
                _ => None,
            })
        })
    }
}

/// Names of a cycle that a message lists.
const NAMES: usize = 10;

/// The last of these owners owns one before it.
fn cycle(owners: &[Owner], entity: &str) -> Error {
    let names = owners.iter().map(|owner| owner.name);
    let names = names.skip_while(|name| *name != entity).chain([entity]);
    let mut names: Vec<&str> = names.collect();
    if names.len() > NAMES {
        names.splice(NAMES / 2..names.len() - NAMES / 2, ["…"]);
    }
    problem(
        format!("the schema has no end: {}", names.join(" owns ")),
        "make one of these relations a reference to a look-up table, with `by`",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::relational::{Cardinality, Entity};

    /// Entities `E0`, `E1` … of one key; each owns those that `owned` gives for its number.
    fn schema(entities: usize, owned: impl Fn(usize) -> Vec<usize>) -> Schema {
        let key = Field {
            name: "id".into(),
            kind: FieldKind::Column {
                ty: crate::columns::ColumnType::Categorical,
            },
            unused: false,
        };
        let entity = |i: usize| {
            let relations = owned(i).into_iter().enumerate().map(|(r, to)| Field {
                name: format!("r{r}"),
                kind: FieldKind::Relation {
                    relation: Cardinality::One,
                    entity: format!("E{to}"),
                    by: None,
                },
                unused: false,
            });
            let fields = [key.clone()].into_iter().chain(relations).collect();
            let key = vec!["id".to_owned()];
            (format!("E{i}"), Entity { key, fields })
        };
        Schema {
            root: "E0".into(),
            entities: (0..entities).map(entity).collect(),
        }
    }

    fn refused(schema: &Schema) -> String {
        let error = schema.check().expect_err("too much");
        assert_eq!(error.code(), crate::Code::InvalidSchema);
        assert!(error.advice().is_some());
        error.message().to_owned()
    }

    #[test]
    fn each_level_that_owns_the_next_twice_is_refused_at_once() {
        let fan = |levels: usize| {
            schema(levels, |i| {
                if i + 1 < levels {
                    vec![i + 1; 2]
                } else {
                    vec![]
                }
            })
        };
        assert!(refused(&fan(60)).contains("more than 10000 tables"));
        let small = fan(13);
        assert!(small.check().is_ok());
        assert_eq!(small.data_paths().len(), (1 << 13) - 1);
    }

    #[test]
    fn a_long_chain_does_not_overflow_the_stack() {
        let n = 200_000;
        let next = |i: usize| if i + 1 < n { vec![i + 1] } else { vec![] };
        assert!(refused(&schema(n, next)).contains("more than 100 deep"));
        let around = refused(&schema(n, |i| vec![(i + 1) % n]));
        assert!(around.starts_with("the schema has no end: E0 owns E1 owns"));
        assert!(around.len() < 300, "{around}");
        let chain = schema(MAX_TABLE_DEPTH, |i| {
            (i + 1..MAX_TABLE_DEPTH).take(1).collect()
        });
        assert!(chain.check().is_ok());
        assert_eq!(chain.data_paths().len(), MAX_TABLE_DEPTH);
    }

    #[test]
    fn wide_tables_take_time_in_proportion() {
        let mut wide = schema(2, |i| if i == 0 { vec![1] } else { vec![] });
        let fields = &mut wide.entities.get_mut("E0").expect("the root").fields;
        let first = fields[0].clone();
        fields.extend((0..300_000).map(|i| Field {
            name: format!("column {i}"),
            ..first.clone()
        }));
        assert!(wide.check().is_ok());
    }
}
