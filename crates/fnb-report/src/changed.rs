//! Variables whose values lie otherwise in other rows than in the training rows.

use fnb::Result;
use fnb::columns::Frame;
use fnb::model::Model;
use fnb::predict::Scorer;

/// Share of the rows that must have moved to another part for a variable to be named.
const MOVED: f64 = 0.1;
/// What chance moves, in standard deviations of as many parts.
const BY_CHANCE: f64 = 2.0;

/// A variable whose values lie otherwise in other rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Changed {
    /// The variable.
    pub variable: String,
    /// Share of the rows that are in other parts than they would be among the training rows.
    pub share: f64,
}

/// The variables of a model that changed between its training rows and those of a frame, the most changed first.
pub fn changed(model: &Model, frame: &Frame) -> Result<Vec<Changed>> {
    let scorer = Scorer::new(model);
    let bound = scorer.bind(frame)?;
    let rows = frame.rows() as f64;
    let mut found = Vec::new();
    for (position, term) in model.terms().iter().enumerate() {
        if term.axes.len() > 1 || rows == 0.0 {
            continue;
        }
        let mut there = vec![0.0; term.cells()];
        for row in 0..frame.rows() {
            there[bound.cell(position, row)] += 1.0 / rows;
        }
        let trained: f64 = term.counts.iter().flatten().sum::<u64>() as f64;
        let moved =
            |(cell, share): (usize, &f64)| (share - term.rows_of(cell) as f64 / trained).max(0.0);
        let share: f64 = there.iter().enumerate().map(moved).sum();
        let by_chance = BY_CHANCE * (term.cells() as f64 / rows.min(trained)).sqrt() / 2.0;
        if share >= MOVED + by_chance {
            let variable = term.axes[0].name.clone();
            found.push(Changed { variable, share });
        }
    }
    found.sort_by(|a, b| b.share.total_cmp(&a.share));
    found.dedup_by(|a, b| a.variable == b.variable);
    Ok(found)
}
