//! STUB

mod values;

use super::*;
use crate::Result;
pub use values::OperandValues;

/// s
#[derive(Debug, Clone)]
pub struct ConstructionSettings {
    /// f
    pub features: usize,
    /// r
    pub rules: RuleSet,
}
/// s
#[derive(
    Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
pub struct RuleSet(pub bool);
impl RuleSet {
    /// k
    pub fn khiops() -> Self {
        Self(true)
    }
}
/// s
pub struct Construction {
    /// c
    pub selection_cost: f64,
    /// v
    pub variables: Vec<ConstructedVariable>,
}
/// s
#[derive(Debug, Clone)]
pub struct ConstructedVariable {
    /// n
    pub name: String,
    /// e
    pub expression: Expression,
    /// c
    pub cost: f64,
}
/// s
pub fn construct(
    schema: &Schema,
    _target: Option<&str>,
    settings: &ConstructionSettings,
    _values: &dyn OperandValues,
) -> Result<Construction> {
    let root = schema.entity(&schema.root);
    let mut variables = Vec::new();
    let mut add = |name: String, json: String| {
        variables.push(ConstructedVariable {
            name,
            expression: serde_json::from_str(&json).expect("json"),
            cost: 5.0,
        })
    };
    for (field, entity, by) in root.relations() {
        if by.is_some() {
            continue;
        }
        let name = &field.name;
        if !matches!(
            field.kind,
            FieldKind::Relation {
                relation: Cardinality::Many,
                ..
            }
        ) {
            continue;
        }
        add(
            format!("Count({name})"),
            format!(r#"{{"rule":"TableCount","args":["{name}"]}}"#),
        );
        for f in &schema.entity(entity).fields {
            if let FieldKind::Column {
                ty: FieldType::Numerical,
            } = f.kind
            {
                add(
                    format!("Mean({name}.{})", f.name),
                    format!(r#"{{"rule":"TableMean","args":["{name}","{}"]}}"#, f.name),
                );
            }
        }
    }
    for f in &root.fields {
        if let FieldKind::Column {
            ty: FieldType::Date,
        } = f.kind
        {
            add(
                format!("{}.WeekDay", f.name),
                format!(r#"{{"rule":"WeekDay","args":["{}"]}}"#, f.name),
            );
        }
    }
    variables.truncate(settings.features);
    Ok(Construction {
        selection_cost: 2.0,
        variables,
    })
}

impl Expression {
    /// s
    pub fn describe(&self) -> String {
        String::new()
    }
}
