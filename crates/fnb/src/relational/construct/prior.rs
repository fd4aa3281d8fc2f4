//! The cost of a variable: minus the logarithm of its prior probability (docs/method.md §10.3).

use super::grammar::{Grammar, Operation, Wanted};
use super::rule_set::RuleSet;
use crate::Result;
use crate::columns::ColumnType;
use crate::math::integer_code::unbounded;
use crate::relational::{Expression, FieldKind, Schema};
use std::array::from_fn;
use std::f64::consts::LN_2;
use std::sync::LazyLock;

/// What it costs to write a condition once its operand is known: its granularity `2^exponent` and
/// one of that many parts.
pub(super) fn part_cost(exponent: usize) -> f64 {
    static COSTS: LazyLock<[f64; 64]> = LazyLock::new(|| {
        // There is no granularity of one part.
        from_fn(|g| unbounded(g.max(1)) + g as f64 * LN_2)
    });
    COSTS[exponent]
}

/// The prior over the variables of a schema.
///
/// ```
/// use fnb::relational::{Prior, Expression, RuleSet, Schema};
/// let schema: Schema = serde_json::from_str(
///     r#"{"root": "Customer", "entities": {
///         "Customer": {"key": ["id"], "fields": [
///             {"name": "id", "type": "categorical"},
///             {"name": "Orders", "relation": "many", "entity": "Order"}]},
///         "Order": {"key": ["id"], "fields": [
///             {"name": "id", "type": "categorical"}, {"name": "price", "type": "numerical"}]}}}"#,
/// )?;
/// let rules: RuleSet = "TableCount,TableMean".parse()?;
/// let prior = Prior::new(&schema, None, &rules, 1)?;
/// let count: Expression = serde_json::from_str(r#"{"rule": "TableCount", "args": ["Orders"]}"#)?;
/// // To construct rather than take the key, and one rule of two: ln 2 each.
/// let cost = prior.cost(&count).ok_or("a variable of this schema")?;
/// assert!((cost - 4_f64.ln()).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Prior {
    grammar: Grammar,
    selection_cost: f64,
}

impl Prior {
    /// The prior of a schema, its target put aside, with that many choices besides the columns of its
    /// root: several tables, text, the features of sparse tables.
    pub fn new(
        schema: &Schema,
        target: Option<&str>,
        rules: &RuleSet,
        others: usize,
    ) -> Result<Self> {
        schema.check()?;
        Ok(Self {
            grammar: Grammar::new(schema, target, rules),
            selection_cost: selection_cost(schema, target, others),
        })
    }

    pub(super) fn grammar(&self) -> &Grammar {
        &self.grammar
    }

    /// What it costs to choose one native variable, or to construct one.
    pub fn selection_cost(&self) -> f64 {
        self.selection_cost
    }

    /// The cost of a variable; `None` if it is none of this schema, target and rules.
    pub fn cost(&self, variable: &Expression) -> Option<f64> {
        let Expression::Apply { rule, args } = variable else {
            return None;
        };
        let root = self.grammar.root;
        let operation = Operation::Rule(*rule);
        let choices = self.grammar.choices(root, Wanted::NumberOrCategory);
        let choice = choices.rule(operation)?.cost;
        let operands = operands_cost(&self.grammar, root, operation, args, false)?;
        Some(self.selection_cost + choice + operands)
    }
}

/// `ln(Kn + F)`: one of the native variables, or one of the other choices.
fn selection_cost(schema: &Schema, target: Option<&str>, others: usize) -> f64 {
    (choices(schema, target, others).max(1) as f64).ln()
}

/// `Kn + F`, the native variables and the other choices. The key of the root counts, the target does not.
pub(in crate::relational) fn choices(
    schema: &Schema,
    target: Option<&str>,
    others: usize,
) -> usize {
    let native = |field: &&crate::relational::Field| {
        let usable = matches!(
            field.kind,
            FieldKind::Column {
                ty: ColumnType::Numerical | ColumnType::Categorical
            }
        );
        usable && !field.unused && target != Some(field.name.as_str())
    };
    let root = schema.entity(&schema.root);
    root.fields.iter().filter(native).count() + others
}

/// The cost of the operands of a rule on records of an entity.
fn operands_cost(
    grammar: &Grammar,
    entity: usize,
    operation: Operation,
    args: &[Expression],
    inside: bool,
) -> Option<f64> {
    let wanted = operation.wanted(inside);
    if wanted.len() != args.len() {
        return None;
    }
    let (mut scope, mut cost) = (entity, 0.0);
    for (wanted, operand) in wanted.into_iter().zip(args) {
        let (operand_cost, related) = operand_cost(grammar, scope, wanted, operand, inside)?;
        cost += operand_cost;
        scope = related.unwrap_or(scope);
    }
    Some(cost)
}

/// The cost of an operand, and the entity it leads to.
fn operand_cost(
    grammar: &Grammar,
    entity: usize,
    wanted: Wanted,
    operand: &Expression,
    inside: bool,
) -> Option<(f64, Option<usize>)> {
    let choices = grammar.choices(entity, wanted);
    let field = |name: &str, wanted| {
        let fields = grammar.choices(entity, wanted).fields.iter();
        fields
            .map(|&id| grammar.field(id))
            .find(|field| field.name == name)
    };
    match operand {
        Expression::Field(name) => {
            let related = field(name, wanted)?.related;
            Some((choices.field_cost, related))
        }
        Expression::Apply { rule, args } => {
            let operation = Operation::Rule(*rule);
            let choice = choices.rule(operation)?.cost;
            let operands = operands_cost(grammar, entity, operation, args, inside)?;
            Some((choices.rule_cost + choice + operands, None))
        }
        Expression::Select { select, conditions } => {
            let choice = choices.rule(Operation::Select)?.cost;
            let related = field(select, Wanted::AllOfMany)?.related?;
            let table = grammar.choices(entity, Wanted::AllOfMany).field_cost;
            let k = conditions.len();
            if k == 0 {
                return None;
            }
            let ln_factorial: f64 = (1..=k).map(|i| (i as f64).ln()).sum();
            let mut cost = choices.rule_cost + choice + table + unbounded(k) - ln_factorial;
            for condition in conditions {
                let wanted = Wanted::NumberOrCategory;
                let operand = operand_cost(grammar, related, wanted, &condition.operand, true)?.0;
                if !condition.granularity.is_power_of_two() || condition.granularity < 2 {
                    return None;
                }
                cost += operand + part_cost(condition.granularity.ilog2() as usize);
            }
            Some((cost, Some(related)))
        }
    }
}
