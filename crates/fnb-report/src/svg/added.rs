//! What a number adds to the log odds, on the scale of the drawing of its shares above it.

use super::chart::{Ground, drawing, ticks};
use super::steps::{LEFT, WIDTH, range};
use crate::labels;
use crate::text::{clipped, coordinate, escape, number, signed};
use crate::view::{TermView, View};
use fnb::terms::Parts;

const HEIGHT: f64 = 96.0;
/// What is always within the drawing, to both sides of 0: what hardly matters shall not look large.
const LEAST: f64 = 0.5;
/// Parts that are told to those who do not see the drawing.
const TOLD: usize = 30;

/// The profile of a number that was estimated anew, so that its shares do not say what it adds; else nothing.
pub(crate) fn of(view: &View, view_of: &TermView) -> String {
    let term = view_of.term;
    let Parts::Intervals { cuts, .. } = &term.axes[0].parts else {
        return String::new();
    };
    let (Some(contrast), Some(_)) = (view.contrast, &term.correction) else {
        return String::new();
    };
    let known = view.values.get(term.axes[0].name.as_str());
    let known = known.and_then(|facts| facts.distribution.as_ref());
    let Some([low, high]) = range(cuts, known) else {
        return String::new();
    };
    let steps: Vec<(usize, f64, f64, f64)> = (0..term.cells())
        .filter_map(|part| {
            let (from, to) = labels::bounds(&term.axes[0].parts, part)?;
            let from = from.unwrap_or(low).clamp(low, high);
            let to = to.unwrap_or(high).clamp(low, high);
            (from < to).then_some((part, from, to, view.adds(view_of.index, part)?))
        })
        .collect();
    let bottom = steps.iter().map(|step| step.3).fold(-LEAST, f64::min);
    let top = steps.iter().map(|step| step.3).fold(LEAST, f64::max);
    let ground = Ground {
        left: LEFT,
        top: 26.0,
        width: WIDTH,
        height: HEIGHT,
        x: [low, high],
        y: [bottom, top],
    };
    let mut line = String::new();
    for (_, from, to, by) in &steps {
        let [x1, x2, y] = [ground.x(*from), ground.x(*to), ground.y(*by)].map(coordinate);
        line.push_str(&if line.is_empty() {
            format!("M{x1} {y}H{x2}")
        } else {
            format!("V{y}H{x2}")
        });
    }
    let class = clipped(view.class(contrast.class), 24);
    let body = format!(
        "<text class=k x=4 y=12>↑ adds to the log odds of {class}</text>{}<path class=axis d=\"M{} {}h{WIDTH}\"/><path \
         class=line d=\"{line}\"/>",
        ground.vertical(&ticks(bottom, top, 4), number_of_odds),
        coordinate(LEFT),
        coordinate(ground.y(0.0)),
    );
    let told = steps.iter().take(TOLD);
    let told = told.map(|step| format!("{} {}", escape(&view_of.label(step.0)), signed(step.3)));
    let sentence = format!(
        "What {} adds: {}",
        escape(&term.axes[0].name),
        told.collect::<Vec<_>>().join("; ")
    );
    drawing(350.0, 26.0 + HEIGHT + 8.0, &sentence, &body)
}

fn number_of_odds(tick: f64) -> String {
    let rounded = (tick * 1e4).round() / 1e4;
    if rounded > 0.0 {
        format!("+{}", number(rounded))
    } else {
        number(rounded)
    }
}
