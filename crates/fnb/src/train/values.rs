//! How the values of columns and constructed variables lie → what the model file keeps of it.

use super::facts::TableFacts;
use crate::model::ValueFacts;
use crate::prepare::{PreparedAxis, PreparedVariable};
use hashbrown::{HashMap, HashSet};

/// So many variables keep how their values lie, besides the selected ones: a file of 10 000 columns would be
/// mostly that.
const MOST_DISTRIBUTIONS: usize = 500;

/// The columns of the main table in their order, then constructed variables and features of sparse tables as
/// far as they are among the best.
pub(super) fn values(
    facts: &TableFacts,
    prepared: &[PreparedVariable],
    weights: &[f64],
) -> Vec<ValueFacts> {
    let kept = kept(prepared, weights);
    let of_axis = |i: usize, axis: &PreparedAxis| ValueFacts {
        name: axis.name.clone(),
        distinct: Some(axis.distinct as u64),
        missing: Some(axis.missing as u64),
        distribution: axis.distribution.clone().filter(|_| kept.contains(&i)),
    };
    let alone = prepared.iter().enumerate();
    let alone = alone.filter_map(|(i, variable)| match variable.axes.as_slice() {
        [axis] if axis.from.tree().is_none() => Some((i, axis)),
        _ => None,
    });
    let position: HashMap<&str, (usize, &PreparedAxis)> = alone
        .clone()
        .map(|(i, axis)| (axis.name.as_str(), (i, axis)))
        .collect();
    let columns = facts.columns.iter();
    let columns = columns.filter_map(|facts| match position.get(facts.column.name.as_str()) {
        Some(&(i, axis)) => Some(of_axis(i, axis)),
        None => facts.values.clone(),
    });
    let is_column: HashSet<&str> = facts
        .columns
        .iter()
        .map(|c| c.column.name.as_str())
        .collect();
    let others = alone.filter(|(i, axis)| {
        kept.contains(i)
            && prepared[*i].level > 0.0
            && axis.distribution.is_some()
            && !is_column.contains(axis.name.as_str())
    });
    columns
        .chain(others.map(|(i, axis)| of_axis(i, axis)))
        .collect()
}

/// The selected variables and the best of the others.
fn kept(prepared: &[PreparedVariable], weights: &[f64]) -> HashSet<usize> {
    let mut best: Vec<usize> = (0..prepared.len()).collect();
    best.sort_by(|&a, &b| super::prepared::best_first(&prepared[a], &prepared[b]));
    let selected = weights
        .iter()
        .enumerate()
        .filter(|(_, weight)| **weight > 0.0);
    let selected = selected.map(|(i, _)| i);
    best.into_iter()
        .take(MOST_DISTRIBUTIONS)
        .chain(selected)
        .collect()
}
