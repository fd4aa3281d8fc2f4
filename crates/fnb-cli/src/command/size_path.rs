//! The size path of a model: how quality grows with the number of variables.

use crate::output::{self, Grid, bar, clip, small_figure};
use crate::view::NO_VARIABLE;
use anyhow::Result;
use fnb::model::{Model, SizePoint};
use serde::Serialize;

/// Width of the list of variables that come and go.
const CHANGE_WIDTH: usize = 60;

/// A model of the path against the next smaller one.
#[derive(Serialize)]
struct Step<'a> {
    #[serde(flatten)]
    point: &'a SizePoint,
    /// Share of the criterion without variables that it saves.
    compression: f64,
    /// Variables that the next smaller model is without.
    added: Vec<&'a str>,
    /// Variables that only the next smaller model has.
    left_out: Vec<&'a str>,
}

/// Prints the path, the smallest model first and the model itself last.
pub(crate) fn show(model: &Model, json: bool) -> Result<()> {
    let path = &model.training().size_path;
    let null = null_criterion(&model.target().counts);
    let smaller = [None].into_iter().chain(path.iter().map(Some));
    let steps: Vec<Step> = path
        .iter()
        .zip(smaller)
        .map(|(point, smaller)| Step::new(point, smaller, null))
        .collect();
    if json {
        return output::print_json(&steps);
    }
    if steps.is_empty() {
        return output::print(NO_VARIABLE);
    }
    let mut grid = Grid::new(&["variables", "criterion", "saved", "", "change"]);
    for step in &steps {
        grid.line(vec![
            step.point.selected.to_string(),
            format!("{:.1}", step.point.criterion.total),
            small_figure(step.compression),
            bar(step.compression, 20),
            step.change(),
        ]);
    }
    output::print(format_args!("criterion without variables: {null:.1}"))?;
    output::print(grid)
}

/// What all methods pay without variables: the class of every row, coded by the class shares
/// (docs/method.md §6).
fn null_criterion(counts: &[u64]) -> f64 {
    let rows = counts.iter().sum::<u64>() as f64;
    let cost = |&count: &u64| count as f64 * (rows / count as f64).ln();
    counts.iter().filter(|count| **count > 0).map(cost).sum()
}

impl<'a> Step<'a> {
    fn new(point: &'a SizePoint, smaller: Option<&'a SizePoint>, null: f64) -> Self {
        let only_in = |one: Option<&'a SizePoint>, other: Option<&SizePoint>| -> Vec<&'a str> {
            let names = one.into_iter().flat_map(|point| point.weights.keys());
            let is_new =
                |name: &&String| other.is_none_or(|point| !point.weights.contains_key(*name));
            names.filter(is_new).map(String::as_str).collect()
        };
        Self {
            point,
            compression: 1.0 - point.criterion.total / null,
            added: only_in(Some(point), smaller),
            left_out: only_in(smaller, Some(point)),
        }
    }

    /// The variables that come and go, in one line.
    fn change(&self) -> String {
        let added = self.added.iter().map(|name| format!("+ {name}"));
        let left_out = self.left_out.iter().map(|name| format!("- {name}"));
        let names: Vec<String> = added.chain(left_out).collect();
        clip(&names.join(", "), CHANGE_WIDTH)
    }
}
