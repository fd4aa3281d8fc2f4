//! The values of a column in a line of a table.

use crate::text::coordinate;
use fnb::columns::Distribution;

const WIDTH: f64 = 96.0;
const HEIGHT: f64 = 22.0;

/// Bins of numbers and moments side by side, categories by frequency.
pub(crate) fn of(distribution: &Distribution) -> String {
    let rows = rows(distribution);
    let most = rows.iter().copied().max().unwrap_or(0);
    if most == 0 {
        return String::new();
    }
    let width = (WIDTH / rows.len() as f64).min(12.0);
    let mut path = String::new();
    for (i, rows) in rows.iter().enumerate().filter(|(_, rows)| **rows > 0) {
        let height = (HEIGHT * *rows as f64 / most as f64).max(0.7);
        path.push_str(&format!(
            "M{} {HEIGHT}v-{2}h{1}v{2}z",
            coordinate(i as f64 * width),
            coordinate((width - 0.8).max(0.4)),
            coordinate(height)
        ));
    }
    format!(
        "<svg class=spark viewBox=\"0 0 {WIDTH} {HEIGHT}\" aria-hidden=true><path d=\"{path}\"/></svg>"
    )
}

/// The heights of the same in 35ths, a letter for each: the page draws it when the column is asked for.
pub(crate) fn code(distribution: &Distribution) -> String {
    let rows = rows(distribution);
    let most = rows.iter().copied().max().unwrap_or(0).max(1);
    let height = |rows: u64| (35.0 * rows as f64 / most as f64).ceil() as u32;
    let letter = |rows| char::from_digit(height(rows), 36).expect("at most 35");
    rows.into_iter().map(letter).collect()
}

fn rows(distribution: &Distribution) -> Vec<u64> {
    match distribution {
        Distribution::Numbers { bins, .. } | Distribution::Moments { bins, .. } => bins.clone(),
        Distribution::Categories { top } => top.iter().map(|(_, rows)| *rows).collect(),
    }
}
