//! What may stand where: the fields and rules to choose from, and what a choice costs
//! (docs/method.md §10.2, §10.3).

use super::applicable::{Applicable, levels};
use super::rule_set::{RuleSet, SELECTION};
use crate::columns::ColumnType;
use crate::relational::{Cardinality, Family, FieldKind, OperandType, Rule, Schema};
use std::cmp::Ordering;

/// What an operand must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Wanted {
    /// Values of that type; no rule takes texts.
    Value(ColumnType),
    One,
    Many,
    /// All records of a relation: no selection.
    AllOfMany,
    /// What a condition is about, and what the root takes.
    NumberOrCategory,
}

impl Wanted {
    /// Every one, each at its [`place`](Self::place).
    fn all() -> impl Iterator<Item = Self> {
        let values = ColumnType::ALL.into_iter().map(Self::Value);
        values.chain([
            Self::One,
            Self::Many,
            Self::AllOfMany,
            Self::NumberOrCategory,
        ])
    }

    fn place(self) -> usize {
        match self {
            Self::Value(ty) => ty as usize,
            Self::One => ColumnType::ALL.len(),
            Self::Many => ColumnType::ALL.len() + 1,
            Self::AllOfMany => ColumnType::ALL.len() + 2,
            Self::NumberOrCategory => ColumnType::ALL.len() + 3,
        }
    }

    /// What an operand of that type must be, inside of a selection or not.
    pub(super) fn new(operand: OperandType, inside: bool) -> Self {
        match operand {
            OperandType::Value(ty) => Self::Value(ty),
            OperandType::Records(Cardinality::One) => Self::One,
            OperandType::Records(Cardinality::Many) if inside => Self::AllOfMany,
            OperandType::Records(Cardinality::Many) => Self::Many,
        }
    }

    fn takes_field(self, kind: &FieldKind) -> bool {
        match kind {
            FieldKind::Relation { relation, .. } => match relation {
                Cardinality::One => self == Self::One,
                Cardinality::Many => matches!(self, Self::Many | Self::AllOfMany),
            },
            FieldKind::Column { ty } => self.takes_type(*ty),
        }
    }

    fn takes_type(self, ty: ColumnType) -> bool {
        match self {
            Self::Value(wanted) => wanted == ty,
            Self::NumberOrCategory => ty.is_input(),
            Self::One | Self::Many | Self::AllOfMany => false,
        }
    }
}

/// A rule, or a selection of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Operation {
    Rule(Rule),
    Select,
}

impl Operation {
    /// What its operands must be. Those of a selection: a relation, and conditions.
    pub(super) fn wanted(self, inside: bool) -> Vec<Wanted> {
        match self {
            Self::Rule(rule) => {
                let operands = rule.operands().iter();
                operands.map(|&ty| Wanted::new(ty, inside)).collect()
            }
            Self::Select => vec![Wanted::AllOfMany, Wanted::NumberOrCategory],
        }
    }

    pub(super) fn gives(self, wanted: Wanted) -> bool {
        match self {
            Self::Rule(rule) => wanted.takes_type(rule.result()),
            Self::Select => wanted == Wanted::Many,
        }
    }

    fn operand_count(self) -> usize {
        match self {
            Self::Rule(rule) => rule.operands().len(),
            Self::Select => 2,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Rule(rule) => rule.as_str(),
            Self::Select => SELECTION,
        }
    }

    fn family(self) -> Family {
        match self {
            Self::Rule(rule) => rule.family(),
            Self::Select => Family::Table,
        }
    }

    /// Does it take dates or times apart?
    fn is_calendar(self) -> bool {
        !matches!(self.family(), Family::Table | Family::Entity)
    }
}

/// A used field, by its place in [`Grammar::fields`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct FieldId(pub(super) u32);

/// A field that operands may be.
pub(super) struct GrammarField {
    pub(super) name: String,
    /// The entity it belongs to.
    pub(super) entity: usize,
    /// The entity it leads to.
    pub(super) related: Option<usize>,
    kind: FieldKind,
}

/// A rule to choose, with what that costs.
pub(super) struct RuleChoice {
    pub(super) operation: Operation,
    /// `−ln p`, `p` being its probability among the rules to choose from.
    pub(super) cost: f64,
}

/// What an operand may be.
#[derive(Default)]
pub(super) struct Choices {
    /// In the order of declaration.
    pub(super) fields: Vec<FieldId>,
    /// In the order of their enumeration.
    pub(super) rules: Vec<RuleChoice>,
    /// Of the rules.
    pub(super) probabilities: Vec<f64>,
    /// What it costs to take any one field.
    pub(super) field_cost: f64,
    /// What it costs to take no field.
    pub(super) rule_cost: f64,
    /// How probable it is to take no field, where each field is 1.
    pub(super) rule_weight: f64,
}

impl Choices {
    /// A part of a date or a time is `calendar` times as probable as any other choice.
    fn new(fields: Vec<FieldId>, rules: &[Applicable], calendar: f64) -> Self {
        let without_rule = fields.len() as f64;
        let probabilities = probabilities(rules, calendar);
        let are_calendar = rules.iter().all(|rule| rule.operation.is_calendar());
        let rule_weight = if are_calendar { calendar } else { 1.0 };
        let choice = |(rule, p): (&Applicable, &f64)| RuleChoice {
            operation: rule.operation,
            cost: -p.ln(),
        };
        Self {
            field_cost: if rules.is_empty() {
                without_rule.ln()
            } else {
                (without_rule + rule_weight).ln()
            },
            rule_cost: ((without_rule + rule_weight) / rule_weight).ln(),
            rule_weight,
            rules: rules.iter().zip(&probabilities).map(choice).collect(),
            probabilities,
            fields,
        }
    }

    pub(super) fn rule(&self, operation: Operation) -> Option<&RuleChoice> {
        self.rules.iter().find(|rule| rule.operation == operation)
    }
}

/// All rules are equally probable, those of the calendar `calendar` times as much, but for a trace: simple
/// ones come first.
fn probabilities(rules: &[Applicable], calendar: f64) -> Vec<f64> {
    let n = rules.len() as f64;
    let most_operands = rules.iter().map(|rule| rule.operation.operand_count());
    let most_operands = most_operands.max().unwrap_or(0);
    let weight = |rule: &Applicable| {
        let rank = rule.level * most_operands + rule.operation.operand_count();
        let share = if rule.operation.is_calendar() {
            calendar
        } else {
            1.0
        };
        (share / n) * (1.0 - 1e-9 * rank as f64)
    };
    let weights: Vec<f64> = rules.iter().map(weight).collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}

/// The order in which rules are enumerated.
fn enumeration(a: &Applicable, b: &Applicable) -> Ordering {
    let key = |rule: &Applicable| {
        let operation = rule.operation;
        let family = operation.family();
        // Families are declared in the order of their names.
        (
            rule.level,
            operation.operand_count(),
            operation.is_calendar(),
            family,
            operation.name(),
        )
    };
    key(a).cmp(&key(b))
}

/// The schema as a grammar of variables.
pub(super) struct Grammar {
    /// Names of the entities, in order.
    pub(super) entities: Vec<String>,
    pub(super) root: usize,
    pub(super) fields: Vec<GrammarField>,
    /// Per entity, then at the [`Wanted::place`].
    choices: Vec<Vec<Choices>>,
}

impl Grammar {
    pub(super) fn new(schema: &Schema, target: Option<&str>, rules: &RuleSet) -> Self {
        let entities: Vec<String> = schema.entities.keys().cloned().collect();
        let place = |name: &str| entities.iter().position(|entity| entity == name);
        let root = place(&schema.root).expect("a checked schema has a root");
        let mut fields = Vec::new();
        for (entity, (name, declared)) in schema.entities.iter().enumerate() {
            for field in &declared.fields {
                let is_target = *name == schema.root && target == Some(field.name.as_str());
                // A key says who, and nothing else; the time in a key of the root tells the season too.
                let is_time =
                    matches!(field.kind, FieldKind::Column { ty } if ty.temporal().is_some());
                let is_key =
                    declared.key.contains(&field.name) && !(is_time && *name == schema.root);
                if field.unused || is_target || is_key {
                    continue;
                }
                let related = match &field.kind {
                    FieldKind::Relation { entity, .. } => place(entity),
                    FieldKind::Column { .. } => None,
                };
                fields.push(GrammarField {
                    name: field.name.clone(),
                    entity,
                    related,
                    kind: field.kind.clone(),
                });
            }
        }
        let mut grammar = Self {
            entities,
            root,
            fields,
            choices: Vec::new(),
        };
        // First the fields alone: they decide which rules apply.
        let calendar = rules.calendar();
        grammar.choices = grammar.all_choices(calendar, |_| Vec::new());
        let mut applicable = levels(&grammar, rules);
        for rules in &mut applicable {
            rules.sort_by(enumeration);
        }
        grammar.choices = grammar.all_choices(calendar, |entity| applicable[entity].clone());
        grammar
    }

    fn all_choices(
        &self,
        calendar: f64,
        applicable: impl Fn(usize) -> Vec<Applicable>,
    ) -> Vec<Vec<Choices>> {
        let of_entity = |entity| {
            let applicable = applicable(entity);
            let choices = |wanted: Wanted| {
                let fits = |id: &FieldId| {
                    let field = self.field(*id);
                    field.entity == entity && wanted.takes_field(&field.kind)
                };
                let fields = (0..self.fields.len() as u32).map(FieldId).filter(fits);
                let mut rules = applicable.clone();
                rules.retain(|rule| rule.operation.gives(wanted));
                Choices::new(fields.collect(), &rules, calendar)
            };
            Wanted::all().map(choices).collect()
        };
        (0..self.entities.len()).map(of_entity).collect()
    }

    pub(super) fn field(&self, id: FieldId) -> &GrammarField {
        &self.fields[id.0 as usize]
    }

    /// What an operand of records of that entity may be.
    pub(super) fn choices(&self, entity: usize, wanted: Wanted) -> &Choices {
        &self.choices[entity][wanted.place()]
    }

    /// Are there selections anywhere that the root leads to?
    pub(super) fn has_selections(&self) -> bool {
        let mut reached = vec![self.root];
        let mut next = 0;
        while let Some(&entity) = reached.get(next) {
            if !self.choices(entity, Wanted::Many).rules.is_empty() {
                return true;
            }
            let fields = self.fields.iter().filter(|field| field.entity == entity);
            for related in fields.filter_map(|field| field.related) {
                if !reached.contains(&related) {
                    reached.push(related);
                }
            }
            next += 1;
        }
        false
    }

    /// Does a value of that field count as a number?
    pub(super) fn is_number(&self, id: FieldId) -> bool {
        Wanted::Value(ColumnType::Numerical).takes_field(&self.field(id).kind)
    }
}
