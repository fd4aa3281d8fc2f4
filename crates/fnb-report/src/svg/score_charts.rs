//! The six charts of the performance of a class. The script draws the same ones after a change: `web/src/charts.ts`.

use super::chart::{Ground, drawing};
use crate::text::{coordinate, count, figure, number, percent};
use crate::thresholds::{BINS, Thresholds};
use fnb::evaluate::share_interval;

const WIDTH: f64 = 350.0;
const HEIGHT: f64 = 250.0;
const QUARTERS: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// A chart with its title and what the title means to those who know.
pub(crate) struct Chart {
    pub(crate) title: &'static str,
    pub(crate) term: &'static str,
    pub(crate) svg: String,
}

fn ground() -> Ground {
    Ground {
        left: 44.0,
        top: 28.0,
        width: 296.0,
        height: 176.0,
        x: [0.0, 1.0],
        y: [0.0, 1.0],
    }
}

fn share_label(share: f64) -> String {
    if share == 0.0 {
        "0".into()
    } else {
        format!("{}%", number(100.0 * share))
    }
}

/// Both axes are shares.
fn frame(ground: &Ground, up: &str, right: &str) -> String {
    format!(
        "{}{}<text class=k x=4 y=14>↑ {up}</text><text class=k x=340 y=242 text-anchor=end>{right} →</text>",
        ground.vertical(&QUARTERS, share_label),
        ground.horizontal(&QUARTERS, 222.0, share_label)
    )
}

fn mark(ground: &Ground, (x, y): (f64, f64)) -> String {
    format!(
        "<circle class=mark r=5 cx={} cy={} />",
        coordinate(ground.x(x)),
        coordinate(ground.y(y))
    )
}

/// The six, at a threshold of one half and with equal costs. Names are HTML.
pub(crate) fn all(of: &Thresholds, auc: Option<f64>, class: &str, others: &str) -> [Chart; 6] {
    [
        roc(of, auc, class),
        precision_recall(of, class),
        gains(of, class),
        calibration(of, class),
        scores(of, class, others),
        cost(of),
    ]
}

fn roc(of: &Thresholds, auc: Option<f64>, class: &str) -> Chart {
    let ground = ground();
    let point = |f: &crate::thresholds::Flagged| (f.wrong / of.negatives, f.right / of.positives);
    let mut line = vec![(0.0, 0.0)];
    line.extend(of.sums.iter().map(point));
    let auc = auc.map_or(String::new(), |auc| format!("AUC {}", figure(auc)));
    let body = format!(
        "{}<path class=dash d=\"{}\"/><text x={} y={}>by chance</text><path class=line d=\"{}\"/><text class=h x=334 y=188 \
         text-anchor=end data-auc>{auc}</text>{}",
        frame(
            &ground,
            &format!("{class} found"),
            "others flagged by mistake"
        ),
        ground.path(&[(0.0, 0.0), (1.0, 1.0)]),
        coordinate(ground.x(0.62)),
        coordinate(ground.y(0.56)),
        ground.path(&line),
        mark(&ground, point(&of.at(0.5)))
    );
    Chart {
        title: "Order: how many are found?",
        term: "ROC",
        svg: drawing(
            WIDTH,
            HEIGHT,
            &format!("ROC curve of {class}. {auc}"),
            &body,
        ),
    }
}

fn precision_recall(of: &Thresholds, class: &str) -> Chart {
    let ground = ground();
    let points: Vec<(f64, f64)> = of
        .sums
        .iter()
        .filter(|f| f.right + f.wrong > 0.0)
        .map(|f| (f.right / of.positives, f.right / (f.right + f.wrong)))
        .collect();
    let by_chance = of.positives / of.rows();
    let at = of.at(0.5);
    let marked = if at.right + at.wrong > 0.0 {
        (at.right / of.positives, at.right / (at.right + at.wrong))
    } else {
        points.first().copied().unwrap_or((0.0, 1.0))
    };
    let label_y = ground.y(by_chance) + if by_chance > 0.15 { 14.0 } else { -6.0 };
    let body = format!(
        "{}<path class=dash d=\"{}\"/><text x=50 y={}>by chance {}</text><path class=line d=\"{}\"/>{}",
        frame(
            &ground,
            "right among those flagged",
            &format!("{class} found")
        ),
        ground.path(&[(0.0, by_chance), (1.0, by_chance)]),
        coordinate(label_y),
        percent(by_chance),
        ground.path(&points),
        mark(&ground, marked)
    );
    Chart {
        title: "Flagging: how many are right?",
        term: "precision, recall",
        svg: drawing(
            WIDTH,
            HEIGHT,
            &format!(
                "Precision and recall of {class}; at a threshold of 50\u{202f}%, {} of those flagged are right and {} are found",
                percent(marked.1),
                percent(marked.0)
            ),
            &body,
        ),
    }
}

fn gains(of: &Thresholds, class: &str) -> Chart {
    let ground = ground();
    let point =
        |f: &crate::thresholds::Flagged| ((f.right + f.wrong) / of.rows(), f.right / of.positives);
    let mut line = vec![(0.0, 0.0)];
    line.extend(of.sums.iter().map(point));
    let tenth = at_share(&line, 0.1);
    let best = (of.positives / of.rows(), 1.0);
    let times = (tenth / 0.1 * 10.0).round() / 10.0;
    let words = if times == 1.0 {
        "best 10\u{202f}%: no more than at random".to_owned()
    } else {
        format!("best 10\u{202f}%: {} times as many", number(times))
    };
    let body = format!(
        "{}<path class=dash d=\"{}\"/><path class=dash d=\"{}\"/><text x={} y={}>at random</text><path class=line \
         d=\"{}\"/><circle class=pos r=3.5 cx={} cy={} /><text class=h x={} y={} data-tenth>{words}</text>{}",
        frame(
            &ground,
            &format!("{class} found"),
            "rows examined, best first"
        ),
        ground.path(&[(0.0, 0.0), (1.0, 1.0)]),
        ground.path(&[(0.0, 0.0), best, (1.0, 1.0)]),
        coordinate(ground.x(0.64)),
        coordinate(ground.y(0.54)),
        ground.path(&line),
        coordinate(ground.x(0.1)),
        coordinate(ground.y(tenth)),
        coordinate(ground.x(0.1) + 9.0),
        coordinate((ground.y(tenth) + 16.0).min(198.0)),
        mark(&ground, point(&of.at(0.5)))
    );
    Chart {
        title: "Working down the list",
        term: "cumulative gains",
        svg: drawing(
            WIDTH,
            HEIGHT,
            &format!("Cumulative gains of {class}; {words}"),
            &body,
        ),
    }
}

/// The height of a line at a place.
fn at_share(line: &[(f64, f64)], x: f64) -> f64 {
    let next = line.partition_point(|point| point.0 < x);
    match (next.checked_sub(1).map(|i| line[i]), line.get(next)) {
        (Some((x0, y0)), Some(&(x1, y1))) if x1 > x0 => y0 + (y1 - y0) * (x - x0) / (x1 - x0),
        (_, Some(point)) => point.1,
        _ => 1.0,
    }
}

fn calibration(of: &Thresholds, class: &str) -> Chart {
    let ground = Ground {
        height: 138.0,
        ..ground()
    };
    let mut points = String::new();
    for group in of.groups() {
        let [low, high] = share_interval(group.happened, group.rows);
        let x = coordinate(ground.x(group.announced));
        points.push_str(&format!(
            "<path class=whisker d=\"M{x} {}V{}\"/><circle class=pos r=3.5 cx={x} cy={} />",
            coordinate(ground.y(high)),
            coordinate(ground.y(low)),
            coordinate(ground.y(group.happened))
        ));
    }
    let bins = of.bins();
    let most = bins.iter().map(|b| b.right + b.wrong).fold(1e-9, f64::max);
    let mut rows = String::new();
    for (i, bin) in bins.iter().enumerate() {
        let height = 26.0 * (bin.right + bin.wrong) / most;
        if height > 0.0 {
            rows.push_str(&bar(&ground, i, 224.0, height, true));
        }
    }
    let body = format!(
        "{}{}<text class=k x=4 y=14>↑ {class} in fact</text><text class=k x=340 y=242 text-anchor=end>probability announced \
         →</text><text x=44 y=242>rows</text><path class=dash d=\"{}\"/><text x=334 y=132 text-anchor=end>on the line:</text>\
         <text x=334 y=148 text-anchor=end>as announced</text><g data-points>{points}</g><path class=bars d=\"{rows}\"/>",
        ground.vertical(&QUARTERS, share_label),
        ground.horizontal(&QUARTERS, 184.0, share_label),
        ground.path(&[(0.0, 0.0), (1.0, 1.0)]),
    );
    Chart {
        title: "Can the probability be believed?",
        term: "calibration",
        svg: drawing(
            WIDTH,
            HEIGHT,
            &format!(
                "Probability of {class} announced against what happened, with 95\u{202f}% intervals"
            ),
            &body,
        ),
    }
}

/// A bar of a bin, up or down from a line.
fn bar(ground: &Ground, bin: usize, base: f64, height: f64, up: bool) -> String {
    let left = ground.x(bin as f64 / BINS as f64);
    let right = ground.x((bin + 1) as f64 / BINS as f64) - 1.0;
    let end = if up { base - height } else { base + height };
    format!(
        "M{} {}V{}H{}V{}z",
        coordinate(left),
        coordinate(base),
        coordinate(end),
        coordinate(right),
        coordinate(base)
    )
}

fn scores(of: &Thresholds, class: &str, others: &str) -> Chart {
    let ground = ground();
    let middle = 116.0;
    let bins = of.bins();
    let share = |part: f64, all: f64| part / all;
    let most = bins
        .iter()
        .map(|b| share(b.right, of.positives).max(share(b.wrong, of.negatives)))
        .fold(1e-9, f64::max);
    let (mut above, mut below) = (String::new(), String::new());
    for (i, bin) in bins.iter().enumerate() {
        let (up, down) = (
            share(bin.right, of.positives),
            share(bin.wrong, of.negatives),
        );
        if up > 0.0 {
            above.push_str(&bar(&ground, i, middle - 0.5, 74.0 * up / most, true));
        }
        if down > 0.0 {
            below.push_str(&bar(&ground, i, middle + 0.5, 74.0 * down / most, false));
        }
    }
    let x = coordinate(ground.x(0.5));
    let body = format!(
        "<text class=k x=4 y=14>share of each class, by probability given</text>{}<path class=grid d=\"M44 \
         {middle}H340\"/><path class=pos d=\"{above}\"/><path class=neg d=\"{below}\"/><path class=thumb d=\"M{x} \
         34V204\"/><text class=h x=48 y=40>{class}</text><text class=h x=336 y=202 \
         text-anchor=end>{others}</text><text class=k x=340 y=242 text-anchor=end>probability of {class} →</text>",
        ground.horizontal(&QUARTERS, 222.0, share_label),
    );
    Chart {
        title: "How well are they told apart?",
        term: "scores",
        svg: drawing(
            WIDTH,
            HEIGHT,
            &format!(
                "Distribution of the probabilities of {class}, for {class} above and {others} below"
            ),
            &body,
        ),
    }
}

fn cost(of: &Thresholds) -> Chart {
    let points: Vec<(f64, f64)> = (0..=100)
        .map(|percent| {
            let threshold = f64::from(percent) / 100.0;
            (threshold, of.cost(threshold, 1.0, 1.0))
        })
        .collect();
    let most = points.iter().map(|p| p.1).fold(1e-9, f64::max);
    let ground = Ground {
        y: [0.0, most * 1.05],
        ..ground()
    };
    let (threshold, lowest) = of.cheapest(1.0, 1.0);
    let left = threshold > 0.5;
    let body = format!(
        "<text class=k x=4 y=14>↑ cost per 1,000 rows</text><g data-scale>{}</g>{}<path class=line d=\"{}\"/><g \
         data-lowest><circle class=pos r=3.5 cx={} cy={} /><text class=h x={} y={} text-anchor={}>lowest: {} at {}%</text></g>\
         {}<text class=k x=340 y=242 text-anchor=end>threshold →</text>",
        ground.vertical(&super::chart::ticks(0.0, most, 5), number),
        ground.horizontal(&QUARTERS, 222.0, share_label),
        ground.path(&points),
        coordinate(ground.x(threshold)),
        coordinate(ground.y(lowest)),
        coordinate(ground.x(threshold) + if left { -8.0 } else { 8.0 }),
        coordinate((ground.y(lowest) - 16.0).max(40.0)),
        if left { "end" } else { "start" },
        count(lowest.round() as u64),
        number(100.0 * threshold),
        mark(&ground, (0.5, of.cost(0.5, 1.0, 1.0)))
    );
    Chart {
        title: "Which threshold costs least?",
        term: "cost",
        svg: drawing(
            WIDTH,
            HEIGHT,
            &format!(
                "Cost by threshold, lowest at {}\u{202f}%",
                number(100.0 * threshold)
            ),
            &body,
        ),
    }
}
