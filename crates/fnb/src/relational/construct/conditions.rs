//! Draws become selections: operands, granularities, parts (docs/method.md §10.4).

use super::expand::Walk;
use super::grammar::{FieldId, Wanted};
use super::parts::{Granularity, MAX_EXPONENT};
use super::splits::{best, equal};
use super::tree::{Costed, Operand, Selection, TreeCondition};
use super::tuples::{Tuple, product, subsets};
use crate::math::integer_code::unbounded;
use crate::relational::Part;
use hashbrown::HashMap;

/// The parts of the operands of conditions.
#[derive(Default)]
pub(super) struct KnownParts {
    granularities: HashMap<Operand, Vec<Granularity>>,
}

impl KnownParts {
    pub(super) fn insert(&mut self, operand: Operand, granularities: Vec<Granularity>) {
        self.granularities.insert(operand, granularities);
    }

    /// The parts of an operand, if they are known; there may be none.
    pub(super) fn get(&self, operand: Operand) -> Option<&[Granularity]> {
        self.granularities.get(&operand).map(Vec::as_slice)
    }

    /// Without any, an operand cannot be in a condition.
    fn of(&self, operand: Operand) -> &[Granularity] {
        self.get(operand).unwrap_or(&[])
    }

    /// The parts of the granularity of a condition.
    fn granularity(&self, condition: &TreeCondition) -> Option<&Granularity> {
        let exponent = condition.exponent as usize;
        let mut granularities = self.of(condition.operand).iter();
        granularities.find(|granularity| granularity.exponent == exponent)
    }

    /// Number of parts that are new at the granularity of a condition.
    pub(super) fn rivals(&self, condition: &TreeCondition) -> usize {
        self.granularity(condition).map_or(0, |found| found.count)
    }

    /// The part of a condition.
    pub(super) fn part(&self, condition: &TreeCondition) -> Option<&Part> {
        let mut parts = self.granularity(condition)?.parts.iter();
        parts
            .find(|(number, _)| *number == condition.part)
            .map(|(_, part)| part)
    }
}

impl Walk<'_> {
    /// Adds to `out` the selections of records that draws give.
    pub(super) fn select(&mut self, entity: usize, cost: f64, draws: f64, out: &mut Vec<Costed>) {
        if self.inside {
            return;
        }
        self.inside = true;
        let choices = self.grammar.choices(entity, Wanted::AllOfMany);
        let shares = self.share(entity, Wanted::AllOfMany, draws);
        for (&table, draws) in choices.fields.iter().zip(shares.fields) {
            if draws > 0.0 {
                self.select_from(table, cost + choices.field_cost, draws, out);
            }
        }
        self.inside = false;
    }

    /// Selections of the records of one relation.
    fn select_from(&mut self, table: FieldId, cost: f64, draws: f64, out: &mut Vec<Costed>) {
        let Some(entity) = self.grammar.field(table).related else {
            return;
        };
        let operands = self.condition_operands(entity, draws);
        let probabilities: Vec<f64> = operands.iter().map(|o| (-o.cost).exp()).collect();
        let sizes: Vec<f64> = (1..=operands.len())
            .map(|k| (-unbounded(k)).exp())
            .collect();
        for (size, size_draws) in (1..).zip(best(draws, &sizes)) {
            if size_draws <= 0.0 {
                continue;
            }
            let before = out.len();
            for subset in subsets(size_draws, size, &probabilities) {
                if subset.draws > 0.0 {
                    let cost = cost + unbounded(size) - subset.probability.ln();
                    self.select_by(table, &operands, &subset, cost, out);
                }
            }
            prune(draws, out);
            if out.len() >= self.cap || out.len() == before {
                break;
            }
        }
    }

    /// What conditions of records of an entity may be about, in order.
    fn condition_operands(&mut self, entity: usize, draws: f64) -> Vec<Costed> {
        let wanted = Wanted::NumberOrCategory;
        let choices = self.grammar.choices(entity, wanted);
        let shares = self.share(entity, wanted, draws);
        // All fields are taken, whatever their draws.
        let field = |&field: &FieldId| Costed {
            operand: Operand::Field(field),
            cost: choices.field_cost,
        };
        let mut operands: Vec<Costed> = choices.fields.iter().map(field).collect();
        for (rule, draws) in choices.rules.iter().zip(shares.rules) {
            if draws > 0.0 {
                let found = self.rule_operands(entity, wanted, rule, draws);
                operands.extend(found.into_iter().map(|(operand, _)| operand));
            }
        }
        if let Some(parts) = self.parts {
            operands.retain(|operand| !parts.of(operand.operand).is_empty());
        }
        let (tree, grammar) = (&self.tree, self.grammar);
        operands.sort_by(|a, b| tree.condition_order(grammar, a.operand, b.operand));
        operands
    }

    /// Selections by conditions on given operands.
    fn select_by(
        &mut self,
        table: FieldId,
        operands: &[Costed],
        subset: &Tuple,
        cost: f64,
        out: &mut Vec<Costed>,
    ) {
        let usable: Vec<Vec<TreeCondition>> = subset
            .members
            .iter()
            .map(|&member| self.usable_conditions(operands[member].operand, subset.draws))
            .collect();
        let probability = |condition: &TreeCondition| (-condition.cost()).exp();
        let probabilities: Vec<Vec<f64>> = usable
            .iter()
            .map(|conditions| conditions.iter().map(probability).collect())
            .collect();
        for tuple in product(subset.draws, &probabilities) {
            if tuple.draws <= 0.0 {
                continue;
            }
            if out.len() >= self.cap {
                return;
            }
            let members = usable.iter().zip(&tuple.members);
            let conditions: Vec<TreeCondition> = members.map(|(usable, &i)| usable[i]).collect();
            let parts: f64 = conditions.iter().map(TreeCondition::cost).sum();
            let selection = Selection { table, conditions };
            out.push(self.tree.selection(selection, cost + parts));
        }
    }

    /// The conditions on an operand that so many draws reach.
    fn usable_conditions(&mut self, operand: Operand, draws: f64) -> Vec<TreeCondition> {
        let mut usable = Vec::new();
        let mut add = |exponent: usize, numbers: &mut dyn Iterator<Item = (u32, f64)>| {
            for (part, draws) in numbers {
                if draws > 0.0 {
                    usable.push(TreeCondition {
                        operand,
                        exponent: exponent as u32,
                        part,
                    });
                }
            }
        };
        match self.parts {
            None => {
                let count = (2..=MAX_EXPONENT)
                    .find(|&exponent| f64::from(1 << exponent) >= draws)
                    .unwrap_or(MAX_EXPONENT + 1)
                    - 1;
                let shares = best(draws, &granularity_probabilities(1..=count));
                for (exponent, draws) in (1..=count).zip(shares) {
                    if draws > 0.0 {
                        let shares = equal(draws, 1 << exponent, &mut self.stream);
                        add(exponent, &mut (0..).zip(shares));
                    }
                }
            }
            Some(parts) => {
                let granularities = parts.of(operand);
                let exponents = granularities.iter().map(|granularity| granularity.exponent);
                let shares = best(draws, &granularity_probabilities(exponents));
                for (granularity, draws) in granularities.iter().zip(shares) {
                    if draws == 0.0 {
                        self.stream.skip_shuffle(granularity.count);
                        continue;
                    }
                    let shares = equal(draws, granularity.count, &mut self.stream);
                    let numbers = granularity.parts.iter().map(|(number, _)| *number);
                    add(granularity.exponent, &mut numbers.zip(shares));
                }
            }
        }
        usable
    }
}

fn granularity_probabilities(exponents: impl Iterator<Item = usize>) -> Vec<f64> {
    exponents
        .map(|exponent| (-unbounded(exponent)).exp())
        .collect()
}

/// Drops the selections that so many draws would not reach, seen all together.
fn prune(draws: f64, out: &mut Vec<Costed>) {
    let mut probabilities: Vec<f64> = out.iter().map(|o| (-o.cost).exp()).collect();
    probabilities.sort_unstable_by(|a, b| b.total_cmp(a));
    let Some((&greatest, others)) = probabilities.split_first() else {
        return;
    };
    let hopeless = |(rank, p): (u32, &f64)| {
        let threshold = greatest / (draws - f64::from(rank) + 2.0);
        (*p <= threshold).then_some(*p)
    };
    let threshold = (2..).zip(others).find_map(hopeless);
    if let Some(threshold) = threshold {
        out.retain(|o| (-o.cost).exp() > threshold);
    }
}
