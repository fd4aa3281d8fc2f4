//! Variables while they are looked for: every operand kept once (docs/method.md §10.4).

use super::grammar::{FieldId, Grammar, Operation, Wanted};
use super::prior::part_cost;
use crate::columns::ColumnType;
use crate::relational::{Condition, Expression, Part, Rule};
use hashbrown::{DefaultHashBuilder, HashTable};
use std::cmp::Ordering;
use std::hash::{BuildHasher, Hash};
use std::ops::Index;

/// A field, a rule applied to operands, or selected records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Operand {
    Field(FieldId),
    Rule(NodeId),
    Selection(SelectionId),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct NodeId(u32);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct SelectionId(u32);

/// A rule applied to operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Node {
    pub(super) entity: u32,
    pub(super) rule: Rule,
    pub(super) first: Operand,
    pub(super) second: Option<Operand>,
    /// What it was wanted as: that decides its cost.
    pub(super) wanted: Wanted,
    pub(super) inside: bool,
}

impl Node {
    pub(super) fn operands(&self) -> impl Iterator<Item = Operand> {
        [Some(self.first), self.second].into_iter().flatten()
    }
}

/// The records of a relation that meet conditions.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Selection {
    pub(super) table: FieldId,
    pub(super) conditions: Vec<TreeCondition>,
}

/// A condition on an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct TreeCondition {
    pub(super) operand: Operand,
    /// The granularity is 2 to this power.
    pub(super) exponent: u32,
    /// The number of the part.
    pub(super) part: u32,
}

impl TreeCondition {
    pub(super) fn cost(&self) -> f64 {
        part_cost(self.exponent as usize)
    }
}

/// An operand with its cost, seen from where it was wanted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Costed {
    pub(super) operand: Operand,
    pub(super) cost: f64,
}

/// Things kept once, with the cost of the first time.
struct Kept<T> {
    places: HashTable<u32>,
    hasher: DefaultHashBuilder,
    items: Vec<(T, f64)>,
}

impl<T: Eq + Hash> Kept<T> {
    fn new() -> Self {
        Self {
            places: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            items: Vec::new(),
        }
    }

    fn keep(&mut self, item: T, cost: f64) -> u32 {
        let Self {
            places,
            hasher,
            items,
        } = self;
        let hash = hasher.hash_one(&item);
        if let Some(&place) = places.find(hash, |&place| items[place as usize].0 == item) {
            return place;
        }
        let place = items.len() as u32;
        items.push((item, cost));
        places.insert_unique(hash, place, |&place| {
            hasher.hash_one(&items[place as usize].0)
        });
        place
    }
}

/// All operands met so far.
pub(super) struct Tree {
    nodes: Kept<Node>,
    selections: Kept<Selection>,
}

impl Index<NodeId> for Tree {
    type Output = Node;

    fn index(&self, id: NodeId) -> &Node {
        &self.nodes.items[id.0 as usize].0
    }
}

impl Index<SelectionId> for Tree {
    type Output = Selection;

    fn index(&self, id: SelectionId) -> &Selection {
        &self.selections.items[id.0 as usize].0
    }
}

impl Tree {
    pub(super) fn new() -> Self {
        Self {
            nodes: Kept::new(),
            selections: Kept::new(),
        }
    }

    pub(super) fn node(&mut self, node: Node, cost: f64) -> Costed {
        let id = self.nodes.keep(node, cost);
        Costed {
            operand: Operand::Rule(NodeId(id)),
            cost: self.nodes.items[id as usize].1,
        }
    }

    pub(super) fn selection(&mut self, selection: Selection, cost: f64) -> Costed {
        let id = self.selections.keep(selection, cost);
        Costed {
            operand: Operand::Selection(SelectionId(id)),
            cost: self.selections.items[id as usize].1,
        }
    }

    /// The cost of an operand where it was first wanted; fields all cost the same.
    fn cost(&self, operand: Operand) -> f64 {
        match operand {
            Operand::Field(_) => 0.0,
            Operand::Rule(id) => self.nodes.items[id.0 as usize].1,
            Operand::Selection(id) => self.selections.items[id.0 as usize].1,
        }
    }

    /// The selections that a variable makes anywhere.
    pub(super) fn selections_of(&self, operand: Operand, found: &mut Vec<SelectionId>) {
        match operand {
            Operand::Field(_) => {}
            Operand::Rule(id) => {
                for operand in self[id].operands() {
                    self.selections_of(operand, found);
                }
            }
            Operand::Selection(id) => found.push(id),
        }
    }

    /// Cheap and simple variables first. Fields are all alike, and so are rules: ties remain.
    pub(super) fn simpler(&self, a: Operand, b: Operand) -> Ordering {
        let kind = |operand| match operand {
            Operand::Field(_) => 0,
            Operand::Rule(_) => 1,
            Operand::Selection(_) => 2,
        };
        let costs = || rounded(self.cost(a)).cmp(&rounded(self.cost(b)));
        match (a, b) {
            _ if a == b => Ordering::Equal,
            (Operand::Rule(x), Operand::Rule(y)) => costs().then_with(|| {
                let (x, y) = (&self[x], &self[y]);
                let count = x.operands().count().cmp(&y.operands().count());
                count.then_with(|| {
                    let mut pairs = x.operands().zip(y.operands());
                    first_difference(&mut pairs, |(a, b)| self.simpler(a, b))
                })
            }),
            (Operand::Selection(x), Operand::Selection(y)) => costs().then_with(|| {
                let (x, y) = (&self[x].conditions, &self[y].conditions);
                let operands = || x.iter().zip(y).map(|(x, y)| (x.operand, y.operand));
                let kinds = |(a, b)| kind(a).cmp(&kind(b));
                x.len()
                    .cmp(&y.len())
                    .then_with(|| first_difference(&mut operands(), kinds))
                    .then_with(|| first_difference(&mut operands(), |(a, b)| self.simpler(a, b)))
            }),
            _ => kind(a).cmp(&kind(b)),
        }
    }

    /// The order of the operands that conditions are chosen from: fields by name, then rules.
    pub(super) fn condition_order(&self, grammar: &Grammar, a: Operand, b: Operand) -> Ordering {
        match (a, b) {
            _ if a == b => Ordering::Equal,
            (Operand::Field(a), Operand::Field(b)) => {
                grammar.field(a).name.cmp(&grammar.field(b).name)
            }
            (Operand::Field(_), _) => Ordering::Less,
            (_, Operand::Field(_)) => Ordering::Greater,
            (Operand::Rule(a), Operand::Rule(b)) => {
                let (a, b) = (&self[a], &self[b]);
                // Entities are numbered in the order of their names.
                let key = |node: &Node| (node.entity, node.rule.as_str(), node.operands().count());
                key(a).cmp(&key(b)).then_with(|| {
                    let mut pairs = a.operands().zip(b.operands());
                    first_difference(&mut pairs, |(a, b)| self.condition_order(grammar, a, b))
                })
            }
            // No selection is inside of another.
            _ => Ordering::Equal,
        }
    }

    /// The operand as it is kept in models; `part` knows the parts of conditions.
    pub(super) fn expression(
        &self,
        grammar: &Grammar,
        operand: Operand,
        part: &dyn Fn(&TreeCondition) -> Part,
    ) -> Expression {
        match operand {
            Operand::Field(id) => Expression::Field(grammar.field(id).name.clone()),
            Operand::Rule(id) => Expression::Apply {
                rule: self[id].rule,
                args: self[id]
                    .operands()
                    .map(|operand| self.expression(grammar, operand, part))
                    .collect(),
            },
            Operand::Selection(id) => {
                let condition = |condition: &TreeCondition| Condition {
                    operand: self.expression(grammar, condition.operand, part),
                    granularity: 1 << condition.exponent,
                    part: part(condition),
                };
                Expression::Select {
                    select: grammar.field(self[id].table).name.clone(),
                    conditions: self[id].conditions.iter().map(condition).collect(),
                }
            }
        }
    }

    /// The number of selections that a rule could have been about at the granularity of its own, if it is
    /// about one: of its records, or inside of its value. `parts` counts those of a condition.
    pub(super) fn rivals(
        &self,
        operand: Operand,
        parts: &dyn Fn(&TreeCondition) -> usize,
    ) -> Option<usize> {
        let Operand::Rule(id) = operand else {
            return None;
        };
        match (self[id].first, self[id].second) {
            (Operand::Selection(id), _) => {
                let parts = self[id].conditions.iter().map(parts);
                Some(parts.fold(1, usize::saturating_mul))
            }
            (_, Some(value)) => self.rivals(value, parts),
            _ => None,
        }
    }

    /// Is an operand a number? Otherwise it is a category.
    pub(super) fn is_number(&self, grammar: &Grammar, operand: Operand) -> bool {
        match operand {
            Operand::Field(id) => grammar.is_number(id),
            Operand::Rule(id) => {
                Operation::Rule(self[id].rule).gives(Wanted::Value(ColumnType::Numerical))
            }
            Operand::Selection(_) => false,
        }
    }
}

/// Costs closer than rounding errors and jitter are equal.
pub(super) fn rounded(cost: f64) -> i64 {
    (cost * 1e7 + 0.5).floor() as i64
}

fn first_difference<T>(
    pairs: &mut dyn Iterator<Item = T>,
    compare: impl Fn(T) -> Ordering,
) -> Ordering {
    pairs
        .map(compare)
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}
