//! Draws walk down the prior, from a rule to its operands, and become variables
//! (docs/method.md §10.4).

use super::conditions::KnownParts;
use super::grammar::{Grammar, Operation, RuleChoice, Wanted};
use super::random::Stream;
use super::splits::{best, equal};
use super::tree::{Costed, Node, Operand, Tree};

/// Bounds of the walk, reached in schemas that lead back to themselves only.
const MAX_DEPTH: usize = 100;
pub(super) const MAX_COST: f64 = 1000.0;

/// A walk down the prior.
pub(super) struct Walk<'a> {
    pub(super) grammar: &'a Grammar,
    pub(super) tree: &'a mut Tree,
    /// The parts of the data; without them, all parts of a granularity are taken to exist.
    pub(super) parts: Option<&'a KnownParts>,
    pub(super) stream: Stream,
    /// No list of operands gets longer.
    pub(super) cap: usize,
    /// Is a selection being built?
    pub(super) inside: bool,
    pub(super) depth: usize,
}

/// How the draws of an operand are shared.
pub(super) struct Shares {
    pub(super) fields: Vec<f64>,
    pub(super) rules: Vec<f64>,
}

/// The place of a rule whose operands are being chosen.
struct Site<'a> {
    entity: usize,
    operation: Operation,
    /// What its operands must be.
    operands: &'a [Wanted],
    /// What the rule itself was wanted as.
    wanted: Wanted,
}

impl Walk<'_> {
    /// The variables of the root that so many draws give.
    pub(super) fn variables(&mut self, draws: f64, selection_cost: f64) -> Vec<Costed> {
        let grammar = self.grammar;
        let wanted = Wanted::NumberOrCategory;
        let choices = grammar.choices(grammar.root, wanted);
        let shares = best(draws, &choices.probabilities);
        let mut variables = Vec::new();
        for (rule, draws) in choices.rules.iter().zip(shares) {
            let cost = selection_cost + rule.cost;
            self.expand(grammar.root, wanted, rule, cost, draws, &mut variables);
        }
        variables
    }

    /// Shares the draws of an operand among its fields and its rules.
    pub(super) fn share(&mut self, entity: usize, wanted: Wanted, draws: f64) -> Shares {
        let choices = self.grammar.choices(entity, wanted);
        let n = choices.fields.len();
        let to_rules = if choices.rules.is_empty() {
            0.0
        } else if n == 0 {
            draws
        } else if draws <= n as f64 {
            0.0
        } else {
            let weight = choices.rule_weight;
            (0.5 + draws * weight / (n as f64 + weight)).floor()
        };
        Shares {
            fields: equal(draws - to_rules, n, &mut self.stream),
            rules: best(to_rules, &choices.probabilities),
        }
    }

    /// Adds to `out` what draws for a rule give, each with `cost` plus the cost of its operands.
    pub(super) fn expand(
        &mut self,
        entity: usize,
        wanted: Wanted,
        rule: &RuleChoice,
        cost: f64,
        draws: f64,
        out: &mut Vec<Costed>,
    ) {
        if draws <= 0.0 || self.depth >= MAX_DEPTH || cost > MAX_COST {
            return;
        }
        self.depth += 1;
        let operands = rule.operation.wanted(self.inside);
        let site = Site {
            entity,
            operation: rule.operation,
            operands: &operands,
            wanted,
        };
        match rule.operation {
            Operation::Rule(_) => self.operand(&site, None, entity, cost, draws, out),
            Operation::Select => self.select(entity, cost, draws, out),
        }
        self.depth -= 1;
    }

    /// What draws for a rule operand give, and how they are shared among the results.
    pub(super) fn rule_operands(
        &mut self,
        entity: usize,
        wanted: Wanted,
        rule: &RuleChoice,
        draws: f64,
    ) -> Vec<(Costed, f64)> {
        let mut found = Vec::new();
        let cost = self.grammar.choices(entity, wanted).rule_cost + rule.cost;
        self.expand(entity, wanted, rule, cost, draws, &mut found);
        let shares = if found.len() == 1 {
            vec![draws]
        } else {
            let probabilities: Vec<f64> = found.iter().map(|o| (-o.cost).exp()).collect();
            best(draws, &probabilities)
        };
        let with_draws = found.into_iter().zip(shares);
        with_draws.filter(|(_, draws)| *draws > 0.0).collect()
    }

    /// Chooses the next operand, in the records of `scope`: fields first, then rules.
    fn operand(
        &mut self,
        site: &Site,
        first: Option<Operand>,
        scope: usize,
        cost: f64,
        draws: f64,
        out: &mut Vec<Costed>,
    ) {
        let grammar = self.grammar;
        let wanted = site.operands[usize::from(first.is_some())];
        let choices = grammar.choices(scope, wanted);
        let shares = self.share(scope, wanted, draws);
        for (&field, draws) in choices.fields.iter().zip(shares.fields) {
            if draws > 0.0 {
                let operand = Operand::Field(field);
                self.next(site, first, operand, cost + choices.field_cost, draws, out);
            }
        }
        for (rule, draws) in choices.rules.iter().zip(shares.rules) {
            if draws > 0.0 && out.len() < self.cap {
                for (found, draws) in self.rule_operands(scope, wanted, rule, draws) {
                    self.next(site, first, found.operand, cost + found.cost, draws, out);
                }
            }
        }
    }

    /// With an operand chosen: the next one, or the finished rule.
    fn next(
        &mut self,
        site: &Site,
        first: Option<Operand>,
        operand: Operand,
        cost: f64,
        draws: f64,
        out: &mut Vec<Costed>,
    ) {
        if out.len() >= self.cap || cost > MAX_COST {
            return;
        }
        let Operation::Rule(rule) = site.operation else {
            return;
        };
        if first.is_none() && site.operands.len() == 2 {
            let relation = match operand {
                Operand::Selection(id) => self.tree[id].table,
                Operand::Field(id) => id,
                Operand::Rule(_) => return,
            };
            if let Some(related) = self.grammar.field(relation).related {
                self.operand(site, Some(operand), related, cost, draws, out);
            }
            return;
        }
        let node = Node {
            entity: site.entity as u32,
            rule,
            first: first.unwrap_or(operand),
            second: first.map(|_| operand),
            wanted: site.wanted,
            inside: self.inside,
        };
        out.push(self.tree.node(node, cost));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::relational::construct::rule_set::RuleSet;
    use crate::relational::construct::unit_vectors::{array, number, unit_vectors};
    use serde_json::json;

    #[test]
    fn a_published_walk_of_20_draws() {
        let vectors = unit_vectors();
        let categorical = |name: &str| json!({"name": name, "type": "categorical"});
        let schema = json!({"root": "Junction", "entities": {
            "Junction": {"key": ["SampleId"], "fields": [
                categorical("SampleId"), categorical("Class"),
                {"name": "DNA", "relation": "many", "entity": "JunctionDNA"}]},
            "JunctionDNA": {"key": ["SampleId"], "fields": [
                categorical("SampleId"),
                {"name": "Pos", "type": "numerical"}, categorical("Char")]}}});
        let schema = serde_json::from_value(schema).expect("a schema");
        let grammar = Grammar::new(&schema, Some("Class"), &RuleSet::khiops());
        let mut tree = Tree::new();
        let mut walk = Walk {
            grammar: &grammar,
            tree: &mut tree,
            parts: None,
            stream: Stream::new(),
            cap: 1000,
            inside: false,
            depth: 0,
        };
        let mut found = Vec::new();
        for variable in walk.variables(20.0, 2_f64.ln()) {
            let Operand::Rule(id) = variable.operand else {
                panic!("a variable is a rule");
            };
            let parts: Vec<_> = match walk.tree[id].first {
                Operand::Selection(selection) => {
                    let conditions = walk.tree[selection].conditions.iter();
                    let part = |condition: &super::super::tree::TreeCondition| {
                        let Operand::Field(field) = condition.operand else {
                            panic!("conditions are on fields");
                        };
                        let name = grammar.field(field).name.clone();
                        json!([name, 1 << condition.exponent, condition.part])
                    };
                    conditions.map(part).collect()
                }
                _ => Vec::new(),
            };
            found.push((walk.tree[id].rule.as_str(), parts, variable.cost));
        }
        let expected: Vec<_> = array(&vectors["walk_splice_T20_pass1"]).collect();
        assert_eq!(found.len(), expected.len());
        for expected in expected {
            let same = |found: &&(&str, Vec<_>, f64)| {
                expected["name_without_parts"] == found.0 && expected["parts"] == json!(found.1)
            };
            let found = found.iter().find(same);
            let found = found.unwrap_or_else(|| panic!("{expected} is not found"));
            assert!(
                (found.2 - number(&expected["cost"])).abs() < 1e-12,
                "{expected}"
            );
        }
    }
}
