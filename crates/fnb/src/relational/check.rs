//! Is a schema sound? Every problem has a place and a next step.

use super::schema::{Cardinality, Entity, Field, FieldKind, Schema};
use crate::columns::ColumnType;
use crate::math::nearest_name;
use crate::{Advice, Code, Error, Result};
use std::collections::{HashMap, HashSet};

/// An error with a next step.
pub(super) fn problem(message: String, help: impl Into<Advice>) -> Error {
    Error::new(Code::InvalidSchema, message).help(help)
}

/// An entity, with what is asked of it more than once: the checks of all relations take time in
/// proportion to the schema.
struct Known<'a> {
    entity: &'a Entity,
    columns: HashMap<&'a str, ColumnType>,
    /// The types of the columns of the key.
    key: Vec<Option<ColumnType>>,
    /// Do its records own others?
    owns: bool,
}

impl<'a> Known<'a> {
    fn new(entity: &'a Entity) -> Self {
        let mut columns = HashMap::new();
        let mut owns = false;
        for field in &entity.fields {
            match &field.kind {
                FieldKind::Column { ty } => {
                    columns.entry(field.name.as_str()).or_insert(*ty);
                }
                FieldKind::Relation { by, .. } => owns |= by.is_none(),
            }
        }
        let key = entity.key.iter().map(|name| columns.get(name.as_str()));
        Self {
            entity,
            key: key.map(Option::<&_>::copied).collect(),
            columns,
            owns,
        }
    }
}

/// The entities by name.
type All<'a> = HashMap<&'a str, Known<'a>>;

impl Schema {
    /// Finds the first problem: an entity or key that does not exist, keys that do not fit together,
    /// two fields of one name, entities that own each other.
    ///
    /// ```
    /// use fnb::relational::Schema;
    /// let schema: Schema = serde_json::from_str(
    ///     r#"{"root": "Customer", "entities": {"Customer": {"key": ["id"], "fields": [
    ///         {"name": "id", "type": "categorical"},
    ///         {"name": "Orders", "relation": "many", "entity": "Order"}]}}}"#,
    /// )?;
    /// let error = schema.check().expect_err("there is no entity Order");
    /// assert_eq!(error.code(), fnb::Code::InvalidSchema);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn check(&self) -> Result<()> {
        let known = self.entities.iter();
        let known: All = known.map(|(n, e)| (n.as_str(), Known::new(e))).collect();
        self.known(&known, &self.root, "the root of the schema")?;
        for (name, entity) in &self.entities {
            check_fields(name, entity)?;
            check_key(name, &known[name.as_str()])?;
            for field in &entity.fields {
                self.check_relation(&known, name, field)?;
            }
        }
        self.check_extent()
    }

    /// The entity of that name, which `whose` asks for.
    fn known<'a>(&self, known: &'a All, name: &str, whose: &str) -> Result<&'a Known<'a>> {
        known.get(name).ok_or_else(|| {
            let names = self.entities.keys().map(String::as_str);
            let all = names.clone().collect::<Vec<_>>().join(", ");
            let otherwise = format!("the entities of the schema are: {all}");
            let help = Advice::did_you_mean(nearest_name(name, names), otherwise);
            problem(format!("{whose} is {name:?}, which is no entity"), help)
        })
    }

    fn check_relation(&self, known: &All, name: &str, field: &Field) -> Result<()> {
        let FieldKind::Relation {
            relation,
            entity: related,
            by,
        } = &field.kind
        else {
            return Ok(());
        };
        let place = format!("{name}.{}", field.name);
        if field.name.contains('/') {
            return Err(problem(
                format!("the relation {place} has a \"/\" in its name"),
                "rename it: \"/\" separates the names of a data path",
            ));
        }
        let whose = format!("the entity of the relation {place}");
        let entity = &known[name];
        let there = (related.as_str(), self.known(known, related, &whose)?);
        match by {
            Some(by) => check_reference(&place, (name, entity), *relation, by, there),
            None => check_owned(&place, entity, *relation, there),
        }
    }
}

fn check_fields(name: &str, entity: &Entity) -> Result<()> {
    let mut names = HashSet::with_capacity(entity.fields.len());
    for (i, field) in entity.fields.iter().enumerate() {
        if field.name.is_empty() {
            return Err(problem(
                format!("field {} of {name} has no name", i + 1),
                "give it one",
            ));
        }
        if !names.insert(field.name.as_str()) {
            return Err(problem(
                format!("{name} has two fields named {:?}", field.name),
                "rename one of them",
            ));
        }
    }
    Ok(())
}

/// Can values of this type name a record?
fn names_records(ty: ColumnType) -> bool {
    ty != ColumnType::Text
}

fn check_key(name: &str, known: &Known) -> Result<()> {
    let entity = known.entity;
    let mut names = HashSet::with_capacity(entity.key.len());
    for (key, ty) in entity.key.iter().zip(&known.key) {
        if !names.insert(key.as_str()) {
            return Err(problem(
                format!("the key of {name} has {key:?} twice"),
                "name each field once",
            ));
        }
        match ty {
            Some(ty) if names_records(*ty) => {}
            Some(_) => {
                return Err(problem(
                    format!("the key field {key:?} of {name} is long text"),
                    "declare it Categorical",
                ));
            }
            None => return Err(unknown_column(name, entity, key, "the key")),
        }
    }
    Ok(())
}

/// A key, or a reference, names a column that is not there.
fn unknown_column(name: &str, entity: &Entity, column: &str, whose: &str) -> Error {
    let columns = entity.fields.iter().filter_map(|field| match field.kind {
        FieldKind::Column { .. } => Some(field.name.as_str()),
        FieldKind::Relation { .. } => None,
    });
    let otherwise = format!("add the column to the fields of {name}");
    let help = Advice::did_you_mean(nearest_name(column, columns), otherwise);
    problem(
        format!("{whose} of {name} has {column:?}, which is no column of {name}"),
        help,
    )
}

/// Columns that hold the same key in two entities have the same types: names and types of both.
fn check_types<'a>(
    place: &str,
    here: impl Iterator<Item = (&'a String, Option<ColumnType>)>,
    there: &Known,
) -> Result<()> {
    let there = there.entity.key.iter().zip(&there.key);
    for ((own, own_type), (other, other_type)) in here.zip(there) {
        if let (Some(own_type), Some(other_type)) = (own_type, *other_type)
            && own_type != other_type
        {
            return Err(problem(
                format!(
                    "{place} joins {own:?}, which is {own_type:?}, with {other:?}, which is {other_type:?}"
                ),
                "declare both with the same type",
            ));
        }
    }
    Ok(())
}

fn check_reference(
    place: &str,
    (name, here): (&str, &Known),
    relation: Cardinality,
    by: &[String],
    (related_name, there): (&str, &Known),
) -> Result<()> {
    if relation == Cardinality::Many {
        return Err(problem(
            format!("the reference {place} leads to many records"),
            "a key of a look-up table names one record: write \"one\"",
        ));
    }
    let related = there.entity;
    if by.len() != related.key.len() || by.is_empty() {
        return Err(problem(
            format!(
                "the reference {place} has {} fields, the key of {related_name} has {}",
                by.len(),
                related.key.len()
            ),
            format!("give one field of `by` for each of: {:?}", related.key),
        ));
    }
    for column in by {
        if !here.columns.contains_key(column.as_str()) {
            return Err(unknown_column(name, here.entity, column, "a reference"));
        }
    }
    let types = by.iter().map(|column| here.columns.get(column.as_str()));
    check_types(place, by.iter().zip(types.map(Option::<&_>::copied)), there)
}

/// The key of owned records starts with the key of their owner, whatever the names of its columns.
fn check_owned(
    place: &str,
    here: &Known,
    relation: Cardinality,
    (related_name, there): (&str, &Known),
) -> Result<()> {
    let (entity, related) = (here.entity, there.entity);
    if entity.key.is_empty() {
        return Err(problem(
            format!("the relation {place} needs a key to join on"),
            "name the key of the owner",
        ));
    }
    if related.key.len() < entity.key.len() {
        return Err(problem(
            format!(
                "the key of {related_name} {:?} does not start with the key {:?} of its owner, as the relation {place} asks",
                related.key, entity.key
            ),
            "put the columns that name the owner first in the key, or make it a reference with `by`",
        ));
    }
    if relation == Cardinality::Many && there.owns && related.key.len() == entity.key.len() {
        return Err(problem(
            format!(
                "the key of {related_name} does not tell its records apart, but they own others"
            ),
            format!(
                "add to the key of {related_name} the column that numbers the records of {place}"
            ),
        ));
    }
    check_types(
        place,
        entity.key.iter().zip(here.key.iter().copied()),
        there,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str) -> String {
        format!(r#"{{"name": "{name}", "type": "categorical"}}"#)
    }

    /// The message about a schema of a customer with the given fields, orders with the given key,
    /// and cities.
    fn message(customer_fields: &[&str], order_key: &str, order_fields: &[&str]) -> String {
        let fields = |own: &[&str]| {
            let own = own.iter().map(|field| (*field).to_owned());
            [column("id"), column("n")]
                .into_iter()
                .chain(own)
                .collect::<Vec<_>>()
                .join(",")
        };
        let text = format!(
            r#"{{"root": "Customer", "entities": {{
                "Customer": {{"key": ["id"], "fields": [{}]}},
                "Order": {{"key": [{order_key}], "fields": [{}]}},
                "City": {{"key": ["id"], "fields": [{}, {{"name": "x", "type": "numerical"}}]}}}}}}"#,
            fields(customer_fields),
            fields(order_fields),
            column("id"),
        );
        let schema: Schema = serde_json::from_str(&text).expect("a schema");
        schema
            .check()
            .err()
            .map_or(String::new(), |error| error.to_string())
    }

    #[test]
    fn every_problem_is_named() {
        let orders = r#"{"name": "Orders", "relation": "many", "entity": "Order"}"#;
        let key = r#""id", "n""#;
        assert_eq!(message(&[orders], key, &[]), "");
        assert_eq!(message(&[orders], r#""n""#, &[]), "", "names may differ");
        for (fields, key, order_fields, expected) in [
            (
                r#"{"name": "Orders", "relation": "many", "entity": "Ordr"}"#,
                key,
                vec![],
                "did you mean \"Order\"?",
            ),
            (orders, r#""idd""#, vec![], "which is no column of Order"),
            (orders, "", vec![], "does not start with the key"),
            (orders, r#""id", "id""#, vec![], "twice"),
            (
                r#"{"name": "n", "type": "numerical"}"#,
                key,
                vec![],
                "two fields named \"n\"",
            ),
            (
                r#"{"name": "Home", "relation": "one", "entity": "City", "by": ["id", "n"]}"#,
                key,
                vec![],
                "has 2 fields, the key of City has 1",
            ),
            (
                r#"{"name": "Home", "relation": "one", "entity": "City", "by": ["m"]}"#,
                key,
                vec![],
                "no column of Customer",
            ),
            (
                r#"{"name": "Home", "relation": "many", "entity": "City", "by": ["n"]}"#,
                key,
                vec![],
                "leads to many records",
            ),
            (
                orders,
                key,
                vec![r#"{"name": "Back", "relation": "one", "entity": "Customer"}"#],
                "does not start with the key",
            ),
            (
                orders,
                r#""id""#,
                vec![r#"{"name": "Back", "relation": "one", "entity": "Customer"}"#],
                "they own others",
            ),
            (
                r#"{"name": "Orders", "relation": "one", "entity": "Order"}"#,
                r#""id""#,
                vec![r#"{"name": "Back", "relation": "one", "entity": "Customer"}"#],
                "Customer owns Order owns Customer",
            ),
            (
                r#"{"name": "A/B", "relation": "many", "entity": "Order"}"#,
                key,
                vec![],
                "has a \"/\" in its name",
            ),
            (
                r#"{"name": "z", "type": "numerical"}, {"name": "Home", "relation": "one", "entity": "City", "by": ["z"]}"#,
                key,
                vec![],
                "joins \"z\", which is Numerical, with \"id\", which is Categorical",
            ),
        ] {
            let found = message(&[fields], key, &order_fields);
            assert!(found.contains(expected), "{found:?} is not {expected:?}");
            assert!(
                found.contains("error[D18]") && found.contains("help: "),
                "{found}"
            );
        }
    }
}
