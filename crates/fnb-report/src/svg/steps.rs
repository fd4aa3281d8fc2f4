//! The share of a class over a number, drawn to scale.

use super::added;
use super::chart::{Ground, drawing, ticks};
use crate::labels;
use crate::text::{clipped, coordinate, escape, number, percent};
use crate::view::{TermView, View};
use fnb::columns::Distribution;
use fnb::evaluate::share_interval;
use fnb::terms::Parts;

/// Parts narrower than this cannot be seen...
const NARROW: f64 = 3.0;
/// ...and a chart where more than this share of them is so is not drawn.
const TOO_MANY: f64 = 0.3;
/// Parts that are told to those who do not see the drawing; all are in the table.
const TOLD: usize = 30;

pub(super) const LEFT: f64 = 42.0;
pub(super) const WIDTH: f64 = 296.0;
/// Where the strip of the rows stands, and how high it is.
const STRIP: f64 = 213.0;
const STRIP_HEIGHT: f64 = 32.0;

/// An interval as it is drawn.
struct Step {
    part: usize,
    from: f64,
    to: f64,
    share: f64,
    rows: f64,
    /// The 95 % interval of the share.
    band: [f64; 2],
}

/// Charts of a page: less important variables have their tables.
const MOST_CHARTS: usize = 20;

/// Class share as steps with their bands, and the rows below; `None` for groups, several classes, and where it would
/// show nothing.
pub(crate) fn of(view: &View, view_of: &TermView) -> Option<String> {
    let contrast = view.contrast?;
    let term = view_of.term;
    if view_of.index >= MOST_CHARTS {
        return None;
    }
    let known = view.values.get(term.axes[0].name.as_str());
    let known = known.and_then(|facts| facts.distribution.as_ref());
    let Parts::Intervals { cuts, .. } = &term.axes[0].parts else {
        return None;
    };
    let [low, high] = range(cuts, known)?;
    let steps = steps(view_of, contrast.class, [low, high]);
    let all = view.share(contrast.class);
    let highest = steps
        .iter()
        .map(|step| step.band[1])
        .fold(all.max(0.05), f64::max);
    let scale = ticks(0.0, highest.min(1.0) * 1.02, 5);
    let between = scale.get(1).copied().unwrap_or(1.0);
    let top = ((highest / between).ceil() * between).min(1.0);
    let ground = Ground {
        left: LEFT,
        top: 26.0,
        width: WIDTH,
        height: 152.0,
        x: [low, high],
        y: [0.0, top],
    };
    let narrow = |step: &&Step| ground.x(step.to) - ground.x(step.from) < NARROW;
    if steps.iter().filter(narrow).count() as f64 > TOO_MANY * steps.len() as f64 {
        return None;
    }
    let (rows, note) = match known {
        Some(Distribution::Numbers {
            points,
            width,
            bins,
            ..
        }) if *width > 0.0 => (
            histogram(bins, points[0], *width, &ground),
            "Drawn to scale from the 1st to the 99th percentile; bands are 95\u{202f}% intervals.",
        ),
        _ => (
            densities(&steps, &ground),
            "Drawn to scale; bands are 95\u{202f}% intervals.",
        ),
    };
    let class = clipped(view.class(contrast.class), 28);
    let body = format!(
        "<text class=k x=4 y=12>↑ share of {class}</text>{}{}{}{rows}{}<text x={} y=206 text-anchor=end>rows</text><text \
         class=k x=338 y=248 text-anchor=end>{} →</text>",
        ground.vertical(&ticks(0.0, top, 5), share_label),
        lines(&steps, &ground),
        all_rows(&steps, &ground, all),
        ground.horizontal(&ticks(low, high, 6), 230.0, number),
        coordinate(LEFT - 6.0),
        clipped(&term.name, 36)
    );
    let told = steps.iter().take(TOLD);
    let told = told.map(|s| format!("{} {}", escape(&view_of.label(s.part)), percent(s.share)));
    let told: Vec<String> = told.collect();
    let sentence = format!(
        "Share of {} by {}: {}",
        escape(view.class(contrast.class)),
        escape(&term.name),
        told.join("; ")
    );
    let drawing = drawing(350.0, 254.0, &sentence, &body);
    let added = added::of(view, view_of);
    Some(format!("{drawing}{added}<figcaption>{note}</figcaption>"))
}

fn share_label(tick: f64) -> String {
    if tick == 0.0 {
        "0".into()
    } else {
        format!("{}%", number((tick * 1e4).round() / 1e2))
    }
}

fn steps(view_of: &TermView, class: usize, [low, high]: [f64; 2]) -> Vec<Step> {
    let term = view_of.term;
    let step = |part: usize| {
        let (from, to) = labels::bounds(&term.axes[0].parts, part)?;
        let rows = term.rows_of(part).max(1) as f64;
        let share = term.counts[part][class] as f64 / rows;
        Some(Step {
            part,
            from: from.unwrap_or(low).clamp(low, high),
            to: to.unwrap_or(high).clamp(low, high),
            share,
            rows: term.rows_of(part) as f64,
            band: share_interval(share, rows),
        })
    };
    (0..term.cells()).filter_map(step).collect()
}

/// The steps, their bands behind them.
fn lines(steps: &[Step], ground: &Ground) -> String {
    let (mut band, mut line) = (String::new(), String::new());
    for step in steps {
        let (x1, x2) = (
            coordinate(ground.x(step.from)),
            coordinate(ground.x(step.to)),
        );
        let [below, above] = step.band.map(|bound| ground.y(bound.min(ground.y[1])));
        band.push_str(&format!(
            "M{x1} {}H{x2}V{}H{x1}z",
            coordinate(above),
            coordinate(below)
        ));
        let y = coordinate(ground.y(step.share));
        line.push_str(&if line.is_empty() {
            format!("M{x1} {y}H{x2}")
        } else {
            format!("V{y}H{x2}")
        });
    }
    format!("<path class=band d=\"{band}\"/><path class=line d=\"{line}\"/>")
}

/// The share of all rows, with its label where nothing is in its way.
fn all_rows(steps: &[Step], ground: &Ground, all: f64) -> String {
    const LABEL: f64 = 92.0;
    let y = ground.y(all);
    let right = LEFT + WIDTH;
    let places = [
        (LEFT + 4.0, y - 5.0, "start"),
        (LEFT + 4.0, y + 13.0, "start"),
        (right - 2.0, y - 5.0, "end"),
        (right - 2.0, y + 13.0, "end"),
    ];
    let crossed = |&(x, base, anchor): &(f64, f64, &str)| {
        let (x1, x2) = if anchor == "start" {
            (x, x + LABEL)
        } else {
            (x - LABEL, x)
        };
        let (top, bottom) = (base - 11.0, base + 3.0);
        let heights = steps
            .iter()
            .filter(|step| ground.x(step.to) > x1 && ground.x(step.from) < x2)
            .map(|step| ground.y(step.share));
        let (highest, lowest) =
            heights.fold((f64::MAX, f64::MIN), |(a, b), y| (a.min(y), b.max(y)));
        // A line from above the label to below it goes through it.
        highest < bottom && lowest > top
    };
    let (x, base, anchor) = places
        .iter()
        .find(|place| !crossed(place))
        .copied()
        .unwrap_or(places[0]);
    format!(
        "<path class=dash d=\"M{} {}h{WIDTH}\"/><text x={} y={} text-anchor={anchor}>all rows {}</text>",
        coordinate(LEFT),
        coordinate(y),
        coordinate(x),
        coordinate(base),
        percent(all)
    )
}

/// The rows of intervals: as high as they are dense.
fn densities(steps: &[Step], ground: &Ground) -> String {
    let dense = |step: &Step| step.rows / (ground.x(step.to) - ground.x(step.from)).max(1.0);
    let most = steps.iter().map(dense).fold(1e-12, f64::max);
    let bars = steps.iter().map(|step| {
        let height = STRIP_HEIGHT * dense(step) / most;
        bar(ground.x(step.from), ground.x(step.to), height)
    });
    format!("<path class=bars d=\"{}\"/>", bars.collect::<String>())
}

/// The bins of the values between the ends of the drawing, as high as they have rows.
fn histogram(bins: &[u64], start: f64, width: f64, ground: &Ground) -> String {
    let most = bins.iter().copied().max().unwrap_or(0).max(1) as f64;
    let filled = bins.iter().enumerate().filter(|(_, rows)| **rows > 0);
    let bars = filled.map(|(i, &rows)| {
        let x1 = ground.x(start + i as f64 * width);
        let x2 = ground.x(start + (i + 1) as f64 * width).min(LEFT + WIDTH);
        bar(x1, x2, (STRIP_HEIGHT * rows as f64 / most).max(0.6))
    });
    format!("<path class=bars d=\"{}\"/>", bars.collect::<String>())
}

fn bar(x1: f64, x2: f64, height: f64) -> String {
    format!(
        "M{} {STRIP}V{}H{}V{STRIP}z",
        coordinate(x1),
        coordinate(STRIP - height),
        coordinate((x2 - 0.8).max(x1 + 0.3))
    )
}

/// From the 1 % point to the 99 % point; where these are not known, from below the first cut to above the last one.
pub(super) fn range(cuts: &[f64], known: Option<&Distribution>) -> Option<[f64; 2]> {
    let (first, last) = (*cuts.first()?, *cuts.last()?);
    let range = match known {
        Some(Distribution::Numbers {
            whole,
            points: [low, _, high],
            ..
        }) if low < high => [*low, if *whole { high + 1.0 } else { *high }],
        _ => {
            let span = last - first;
            let beyond = if span > 0.0 {
                span / cuts.len() as f64
            } else {
                first.abs().max(1.0)
            };
            [first - beyond, last + beyond]
        }
    };
    (range[0] < range[1] && range.iter().all(|end| end.is_finite())).then_some(range)
}
