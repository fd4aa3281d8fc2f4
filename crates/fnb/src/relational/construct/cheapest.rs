//! The cheapest variables of all: everything up to a price, which rises until there are enough
//! (docs/method.md §10.4).

use super::conditions::KnownParts;
use super::grammar::{FieldId, Grammar, Operation, RuleChoice, Wanted};
use super::parts::Granularity;
use super::prior::part_cost;
use super::tree::{Costed, Node, Operand, Selection, Tree, TreeCondition};
use crate::math::integer_code::unbounded;
use hashbrown::{HashMap, HashSet};
use std::rc::Rc;

/// Rules are not stacked higher, in schemas that lead back to themselves.
const MAX_DEPTH: usize = 100;

/// What an operand was wanted as: the entity, the type, inside of a selection or not.
type Place = (usize, Wanted, bool);

/// Everything up to a price.
pub(super) struct Enumeration<'a> {
    grammar: &'a Grammar,
    tree: &'a mut Tree,
    parts: &'a KnownParts,
    /// Operands up to a price, cheapest first, the price being the first that was asked.
    known: HashMap<Place, (f64, Rc<[Costed]>)>,
    inside: bool,
    depth: usize,
    /// Was anything too expensive? Otherwise there is nothing more to find.
    pub(super) is_cut: bool,
    /// Operands of conditions whose parts are not known; they were left out.
    pub(super) unknown: Vec<Operand>,
    unknown_set: HashSet<Operand>,
}

/// An operand of conditions, with its parts.
type Candidate<'a> = (Costed, &'a [Granularity]);

/// Sets of conditions on records of a relation, of one size.
struct Sets<'a> {
    table: FieldId,
    candidates: &'a [Candidate<'a>],
    size: usize,
    /// The price.
    budget: f64,
}

impl<'a> Enumeration<'a> {
    pub(super) fn new(grammar: &'a Grammar, tree: &'a mut Tree, parts: &'a KnownParts) -> Self {
        Self {
            grammar,
            tree,
            parts,
            known: HashMap::new(),
            inside: false,
            depth: 0,
            is_cut: false,
            unknown: Vec::new(),
            unknown_set: HashSet::new(),
        }
    }

    /// The variables of the root up to that price.
    pub(super) fn variables(&mut self, selection_cost: f64, budget: f64) -> Vec<Costed> {
        let place = (self.grammar.root, Wanted::NumberOrCategory, false);
        let mut variables = Vec::new();
        for rule in &self.grammar.choices(place.0, place.1).rules {
            let cost = selection_cost + rule.cost;
            self.apply(place, rule, cost, budget, &mut variables);
        }
        variables
    }

    /// Is it affordable? If not, something is left out.
    fn affords(&mut self, cost: f64, budget: f64) -> bool {
        self.is_cut |= cost > budget;
        cost <= budget
    }

    /// The operands up to that price, cheapest first.
    fn operands(&mut self, entity: usize, wanted: Wanted, budget: f64) -> Rc<[Costed]> {
        let place = (entity, wanted, self.inside);
        if let Some((known_budget, known)) = self.known.get(&place)
            && *known_budget >= budget
        {
            let affordable = known.partition_point(|operand| operand.cost <= budget);
            self.is_cut |= affordable < known.len();
            return if affordable == known.len() {
                known.clone()
            } else {
                known[..affordable].into()
            };
        }
        if self.depth == MAX_DEPTH {
            return Rc::new([]);
        }
        self.depth += 1;
        let choices = self.grammar.choices(entity, wanted);
        let mut found = Vec::new();
        if !choices.fields.is_empty() && self.affords(choices.field_cost, budget) {
            found.extend(choices.fields.iter().map(|&field| Costed {
                operand: Operand::Field(field),
                cost: choices.field_cost,
            }));
        }
        for rule in &choices.rules {
            let cost = choices.rule_cost + rule.cost;
            self.apply(place, rule, cost, budget, &mut found);
        }
        self.depth -= 1;
        found.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        let found: Rc<[Costed]> = found.into();
        self.known.insert(place, (budget, found.clone()));
        found
    }

    /// Adds a rule applied to all operands that the price allows.
    fn apply(
        &mut self,
        place: Place,
        rule: &RuleChoice,
        cost: f64,
        budget: f64,
        out: &mut Vec<Costed>,
    ) {
        if !self.affords(cost, budget) {
            return;
        }
        let (entity, wanted, inside) = place;
        let Operation::Rule(name) = rule.operation else {
            self.select(entity, cost, budget, out);
            return;
        };
        let types = rule.operation.wanted(inside);
        for first in &*self.operands(entity, types[0], budget - cost) {
            let node = |second: Option<Operand>| Node {
                entity: entity as u32,
                rule: name,
                first: first.operand,
                second,
                wanted,
                inside,
            };
            let cost = cost + first.cost;
            let Some(&second_type) = types.get(1) else {
                out.push(self.tree.node(node(None), cost));
                continue;
            };
            let relation = match first.operand {
                Operand::Field(id) => id,
                Operand::Selection(id) => self.tree[id].table,
                Operand::Rule(_) => continue,
            };
            if let Some(related) = self.grammar.field(relation).related {
                for second in &*self.operands(related, second_type, budget - cost) {
                    let node = node(Some(second.operand));
                    out.push(self.tree.node(node, cost + second.cost));
                }
            }
        }
    }

    /// Adds the selections that the price allows.
    fn select(&mut self, entity: usize, cost: f64, budget: f64, out: &mut Vec<Costed>) {
        let choices = self.grammar.choices(entity, Wanted::AllOfMany);
        let cost = cost + choices.field_cost;
        self.inside = true;
        for &table in &choices.fields {
            let Some(related) = self.grammar.field(table).related else {
                continue;
            };
            // No operand of any selection costs more than that of the simplest one could.
            let simplest = cost + unbounded(1) + part_cost(1);
            if !self.affords(simplest, budget) {
                continue;
            }
            let operands = self.operands(related, Wanted::NumberOrCategory, budget - simplest);
            let parts = self.parts;
            let mut candidates: Vec<Candidate> = Vec::new();
            for &operand in &*operands {
                match parts.get(operand.operand) {
                    Some([]) => {}
                    Some(granularities) => candidates.push((operand, granularities)),
                    None => {
                        if self.unknown_set.insert(operand.operand) {
                            self.unknown.push(operand.operand);
                        }
                    }
                }
            }
            let mut ln_factorial = 0.0;
            for size in 1..=candidates.len() {
                ln_factorial += (size as f64).ln();
                let cost = cost + unbounded(size) - ln_factorial;
                let least = candidates[..size].iter().map(|(operand, _)| operand.cost);
                let least = cost + least.sum::<f64>() + size as f64 * part_cost(1);
                // One more condition always costs more: the n-th operand has a probability of 1/n
                // at most.
                if !self.affords(least, budget) {
                    break;
                }
                let sets = Sets {
                    table,
                    candidates: &candidates,
                    size,
                    budget,
                };
                self.add_sets(&sets, 0, cost, &mut Vec::new(), out);
            }
        }
        self.inside = false;
    }

    /// Adds the sets of conditions that begin with the given ones.
    fn add_sets(
        &mut self,
        sets: &Sets,
        start: usize,
        cost: f64,
        conditions: &mut Vec<TreeCondition>,
        out: &mut Vec<Costed>,
    ) {
        if conditions.len() == sets.size {
            let mut conditions = conditions.clone();
            let (tree, grammar) = (&self.tree, self.grammar);
            conditions.sort_by(|a, b| tree.condition_order(grammar, a.operand, b.operand));
            let table = sets.table;
            out.push(self.tree.selection(Selection { table, conditions }, cost));
            return;
        }
        let missing = (sets.size - conditions.len() - 1) as f64;
        for (i, (operand, granularities)) in sets.candidates.iter().enumerate().skip(start) {
            // The conditions that follow are on operands that cost as much or more.
            let others = missing * (operand.cost + part_cost(1));
            let cost = cost + operand.cost;
            if !self.affords(cost + part_cost(1) + others, sets.budget) {
                return;
            }
            for granularity in *granularities {
                let cost = cost + part_cost(granularity.exponent);
                if !self.affords(cost + others, sets.budget) {
                    break;
                }
                for &(part, _) in &granularity.parts {
                    conditions.push(TreeCondition {
                        operand: operand.operand,
                        exponent: granularity.exponent as u32,
                        part,
                    });
                    self.add_sets(sets, i + 1, cost, conditions, out);
                    conditions.pop();
                }
            }
        }
    }
}
