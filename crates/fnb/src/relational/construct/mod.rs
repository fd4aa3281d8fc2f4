//! Variables chosen from everything that the tables allow, the most probable first
//! (docs/method.md §10.4).

mod applicable;
mod cheapest;
mod collect;
mod conditions;
mod expand;
mod grammar;
mod parts;
mod prior;
mod random;
mod rule_set;
mod splits;
mod tree;
mod tuples;
#[cfg(test)]
mod unit_vectors;
mod values;

pub use prior::Prior;
pub use rule_set::RuleSet;
pub use values::{OperandColumn, OperandValues};

pub(super) use random::ranked;
pub(super) use splits::best as best_shares;

use crate::Result;
use crate::columns::{Unlisted, VariableKind};
use crate::relational::{Expression, Part, Rule, Schema};
use collect::{collect, collect_cheapest, order};
use grammar::Grammar;
use hashbrown::HashSet;
pub(super) use prior::choices;

/// How many variables to construct, and from what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConstructionSettings {
    /// Number of variables asked for; there are fewer when the tables do not allow so many.
    pub features: usize,
    /// The rules to use.
    pub rules: RuleSet,
    /// What may be chosen besides the columns of the schema and what tables give: features of sparse
    /// tables, texts. They share the prior.
    pub other_choices: usize,
    /// Which variables, when there are more.
    pub allocation: Allocation,
    /// Are the parts of conditions found in a sample of large tables, as in the reference? Otherwise
    /// all records count.
    pub sampled: bool,
}

/// Which of all variables are taken (docs/method.md §10.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Allocation {
    /// Every branch of the language has its part, as in the reference.
    #[default]
    Diverse,
    /// The cheapest.
    Cheapest,
}

/// Variables, and what it costs to choose a native one.
#[derive(Debug, Clone, PartialEq)]
pub struct Construction {
    /// The cost of a native variable, and a part of the cost of every constructed one.
    pub selection_cost: f64,
    /// Number of choices that it is the cost of: the native variables, and the families of others.
    pub choices: usize,
    /// The variables, cheapest first.
    pub variables: Vec<ConstructedVariable>,
}

impl Construction {
    /// Variables among a number of choices.
    pub(super) fn new(choices: usize, variables: Vec<ConstructedVariable>) -> Self {
        Self {
            selection_cost: (choices.max(1) as f64).ln(),
            choices,
            variables,
        }
    }
}

/// A constructed variable.
#[derive(Debug, Clone, PartialEq)]
pub struct ConstructedVariable {
    /// Its formula in short, unique among the variables.
    pub name: String,
    /// What it is.
    pub expression: Expression,
    /// Is it a number or a category?
    pub kind: VariableKind,
    /// The cost of its complexity, in nats: minus the logarithm of its prior probability.
    pub cost: f64,
    /// What it does not list, if Khiops keeps it sparse (docs/method.md §10.6).
    pub unlisted: Option<Unlisted>,
}

/// Chooses variables of the root from everything that the tables allow. The target is no operand.
/// The data are asked for only if there are conditions, whose bounds they give.
///
/// ```
/// use fnb::relational::{construct, Allocation, ConstructionSettings};
/// use fnb::relational::{Expression, OperandColumn, OperandValues, Schema};
/// struct NoValues;
/// impl OperandValues for NoValues {
///     fn root_rows(&self) -> usize {
///         0
///     }
///     fn values(
///         &self,
///         _: &str,
///         operands: &[Expression],
///         _: Option<usize>,
///     ) -> fnb::Result<Vec<Vec<OperandColumn>>> {
///         Ok(vec![Vec::new(); operands.len()])
///     }
/// }
/// let schema: Schema = serde_json::from_str(
///     r#"{"root": "Customer", "entities": {
///         "Customer": {"key": ["id"], "fields": [
///             {"name": "id", "type": "categorical"},
///             {"name": "Orders", "relation": "many", "entity": "Order"}]},
///         "Order": {"key": ["id"], "fields": [
///             {"name": "id", "type": "categorical"}, {"name": "price", "type": "numerical"}]}}}"#,
/// )?;
/// let settings = ConstructionSettings {
///     features: 10,
///     rules: "TableCount,TableMean".parse()?,
///     other_choices: 0,
///     allocation: Allocation::Diverse,
///     sampled: false,
/// };
/// let construction = construct(&schema, None, &settings, &NoValues)?;
/// let names: Vec<&str> = construction.variables.iter().map(|v| v.name.as_str()).collect();
/// assert_eq!(names, ["Count(Orders)", "Mean(Orders.price)"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn construct(
    schema: &Schema,
    target: Option<&str>,
    settings: &ConstructionSettings,
    values: &dyn OperandValues,
) -> Result<Construction> {
    let prior = Prior::new(schema, target, &settings.rules, settings.other_choices + 1)?;
    let grammar: &Grammar = prior.grammar();
    let collected = match settings.allocation {
        Allocation::Diverse => collect(grammar, prior.selection_cost(), settings, values),
        Allocation::Cheapest => {
            collect_cheapest(grammar, prior.selection_cost(), settings.features, values)
        }
    }?;
    let tree = &collected.tree;
    let part = |condition: &_| -> Part {
        let part = collected.parts.part(condition);
        part.expect("variables with conditions have known parts")
            .clone()
    };
    let mut found: Vec<_> = collected
        .variables
        .iter()
        .map(|variable| {
            let expression = tree.expression(grammar, variable.operand, &part);
            (variable, expression.name(), expression)
        })
        .collect();
    found.sort_by(|a, b| order(tree, a.0, b.0).then_with(|| a.1.cmp(&b.1)));
    let root = schema.entity(&schema.root);
    let mut taken: HashSet<String> = root.fields.iter().map(|field| field.name.clone()).collect();
    let mut variables = Vec::with_capacity(found.len());
    for (variable, name, expression) in found {
        let kind = if tree.is_number(grammar, variable.operand) {
            VariableKind::Numerical
        } else {
            VariableKind::Categorical
        };
        variables.push(ConstructedVariable {
            name: unique_name(&name, &mut taken),
            // Not the cost of the walk, which has jitter in its tenth digit: the same variable has
            // the same cost whatever the others.
            cost: prior.cost(&expression).unwrap_or(variable.cost),
            unlisted: collected
                .is_sparse(variable.operand)
                .then(|| unlisted(&expression)),
            expression,
            kind,
        });
    }
    let others = settings.other_choices + usize::from(!variables.is_empty());
    Ok(Construction::new(
        choices(schema, target, others),
        variables,
    ))
}

/// The value of a variable without records.
fn unlisted(expression: &Expression) -> Unlisted {
    match expression {
        Expression::Apply { rule, args } => match rule {
            Rule::TableCount | Rule::TableCountDistinct => Unlisted::Zero,
            Rule::GetValue | Rule::GetValueC => unlisted(&args[1]),
            _ => Unlisted::Missing,
        },
        Expression::Field(_) | Expression::Select { .. } => Unlisted::Missing,
    }
}

/// The name, or the name with the first number that makes it new.
pub(crate) fn unique_name(name: &str, taken: &mut HashSet<String>) -> String {
    let numbered = (1..).map(|i| format!("{name}_{i}"));
    let new = std::iter::once(name.to_owned())
        .chain(numbered)
        .find(|name| !taken.contains(name))
        .expect("numbers do not end");
    taken.insert(new.clone());
    new
}
