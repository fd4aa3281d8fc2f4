//! A term in a line of a table: one column per part.

use crate::text::coordinate;
use crate::view::{TermView, View};

const WIDTH: f64 = 110.0;
const HEIGHT: f64 = 24.0;

/// What each part adds to the log odds, as wide as the square root of its rows, on a scale of its own.
pub(crate) fn of_term(view: &View, term: &TermView) -> String {
    let cells = term.term.cells();
    if term.term.axes.len() > 1 || cells > 400 {
        return String::new();
    }
    let adds: Vec<f64> = (0..cells)
        .map(|cell| view.adds(term.index, cell).unwrap_or(0.0))
        .collect();
    let widths: Vec<f64> = (0..cells)
        .map(|cell| (term.term.rows_of(cell) as f64).sqrt())
        .collect();
    let total: f64 = widths.iter().sum::<f64>().max(1e-9);
    let rows: f64 = (0..cells).map(|cell| term.term.rows_of(cell) as f64).sum();
    // Parts of very few rows may be far out: they do not set the scale.
    let frequent = (0..cells).filter(|&cell| term.term.rows_of(cell) as f64 >= 0.005 * rows);
    let most = frequent.map(|cell| adds[cell].abs()).fold(1e-9, f64::max);
    let (mut up, mut down) = (String::new(), String::new());
    let mut x = 0.0;
    for (by, width) in adds.iter().zip(&widths) {
        let width = WIDTH * width / total;
        let size = (by.abs() / most).min(1.0) * (HEIGHT / 2.0 - 1.0);
        let (path, y) = if *by >= 0.0 {
            (&mut up, HEIGHT / 2.0 - size)
        } else {
            (&mut down, HEIGHT / 2.0)
        };
        path.push_str(&format!(
            "M{} {}h{}v{}h-{}z",
            coordinate(x),
            coordinate(y),
            coordinate((width - 0.6).max(0.3)),
            coordinate(size),
            coordinate((width - 0.6).max(0.3)),
        ));
        x += width;
    }
    format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" width={WIDTH} height={HEIGHT} aria-hidden=true><path class=grid d=\"M0 \
         {0}H{WIDTH}\"/><path class=pos d=\"{up}\"/><path class=neg d=\"{down}\"/></svg>",
        HEIGHT / 2.0
    )
}
