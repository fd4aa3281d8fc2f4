//! Construction on random schemas: what must hold whatever the tables are.

use fnb::columns::{ColumnData, ColumnType, NumericColumn};
use fnb::relational::{
    Allocation, Cardinality, Construction, ConstructionSettings, Entity, Expression, Field,
    FieldKind, OperandColumn, OperandType, OperandValues, Prior, Rule, RuleSet, Schema, construct,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Values made up from the operand.
struct MadeUp<'a>(&'a Schema);

impl OperandValues for MadeUp<'_> {
    fn root_rows(&self) -> usize {
        100
    }

    fn values(
        &self,
        entity: &str,
        operands: &[Expression],
        _: Option<usize>,
    ) -> fnb::Result<Vec<Vec<OperandColumn>>> {
        let column = |operand: &Expression| {
            let ty = match operand {
                Expression::Field(name) => match self.0.entity(entity).field(name).unwrap().kind {
                    FieldKind::Column { ty } => ty,
                    FieldKind::Relation { .. } => panic!("{name} is a relation"),
                },
                Expression::Apply { rule, .. } => rule.result(),
                Expression::Select { .. } => panic!("a selection has no value"),
            };
            let seed: usize = operand.name().bytes().map(usize::from).sum();
            let values = (0..300).map(|row| (row * (seed % 7 + 1)) % (seed % 31 + 1));
            match ty {
                ColumnType::Numerical => {
                    let missing = |value: usize| if value == 3 { f64::NAN } else { value as f64 };
                    ColumnData::Numeric(NumericColumn::new(values.map(missing).collect()))
                }
                ColumnType::Categorical => {
                    let texts: Vec<String> = values.map(|value| format!("v{value}")).collect();
                    ColumnData::Categorical(texts.iter().map(|text| Some(text.as_str())).collect())
                }
                other => panic!("{operand:?} is {other:?}"),
            }
        };
        Ok(operands
            .iter()
            .map(|operand| vec![column(operand).into()])
            .collect())
    }
}

fn column(name: String, ty: ColumnType) -> Field {
    Field {
        name,
        kind: FieldKind::Column { ty },
        unused: false,
    }
}

/// Every entity but the root is owned by one before it; references lead anywhere, also back.
fn schemas(references: usize) -> impl Strategy<Value = Schema> {
    let types = [
        ColumnType::Numerical,
        ColumnType::Categorical,
        ColumnType::Numerical,
        ColumnType::Date,
        ColumnType::Time,
        ColumnType::Timestamp,
        ColumnType::TimestampTz,
        ColumnType::Text,
    ];
    let columns = prop::collection::vec(prop::sample::select(types.to_vec()), 0..4);
    let entity = (columns, any::<prop::sample::Index>(), any::<bool>());
    let reference = (any::<prop::sample::Index>(), any::<prop::sample::Index>());
    (
        prop::collection::vec(entity, 1..6),
        prop::collection::vec(reference, 0..=references),
    )
        .prop_map(|(parts, references)| {
            let mut entities: Vec<Entity> = Vec::new();
            for (i, (types, owner, many)) in parts.iter().enumerate() {
                let mut key = vec!["id".to_owned()];
                let mut fields = vec![column("id".to_owned(), ColumnType::Categorical)];
                if i > 0 {
                    let owner = &mut entities[owner.index(i)];
                    key.clone_from(&owner.key);
                    key.push(format!("id{i}"));
                    fields = key
                        .iter()
                        .map(|name| column(name.clone(), ColumnType::Categorical))
                        .collect();
                    owner.fields.push(Field {
                        name: format!("T{i}"),
                        kind: FieldKind::Relation {
                            relation: if *many {
                                Cardinality::Many
                            } else {
                                Cardinality::One
                            },
                            entity: format!("E{i}"),
                            by: None,
                        },
                        unused: false,
                    });
                }
                let columns = types.iter().enumerate();
                fields.extend(columns.map(|(j, &ty)| column(format!("c{i}{j}"), ty)));
                entities.push(Entity { key, fields });
            }
            for (j, (from, to)) in references.into_iter().enumerate() {
                let (from, to) = (from.index(entities.len()), to.index(entities.len()));
                let by: Vec<String> = entities[to].key.iter().map(|_| "id".to_owned()).collect();
                entities[from].fields.push(Field {
                    name: format!("R{j}"),
                    kind: FieldKind::Relation {
                        relation: Cardinality::One,
                        entity: format!("E{to}"),
                        by: Some(by),
                    },
                    unused: false,
                });
            }
            let named = entities.into_iter().enumerate();
            let schema = Schema {
                root: "E0".to_owned(),
                entities: named.map(|(i, e)| (format!("E{i}"), e)).collect(),
            };
            schema.check().unwrap();
            schema
        })
}

fn run(schema: &Schema, rules: &RuleSet, features: usize) -> Construction {
    run_as(Allocation::Diverse, schema, rules, features)
}

fn run_as(
    allocation: Allocation,
    schema: &Schema,
    rules: &RuleSet,
    features: usize,
) -> Construction {
    let settings = ConstructionSettings {
        features,
        rules: rules.clone(),
        other_choices: 0,
        allocation,
        sampled: false,
    };
    construct(schema, None, &settings, &MadeUp(schema)).unwrap()
}

/// Costs by formula.
fn costs(construction: &Construction) -> BTreeMap<String, f64> {
    let variables = construction.variables.iter();
    variables
        .map(|v| (serde_json::to_string(&v.expression).unwrap(), v.cost))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn variables_are_distinct_and_pay_their_cost(schema in schemas(2)) {
        let rules = RuleSet::default();
        let (few, many) = (run(&schema, &rules, 15), run(&schema, &rules, 80));
        prop_assert!(many.variables.len() <= 80);
        let (few_costs, many_costs) = (costs(&few), costs(&many));
        prop_assert_eq!(many_costs.len(), many.variables.len(), "formulas are distinct");
        let names: BTreeSet<&str> = many.variables.iter().map(|v| v.name.as_str()).collect();
        prop_assert_eq!(names.len(), many.variables.len(), "names are distinct");
        for (formula, cost) in &few_costs {
            if let Some(other) = many_costs.get(formula) {
                prop_assert_eq!(cost, other, "the cost does not depend on K");
            }
        }
        let prior = Prior::new(&schema, None, &rules, 1).unwrap();
        let mut mass = 0.0;
        for variable in &many.variables {
            prop_assert_eq!(prior.cost(&variable.expression), Some(variable.cost));
            mass += (prior.selection_cost() - variable.cost).exp();
            prop_assert!(!variable.expression.describe().is_empty());
        }
        prop_assert!(mass <= 1.0 + 1e-9, "probabilities add up to {}", mass);
        prop_assert_eq!(few.variables.len(), 15.min(few.variables.len()));
        prop_assert!(few.variables.len() == 15 || many.variables.len() < 80);
        // Again, from a text whose entities come in another order.
        let mut text = String::new();
        for (name, entity) in schema.entities.iter().rev() {
            let comma = if text.is_empty() { "" } else { "," };
            text += &format!("{comma}{name:?}:{}", serde_json::to_string(entity).unwrap());
        }
        let text = format!(r#"{{"entities": {{{text}}}, "root": "E0"}}"#);
        let same: Schema = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(run(&same, &rules, 80), many);
    }

    #[test]
    fn the_cheapest_are_all_there(schema in schemas(2)) {
        let rules = RuleSet::default();
        let few = run_as(Allocation::Cheapest, &schema, &rules, 15);
        let many = run_as(Allocation::Cheapest, &schema, &rules, 80);
        let diverse = run(&schema, &rules, 80);
        prop_assert_eq!(costs(&many).len(), many.variables.len(), "formulas are distinct");
        prop_assert!(many.variables.len() >= diverse.variables.len());
        for (few, many) in few.variables.iter().zip(&many.variables) {
            prop_assert!((few.cost - many.cost).abs() < 1e-6);
        }
        let costliest = many.variables.last().map_or(0.0, |v| v.cost);
        let cheap = costs(&many);
        for (formula, cost) in costs(&diverse) {
            prop_assert!(cost > costliest - 1e-6 || cheap.contains_key(&formula), "{}", formula);
        }
        let prior = Prior::new(&schema, None, &rules, 1).unwrap();
        for variable in &many.variables {
            prop_assert_eq!(prior.cost(&variable.expression), Some(variable.cost));
        }
    }

    #[test]
    fn an_exhausted_space_is_complete(schema in schemas(0)) {
        // Without selections a tree of tables allows finitely many variables: list them all.
        let rules: RuleSet = "TableCount,TableMean,TableMode,entity,date,time,timestamp".parse().unwrap();
        let expected: BTreeSet<String> = [ColumnType::Numerical, ColumnType::Categorical]
            .into_iter()
            .flat_map(|ty| applications(&schema, "E0", ty, &rules))
            .map(|expression| serde_json::to_string(&expression).unwrap())
            .collect();
        prop_assume!(expected.len() < 2000);
        for allocation in [Allocation::Diverse, Allocation::Cheapest] {
            let found = run_as(allocation, &schema, &rules, 4000);
            let found: BTreeSet<String> = costs(&found).into_keys().collect();
            prop_assert_eq!(&found, &expected);
        }
    }
}

/// Every rule application on records of an entity that gives that type.
fn applications(schema: &Schema, entity: &str, ty: ColumnType, rules: &RuleSet) -> Vec<Expression> {
    let mut found = Vec::new();
    for rule in Rule::ALL {
        if rule.result() != ty || !rules.contains(rule) {
            continue;
        }
        match rule.operands() {
            [OperandType::Value(wanted)] => {
                for operand in operands(schema, entity, *wanted, rules) {
                    found.push(apply(rule, vec![operand]));
                }
            }
            [OperandType::Records(wanted), rest @ ..] => {
                for (field, related, _) in schema.entity(entity).relations() {
                    let FieldKind::Relation { relation, .. } = field.kind else {
                        continue;
                    };
                    let records = Expression::Field(field.name.clone());
                    match rest {
                        _ if relation != *wanted => {}
                        [OperandType::Value(value)] => {
                            for operand in operands(schema, related, *value, rules) {
                                found.push(apply(rule, vec![records.clone(), operand]));
                            }
                        }
                        _ => found.push(apply(rule, vec![records])),
                    }
                }
            }
            other => panic!("{other:?}"),
        }
    }
    found
}

fn apply(rule: Rule, args: Vec<Expression>) -> Expression {
    Expression::Apply { rule, args }
}

fn operands(schema: &Schema, entity: &str, ty: ColumnType, rules: &RuleSet) -> Vec<Expression> {
    let declared = schema.entity(entity);
    let fields = declared.fields.iter().filter(|field| {
        field.kind == FieldKind::Column { ty } && !declared.key.contains(&field.name)
    });
    fields
        .map(|field| Expression::Field(field.name.clone()))
        .chain(applications(schema, entity, ty, rules))
        .collect()
}

/// A schema from its JSON.
fn schema(json: &str) -> Schema {
    let schema: Schema = serde_json::from_str(json).unwrap();
    schema.check().unwrap();
    schema
}

#[test]
fn nothing_is_asked_for() {
    let schema = schema(
        r#"{"root": "A", "entities": {"A": {"key": ["id"], "fields": [
            {"name": "id", "type": "Categorical"}, {"name": "day", "type": "Date"}]}}}"#,
    );
    let none = run(&schema, &RuleSet::default(), 0);
    assert!(none.variables.is_empty());
    assert_eq!(none.selection_cost, 0.0, "one native variable, the key");
    let none = run(&schema, &RuleSet::khiops(), 100);
    assert!(none.variables.is_empty(), "no rule can be fed");
    assert_eq!(none.selection_cost, 0.0);
}

#[test]
fn dates_of_a_single_table() {
    let schema = schema(
        r#"{"root": "A", "entities": {"A": {"key": [], "fields": [
            {"name": "age", "type": "Numerical"},
            {"name": "since", "type": "Date"},
            {"name": "stamp", "type": "Timestamp", "unused": true},
            {"name": "last", "type": "Timestamp"}]}}}"#,
    );
    let found = run(&schema, &RuleSet::default(), 1000);
    let names: Vec<&str> = found.variables.iter().map(|v| v.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "last.DecimalWeekDay",
            "last.DecimalYearTS",
            // There is no other time of day to choose.
            "last.Time.DecimalTime",
            "since.Day",
            "since.DecimalYear",
            "since.WeekDay",
            "since.YearDay",
            "last.Date.Day",
            "last.Date.DecimalYear",
            "last.Date.WeekDay",
            "last.Date.YearDay",
        ]
    );
    assert_eq!(found.selection_cost, 2_f64.ln());
}

#[test]
fn the_target_and_unused_fields_take_no_part() {
    let text = r#"{"root": "A", "entities": {
        "A": {"key": ["id"], "fields": [
            {"name": "id", "type": "Categorical"},
            {"name": "y", "type": "Categorical"},
            {"name": "Bs", "relation": "many", "entity": "B"},
            {"name": "Cs", "relation": "many", "entity": "B", "unused": true},
            {"name": "self", "relation": "one", "entity": "A", "by": ["id"]}]},
        "B": {"key": ["id"], "fields": [
            {"name": "id", "type": "Categorical"},
            {"name": "x", "type": "Numerical"},
            {"name": "z", "type": "Numerical", "unused": true}]}}}"#;
    let schema = schema(text);
    let settings = ConstructionSettings {
        features: 300,
        rules: RuleSet::default(),
        other_choices: 1,
        allocation: Allocation::Diverse,
        sampled: false,
    };
    let found = construct(&schema, Some("y"), &settings, &MadeUp(&schema)).unwrap();
    assert_eq!(found.selection_cost, 3_f64.ln(), "the key, text, tables");
    assert_eq!(found.variables.len(), 300);
    for variable in &found.variables {
        let formula = serde_json::to_string(&variable.expression).unwrap();
        let forbidden = ["\"y\"", "\"Cs\"", "\"z\"", "\"id\""];
        assert!(
            !forbidden.iter().any(|field| formula.contains(field)),
            "{formula}"
        );
    }
}

#[test]
fn a_line_of_references_to_itself_ends() {
    let schema = schema(
        r#"{"root": "A", "entities": {"A": {"key": ["id"], "fields": [
            {"name": "id", "type": "Categorical"},
            {"name": "mother", "type": "Categorical"},
            {"name": "x", "type": "Numerical"},
            {"name": "Mother", "relation": "one", "entity": "A", "by": ["mother"]}]}}}"#,
    );
    let rules: RuleSet = "GetValue".parse().unwrap();
    let found = run(&schema, &rules, 1000);
    assert!(found.variables.len() >= 20, "{}", found.variables.len());
    assert_eq!(found.variables[0].name, "Mother.x");
    assert_eq!(found.variables[1].name, "Mother.Mother.x");
}

#[test]
fn names_that_a_field_has_already_get_a_number() {
    let schema = schema(
        r#"{"root": "A", "entities": {
            "A": {"key": ["id"], "fields": [
                {"name": "id", "type": "Categorical"},
                {"name": "Count(Bs)", "type": "Numerical"},
                {"name": "Bs", "relation": "many", "entity": "B"}]},
            "B": {"key": ["id"], "fields": [{"name": "id", "type": "Categorical"}]}}}"#,
    );
    let found = run(&schema, &RuleSet::default(), 10);
    let names: Vec<&str> = found.variables.iter().map(|v| v.name.as_str()).collect();
    assert_eq!(names, ["Count(Bs)_1"]);
}
