//! The texts that can be reached from the root, and what it costs to choose one
//! (docs/method.md §10.8).

use crate::columns::ColumnType;
use crate::relational::{Entity, FieldKind, Schema};

/// A text field, and the relations that lead to it from the root.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TextPath {
    pub(crate) relations: Vec<String>,
    pub(crate) field: String,
    /// Minus the logarithm of the probability of choosing it among all texts.
    pub(crate) cost: f64,
}

/// Every text that can be reached without meeting an entity twice, in the order of declaration.
pub(crate) fn text_paths(schema: &Schema) -> Vec<TextPath> {
    let mut found = Vec::new();
    let mut walk = Walk {
        schema,
        met: Vec::new(),
        relations: Vec::new(),
    };
    walk.collect(&schema.root, 0.0, &mut found);
    found
}

struct Walk<'a> {
    schema: &'a Schema,
    met: Vec<&'a str>,
    relations: Vec<&'a str>,
}

impl<'a> Walk<'a> {
    fn collect(&mut self, entity: &'a str, cost: f64, found: &mut Vec<TextPath>) {
        let fields = self.schema.entity(entity);
        self.met.push(entity);
        let texts: Vec<&str> = texts(fields).collect();
        let all: Vec<(&str, &str)> = fields
            .relations()
            .map(|(field, related, _)| (field.name.as_str(), related))
            .collect();
        let mut relations = all;
        relations.retain(|&(_, related)| self.leads_to_text(related));
        // A relation is an alternative to the texts: one more choice.
        let one_of_them = if relations.is_empty() {
            (texts.len() as f64).ln()
        } else {
            (texts.len() as f64 + 1.0).ln()
        };
        for field in texts {
            found.push(TextPath {
                relations: self.relations.iter().map(|&r| r.to_owned()).collect(),
                field: field.to_owned(),
                cost: cost + one_of_them,
            });
        }
        for &(relation, related) in &relations {
            self.relations.push(relation);
            let cost = cost + one_of_them + (relations.len() as f64).ln();
            self.collect(related, cost, found);
            self.relations.pop();
        }
        self.met.pop();
    }

    fn leads_to_text(&mut self, entity: &'a str) -> bool {
        if self.met.contains(&entity) {
            return false;
        }
        let fields = self.schema.entity(entity);
        if texts(fields).next().is_some() {
            return true;
        }
        self.met.push(entity);
        let related: Vec<&str> = fields.relations().map(|(_, related, _)| related).collect();
        let found = related
            .into_iter()
            .any(|related| self.leads_to_text(related));
        self.met.pop();
        found
    }
}

/// The texts of an entity that are used.
fn texts(entity: &Entity) -> impl Iterator<Item = &str> {
    let text = FieldKind::Column {
        ty: ColumnType::Text,
    };
    let fields = entity.fields.iter();
    fields
        .filter(move |field| !field.unused && field.kind == text)
        .map(|field| field.name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(schema: &str) -> Vec<(String, f64)> {
        let schema: Schema = serde_json::from_str(schema).unwrap();
        let path = |path: TextPath| {
            let names: Vec<String> = path.relations.into_iter().chain([path.field]).collect();
            (names.join("."), path.cost.exp())
        };
        text_paths(&schema).into_iter().map(path).collect()
    }

    /// Names and inverse probabilities.
    #[track_caller]
    fn check(schema: &str, expected: &[(&str, f64)]) {
        let found = paths(schema);
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        let wanted: Vec<&str> = expected.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, wanted);
        for ((name, found), (_, wanted)) in found.iter().zip(expected) {
            assert!(
                (found - wanted).abs() < 1e-9,
                "{name}: {found}, not {wanted}"
            );
        }
    }

    #[test]
    fn one_table() {
        let schema = r#"{"root": "R", "entities": {"R": {"key": [], "fields": [
            {"name": "a", "type": "text"}, {"name": "n", "type": "numerical"},
            {"name": "left", "type": "text", "unused": true},
            {"name": "b", "type": "text"}]}}}"#;
        check(schema, &[("a", 2.0), ("b", 2.0)]);
    }

    #[test]
    fn several_tables() {
        // Two texts and two relations that lead to a text in the root, a third one leads nowhere.
        let schema = r#"{"root": "R", "entities": {
            "R": {"key": ["k"], "fields": [
                {"name": "k", "type": "categorical"},
                {"name": "a", "type": "text"},
                {"name": "Logs", "relation": "many", "entity": "L"},
                {"name": "Empty", "relation": "many", "entity": "E"},
                {"name": "b", "type": "text"},
                {"name": "Home", "relation": "one", "entity": "H", "by": ["k"]}]},
            "L": {"key": ["k"], "fields": [
                {"name": "k", "type": "categorical"},
                {"name": "City", "relation": "one", "entity": "H", "by": ["k"]},
                {"name": "line", "type": "text"}]},
            "E": {"key": ["k"], "fields": [{"name": "k", "type": "categorical"}]},
            "H": {"key": ["k"], "fields": [
                {"name": "k", "type": "categorical"},
                {"name": "Back", "relation": "many", "entity": "L"},
                {"name": "about", "type": "text"}]}}}"#;
        check(
            schema,
            &[
                ("a", 3.0),
                ("b", 3.0),
                ("Logs.line", 3.0 * 2.0 * 2.0),
                ("Logs.City.about", 3.0 * 2.0 * 2.0 * 1.0),
                ("Home.about", 3.0 * 2.0 * 2.0),
                ("Home.Back.line", 3.0 * 2.0 * 2.0 * 1.0),
            ],
        );
    }

    #[test]
    fn no_text() {
        check(
            r#"{"root": "R", "entities": {"R": {"key": [], "fields": [
                {"name": "n", "type": "numerical"},
                {"name": "Self", "relation": "one", "entity": "R", "by": ["n"]}]}}}"#,
            &[],
        );
    }
}
