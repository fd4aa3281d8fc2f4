//! The part of a schema that some expressions need.

use super::expression::Expression;
use super::schema::{Entity, FieldKind, Schema};
use super::text::TextFeature;
use std::collections::{BTreeMap, BTreeSet};

impl Schema {
    /// The schema without the fields, relations and entities that none of the expressions and texts of
    /// its root needs. Keys that are joined stay, and so do the columns named in `also`, given by entity.
    ///
    /// ```
    /// use fnb::relational::{Expression, Schema};
    /// let schema: Schema = serde_json::from_str(
    ///     r#"{"root": "Customer", "entities": {
    ///         "Customer": {"key": ["id"], "fields": [
    ///             {"name": "id", "type": "categorical"},
    ///             {"name": "Visits", "relation": "many", "entity": "Visit"},
    ///             {"name": "Orders", "relation": "many", "entity": "Order"}]},
    ///         "Visit": {"key": ["id"], "fields": [{"name": "id", "type": "categorical"}]},
    ///         "Order": {"key": ["id"], "fields": [
    ///             {"name": "id", "type": "categorical"},
    ///             {"name": "day", "type": "date"}, {"name": "price", "type": "numerical"}]}}}"#,
    /// )?;
    /// let mean: Expression =
    ///     serde_json::from_str(r#"{"rule": "TableMean", "args": ["Orders", "price"]}"#)?;
    /// let needed = schema.needed_by([&mean], [], &[]);
    /// assert!(!needed.entities.contains_key("Visit"));
    /// assert_eq!(needed.entity("Order").fields.len(), 2);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn needed_by<'a>(
        &self,
        expressions: impl IntoIterator<Item = &'a Expression>,
        texts: impl IntoIterator<Item = &'a TextFeature>,
        also: &[(&str, &str)],
    ) -> Self {
        let mut needed = Needed {
            schema: self,
            fields: BTreeMap::new(),
        };
        // Rows need a key only to own records.
        needed.fields.insert(self.root.clone(), BTreeSet::new());
        for expression in expressions {
            needed.visit(expression, &self.root);
        }
        for text in texts {
            needed.text(text);
        }
        for (entity, column) in also {
            if let Some(fields) = needed.fields.get_mut(*entity) {
                fields.insert((*column).to_owned());
            }
        }
        let entities = needed.fields.iter().map(|(name, fields)| {
            let entity = self.entity(name);
            let kept = entity.fields.iter().filter(|f| fields.contains(&f.name));
            let has_key = entity.key.iter().all(|column| fields.contains(column));
            let entity = Entity {
                key: if has_key {
                    entity.key.clone()
                } else {
                    Vec::new()
                },
                fields: kept.cloned().collect(),
            };
            (name.clone(), entity)
        });
        Self {
            root: self.root.clone(),
            entities: entities.collect(),
        }
    }
}

struct Needed<'a> {
    schema: &'a Schema,
    /// By entity.
    fields: BTreeMap<String, BTreeSet<String>>,
}

impl Needed<'_> {
    /// The records of an entity are looked for, by their key.
    fn entity(&mut self, name: &str) {
        let key = &self.schema.entity(name).key;
        let fields = self.fields.entry(name.to_owned()).or_default();
        fields.extend(key.iter().cloned());
    }

    fn field(&mut self, entity: &str, name: &str) {
        let fields = self.fields.entry(entity.to_owned()).or_default();
        fields.insert(name.to_owned());
    }

    /// The records of a relation are needed; their entity.
    fn relation(&mut self, entity: &str, name: &str) -> Option<String> {
        let field = self.schema.entity(entity).field(name)?;
        let FieldKind::Relation {
            entity: related,
            by,
            ..
        } = &field.kind
        else {
            return None;
        };
        self.field(entity, name);
        let here = by.as_ref().unwrap_or(&self.schema.entity(entity).key);
        for column in here {
            self.field(entity, column);
        }
        self.entity(related);
        Some(related.clone())
    }

    fn text(&mut self, text: &TextFeature) {
        let mut entity = self.schema.root.clone();
        for relation in &text.path {
            match self.relation(&entity, relation) {
                Some(related) => entity = related,
                None => return,
            }
        }
        self.field(&entity, &text.text);
    }

    /// The entity of the records that an expression leads to, if it does.
    fn visit(&mut self, expression: &Expression, entity: &str) -> Option<String> {
        match expression {
            Expression::Field(name) => {
                let related = self.relation(entity, name);
                if related.is_none() {
                    self.field(entity, name);
                }
                related
            }
            Expression::Apply { args, .. } => {
                let mut scope = entity.to_owned();
                for arg in args {
                    if let Some(related) = self.visit(arg, &scope) {
                        scope = related;
                    }
                }
                None
            }
            Expression::Select { select, conditions } => {
                let related = self.relation(entity, select)?;
                for condition in conditions {
                    self.visit(&condition.operand, &related);
                }
                Some(related)
            }
        }
    }
}
