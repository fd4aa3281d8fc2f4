//! Tables and how they hang together (docs/method.md §10.1).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

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
///             {"name": "id", "type": "Categorical"},
///             {"name": "Orders", "relation": "many", "entity": "Order"}]},
///         "Order": {"key": ["id"], "fields": [
///             {"name": "id", "type": "Categorical"}, {"name": "price", "type": "Numerical"}]}}}"#,
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
#[serde(untagged)]
pub enum FieldKind {
    /// Values of the entity's own table.
    Column {
        /// Their type.
        #[serde(rename = "type")]
        ty: FieldType,
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

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum FieldType {
    /// Numbers.
    Numerical,
    /// Categories; missing is the empty text.
    Categorical,
    /// Dates.
    Date,
    /// Times of day.
    Time,
    /// Dates with a time of day.
    Timestamp,
    /// Long text.
    Text,
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

impl Schema {
    /// The entity of that name, which must be one of the schema.
    pub fn entity(&self, name: &str) -> &Entity {
        &self.entities[name]
    }
}
