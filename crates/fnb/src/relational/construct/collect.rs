//! From draws to K variables: more draws until there are enough, first without the data, then with
//! the parts that the data have (docs/method.md §10.4).

use super::ConstructionSettings;
use super::cheapest::Enumeration;
use super::conditions::KnownParts;
use super::expand::{MAX_COST, Walk};
use super::grammar::Grammar;
use super::parts::parts;
use super::random::Stream;
use super::tree::{Costed, Operand, Tree, TreeCondition, rounded};
use super::values::OperandValues;
use crate::Result;
use crate::relational::{Expression, Part};
use hashbrown::HashSet;
use rayon::prelude::*;
use std::cmp::Ordering;

/// Khiops keeps variables about parts of records sparse if a granularity has so many new ones.
const SPARSE_FROM: usize = 4;
/// So many times more draws that give nothing new show that the space is exhausted.
const PATIENCE: usize = 6;
const MOST_DRAWS: f64 = 1e100;
/// The price of the cheapest variables rises by so many nats at a time.
const BUDGET_STEP: f64 = 0.5;
/// A sample has so many records for a part, so many in all at most unless there are few operands, and
/// so many values at least.
const RECORDS_PER_PART: usize = 1 << 10;
const MOST_RECORDS: usize = 1 << 20;
const LEAST_VALUES: usize = 1 << 17;
/// The values of so many operands are held at once.
const OPERANDS_AT_ONCE: usize = 16;

/// The variables found, in order, and what is needed to write them.
pub(super) struct Collected {
    pub(super) tree: Tree,
    pub(super) parts: KnownParts,
    pub(super) variables: Vec<Costed>,
}

impl Collected {
    /// Does Khiops keep a variable sparse, among those of the other parts?
    pub(super) fn is_sparse(&self, variable: Operand) -> bool {
        let rivals = self.tree.rivals(variable, &|c| self.parts.rivals(c));
        rivals.is_some_and(|rivals| rivals >= SPARSE_FROM)
    }
}

/// The `features` cheapest variables. Of equals at the end of the list, chance takes some.
pub(super) fn collect_cheapest(
    grammar: &Grammar,
    selection_cost: f64,
    features: usize,
    values: &dyn OperandValues,
) -> Result<Collected> {
    let mut tree = Tree::new();
    let mut parts = KnownParts::default();
    let mut variables = Vec::new();
    let mut budget = selection_cost;
    while features > 0 && budget < MAX_COST {
        let mut enumeration = Enumeration::new(grammar, &mut tree, &parts);
        variables = enumeration.variables(selection_cost, budget);
        let is_cut = enumeration.is_cut;
        let unknown = enumeration.unknown;
        if !unknown.is_empty() {
            add_parts(grammar, &tree, &unknown, None, values, &mut parts)?;
        } else if variables.len() >= features || !is_cut {
            break;
        } else {
            budget += BUDGET_STEP;
        }
    }
    sort(&tree, &mut variables);
    variables.truncate(features);
    Ok(Collected {
        tree,
        parts,
        variables,
    })
}

/// The first `features` variables of the reference.
pub(super) fn collect(
    grammar: &Grammar,
    selection_cost: f64,
    settings: &ConstructionSettings,
    values: &dyn OperandValues,
) -> Result<Collected> {
    let features = settings.features;
    let mut tree = Tree::new();
    let wanted = if grammar.has_selections() {
        2 * features
    } else {
        features
    };
    let rounds = Rounds {
        grammar,
        selection_cost,
        wanted,
    };
    let mut variables = rounds.run(&mut tree, None);
    let conditions = conditions_of(&tree, &variables);
    let first = &variables[..features.min(variables.len())];
    let plain = conditions_of(&tree, first).is_empty();
    let mut known = KnownParts::default();
    if variables.len() <= features || !plain {
        let operands = distinct_operands(&conditions);
        let finest = conditions.iter().map(|condition| condition.exponent).max();
        let at_most = finest
            .filter(|_| settings.sampled)
            .map(|finest| records_in_sample(operands.len(), finest));
        add_parts(grammar, &tree, &operands, at_most, values, &mut known)?;
        variables = rounds.run(&mut tree, Some(&known));
    }
    variables.truncate(features);
    Ok(Collected {
        tree,
        parts: known,
        variables,
    })
}

/// How to look for variables.
struct Rounds<'a> {
    grammar: &'a Grammar,
    selection_cost: f64,
    /// Number of variables that end the search.
    wanted: usize,
}

impl Rounds<'_> {
    fn run(&self, tree: &mut Tree, parts: Option<&KnownParts>) -> Vec<Costed> {
        let mut draws = self.wanted as f64;
        let mut variables = Vec::new();
        let mut without_increase = 0;
        while self.wanted > 0 && draws <= MOST_DRAWS {
            let mut walk = Walk {
                grammar: self.grammar,
                tree: &mut *tree,
                parts,
                stream: Stream::new(),
                cap: 2 * self.wanted,
                inside: false,
                depth: 0,
            };
            let before = variables.len();
            variables = walk.variables(draws, self.selection_cost);
            without_increase = if variables.len() > before {
                0
            } else {
                without_increase + 1
            };
            if variables.len() >= self.wanted || without_increase == PATIENCE {
                break;
            }
            draws *= 2.0;
        }
        sort(tree, &mut variables);
        variables
    }
}

/// Sorts variables; chance decides between equals.
fn sort(tree: &Tree, variables: &mut [Costed]) {
    Stream::new().shuffle(variables);
    variables.sort_by(|a, b| order(tree, a, b));
}

/// Cheap variables first, then simple ones.
pub(super) fn order(tree: &Tree, a: &Costed, b: &Costed) -> Ordering {
    let costs = rounded(a.cost).cmp(&rounded(b.cost));
    costs.then_with(|| tree.simpler(a.operand, b.operand))
}

/// The conditions of variables, in order.
fn conditions_of(tree: &Tree, variables: &[Costed]) -> Vec<TreeCondition> {
    let mut selections = Vec::new();
    for variable in variables {
        tree.selections_of(variable.operand, &mut selections);
    }
    let conditions = selections.iter().flat_map(|&id| &tree[id].conditions);
    conditions.copied().collect()
}

/// The operands of conditions, in the order of their first use.
fn distinct_operands(conditions: &[TreeCondition]) -> Vec<Operand> {
    let mut seen = HashSet::new();
    let operands = conditions.iter().map(|condition| condition.operand);
    operands.filter(|&operand| seen.insert(operand)).collect()
}

/// How many records of a table the reference takes: enough for every part of the finest granularity,
/// and enough values in all.
fn records_in_sample(operands: usize, finest: u32) -> usize {
    let mut records = (RECORDS_PER_PART << finest).min(MOST_RECORDS);
    while records * operands < LEAST_VALUES {
        records *= 2;
    }
    records
}

/// Adds the parts of the operands, from their values.
fn add_parts(
    grammar: &Grammar,
    tree: &Tree,
    operands: &[Operand],
    at_most: Option<usize>,
    values: &dyn OperandValues,
    known: &mut KnownParts,
) -> Result<()> {
    let root_rows = values.root_rows();
    for (entity, name) in grammar.entities.iter().enumerate() {
        let of_entity: Vec<Operand> = operands
            .iter()
            .copied()
            .filter(|&operand| entity_of(grammar, tree, operand) == entity)
            .collect();
        for block in of_entity.chunks(OPERANDS_AT_ONCE) {
            let expression = |&operand: &Operand| -> Expression {
                let none = |_: &_| Part::NotIn { not_in: Vec::new() };
                tree.expression(grammar, operand, &none)
            };
            let expressions: Vec<Expression> = block.iter().map(expression).collect();
            let columns = values.values(name, &expressions, at_most)?;
            let is_number: Vec<bool> = block
                .iter()
                .map(|&operand| tree.is_number(grammar, operand))
                .collect();
            let found: Vec<_> = columns
                .par_iter()
                .zip(is_number)
                .map(|(columns, is_number)| parts(columns, is_number, root_rows))
                .collect::<Result<_>>()?;
            for (&operand, parts) in block.iter().zip(found) {
                known.insert(operand, parts);
            }
        }
    }
    Ok(())
}

/// The entity of the records that an operand is a value of.
fn entity_of(grammar: &Grammar, tree: &Tree, operand: Operand) -> usize {
    match operand {
        Operand::Field(id) => grammar.field(id).entity,
        Operand::Rule(id) => tree[id].entity as usize,
        Operand::Selection(id) => grammar.field(tree[id].table).entity,
    }
}
