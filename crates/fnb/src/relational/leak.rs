//! A table around the main one that holds the target itself.

use super::database::Database;
use super::expression::Expression;
use super::path::{place, shown};
use super::rule::Rule;
use super::schema::{Cardinality, Entity, FieldKind, Schema};
use crate::columns::{ColumnData, ColumnType, Target};
use crate::{Advice, Code, Error, Result};
use hashbrown::{HashMap, HashSet};
use std::collections::VecDeque;

impl Database {
    /// Fails (U01) if a table around the main one has a column of the name of the target that tells the
    /// class of every row: it is the target, and would not be known of new rows. What has its name but
    /// says something else, such as earlier outcomes, is fine.
    pub fn check_target_is_apart(&self, target: &Target) -> Result<()> {
        for (path, value) in columns_named(self.schema(), target.name()) {
            let values = self.values(&[value], super::Arithmetic::default())?;
            if values.iter().all(|values| tells(values, target.codes())) {
                let (name, table) = (target.name(), place(&path));
                let message = format!("{table} holds the target {name:?}");
                return Err(Error::new(Code::Usage, message).help(Advice::LeaveOut {
                    column: format!("{}.{name}", shown(&path)),
                }));
            }
        }
        Ok(())
    }
}

/// Every table with a column of that name, and its value for a row of the root: of many records the most
/// frequent one, or the greatest number.
fn columns_named(schema: &Schema, name: &str) -> Vec<(String, Expression)> {
    let mut found = Vec::new();
    let mut reached: HashSet<&str> = HashSet::from([schema.root.as_str()]);
    // Tables to look at, each with the relations that lead to it.
    let mut next = VecDeque::from([(String::new(), schema.root.as_str(), Vec::new())]);
    while let Some((path, entity, route)) = next.pop_front() {
        let entity = schema.entity(entity);
        if !route.is_empty()
            && let Some(value) = value(entity, name, &route)
        {
            found.push((path.clone(), value));
        }
        for (field, related, by) in entity.relations() {
            if !reached.insert(related) {
                continue;
            }
            let FieldKind::Relation { relation, .. } = field.kind else {
                continue;
            };
            let mut route = route.clone();
            route.push((field.name.as_str(), relation));
            let path = match (by, path.as_str()) {
                (Some(_), _) => format!("/{related}"),
                (None, "") => field.name.clone(),
                (None, path) => format!("{path}/{}", field.name),
            };
            next.push_back((path, related, route));
        }
    }
    found
}

/// The value of a column at the end of a route.
fn value(entity: &Entity, name: &str, route: &[(&str, Cardinality)]) -> Option<Expression> {
    let field = entity.field(name).filter(|field| !field.unused)?;
    let rules = match field.kind {
        FieldKind::Column {
            ty: ColumnType::Categorical,
        } => [Rule::GetValueC, Rule::TableMode],
        FieldKind::Column {
            ty: ColumnType::Numerical,
        } => [Rule::GetValue, Rule::TableMax],
        _ => return None,
    };
    let value = Expression::Field(name.to_owned());
    Some(route.iter().rev().fold(value, |value, (relation, many)| {
        let rule = rules[usize::from(*many == Cardinality::Many)];
        let args = vec![Expression::Field((*relation).to_owned()), value];
        Expression::Apply { rule, args }
    }))
}

/// Is there one value per class and one class per value, wherever there is a value?
fn tells(values: &ColumnData, classes: &[u32]) -> bool {
    let value = |row: usize| match values {
        ColumnData::Categorical(column) => {
            let code = column.codes()[row];
            (column.values().missing() != Some(code)).then_some(u64::from(code))
        }
        ColumnData::Numeric(column) => {
            let value = column.values()[row];
            (!value.is_nan()).then_some((value + 0.0).to_bits())
        }
        _ => None,
    };
    let (mut class_of, mut value_of) = (HashMap::new(), HashMap::new());
    for (row, &class) in classes.iter().enumerate() {
        let Some(value) = value(row) else { continue };
        if *class_of.entry(value).or_insert(class) != class
            || *value_of.entry(class).or_insert(value) != value
        {
            return false;
        }
    }
    class_of.len() > 1
}
