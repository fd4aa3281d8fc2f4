//! Tables and how they are related (docs/method.md §10.1).

use crate::columns::ColumnType;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};

/// Every record type, and the one whose records are classified.
///
/// The order of the fields of an entity is part of the schema: it decides between equally probable
/// constructions.
///
/// ```
/// use fnb::relational::Schema;
/// let schema: Schema = serde_json::from_str(
///     r#"{"root": "Customer", "entities": {
///         "Customer": {"key": ["id"], "fields": [
///             {"name": "id", "type": "categorical"},
///             {"name": "Orders", "relation": "many", "entity": "Order"}]},
///         "Order": {"key": ["id"], "fields": [
///             {"name": "id", "type": "categorical"}, {"name": "price", "type": "numerical"}]}}}"#,
/// )?;
/// assert_eq!(schema.entity("Order").key, ["id"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Schema {
    /// The entity whose records are classified.
    pub root: String,
    /// All entities by name.
    pub entities: BTreeMap<String, Entity>,
}

/// A record type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Entity {
    /// The fields that name a record; those of an owned entity start with the key of its owner.
    pub key: Vec<String>,
    /// Columns and relations, in order.
    pub fields: Vec<Field>,
}

/// A column or a relation of an entity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// What it holds.
    #[serde(flatten)]
    pub kind: FieldKind,
    /// Does the construction leave it alone?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unused: bool,
}

/// What a field holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "a field has a type, or a relation (one or many) and its entity"
)]
pub enum FieldKind {
    /// Values of the entity's own table.
    Column {
        /// Their type.
        #[serde(rename = "type")]
        ty: ColumnType,
    },
    /// Records of another entity.
    Relation {
        /// How many.
        relation: Cardinality,
        /// Whose records.
        entity: String,
        /// The fields here that hold the key of a record of a look-up table; without them the
        /// records are owned: their key starts with the key of the owner.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Vec<String>>,
    },
}

/// How many records a relation leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Cardinality {
    /// At most one.
    One,
    /// Any number.
    Many,
}

/// A table of records as it is given: where in the schema, and whose records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataPath {
    /// `""` for the root, `Orders`, `Orders/Items` for owned records, `/City`, `/City/Shops` for
    /// look-up tables and what they own.
    pub path: String,
    /// The entity of its records.
    pub entity: String,
}

impl Schema {
    /// The entity of that name, which must be one of the schema.
    pub fn entity(&self, name: &str) -> &Entity {
        &self.entities[name]
    }

    /// Marks columns of the table at a data path as unused: no inputs, but those of keys still join tables.
    ///
    /// ```
    /// # use fnb::relational::Schema;
    /// # let mut schema: Schema = serde_json::from_str(r#"{"root": "Customer", "entities": {
    /// #   "Customer": {"key": ["id"], "fields": [{"name": "id", "type": "categorical"}]}}}"#)?;
    /// schema.leave_out("", &["id".to_owned()]);
    /// assert!(schema.entity("Customer").fields[0].unused);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn leave_out(&mut self, path: &str, names: &[String]) {
        let entity = self.entity_at(path).map(str::to_owned);
        let entity = entity.and_then(|name| self.entities.get_mut(&name));
        for field in entity.into_iter().flat_map(|entity| &mut entity.fields) {
            field.unused |= names.contains(&field.name);
        }
    }

    /// Every table that evaluation may need: the root, owned tables depth first, then look-up tables
    /// in the order in which relations first lead to them. Relations marked unused lead nowhere.
    ///
    /// ```
    /// # use fnb::relational::Schema;
    /// # let schema: Schema = serde_json::from_str(r#"{"root": "Customer", "entities": {
    /// #   "Customer": {"key": ["id"], "fields": [
    /// #     {"name": "id", "type": "categorical"},
    /// #     {"name": "Home", "relation": "one", "entity": "City", "by": ["id"]},
    /// #     {"name": "Orders", "relation": "many", "entity": "Order"}]},
    /// #   "Order": {"key": ["id"], "fields": [{"name": "id", "type": "categorical"}]},
    /// #   "City": {"key": ["id"], "fields": [{"name": "id", "type": "categorical"}]}}}"#)?;
    /// let paths: Vec<String> = schema.data_paths().into_iter().map(|table| table.path).collect();
    /// assert_eq!(paths, ["", "Orders", "/City"]);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn data_paths(&self) -> Vec<DataPath> {
        let mut tables = Vec::new();
        let mut look_ups = vec![self.root.as_str()];
        let mut noted = HashSet::new();
        let mut done = 0;
        while let Some(&entity) = look_ups.get(done) {
            let path = if done == 0 {
                String::new()
            } else {
                format!("/{entity}")
            };
            // The tables that own the next, each with its relations to come: no recursion, a schema
            // that was not checked may be of any depth.
            let mut owners = vec![(path.clone(), entity, self.entity(entity).relations())];
            tables.push(DataPath {
                path,
                entity: entity.to_owned(),
            });
            while let Some((path, _, relations)) = owners.last_mut() {
                let Some((field, related, by)) = relations.next() else {
                    owners.pop();
                    continue;
                };
                if by.is_some() {
                    // The root may be looked up too: then it is a table of its own, `/Root`.
                    if noted.insert(related) {
                        look_ups.push(related);
                    }
                    continue;
                }
                let path = match path.as_str() {
                    "" => field.name.clone(),
                    path => format!("{path}/{}", field.name),
                };
                if owners.iter().all(|(_, owner, _)| *owner != related) {
                    owners.push((path.clone(), related, self.entity(related).relations()));
                    tables.push(DataPath {
                        path,
                        entity: related.to_owned(),
                    });
                }
            }
            done += 1;
        }
        tables
    }

    /// The entity of the records at a data path, if there are any.
    ///
    /// ```
    /// # use fnb::relational::Schema;
    /// # let schema: Schema = serde_json::from_str(r#"{"root": "Customer", "entities": {
    /// #   "Customer": {"key": ["id"], "fields": [
    /// #     {"name": "id", "type": "categorical"},
    /// #     {"name": "Orders", "relation": "many", "entity": "Order"}]},
    /// #   "Order": {"key": ["id"], "fields": [{"name": "id", "type": "categorical"}]}}}"#)?;
    /// assert_eq!(schema.entity_at("Orders"), Some("Order"));
    /// assert_eq!(schema.entity_at("Invoices"), None);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn entity_at(&self, path: &str) -> Option<&str> {
        let (mut entity, owned) = match path.strip_prefix('/') {
            None => (self.root.as_str(), path),
            Some(path) => path.split_once('/').unwrap_or((path, "")),
        };
        for name in owned.split('/').filter(|name| !name.is_empty()) {
            let (_, related, by) = self
                .entities
                .get(entity)?
                .relations()
                .find(|(field, ..)| field.name == name)?;
            if by.is_some() {
                return None;
            }
            entity = related;
        }
        self.entities
            .get_key_value(entity)
            .map(|(name, _)| name.as_str())
    }
}

impl Entity {
    /// The field of that name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The relations that are used, in order: the field, the entity it leads to, and the fields that
    /// hold the key of a look-up table.
    pub fn relations(&self) -> impl Iterator<Item = (&Field, &str, Option<&[String]>)> {
        self.fields
            .iter()
            .filter(|field| !field.unused)
            .filter_map(|field| match &field.kind {
                FieldKind::Relation { entity, by, .. } => {
                    Some((field, entity.as_str(), by.as_deref()))
                }
                FieldKind::Column { .. } => None,
            })
    }

    /// The columns that tables are joined by: the key, and those that hold the key of a look-up table.
    ///
    /// ```
    /// let entity: fnb::relational::Entity = serde_json::from_str(r#"{"key": ["id"], "fields": [
    ///     {"name": "id", "type": "categorical"}, {"name": "home", "type": "categorical"},
    ///     {"name": "city", "relation": "one", "entity": "City", "by": ["home"]}]}"#)?;
    /// assert_eq!(entity.joining_columns().collect::<Vec<_>>(), ["id", "home"]);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn joining_columns(&self) -> impl Iterator<Item = &str> {
        let references = self.fields.iter().filter_map(|field| match &field.kind {
            FieldKind::Relation { by, .. } => by.as_ref(),
            FieldKind::Column { .. } => None,
        });
        let columns = self.key.iter().chain(references.flatten());
        columns.map(String::as_str)
    }

    /// The type of a column.
    pub(crate) fn column_type(&self, name: &str) -> Option<ColumnType> {
        match self.field(name)?.kind {
            FieldKind::Column { ty } => Some(ty),
            FieldKind::Relation { .. } => None,
        }
    }
}
