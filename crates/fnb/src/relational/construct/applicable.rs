//! Which rules can be fed, entity by entity (docs/method.md §10.2).

use super::grammar::{Grammar, Operation, Wanted};
use super::rule_set::RuleSet;

/// A rule that can be used on the records of an entity.
#[derive(Debug, Clone, Copy)]
pub(super) struct Applicable {
    pub(super) operation: Operation,
    /// The pass that found it: how many rules must be stacked for it, at least.
    pub(super) level: usize,
}

/// The applicable rules of every entity: pass after pass, those whose operands are fields or results
/// of rules found before. `grammar` knows the fields only.
pub(super) fn levels(grammar: &Grammar, rules: &RuleSet) -> Vec<Vec<Applicable>> {
    let operations: Vec<Operation> = rules
        .selections()
        .then_some(Operation::Select)
        .into_iter()
        .chain(rules.rules().iter().map(|&rule| Operation::Rule(rule)))
        .collect();
    let mut found: Vec<Vec<Applicable>> = vec![Vec::new(); grammar.entities.len()];
    for level in 1.. {
        let added: Vec<Vec<Applicable>> = (0..grammar.entities.len())
            .map(|entity| {
                let known =
                    |operation| found[entity].iter().any(|rule| rule.operation == operation);
                operations
                    .iter()
                    .filter(|&&operation| !known(operation))
                    .filter(|&&operation| can_be_fed(grammar, &found, entity, operation))
                    .map(|&operation| Applicable { operation, level })
                    .collect()
            })
            .collect();
        if added.iter().all(Vec::is_empty) {
            break;
        }
        for (found, added) in found.iter_mut().zip(added) {
            found.extend(added);
        }
    }
    found
}

fn can_be_fed(
    grammar: &Grammar,
    found: &[Vec<Applicable>],
    entity: usize,
    operation: Operation,
) -> bool {
    let available = |entity: usize, wanted: Wanted| {
        !grammar.choices(entity, wanted).fields.is_empty()
            || found[entity]
                .iter()
                .any(|rule| rule.operation.gives(wanted))
    };
    match operation.wanted(false)[..] {
        [only] => available(entity, only),
        [relation, value] => {
            let relations = &grammar.choices(entity, relation).fields;
            let mut related = relations
                .iter()
                .filter_map(|&field| grammar.field(field).related);
            related.any(|entity| available(entity, value))
        }
        _ => false,
    }
}
