//! Pairs and trees of what is prepared already, for the preset of Khiops (docs/method.md §13).

use super::prepared::best_first;
use crate::Result;
use crate::prepare::{PreparedInput, PreparedVariable, Preparer, RankedInput, inputs_of_pairs};
use crate::relational::{Construction, Database, unique_name};
use crate::{Settings, columns::ColumnData};
use hashbrown::{HashMap, HashSet};
use std::borrow::Cow;

/// The inputs that pairs and trees are made of, best first: columns and what is constructed from tables.
/// Features of sparse tables and tokens of texts are too many and too rare.
fn ranked<'v>(
    database: &Database,
    variables: impl Iterator<Item = &'v PreparedVariable>,
) -> Vec<&'v PreparedVariable> {
    let root = database.root();
    let is_input = |variable: &&PreparedVariable| {
        let axis = &variable.axes[0];
        axis.from.text().is_none() && root.sparse_table_of(&variable.name).is_none()
    };
    let mut inputs: Vec<&PreparedVariable> = variables.filter(is_input).collect();
    inputs.sort_by(|a, b| best_first(a, b));
    inputs
}

/// The values of some variables again.
fn values<'a>(
    database: &'a Database,
    variables: &[&PreparedVariable],
    settings: &Settings,
) -> Result<Vec<Cow<'a, ColumnData>>> {
    let expressions = variables.iter().filter_map(|v| v.axes[0].from.expression());
    let expressions: Vec<_> = expressions.cloned().collect();
    let mut constructed = if expressions.is_empty() {
        Vec::new().into_iter()
    } else {
        let arithmetic = settings.construct.arithmetic;
        database.values(&expressions, arithmetic)?.into_iter()
    };
    let value = |variable: &&PreparedVariable| {
        if variable.axes[0].from.is_column() {
            let column = database.root().column(&variable.name);
            Cow::Borrowed(&column.expect("columns are those of the table").data)
        } else {
            Cow::Owned(constructed.next().expect("values of each"))
        }
    };
    Ok(variables.iter().map(value).collect())
}

/// What it costs to name each variable inside a pair or a tree: one of `choices`, and how it is
/// constructed.
fn prices_inside(
    variables: &[&PreparedVariable],
    construction: &Construction,
    choices: usize,
) -> Vec<f64> {
    let constructed = construction.variables.iter();
    let recipes: HashMap<&str, f64> = constructed
        .map(|v| (v.name.as_str(), v.cost - construction.selection_cost))
        .collect();
    let price = |variable: &&PreparedVariable| {
        let recipe = recipes.get(variable.name.as_str());
        (choices.max(1) as f64).ln() + recipe.copied().unwrap_or(0.0)
    };
    variables.iter().map(price).collect()
}

/// Variables with their values and what it costs to name them, being one of `choices`.
fn with_values<'a>(
    database: &'a Database,
    variables: Vec<&'a PreparedVariable>,
    construction: &Construction,
    choices: usize,
    settings: &Settings,
) -> Result<Vec<RankedInput<'a>>> {
    let data = values(database, &variables, settings)?;
    let prices = prices_inside(&variables, construction, choices);
    let inputs = variables.into_iter().zip(data).zip(prices);
    let input = |((variable, data), price)| RankedInput {
        variable,
        data,
        price,
    };
    Ok(inputs.map(input).collect())
}

/// The trees that the settings ask for and that tell something.
pub(super) fn prepare_trees(
    database: &Database,
    prepared: &[PreparedInput],
    construction: &Construction,
    settings: &Settings,
    preparer: &Preparer,
) -> Result<Vec<PreparedInput>> {
    let most = settings.prepare.trees;
    if most == 0 {
        return Ok(Vec::new());
    }
    let variables = ranked(database, prepared.iter().map(|input| &input.variable));
    let texts = database.text_families(&settings.construct);
    let choices = construction.choices - settings.prepare.families() - texts;
    let inputs = with_values(database, variables, construction, choices, settings)?;
    let taken = prepared.iter().map(|input| input.variable.name.as_str());
    let columns = database.root().columns().iter();
    let taken = taken.chain(columns.map(|column| column.name.as_str()));
    let mut taken: HashSet<String> = taken.map(str::to_owned).collect();
    let mut trees = preparer.grow_trees(&inputs, most, construction.selection_cost);
    for tree in &mut trees {
        tree.name = unique_name(&tree.name, &mut taken);
    }
    let mut prepared = preparer.prepare(trees);
    prepared.retain(|tree| tree.variable.level > 0.0);
    Ok(prepared)
}

/// The usable ones of the pairs that the settings ask for.
pub(super) fn prepare_pairs(
    database: &Database,
    prepared: &[PreparedInput],
    construction: &Construction,
    settings: &Settings,
    preparer: &Preparer,
) -> Result<Vec<PreparedInput>> {
    let most = settings.prepare.pairs;
    if most == 0 {
        return Ok(Vec::new());
    }
    let mut variables = ranked(database, prepared.iter().map(|input| &input.variable));
    variables.retain(|variable| variable.axes[0].distinct > 1);
    variables.truncate(inputs_of_pairs(most));
    let choices = construction.choices - settings.prepare.families();
    let inputs = with_values(database, variables, construction, choices, settings)?;
    Ok(preparer.prepare_pairs(&inputs, most, construction.selection_cost))
}
