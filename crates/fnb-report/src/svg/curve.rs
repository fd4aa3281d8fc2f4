//! Quality against the number of variables.

use super::chart::{Ground, drawing, ticks};
use crate::text::{coordinate, count, figure, number};

/// A line through the points; the last one is all variables, named as given.
pub(crate) fn size_path(points: &[(f64, f64)], name: &str) -> String {
    let (most, best) = points
        .iter()
        .fold((1.0_f64, 0.0_f64), |(x, y), p| (x.max(p.0), y.max(p.1)));
    let low = points.iter().fold(0.0_f64, |low, point| low.min(point.1));
    let high = if best > low {
        best + 0.06 * (best - low)
    } else {
        low + 1.0
    };
    let ground = Ground {
        left: 42.0,
        top: 34.0,
        width: 296.0,
        height: 176.0,
        x: [0.0, most * 1.03],
        y: [low, high],
    };
    let mut vertical = ticks(low, high, 5);
    if vertical.first() != Some(&low) {
        vertical.insert(0, low);
    }
    let mut body = String::from("<text class=k x=4 y=14>↑ share of the description saved</text>");
    body.push_str(&ground.vertical(&vertical, |tick| number((tick * 1e6).round() / 1e6)));
    let whole = ticks(0.0, most, 6);
    let whole: Vec<f64> = whole
        .into_iter()
        .filter(|tick| tick.fract() == 0.0)
        .collect();
    body.push_str(&ground.horizontal(&whole, 228.0, number));
    let mut line = vec![(0.0, 0.0)];
    line.extend(points);
    body.push_str(&format!("<path class=line d=\"{}\"/>", ground.path(&line)));
    if points.len() <= 40 {
        for point in &points[..points.len() - 1] {
            body.push_str(&dot(&ground, *point));
        }
    }
    let last = points[points.len() - 1];
    let (x, y) = (ground.x(last.0), ground.y(last.1));
    body.push_str(&format!(
        "<circle class=mark cx={} cy={} r=5 /><text class=h x={} y={} text-anchor=end>{name}: {}, {}</text><text \
         class=k x=338 y=246 text-anchor=end>variables →</text>",
        coordinate(x),
        coordinate(y),
        coordinate(x),
        coordinate(y - 12.0),
        count(last.0 as u64),
        figure(last.1)
    ));
    let sentence = format!(
        "Share of the description saved by models of 1 to {} variables; {name}: {}.",
        count(most as u64),
        figure(last.1)
    );
    drawing(350.0, 252.0, &sentence, &body)
}

fn dot(ground: &Ground, (x, y): (f64, f64)) -> String {
    format!(
        "<circle class=pos cx={} cy={} r=3.5 />",
        coordinate(ground.x(x)),
        coordinate(ground.y(y))
    )
}
