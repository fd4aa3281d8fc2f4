//! How good is it on rows it has not seen?

use super::{Section, confusion};
use crate::svg::score_charts;
use crate::text::{chip, clipped, count, figure, name, percent, whole_percent};
use crate::thresholds::Thresholds;
use crate::view::{Rows, View};
use fnb::evaluate::{ClassScores, Evaluation};

pub(crate) fn section(view: &View) -> Section {
    let unseen = view.quality.rows != Rows::Training;
    Section {
        id: "performance",
        title: "Performance",
        question: if unseen {
            "How good is it on rows it has not seen?"
        } else {
            "How good is it on its own training rows?"
        },
        body: body(view),
    }
}

fn body(view: &View) -> String {
    let Some(shown) = view.quality.shown else {
        return "<p>The model was never measured: <code>fnb evaluate</code> does it, and <code>fnb report --data \
                DATA</code> puts it here.</p>"
            .into();
    };
    let mut body = String::new();
    if view.quality.rows == Rows::Training {
        body.push_str(
            "<p><b>All charts show the training rows</b>: no others were set aside. Expect less on new ones.</p>",
        );
    }
    if let Some(cv) = &view.model.evaluation().cv {
        body.push_str(&format!(
            "<p>Cross-validation over {} folds: accuracy {} ± {}, AUC {}, compression {} ± {}.</p>",
            cv.folds.len(),
            percent(cv.mean.accuracy),
            percent(cv.sd.accuracy),
            cv.mean.auc.map_or("–".into(), figure),
            figure(cv.mean.compression),
            figure(cv.sd.compression),
        ));
    }
    if view.classes() < 2 {
        body.push_str("<p>There is one class only: nothing to confuse.</p>");
        return body;
    }
    if let Some(contrast) = view.contrast {
        let class = shown.scores.get(contrast.class);
        body.push_str(&charts_of(view, shown, class, contrast.class));
        if class.is_none() {
            body.push_str(&confusion::section(view, shown));
        }
        return body;
    }
    body.push_str(&confusion::section(view, shown));
    if let Some(worst) = worst_ranked(&shown.scores) {
        body.push_str(&picker(view, &shown.scores, worst));
        body.push_str(&charts_of(view, shown, Some(&shown.scores[worst]), worst));
    }
    body
}

/// The class whose rows are ranked worst.
fn worst_ranked(scores: &[ClassScores]) -> Option<usize> {
    let known = scores.iter().enumerate();
    let known = known.filter_map(|(i, scores)| Some((i, scores.auc?)));
    known
        .reduce(|worst, next| if next.1 < worst.1 { next } else { worst })
        .map(|(i, _)| i)
}

fn picker(view: &View, scores: &[ClassScores], worst: usize) -> String {
    let order = view.class_order().into_iter();
    let options: String = order
        .filter(|&i| scores.get(i).is_some_and(|scores| scores.auc.is_some()))
        .map(|i| {
            let selected = if i == worst { " selected" } else { "" };
            format!("<option value={i}{selected}>{}", name(view.class(i), 40))
        })
        .collect();
    format!(
        "<h3>One class against the others</h3><div class=\"tools script\"><label>Class <select \
         data-class>{options}</select></label><span class=soft>Starts with the class that is ranked worst.</span></div><p \
         class=noscript>The class that is ranked worst, {}:</p>",
        chip(view.class(worst))
    )
}

fn charts_of(
    view: &View,
    shown: &Evaluation,
    scores: Option<&ClassScores>,
    class: usize,
) -> String {
    let thresholds = scores.and_then(|scores| Some((scores, Thresholds::new(&scores.blocks)?)));
    let Some((scores, thresholds)) = thresholds else {
        return "<p class=note>There are no curves: the model was measured by a version that did not keep them, or on rows \
                of one class only. <code>fnb report MODEL --data DATA</code> measures it again.</p>"
            .into();
    };
    let class_name = clipped(view.class(class), 24);
    let others = match view.contrast {
        Some(contrast) => clipped(view.class(contrast.against), 24),
        None => "all others".into(),
    };
    let charts = score_charts::all(&thresholds, scores.auc, &class_name, &others);
    let charts: String = charts
        .iter()
        .map(|chart| {
            format!(
                "<figure><h3>{}<small>{}</small></h3>{}</figure>",
                chart.title, chart.term, chart.svg
            )
        })
        .collect();
    format!(
        "<div class=charts id=charts data-of={class}>{charts}</div>{}",
        threshold(view, shown, &thresholds, class, &others)
    )
}

/// A threshold with what it costs, in words and as a table of two by two.
fn threshold(
    view: &View,
    shown: &Evaluation,
    thresholds: &Thresholds,
    class: usize,
    others: &str,
) -> String {
    let at = thresholds.at(0.5);
    let of = chip(view.class(class));
    let (lowest_at, lowest) = thresholds.cheapest(1.0, 1.0);
    let flagged = at.right + at.wrong;
    let right = if flagged > 0.0 {
        format!(
            "Of 100 flagged, {} are right. ",
            whole_percent(at.right / flagged)
        )
    } else {
        String::new()
    };
    let sentence = format!(
        "Of 100 rows, {} are flagged. {right}Of 100 {of}, {} are found. Cost {} per 1,000 rows; the lowest is {}, at \
         {:.0}\u{202f}%.",
        whole_percent(flagged / thresholds.rows()),
        whole_percent(at.right / thresholds.positives),
        count(thresholds.cost(0.5, 1.0, 1.0).round() as u64),
        count(lowest.round() as u64),
        100.0 * lowest_at
    );
    let cell = |rows: f64, all: f64, colour: char| {
        let share = rows / all;
        format!(
            "<td class=\"{colour} k{}\"><b>{}</b>{}",
            super::part_table::shade(share).max(1),
            count(rows.round() as u64),
            percent(share)
        )
    };
    let (p, n) = (thresholds.positives, thresholds.negatives);
    let table = format!(
        "<table class=\"conf heat wide\" id=two-by-two><caption>{} {}</caption><thead><tr><td><th scope=col>answer \
         <span data-name>{of}</span><th scope=col>answer {others}</thead><tbody><tr><th class=row scope=row><span \
         data-name>{of}</span><br><span data-p>{}</span>{}{}<tr><th class=row scope=row>{others}<br><span \
         data-n>{}</span>{}{}</tbody></table>",
        count(shown.rows),
        view.quality.rows.word(),
        count(p.round() as u64),
        cell(at.right, p, 'u'),
        cell(p - at.right, p, 'w'),
        count(n.round() as u64),
        cell(at.wrong, n, 'w'),
        cell(n - at.wrong, n, 'u'),
    );
    format!(
        "<h3 id=threshold>Choose a threshold</h3><div class=cut2><div><div class=script><p>Answer <span data-name>{of}</span> from a \
         probability of <output class=big id=at>50\u{202f}%</output></p><input type=range id=cut min=0 max=100 step=1 \
         value=50 aria-label=\"Threshold in per cent\"><div class=tools><label>A missed <span data-name>{of}</span> costs \
         <input type=number id=cost-missed min=0 step=any value=1 style=\"width:84px\"></label><label>A false alarm costs \
         <input type=number id=cost-alarm min=0 step=any value=1 style=\"width:84px\"></label><button type=button \
         id=cheapest>Use the cheapest</button></div></div><p class=noscript>At a threshold of 50 %, with errors that cost 1 \
         each:</p><p id=told aria-live=polite>{sentence}</p></div>{table}</div>"
    )
}
